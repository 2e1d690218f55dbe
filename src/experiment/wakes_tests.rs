//! The queue of a lane, held against plain ones.

use proptest::prelude::*;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::wakes::{Wake, WakeStep, Wakes, of_a_group};
use crate::kafka::{GroupId, MemberId};
use crate::sim::Ms;
use crate::world::Beat;

fn wake(at: u64, group: u32, member: u32) -> Wake {
    let step = if group.is_multiple_of(3) { WakeStep::Patterns } else { WakeStep::Heartbeat };
    Wake { at: Ms(at), step, group: GroupId(group), member: MemberId(member), presence: 0 }
}

/// How far ahead, whose, which member's.
fn pushes() -> impl Strategy<Value = Vec<(u64, u32, u32)>> {
    prop::collection::vec((0u64..30_000, 0u32..5, 0u32..3), 0..6)
}

proptest! {
    /// Against the plain heap: pushed and popped in turns, ahead by little and by much, up to places in between.
    #[test]
    fn wakes_come_in_the_order_of_a_heap(
        steps in prop::collection::vec((pushes(), 0u64..12_000, 0usize..8), 1..30)
    ) {
        let (mut wakes, mut heap) = (Wakes::new(5), BinaryHeap::new());
        let mut now = 0;
        for (pushed, until, most) in steps {
            for (ahead, group, member) in pushed {
                // often the same instants, and sometimes one that is over
                let wake = wake((now + ahead / 7 * 7 % 20_000).saturating_sub(300), group, member);
                wakes.push(wake);
                heap.push(Reverse(wake));
            }
            let place = (Ms(now + until), WakeStep::Heartbeat as u8, GroupId(2), MemberId(1));
            for _ in 0..most {
                let want = heap.peek().map(|Reverse(w)| *w).filter(|w: &Wake| w.place() < place);
                if want.is_some() {
                    heap.pop();
                }
                prop_assert_eq!(wakes.pop_before(Some(place)), want);
                // the lane's own time: what it has taken, or the event that it has come to
                now = want.map_or(place.0.0, |w| w.at.0);
            }
        }
        while let Some(Reverse(want)) = heap.pop() {
            prop_assert_eq!(wakes.pop_before(None), Some(want));
        }
        prop_assert_eq!(wakes.pop_before(None), None);
    }

    /// Against a plain list of who waits for what: set by little and by much ahead, put off, taken back, put back.
    #[test]
    fn of_what_a_group_has_waited_for_only_the_last_comes(
        steps in prop::collection::vec((sets(), 0u64..15_000, 0usize..4), 1..40)
    ) {
        let (mut wakes, mut plain) = (Wakes::new(4), [None; 4]);
        let mut now = 0;
        for (set, until, most) in steps {
            for (group, ahead) in set {
                // often at the same instants
                let beat = ahead.map(|(ahead, member)| Beat { at: Ms(now + ahead / 700 * 700), member: MemberId(member) });
                wakes.set(GroupId::at(group), beat);
                plain[group] = beat;
            }
            let place = (Ms(now + until), WakeStep::Heartbeat as u8, GroupId(2), MemberId(1));
            for take in 0..most {
                let all = (0..4).filter_map(|group| plain[group].map(|beat| of_a_group(GroupId::at(group), beat)));
                let want = all.filter(|wake| wake.place() < place).min();
                prop_assert_eq!(wakes.pop_before(Some(place)), want);
                match want {
                    Some(wake) if take == 1 => wakes.put_back(wake),
                    Some(wake) => plain[wake.group.index()] = None,
                    None => {}
                }
                now = want.map_or(place.0.0, |wake| wake.at.0);
            }
        }
    }
}

/// Which group waits for what: how far ahead, whose heartbeat; or for none.
fn sets() -> impl Strategy<Value = Vec<(usize, Option<(u64, u32)>)>> {
    prop::collection::vec((0usize..4, prop::option::weighted(0.9, (0u64..40_000, 0u32..3))), 0..6)
}
