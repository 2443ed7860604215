//! Joining over the in-process directory, with real seats behind it.

use crate::support::{FakeNode, FakeNodes, players};
use fairshot_cluster::agent::NodeAgent;
use fairshot_cluster::control::Ban;
use fairshot_cluster::directory::{Directory, LocalDirectory};
use fairshot_cluster::matchmaking::{
    CreateRequest, JoinRequest, Matchmaking, MatchmakingError, MatchmakingSettings, Target,
};
use fairshot_matchmaking::{Labels, RoomFilter};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

struct World {
    directory: Arc<LocalDirectory>,
    nodes: Vec<Arc<FakeNode>>,
    agents: Vec<NodeAgent>,
    matchmaking: Arc<Matchmaking>,
}

impl World {
    async fn new(names: &[&str]) -> Self {
        let directory = Arc::new(LocalDirectory::new());
        let nodes: Vec<_> = names.iter().map(|name| FakeNode::new(name)).collect();
        let hosts = FakeNodes::of(&nodes);
        let mut agents: Vec<_> = nodes
            .iter()
            .map(|node| NodeAgent::new(Arc::new(directory.sibling()), Arc::clone(node) as _))
            .collect();
        for agent in &mut agents {
            agent.round().await.expect("told");
        }
        let settings = MatchmakingSettings::default();
        let matchmaking = Matchmaking::new(Arc::clone(&directory) as _, hosts, settings);
        Self { directory, nodes, agents, matchmaking: Arc::new(matchmaking) }
    }

    async fn tell(&mut self) {
        for (agent, node) in self.agents.iter_mut().zip(&self.nodes) {
            node.poll();
            agent.round().await.expect("told");
        }
    }

    fn listed(&self) -> usize {
        self.matchmaking.list(&RoomFilter::default(), None, 1_000).total
    }
}

fn join(mode: &str, names: &[&str]) -> JoinRequest {
    JoinRequest {
        target: Target::Mode(mode.into()),
        region: None,
        members: players(names),
        labels: Labels::default(),
        address: None,
    }
}

#[tokio::test]
async fn a_crowd_fills_rooms_one_after_the_other_and_none_is_oversold() {
    let world = World::new(&["a", "b"]).await;
    let joins = (0..100).map(|n| {
        let matchmaking = Arc::clone(&world.matchmaking);
        tokio::spawn(async move { matchmaking.join(&join("arena", &[&format!("p{n}")])).await })
    });
    let mut seats = BTreeSet::new();
    for task in joins.collect::<Vec<_>>() {
        let joined = task.await.expect("no panic").expect("seated");
        assert!(seats.insert((joined.room, joined.seats[0].seat)), "a seat of one's own");
    }
    let rooms: usize = world.nodes.iter().map(|node| node.room_count()).sum();
    assert_eq!(rooms, 25, "4 seats a room, every one taken");
    assert!(world.nodes.iter().all(|node| !node.is_oversold()));
}

#[tokio::test]
async fn two_matchmakers_at_once_oversell_nothing() {
    let world = World::new(&["a"]).await;
    let other = Arc::new(Matchmaking::new(
        Arc::new(world.directory.sibling()),
        FakeNodes::of(&world.nodes),
        MatchmakingSettings::default(),
    ));
    let tasks: Vec<_> = (0..120)
        .map(|n| {
            let matchmaking = Arc::clone(if n % 2 == 0 { &world.matchmaking } else { &other });
            tokio::spawn(async move { matchmaking.join(&join("arena", &[&format!("p{n}")])).await })
        })
        .collect();
    for task in tasks {
        task.await.expect("no panic").expect("seated");
        assert!(!world.nodes[0].is_oversold());
    }
    assert_eq!(world.nodes[0].promised(), 120);
}

#[tokio::test]
async fn a_party_gets_one_room_and_a_full_one_is_passed_over() {
    let world = World::new(&["a"]).await;
    let first = world.matchmaking.join(&join("arena", &["a", "b"])).await.expect("seated");
    let three = world.matchmaking.join(&join("arena", &["c", "d", "e"])).await.expect("seated");
    assert_ne!(first.room, three.room);
    let two = world.matchmaking.join(&join("arena", &["f", "g"])).await.expect("seated");
    assert_eq!(two.room, first.room);
}

#[tokio::test]
async fn a_private_room_is_in_no_list_and_opens_to_its_code() {
    let mut world = World::new(&["a"]).await;
    let request = CreateRequest {
        mode: "duel".into(),
        private: true,
        members: players(&["a"]),
        ..Default::default()
    };
    let created = world.matchmaking.create(&request).await.expect("created");
    world.tell().await;
    assert_eq!(world.listed(), 0);
    let code = created.code.expect("a code");
    let by_code = JoinRequest { target: Target::Code(code), ..join("", &["b"]) };
    assert_eq!(world.matchmaking.join(&by_code).await.expect("seated").room, created.room);
    let target = Target::Room { room: created.room.clone(), code: None };
    let by_id = JoinRequest { target, ..join("", &["c"]) };
    assert_eq!(world.matchmaking.join(&by_id).await.expect_err("private").label(), "not_found");
    let any = world.matchmaking.join(&join("duel", &["d"])).await.expect("seated");
    assert_ne!(any.room, created.room);
}

