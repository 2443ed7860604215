//! What every directory must do, whatever keeps it: the same checks run against the in-process table
//! and against a real etcd.

use super::{FakeNode, players};
use fairshot_cluster::agent::NodeAgent;
use fairshot_cluster::control::{Ban, BanSubject, RuleKey, RuleValue};
use fairshot_cluster::directory::{Directory, DirectoryError, RoomEpoch, RoomStatus, View};
use fairshot_cluster::host::{RoomHost, RoomSpec};
use fairshot_matchmaking::{Labels, RoomSummary, SeatCounts};
use fairshot_units::{NodeId, RoomId};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// A directory that several processes share.
pub trait Cluster {
    /// One more process's handle.
    fn handle(&self) -> Arc<dyn Directory>;
}

/// Every check, one after the other; each in names of its own.
pub async fn holds(cluster: &dyn Cluster) {
    a_node_is_seen_by_others_until_it_withdraws(cluster).await;
    a_room_is_placed_once(cluster).await;
    a_room_of_another_node_is_not_claimed(cluster).await;
    of_two_placements_on_one_view_one_wins(cluster).await;
    nothing_is_placed_on_a_node_that_is_gone(cluster).await;
    an_epoch_that_is_over_writes_nothing(cluster).await;
    no_race_passes_a_cap(cluster).await;
    a_node_that_dies_takes_its_rooms_with_it(cluster).await;
    rooms_of_a_lost_lease_are_claimed_again(cluster).await;
    a_room_placed_and_never_opened_is_taken_out_by_no_round_too_early(cluster).await;
    bans_and_rules_are_kept_replaced_and_removed(cluster).await;
}

pub async fn eventually(directory: &dyn Directory, what: &str, check: impl Fn(&View) -> bool) {
    let mut changes = directory.view().changes();
    let seen = timeout(Duration::from_secs(20), async {
        while !directory.view().read(&check) {
            changes.changed().await.expect("the directory lives");
        }
    });
    assert!(seen.await.is_ok(), "never seen: {what}");
}

fn summary(room: &str, node: &NodeId) -> RoomSummary {
    RoomSummary {
        room: RoomId::new(room).expect("an id"),
        mode: "arena".into(),
        region: "eu".into(),
        node: node.clone(),
        shard: 0,
        seats: SeatCounts { seats_max: 4, ..Default::default() },
        locked: false,
        code: None,
        labels: Labels::default(),
    }
}

/// A node, its handle, and another handle; both see it.
async fn one_node(
    cluster: &dyn Cluster,
    name: &str,
) -> (Arc<FakeNode>, Arc<dyn Directory>, Arc<dyn Directory>) {
    let (own, other) = (cluster.handle(), cluster.handle());
    let node = FakeNode::new(name);
    announced(own.as_ref(), &node).await;
    for handle in [&own, &other] {
        eventually(handle.as_ref(), "the node", |view| view.nodes.contains_key(&node.node)).await;
    }
    (node, own, other)
}

async fn announced(directory: &dyn Directory, node: &FakeNode) {
    use fairshot_cluster::agent::NodeSource;
    directory.announce(&node.record()).await.expect("announced");
}

fn placements(directory: &dyn Directory, node: &NodeId) -> u64 {
    directory.view().read(|view| view.nodes.get(node).map_or(0, |n| n.standing.placements))
}

async fn place(directory: &dyn Directory, room: &RoomSummary) -> Result<RoomEpoch, DirectoryError> {
    directory.place_room(room, placements(directory, &room.node)).await
}

async fn a_node_is_seen_by_others_until_it_withdraws(cluster: &dyn Cluster) {
    let (node, own, other) = one_node(cluster, "seen").await;
    let room = summary("seen-1", &node.node);
    place(other.as_ref(), &room).await.expect("placed");
    eventually(own.as_ref(), "the room", |view| view.rooms.contains_key(&room.room)).await;
    assert_eq!(
        own.view().read(|view| {
            let offers = view.offers();
            offers.iter().find(|o| o.node == node.node).map(|o| o.shards[0].rooms)
        }),
        Some(1),
        "a room counts as soon as it is placed"
    );
    own.withdraw().await.expect("withdrawn");
    eventually(other.as_ref(), "the end of the node", |view| {
        !view.nodes.contains_key(&node.node) && !view.rooms.contains_key(&room.room)
    })
    .await;
}

async fn a_room_is_placed_once(cluster: &dyn Cluster) {
    let (node, own, other) = one_node(cluster, "once").await;
    let room = summary("once-1", &node.node);
    let epoch = place(other.as_ref(), &room).await.expect("placed");
    eventually(own.as_ref(), "the room", |view| {
        view.rooms.get(&room.room).is_some_and(|record| record.epoch == epoch)
    })
    .await;
    let again = place(own.as_ref(), &room).await;
    assert_eq!(again, Err(DirectoryError::RoomExists(room.room.clone())));
    assert_eq!(own.claim_room(&room).await, Ok(epoch), "its own: a claim may be made twice");
}

