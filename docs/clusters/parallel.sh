#!/usr/bin/env bash
# A sweep in parts by GNU parallel: parallel.sh SCENARIO PARTS [OUT]. On several hosts add --sshloginfile and a
# shared OUT, or --return the part folders.
set -euo pipefail
scenario=$1 parts=$2 out=${3:-results}
sim=${REBALANCE_SIM:-rebalance-sim}
name=$(basename "${scenario%.*}")
seq "$parts" | parallel --will-cite --halt now,fail=1 \
  "$sim" sweep "$scenario" --part {}/"$parts" --threads 1 --quiet --out "$out"
"$sim" merge "$out/$name".part-*-of-"$parts" --out "$out"
