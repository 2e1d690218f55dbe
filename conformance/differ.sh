#!/usr/bin/env bash
# What parts every two labels: random small histories, each shrunk to its fewest events; a line for each kind, then the
# scenarios themselves in a folder. No Java. 4.2 and 4.3 do for consumer groups what 4.1 does, and are left out.
#   conformance/differ.sh [FOLDER] [--tries N] [--kinds N]
set -euo pipefail
cd "$(dirname "$0")/.."

out=conformance/target/differ
tries=1000
kinds=10
while [ $# -gt 0 ]; do
  case $1 in
    --tries) tries=$2; shift ;;
    --kinds) kinds=$2; shift ;;
    -*) echo "unknown: $1" >&2; exit 2 ;;
    *) out=$1 ;;
  esac
  shift
done
bin=${REBALANCE_SIM:-${CARGO_TARGET_DIR:-target}/release/rebalance-sim}
[ -x "$bin" ] || cargo build --release --quiet
mkdir -p "$out"

labels=(kafka-3.9 kafka-4.0 kafka-4.1 kip-1101-v1 kip-1101-v2 kip-1101-v3 redpanda as-deployed classic-client)
for ((i = 0; i < ${#labels[@]}; i++)); do
  for ((j = i + 1; j < ${#labels[@]}; j++)); do
    a=${labels[i]} b=${labels[j]}
    file=$out/$a-and-$b.yaml
    "$bin" differ "$a" "$b" --kinds "$kinds" --tries "$tries" >"$file" 2>"$out/said"
    echo "$a, $b: $(grep -c '^# .* part: ' "$file" || true) kinds"
    # the verbs of each kind, in their order
    awk '/^# .* part: / { if (verbs) print "  " verbs; verbs = "" }
         /^  - / { sub(/:/, "", $2); verbs = verbs (verbs ? ", " : "") $2 }
         END { if (verbs) print "  " verbs }' "$file"
  done
done
rm -f "$out/said"
