#!/usr/bin/env bash
# Kafka's own figures, for docs/costs.md: heap of its objects (JOL), processor time of its strategies' code, heartbeats a
# second of its coordinator and of ours on one history. Needs Java 17, Maven and Maven Central (or a filled local repository).
#   conformance/measure.sh           prints all of it
#   FORKS=25 …                       virtual machines for each processor time, 9 if not said
#   conformance/measure.sh --record  also writes tests/vectors/heap-sizes.txt, which `cargo test` holds
set -euo pipefail
cd "$(dirname "$0")/.."

bin=${REBALANCE_SIM:-${CARGO_TARGET_DIR:-target}/release/rebalance-sim}
[ -x "$bin" ] || cargo build --release --quiet
of() { # release, main class, options of the JVM …
  local folder=conformance/target/$1 main=$2
  [ -f "$folder/classpath" ] || mvn -q -B -P "$1" -f conformance/pom.xml compile
  shift 2
  java -XX:+UseSerialGC -Xmx1g "$@" -cp "$folder/classes:$(cat "$folder/classpath")" "rebalancesim.$main"
}
for release in kafka-3.9 kafka-4.1 kafka-4.2 kafka-4.3; do
  mvn -q -B -P "$release" -f conformance/pom.xml compile
done

echo "== heap, bytes: kind, sizes, bytes (3.9, which has all kinds)"
heap=$(of kafka-3.9 Heap -Djdk.attach.allowAttachSelf -Djol.magicFieldOffset=true --add-opens java.base/java.util=ALL-UNNAMED 2>/dev/null | grep -v '^#')
echo "$heap"
if [ "${1:-}" = --record ]; then
  { echo "# kind, sizes, bytes: objects of Kafka 3.9.2 in a JDK 17 heap by JOL; conformance/measure.sh writes this"; echo "$heap"; } \
    > tests/vectors/heap-sizes.txt
fi
# A JVM keeps to the machine code that it once came to, and the next one comes to another: half as fast again or slower.
# So the figure is the median of virtual machines, each of them the median of its own batches.
forks=${FORKS:-9}
for release in kafka-3.9 kafka-4.1 kafka-4.2 kafka-4.3; do
  echo "== processor time, $release: median (least to most) of $forks virtual machines, ns"
  for _ in $(seq "$forks"); do of "$release" Cpu; done | sed 's/ \{2,\}/\t/; s/ ns .*//; s/,\([0-9]\{3\}\)$/\1/' |
    sort -t "$(printf '\t')" -k1,1 -k2,2n |
    awk -F'\t' '$1 != what { tell(); what = $1; n = 0 } { each[++n] = $2 } END { tell() }
      function tell() { if (n) printf "%-50s %9d (%d to %d)\n", what, each[int((n + 1) / 2)], each[1], each[n] }'
done

echo "== heartbeats: scenarios/quickstart.yaml, Kafka 4.1's coordinator in one process, once and eleven times"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$bin" history scenarios/quickstart.yaml > "$work/one"
for _ in 1 2 3 4 5 6 7 8 9 10 11; do cat "$work/one"; done > "$work/eleven"
# processor time of a command in ms, by all its threads
cpu() { local TIMEFORMAT='%U %S'; { time "$@" > "$work/said" 2>&1; } 2>&1 | tail -1 | awk '{printf "%d", ($1 + $2) * 1000}'; }
once=$(cpu of kafka-4.1 Main < "$work/one")
many=$(cpu of kafka-4.1 Main < "$work/eleven")
beats=$(grep -o '"heartbeats":[0-9]*' "$work/said" | tail -1 | grep -o '[0-9]*')
echo "Kafka 4.1: $beats heartbeats a history, $(((many - once) / 10)) ms of processor time each: $((beats * 10000 / (many - once))) heartbeats a second"
for how in "" --exhaustive; do
  took=$(cpu "$bin" run scenarios/quickstart.yaml --strategies kafka-4.1 --quiet --out "$work/r" $how)
  echo "rebalance-sim run $how: $took ms, history, files, charts and all: $((beats * 1000 / (took + 1))) heartbeats a second"
done