async fn a_room_of_another_node_is_not_claimed(cluster: &dyn Cluster) {
    let (owner, own, other) = one_node(cluster, "owner").await;
    let (taker, takes, _) = one_node(cluster, "taker").await;
    let room = summary("owned-1", &owner.node);
    let epoch = place(other.as_ref(), &room).await.expect("placed");
    eventually(own.as_ref(), "the room", |view| view.rooms.contains_key(&room.room)).await;
    let wanted = RoomSummary { node: taker.node.clone(), ..room.clone() };
    let taken = takes.claim_room(&wanted).await;
    assert_eq!(taken, Err(DirectoryError::RoomExists(room.room.clone())));
    let status = RoomStatus { seats: SeatCounts::default(), locked: false };
    own.update_room(&room.room, epoch, &status).await.expect("its owner's still");
}

async fn of_two_placements_on_one_view_one_wins(cluster: &dyn Cluster) {
    let (node, own, other) = one_node(cluster, "raced").await;
    let seen = placements(other.as_ref(), &node.node);
    let (first, second) = (summary("raced-1", &node.node), summary("raced-2", &node.node));
    let (first, second) =
        tokio::join!(own.place_room(&first, seen), other.place_room(&second, seen));
    assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
    assert_eq!(first.and(second), Err(DirectoryError::PlacementRaced));
}

async fn nothing_is_placed_on_a_node_that_is_gone(cluster: &dyn Cluster) {
    let handle = cluster.handle();
    let nowhere = NodeId::new("nowhere").expect("an id");
    let placed = handle.place_room(&summary("nowhere-1", &nowhere), 0).await;
    assert_eq!(placed, Err(DirectoryError::NodeGone));
}

async fn an_epoch_that_is_over_writes_nothing(cluster: &dyn Cluster) {
    let (node, own, other) = one_node(cluster, "fenced").await;
    let room = summary("fenced-1", &node.node);
    let first = place(other.as_ref(), &room).await.expect("placed");
    let full = SeatCounts { taken: 4, seats_max: 4, ..Default::default() };
    let status = RoomStatus { seats: full, locked: true };
    own.update_room(&room.room, first, &status).await.expect("the owner's word");
    eventually(other.as_ref(), "the seats", |view| {
        view.rooms.get(&room.room).is_some_and(|r| r.summary.seats == full && r.summary.locked)
    })
    .await;
    own.remove_room(&room.room, first).await.expect("removed");
    eventually(other.as_ref(), "the end of the room", |view| !view.rooms.contains_key(&room.room))
        .await;
    let second = place(other.as_ref(), &room).await.expect("placed anew");
    assert!(second > first, "no epoch comes twice");
    let fenced = Err(DirectoryError::Fenced(room.room.clone()));
    assert_eq!(own.update_room(&room.room, first, &status).await, fenced);
    assert_eq!(own.remove_room(&room.room, first).await, fenced);
    own.update_room(&room.room, second, &status).await.expect("the newer owner's word");
}

async fn no_race_passes_a_cap(cluster: &dyn Cluster) {
    const CAP: usize = 5;
    let (node, own, _) = one_node(cluster, "capped").await;
    let handles: Vec<_> = (0..4).map(|_| cluster.handle()).collect();
    let id = node.node.clone();
    let placers = handles.into_iter().enumerate().map(|(n, handle)| {
        let id = id.clone();
        tokio::spawn(async move {
            eventually(handle.as_ref(), "the node", |view| view.nodes.contains_key(&id)).await;
            for attempt in 0..20 {
                let on_node = |view: &View| {
                    view.rooms.values().filter(|room| room.summary.node == id).count()
                };
                let (rooms, seen) = handle.view().read(|view| {
                    (on_node(view), view.nodes.get(&id).map_or(0, |n| n.standing.placements))
                });
                if rooms >= CAP {
                    return;
                }
                let room = summary(&format!("capped-{n}-{attempt}"), &id);
                if handle.place_room(&room, seen).await == Err(DirectoryError::PlacementRaced) {
                    let mut changes = handle.view().changes();
                    let _ = timeout(Duration::from_millis(100), changes.changed()).await;
                }
            }
        })
    });
    for placer in placers.collect::<Vec<_>>() {
        placer.await.expect("no panic");
    }
    let count = |view: &View| view.rooms.values().filter(|room| room.summary.node == id).count();
    eventually(own.as_ref(), "as many rooms as may be", |view| count(view) >= CAP).await;
    assert_eq!(own.view().read(count), CAP);
}

