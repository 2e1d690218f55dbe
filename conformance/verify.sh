#!/usr/bin/env bash
# Everything that is held against Apache Kafka's own classes, release by release. Needs Java 17, Maven and Maven Central
# (or a filled local repository).
#   conformance/verify.sh                     every release: shipped scenarios, 1,000 random ones, 200 of all kinds, 1,000
#                                             random groups an assignor
#   conformance/verify.sh --random 50         fewer random ones, and no shipped scenario with a million heartbeats
#   conformance/verify.sh --record            also write tests/vectors/kafka/, the sample that `cargo test` holds
#   conformance/verify.sh kafka-4.1 …         only these releases
set -euo pipefail
cd "$(dirname "$0")/.."

random=1000
record=no
releases=()
while [ $# -gt 0 ]; do
  case $1 in
    --random) random=$2; shift ;;
    --record) record=yes ;;
    kafka-*) releases+=("$1") ;;
    *) echo "unknown: $1" >&2; exit 2 ;;
  esac
  shift
done
[ ${#releases[@]} -gt 0 ] || releases=(kafka-3.9 kafka-4.0 kafka-4.1 kafka-4.2 kafka-4.3 kafka-4.4)

built=${CARGO_TARGET_DIR:-target}
bin=${REBALANCE_SIM:-$built/release/rebalance-sim}
[ -x "$bin" ] || cargo build --release --quiet

# small enough to walk every heartbeat of, one by one
small=$(ls scenarios/findings/*.yaml scenarios/trigger-table/*.yaml)
more=""
for name in quickstart rack-swap topic-recreated failover rolling-restart flag-lost pattern-burst kafka-17578 \
  kip-table rolling-restart-clients streams-upkeep; do
  more="$more scenarios/$name.yaml"
done
# 0.7 to 2.7 million heartbeats each: one history at a time. Not asked are zone-moves, rack-relabel and fleet-40x3000 (11, 26 and 46 million heartbeats), ghost, rich, saturday and
# ten-thousand-groups (500 to 1,700 million)
large="partition-growth gentlest-roll rack-relabel-assigned uuid-groups"

failed=0
for release in "${releases[@]}"; do
  "$bin" verify-kafka "$release" $small $more --quiet || failed=1
  if [ "$random" -ge 1000 ]; then
    for name in $large; do
      "$bin" verify-kafka "$release" "scenarios/$name.yaml" --quiet || failed=1
    done
  fi
  # what docs/conformance.md lists as different must be so
  listed=""
  [ "$release" != kafka-3.9 ] || listed="--listed 458"
  "$bin" verify-kafka "$release" --random "$random" $listed --quiet || failed=1
  # 3.9's uniform is an algorithm of its own, which ours is not
  [ "$release" = kafka-3.9 ] || "$bin" verify-kafka "$release" --assignors "$random" --quiet || failed=1
  kinds=""
  case $release in
    kafka-3.9 | kafka-4.0) ;;
    *)
      kinds=scenarios/share-growth.yaml
      "$bin" verify-kafka "$release" "$kinds" --quiet || failed=1
      # 4.1 parts where a member leaves: its share assignor goes by the hash of member ids, which are others here
      listed=""
      [ "$release" != kafka-4.1 ] || listed="--listed 43,71,138,178,186"
      "$bin" verify-kafka "$release" --random "$((random < 200 ? random : 200))" --kinds $listed --quiet || failed=1
      ;;
  esac
  if [ "$record" = yes ]; then
    [ "$release" != kafka-4.1 ] || "$bin" verify-kafka "$release" --assignors 25 --record tests/vectors/kafka/assignors.jsonl
    mkdir -p tests/vectors/kafka
    "$bin" verify-kafka "$release" $small --quiet --record "tests/vectors/kafka/$release.shipped" || failed=1
    "$bin" verify-kafka "$release" --random 60 --quiet --record "tests/vectors/kafka/$release.random" || failed=1
    parts="tests/vectors/kafka/$release.shipped tests/vectors/kafka/$release.random"
    if [ -n "$kinds" ]; then
      "$bin" verify-kafka "$release" "$kinds" --quiet --record "tests/vectors/kafka/$release.own" || failed=1
      "$bin" verify-kafka "$release" --random 40 --kinds --quiet --record "tests/vectors/kafka/$release.kinds" || failed=1
      parts="$parts tests/vectors/kafka/$release.own tests/vectors/kafka/$release.kinds"
    fi
    cat $parts > "tests/vectors/kafka/$release.jsonl"
    rm $parts
  fi
done
exit $failed
