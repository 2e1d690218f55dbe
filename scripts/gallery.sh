#!/usr/bin/env bash
# Makes results/gallery/, which the README shows. Charts and tables are the same on every machine; kip-table.md has
# measured processor time and differs a little each time.
set -euo pipefail
cd "$(dirname "$0")/.."

bin=${BIN:-${CARGO_TARGET_DIR:-target}/release/rebalance-sim}
[ -n "${BIN:-}" ] || cargo build --release --quiet
gallery=results/gallery
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# a scenario, and its charts that show what it is about
show() {
  name=$1
  shift
  "$bin" run "scenarios/$name.yaml" --out "$out" --quiet > "$out/$name.table.txt"
  "$bin" chart "$out/$name" --format both --quiet
  mkdir -p "$out/new/$name"
  cut -c1-200 "$out/$name.table.txt" | grep -v '^CPU \|^Why: \|Why: ' | sed 's/ │ *CPU.*//; s/ │ *[0-9.,]*×.*//' > "$out/new/$name/table.txt"
  for chart in "$@"; do
    cp "$out/$name/charts/$chart.svg" "$out/$name/charts/$chart.png" "$out/new/$name/"
  done
}
show quickstart verdicts timeline
show rack-relabel verdicts timeline strips heap delays
show ghost verdicts strips
show kafka-17578 heap

# the drafts' table from few groups to many: one arrow a strategy
for n in 1 10 100 1000 10000; do
  "$bin" run scenarios/kip-table.yaml --set groups.g.count=$n --out "$out/kip" --quiet > /dev/null
  mv "$out/kip/kip-table" "$out/kip/groups-$n"
done
mkdir -p "$out/new/kip-table"
"$bin" chart "$out/kip"/groups-* --format both --out "$out/kip-charts" --quiet
cp "$out/kip-charts/plane.svg" "$out/kip-charts/plane.png" "$out/new/kip-table/"
"$bin" table kip --markdown > "$out/new/kip-table/kip-table.md"
"$bin" table kafka-17578 --markdown > "$out/new/kafka-17578/racks.md"

rm -rf "$gallery"
mkdir -p "$(dirname "$gallery")"
mv "$out/new" "$gallery"
echo "Written to $gallery/"
