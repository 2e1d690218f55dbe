//! What a record of the metadata log says.

use serde::Deserialize;
use serde_json::Value;

use crate::kafka::{BrokerId, Replicas, Uuid, Version};

/// A record that coordinators, or their shards, depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Record {
    Register {
        broker: BrokerId,
        rack: Option<String>,
        version: Option<Version>,
        fenced: bool,
    },
    Unregister {
        broker: BrokerId,
    },
    Fence {
        broker: BrokerId,
    },
    Unfence {
        broker: BrokerId,
    },
    /// A controlled shutdown has begun: it leads nothing any more, and is fenced later.
    ShutsDown {
        broker: BrokerId,
    },
    Topic {
        name: String,
        id: Uuid,
    },
    RemoveTopic {
        id: Uuid,
    },
    Partition {
        topic: Uuid,
        number: u32,
        replicas: Replicas,
        isr: Replicas,
        leader: Option<BrokerId>,
        adding: Replicas,
        removing: Replicas,
    },
    /// `None`: as before.
    PartitionChange {
        topic: Uuid,
        number: u32,
        replicas: Option<Replicas>,
        isr: Option<Replicas>,
        leader: Option<Option<BrokerId>>,
        adding: Option<Replicas>,
        removing: Option<Replicas>,
    },
}

/// What a record is to a history.
pub(super) enum Meaning {
    Matters(Record),
    /// A metadata transaction begins, ends, or is taken back.
    Begins,
    Ends,
    Aborts,
    /// No coordinator's trigger reads it.
    DoesNotMatter,
    /// Nobody here knows this type.
    Unknown(String),
}

/// Types that change nothing that a trigger reads.
const DO_NOT_MATTER: [&str; 18] = [
    "ACCESS_CONTROL_ENTRY_RECORD",
    "BROKER_FENCING_RECORD",
    "CLEAR_ELR_RECORD",
    "CLIENT_QUOTA_RECORD",
    "CONFIG_RECORD",
    "DELEGATION_TOKEN_RECORD",
    "FEATURE_LEVEL_RECORD",
    "NO_OP_RECORD",
    "PRODUCER_IDS_RECORD",
    "REGISTER_CONTROLLER_RECORD",
    "REMOVE_ACCESS_CONTROL_ENTRY_RECORD",
    "REMOVE_DELEGATION_TOKEN_RECORD",
    "REMOVE_FEATURE_LEVEL_RECORD",
    "REMOVE_USER_SCRAM_CREDENTIAL_RECORD",
    "USER_SCRAM_CREDENTIAL_RECORD",
    "ZK_MIGRATION_RECORD",
    "ZK_MIGRATION_STATE_RECORD",
    "KRAFT_VERSION_RECORD",
];

