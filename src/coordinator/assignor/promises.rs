//! What each assignor promises of balance, of moves and of locality, and that the fast ones do what plain ones do.

use proptest::prelude::*;

use super::tests::{crowds, moves};
use super::*;

/// Partitions of each owner in one topic, of those who read it.
fn in_topic(input: &Input, owners: &[Owner], topic: usize) -> Vec<usize> {
    let readers = owners.iter().filter(|o| {
        input.subscribers(topic).contains(&o.member)
            && o.thread.is_none_or(|thread| thread < input.threads(o.member, topic))
    });
    readers.map(|o| o.partitions.iter().filter(|tp| tp.topic == topic).count()).collect()
}

fn gap(sizes: &[usize]) -> usize {
    sizes.iter().max().unwrap_or(&0) - sizes.iter().min().unwrap_or(&0)
}

/// The fewest moves that a balanced assignment of a group with equal subscriptions can do with: each keeps what it may
/// keep, and as many as can be of those with more keep one more.
fn fewest_moves(input: &Input) -> usize {
    let (total, members) = (input.partitions().count(), input.members().len());
    let (least, extras) = (total / members, total % members);
    let own = || (0..members).map(|m| input.owned(m).len());
    let kept: usize = own().map(|n| n.min(least)).sum();
    total - kept - own().filter(|n| *n > least).count().min(extras)
}

fn bare(members: Vec<Member>) -> Vec<Member> {
    members.into_iter().map(|m| Member { rack: None, ..m }).collect()
}

proptest! {
    #[test]
    fn ranges_are_even_in_every_topic_and_the_nine_steps_have_their_n((members, topics) in crowds(false, 12, 7)) {
        let input = Input::new(members, topics).unwrap();
        for assignor in [Assignor::ServerRange, Assignor::Range, Assignor::LegacyRange, Assignor::NineStep] {
            let owners = assignor.assign(&input).unwrap();
            for topic in 0..input.topics().len() {
                let sizes = in_topic(&input, &owners, topic);
                let size = input.topics()[topic].partitions.len();
                if sizes.is_empty() {
                    continue;
                }
                if assignor == Assignor::NineStep {
                    let n = size.div_ceil(sizes.len());
                    let whole = sizes.iter().filter(|s| **s == n).count();
                    prop_assert!(n == 0 || whole == size / n, "N = {n}: {sizes:?}");
                } else {
                    prop_assert!(gap(&sizes) <= 1, "{} {sizes:?}", assignor.name());
                }
            }
        }
    }

    #[test]
    fn uniform_and_sticky_move_no_more_than_balance_asks_for((members, topics) in crowds(true, 12, 7)) {
        let input = Input::new(bare(members), topics).unwrap();
        for assignor in [Assignor::Uniform, Assignor::Sticky, Assignor::RackAwareUniform] {
            let owners = assignor.assign(&input).unwrap();
            let sizes: Vec<usize> = owners.iter().map(|o| o.partitions.len()).collect();
            prop_assert!(gap(&sizes) <= 1, "{}", assignor.name());
            prop_assert_eq!(moves(&input, &owners), fewest_moves(&input), "{}", assignor.name());
        }
        // cooperative: the same, less what another still has
        let (sticky, own) = (Assignor::Sticky.assign(&input).unwrap(), Assignor::CooperativeSticky.assign(&input).unwrap());
        for (whole, part) in sticky.iter().zip(&own) {
            let revoked = |tp: &&TopicPartition| (0..input.members().len()).any(|m| m != whole.member && input.owned(m).contains(tp));
            let kept: Vec<_> = whole.partitions.iter().filter(|tp| !revoked(tp)).copied().collect();
            prop_assert_eq!(&kept, &part.partitions);
        }
    }

    #[test]
    fn with_unequal_subscriptions_no_single_move_evens_out((members, topics) in crowds(false, 9, 6)) {
        let input = Input::new(bare(members), topics).unwrap();
        for assignor in [Assignor::Uniform, Assignor::Sticky] {
            let owners = assignor.assign(&input).unwrap();
            for owner in &owners {
                for tp in &owner.partitions {
                    let least = input.subscribers(tp.topic).iter().map(|&m| owners[m].partitions.len()).min().unwrap();
                    prop_assert!(owner.partitions.len() <= least + 1, "{}: {owners:?}", assignor.name());
                }
            }
        }
    }

    #[test]
    fn rack_first_reads_across_racks_only_where_nobody_is_near((members, topics) in crowds(false, 12, 7)) {
        let input = Input::new(members, topics).unwrap();
        for owner in Assignor::RackFirst.assign(&input).unwrap() {
            for &tp in &owner.partitions {
                let near = input.subscribers(tp.topic).iter().any(|&m| input.local(m, tp));
                prop_assert_eq!(input.local(owner.member, tp), near);
            }
        }
    }

    #[test]
    fn the_fast_ones_do_what_the_plain_ones_do(
        (members, topics) in prop_oneof![crowds(true, 15, 12), crowds(false, 15, 12)],
    ) {
        let input = Input::new(members, topics).unwrap();
        prop_assert_eq!(rack_first::assign(&input), simple::rack_first(&input));
        let threads = legacy::threads(&input);
        for topic in 0..input.topics().len() {
            prop_assert_eq!(legacy::takers(&input, &threads, topic), simple::takers(&input, &threads, topic));
        }
    }
}
