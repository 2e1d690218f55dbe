#!/bin/sh
# The periodic model of 100,000 members in other simulators beside ours, one after the other on this machine:
#   benches/peers/run.sh [MEMBERS [SECONDS]]
# Builds the Rust peers in their own project and installs SimPy in a folder that is removed afterwards.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
members=${1:-100000}
seconds=${2:-60}
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

cargo build --release --quiet --manifest-path "$root/Cargo.toml"
cargo build --release --quiet --manifest-path "$here/Cargo.toml" --locked --target-dir "$temp/target"
python3 -m venv "$temp/python"
"$temp/python/bin/pip" install --quiet simpy==4.1.2

# ours: an hour of the same model, every heartbeat walked through the whole path, less what the run takes without walking
ours() {
    scenario=$root/benches/scale/walk.yaml
    groups=$((members / 100))
    run() {
        python3 - "$root/target/release/rebalance-sim" run "$scenario" --set "groups.g.count=$groups" --quiet \
            --out "$temp/results" "$@" <<'PY'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime)
PY
    }
    walked=$(run --exhaustive)
    short=$(run)
    # two lanes walk: the strategy's, and the one that does nothing and is subtracted
    awk -v m="$((groups * 100))" -v walked="$walked" -v short="$short" 'BEGIN {
        beats = m * 720 * 2; took = walked - short
        printf "rebalance-sim --exhaustive\t%d\t%.2f\t%.2f\n", beats, took, beats / took / 1e6
        printf "rebalance-sim, arithmetic\t%d\t%.2f\t%.0f\n", beats, short, beats / short / 1e6
    }'
}

printf 'simulator\theartbeats\tseconds\tmillion a second\n'
ours
"$temp/target/release/simcore-periodic" "$members" "$seconds"
"$temp/target/release/nexosim-periodic" "$members" "$seconds"
"$temp/python/bin/python" "$here/periodic.py" "$members" "$seconds"
