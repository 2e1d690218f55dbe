//! A history, made from a scenario and a run's number: first what happens to the cluster, then when coordinators
//! hear of it, then what members do; at the end everything gets its dense id.

use crate::scenario::{LogWindow, Scenario};
use crate::sim::Chance;

use super::arrivals::{Arrivals, arrive};
use super::cluster::{self, ClusterHistory};
use super::dictionary::Dictionary;
use super::error::WorldError;
use super::fingerprint;
use super::finish::Finish;
use super::groups::Groups;
use super::history::{Happening, History, Step};
use super::notes::Notes;
use super::recorded::{self, Played, Recorded, RecordedError};
use super::roster::Roster;
use super::sharding::Shards;

/// Makes the history of one run of a scenario. Runs are numbered from 1.
///
/// # Errors
/// Where an entry names something that cannot take part at its instant, and the scenario alone decides that.
pub fn make(scenario: &Scenario, run: u32) -> Result<History, WorldError> {
    let chance = Chance::new(scenario.seed, run);
    let dictionary = Dictionary::new(scenario);
    let (cluster, notes) = cluster::run(scenario, chance, &dictionary)?;
    with_members(scenario, chance, &dictionary, cluster, notes, &[])
}

/// Makes the history of one run (from 1) of which a metadata log says what happened to the cluster. `also:` entries of the
/// scenario and its groups are the members' part.
///
/// # Errors
/// Where the log contradicts itself or the scenario, or an entry names something that cannot take part at its instant.
pub fn make_recorded(
    scenario: &Scenario,
    run: u32,
    recorded: &Recorded,
    window: LogWindow,
) -> Result<History, MakeError> {
    let chance = Chance::new(scenario.seed, run);
    let (topics, racks) = (recorded.topics(), recorded.racks());
    let dictionary = Dictionary::beside(scenario, topics.into_iter(), racks.into_iter());
    let Played { cluster, entries } = recorded::play(recorded, scenario, window, &dictionary)?;
    let mut history = with_members(scenario, chance, &dictionary, cluster, Notes::default(), &entries)?;
    history.notes.extend(recorded.notes());
    Ok(history)
}

/// Why a history over a log cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// The log's own fault.
    #[error(transparent)]
    Log(#[from] RecordedError),
    /// The scenario's.
    #[error(transparent)]
    World(#[from] WorldError),
}

/// Once it is known what happens to the cluster: when coordinators hear of it, and what members do. `more` are names of
/// entries that the scenario does not have.
fn with_members(
    scenario: &Scenario,
    chance: Chance,
    dictionary: &Dictionary,
    cluster: ClusterHistory,
    mut notes: Notes,
    more: &[String],
) -> Result<History, WorldError> {
    let exists = cluster.start.topics.iter().map(Option::is_some).collect();
    let lag = scenario.cluster.metadata_lag;
    let Arrivals { deltas, mut moves } = arrive(cluster.published, lag, &chance, scenario.duration, exists);
    moves.extend(cluster.apart);
    moves.sort_by_key(|(at, _)| *at);

    let roster = Roster::new(scenario, &chance, dictionary)?;
    let settings = &scenario.cluster;
    let shards = Shards::new(settings.offsets_partitions, &cluster.leaders, settings.load_time);
    let mut groups = Groups::new(scenario, chance, dictionary, roster, shards);
    groups.run(&cluster.silences, &moves)?;
    notes.absorb(std::mem::take(&mut groups.notes));

    for (index, arrival) in (0u32..).zip(&deltas) {
        let brokers = arrival.delta.brokers.iter().map(|change| change.entry);
        let entry = arrival.delta.topics.iter().map(|change| change.entry).chain(brokers).min();
        groups.tell(arrival.at, Step::Delta, entry, Happening::Delta(index));
    }
    let mut history = Finish::of(groups).history(dictionary)?;
    history.names.entries.extend_from_slice(more);
    history.start = cluster.start;
    history.releases = cluster.releases;
    history.deltas = deltas;
    history.notes = notes.lines();
    history.id = fingerprint::of(&history);
    Ok(history)
}
