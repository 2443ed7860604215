//! Nodes and a matchmaker as their own processes would be: each with a handle of its own on the directory,
//! reaching each other over gRPC alone.

use fairshot_actors::{LoadedMode, Matchmaker, Modes, Node, NodeSetup};
use fairshot_admin::{Access, AdminOptions, CallRate, serve};
use fairshot_cluster::agent::{NodeAgent, NodeSource};
use fairshot_cluster::auth::PlayerAuth;
use fairshot_cluster::control::NodeControl;
use fairshot_cluster::directory::LocalDirectory;
use fairshot_cluster::host::RoomHost;
use fairshot_cluster::matchmaking::{Matchmaking, MatchmakingSettings};
use fairshot_cluster::remote::{ClusterToken, NodeService, RemoteNodes};
use fairshot_cluster::service::{MatchmakingService, NoWatch, ServiceSettings};
use fairshot_mode::presets::PRESETS;
use fairshot_proto::v1::admin_client::AdminClient;
use fairshot_telemetry::health::Health;
use fairshot_telemetry::metrics::{Metrics, ProcessMetrics};
use fairshot_units::NodeId;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Endpoint, Server};

/// A cluster on loopback.
pub struct Cluster {
    pub nodes: Vec<Node>,
    /// Where players ask for seats.
    pub join: SocketAddr,
    admin: SocketAddr,
    stop: watch::Sender<bool>,
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cluster").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

impl Cluster {
    /// Nodes of these names, and one matchmaker that holds no room itself.
    ///
    /// # Panics
    /// Where one does not start.
    pub async fn open(names: &[&str]) -> Self {
        let stop = watch::Sender::new(false);
        let directory = LocalDirectory::new();
        let token = ClusterToken::new("the-token-of-this-test").expect("a token");
        let mut nodes = Vec::new();
        for name in names {
            nodes.push(node(name, directory.sibling(), &token, stop.subscribe()).await);
        }
        let directory = Arc::new(directory);
        let remote = Arc::new(RemoteNodes::new(directory.clone(), token, None, None));
        let settings = MatchmakingSettings::default();
        let matchmaking = Arc::new(Matchmaking::new(directory, remote.clone(), settings));
        let matchmaker = Arc::new(Matchmaker::start(matchmaking));
        let settings = ServiceSettings::default();
        let joins = MatchmakingService::new(matchmaker, PlayerAuth::Open, settings, NoWatch);
        let (listener, join) = bound().await;
        let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
        let served = Server::builder().add_service(joins.into_server());
        tokio::spawn(served.serve_with_incoming_shutdown(incoming, stopped(stop.subscribe())));
        let (listener, admin) = bound().await;
        let options = AdminOptions {
            access: Access::open_on_loopback(),
            tls: None,
            audit: None,
            rate: CallRate::default(),
            deadline: Duration::from_secs(10),
        };
        let health = Health::new(Instant::now());
        health.set_started();
        let process = ProcessMetrics::new(&Metrics::new(), "0");
        let stopping = stopped(stop.subscribe());
        tokio::spawn(serve(listener, remote, options, health, process, stopping));
        let cluster = Self { nodes, join, admin, stop };
        cluster.settled(names.len()).await;
        cluster
    }

    /// An operator's client of the matchmaker.
    ///
    /// # Panics
    /// Where nobody answers.
    pub async fn operator(&self) -> AdminClient<Channel> {
        let endpoint = Endpoint::from_shared(format!("http://{}", self.admin)).expect("an address");
        AdminClient::new(endpoint.connect().await.expect("the admin API"))
    }

    /// Waits until the directory knows every node.
    async fn settled(&self, nodes: usize) {
        let mut client = self.operator().await;
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            let request = fairshot_proto::v1::ListNodesRequest {};
            let listed = client.list_nodes(request).await.expect("nodes").into_inner().nodes;
            if listed.iter().filter(|node| node.unreachable.is_empty()).count() == nodes {
                return;
            }
            assert!(Instant::now() < until, "{listed:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Ends every node and both doors.
    pub async fn close(self) {
        for node in &self.nodes {
            node.stop().await;
        }
        // Whoever still listens hears it; nobody left is as well.
        let _ = self.stop.send(true);
    }
}

async fn node(
    name: &str,
    directory: LocalDirectory,
    token: &ClusterToken,
    stop: watch::Receiver<bool>,
) -> Node {
    let metrics = Metrics::new();
    let (listener, control) = bound().await;
    let directory = Arc::new(directory);
    let mut modes = Modes::default();
    for preset in PRESETS {
        modes.insert(LoadedMode::new(Arc::new(preset.parse().expect("a committed mode"))));
    }
    let node = Node::start(NodeSetup {
        id: NodeId::new(name).expect("an id"),
        region: String::new(),
        listen: vec![SocketAddr::from((Ipv4Addr::LOCALHOST, 0))],
        advertise: IpAddr::V4(Ipv4Addr::LOCALHOST),
        rooms_per_shard_max: 8,
        seat_lifetime: Duration::from_secs(15),
        seat_hold: Duration::from_secs(30),
        idle_timeout: Duration::from_secs(10),
        modes,
        directory: directory.clone(),
        process_metrics: ProcessMetrics::new(&metrics, "0"),
        metrics,
        health: Health::new(Instant::now()),
        control_uri: format!("http://{control}"),
    })
    .await
    .expect("a node");
    let shared = Arc::new(node.clone());
    let agent = NodeAgent::new(directory, Arc::clone(&shared) as Arc<dyn NodeSource>);
    node.set_poke(agent.poke());
    let host = Arc::clone(&shared) as Arc<dyn RoomHost>;
    let service = NodeService::new(host, shared as Arc<dyn NodeControl>);
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let served = Server::builder().add_service(service.into_server(token));
    tokio::spawn(served.serve_with_incoming_shutdown(incoming, stopped(stop.clone())));
    tokio::spawn(agent.run(stop.clone()));
    let follower = node.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = follower.follow_directory() => {}
            () = stopped(stop) => {}
        }
    });
    node
}

async fn bound() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    (listener, address)
}

async fn stopped(mut stop: watch::Receiver<bool>) {
    // A sender that is gone means the same.
    let _ = stop.wait_for(|stop| *stop).await;
}
