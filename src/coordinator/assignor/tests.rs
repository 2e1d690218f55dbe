//! Promises that hold for every assignor, and cases whose answers are known.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::kafka::Uuid;

const RACKS: [&str; 3] = ["a", "b", "c"];

fn topic(name: &str, partitions: usize) -> Topic {
    let place = |p: usize| Place { leader: u32::try_from(p % 3).unwrap(), racks: vec![RACKS[p % 3].to_owned()] };
    Topic { name: name.to_owned(), id: Uuid::default(), partitions: (0..partitions).map(place).collect() }
}

fn member(id: &str, topics: &[&str], threads: u32) -> Member {
    let topics = topics.iter().map(|&t| t.to_owned()).collect();
    Member { id: id.to_owned(), topics, threads, ..Member::default() }
}

fn owning(mut member: Member, topic: &str, partitions: &[usize]) -> Member {
    member.owned.extend(partitions.iter().map(|&p| (topic.to_owned(), p)));
    member
}

fn dealt(assignor: Assignor, members: Vec<Member>, topics: Vec<Topic>) -> Vec<(String, Vec<usize>)> {
    let input = Input::new(members, topics).unwrap();
    let name = |o: &Owner| {
        let id = &input.members()[o.member].id;
        o.thread.map_or(id.clone(), |thread| format!("{id}-{thread}"))
    };
    let numbers = |o: &Owner| o.partitions.iter().map(|tp| tp.partition).collect();
    assignor.assign(&input).unwrap().iter().map(|o| (name(o), numbers(o))).collect()
}

fn sizes(assignor: Assignor, members: Vec<Member>, topics: Vec<Topic>) -> Vec<usize> {
    dealt(assignor, members, topics).into_iter().map(|(_, own)| own.len()).collect()
}

pub(super) fn moves(input: &Input, owners: &[Owner]) -> usize {
    let kept = |o: &Owner| o.partitions.iter().filter(|tp| input.owned(o.member).contains(tp)).count();
    owners.iter().map(|o| o.partitions.len() - kept(o)).sum()
}

#[test]
fn the_note_s_ten_and_eleven_partitions() {
    let group = || vec![member("C1", &["t"], 1), member("C2", &["t"], 2)];
    let lists = |lists: [std::ops::Range<usize>; 3]| -> Vec<(String, Vec<usize>)> {
        let names = ["C1-0", "C2-0", "C2-1"].map(str::to_owned);
        names.into_iter().zip(lists.map(Iterator::collect)).collect()
    };
    assert_eq!(dealt(Assignor::LegacyRange, group(), vec![topic("t", 10)]), lists([0..4, 4..7, 7..10]));
    assert_eq!(dealt(Assignor::LegacyRange, group(), vec![topic("t", 11)]), lists([0..4, 4..8, 8..11]));
}

#[test]
fn threads_are_ordered_as_strings_and_need_equal_subscriptions_for_round_robin() {
    let names: Vec<String> = dealt(Assignor::LegacyRoundRobin, vec![member("C1", &["t"], 11)], vec![topic("t", 11)])
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names[..4], ["C1-0", "C1-1", "C1-10", "C1-2"]);
    let input = Input::new(vec![member("x", &["t"], 1), member("y", &["u"], 1)], vec![topic("t", 1), topic("u", 1)]);
    assert_eq!(
        Assignor::LegacyRoundRobin.assign(&input.unwrap()).unwrap_err().to_string(),
        "legacy-round-robin wants every member to subscribe to the same topics: x and y do not"
    );
}

#[test]
fn legacy_round_robin_deals_in_the_order_of_java_s_hashes() {
    // "[T1,0]" to "[T1,9]" hash to consecutive numbers; "[T1,10]" comes after them
    let got = dealt(
        Assignor::LegacyRoundRobin,
        vec![member("C1", &["T1"], 1), member("C2", &["T1"], 2)],
        vec![topic("T1", 10)],
    );
    let lists: Vec<Vec<usize>> = got.into_iter().map(|(_, own)| own).collect();
    assert_eq!(lists, [vec![0, 3, 6, 9], vec![1, 4, 7], vec![2, 5, 8]]);
}

