//! A served API, and clients of it.

use crate::double::{Double, Doubles};
use fairshot_admin::access::sha256_hex;
use fairshot_admin::audit::AuditLog;
use fairshot_admin::{Access, AdminOptions, CallRate, ServeError, Tls, serve};
use fairshot_proto::v1::admin_client::AdminClient;
use fairshot_telemetry::health::Health;
use fairshot_telemetry::metrics::{Metrics, ProcessMetrics};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tonic::Request;
use tonic::transport::{Channel, Endpoint};

pub struct Served {
    pub address: SocketAddr,
    pub node: Arc<Double>,
    pub audit: PathBuf,
    pub metrics: Metrics,
    /// Kept, so that the files stay.
    _folder: tempfile::TempDir,
    pub stop: oneshot::Sender<()>,
    pub task: JoinHandle<Result<(), ServeError>>,
}

pub struct Setup {
    pub nodes: Vec<Arc<Double>>,
    pub tokens: bool,
    pub rate: CallRate,
    pub tls: Option<Tls>,
    pub more_access: String,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            nodes: vec![Double::new("local", "alice")],
            tokens: true,
            rate: CallRate::default(),
            tls: None,
            more_access: String::new(),
        }
    }
}

pub const VIEWER: &str = "token-of-the-viewer";
pub const OPERATOR: &str = "token-of-the-operator";
pub const ADMIN: &str = "token-of-the-admin";

impl Setup {
    pub async fn serve(self) -> Served {
        let folder = tempfile::tempdir().expect("a folder");
        let audit = folder.path().join("audit.jsonl");
        let access = if self.tokens {
            let path = folder.path().join("tokens.toml");
            std::fs::write(&path, tokens() + &self.more_access).expect("writes");
            Access::from_file(&path).expect("reads")
        } else {
            Access::open_on_loopback()
        };
        let options = AdminOptions {
            access,
            tls: self.tls,
            audit: Some(AuditLog::open(&audit, "test").expect("opens")),
            rate: self.rate,
            deadline: Duration::from_secs(10),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
        let address = listener.local_addr().expect("has an address");
        let (stop, stopped) = oneshot::channel();
        let metrics = Metrics::new();
        let health = Health::new(Instant::now());
        health.set_started();
        let node = Arc::clone(&self.nodes[0]);
        let serving = serve(
            listener,
            Arc::new(Doubles(self.nodes)),
            options,
            health,
            ProcessMetrics::new(&metrics, "0"),
            async {
                let _ = stopped.await;
            },
        );
        let task = tokio::spawn(serving);
        Served { address, node, audit, metrics, _folder: folder, stop, task }
    }
}

fn tokens() -> String {
    [("wall", "viewer", VIEWER), ("ops", "operator", OPERATOR), ("root", "admin", ADMIN)]
        .iter()
        .map(|(name, role, token)| {
            let sha256 = sha256_hex(token.as_bytes());
            format!("[[tokens]]\nname = \"{name}\"\nrole = \"{role}\"\nsha256 = \"{sha256}\"\n")
        })
        .collect()
}

impl Served {
    pub async fn channel(&self) -> Channel {
        let endpoint = Endpoint::from_shared(format!("http://{}", self.address));
        endpoint.expect("an address").connect().await.expect("connects")
    }

    pub async fn client(&self) -> AdminClient<Channel> {
        AdminClient::new(self.channel().await)
    }
}

pub fn with<T>(token: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    let value = format!("Bearer {token}").parse().expect("a header");
    request.metadata_mut().insert("authorization", value);
    request
}
