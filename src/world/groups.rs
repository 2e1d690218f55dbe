//! The groups' part of a history: members and shards, run through the event calendar once the cluster's part is
//! known. What a member does depends on whether its shard answers; nothing of it depends on a strategy.

use std::rc::Rc;

use crate::kafka::{EntryIndex, GroupId};
use crate::scenario::{Scenario, When};
use crate::sim::{Calendar, Chance, Ms};

use super::cluster::Silence;
use super::dictionary::Dictionary;
use super::error::WorldError;
use super::history::{Event, Happening, Presence, RefusedOperation, Step};
use super::instant::ShardMove;
use super::notes::{Notes, Occurrence};
use super::roster::Roster;
use super::sharding::{Load, Shards, Told};
use super::whens::{Process, spread};

/// Most things that may happen to members and shards in one run.
const ACTS_MAX: u64 = 500_000_000;

/// Something that is to happen to members or shards.
#[derive(Clone, Debug)]
pub(super) enum Act {
    LoadEnd(Load),
    Silence(Silence),
    Move(ShardMove),
    Expire {
        record: u32,
    },
    LookAtEmpty {
        group: GroupId,
        since: Ms,
    },
    FirstJoin {
        slot: u32,
    },
    Occur {
        process: usize,
        number: u64,
    },
    Apply {
        occurrence: Rc<Occurrence>,
        whom: super::member_entries::Whom,
    },
    /// A slot goes on with what it has begun, if it has begun nothing else since.
    GoOn {
        slot: u32,
        turn: u32,
        what: Next,
        entry: Option<EntryIndex>,
    },
}

/// How a slot goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It leaves.
    Leave,
    /// It joins under a new id.
    Rejoin,
    /// It comes back under its instance id.
    ComeBack,
    /// Its next heartbeat carries what was refused: by number, since a later change replaces an earlier one.
    Carry(u32),
}

/// Members and shards while their history is made.
pub(super) struct Groups<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) chance: Chance,
    pub(super) dictionary: &'a Dictionary<'a>,
    pub(super) roster: Roster,
    pub(super) shards: Shards,
    /// Records of members that are in their group in silence, by shard.
    pub(super) silent: Vec<Vec<u32>>,
    pub(super) events: Vec<Event>,
    pub(super) presences: Vec<Presence>,
    pub(super) refused: Vec<RefusedOperation>,
    pub(super) notes: Notes,
    calendar: Calendar<(Ms, Step, u32), Act>,
    processes: Vec<(EntryIndex, Process)>,
}

