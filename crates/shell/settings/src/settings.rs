//! The settings as types, and how they print themselves.

use crate::layers::Values;
use crate::value::{Value, without_user};
use fairshot_mode::Mode;
use fairshot_world::StaticWorld;
use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Everything a process is told at its start. It prints itself, a setting a line, with where each was
/// said; it holds no secret, only the names of the files that do.
#[derive(Clone, Debug)]
pub struct Settings {
    pub players: Players,
    pub node: Node,
    pub seats: Seats,
    pub join: Join,
    pub admin: Admin,
    pub metrics: Metrics,
    pub modes: Modes,
    pub log: Log,
    pub traces_otlp_endpoint: Option<String>,
    pub data_dir: Option<PathBuf>,
    /// `None` runs all in one process.
    pub cluster: Option<Cluster>,
    /// What looks like a mistake and stops nothing, to be logged.
    pub warnings: Vec<String>,
    pub(crate) values: Values,
}

impl Settings {
    /// Where the process stands, whether or not it is part of a cluster.
    #[must_use]
    pub fn region(&self) -> &str {
        match self.values.get("cluster.region") {
            Some((Value::Text(region), _)) => region,
            _ => "",
        }
    }
}

/// The players' QUIC endpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Players {
    pub address: IpAddr,
    /// What seats name to players.
    pub advertise: IpAddr,
    /// The first shard's; 0 takes any free ports.
    pub port: u16,
    pub idle_timeout: Duration,
}

impl Players {
    /// The address a shard's endpoint binds.
    #[must_use]
    pub fn bind(&self, shard: usize) -> SocketAddr {
        let port = match self.port {
            0 => 0,
            first => first.saturating_add(u16::try_from(shard).unwrap_or(u16::MAX)),
        };
        SocketAddr::new(self.address, port)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// 1 to 256.
    pub shards: usize,
    pub rooms_per_shard_max: usize,
    /// How long running rooms may go on after SIGTERM.
    pub grace: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seats {
    pub lifetime: Duration,
    pub hold: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    pub address: SocketAddr,
    pub auth: JoinAuth,
}

/// Who may join.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinAuth {
    Open,
    /// Bearers of a token that this key checks: a PEM public key, or else a shared secret.
    Jwt {
        key_file: PathBuf,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admin {
    pub address: SocketAddr,
    /// `None` asks for no token, which only loopback may do.
    pub tokens_file: Option<PathBuf>,
    pub tls: Option<TlsFiles>,
    pub client_ca_file: Option<PathBuf>,
    pub audit_file: Option<PathBuf>,
}

/// PEM files of a certificate and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    pub cert_file: PathBuf,
    pub key_file: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metrics {
    pub address: SocketAddr,
}

/// The modes rooms may be of: the compiled-in ones, replaced and added to by files.
#[derive(Clone, Debug)]
pub struct Modes {
    pub all: Vec<Arc<Mode>>,
    /// The TOML text of each, by name: what a room's clients are given.
    pub texts: BTreeMap<String, Arc<str>>,
    /// The world of each mode from a file, by name, with the terrain and meshes it names.
    pub worlds: BTreeMap<String, Arc<StaticWorld>>,
    /// The mode of a join that names none.
    pub default: Arc<Mode>,
}

impl Modes {
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Arc<Mode>> {
        self.all.iter().find(|mode| mode.name == name)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// As tracing's filter takes it.
    pub level: String,
    pub format: LogFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    pub etcd_endpoints: Vec<String>,
    /// Used for the endpoints with https.
    pub etcd_tls: Option<EtcdTls>,
    /// `None` where etcd asks nobody who calls.
    pub etcd_user: Option<EtcdUser>,
    /// `None` is made at the start.
    pub node_id: Option<String>,
    pub region: String,
    /// The secret that the cluster's processes know each other by; a node and a matchmaker need one.
    pub token_file: Option<PathBuf>,
    /// What they show each other beside it; `None` speaks plain text.
    pub tls: Option<ClusterTls>,
    /// What a node binds for the cluster's other processes, and where they reach it.
    pub control_address: SocketAddr,
    pub control_url: String,
    /// Whole seconds, 2 at least.
    pub lease: Duration,
    pub labels: Vec<(String, String)>,
}

/// How etcd is reached over https.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EtcdTls {
    pub ca_file: PathBuf,
    /// What this process shows etcd.
    pub identity: Option<TlsFiles>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EtcdUser {
    pub name: String,
    pub password_file: PathBuf,
}

/// What the processes of a cluster show each other, both ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterTls {
    pub identity: TlsFiles,
    /// Whose certificates are taken.
    pub ca_file: PathBuf,
    /// The name in a node's certificate, where that is not its URL's host.
    pub name: Option<String>,
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (key, (value, origin))) in self.values.iter().enumerate() {
            let newline = if index == 0 { "" } else { "\n" };
            write!(f, "{newline}{key} = {} ({origin})", shown(value))?;
        }
        Ok(())
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Address(address) => address.to_string(),
        Value::Socket(socket) => socket.to_string(),
        Value::Count(count) => count.to_string(),
        Value::Seconds(seconds) => format!("{seconds} s"),
        Value::Flag(flag) => flag.to_string(),
        Value::Text(text) => without_user(text),
        Value::Texts(texts) => {
            texts.iter().map(|text| without_user(text)).collect::<Vec<_>>().join(", ")
        }
        Value::Path(path) => path.display().to_string(),
        Value::Paths(paths) => {
            paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
        }
        Value::Pairs(pairs) => pairs
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect::<Vec<_>>()
            .join(", "),
    }
}
