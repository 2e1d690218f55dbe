//! The first so many of a list, whatever the order in which they come. A lane that goes in order of time puts each at
//! the end; one that takes groups one after the other says where in that order each one stands.

/// A place in the order of a lane: by time (or event), then by group.
pub type Place = (u64, u32);

/// At most so many, the first by place.
#[derive(Clone, Debug)]
pub struct Kept<T> {
    most: usize,
    list: Vec<(Place, T)>,
    /// Nothing behind this is kept any more.
    last: Option<Place>,
    /// Were all in order so far?
    ordered: bool,
    complete: bool,
}

impl<T> Kept<T> {
    /// Keeps `most`.
    #[must_use]
    pub fn new(most: usize) -> Kept<T> {
        Kept { most, list: Vec::new(), last: None, ordered: true, complete: true }
    }

    /// Would one at this place be kept, as far as is known?
    #[must_use]
    pub fn takes(&self, place: Place) -> bool {
        let full =
            self.ordered && self.list.len() == self.most && self.list.last().is_none_or(|(last, _)| *last <= place);
        !full && self.last.is_none_or(|last| place < last)
    }

    /// One more; of those at one place the first to come is the first.
    pub fn push(&mut self, place: Place, item: T) {
        if !self.takes(place) {
            self.complete = false;
            return;
        }
        self.ordered &= self.list.last().is_none_or(|(last, _)| *last <= place);
        self.list.push((place, item));
        if self.list.len() / 2 > self.most {
            self.cut();
        }
    }

    /// In order, and no more of them than are kept.
    pub(super) fn cut(&mut self) {
        self.list.sort_by_key(|(place, _)| *place);
        self.complete &= self.list.len() <= self.most;
        if self.list.len() > self.most {
            self.list.truncate(self.most);
            self.last = self.list.last().map(|(place, _)| *place);
            self.ordered = true;
        }
    }

    /// In order, and whether these are all.
    #[must_use]
    pub fn into_list(mut self) -> (Vec<T>, bool) {
        self.cut();
        (self.list.into_iter().map(|(_, item)| item).collect(), self.complete)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against sorting all of them.
        #[test]
        fn the_first_are_kept_in_any_order(places in prop::collection::vec((0u64..30, 0u32..4), 0..200), most in 0usize..40) {
            let mut kept = Kept::new(most);
            // one place has one group's items in the order in which they come
            let mut all: Vec<(Place, usize)> = places.into_iter().zip(0..).collect();
            all.iter().for_each(|(place, item)| kept.push(*place, *item));
            all.sort_by_key(|(place, _)| *place);
            let want: Vec<usize> = all.iter().take(most).map(|(_, item)| *item).collect();
            let (list, complete) = kept.into_list();
            prop_assert_eq!(list, want);
            prop_assert_eq!(complete, all.len() <= most);
        }
    }
}
