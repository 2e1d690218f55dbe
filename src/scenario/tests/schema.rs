//! The schema takes every scenario that the reader takes, and knows the same keys.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::super::diagnostics::Problems;
use super::super::yaml::{Kind, Node, parse};
use super::*;

/// As an editor sees it: YAML's own types.
fn json(node: &Node) -> Value {
    match &node.kind {
        _ if node.is_null() => Value::Null,
        Kind::Scalar { text, plain: true } if text.parse::<u64>().is_ok() => Value::from(text.parse::<u64>().unwrap()),
        Kind::Scalar { text, plain: true } if text == "true" || text == "false" => Value::Bool(text == "true"),
        Kind::Scalar { text, .. } => Value::from(text.as_str()),
        Kind::List(items) => Value::Array(items.iter().map(json).collect()),
        Kind::Map(entries) => {
            Value::Object(entries.iter().map(|(key, value)| (key.text.clone(), json(value))).collect())
        }
    }
}

fn document(text: &str) -> Value {
    json(&parse(text, 0, &mut Problems::default()).unwrap())
}

/// As much of a validator as the schema needs; what it does not know it refuses to pass.
fn valid(root: &Value, schema: &Value, value: &Value) -> bool {
    let rules = schema.as_object().unwrap();
    rules.iter().all(|(rule, of)| match rule.as_str() {
        "$ref" => valid(root, &root["$defs"][of.as_str().unwrap().strip_prefix("#/$defs/").unwrap()], value),
        "anyOf" => of.as_array().unwrap().iter().any(|schema| valid(root, schema, value)),
        "enum" => of.as_array().unwrap().contains(value),
        "type" => match of {
            Value::Array(types) => types.iter().any(|of| is(value, of)),
            one => is(value, one),
        },
        "minimum" => value.as_u64().is_none_or(|n| n >= of.as_u64().unwrap()),
        "pattern" => value.as_str().is_none_or(|text| regex::Regex::new(of.as_str().unwrap()).unwrap().is_match(text)),
        "items" => value.as_array().is_none_or(|items| items.iter().all(|item| valid(root, of, item))),
        "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= of.as_u64().unwrap()),
        "minProperties" => value.as_object().is_none_or(|map| map.len() as u64 >= of.as_u64().unwrap()),
        "maxProperties" => value.as_object().is_none_or(|map| map.len() as u64 <= of.as_u64().unwrap()),
        "required" => value
            .as_object()
            .is_none_or(|map| of.as_array().unwrap().iter().all(|k| map.contains_key(k.as_str().unwrap()))),
        "properties" | "patternProperties" => true,
        "additionalProperties" => {
            value.as_object().is_none_or(|map| map.iter().all(|(key, value)| property(root, rules, key, value)))
        }
        "$schema" | "title" | "$defs" | "description" => true,
        other => panic!("a rule that the test does not know: {other}"),
    }) && (rules.contains_key("additionalProperties") || !rules.contains_key("properties"))
}

fn property(root: &Value, rules: &Map<String, Value>, key: &str, value: &Value) -> bool {
    if let Some(schema) = rules.get("properties").and_then(|all| all.get(key)) {
        return valid(root, schema, value);
    }
    let patterns = rules.get("patternProperties").and_then(Value::as_object);
    let fitting =
        patterns.and_then(|all| all.iter().find(|(pattern, _)| regex::Regex::new(pattern).unwrap().is_match(key)));
    match (fitting, &rules["additionalProperties"]) {
        (Some((_, schema)), _) => valid(root, schema, value),
        (None, Value::Bool(open)) => *open,
        (None, schema) => valid(root, schema, value),
    }
}

fn is(value: &Value, of: &Value) -> bool {
    match of.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{other}"),
    }
}

fn root() -> Value {
    serde_json::from_str(&schema()).unwrap()
}

#[test]
fn every_example_and_its_printed_form_is_valid() {
    let root = root();
    let texts = [
        include_str!("saturday.yaml"),
        include_str!("zones.yaml"),
        include_str!("balancer.yaml"),
        include_str!("kip-table.yaml"),
        include_str!("mishaps.yaml"),
        include_str!("trigger.yaml"),
        include_str!("ci.yaml"),
        super::rules::EVERY_VERB,
        &template("t"),
    ];
    for text in texts {
        assert!(valid(&root, &root, &document(text)), "{text}");
        if !text.contains("base: ") {
            let resolved = loaded(text).resolved;
            assert!(valid(&root, &root, &document(&resolved)), "{resolved}");
        }
    }
    assert!(valid(&root, &root, &document(include_str!("rich.yaml"))));
}

