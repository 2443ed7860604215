//! The server: every service behind one guard, on one listener, until it is told to stop.

use crate::access::Access;
use crate::changes::Changes;
use crate::guard::{GuardLayer, Shared};
use crate::limits::{CallRate, Limits};
use crate::service::AdminService;
use crate::tls::Tls;
use fairshot_audit::AuditLog;
use fairshot_cluster::control::NodeSet;
use fairshot_proto::v1::admin_server;
use fairshot_telemetry::health::Health;
use fairshot_telemetry::metrics::ProcessMetrics;
use futures::future::Either;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

/// How the API is guarded.
#[derive(Debug)]
pub struct AdminOptions {
    pub access: Access,
    /// `None` speaks plain text, on loopback only.
    pub tls: Option<Tls>,
    /// `None` writes mutating calls to the log only.
    pub audit: Option<AuditLog>,
    pub rate: CallRate,
    /// The longest a call may take until its answer, or its stream, begins.
    pub deadline: Duration,
}

/// Why the API is not served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("{0} is not loopback: the admin API leaves loopback only with tokens and TLS")]
    Exposed(SocketAddr),
    #[error("the admin API's listener: {0}")]
    Listener(#[from] std::io::Error),
    #[error("the admin API: {0}")]
    Serve(#[from] tonic::transport::Error),
    #[error("reflection: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// Streams that may be open at once, over all callers.
const STREAMS_MAX: usize = 256;
/// How long calls in flight may go on after the stop.
const STOP_GRACE: Duration = Duration::from_secs(5);
const HEALTH_EVERY: Duration = Duration::from_millis(250);
/// How often the files of tokens and certificates are looked at.
const FILES_EVERY: Duration = Duration::from_millis(500);

/// Serves the API on a bound listener until `stop` is done; streams then end as a server's do that has
/// no more to say, and calls in flight have 5 s.
///
/// # Errors
/// [`ServeError::Exposed`] before a single connection is taken, where the listener is not on loopback
/// and tokens or TLS are missing.
pub async fn serve(
    listener: TcpListener,
    nodes: Arc<dyn NodeSet>,
    options: AdminOptions,
    health: Health,
    metrics: ProcessMetrics,
    stop: impl Future<Output = ()> + Send,
) -> Result<(), ServeError> {
    let address = listener.local_addr()?;
    let guarded = options.access.asks() && options.tls.is_some();
    if !address.ip().is_loopback() && !guarded {
        return Err(ServeError::Exposed(address));
    }
    let (stopping, stopped) = watch::channel(false);
    let (reporter, health_service) = tonic_health::server::health_reporter();
    let watching = tokio::spawn(report_health(reporter, health, stopped.clone()));
    let files = watch_files(options.access.clone(), options.tls.clone(), stopped.clone());
    let files = tokio::spawn(files);
    let changes = Changes::new(options.audit, metrics.clone());
    let service = AdminService::new(nodes, changes, STREAMS_MAX, stopped.clone());
    let shared = Shared {
        access: options.access,
        limits: Limits::new(options.rate),
        metrics,
        deadline: options.deadline,
    };
    let served = Server::builder()
        .layer(GuardLayer(Arc::new(shared)))
        .max_concurrent_streams(128)
        .http2_keepalive_interval(Some(Duration::from_secs(30)))
        .http2_keepalive_timeout(Some(Duration::from_secs(10)))
        .http2_max_header_list_size(16 * 1024)
        .add_service(health_service)
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?)
        .add_service(admin_server::AdminServer::new(service));
    let served = match options.tls {
        None => {
            let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
            Either::Left(served.serve_with_incoming_shutdown(incoming, wait_for(stopped)))
        }
        Some(tls) => {
            let incoming = tls.incoming(listener);
            Either::Right(served.serve_with_incoming_shutdown(incoming, wait_for(stopped)))
        }
    };
    tokio::pin!(served);
    let result = tokio::select! {
        result = &mut served => result,
        () = stop => {
            let _ = stopping.send(true);
            match tokio::time::timeout(STOP_GRACE, &mut served).await {
                Ok(result) => result,
                Err(_) => {
                    tracing::warn!("admin calls cut off at the end of their grace");
                    Ok(())
                }
            }
        }
    };
    let _ = stopping.send(true);
    watching.abort();
    files.abort();
    Ok(result?)
}

/// Waits until the server stops.
pub(crate) async fn wait_for(mut stopped: watch::Receiver<bool>) {
    // An error says that the sender is gone, and with it the server.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// Looks at the files of tokens and certificates, until the server stops.
async fn watch_files(access: Access, tls: Option<Tls>, mut stopped: watch::Receiver<bool>) {
    while !*stopped.borrow() {
        access.look();
        if let Some(tls) = &tls {
            tls.look();
        }
        let _ = tokio::time::timeout(FILES_EVERY, stopped.changed()).await;
    }
}

fn reflection() -> tonic_reflection::server::Builder<'static> {
    tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(fairshot_proto::DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}

async fn report_health(
    reporter: HealthReporter,
    health: Health,
    mut stopped: watch::Receiver<bool>,
) {
    let mut said = None;
    loop {
        let stopping = *stopped.borrow();
        let ready = !stopping && health.ready(Instant::now()).is_ok();
        if said != Some(ready) {
            let status = if ready { ServingStatus::Serving } else { ServingStatus::NotServing };
            reporter.set_service_status("", status).await;
            reporter.set_service_status("fairshot.v1.Admin", status).await;
            said = Some(ready);
        }
        if stopping {
            return;
        }
        let _ = tokio::time::timeout(HEALTH_EVERY, stopped.changed()).await;
    }
}
