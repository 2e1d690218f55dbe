"""The periodic model in SimPy: each member a process that waits for its interval; see src/periodic.rs."""

import sys
import time

import simpy

INTERVAL_MS = 5_000
members = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 60
beats = 0


def phase_ms(number):
    return number * 7919 % (INTERVAL_MS - 1) + 1


def member(env, phase):
    global beats
    yield env.timeout(phase)
    while True:
        beats += 1
        yield env.timeout(INTERVAL_MS)


env = simpy.Environment()
for number in range(members):
    env.process(member(env, phase_ms(number)))
# everybody is on the way before the clock starts
env.run(until=0.5)
began = time.process_time()
# `until` comes before what happens at it
env.run(until=seconds * 1000 + 0.5)
took = time.process_time() - began
expected = sum((seconds * 1000 - phase_ms(number)) // INTERVAL_MS + 1 for number in range(members))
assert beats == expected, "SimPy simulated something else"
print(f"SimPy {simpy.__version__}\t{beats}\t{took:.2f}\t{beats / took / 1e6:.2f}")
