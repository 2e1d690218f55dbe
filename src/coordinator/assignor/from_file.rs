//! The group that a file of the verb `assign` describes, as assignors read it.

use crate::scenario::{AssignFile, AssignMember, AssignTopic};

use super::{AssignError, Input, Member, Place, Topic};

impl Input {
    /// The group of a file.
    ///
    /// # Errors
    /// As [`Input::new`]; what the reader of files lets through has none.
    pub fn of(file: &AssignFile) -> Result<Input, AssignError> {
        Input::new(file.members.iter().map(member).collect(), file.topics.iter().map(topic).collect())
    }
}

fn topic(topic: &AssignTopic) -> Topic {
    let places = topic.partitions.iter();
    Topic {
        name: topic.name.clone(),
        id: topic.id.unwrap_or_default(),
        partitions: places.map(|p| Place { leader: p.leader.0, racks: p.racks.clone() }).collect(),
    }
}

fn member(member: &AssignMember) -> Member {
    let owned = member.owns.iter();
    Member {
        id: member.name.clone(),
        instance: member.is_static.then(|| member.name.clone()),
        rack: member.rack.clone(),
        topics: member.topics.iter().cloned().collect(),
        threads: 1,
        threads_of: member.threads.clone(),
        owned: owned.flat_map(|(topic, list)| list.iter().map(|&p| (topic.clone(), p as usize))).collect(),
        generation: i32::try_from(member.generation).unwrap_or(i32::MAX),
    }
}