async fn a_node_that_dies_takes_its_rooms_with_it(cluster: &dyn Cluster) {
    let (node, own, other) = one_node(cluster, "dying").await;
    let (stays, _keeps_it, _) = one_node(cluster, "staying").await;
    let dying = summary("dying-1", &node.node);
    let staying = summary("staying-1", &stays.node);
    place(other.as_ref(), &dying).await.expect("placed");
    eventually(other.as_ref(), "the other node", |view| view.nodes.contains_key(&stays.node)).await;
    place(other.as_ref(), &staying).await.expect("placed");
    drop(own);
    eventually(other.as_ref(), "the end of the node", |view| {
        !view.nodes.contains_key(&node.node) && !view.rooms.contains_key(&dying.room)
    })
    .await;
    assert!(other.view().read(|view| view.rooms.contains_key(&staying.room)));
    let back = cluster.handle();
    announced(back.as_ref(), &node).await;
}

async fn rooms_of_a_lost_lease_are_claimed_again(cluster: &dyn Cluster) {
    let (node, own, other) = one_node(cluster, "lost").await;
    let mut agent = NodeAgent::new(Arc::clone(&own), Arc::clone(&node) as _);
    agent.round().await.expect("told");
    let room = summary("lost-1", &node.node);
    let epoch = place(other.as_ref(), &room).await.expect("placed");
    let spec = RoomSpec {
        room: room.room.clone(),
        mode: room.mode.clone(),
        shard: 0,
        epoch,
        seats_max: None,
        monsters: None,
        seed: None,
        locked: false,
        code: None,
        labels: Labels::default(),
        empty_ttl_ms: None,
    };
    node.open_room(&spec, &players(&["p"])).await.expect("opened");
    agent.round().await.expect("told");
    own.withdraw().await.expect("as if the lease had run out");
    eventually(other.as_ref(), "the loss", |view| !view.rooms.contains_key(&room.room)).await;
    agent.round().await.expect("told");
    eventually(other.as_ref(), "the room claimed again", |view| {
        view.rooms.get(&room.room).is_some_and(|r| r.epoch > epoch && r.summary.seats.reserved == 1)
    })
    .await;
    assert!(node.retired().is_empty(), "it has run on all the while");
    let status = RoomStatus { seats: SeatCounts::default(), locked: false };
    let old = own.update_room(&room.room, epoch, &status).await;
    assert_eq!(old, Err(DirectoryError::Fenced(room.room.clone())));
    // Now another takes it: the agent must give way.
    let newest = other.view().read(|view| view.rooms.get(&room.room).map(|r| r.epoch));
    own.remove_room(&room.room, newest.expect("there")).await.expect("removed");
    node.reserve(0, &room.room, &players(&["q"])).await.expect("a change to tell");
    agent.round().await.expect("told");
    assert_eq!(node.retired(), [room.room]);
}

async fn a_room_placed_and_never_opened_is_taken_out_by_no_round_too_early(cluster: &dyn Cluster) {
    let (node, own, other) = one_node(cluster, "unopened").await;
    let mut agent = NodeAgent::new(Arc::clone(&own), Arc::clone(&node) as _);
    agent.round().await.expect("told");
    let room = summary("unopened-1", &node.node);
    place(other.as_ref(), &room).await.expect("placed");
    eventually(own.as_ref(), "the room", |view| view.rooms.contains_key(&room.room)).await;
    agent.round().await.expect("told");
    agent.round().await.expect("told");
    assert!(own.view().read(|view| view.rooms.contains_key(&room.room)));
}

async fn bans_and_rules_are_kept_replaced_and_removed(cluster: &dyn Cluster) {
    let (one, two) = (cluster.handle(), cluster.handle());
    let subject: BanSubject = "address/192.0.2.0/24".parse().expect("a range");
    let ban = |reason: &str| Ban {
        subject: subject.clone(),
        reason: reason.into(),
        by: "ops".into(),
        since_unix_s: 1,
        expires_unix_s: None,
    };
    one.put_ban(&ban("first")).await.expect("kept");
    one.put_ban(&ban("second")).await.expect("replaced");
    eventually(two.as_ref(), "the ban", |view| view.bans.get(&subject) == Some(&ban("second")))
        .await;
    assert_eq!(two.remove_ban(&subject).await, Ok(ban("second")));
    assert_eq!(two.remove_ban(&subject).await, Err(DirectoryError::NotFound));
    eventually(one.as_ref(), "the end of the ban", |view| view.bans.is_empty()).await;
    let value = RuleValue::Number(3.5);
    one.put_rule("arena", &RuleKey::OriginMetres, Some(value)).await.expect("kept");
    eventually(two.as_ref(), "the rule", |view| {
        view.rules_of("arena").get(&RuleKey::OriginMetres) == Some(&value)
    })
    .await;
    two.put_rule("arena", &RuleKey::OriginMetres, None).await.expect("removed");
    eventually(one.as_ref(), "the end of the rule", |view| view.rules.is_empty()).await;
}
