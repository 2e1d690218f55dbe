//! What happens to topics (model: B.2, K.3).

use super::{changed, ids, times};
use crate::kafka::TopicEvent;
use crate::scenario::{Grow, Moves, Pick, Place, Span, Verb, Within};
use crate::sim::Ms;
use crate::world::history::History;
use crate::world::make;
use crate::world::testing::{Build, cluster, exactly, lists, named};

fn grow(by: u32) -> Verb {
    Verb::AddPartitions { topics: named("t"), grow: Grow::By(Span::just(by)), replicas: None }
}

fn exact_move(to: &[u32], takes: u64) -> Verb {
    let to = vec![(0, lists(&[to]).remove(0))];
    let moves = Moves::Exact { topics: named("t"), to };
    Verb::Reassign { moves, wave: None, pause: Ms::secs(1), takes: Span::just(Ms::secs(takes)) }
}

/// Replicas, in-sync replicas, leader, adding, removing.
type Shape = (Vec<u32>, Vec<u32>, Option<u32>, Vec<u32>, Vec<u32>);

fn one(history: &History, delta: usize) -> Shape {
    let all = changed(&history.deltas[delta]);
    assert_eq!(all.len(), 1);
    let p = all[0].1;
    (ids(&p.replicas), ids(&p.isr), p.leader.map(|b| b.0), ids(&p.adding), ids(&p.removing))
}

#[test]
fn added_partitions_are_all_that_their_delta_holds() {
    let history = cluster().topic("t", 4, 3).at(60, "grow", grow(3)).make();
    let added: Vec<u32> = changed(&history.deltas[0]).iter().map(|(_, p)| p.partition).collect();
    assert_eq!((times(&history), added), (vec![60_000], vec![4, 5, 6]));
    for (_, partition) in changed(&history.deltas[0]) {
        let mut racks: Vec<u32> = partition.replicas.iter().map(|b| b.0 % 3).collect();
        racks.sort_unstable();
        assert_eq!(racks, [0, 1, 2], "a replica in each rack");
        assert_eq!((partition.isr.len(), partition.leader), (3, Some(partition.replicas[0])));
    }
    let to = Verb::AddPartitions { topics: named("t"), grow: Grow::To(Span::just(4)), replicas: None };
    let error = make(&cluster().topic("t", 4, 3).at(60, "grow", to).0, 1).unwrap_err();
    assert!(error.message.contains("has 4 partitions already"), "{}", error.message);
}

#[test]
fn a_topic_is_deleted_and_created_anew_with_another_id() {
    let recreate = |gap| Verb::RecreateTopic { topics: named("t"), gap, partitions: None, rf: None, replicas: None };
    let at_once = cluster().topic("t", 4, 3).at(60, "again", recreate(Ms::ZERO)).make();
    let old = at_once.start.topics[0].as_ref().unwrap().id;
    let TopicEvent::Created { id, partitions } = &at_once.deltas[0].delta.topics[0].event else {
        panic!("not created")
    };
    assert_ne!(*id, old);
    assert_eq!((times(&at_once), partitions.len()), (vec![60_000], 4));
    let apart = cluster().topic("t", 4, 3).at(60, "again", recreate(Ms::secs(5))).make();
    assert_eq!(times(&apart), [60_000, 65_000]);
    assert_eq!(apart.deltas[0].delta.topics[0].event, TopicEvent::Deleted);
    assert_eq!(apart.deltas[1].delta.topics[0].event, at_once.deltas[0].delta.topics[0].event);
}

#[test]
fn a_topic_that_is_created_twice_or_deleted_before_it_exists_is_an_error() {
    let create = || Verb::CreateTopic { names: vec!["t".into()], place: exactly(&[&[0]]) };
    let error = make(&cluster().topic("t", 1, 1).at(5, "new", create()).0, 1).unwrap_err();
    assert!(error.message.contains("topic t exists already"), "{}", error.message);
    let delete = Verb::DeleteTopic { topics: named("t") };
    let early = cluster().at(5, "gone", delete).at(9, "new", create());
    assert!(make(&early.0, 1).unwrap_err().message.contains("topic t does not exist"));
    let wide = Verb::CreateTopic { names: vec!["t".into()], place: Place::Drawn { partitions: Span::just(1), rf: 7 } };
    let error = make(&cluster().at(5, "new", wide).0, 1).unwrap_err();
    assert!(error.message.contains("only 6 brokers"), "{}", error.message);
}

