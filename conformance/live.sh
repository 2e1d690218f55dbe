#!/usr/bin/env bash
# The live check: three brokers on loopback from the released jars, a dozen groups, and what happens to them in five
# minutes; then the groups' epochs and the cluster's own metadata log, for `rebalance-sim replay`. Needs Java 17, Maven,
# Maven Central (or a filled local repository), 2 GB of memory and the ports 39093 and 39100 to 39102. docs/live.md.
#   conformance/live.sh                        kafka-4.1, into conformance/target/live/kafka-4.1/
#   conformance/live.sh kafka-4.0 FOLDER       another release, another folder
set -euo pipefail
cd "$(dirname "$0")"

release=${1:-kafka-4.1}
case $release in
  kafka-4.0) version=4.0.2 ;;
  kafka-4.1) version=4.1.2 ;;
  kafka-4.2) version=4.2.1 ;;
  kafka-4.3) version=4.3.1 ;;
  kafka-4.4) version=4.4.0 ;;
  *) echo "unknown: $release (kafka-4.0 to kafka-4.4)" >&2; exit 2 ;;
esac
out=${2:-target/live/$release}
mvn -q -B -f live/pom.xml "-Dkafka.version=$version" compile
built=target/live-$version
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
timeout 900 java -Xmx512m -cp "$built/classes:$(cat "$built/classpath")" rebalancesim.live.Live "$work" "$out" "$release" ||
  { echo "it did not come to its end; what the nodes said:" >&2; tail -n 5 "$work"/node-*/log >&2; exit 3; }
# no path of this machine
sed -i 's#^Dumping .*/#Dumping #' "$out/metadata.txt"
echo "written: $out"
