#!/usr/bin/env bash
# Makes the results that the notebooks read, and runs them from start to end; their outputs are committed.
#   bash notebooks/run.sh            results go to results/notebooks/
#   KEEP=1 bash notebooks/run.sh     leaves the notebooks as they are (CI: they must run)
set -euo pipefail
cd "$(dirname "$0")/.."

export RESULTS=${RESULTS:-$PWD/results/notebooks}
bin=${BIN:-${CARGO_TARGET_DIR:-target}/release/rebalance-sim}
[ -x "$bin" ] || cargo build --release --quiet

venv=${VENV:-$RESULTS/venv}
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --requirement notebooks/requirements.txt || {
    rm -rf "$venv"
    echo "the notebooks' Python packages could not be had" >&2
    exit 3
  }
fi

for n in 1 10 100 1000 10000; do
  "$bin" run scenarios/kip-table.yaml --set groups.g.count=$n --rounds 5 --out "$RESULTS/kip-$n" --quiet > /dev/null
done
"$bin" run scenarios/rack-relabel.yaml --out "$RESULTS" --quiet > /dev/null
for n in 1 2 3 5 8 12; do
  "$bin" run scenarios/quickstart.yaml --set cluster.start.isr_deltas=$n --runs 20 --set expect=null --quiet \
    --out "$RESULTS/isr-deltas/cluster.start.isr_deltas=$n" > /dev/null
done

for notebook in notebooks/*.ipynb; do
  "$venv/bin/python" notebooks/execute.py "$notebook" ${KEEP:+--keep}
done
