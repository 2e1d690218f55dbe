"""A sweep in parts by Dask: python dask_sweep.py SCENARIO PARTS [OUT] [SCHEDULER].

Without SCHEDULER a cluster of two workers is started on this machine. With one (tcp://host:8786) the workers need
the program, the scenario and OUT under the same paths, as a shared file system gives them.
"""

import glob
import os
import subprocess
import sys
from pathlib import Path

from dask.distributed import Client, LocalCluster, as_completed

SIM = os.environ.get("REBALANCE_SIM", "rebalance-sim")


def make_part(scenario, index, parts, out):
    """One part; exit code 1 means that points failed, which the merged points.csv tells."""
    command = [SIM, "sweep", scenario, "--part", f"{index}/{parts}", "--threads", "1", "--quiet", "--out", out]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"part {index}: {done.stderr.strip()}")
    return index


def main(scenario, parts, out="results", scheduler=None):
    cluster = None if scheduler else LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with Client(scheduler or cluster) as client:
        futures = [client.submit(make_part, scenario, i, parts, out, pure=False) for i in range(1, int(parts) + 1)]
        for future in as_completed(futures):
            print(f"part {future.result()} of {parts}", file=sys.stderr)
    if cluster:
        cluster.close()
    folders = glob.glob(f"{out}/{Path(scenario).stem}.part-*-of-{parts}")
    return subprocess.run([SIM, "merge", *folders, "--out", out]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
