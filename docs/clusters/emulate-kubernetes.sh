#!/usr/bin/env bash
# What an Indexed Job does, without a cluster: emulate-kubernetes.sh SCENARIO PARTS [OUT]. Each "pod" has only its own
# number in its environment; one of them is killed in the middle and started again, as OnFailure does.
set -euo pipefail
scenario=$1 parts=$2 out=${3:-results}
sim=${REBALANCE_SIM:-rebalance-sim}
name=$(basename "${scenario%.*}")
pod() { # NUMBER
  env -i PATH="$PATH" HOME="${HOME:-/}" JOB_COMPLETION_INDEX="$1" \
    "$sim" sweep "$scenario" --part "auto/$parts" --threads 1 --quiet --out "$out"
}
for ((i = 0; i < parts; i++)); do
  if ((i == 0)); then
    (JOB_COMPLETION_INDEX=0 exec "$sim" sweep "$scenario" --part "auto/$parts" --threads 1 --quiet --out "$out") &
    victim=$!
    sleep 0.3
    kill -KILL "$victim" 2>/dev/null || true
    wait "$victim" 2>/dev/null || true
  fi
  pod "$i" &
done
wait
"$sim" merge "$out/$name".part-*-of-"$parts" --out "$out"