impl<'a> Groups<'a> {
    /// Everybody at time 0, with nothing on the calendar yet.
    pub(super) fn new(
        scenario: &'a Scenario,
        chance: Chance,
        dictionary: &'a Dictionary<'a>,
        roster: Roster,
        mut shards: Shards,
    ) -> Groups<'a> {
        for group in roster.groups.iter().filter(|g| g.members > 0) {
            // one epoch record, and each member's own
            shards.write(group.shard, 1 + u64::from(group.members));
        }
        let silent = vec![Vec::new(); scenario.cluster.offsets_partitions as usize];
        Groups {
            scenario,
            chance,
            dictionary,
            roster,
            shards,
            silent,
            events: Vec::new(),
            presences: Vec::new(),
            refused: Vec::new(),
            notes: Notes::default(),
            calendar: Calendar::new(),
            processes: Vec::new(),
        }
    }

    /// Runs everything to the end.
    pub(super) fn run(&mut self, silences: &[Silence], moves: &[(Ms, ShardMove)]) -> Result<(), WorldError> {
        for silence in silences {
            self.plan(silence.at, Step::Failover, 0, Act::Silence(*silence));
        }
        for (at, shard) in moves {
            self.plan(*at, Step::Failover, 1, Act::Move(*shard));
        }
        for join in std::mem::take(&mut self.roster.joins) {
            self.plan(join.at, Step::Member, 0, Act::FirstJoin { slot: join.slot });
        }
        self.begin_entries()?;
        while let Some(((at, step, _), act)) = self.calendar.take() {
            if self.calendar.ever() > ACTS_MAX {
                let message = format!("more than {ACTS_MAX} things happen to members: shorten the run");
                return Err(WorldError { entry: None, at, message });
            }
            self.perform(at, step, act)?;
        }
        self.end();
        Ok(())
    }

    /// Puts something on the calendar; what comes after the end of the run never happens.
    pub(super) fn plan(&mut self, at: Ms, step: Step, order: u32, act: Act) {
        if at < self.scenario.duration {
            self.calendar.put((at, step, order), act);
        }
    }

    /// Within the step of members' operations, what stands in `groups:` comes before entries, in their order.
    pub(super) fn plan_for(&mut self, at: Ms, step: Step, entry: Option<EntryIndex>, act: Act) {
        self.plan(at, step, entry.map_or(0, |e| e + 1), act);
    }

    /// Looks at a group's members: from here on all of them have slots.
    pub(super) fn see(&mut self, group: GroupId) {
        let spec = &self.scenario.groups[group.index()];
        self.roster.see(group, spec, &self.chance, self.dictionary);
    }

    /// Tells lanes of something.
    pub(super) fn tell(&mut self, at: Ms, step: Step, entry: Option<EntryIndex>, what: Happening) {
        self.events.push(Event { at, step, entry, what });
    }

    fn begin_entries(&mut self) -> Result<(), WorldError> {
        let scenario = self.scenario;
        for (index, entry) in (0u32..).zip(&scenario.history).filter(|(_, e)| e.verb.is_of_members()) {
            let targets = match entry.when {
                When::Rate { each: true, .. } => self.own_targets(index, entry)?,
                When::Rate { .. } | When::At(_) | When::Every { .. } => vec![None],
            };
            for target in targets {
                self.processes.push((index, Process::new(entry, &self.chance, target)));
                let process = self.processes.len() - 1;
                self.next_occurrence(process);
                while matches!(entry.when, When::At(_)) && self.next_occurrence(process) {}
            }
        }
        Ok(())
    }

    fn next_occurrence(&mut self, process: usize) -> bool {
        let (entry, state) = &mut self.processes[process];
        let entry = *entry;
        let next = state.next(&self.scenario.history[entry as usize].when, self.scenario.duration);
        if let Some((at, number)) = next {
            self.plan_for(at, Step::Member, Some(entry), Act::Occur { process, number });
        }
        next.is_some()
    }

    fn perform(&mut self, at: Ms, step: Step, act: Act) -> Result<(), WorldError> {
        match act {
            Act::LoadEnd(load) => {
                let mut told = Vec::new();
                if self.shards.load_ends(at, load, Step::LoadEnd, &mut told) {
                    self.restart_sessions(at, load.shard);
                }
                self.told(at, told);
            }
            Act::Silence(s) => {
                let mut told = Vec::new();
                self.shards.silence(at, s.broker, s.silent, s.entry, &mut told);
                self.told(at, told);
            }
            Act::Move(shard) => self.move_shard(at, &shard),
            Act::Expire { record } => self.expire(at, record),
            Act::LookAtEmpty { group, since } => self.look_at_empty(at, group, since),
            Act::FirstJoin { slot } => self.join(at, slot, Step::Member, None),
            Act::Occur { process, number } => return self.occur(at, process, number),
            Act::Apply { occurrence, whom } => return self.apply(at, &occurrence, &whom),
            Act::GoOn { slot, turn, what, entry } => self.go_on(at, step, slot, turn, what, entry),
        }
        Ok(())
    }

    fn move_shard(&mut self, at: Ms, shard: &ShardMove) {
        let mut told = Vec::new();
        let load = self.shards.fail_over(at, shard.shard, shard.leader, shard.load, shard.entry, &mut told);
        self.told(at, told);
        match load {
            Some(load) if load.took == Ms::ZERO => self.restart_sessions(at, load.shard),
            Some(load) => self.plan(at.after(load.took), Step::LoadEnd, 0, Act::LoadEnd(load)),
            None => {}
        }
    }

    fn told(&mut self, at: Ms, told: Vec<Told>) {
        for (step, entry, what) in told {
            self.tell(at, step, Some(entry), what);
        }
    }

    fn occur(&mut self, at: Ms, process: usize, number: u64) -> Result<(), WorldError> {
        let (index, state) = &self.processes[process];
        let (index, target) = (*index, state.target.clone());
        let scenario = self.scenario;
        let entry = &scenario.history[index as usize];
        if !matches!(entry.when, When::At(_)) {
            self.next_occurrence(process);
        }
        let occurrence = Rc::new(Occurrence::new(index, entry, number, target, at));
        let targets = self.targets(&occurrence)?;
        let count = targets.len();
        for (i, whom) in targets.into_iter().enumerate() {
            let when = spread(at, entry.over, i, count);
            let occurrence = Rc::clone(&occurrence);
            if when == at {
                self.apply(at, &occurrence, &whom)?;
            } else {
                self.plan_for(when, Step::Member, Some(index), Act::Apply { occurrence, whom });
            }
        }
        Ok(())
    }
}