#[tokio::test]
async fn labels_choose_a_room_and_name_a_new_one() {
    let mut world = World::new(&["a"]).await;
    let labels = |map: &str| Labels::new(BTreeMap::from([("map".into(), map.into())])).expect("ok");
    let on = |map: &str, name: &str| JoinRequest { labels: labels(map), ..join("arena", &[name]) };
    let dust = world.matchmaking.join(&on("dust", "a")).await.expect("seated");
    let mill = world.matchmaking.join(&on("mill", "b")).await.expect("seated");
    assert_ne!(dust.room, mill.room);
    assert_eq!(world.matchmaking.join(&on("mill", "c")).await.expect("seated").room, mill.room);
    world.tell().await;
    let filter = RoomFilter { labels: labels("dust"), ..Default::default() };
    assert_eq!(world.matchmaking.list(&filter, None, 10).rooms[0].room, dust.room);
}

#[tokio::test(start_paused = true)]
async fn r16_a_room_nobody_comes_to_is_gone_from_the_list() {
    let mut world = World::new(&["a"]).await;
    for round in 0..100 {
        let name = format!("p{round}");
        let joined = world.matchmaking.join(&join("arena", &[&name])).await.expect("seated");
        world.tell().await;
        assert_eq!(world.listed(), 1);
        tokio::time::advance(Duration::from_millis(15_200)).await;
        world.tell().await;
        assert_eq!((world.listed(), world.nodes[0].room_count()), (0, 0));
        let target = Target::Room { room: joined.room, code: None };
        let late = JoinRequest { target, ..join("", &[&name]) };
        assert_eq!(world.matchmaking.join(&late).await.expect_err("gone").label(), "not_found");
    }
}

#[tokio::test]
async fn a_node_that_does_not_answer_is_passed_over_and_its_placement_taken_back() {
    let world = World::new(&["a", "b"]).await;
    world.nodes[0].answers.store(false, Ordering::Relaxed);
    let joined = world.matchmaking.join(&join("arena", &["p"])).await.expect("seated");
    assert_eq!(joined.node.as_str(), "b");
    assert_eq!(world.directory.view().read(|view| view.rooms.len()), 1);
    world.nodes[1].answers.store(false, Ordering::Relaxed);
    let error = world.matchmaking.join(&join("arena", &["q"])).await.expect_err("both down");
    assert!(error.retry_after().is_some(), "{error}");
    assert_eq!(world.directory.view().read(|view| view.rooms.len()), 1);
}

#[tokio::test]
async fn the_banned_are_not_seated_and_the_unknown_mode_is_not_found() {
    let world = World::new(&["a"]).await;
    let ban = |subject: &str| Ban {
        subject: subject.parse().expect("a subject"),
        reason: "cheats".into(),
        by: "ops".into(),
        since_unix_s: 0,
        expires_unix_s: None,
    };
    world.directory.put_ban(&ban("player/p")).await.expect("kept");
    world.directory.put_ban(&ban("address/192.0.2.0/24")).await.expect("kept");
    let label = async |request| world.matchmaking.join(&request).await.expect_err("no").label();
    assert_eq!(label(join("arena", &["q", "p"])).await, "banned");
    let address = Some("192.0.2.4".parse().expect("an address"));
    assert_eq!(label(JoinRequest { address, ..join("arena", &["q"]) }).await, "banned");
    assert_eq!(label(join("chess", &["q"])).await, "not_found");
    assert_eq!(label(join("arena", &[])).await, "invalid");
}

#[tokio::test]
async fn a_draining_node_gets_nobody_new() {
    let mut world = World::new(&["a", "b"]).await;
    let first = world.matchmaking.join(&join("arena", &["p"])).await.expect("seated");
    let (drained, other) = if first.node.as_str() == "a" { (0, "b") } else { (1, "a") };
    world.nodes[drained].draining.store(true, Ordering::Relaxed);
    world.tell().await;
    let next = world.matchmaking.join(&join("arena", &["q"])).await.expect("seated");
    assert_eq!(next.node.as_str(), other);
}

#[tokio::test]
async fn without_a_node_joining_is_unavailable_for_now() {
    let world = World::new(&[]).await;
    let error = world.matchmaking.join(&join("arena", &["p"])).await.expect_err("no node");
    assert!(matches!(error, MatchmakingError::Unavailable(_)));
    assert!(error.retry_after().is_some());
}

#[tokio::test]
async fn a_listing_goes_page_by_page() {
    let mut world = World::new(&["a"]).await;
    for n in 0..7 {
        let members = players(&[&format!("p{n}")]);
        let request = CreateRequest { mode: "arena".into(), members, ..Default::default() };
        world.matchmaking.create(&request).await.expect("created");
    }
    world.tell().await;
    let (mut after, mut seen, mut pages) = (None, BTreeSet::new(), 0);
    loop {
        let page = world.matchmaking.list(&RoomFilter::default(), after.as_ref(), 3);
        assert_eq!(page.total, 7);
        seen.extend(page.rooms.iter().map(|room| room.room.clone()));
        pages += 1;
        after = page.rooms.last().map(|room| room.room.clone());
        if !page.more {
            break;
        }
    }
    assert_eq!((pages, seen.len()), (3, 7));
}
