//! A scenario to start from.

/// A commented scenario called `name`, which runs as it is.
#[must_use]
pub fn template(name: &str) -> String {
    let title: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
    format!(
        "\
# {title}: what question does this scenario ask?
# What should be seen: say it here before running it.
seed: 1
cluster:
  version: kafka-4.1
  racks: [a, b, c]                 # brokers and members take them in turn
brokers: 6
topics:
  orders: {{count: 20, partitions: 12}} # orders-1 … orders-20
  audit:  {{partitions: 3, rf: 3}}
groups:
  shop:  {{count: 50, members: 4, topics: 3 of orders}}
  audit: {{members: 2, topics: [audit], static: true}}
  # a share group: protocol: share; a Streams application: protocol: streams, internal: [totals-changelog]
history:
  - roll:           {{at: 10m, down: 60s, gap: 5m}}
  - add-partitions: {{at: 1h, topic: orders-1, by: 4}}
strategies: [full-metadata, topic-hash, group-hash, group-hash-uncached]
expect:
  - missed == 0
"
    )
}