/// A leader that is none, and one that stays.
const NO_LEADER: i64 = -1;
const SAME_LEADER: i64 = -2;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Registration {
    broker_id: u32,
    #[serde(default)]
    rack: Option<String>,
    #[serde(default)]
    features: Vec<Feature>,
    #[serde(default = "yes")]
    fenced: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feature {
    name: String,
    #[serde(default)]
    max_supported_version: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OneBroker {
    #[serde(alias = "id")]
    broker_id: u32,
    #[serde(default)]
    fenced: i8,
    #[serde(default)]
    in_controlled_shutdown: i8,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OneTopic {
    #[serde(default)]
    name: String,
    topic_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OnePartition {
    partition_id: u32,
    topic_id: String,
    #[serde(default)]
    replicas: Option<Vec<u32>>,
    #[serde(default)]
    isr: Option<Vec<u32>>,
    #[serde(default)]
    adding_replicas: Option<Vec<u32>>,
    #[serde(default)]
    removing_replicas: Option<Vec<u32>>,
    #[serde(default)]
    leader: Option<i64>,
}

const fn yes() -> bool {
    true
}

/// What a decoded record is; or what is wrong with it.
pub(super) fn meaning(value: &Value) -> Result<Meaning, String> {
    let kind = value.get("type").and_then(Value::as_str).ok_or("this record has no type")?;
    let data = value.get("data").ok_or_else(|| format!("this {kind} has no data"))?;
    let record = match kind {
        "REGISTER_BROKER_RECORD" => {
            let said: Registration = fields(kind, data)?;
            let level = said.features.iter().find(|f| f.name == "metadata.version").map(|f| f.max_supported_version);
            let (broker, version) = (BrokerId(said.broker_id), level.map(release));
            Record::Register { broker, rack: said.rack, version, fenced: said.fenced }
        }
        "UNREGISTER_BROKER_RECORD" => Record::Unregister { broker: broker(kind, data)? },
        "FENCE_BROKER_RECORD" => Record::Fence { broker: broker(kind, data)? },
        "UNFENCE_BROKER_RECORD" => Record::Unfence { broker: broker(kind, data)? },
        "BROKER_REGISTRATION_CHANGE_RECORD" => {
            let said: OneBroker = fields(kind, data)?;
            let broker = BrokerId(said.broker_id);
            match (said.fenced, said.in_controlled_shutdown) {
                (1, _) => Record::Fence { broker },
                (-1, _) => Record::Unfence { broker },
                (_, 1) => Record::ShutsDown { broker },
                // its directories or its log's end
                (_, _) => return Ok(Meaning::DoesNotMatter),
            }
        }
        "TOPIC_RECORD" => {
            let said: OneTopic = fields(kind, data)?;
            Record::Topic { id: id(&said.topic_id)?, name: said.name }
        }
        "REMOVE_TOPIC_RECORD" => {
            let said: OneTopic = fields(kind, data)?;
            Record::RemoveTopic { id: id(&said.topic_id)? }
        }
        "PARTITION_RECORD" => {
            let said: OnePartition = fields(kind, data)?;
            Record::Partition {
                topic: id(&said.topic_id)?,
                number: said.partition_id,
                replicas: list(said.replicas.unwrap_or_default()),
                isr: list(said.isr.unwrap_or_default()),
                leader: leader(said.leader.unwrap_or(NO_LEADER))?,
                adding: list(said.adding_replicas.unwrap_or_default()),
                removing: list(said.removing_replicas.unwrap_or_default()),
            }
        }
        "PARTITION_CHANGE_RECORD" => {
            let said: OnePartition = fields(kind, data)?;
            Record::PartitionChange {
                topic: id(&said.topic_id)?,
                number: said.partition_id,
                replicas: said.replicas.map(list),
                isr: said.isr.map(list),
                leader: said.leader.filter(|l| *l != SAME_LEADER).map(leader).transpose()?,
                adding: said.adding_replicas.map(list),
                removing: said.removing_replicas.map(list),
            }
        }
        "BEGIN_TRANSACTION_RECORD" => return Ok(Meaning::Begins),
        "END_TRANSACTION_RECORD" => return Ok(Meaning::Ends),
        "ABORT_TRANSACTION_RECORD" => return Ok(Meaning::Aborts),
        other if DO_NOT_MATTER.contains(&other) => return Ok(Meaning::DoesNotMatter),
        other => return Ok(Meaning::Unknown(other.to_owned())),
    };
    Ok(Meaning::Matters(record))
}

fn fields<'v, T: Deserialize<'v>>(kind: &str, data: &'v Value) -> Result<T, String> {
    T::deserialize(data).map_err(|error| format!("this {kind} cannot be read: {error}"))
}

fn broker(kind: &str, data: &Value) -> Result<BrokerId, String> {
    let said: OneBroker = fields(kind, data)?;
    Ok(BrokerId(said.broker_id))
}

fn id(text: &str) -> Result<Uuid, String> {
    Uuid::read(text).ok_or_else(|| format!("`{text}` is no topic id"))
}

fn list(ids: Vec<u32>) -> Replicas {
    ids.into_iter().map(BrokerId).collect()
}

fn leader(id: i64) -> Result<Option<BrokerId>, String> {
    match u32::try_from(id) {
        Ok(broker) => Ok(Some(BrokerId(broker))),
        Err(_) if id == NO_LEADER => Ok(None),
        Err(_) => Err(format!("there is no broker {id} to lead")),
    }
}

/// The release whose greatest `metadata.version` this is: 3.9-IV0 is 21, 4.0-IV3 25, 4.1-IV1 27, 4.2-IV1 29, 4.3-IV0 30.
const fn release(level: i64) -> Version {
    match level {
        ..=21 => Version::Kafka3_9,
        22..=25 => Version::Kafka4_0,
        26..=27 => Version::Kafka4_1,
        28..=29 => Version::Kafka4_2,
        _ => Version::Kafka4_3,
    }
}
