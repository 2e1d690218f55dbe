//! Replicas moved: reassignments in waves, and changes of the replication factor (model: B.2, K.3).

use std::rc::Rc;

use crate::kafka::{BrokerId, EntryIndex, Replicas, TopicId};
use crate::scenario::{Moves, Pick, Span, Within};
use crate::sim::Ms;

use super::cluster::{Act, Cluster, One, Rank};
use super::draws;
use super::error::WorldError;
use super::notes::Occurrence;
use super::placement::Placer;
use super::starting::Planned;

/// A partition and the list that it is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Move {
    of: Planned,
    to: Aim,
    named: bool,
}

/// Where a move goes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Aim {
    /// To this list.
    List(Replicas),
    /// One replica is replaced by another.
    Replace(BrokerId, BrokerId),
}

/// Moves still to come, wave by wave.
#[derive(Clone, Debug)]
pub(super) struct Waves {
    /// The next one last.
    rest: Vec<Vec<Move>>,
    pause: Ms,
    takes: Ms,
}

impl Cluster<'_> {
    pub(super) fn reassign(
        &mut self,
        at: Ms,
        moves: &Moves,
        wave: Option<u32>,
        pause: Ms,
        takes: Span<Ms>,
        occurrence: &Rc<Occurrence>,
    ) -> Result<(), WorldError> {
        let moves = match moves {
            Moves::Exact { topics, to } => self.exact_moves(topics, to, occurrence)?,
            Moves::Drawn { topics, moves, within } => self.drawn_moves(topics, *moves, *within, occurrence)?,
        };
        let size = wave.map_or(moves.len(), |w| w as usize).max(1);
        let mut rest: Vec<Vec<Move>> = moves.chunks(size).map(<[Move]>::to_vec).collect();
        rest.reverse();
        let takes = draws::time(&mut occurrence.stream(&self.chance, &["takes"]), takes);
        self.wave(at, occurrence, Waves { rest, pause, takes })
    }

    /// One wave starts; the next one `pause` after it is complete.
    pub(super) fn wave(&mut self, at: Ms, occurrence: &Rc<Occurrence>, mut waves: Waves) -> Result<(), WorldError> {
        let Some(moves) = waves.rest.pop() else {
            return Ok(());
        };
        let mut begun = Vec::new();
        for one in moves {
            let of = one.of;
            match self.target_list(&one) {
                Ok(list) => begun.push((of, self.begin(of, &list, occurrence.entry))),
                Err(why) => self.refuse_topic(of.topic, why, occurrence, one.named)?,
            }
        }
        self.finish_after(at, waves.takes, begun, occurrence.entry);
        if !waves.rest.is_empty() {
            let next = at.after(waves.takes).after(waves.pause);
            let occurrence = Rc::clone(occurrence);
            self.plan(next, Rank::Entry(occurrence.entry), Act::Wave { occurrence, waves });
        }
        Ok(())
    }

    /// The list that a move aims at, or why it cannot be made now.
    fn target_list(&self, one: &Move) -> Result<Replicas, String> {
        let topic = &self.controller.topics[one.of.topic.index()];
        if !topic.exists || topic.incarnation != one.of.incarnation {
            return Err("does not exist any more".to_owned());
        }
        let partition = topic.partitions.get(one.of.partition as usize);
        let Some(partition) = partition else {
            return Err(format!("has no partition {}", one.of.partition));
        };
        match &one.to {
            Aim::List(list) => {
                let registered = |b: &BrokerId| self.controller.brokers.get(b).is_some_and(|s| s.registered);
                match list.iter().find(|b| !registered(b)) {
                    Some(broker) => Err(format!("cannot move to broker {}, which is not registered", broker.0)),
                    None if !list.iter().any(|b| self.controller.live.has(*b)) => {
                        Err("cannot move to brokers none of which serves".to_owned())
                    }
                    None => Ok(list.clone()),
                }
            }
            Aim::Replace(old, new) => {
                let place = partition.replicas.iter().position(|b| b == old);
                match place {
                    _ if partition.is_moving() => Err("is being moved already".to_owned()),
                    Some(place) if self.controller.live.has(*new) && !partition.replicas.contains(new) => {
                        let mut list = partition.replicas.clone();
                        list[place] = *new;
                        Ok(list)
                    }
                    _ => Err("cannot be moved any more as drawn".to_owned()),
                }
            }
        }
    }

    /// Begins a move; gives its number.
    fn begin(&mut self, of: Planned, list: &Replicas, entry: EntryIndex) -> u32 {
        let partition = self.controller.change(of.topic, of.partition, entry);
        partition.begin_move(list);
        partition.move_number
    }

    /// Completes moves `takes` after they began. One that adds nobody, and whose replicas are in sync, is
    /// complete with its first record; so is everything if it takes no time.
    fn finish_after(&mut self, at: Ms, takes: Ms, begun: Vec<(Planned, u32)>, entry: EntryIndex) {
        let instantly = |(of, _): &(Planned, u32)| {
            let p = &self.controller.topics[of.topic.index()].partitions[of.partition as usize];
            takes == Ms::ZERO
                || (p.adding.is_empty()
                    && p.isr.iter().filter(|b| !p.removing.contains(b)).count() + p.removing.len() == p.replicas.len())
        };
        let (now, later): (Vec<_>, Vec<_>) = begun.into_iter().partition(instantly);
        self.complete(entry, now);
        if !later.is_empty() {
            self.plan(at.after(takes), Rank::Complete, Act::Complete { entry, partitions: later });
        }
    }

    /// Completes moves, unless others have taken their place. What cannot be completed now is when it can.
    pub(super) fn complete(&mut self, entry: EntryIndex, partitions: Vec<(Planned, u32)>) {
        for (of, number) in partitions {
            let topic = &self.controller.topics[of.topic.index()];
            if !topic.exists || topic.incarnation != of.incarnation {
                continue;
            }
            let partition = &topic.partitions[of.partition as usize];
            if partition.move_number != number {
                continue;
            }
            if partition.can_complete_move(&self.controller.live) {
                let mut after = partition.clone();
                after.complete_move(&self.controller.live);
                *self.controller.change(of.topic, of.partition, entry) = after;
            } else {
                self.put_off.push((of, number, entry));
            }
        }
    }

    /// Tries those again that nobody could complete; at the end of every instant.
    pub(super) fn complete_put_off(&mut self) {
        for (of, number, entry) in std::mem::take(&mut self.put_off) {
            self.complete(entry, vec![(of, number)]);
        }
    }

    fn exact_moves(
        &mut self,
        topics: &Pick,
        to: &[(u32, Vec<BrokerId>)],
        occurrence: &Occurrence,
    ) -> Result<Vec<Move>, WorldError> {
        let mut moves = Vec::new();
        for (one, named) in self.topics(topics, occurrence)? {
            let One::Topic(topic) = one else { continue };
            let incarnation = self.controller.topics[topic.index()].incarnation;
            moves.extend(to.iter().map(|(partition, list)| Move {
                of: Planned { topic, incarnation, partition: *partition },
                to: Aim::List(list.iter().copied().collect()),
                named,
            }));
        }
        Ok(moves)
    }

    /// Partitions, replicas and their replacements, drawn: each partition at most once, and none for which no
    /// live broker lacks it (in the rack of the replaced one, if it must stay within).
    fn drawn_moves(
        &mut self,
        topics: &Pick,
        count: Span<u32>,
        within: Within,
        occurrence: &Occurrence,
    ) -> Result<Vec<Move>, WorldError> {
        let targets = self.topics(topics, occurrence)?;
        let mut stream = occurrence.stream(&self.chance, &["moves"]);
        let wanted = draws::number(&mut stream, count) as usize;
        let mut candidates: Vec<Planned> = Vec::new();
        for (one, _) in targets {
            let One::Topic(topic) = one else { continue };
            let state = &self.controller.topics[topic.index()];
            let numbers = (0u32..).zip(&state.partitions).filter(|(_, p)| !p.is_moving()).map(|(number, _)| number);
            candidates.extend(numbers.map(|partition| Planned { topic, incarnation: state.incarnation, partition }));
        }
        stream.shuffle(&mut candidates);
        let sites: Vec<_> = self.controller.sites().into_iter().filter(|s| s.serving).collect();
        let mut moves = Vec::new();
        for of in candidates {
            if moves.len() == wanted {
                break;
            }
            let replicas = self.replicas(of.topic, of.partition);
            let rack = |b: &BrokerId| self.controller.brokers.get(b).and_then(|s| s.rack);
            let instead = |old: &BrokerId| -> Vec<BrokerId> {
                let fits = |s: &&super::placement::Site| {
                    !replicas.contains(&s.broker) && (within == Within::Any || s.rack == rack(old))
                };
                sites.iter().filter(fits).map(|s| s.broker).collect()
            };
            let movable: Vec<BrokerId> = replicas.iter().copied().filter(|b| !instead(b).is_empty()).collect();
            if movable.is_empty() {
                continue;
            }
            let old = movable[stream.index(movable.len())];
            let choice = instead(&old);
            let new = choice[stream.index(choice.len())];
            moves.push(Move { of, to: Aim::Replace(old, new), named: false });
        }
        for _ in moves.len()..wanted {
            self.notes.count(occurrence, "fewer than the wanted number of partitions can be moved");
        }
        // inside a wave, and from wave to wave, in the order drawn
        Ok(moves)
    }

    /// Up: a reassignment that adds replicas. Down: the last of the list go, in one delta.
    #[expect(clippy::too_many_arguments, reason = "the entry's own fields, and whose occurrence it is")]
    pub(super) fn set_rf(
        &mut self,
        at: Ms,
        topic: TopicId,
        partitions: Option<&[u32]>,
        rf: u32,
        takes: Span<Ms>,
        occurrence: &Occurrence,
        named: bool,
    ) -> Result<(), WorldError> {
        let numbers = self.numbers(topic, partitions, occurrence, named)?;
        let name = self.dictionary.topic_name(topic);
        let stream = occurrence.stream(&self.chance, &["placement", name]);
        let mut placer = Placer::new(self.controller.sites(), stream);
        let incarnation = self.controller.topics[topic.index()].incarnation;
        let (mut up, mut down) = (Vec::new(), Vec::new());
        for partition in numbers {
            let of = Planned { topic, incarnation, partition };
            let state = &self.controller.topics[topic.index()].partitions[partition as usize];
            let present: Replicas = state.replicas.iter().copied().filter(|b| !state.removing.contains(b)).collect();
            if rf as usize <= present.len() {
                if (rf as usize) < present.len() {
                    let list: Replicas = present.iter().copied().take(rf as usize).collect();
                    down.push((of, self.begin(of, &list, occurrence.entry)));
                }
                continue;
            }
            match placer.extend(&present, rf) {
                Some(list) => up.push((of, self.begin(of, &list, occurrence.entry))),
                None => {
                    let why = format!("cannot have {rf} replicas: too few brokers are registered");
                    return self.refuse_topic(topic, why, occurrence, named);
                }
            }
        }
        let takes = draws::time(&mut occurrence.stream(&self.chance, &["takes"]), takes);
        self.complete(occurrence.entry, down);
        self.finish_after(at, takes, up, occurrence.entry);
        Ok(())
    }
}
