//! Both directories pass one suite; etcd's also outlives what happens to etcd.

use crate::support::conformance::{Cluster, eventually, holds};
use crate::support::etcd::{EtcdServer, Wire};
use crate::support::{FakeNode, FakeNodes, players};
use fairshot_cluster::agent::NodeAgent;
use fairshot_cluster::control::{RuleKey, RuleValue};
use fairshot_cluster::directory::{Directory, EtcdDirectory, LocalDirectory, ViewState};
use fairshot_cluster::matchmaking::{JoinRequest, Matchmaking, MatchmakingSettings, Target};
use fairshot_matchmaking::{Labels, RoomFilter};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// One node that has told of itself, and a matchmaker in another process that sees it.
struct OneNode {
    node: Arc<FakeNode>,
    agent: NodeAgent,
    other: Arc<EtcdDirectory>,
    matchmaking: Matchmaking,
}

impl OneNode {
    async fn told(own: Arc<EtcdDirectory>, other: Arc<EtcdDirectory>) -> Self {
        let node = FakeNode::new("a");
        let mut agent = NodeAgent::new(own, Arc::clone(&node) as _);
        agent.round().await.expect("told");
        eventually(other.as_ref(), "the node", |view| view.nodes.len() == 1).await;
        let hosts = FakeNodes::of(&[Arc::clone(&node)]);
        let matchmaking = Matchmaking::new(other.clone(), hosts, MatchmakingSettings::default());
        Self { node, agent, other, matchmaking }
    }
}

struct LocalCluster(LocalDirectory);

impl Cluster for LocalCluster {
    fn handle(&self) -> Arc<dyn Directory> {
        Arc::new(self.0.sibling())
    }
}

async fn state_becomes(directory: &dyn Directory, live: bool) {
    let mut states = directory.view().states();
    let reached = states.wait_for(|state| (*state == ViewState::Live) == live);
    let reached = timeout(Duration::from_secs(20), reached).await;
    assert!(reached.is_ok(), "never became live={live}");
}

fn join(name: &str) -> JoinRequest {
    JoinRequest {
        target: Target::Mode("arena".into()),
        region: None,
        members: players(&[name]),
        labels: Labels::default(),
        address: None,
    }
}