#[test]
fn c42_what_is_balanced_stays_and_a_fourth_member_takes_one() {
    let mut group = vec![
        owning(member("A", &["t"], 1), "t", &[0, 3]),
        owning(member("B", &["t"], 1), "t", &[1]),
        owning(member("C", &["t"], 1), "t", &[2, 4]),
    ];
    for fourth in [false, true] {
        if fourth {
            group.push(member("D", &["t"], 1));
        }
        let input = Input::new(group.clone(), vec![topic("t", 5)]).unwrap();
        let owners = Assignor::Uniform.assign(&input).unwrap();
        assert_eq!(moves(&input, &owners), usize::from(fourth));
    }
}

#[test]
fn c43_a_fourth_member_takes_42_of_168() {
    let group = |own: usize| -> Vec<Member> {
        let mut all: Vec<Member> = (0..4).map(|i| member(&format!("m{i}"), &["t", "u"], 1)).collect();
        for i in 0..168 {
            let name = if i < 84 { "t" } else { "u" };
            if own > 0 {
                all[i % own].owned.insert((name.to_owned(), i % 84));
            }
        }
        all
    };
    for assignor in [Assignor::Uniform, Assignor::Sticky] {
        for (own, expected) in [(3, 42), (0, 168)] {
            let input = Input::new(group(own), vec![topic("t", 84), topic("u", 84)]).unwrap();
            let owners = assignor.assign(&input).unwrap();
            assert!(owners.iter().all(|o| o.partitions.len() == 42));
            assert_eq!(moves(&input, &owners), expected, "{}", assignor.name());
        }
    }
}

#[test]
fn c44_nothing_moves_between_those_who_stay() {
    let joined = vec![
        owning(member("C1", &["t"], 1), "t", &[1, 3, 5, 7, 9]),
        owning(member("C2", &["t"], 1), "t", &[0, 2, 4, 6, 8]),
        member("C3", &["t"], 1),
    ];
    let input = Input::new(joined.clone(), vec![topic("t", 10)]).unwrap();
    let owners = Assignor::Sticky.assign(&input).unwrap();
    assert_eq!(moves(&input, &owners), 3);
    assert_eq!(owners[2].partitions.len(), 3);
    // cooperative: what C3 will get is nobody's until the second rebalance
    assert_eq!(sizes(Assignor::CooperativeSticky, joined, vec![topic("t", 10)]), [4, 3, 0]);
    let mut left = vec![member("C1", &["t"], 1), member("C2", &["t"], 1)];
    for (m, owner) in left.iter_mut().zip(&owners) {
        m.owned.extend(owner.partitions.iter().map(|tp| ("t".to_owned(), tp.partition)));
    }
    let input = Input::new(left, vec![topic("t", 10)]).unwrap();
    assert_eq!(moves(&input, &Assignor::Sticky.assign(&input).unwrap()), 3);
}

#[test]
fn c46_range_piles_up_on_the_first_and_round_robin_does_not() {
    let names = ["t", "u", "v"];
    let group = || ["a", "b", "c"].map(|id| member(id, &names, 1)).to_vec();
    let topics = || vec![topic("t", 4), topic("u", 1), topic("v", 1)];
    assert_eq!(sizes(Assignor::Range, group(), topics()), [4, 1, 1]);
    assert_eq!(sizes(Assignor::ServerRange, group(), topics()), [4, 1, 1]);
    assert_eq!(sizes(Assignor::RoundRobin, group(), topics()), [2, 2, 2]);
}

#[test]
fn c48_ten_on_one_topic_and_fifteen_on_the_other_in_any_order_of_ids() {
    for reversed in [false, true] {
        let mut group: Vec<Member> = Vec::new();
        for i in 0..25usize {
            let id = format!("m{:02}", if reversed { 25 - i } else { i });
            group.push(member(&id, &[if i < 10 { "t" } else { "u" }], 1));
            let input = Input::new(group.clone(), vec![topic("t", 30), topic("u", 30)]).unwrap();
            let owners = Assignor::Sticky.assign(&input).unwrap();
            for m in &mut group {
                let own = owners.iter().find(|o| input.members()[o.member].id == m.id).unwrap();
                let name = |tp: &TopicPartition| (input.topics()[tp.topic].name.clone(), tp.partition);
                m.owned = own.partitions.iter().map(name).collect();
            }
        }
        assert!(group.iter().all(|m| m.owned.len() == if m.topics.contains("t") { 3 } else { 2 }));
    }
}

