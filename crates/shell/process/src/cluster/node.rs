//! A node: rooms, the players in them, and its word about both in the directory.

use super::{Base, ClusterError, admin_options, reach, run_cluster, serve_admin};
use crate::signals::Signals;
use crate::standalone::{StartError, follow, install_provider, listen, serve_metrics, stopped};
use crate::startup::{loaded_modes, until_empty};
use fairshot_actors::{Node, NodeSetup};
use fairshot_cluster::agent::{NodeAgent, NodeSource};
use fairshot_cluster::control::NodeControl;
use fairshot_cluster::host::RoomHost;
use fairshot_cluster::remote::{ClusterToken, NodeService, OwnNode, RemoteNodes};
use fairshot_matchmaking::SeatCounts;
use fairshot_settings::{Cluster, Program, Settings};
use fairshot_telemetry::health::Health;
use fairshot_telemetry::metrics::{Metrics, ProcessMetrics};
use fairshot_telemetry::{LogLimit, Page};
use fairshot_units::NodeId;
use std::net::TcpListener as StdListener;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

/// Runs a node in this process until it is told to stop, or is drained and empty.
#[must_use]
pub fn node_main(program: &Program) -> ExitCode {
    run_cluster(program, run)
}

/// How often a draining node looks whether it may go.
const LOOK_EVERY: Duration = Duration::from_millis(200);

async fn run(
    settings: Settings,
    cluster: Cluster,
    token_file: PathBuf,
    log: LogLimit,
) -> Result<(), ClusterError> {
    install_provider();
    let mut signals = Signals::listen().map_err(ClusterError::Signals)?;
    let name = cluster.node_id.clone().unwrap_or_else(made_up_name);
    let id = NodeId::new(&name).map_err(|_| ClusterError::Name(name.clone()))?;
    let admin = listen("the admin API", settings.admin.address)?;
    let page = listen("metrics", settings.metrics.address)?;
    let peers = listen("the cluster's processes", cluster.control_address)?;
    let options = admin_options(&settings, &name)?;
    let server = reach::server(&cluster)?;
    let Base { directory, token, peers_tls, mut control } = Base::new(&cluster, &token_file)?;

    let metrics = Metrics::new();
    let process = ProcessMetrics::new(&metrics, env!("CARGO_PKG_VERSION"));
    let health = Health::new(Instant::now());
    let node = Node::start(NodeSetup {
        id: id.clone(),
        region: cluster.region.clone(),
        listen: (0..settings.node.shards).map(|shard| settings.players.bind(shard)).collect(),
        advertise: settings.players.advertise,
        rooms_per_shard_max: settings.node.rooms_per_shard_max,
        seat_lifetime: settings.seats.lifetime,
        seat_hold: settings.seats.hold,
        idle_timeout: settings.players.idle_timeout,
        modes: loaded_modes(&settings),
        directory: directory.clone(),
        metrics: metrics.clone(),
        process_metrics: process.clone(),
        health: health.clone(),
        control_uri: cluster.control_url.clone(),
    })
    .await
    .map_err(StartError::from)?;

    let shared = Arc::new(node.clone());
    let agent = NodeAgent::new(directory.clone(), Arc::clone(&shared) as Arc<dyn NodeSource>);
    node.set_poke(agent.poke());
    let own = OwnNode {
        node: id,
        host: Arc::clone(&shared) as Arc<dyn RoomHost>,
        control: Arc::clone(&shared) as Arc<dyn NodeControl>,
    };
    let service = NodeService::new(own.host.clone(), own.control.clone());
    let nodes = Arc::new(RemoteNodes::new(directory.clone(), token.clone(), peers_tls, Some(own)));
    let shown = Page { metrics, process: process.clone(), health: health.clone(), log: Some(log) };
    let stop = control.stopping();
    control.spawn(agent.run(stop.clone()));
    control.spawn(follow(node.clone(), stop.clone()));
    control.spawn(serve_peers(peers.0, service, token, server, stop.clone()));
    control.spawn(serve_admin(admin.0, nodes, options, health.clone(), process, stop.clone()));
    control.spawn(serve_metrics(page.0, shown, stop));
    health.set_started();
    let shards: Vec<_> = node.listens().iter().map(ToString::to_string).collect();
    println!(
        "fairshot-node {} is up, node `{name}`: players {} (QUIC), peers {} (gRPC), operators {} (gRPC), metrics http://{}/metrics",
        env!("CARGO_PKG_VERSION"),
        shards.join(" "),
        peers.1,
        admin.1,
        page.1
    );
    tokio::select! {
        told = signals.next() => {
            tracing::info!(?told, grace_s = settings.node.grace.as_secs(), "stopping: no new seats");
            health.set_draining(true);
            node.drain_within(settings.node.grace);
            tokio::select! {
                () = until_empty(&node, settings.node.grace) => {}
                told = signals.next() => tracing::info!(?told, "told again: stopping now"),
            }
        }
        () = drained(&node, &health) => tracing::info!("drained: stopping"),
    }
    node.stop().await;
    control.end().await;
    tracing::info!("stopped");
    Ok(())
}

/// Waits for an operator's drain, and then until nobody is left nor may come back, or the deadline is over.
async fn drained(node: &Node, health: &Health) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let Ok(info) = node.node().await else { continue };
        let Some(left_s) = info.drains_in_s else { continue };
        health.set_draining(true);
        let SeatCounts { reserved, taken, held, .. } = node.seats();
        let nobody = node.players_connected() == 0 && [reserved, taken, held] == [0; 3];
        if nobody || left_s == 0 {
            return;
        }
    }
}

async fn serve_peers(
    listener: StdListener,
    service: NodeService,
    token: ClusterToken,
    mut server: Server,
    stop: watch::Receiver<bool>,
) {
    let listener = match TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "the cluster's processes have no listener"),
    };
    let served = server
        .add_service(service.into_server(&token))
        .serve_with_incoming_shutdown(
            TcpIncoming::from(listener).with_nodelay(Some(true)),
            stopped(stop),
        )
        .await;
    if let Err(error) = served {
        tracing::error!(%error, "the node's calls for the cluster ended");
    }
}

/// A name no other start of this or another process takes.
fn made_up_name() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("node-{:x}-{:x}", std::process::id(), since.as_micros())
}