#[tokio::test]
async fn the_in_process_directory_conforms() {
    holds(&LocalCluster(LocalDirectory::new())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn etcds_directory_conforms() {
    let Some(server) = EtcdServer::start().await else { return };
    holds(&server.cluster()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn etcd_killed_and_started_again_loses_no_room_and_joining_waits() {
    let Some(mut server) = EtcdServer::start().await else { return };
    let cluster = server.cluster();
    let OneNode { node, mut agent, other, matchmaking } =
        OneNode::told(cluster.connect(), cluster.connect()).await;
    let joined = matchmaking.join(&join("p")).await.expect("seated");
    server.kill().await;
    state_becomes(other.as_ref(), false).await;
    let refused = matchmaking.join(&join("q")).await.expect_err("nobody is sent on old news");
    assert_eq!((refused.label(), refused.retry_after().is_some()), ("unavailable", true));
    assert!(agent.round().await.is_err() || node.room_count() == 1);
    assert_eq!(node.room_count(), 1, "the room runs on");
    assert!(other.view().read(|view| view.rooms.contains_key(&joined.room)), "and is listed");
    server.run().await;
    state_becomes(other.as_ref(), true).await;
    let again = matchmaking.join(&join("q")).await.expect("seated");
    assert_eq!(again.room, joined.room);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_etcd_that_lost_everything_is_told_everything_again() {
    let Some(mut server) = EtcdServer::start().await else { return };
    let cluster = server.cluster();
    let OneNode { node, agent, other, matchmaking } =
        OneNode::told(cluster.connect(), cluster.connect()).await;
    let (_stop, stopped) = tokio::sync::watch::channel(false);
    tokio::spawn(agent.run(stopped));
    let joined = matchmaking.join(&join("p")).await.expect("seated");
    server.lose_everything().await;
    eventually(other.as_ref(), "the loss", |view| view.rooms.is_empty()).await;
    eventually(other.as_ref(), "the room again", |view| view.rooms.contains_key(&joined.room))
        .await;
    assert!(node.retired().is_empty());
}

/// The room opened a moment before: the directory has it, its node has told nothing of it yet.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_room_not_told_of_when_etcd_lost_everything_runs_on_and_is_told_again() {
    let Some(mut server) = EtcdServer::start().await else { return };
    let cluster = server.cluster();
    let OneNode { node, mut agent, other, matchmaking } =
        OneNode::told(cluster.connect(), cluster.connect()).await;
    let joined = matchmaking.join(&join("p")).await.expect("seated");
    server.lose_everything().await;
    let told_again = timeout(Duration::from_secs(20), async {
        // The word of the loss comes with a round or with the lease's renewal, whichever is first.
        while agent.round().await.is_err() {
            tokio::task::yield_now().await;
        }
    });
    assert!(told_again.await.is_ok(), "never told again");
    assert!(node.retired().is_empty());
    eventually(other.as_ref(), "the room again", |view| view.rooms.contains_key(&joined.room))
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cut_and_mended_wire_and_a_compaction_leave_no_gap() {
    let Some(server) = EtcdServer::start().await else { return };
    let cluster = server.cluster();
    let wire = Wire::to(server.port).await;
    let (near, far) = (cluster.connect(), cluster.through(wire.port));
    state_becomes(far.as_ref(), true).await;
    near.put_rule("arena", &RuleKey::Cover, Some(RuleValue::Flag(false))).await.expect("kept");
    eventually(far.as_ref(), "the rule", |view| view.rules.len() == 1).await;
    wire.cut();
    state_becomes(far.as_ref(), false).await;
    for n in 0..50u8 {
        let value = RuleValue::Number(f32::from(n));
        near.put_rule("arena", &RuleKey::OriginMetres, Some(value)).await.expect("kept");
    }
    near.put_rule("arena", &RuleKey::Cover, None).await.expect("removed");
    near.compact().await.expect("compacted");
    assert_eq!(far.view().read(|view| view.rules.len()), 1, "what was known stays to be read");
    wire.mend();
    eventually(far.as_ref(), "the present", |view| {
        view.rules_of("arena").into_iter().collect::<Vec<_>>()
            == [(RuleKey::OriginMetres, RuleValue::Number(49.0))]
    })
    .await;
    state_becomes(far.as_ref(), true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_cut_off_from_etcd_is_gone_within_its_lease_and_comes_back_by_itself() {
    let Some(server) = EtcdServer::start().await else { return };
    let cluster = server.cluster();
    let wire = Wire::to(server.port).await;
    let OneNode { node, agent, other, matchmaking } =
        OneNode::told(cluster.through(wire.port), cluster.connect()).await;
    let (_stop, stopped) = tokio::sync::watch::channel(false);
    tokio::spawn(agent.run(stopped));
    let joined = matchmaking.join(&join("p")).await.expect("seated");
    eventually(other.as_ref(), "its seats", |view| {
        view.rooms.get(&joined.room).is_some_and(|room| room.summary.seats.seats_max == 4)
    })
    .await;
    let cut_at = Instant::now();
    wire.cut();
    eventually(other.as_ref(), "its end", |view| view.nodes.is_empty() && view.rooms.is_empty())
        .await;
    assert!(cut_at.elapsed() < Duration::from_secs(8), "a lease of 2 s and etcd's own margin");
    assert_eq!(node.room_count(), 1, "its room runs on");
    wire.mend();
    eventually(other.as_ref(), "its return", |view| view.rooms.contains_key(&joined.room)).await;
    assert!(node.retired().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_rooms_on_two_nodes_are_listed_in_under_20_ms() {
    let Some(server) = EtcdServer::start().await else { return };
    let cluster = server.cluster();
    let nodes = [FakeNode::new("a"), FakeNode::new("b")];
    let (_stop, stopped) = tokio::sync::watch::channel(false);
    for node in &nodes {
        let agent = NodeAgent::new(cluster.handle(), Arc::clone(node) as _);
        tokio::spawn(agent.run(stopped.clone()));
    }
    let directory = cluster.connect();
    eventually(directory.as_ref(), "the nodes", |view| view.nodes.len() == 2).await;
    let settings = MatchmakingSettings::default();
    let matchmaking = Matchmaking::new(directory.clone(), FakeNodes::of(&nodes), settings);
    let began = Instant::now();
    for n in 0..800 {
        matchmaking.join(&join(&format!("p{n}"))).await.expect("seated");
    }
    let joins_a_second = 800.0 / began.elapsed().as_secs_f64();
    let filter = RoomFilter { mode: Some("arena".into()), ..Default::default() };
    let began = Instant::now();
    let page = matchmaking.list(&filter, None, 1_000);
    let listing = began.elapsed();
    assert_eq!(page.total, 200);
    eprintln!("{joins_a_second:.0} joins a second; 200 rooms listed in {listing:?}");
    assert!(listing < Duration::from_millis(20), "{listing:?}");
}