#[test]
fn c49_each_topic_has_its_one_subscriber() {
    for assignor in [Assignor::RoundRobin, Assignor::Range, Assignor::Uniform, Assignor::ServerRange] {
        let group = vec![member("m1", &["requested"], 1), member("m2", &["progress"], 1)];
        assert_eq!(sizes(assignor, group, vec![topic("requested", 3), topic("progress", 3)]), [3, 3]);
    }
}

#[test]
fn c50_rack_first_follows_the_replicas() {
    let steps: [(&[usize], [usize; 3]); 4] = [
        (&[0], [1, 0, 0]),
        (&[0, 1, 1], [1, 2, 0]),
        (&[0, 1, 1, 2, 2, 2], [1, 2, 3]),
        (&[2, 1, 1, 0, 0, 0], [3, 2, 1]),
    ];
    for (racks, expected) in steps {
        let group = RACKS.map(|r| Member { rack: Some(r.to_owned()), ..member(&format!("m-{r}"), &["t"], 1) });
        let mut t = topic("t", racks.len());
        for (place, &rack) in t.partitions.iter_mut().zip(racks) {
            place.racks = vec![RACKS[rack].to_owned()];
        }
        let input = Input::new(group.to_vec(), vec![t]).unwrap();
        let owners = Assignor::RackFirst.assign(&input).unwrap();
        assert_eq!(owners.iter().map(|o| o.partitions.len()).collect::<Vec<_>>(), expected);
        assert!(owners.iter().all(|o| o.partitions.iter().all(|&tp| input.local(o.member, tp))));
    }
}

/// Up to four members, topics and who owned what, drawn.
fn groups(equal: bool, most: usize) -> impl Strategy<Value = (Vec<Member>, Vec<Topic>)> {
    crowds(equal, most, 4)
}

/// Up to so many members, topics of up to `most` partitions, and who owned what, drawn.
pub(super) fn crowds(equal: bool, most: usize, members: usize) -> impl Strategy<Value = (Vec<Member>, Vec<Topic>)> {
    let owners = prop::collection::vec((0..members + 2, 0..3i32), 60);
    let topics = prop::collection::vec(prop::collection::vec(0..7usize, 0..=most), 1..4);
    let members = prop::collection::vec((0..8u8, 0..4usize, 1..4u32, any::<bool>()), 1..=members);
    (topics, members, owners).prop_map(move |(topics, members, owners)| {
        let place = |&r: &usize| Place {
            leader: u32::try_from(r).unwrap(),
            racks: (0..3).filter(|i| r >> i & 1 == 1).map(|i| RACKS[i].to_owned()).collect(),
        };
        let topics: Vec<Topic> = topics
            .iter()
            .zip(["x", "y", "z"])
            .map(|(t, name)| Topic { partitions: t.iter().map(place).collect(), ..topic(name, 0) })
            .collect();
        let mut group: Vec<Member> = Vec::new();
        for (i, (mask, rack, threads, fixed)) in members.into_iter().enumerate() {
            let own = |(t, topic): (usize, &Topic)| (equal || mask >> t & 1 == 1).then(|| topic.name.clone());
            group.push(Member {
                rack: RACKS.get(rack).map(|&r| r.to_owned()),
                instance: fixed.then(|| format!("i{:02}", 99 - i)),
                topics: topics.iter().enumerate().filter_map(own).collect(),
                ..member(&format!("m{i:02}"), &[], threads)
            });
        }
        let all = topics.iter().flat_map(|t| (0..t.partitions.len()).map(|p| (t.name.clone(), p)));
        for (tp, (owner, generation)) in all.zip(owners) {
            if let Some(m) = group.get_mut(owner) {
                m.owned.insert(tp);
                m.generation = generation;
            }
        }
        (group, topics)
    })
}