#[test]
fn unknown_keys_and_wrong_types_are_not_valid() {
    let root = root();
    for text in [
        "sed: 1",
        "topics: {t: {partions: 3}}",
        "groups: {g: {heartbeat: 5}}",
        "groups: {g: {members: {m: {rak: a}}}}",
        "cluster: {start: {catchup: 1s}}",
        "brokers: {0: {rac: a}}",
        "history: [{rol: {at: 1m}}]",
        "history: [{roll: {at: 1m, fo: 1s}}]",
        "history: [{roll: {at: 1m}, crash: {at: 1m}}]",
        "strategies: [topic-hush]",
        "strategies: [{as: x}]",
        "baseline: [rebalance]",
        "baseline: [{rebalance: 5%}]",
        "baseline: [{missed: some}]",
    ] {
        assert!(!valid(&root, &root, &document(text)), "{text}");
    }
}

/// The keys that the reader knows in a place, as it lists them when it meets one that it has never heard of.
fn keys_of(text: &str) -> BTreeSet<String> {
    let short = wrong(text);
    let line = short.lines().find(|line| line.contains("has no key `zzzzzzzzqq`")).unwrap_or_else(|| panic!("{short}"));
    let (_, list) = line.split_once("may be here: ").unwrap();
    list.split(", ").map(str::to_owned).collect()
}

fn keys_in(schema: &Value) -> BTreeSet<String> {
    schema["properties"].as_object().unwrap().keys().cloned().collect()
}

#[test]
fn the_schema_knows_the_keys_that_the_reader_knows() {
    let root = root();
    let of = |text: &str| keys_of(&format!("{text}\n"));
    assert_eq!(of("zzzzzzzzqq: 1"), keys_in(&root));
    let top = &root["properties"];
    assert_eq!(of("cluster: {zzzzzzzzqq: 1}"), keys_in(&top["cluster"]));
    assert_eq!(of("cluster: {start: {zzzzzzzzqq: 1}}"), keys_in(&top["cluster"]["properties"]["start"]));
    assert_eq!(of("brokers: [{zzzzzzzzqq: 1}]"), keys_in(&top["brokers"]["anyOf"][0]["anyOf"][1]));
    assert_eq!(of("topics: {t: {zzzzzzzzqq: 1}}"), keys_in(&top["topics"]["additionalProperties"]["anyOf"][1]));
    let group = &top["groups"]["additionalProperties"]["anyOf"][1];
    assert_eq!(of("groups: {g: {zzzzzzzzqq: 1}}"), keys_in(group));
    let member = &group["properties"]["members"]["anyOf"][1]["additionalProperties"]["anyOf"][1];
    assert_eq!(of("groups: {g: {members: {m: {zzzzzzzzqq: 1}}}}"), keys_in(member));
    let strategies = &top["strategies"]["items"]["anyOf"][1];
    // each strategy knows its own switches: together they are all
    let mut switches = BTreeSet::new();
    for like in StrategyKind::ALL.map(StrategyKind::name).into_iter().chain(["classic-client"]) {
        switches.extend(of(&format!("strategies: [{{as: x, like: {like}, zzzzzzzzqq: 1}}]")));
    }
    assert_eq!(switches, keys_in(strategies));
    for (verb, schema) in root["$defs"]["entry"]["properties"].as_object().unwrap() {
        // `moves` or `replicas`, one of two ways, so that both lists come out
        let mut keys = of(&format!("history: [{{{verb}: {{at: 1m, zzzzzzzzqq: 1}}}}]"));
        if verb == "reassign" {
            keys.extend(of("history: [{reassign: {at: 1m, replicas: [1], zzzzzzzzqq: 1}}]"));
        }
        if verb == "add-partitions" {
            keys.extend(of("history: [{add-partitions: {at: 1m, to: 9, zzzzzzzzqq: 1}}]"));
        }
        assert_eq!(keys, keys_in(schema), "{verb}");
    }
}