#[test]
fn a_reassignment_shows_what_it_adds_and_removes_until_it_is_complete() {
    let touch = Verb::Touch { topics: Pick::All, partitions: None };
    let history =
        cluster().placed("t", &[&[0, 1]]).at(60, "move", exact_move(&[2, 1], 60)).at(90, "touch", touch).make();
    assert_eq!(times(&history), [60_000, 90_000, 120_000]);
    let moving = (vec![2, 1, 0], vec![1, 0], Some(0), vec![2], vec![0]);
    assert_eq!((one(&history, 0), one(&history, 1)), (moving.clone(), moving));
    assert_eq!(one(&history, 2), (vec![2, 1], vec![2, 1], Some(2), vec![], vec![]));
    let at_once = cluster().placed("t", &[&[0, 1]]).at(60, "move", exact_move(&[2, 1], 0)).make();
    assert_eq!(times(&at_once), [60_000]);
    assert_eq!(one(&at_once, 0), (vec![2, 1], vec![2, 1], Some(2), vec![], vec![]));
}

#[test]
fn a_list_that_only_shrinks_is_complete_with_its_first_record() {
    let history = cluster().placed("t", &[&[0, 1, 2]]).at(60, "move", exact_move(&[2, 1], 60)).make();
    assert_eq!(times(&history), [60_000]);
    assert_eq!(one(&history, 0), (vec![2, 1], vec![2, 1], Some(2), vec![], vec![]));
}

#[test]
fn a_move_to_a_broker_that_is_down_is_complete_when_it_is_back() {
    let stop = Verb::Shutdown { brokers: named("2"), back_after: Some(Span::just(Ms::secs(120))) };
    let history = cluster().placed("t", &[&[0]]).at(60, "move", exact_move(&[2], 60)).at(70, "stop", stop).make();
    let of_t: Vec<u64> = history.deltas.iter().filter(|d| !changed(d).is_empty()).map(|d| d.at.0).collect();
    assert_eq!(of_t, [60_000, 192_000], "unfenced at 190 + 2");
    assert_eq!(one(&history, history.deltas.len() - 1), (vec![2], vec![2], Some(2), vec![], vec![]));
}

fn set_rf(rf: u32) -> Verb {
    Verb::SetRf { topics: named("t"), partitions: None, rf, takes: Span::just(Ms::secs(60)) }
}

#[test]
fn a_replication_factor_goes_up_in_two_deltas_and_down_in_one() {
    let up = cluster().placed("t", &[&[0, 1]]).at(60, "up", set_rf(3)).make();
    assert_eq!(times(&up), [60_000, 120_000]);
    let (replicas, _, _, adding, removing) = one(&up, 0);
    assert_eq!((&replicas[..2], adding.clone(), removing), (&[0, 1][..], vec![replicas[2]], vec![]));
    assert_eq!(adding[0] % 3, 2, "the rack that had none");
    let down = cluster().placed("t", &[&[0, 1, 2]]).at(60, "down", set_rf(1)).make();
    assert_eq!((times(&down), one(&down, 0)), (vec![60_000], (vec![0], vec![0], Some(0), vec![], vec![])));
    let error = make(&cluster().placed("t", &[&[0]]).at(60, "up", set_rf(7)).0, 1).unwrap_err();
    assert!(error.message.contains("too few brokers"), "{}", error.message);
}

