//! All of Fairshot in one process: matchmaking, a node, the admin API, metrics and health.

use crate::doors::{self, DoorError};
use crate::startup::{PROCESS_FAILED, loaded_modes};
use fairshot_actors::{Matchmaker, Node, NodeError, NodeSetup};
use fairshot_admin::AdminOptions;
use fairshot_cluster::agent::{NodeAgent, NodeSource};
use fairshot_cluster::control::{NodeControl, OneNode};
use fairshot_cluster::directory::LocalDirectory;
use fairshot_cluster::host::{OneHost, RoomHost};
use fairshot_cluster::matchmaking::{Matchmaking, MatchmakingSettings};
use fairshot_cluster::service::{CallWatch, MatchmakingService, ServiceSettings};
use fairshot_settings::Settings;
use fairshot_telemetry::health::Health;
use fairshot_telemetry::metrics::{JoinOutcome, Metrics, ProcessMetrics};
use fairshot_telemetry::{LogLimit, Page};
use fairshot_units::NodeId;
use std::io;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The name a node without a cluster goes by.
const LOCAL: &str = "local";
/// Threads of gRPC, metrics and the directory; players' traffic never comes here.
pub(crate) const CONTROL_THREADS: usize = 2;
/// Tasks of the control plane get this long to end.
pub(crate) const CONTROL_STOP_MAX: Duration = Duration::from_secs(6);

/// A running process, for its `main` and for tests.
#[derive(Debug)]
pub struct Standalone {
    node: Node,
    health: Health,
    metrics: Metrics,
    join: SocketAddr,
    admin: SocketAddr,
    metrics_page: SocketAddr,
    default_mode: String,
    stop: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
    control: Option<Runtime>,
}

/// Why it did not start. Nothing of it runs on.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot listen on {address} for {what}")]
    Listen { what: &'static str, address: SocketAddr, source: io::Error },
    #[error(transparent)]
    Door(#[from] DoorError),
    #[error(transparent)]
    Node(#[from] NodeError),
    #[error("the control plane has no threads")]
    Runtime(#[source] io::Error),
    #[error("no TLS provider could be installed")]
    Provider,
}

impl StartError {
    /// What the process ends with for it.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Door(error) => error.exit_code(),
            Self::Listen { .. } | Self::Node(_) | Self::Runtime(_) | Self::Provider => {
                PROCESS_FAILED
            }
        }
    }
}

impl Standalone {
    /// Starts everything. Call it inside an actix system: the shards are arbiters of it.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn start(settings: Settings, log: Option<LogLimit>) -> Result<Self, StartError> {
        install_provider();
        let auth = doors::player_auth(&settings.join)?;
        let admin_options = doors::admin_options(&settings.admin, LOCAL)?;
        let join = listen("matchmaking", settings.join.address)?;
        let admin = listen("the admin API", settings.admin.address)?;
        let page = listen("metrics", settings.metrics.address)?;
        let control = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(CONTROL_THREADS)
            .thread_name("control")
            .enable_all()
            .build()
            .map_err(StartError::Runtime)?;

        let metrics = Metrics::new();
        let process_metrics = ProcessMetrics::new(&metrics, env!("CARGO_PKG_VERSION"));
        let health = Health::new(Instant::now());
        let directory = Arc::new(LocalDirectory::new());
        let id = NodeId::new(LOCAL).map_err(|_| StartError::Provider)?;
        let node = Node::start(NodeSetup {
            id: id.clone(),
            region: settings.cluster.as_ref().map(|c| c.region.clone()).unwrap_or_default(),
            listen: (0..settings.node.shards).map(|shard| settings.players.bind(shard)).collect(),
            advertise: settings.players.advertise,
            rooms_per_shard_max: settings.node.rooms_per_shard_max,
            seat_lifetime: settings.seats.lifetime,
            seat_hold: settings.seats.hold,
            idle_timeout: settings.players.idle_timeout,
            modes: loaded_modes(&settings),
            directory: directory.clone(),
            metrics: metrics.clone(),
            process_metrics: process_metrics.clone(),
            health: health.clone(),
            control_uri: String::new(),
        })
        .await?;

        let (stop, stopped) = watch::channel(false);
        let agent =
            NodeAgent::new(directory.clone(), Arc::new(node.clone()) as Arc<dyn NodeSource>);
        node.set_poke(agent.poke());
        let hosts = OneHost::new(id, Arc::new(node.clone()) as Arc<dyn RoomHost>);
        let matchmaking =
            Arc::new(Matchmaking::new(directory, Arc::new(hosts), MatchmakingSettings::default()));
        let matchmaker = Arc::new(Matchmaker::start(matchmaking));
        let watch = JoinWatch(process_metrics.clone());
        let shown = Page {
            metrics: metrics.clone(),
            process: process_metrics.clone(),
            health: health.clone(),
            log,
        };
        let service = MatchmakingService::new(matchmaker, auth, ServiceSettings::default(), watch);
        let tasks = vec![
            control.spawn(agent.run(stopped.clone())),
            control.spawn(follow(node.clone(), stopped.clone())),
            control.spawn(serve_joins(join.0, service, stopped.clone())),
            control.spawn(serve_admin(
                admin.0,
                node.clone(),
                admin_options,
                health.clone(),
                process_metrics,
                stopped.clone(),
            )),
            control.spawn(serve_metrics(page.0, shown, stopped)),
        ];
        health.set_started();
        Ok(Self {
            node,
            health,
            metrics,
            join: join.1,
            admin: admin.1,
            metrics_page: page.1,
            default_mode: settings.modes.default.name.clone(),
            stop,
            tasks,
            control: Some(control),
        })
    }

    /// Where players ask for seats.
    #[must_use]
    pub fn join_address(&self) -> SocketAddr {
        self.join
    }

    /// Where operators call.
    #[must_use]
    pub fn admin_address(&self) -> SocketAddr {
        self.admin
    }

    /// Where Prometheus scrapes.
    #[must_use]
    pub fn metrics_address(&self) -> SocketAddr {
        self.metrics_page
    }

    #[must_use]
    pub fn node(&self) -> &Node {
        &self.node
    }

    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// What it listens on, and what to try next.
    #[must_use]
    pub fn banner(&self) -> String {
        let shards: Vec<_> = self.node.listens().iter().map(ToString::to_string).collect();
        format!(
            "fairshot {version} is up, node `{name}`\n\
             \x20 players   {join} (gRPC: seats), {shards} (QUIC, one port a shard)\n\
             \x20 operators {admin} (gRPC, reflection on)\n\
             \x20 metrics   http://{page}/metrics, health /livez /readyz\n\
             Try next, in another terminal:\n\
             \x20 cargo run --release -p fairshot-swarm -- --connect {join} --mode {mode} --rooms 1 --players 4 --seconds 60\n\
             \x20 cargo run --release -p fairshotctl -- rooms\n\
             \x20 cargo run --release -p fairshotctl -- heartbeats",
            version = env!("CARGO_PKG_VERSION"),
            name = self.node.name(),
            join = self.join,
            shards = shards.join(" "),
            admin = self.admin,
            page = self.metrics_page,
            mode = self.default_mode,
        )
    }

    /// Takes no new room and no new seat from now on, and health says so; rooms end by the deadline.
    pub fn drain(&self, deadline: Duration) {
        self.health.set_draining(true);
        self.node.drain_within(deadline);
    }

    /// Ends everything: players are told first, then operators' streams end, then the threads.
    pub async fn stop(mut self) {
        self.drain(Duration::ZERO);
        self.node.stop().await;
        let _ = self.stop.send(true);
        let all = async {
            for task in self.tasks.drain(..) {
                // A task that panicked has nothing left to end.
                let _ = task.await;
            }
        };
        if tokio::time::timeout(CONTROL_STOP_MAX, all).await.is_err() {
            tracing::warn!("the control plane did not end in time and is cut off");
        }
        if let Some(control) = self.control.take() {
            control.shutdown_background();
        }
    }
}

