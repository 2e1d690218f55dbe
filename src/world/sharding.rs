//! Coordinator shards: who leads each, when it answers, and how long it loads (model: K.4).

use crate::kafka::{BrokerId, EntryIndex, ShardId};
use crate::scenario::LoadTime;
use crate::sim::Ms;

use super::draws::count32;
use super::history::{Happening, ShardLine, Step};

/// Records that a coordinator loads in a millisecond: 4.5 million a second.
const RECORDS_PER_MS: u64 = 4500;

/// What a shard does that lanes must know of.
pub(super) type Told = (Step, EntryIndex, Happening);

/// All shards.
#[derive(Debug)]
pub(super) struct Shards {
    states: Vec<Shard>,
    load_time: LoadTime,
    /// Brokers whose process has ended without a word, by id.
    silent: Vec<bool>,
}

#[derive(Debug, Default)]
struct Shard {
    line: ShardLine,
    leader: Option<BrokerId>,
    down_since: Option<Ms>,
    /// The load under way, by number: a later one makes an earlier one void.
    load: u32,
    /// When it last began to answer.
    up_since: Ms,
    /// Records in its log, as the history alone counts them.
    records: u64,
}

/// A load that is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Load {
    pub(super) shard: ShardId,
    pub(super) number: u32,
    pub(super) took: Ms,
    pub(super) entry: EntryIndex,
}

impl Shards {
    /// All up at time 0. `leaders` is empty where shards live on no broker.
    pub(super) fn new(count: u32, leaders: &[Option<BrokerId>], load_time: LoadTime) -> Shards {
        let mut states: Vec<Shard> = Vec::new();
        states.resize_with(count as usize, Shard::default);
        for (state, leader) in states.iter_mut().zip(leaders) {
            state.leader = *leader;
            state.line.leaders.push((Ms::ZERO, *leader));
        }
        Shards { states, load_time, silent: Vec::new() }
    }

    /// Does it answer now?
    pub(super) fn is_up(&self, shard: ShardId) -> bool {
        self.states[shard.index()].down_since.is_none()
    }

    /// Since when it answers, if it does.
    pub(super) fn up_since(&self, shard: ShardId) -> Ms {
        self.states[shard.index()].up_since
    }

    /// Counts records that the history puts in its log.
    pub(super) fn write(&mut self, shard: ShardId, records: u64) {
        self.states[shard.index()].records += records;
    }

    /// A broker's process ends without a word, and with it every shard that it leads; or it runs again.
    pub(super) fn silence(&mut self, at: Ms, broker: BrokerId, silent: bool, entry: EntryIndex, told: &mut Vec<Told>) {
        if self.silent.len() <= broker.index() {
            self.silent.resize(broker.index() + 1, false);
        }
        self.silent[broker.index()] = silent;
        if silent {
            for index in 0..self.states.len() {
                if self.states[index].leader == Some(broker) {
                    self.states[index].load += 1;
                    self.down(at, ShardId(count32(index)), entry, told);
                }
            }
        }
    }

    fn down(&mut self, at: Ms, shard: ShardId, entry: EntryIndex, told: &mut Vec<Told>) {
        let state = &mut self.states[shard.index()];
        if state.down_since.is_none() {
            state.down_since = Some(at);
            told.push((Step::Failover, entry, Happening::ShardDown(shard)));
        }
    }

    /// A shard moves to a broker, or to none; or, where shards live on no broker, only fails over. Gives the load
    /// that it begins, if it does; one of no time is over already.
    pub(super) fn fail_over(
        &mut self,
        at: Ms,
        shard: ShardId,
        leader: Option<BrokerId>,
        load: Option<Ms>,
        entry: EntryIndex,
        told: &mut Vec<Told>,
    ) -> Option<Load> {
        self.down(at, shard, entry, told);
        let took = load.unwrap_or_else(|| self.load_time(shard));
        let state = &mut self.states[shard.index()];
        state.load += 1;
        if let Some((_, last)) = state.line.leaders.last() {
            if *last != leader {
                state.line.leaders.push((at, leader));
            }
            state.leader = leader;
            let answers = leader.is_some_and(|b| !self.silent.get(b.index()).copied().unwrap_or(false));
            if !answers {
                return None;
            }
        }
        let load = Load { shard, number: self.states[shard.index()].load, took, entry };
        if took == Ms::ZERO {
            self.load_ends(at, load, Step::Failover, told);
        }
        Some(load)
    }

    /// A load ends, unless another has begun since. Does the shard answer from now on?
    pub(super) fn load_ends(&mut self, at: Ms, load: Load, step: Step, told: &mut Vec<Told>) -> bool {
        let state = &mut self.states[load.shard.index()];
        let Some(since) = state.down_since.filter(|_| state.load == load.number) else {
            return false;
        };
        state.line.down.push((since, at));
        (state.down_since, state.up_since) = (None, at);
        told.push((step, load.entry, Happening::ShardUp { shard: load.shard, load: load.took }));
        true
    }

    fn load_time(&self, shard: ShardId) -> Ms {
        match self.load_time {
            LoadTime::Fixed(time) => time,
            LoadTime::Auto => Ms(self.states[shard.index()].records.div_ceil(RECORDS_PER_MS)),
        }
    }

    /// When each answered, at the end of the run.
    pub(super) fn into_lines(self) -> Vec<ShardLine> {
        let finish = |mut state: Shard| {
            state.line.down.extend(state.down_since.map(|since| (since, Ms::NEVER)));
            state.line
        };
        self.states.into_iter().map(finish).collect()
    }
}
