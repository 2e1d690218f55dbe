//! What happens to brokers: stops, crashes, starts, registrations (model: K.3).

use crate::kafka::{BrokerId, EntryIndex};
use crate::scenario::{Span, StartHow};
use crate::sim::Ms;

use super::cluster::{Act, Cluster, Rank, Silence};
use super::draws;
use super::error::WorldError;
use super::notes::{Occurrence, Unfit};
use super::picks::Fitness;
use super::starting::{self, Planned, Starting};
use super::targets::Need;

impl Cluster<'_> {
    /// Is the broker in the state that an entry needs? If not, it is left out, or an error.
    pub(super) fn can(
        &mut self,
        broker: BrokerId,
        need: Need,
        occurrence: &Occurrence,
        named: bool,
    ) -> Result<bool, WorldError> {
        match self.broker_fitness(broker, need) {
            Fitness::Fits => Ok(true),
            Fitness::Absent(unfit) | Fitness::Unfit(unfit) => {
                self.notes.leave_out(occurrence, named, &unfit)?;
                Ok(false)
            }
        }
    }

    /// A process ends: its plans are void. Gives the life that ended.
    fn process_ends(&mut self, broker: BrokerId, occurrence: &Occurrence) -> u64 {
        let state = self.controller.brokers.get_mut(&broker).expect("it runs");
        state.running = false;
        state.waiting = None;
        state.waits_for.clear();
        state.life += 1;
        state.by_chance |= occurrence.by_chance;
        state.life
    }

    /// A clean stop: ISR and leader changes and the fence, at once. Gives its life, for a start after it.
    pub(super) fn shutdown(&mut self, broker: BrokerId, occurrence: &Occurrence) -> u64 {
        let life = self.process_ends(broker, occurrence);
        if self.controller.live.has(broker) && self.controller.brokers[&broker].session_end.is_none() {
            self.controller.fence(broker, occurrence.entry);
        }
        life
    }

    /// A crash: silence now, the fence when the session runs out.
    pub(super) fn crash(&mut self, at: Ms, broker: BrokerId, occurrence: &Occurrence) -> u64 {
        let life = self.process_ends(broker, occurrence);
        let state = self.controller.brokers.get_mut(&broker).expect("it ran");
        self.history.silences.push(Silence { at, broker, silent: true, entry: occurrence.entry });
        // a process that only waited to register had no session of its own
        if state.session_end.is_none() {
            let end = at.after(self.scenario.cluster.session);
            state.session_end = Some(end);
            self.plan(end, Rank::SessionEnd, Act::SessionEnd { broker, end, entry: occurrence.entry });
        }
        life
    }

    /// The session of a crashed process runs out.
    pub(super) fn session_ends(&mut self, at: Ms, broker: BrokerId, end: Ms, entry: EntryIndex) {
        let state = self.controller.brokers.get_mut(&broker).expect("it crashed");
        if state.session_end != Some(end) {
            return;
        }
        state.session_end = None;
        let waiting = state.waiting.take();
        if self.controller.live.has(broker) {
            self.controller.fence(broker, entry);
        }
        if let Some(start) = waiting {
            self.register(at, broker, &start);
        }
    }

    /// A process starts. It registers at once, or when the session of the one before has run out.
    pub(super) fn start(&mut self, at: Ms, broker: BrokerId, start: Starting, by_chance: bool) {
        let state = self.controller.brokers.entry(broker).or_default();
        state.running = true;
        state.life += 1;
        state.by_chance |= by_chance;
        (state.started_by, state.catch_up) = (start.entry, start.catch_up);
        if state.session_end.is_some() {
            state.waiting = Some(start);
        } else {
            self.register(at, broker, &start);
        }
    }

    /// A start that was planned with a stop: only if nothing else has started or stopped the broker since.
    pub(super) fn start_again(&mut self, at: Ms, broker: BrokerId, life: u64, start: Starting) {
        let state = &self.controller.brokers[&broker];
        if state.life == life && !state.running {
            self.start(at, broker, start, false);
        }
    }

    fn register(&mut self, at: Ms, broker: BrokerId, start: &Starting) {
        self.controller.register(broker, start);
        self.history.silences.push(Silence { at, broker, silent: false, entry: start.entry });
        let life = self.controller.brokers[&broker].life;
        self.plan(at.after(start.unfence), Rank::Unfence, Act::Unfence { broker, life, start: *start });
    }

    /// A broker serves again, unless it has stopped since it registered.
    pub(super) fn unfence(&mut self, at: Ms, broker: BrokerId, life: u64, start: &Starting) {
        if self.controller.brokers[&broker].life != life {
            return;
        }
        let led = self.controller.unfence(broker, start.entry);
        for expansion in starting::plan(&mut self.controller, broker, start) {
            let partitions = expansion.partitions;
            if !partitions.is_empty() {
                self.plan(at.after(expansion.after), Rank::Expand, Act::Expand { broker, life, partitions });
            }
        }
        for (waiter, partitions) in starting::no_longer_waiting(&mut self.controller, &led) {
            let state = &self.controller.brokers[&waiter];
            let (when, life) = (at.after(state.catch_up), state.life);
            self.plan(when, Rank::Expand, Act::Expand { broker: waiter, life, partitions });
        }
        if let Some(after) = self.scenario.cluster.leader_rebalance {
            let when = at.after(start.catch_up).after(after);
            self.plan(when, Rank::TakeBack, Act::TakeBack { broker, life });
        }
    }

    pub(super) fn expand(&mut self, broker: BrokerId, life: u64, partitions: &[Planned]) {
        if self.controller.brokers[&broker].life == life {
            starting::expand(&mut self.controller, broker, partitions);
        }
    }

    pub(super) fn take_back(&mut self, broker: BrokerId, life: u64) {
        if self.controller.brokers[&broker].life == life {
            starting::take_back(&mut self.controller, broker);
        }
    }

    /// What a start of this broker is like: rack and release as before unless the entry says otherwise.
    pub(super) fn starting(&self, broker: BrokerId, how: &StartHow, occurrence: &Occurrence) -> Starting {
        let before = self.controller.brokers.get(&broker).cloned().unwrap_or_default();
        let settings = &self.scenario.cluster.start;
        let drawn = |what: &str, span: Span<Ms>| {
            draws::time(&mut occurrence.stream(&self.chance, &[what, &broker.0.to_string()]), span)
        };
        let old = before.rack.map(|r| self.dictionary.racks[r.index()].as_str());
        let renamed = how.racks.iter().find(|(name, _)| Some(name.as_str()) == old).map(|(_, new)| new.as_deref());
        let rack = match (&how.rack, renamed) {
            (Some(rack), _) => self.dictionary.rack(rack.as_deref()),
            (None, Some(rack)) => self.dictionary.rack(rack),
            (None, None) => before.rack,
        };
        let is_new = !self.controller.brokers.contains_key(&broker);
        let version = how.to.unwrap_or(if is_new { self.scenario.cluster.version } else { before.version });
        Starting {
            entry: occurrence.entry,
            rack,
            version,
            unfence: drawn("unfence", how.unfence.unwrap_or(settings.unfence)),
            catch_up: drawn("catch-up", how.catch_up.unwrap_or(settings.catch_up)),
            isr_deltas: how.isr_deltas.unwrap_or(settings.isr_deltas),
        }
    }

    /// After a stop: the start that its entry asks for.
    pub(super) fn plan_start(
        &mut self,
        when: Ms,
        broker: BrokerId,
        life: u64,
        how: &StartHow,
        occurrence: &Occurrence,
    ) {
        let start = self.starting(broker, how, occurrence);
        self.plan(when, Rank::Entry(occurrence.entry), Act::Start { broker, life, start });
    }

    /// `for:` or `down:`, drawn for the whole occurrence.
    pub(super) fn outage(&self, span: Span<Ms>, occurrence: &Occurrence) -> Ms {
        draws::time(&mut occurrence.stream(&self.chance, &["down"]), span)
    }

    /// A broker that an entry adds.
    pub(super) fn add_broker(
        &mut self,
        at: Ms,
        broker: BrokerId,
        how: &StartHow,
        occurrence: &Occurrence,
    ) -> Result<(), WorldError> {
        if let Some(state) = self.controller.brokers.get(&broker).filter(|s| s.registered || s.running) {
            let who = format!("broker {}", broker.0);
            let unfit = Unfit { who, why: "is there already".into(), by_chance: state.by_chance };
            return self.notes.leave_out(occurrence, true, &unfit);
        }
        let start = self.starting(broker, how, occurrence);
        self.start(at, broker, start, occurrence.by_chance);
        Ok(())
    }
}
