//! A matchmaker: one of any number of equals, holding nothing that its death would lose.

use super::{Base, ClusterError, admin_options, run_cluster, serve_admin};
use crate::doors::player_auth;
use crate::signals::Signals;
use crate::standalone::{JoinWatch, install_provider, listen, serve_joins, serve_metrics};
use fairshot_actors::Matchmaker;
use fairshot_cluster::directory::{Directory, ViewState};
use fairshot_cluster::matchmaking::{Matchmaking, MatchmakingSettings};
use fairshot_cluster::remote::RemoteNodes;
use fairshot_cluster::service::{MatchmakingService, ServiceSettings};
use fairshot_settings::{Cluster, Program, Settings};
use fairshot_telemetry::health::Health;
use fairshot_telemetry::metrics::{Metrics, ProcessMetrics};
use fairshot_telemetry::{LogLimit, Page};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Calls under way get this long after SIGTERM; callers who come in between go to another replica.
const GOODBYE: Duration = Duration::from_millis(200);

/// Runs a matchmaker in this process until it is told to stop.
#[must_use]
pub fn matchmaker_main(program: &Program) -> ExitCode {
    run_cluster(program, run)
}

async fn run(
    settings: Settings,
    cluster: Cluster,
    token_file: PathBuf,
    log: LogLimit,
) -> Result<(), ClusterError> {
    install_provider();
    let mut signals = Signals::listen().map_err(ClusterError::Signals)?;
    let auth = player_auth(&settings.join)?;
    let join = listen("matchmaking", settings.join.address)?;
    let admin = listen("the admin API", settings.admin.address)?;
    let page = listen("metrics", settings.metrics.address)?;
    let name = cluster.node_id.clone().unwrap_or_else(|| "matchmaker".to_owned());
    let options = admin_options(&settings, &name)?;
    let Base { directory, token, peers_tls, mut control } = Base::new(&cluster, &token_file)?;

    let metrics = Metrics::new();
    let process = ProcessMetrics::new(&metrics, env!("CARGO_PKG_VERSION"));
    let health = Health::new(Instant::now());
    let nodes = Arc::new(RemoteNodes::new(directory.clone(), token, peers_tls, None));
    let matchmaking = Arc::new(Matchmaking::new(
        directory.clone(),
        nodes.clone(),
        MatchmakingSettings::default(),
    ));
    let matchmaker = Arc::new(Matchmaker::start(matchmaking));
    let watch = JoinWatch(process.clone());
    let service = MatchmakingService::new(matchmaker, auth, ServiceSettings::default(), watch);
    let shown = Page { metrics, process: process.clone(), health: health.clone(), log: Some(log) };
    let stop = control.stopping();
    control.spawn(serve_joins(join.0, service, stop.clone()));
    control.spawn(serve_admin(admin.0, nodes, options, health.clone(), process, stop.clone()));
    control.spawn(serve_metrics(page.0, shown, stop));
    let (mut states, started) = (directory.view().states(), health.clone());
    control.spawn(async move {
        if states.wait_for(|state| *state == ViewState::Live).await.is_ok() {
            started.set_started();
        }
    });
    println!(
        "fairshot-matchmaker {} is up: players {} (gRPC), operators {} (gRPC), metrics http://{}/metrics",
        env!("CARGO_PKG_VERSION"),
        join.1,
        admin.1,
        page.1
    );
    let told = signals.next().await;
    tracing::info!(?told, "stopping");
    health.set_draining(true);
    tokio::time::sleep(GOODBYE).await;
    control.end().await;
    Ok(())
}
