#!/usr/bin/env bash
# Tests report.html in a real browser. Needs chromium (Debian: apt-get install chromium) and Python; so it is no part of
# `cargo test`.   bash scripts/browser-test.sh [folder for pictures]
set -euo pipefail
cd "$(dirname "$0")/.."

pictures=${1:-results/browser}
bin=${BIN:-${CARGO_TARGET_DIR:-target}/release/rebalance-sim}
[ -x "$bin" ] || cargo build --release --quiet
venv=${VENV:-results/browser-venv}
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --requirement scripts/browser-requirements.txt || {
    rm -rf "$venv"
    echo "the browser test's Python packages could not be had" >&2
    exit 3
  }
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$bin" run scenarios/quickstart.yaml --out "$out" --quiet > /dev/null
"$bin" report "$out/quickstart" --quiet
"$venv/bin/python" scripts/browser_test.py "$out/quickstart/report.html" "$pictures"
