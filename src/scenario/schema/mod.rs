//! JSON Schema of the file language, for editors: which keys may stand where, and what their values
//! look like. Whether names exist and values fit together only the reader can tell; a test holds the
//! two to the same keys.

mod verbs;

use serde_json::{Map, Value, json};

use super::METRICS;
use super::read::{LABELS, SWITCHES, switch_words};
use super::strategies::StrategyKind;
use crate::kafka::Version;

/// The schema, draft 2020-12.
#[must_use]
pub fn schema() -> String {
    let mut root = object(top());
    let more = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "rebalance-sim scenario",
        "$defs": definitions(),
    });
    merge(&mut root, more);
    let mut text = serde_json::to_string_pretty(&root).expect("a value made of maps with text keys is JSON");
    text.push('\n');
    text
}

/// A map with these keys and no others.
fn object(properties: Value) -> Value {
    json!({"type": ["object", "null"], "properties": properties, "additionalProperties": false})
}

/// A map from names to these.
fn named(value: Value) -> Value {
    json!({"type": ["object", "null"], "additionalProperties": value})
}

fn any_of(of: &[Value]) -> Value {
    json!({ "anyOf": of })
}

/// A definition by its name.
fn of(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

fn one_or_more(value: &Value) -> Value {
    json!({"anyOf": [value, {"type": "array", "items": value}]})
}

fn words(words: &[&str]) -> Value {
    json!({ "enum": words })
}

fn merge(into: &mut Value, more: Value) {
    if let (Value::Object(into), Value::Object(more)) = (into, more) {
        into.extend(more);
    }
}

fn top() -> Value {
    json!({
        "base": {"type": "string", "description": "Another scenario: maps merge, lists replace."},
        "seed": {"type": "integer", "minimum": 0, "description": "Seed of every draw (1)."},
        "runs": {"type": "integer", "minimum": 1, "description": "So many histories (1)."},
        "duration": described("time", "A run is [0, duration); default: the last effect and 10 minutes."),
        "warmup": described("time", "Counts begin here (0s)."),
        "bucket": described("time", "Width of a row of timeline.csv (duration / 60)."),
        "cluster": object(cluster()),
        "brokers": brokers(),
        "topics": named(any_of(&[of("count"), object(topic())])),
        "groups": named(any_of(&[of("count"), object(group())])),
        "history": {"anyOf": [
            {"type": "null"},
            {"type": "array", "items": of("entry")},
            object(json!({
                "from": {"type": "string", "description": "A file of what happened: a metadata log, or JSON Lines."},
                "since": {"anyOf": [of("time"), {"type": "integer"}], "description": "Time 0 of a log."},
                "gap": described("time", "Batches less than this apart are one image (0s)."),
                "also": {"type": ["array", "null"], "items": of("entry"), "description": "What members did besides."},
            })),
        ]},
        "strategies": {"type": "array", "minItems": 1, "items": strategy()},
        "sweep": {"type": ["object", "null"], "properties": {"zip": named(axis())}, "additionalProperties": axis(),
            "description": "Axes, crossed with each other; those under zip: go in step."},
        "expect": {"type": ["array", "string", "null"], "items": {"type": "string"},
            "description": "metric[strategy, filters] op expression, a line each."},
        "baseline": {"type": "array", "items": any_of(&[words(&METRICS), held()]),
            "description": "Columns that `check` holds, exactly or within a tolerance."},
    })
}

/// Values of an axis: a list, or a range with its step.
fn axis() -> Value {
    any_of(&[json!({"type": "array", "minItems": 1}), json!({"type": "string"})])
}

/// A column with its tolerance.
fn held() -> Value {
    let tolerance = json!({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]+ ?%$"}]});
    let columns: Map<String, Value> = METRICS.iter().map(|name| ((*name).to_owned(), tolerance.clone())).collect();
    json!({"type": "object", "properties": columns, "additionalProperties": false,
        "minProperties": 1, "maxProperties": 1})
}

fn described(name: &str, text: &str) -> Value {
    let mut value = of(name);
    merge(&mut value, json!({ "description": text }));
    value
}

fn cluster() -> Value {
    json!({
        "version": of("version"),
        "racks": of("racks"),
        "metadata_lag": of("times"),
        "session": of("time"),
        "coordinators": words(&["brokers", "apart"]),
        "offsets_partitions": of("count"),
        "load_time": of("time-or-word"),
        "leader_rebalance": of("time-or-off"),
        "retention": of("time"),
        "message_max_bytes": of("count"),
        "share_init": of("time"),
        "assignment_interval": {"anyOf": [of("time"), {"type": "null"}]},
        "initial_delay": of("time"),
        "start": object(json!({
            "unfence": of("times"),
            "catch_up": of("times"),
            "isr_deltas": of("isr-deltas"),
        })),
    })
}

fn brokers() -> Value {
    let broker =
        any_of(&[of("count"), object(json!({"rack": of("rack"), "version": of("version"), "count": of("count")}))]);
    json!({"anyOf": [
        broker,
        {"type": "array", "items": broker},
        {"type": "object", "patternProperties": {"^[0-9]+$": broker}, "additionalProperties": false},
    ]})
}

fn topic() -> Value {
    json!({
        "count": of("count"),
        "partitions": of("counts"),
        "rf": of("count"),
        "replicas": of("replicas"),
        "id": {"type": "string"},
    })
}

fn group() -> Value {
    let member = any_of(&[
        of("count"),
        object(json!({
            "topics": of("subscription"),
            "pattern": {"type": "string"},
            "rack": of("rack"),
            "static": {"type": "boolean"},
            "phase": of("phase"),
            "count": of("count"),
            "join": of("time"),
        })),
    ]);
    json!({
        "count": of("count"),
        "members": {"anyOf": [of("counts"), {"type": "object", "additionalProperties": member}]},
        "topics": of("subscription"),
        "pattern": {"type": "string", "description": "RE2, matched against whole topic names."},
        "heartbeat": of("times"),
        "session": of("times"),
        "phase": of("phase"),
        "static": {"type": "boolean"},
        "rack_aware": {"type": "boolean"},
        "patience": {"anyOf": [of("time"), {"type": "null"}]},
        "protocol": words(&["consumer", "share", "streams"]),
        "internal": {"type": "array", "items": {"type": "string", "pattern": "-(repartition|changelog)$"},
            "description": "A streams group's own topics, without the group's name: counts-changelog."},
        "assignor": words(&["none", "range", "uniform", "rack-first"]),
        "start": words(&["standing", "empty"]),
        "stored": words(&["fresh", "absent"]),
        "epoch": of("count"),
        "racks": of("racks"),
    })
}

fn strategy() -> Value {
    let kinds = StrategyKind::ALL.map(StrategyKind::name);
    let known: Vec<&str> = kinds.into_iter().chain(LABELS).collect();
    let mut keys = Map::new();
    keys.insert("as".to_owned(), of("name"));
    keys.insert("like".to_owned(), words(&known));
    for switch in SWITCHES {
        let value = match switch {
            "refresh_interval" | "metadata_age" => of("time"),
            "regex_refresh" => of("time-or-off"),
            "include_topic_id" => json!({"type": "boolean"}),
            other => json!({ "enum": switch_words(other) }),
        };
        keys.insert(switch.to_owned(), value);
    }
    let mut own = object(Value::Object(keys));
    merge(&mut own, json!({"type": "object", "required": ["like"]}));
    any_of(&[words(&known), own])
}

fn definitions() -> Value {
    const TIME: &str = "[0-9]+(ms|s|m|h|d|w)( ?[0-9]+(ms|s|m|h|d|w))*";
    let whole = json!({"type": "integer", "minimum": 0});
    let mut all = json!({
        "count": {"type": "integer", "minimum": 0},
        "counts": {"anyOf": [whole, {"type": "string", "pattern": "^[0-9]+ ?\\.\\. ?[0-9]+$"}]},
        "time": {"type": "string", "pattern": format!("^{TIME}$"), "description": "A number and a unit: 500ms 90s 5m 24h 7d."},
        "times": {"type": "string", "pattern": format!("^{TIME}( ?\\.\\. ?{TIME})?$"), "description": "A time, or `a..b`, drawn."},
        "time-or-off": {"type": ["string", "boolean"], "pattern": format!("^({TIME}|off)$")},
        "time-or-word": {"type": "string", "pattern": format!("^({TIME}|auto)$")},
        "name": {"type": "string", "pattern": "^[^\\s,\\[\\]{}=*?|]+$"},
        "rack": {"anyOf": [of("name"), {"type": "null"}]},
        "racks": {"type": "array", "items": of("rack")},
        "version": words(&Version::ALL.map(Version::name)),
        "isr-deltas": {"anyOf": [{"type": "integer", "minimum": 1}, words(&["per-leader"])]},
        "phase": {"anyOf": [of("times"), words(&["drawn"]), {"type": "array", "items": of("time"), "minItems": 1}]},
        "broker-list": {"type": "array", "items": whole, "minItems": 1},
        "replicas": {"anyOf": [
            {"type": "array", "items": of("broker-list"), "minItems": 1},
            {"type": "object", "patternProperties": {"^[0-9]+$": of("broker-list")}, "additionalProperties": false},
        ]},
        "subscription": {"anyOf": [whole, {"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
        "brokers": {"anyOf": [
            one_or_more(&whole),
            {"type": "string", "pattern": "^(all|any( .+)?|.+ of .+)$"},
            {"type": "object", "properties": {"rack": of("rack")}, "required": ["rack"], "additionalProperties": false},
        ]},
        "names": one_or_more(&json!({"type": "string"})),
        "partitions": {"anyOf": [one_or_more(&whole), words(&["all"])]},
    });
    merge(&mut all, json!({ "entry": verbs::entry() }));
    all
}