impl Drop for Standalone {
    fn drop(&mut self) {
        // A runtime may not be dropped where tasks run; its own threads end by themselves.
        if let Some(control) = self.control.take() {
            control.shutdown_background();
        }
    }
}

/// ring, for everything in this process that speaks TLS. A second call finds the first one's.
pub(crate) fn install_provider() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Binds before anything starts, so that a taken port is said at once.
pub(crate) fn listen(
    what: &'static str,
    address: SocketAddr,
) -> Result<(StdListener, SocketAddr), StartError> {
    let bound = || {
        let listener = StdListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    bound().map_err(|source| StartError::Listen { what, address, source })
}

pub(crate) async fn stopped(mut stop: watch::Receiver<bool>) {
    // A sender that is gone means the same.
    let _ = stop.wait_for(|stop| *stop).await;
}

/// Takes bans and rule settings over from the directory as they come.
pub(crate) async fn follow(node: Node, stop: watch::Receiver<bool>) {
    tokio::select! {
        () = node.follow_directory() => {}
        () = stopped(stop) => {}
    }
}

pub(crate) async fn serve_joins(
    listener: StdListener,
    service: MatchmakingService,
    stop: watch::Receiver<bool>,
) {
    let listener = match TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "matchmaking has no listener"),
    };
    let incoming = tonic::transport::server::TcpIncoming::from(listener).with_nodelay(Some(true));
    let served = tonic::transport::Server::builder()
        .max_concurrent_streams(256)
        .add_service(service.into_server())
        .serve_with_incoming_shutdown(incoming, stopped(stop))
        .await;
    if let Err(error) = served {
        tracing::error!(%error, "matchmaking ended");
    }
}

async fn serve_admin(
    listener: StdListener,
    node: Node,
    options: AdminOptions,
    health: Health,
    metrics: ProcessMetrics,
    stop: watch::Receiver<bool>,
) {
    let listener = match TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "the admin API has no listener"),
    };
    let nodes = Arc::new(OneNode(Arc::new(node) as Arc<dyn NodeControl>));
    let served =
        fairshot_admin::serve(listener, nodes, options, health, metrics, stopped(stop)).await;
    if let Err(error) = served {
        tracing::error!(%error, "the admin API ended");
    }
}

pub(crate) async fn serve_metrics(listener: StdListener, page: Page, stop: watch::Receiver<bool>) {
    let listener = match TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "the metrics page has no listener"),
    };
    if let Err(error) = fairshot_telemetry::serve_page(listener, page, stopped(stop)).await {
        tracing::error!(%error, "the metrics page ended");
    }
}

/// Counts joins by outcome.
pub(crate) struct JoinWatch(pub(crate) ProcessMetrics);

impl CallWatch for JoinWatch {
    fn ended(&self, call: &'static str, outcome: &'static str, _took: Duration) {
        if !matches!(call, "join" | "create") {
            return;
        }
        let outcome = match outcome {
            "ok" => JoinOutcome::Seated,
            other => match JoinOutcome::ALL.iter().find(|known| known.label() == other) {
                Some(known) => *known,
                None => JoinOutcome::NoCapacity,
            },
        };
        self.0.join(outcome);
    }
}
