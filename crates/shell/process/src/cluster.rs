//! The two halves of a cluster as processes: a node, and a matchmaker beside any number of others.
//!
//! Both follow the directory in etcd, serve the operators' API over the whole cluster, and run on when
//! etcd does not answer: a node ticks its rooms, a matchmaker tells players when to come back.

mod matchmaker;
mod node;
mod reach;

pub use matchmaker::matchmaker_main;
pub use node::node_main;

use crate::doors::{self, DoorError};
use crate::standalone::{CONTROL_STOP_MAX, CONTROL_THREADS, StartError, stopped};
use crate::startup::{PROCESS_FAILED, chain, exit_with, install};
use fairshot_admin::AdminOptions;
use fairshot_cluster::control::NodeSet;
use fairshot_cluster::directory::{DirectoryError, EtcdDirectory};
use fairshot_cluster::remote::ClusterToken;
use fairshot_settings::{Cluster, EXIT_USAGE, Program, Settings};
use fairshot_telemetry::health::Health;
use fairshot_telemetry::metrics::ProcessMetrics;
use fairshot_telemetry::{InstallError, LogLimit};
use std::io;
use std::net::TcpListener as StdListener;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic::transport::ClientTlsConfig;

/// Why a process of a cluster did not start, or could not go on.
#[derive(Debug, thiserror::Error)]
enum ClusterError {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("cluster.token_file: {}: {reason}", .path.display())]
    TokenText { path: PathBuf, reason: String },
    #[error("cluster.tls_cert_file, cluster.tls_key_file, cluster.tls_ca_file")]
    Tls(#[from] tonic::transport::Error),
    #[error("the directory")]
    Directory(#[from] DirectoryError),
    #[error("signals")]
    Signals(#[source] io::Error),
    #[error("{0:?} is no node's name: 1 to 64 of A-Z a-z 0-9 _ - .")]
    Name(String),
    #[error("the log")]
    Log(#[from] InstallError),
}

impl ClusterError {
    fn exit_code(&self) -> u8 {
        match self {
            Self::Start(error) => error.exit_code(),
            Self::TokenText { .. } | Self::Tls(_) | Self::Name(_) => EXIT_USAGE,
            Self::Directory(_) | Self::Signals(_) | Self::Log(_) => PROCESS_FAILED,
        }
    }
}

impl From<DoorError> for ClusterError {
    fn from(error: DoorError) -> Self {
        Self::Start(error.into())
    }
}

/// What both kinds of process stand on.
struct Base {
    directory: Arc<EtcdDirectory>,
    token: ClusterToken,
    /// How nodes are called.
    peers_tls: Option<ClientTlsConfig>,
    control: Control,
}

/// The control plane's threads and tasks.
struct Control {
    runtime: Option<Runtime>,
    stop: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
}

impl Base {
    fn new(cluster: &Cluster, token_file: &Path) -> Result<Self, ClusterError> {
        let token = reach::token(token_file)?;
        let peers_tls = reach::peers(cluster)?;
        let settings = reach::etcd(cluster)?;
        let control = Control::new()?;
        let directory = {
            let _inside = control.enter();
            Arc::new(EtcdDirectory::connect(&settings)?)
        };
        Ok(Self { directory, token, peers_tls, control })
    }
}

impl Control {
    fn new() -> Result<Self, ClusterError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(CONTROL_THREADS)
            .thread_name("control")
            .enable_all()
            .build()
            .map_err(StartError::Runtime)?;
        let stop = watch::Sender::new(false);
        Ok(Self { runtime: Some(runtime), stop, tasks: Vec::new() })
    }

    fn enter(&self) -> Option<tokio::runtime::EnterGuard<'_>> {
        self.runtime.as_ref().map(Runtime::enter)
    }

    fn spawn(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.runtime {
            self.tasks.push(runtime.spawn(task));
        }
    }

    fn stopping(&self) -> watch::Receiver<bool> {
        self.stop.subscribe()
    }

    /// Tells every task, and waits for them a while.
    async fn end(mut self) {
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
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        // A runtime may not be dropped where tasks run; its own threads end by themselves.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// From the command line to the end of `run`, in an actix system.
fn run_cluster<F>(
    program: &Program,
    run: impl FnOnce(Settings, Cluster, PathBuf, LogLimit) -> F,
) -> ExitCode
where
    F: Future<Output = Result<(), ClusterError>>,
{
    let settings = match fairshot_settings::load(program) {
        Ok(settings) => settings,
        Err(error) => return exit_with(&error),
    };
    let cluster = settings.cluster.clone();
    let token_file = cluster.as_ref().and_then(|cluster| cluster.token_file.clone());
    let (Some(cluster), Some(token_file)) = (cluster, token_file) else {
        eprintln!("{}: cluster.etcd_endpoints and cluster.token_file must be set", program.name);
        return ExitCode::from(EXIT_USAGE);
    };
    let outcome = install(&settings, program).map_err(ClusterError::from).and_then(|installed| {
        for warning in &settings.warnings {
            tracing::warn!("{warning}");
        }
        tracing::info!(version = program.version, "starting\n{settings}");
        let running = run(settings, cluster, token_file, installed.log_limit());
        actix::System::new().block_on(running)
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {}", program.name, chain(&error));
            ExitCode::from(error.exit_code())
        }
    }
}

async fn serve_admin(
    listener: StdListener,
    nodes: Arc<dyn NodeSet>,
    options: AdminOptions,
    health: Health,
    metrics: ProcessMetrics,
    stop: watch::Receiver<bool>,
) {
    let listener = match TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "the admin API has no listener"),
    };
    let served =
        fairshot_admin::serve(listener, nodes, options, health, metrics, stopped(stop)).await;
    if let Err(error) = served {
        tracing::error!(%error, "the admin API ended");
    }
}

fn admin_options(settings: &Settings, process: &str) -> Result<AdminOptions, ClusterError> {
    Ok(doors::admin_options(&settings.admin, process)?)
}
