//! Whom an entry means at an instant: targets as written held against what is there.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::kafka::RackId;
use crate::scenario::{Pick, Span, Word, glob_matches};
use crate::sim::{Chance, Stream, natural_cmp};

use super::dictionary::Dictionary;
use super::draws;
use super::error::WorldError;
use super::notes::{Notes, Occurrence, Unfit};

/// Something that can be a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entity<'a> {
    /// Its own name (a broker's id in digits).
    pub(super) name: Cow<'a, str>,
    /// The family it belongs to.
    pub(super) family: Option<Cow<'a, str>>,
    /// Its rack, for brokers and members.
    pub(super) rack: Option<RackId>,
}

/// Can an entry apply to it now?
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fitness {
    /// Yes.
    Fits,
    /// It is not there: a selector passes it by in silence.
    Absent(Unfit),
    /// It is there, but its state is in the way.
    Unfit(Unfit),
}

/// A target found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// Its place among the entities.
    pub(super) index: usize,
    /// Was it named by its own name?
    pub(super) named: bool,
}

/// What there is to choose from.
pub(super) struct Choice<'a> {
    /// What the targets are called: `broker`.
    pub(super) noun: &'a str,
    /// All of them, in natural order.
    pub(super) entities: &'a [Entity<'a>],
    /// Which apply now.
    pub(super) fitness: &'a dyn Fn(usize) -> Fitness,
    /// For racks.
    pub(super) dictionary: &'a Dictionary<'a>,
    /// With `rate: … per TARGET`: are these what the target is one of?
    pub(super) own_target: bool,
}

impl Choice<'_> {
    /// Targets of an occurrence, in natural order, each once; and what was left out.
    pub(super) fn resolve(
        &self,
        pick: &Pick,
        occurrence: &Occurrence,
        chance: &Chance,
    ) -> Result<(Vec<Target>, Notes), WorldError> {
        let mut notes = Notes::default();
        let targets = self.resolve_noting(pick, occurrence, chance, &mut notes)?;
        Ok((targets, notes))
    }

    fn resolve_noting(
        &self,
        pick: &Pick,
        occurrence: &Occurrence,
        chance: &Chance,
        notes: &mut Notes,
    ) -> Result<Vec<Target>, WorldError> {
        if let Some(name) = occurrence.target.as_deref().filter(|_| self.own_target) {
            let mut target = self.position(name).map(unnamed);
            if matches!(pick, Pick::Rack(_)) {
                let there = self.scope(pick, occurrence)?;
                target = target.filter(|t| there.contains(t));
            }
            return self.passing(target, pick, occurrence, notes);
        }
        let stream = || occurrence.stream(chance, &["pick", self.noun]);
        match pick {
            Pick::All | Pick::Rack(_) => {
                let all = self.scope(pick, occurrence)?;
                self.passing(all, pick, occurrence, notes)
            }
            Pick::These(_) => {
                let these = self.scope(pick, occurrence)?;
                self.passing(these, pick, occurrence, notes)
            }
            Pick::Any(count) => {
                let all = (0..self.entities.len()).map(|index| Target { index, named: false });
                Ok(self.drawn(*count, all, &mut stream(), occurrence, notes))
            }
            Pick::Draw { count, of } => {
                let these = self.scope(&Pick::These(of.clone()), occurrence)?;
                Ok(self.drawn(*count, these, &mut stream(), occurrence, notes))
            }
        }
    }

    /// All that a pick can ever mean, whatever its state.
    pub(super) fn scope(&self, pick: &Pick, occurrence: &Occurrence) -> Result<Vec<Target>, WorldError> {
        let entities = self.entities.iter().enumerate();
        let words = match pick {
            Pick::All | Pick::Any(_) => return Ok((0..self.entities.len()).map(unnamed).collect()),
            Pick::Rack(rack) => {
                let wanted = rack.as_deref().map(|name| self.dictionary.known_rack(name));
                let hit = |e: &Entity<'_>| wanted.map_or(e.rack.is_none(), |w| w.is_some() && e.rack == w);
                return Ok(entities.filter(|(_, e)| hit(e)).map(|(i, _)| unnamed(i)).collect());
            }
            Pick::These(words) | Pick::Draw { of: words, .. } => words,
        };
        let mut named = BTreeSet::new();
        let mut all = BTreeSet::new();
        for word in words {
            match word {
                Word::Name(name) => {
                    let found = self.position(name);
                    let index = found.ok_or_else(|| occurrence.error(format!("there is no {} `{name}`", self.noun)))?;
                    named.insert(index);
                    all.insert(index);
                }
                Word::Family(family) => {
                    all.extend(entities.clone().filter(|(_, e)| e.family.as_deref() == Some(family)).map(|(i, _)| i));
                }
                Word::Glob(glob) => {
                    all.extend(entities.clone().filter(|(_, e)| glob_matches(glob, &e.name)).map(|(i, _)| i));
                }
            }
        }
        Ok(all.into_iter().map(|index| Target { index, named: named.contains(&index) }).collect())
    }

    /// Where an entity of this name stands: they are in natural order.
    fn position(&self, name: &str) -> Option<usize> {
        self.entities.binary_search_by(|e| natural_cmp(&e.name, name)).ok()
    }

    fn passing(
        &self,
        targets: impl IntoIterator<Item = Target>,
        pick: &Pick,
        occurrence: &Occurrence,
        notes: &mut Notes,
    ) -> Result<Vec<Target>, WorldError> {
        let mut fit = Vec::new();
        for target in targets {
            match (self.fitness)(target.index) {
                Fitness::Fits => fit.push(target),
                Fitness::Absent(_) if !target.named && !matches!(pick, Pick::These(_)) => {}
                Fitness::Absent(unfit) | Fitness::Unfit(unfit) => notes.leave_out(occurrence, target.named, &unfit)?,
            }
        }
        Ok(fit)
    }

    fn drawn(
        &self,
        count: Span<u32>,
        candidates: impl IntoIterator<Item = Target>,
        stream: &mut Stream,
        occurrence: &Occurrence,
        notes: &mut Notes,
    ) -> Vec<Target> {
        let fit: Vec<Target> = candidates
            .into_iter()
            .filter(|t| (self.fitness)(t.index) == Fitness::Fits)
            .map(|t| unnamed(t.index))
            .collect();
        let wanted = draws::number(stream, count);
        for _ in fit.len()..wanted as usize {
            notes.count(occurrence, &format!("fewer than the wanted number of {}s can be drawn", self.noun));
        }
        let chosen = stream.distinct(fit.len() as u64, wanted.into());
        chosen.into_iter().filter_map(|i| fit.get(usize::try_from(i).ok()?).copied()).collect()
    }
}

const fn unnamed(index: usize) -> Target {
    Target { index, named: false }
}