fn balancer(moves: u32, wave: Option<u32>, within: Within) -> Build {
    let moves = Moves::Drawn { topics: Pick::All, moves: Span::just(moves), within };
    let verb = Verb::Reassign { moves, wave, pause: Ms::secs(1), takes: Span::just(Ms::secs(60)) };
    cluster().topic("t-1", 20, 3).topic("t-2", 20, 2).at(60, "balancer", verb)
}

#[test]
fn a_balancer_moves_single_replicas_wave_by_wave_inside_their_racks() {
    let history = balancer(10, Some(4), Within::Rack).make();
    // start and completion of each wave, the next one a second after that
    assert_eq!(times(&history), [60_000, 120_000, 121_000, 181_000, 182_000, 242_000]);
    let sizes: Vec<usize> = history.deltas.iter().map(|d| changed(d).len()).collect();
    assert_eq!(sizes, [4, 4, 4, 4, 2, 2]);
    let mut moved = std::collections::BTreeSet::new();
    for (topic, partition) in history.deltas.iter().step_by(2).flat_map(changed) {
        assert!(moved.insert((topic, partition.partition)), "each partition at most once");
        assert_eq!((partition.adding.len(), partition.removing.len()), (1, 1));
        assert_eq!(partition.adding[0].0 % 3, partition.removing[0].0 % 3, "in the rack of the replaced one");
        let old = &history.start.topics[topic as usize].as_ref().unwrap().partitions[partition.partition as usize];
        let new: Vec<u32> = partition.replicas.iter().map(|b| b.0).take(old.len()).collect();
        let differ = old.iter().zip(&new).filter(|(a, b)| a.0 != **b).count();
        assert_eq!(differ, 1, "it takes the place of the replaced one");
    }
    let too_many = balancer(50, None, Within::Any).make();
    assert_eq!(changed(&too_many.deltas[0]).len(), 40);
    assert_eq!(
        too_many.notes,
        ["balancer: left out 10 times: fewer than the wanted number of partitions can be moved"]
    );
}

#[test]
fn in_sync_replicas_shrink_and_expand_by_hand_but_never_the_leader() {
    let shrink = |b| Verb::IsrShrink { topics: named("t"), partitions: None, brokers: named(b) };
    let expand = Verb::IsrExpand { topics: named("t"), partitions: None, brokers: named("1") };
    let history = cluster().placed("t", &[&[0, 1]]).at(60, "out", shrink("1")).at(90, "in", expand).make();
    assert_eq!((one(&history, 0).1, one(&history, 1).1), (vec![0], vec![0, 1]));
    let error = make(&cluster().placed("t", &[&[0, 1]]).at(60, "out", shrink("0")).0, 1).unwrap_err();
    assert!(error.message.contains("is the leader"), "{}", error.message);
}

#[test]
fn a_snapshot_creates_every_topic_anew_under_its_old_id() {
    let history = cluster().topic("t-1", 2, 3).topic("t-2", 3, 1).at(60, "load", Verb::SnapshotReload).make();
    let mut image = history.start.clone();
    image.apply(&history.deltas[0].delta);
    assert_eq!(image, history.start);
    assert!(history.deltas[0].delta.topics.iter().all(|t| matches!(t.event, TopicEvent::Created { .. })));
}

#[test]
fn an_election_that_changes_no_leader_publishes_nothing() {
    let elect = |second| (second, Verb::ElectLeaders { topics: Pick::All, partitions: None });
    let (early, verb) = elect(10);
    let quiet = cluster().placed("t", &[&[0, 1]]).at(early, "elect", verb).make();
    assert!(quiet.deltas.is_empty());
    let (late, verb) = elect(200);
    let restart = crate::world::testing::restart(0, 60);
    let busy = cluster().placed("t", &[&[0, 1]]).at(60, "bounce", restart).at(late, "elect", verb).make();
    let elected = busy.deltas.iter().find(|d| d.at == Ms::secs(200)).unwrap();
    assert_eq!(changed(elected)[0].1.leader.map(|b| b.0), Some(0));
    assert!(busy.deltas.iter().all(|d| d.at != Ms::secs(452)), "nothing is left to take back");
}
