//! The verbs of `history:` in the schema.

use serde_json::{Map, Value, json};

use super::{merge, object, of, one_or_more, words};

/// One entry: a map with one verb.
pub(super) fn entry() -> Value {
    let mut all = Map::new();
    for (verb, keys) in verbs() {
        let mut keys = keys;
        merge(&mut keys, common());
        let mut body = object(keys);
        merge(&mut body, json!({"type": "object"}));
        all.insert(verb.to_owned(), body);
    }
    json!({"type": "object", "minProperties": 1, "maxProperties": 1, "properties": all, "additionalProperties": false})
}

/// Keys of every entry.
fn common() -> Value {
    json!({
        "as": of("name"),
        "at": one_or_more(&of("time")),
        "every": of("time"),
        "rate": {"type": "string", "pattern": "^[0-9]+ ?/.+$"},
        "from": of("time"),
        "until": of("time"),
        "times": of("count"),
        "over": of("time"),
    })
}

/// A target under its noun, singular or plural.
fn target(noun: &str, value: &Value) -> Value {
    json!({noun: value, format!("{noun}s"): value})
}

fn with(parts: &[Value]) -> Value {
    let mut all = json!({});
    for part in parts {
        merge(&mut all, part.clone());
    }
    all
}

fn verbs() -> Vec<(&'static str, Value)> {
    let brokers = target("broker", &of("brokers"));
    let topics = target("topic", &of("names"));
    let groups = target("group", &of("names"));
    let members = target("member", &of("names"));
    let partitions = target("partition", &of("partitions"));
    let how = json!({
        "rack": of("rack"), "to": of("version"), "unfence": of("times"), "catch_up": of("times"),
        "isr_deltas": of("isr-deltas"),
    });
    let renames = json!({"down": of("times"), "racks": {"type": "object", "additionalProperties": of("rack")}});
    let roll = json!({"gap": of("times"), "order": words(&["id", "by-rack", "drawn"])});
    let stays = json!({"for": of("times")});
    let place = json!({"partitions": of("counts"), "rf": of("count"), "replicas": of("replicas")});
    let subscribed = json!({"topics": of("subscription"), "pattern": {"type": "string"}});
    let join = json!({"rack": of("rack"), "static": {"type": "boolean"}});
    let isr = with(&[topics.clone(), partitions.clone(), brokers.clone()]);
    let whom = with(&[groups.clone(), members.clone()]);
    vec![
        ("roll", with(&[brokers.clone(), how.clone(), renames.clone(), roll])),
        ("restart", with(&[brokers.clone(), how.clone(), renames])),
        ("shutdown", with(&[brokers.clone(), stays.clone()])),
        ("crash", with(&[brokers.clone(), stays.clone()])),
        ("start", with(&[brokers.clone(), how.clone()])),
        ("unregister", brokers.clone()),
        ("add-broker", with(&[target("broker", &one_or_more(&json!({"type": "integer", "minimum": 0}))), how])),
        (
            "add-partitions",
            with(&[topics.clone(), json!({"by": of("counts"), "to": of("counts"), "replicas": of("replicas")})]),
        ),
        ("create-topic", with(&[topics.clone(), json!({"name": of("names"), "count": of("count")}), place.clone()])),
        ("delete-topic", topics.clone()),
        ("recreate-topic", with(&[topics.clone(), json!({"gap": of("time")}), place])),
        ("reassign", with(&[topics.clone(), partitions.clone(), reassign()])),
        ("set-rf", with(&[topics.clone(), partitions.clone(), json!({"rf": of("count"), "takes": of("times")})])),
        ("elect-leaders", with(&[topics.clone(), partitions.clone()])),
        ("touch", with(&[topics, partitions])),
        ("isr-shrink", isr.clone()),
        ("isr-expand", isr),
        ("snapshot-reload", json!({})),
        ("join", with(&[groups.clone(), target("member", &of("counts")), subscribed.clone(), join, stays.clone()])),
        ("leave", whom.clone()),
        ("kill", whom.clone()),
        ("restart-member", with(&[whom.clone(), stays])),
        ("subscribe", with(&[whom, subscribed])),
        ("move-coordinator", with(&[groups, brokers, shards()])),
    ]
}

fn reassign() -> Value {
    json!({
        "replicas": {"anyOf": [of("broker-list"), of("replicas")]},
        "moves": of("counts"),
        "within": words(&["rack", "any"]),
        "wave": of("count"),
        "pause": of("time"),
        "takes": of("times"),
    })
}

fn shards() -> Value {
    let shards = json!({"anyOf": [
        one_or_more(&json!({"type": "integer", "minimum": 0})),
        {"type": "string", "pattern": "^(all|any( [0-9]+)?)$"},
    ]});
    let mut keys = target("shard", &shards);
    merge(&mut keys, json!({"to": {"type": "integer", "minimum": 0}, "load": of("time")}));
    keys
}