/// The least (remote, moves) of all balanced assignments, by trying each.
fn brute_force(input: &Input) -> (usize, usize) {
    let all: Vec<TopicPartition> = input.partitions().collect();
    let members = input.members().len();
    let mut best = (usize::MAX, usize::MAX);
    for code in 0..members.pow(u32::try_from(all.len()).unwrap()) {
        let (mut rest, mut loads, mut price) = (code, vec![0usize; members], (0, 0));
        for &tp in &all {
            let m = rest % members;
            rest /= members;
            loads[m] += 1;
            price.0 += usize::from(!input.local(m, tp));
            price.1 += usize::from(!input.owned(m).contains(&tp));
        }
        if loads.iter().max().unwrap() - loads.iter().min().unwrap() <= 1 {
            best = best.min(price);
        }
    }
    best
}

proptest! {
    #[test]
    fn each_partition_has_one_owner_who_subscribes((members, topics) in prop_oneof![groups(true, 9), groups(false, 9)]) {
        let input = Input::new(members.clone(), topics.clone()).unwrap();
        let turned = Input::new(members.into_iter().rev().collect(), topics.into_iter().rev().collect()).unwrap();
        let expected: BTreeSet<TopicPartition> = input.partitions().collect();
        for assignor in Assignor::ALL {
            let result = assignor.assign(&input);
            prop_assert_eq!(&result, &assignor.assign(&turned), "{} depends on the order", assignor.name());
            let Ok(owners) = result else {
                prop_assert!(input.unequal().is_some(), "{}", assignor.name());
                continue;
            };
            let mut seen: BTreeMap<TopicPartition, usize> = BTreeMap::new();
            for owner in &owners {
                for &tp in &owner.partitions {
                    prop_assert!(input.subscribers(tp.topic).contains(&owner.member));
                    prop_assert!(seen.insert(tp, owner.member).is_none(), "{} gives twice", assignor.name());
                }
            }
            for tp in &expected {
                let revoked =
                    assignor == Assignor::CooperativeSticky && input.claims().any(|(_, claimed)| claimed == *tp);
                prop_assert!(seen.contains_key(tp) || revoked, "{} leaves {:?}", assignor.name(), tp);
            }
            let even = [Assignor::Uniform, Assignor::RoundRobin, Assignor::Sticky, Assignor::LegacyRoundRobin,
                Assignor::RackAwareUniform];
            if input.unequal().is_none() && even.contains(&assignor) {
                let sizes = || owners.iter().map(|o| o.partitions.len());
                prop_assert!(sizes().max().unwrap() - sizes().min().unwrap() <= 1, "{}", assignor.name());
            }
        }
    }

    #[test]
    fn rack_aware_uniform_is_the_best_there_is((members, topics) in groups(true, 2)) {
        let input = Input::new(members, topics).unwrap();
        let owners = Assignor::RackAwareUniform.assign(&input).unwrap();
        let remote = |o: &Owner| o.partitions.iter().filter(|&&tp| !input.local(o.member, tp)).count();
        let got = (owners.iter().map(remote).sum::<usize>(), moves(&input, &owners));
        prop_assert_eq!(got, brute_force(&input));
    }

    #[test]
    fn range_without_racks_is_the_server_s_and_racks_lose_nothing((members, topics) in groups(false, 9)) {
        let input = Input::new(members.clone(), topics.clone()).unwrap();
        let bare = members.into_iter().map(|m| Member { rack: None, ..m }).collect();
        let bare = Input::new(bare, topics).unwrap();
        let sizes = |input: &Input| -> Vec<usize> {
            let owners = Assignor::Range.assign(input).unwrap();
            owners.iter().map(|o| o.partitions.len()).collect()
        };
        prop_assert_eq!(sizes(&input).iter().sum::<usize>(), sizes(&bare).iter().sum::<usize>());
        prop_assert_eq!(Assignor::Range.assign(&bare), Assignor::ServerRange.assign(&bare));
    }
}
