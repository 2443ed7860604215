//! From single values to settings: the checks that take more than one value.

mod cluster;

use crate::error::Fault;
use crate::layers::{Origin, Values};
use crate::settings::{
    Admin, Join, JoinAuth, Log, LogFormat, Metrics, Node, Players, Seats, Settings, TlsFiles,
};
use crate::value::Value;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The settings, or `None` where a fault (told here or before) leaves nothing to build.
pub(crate) fn build(
    values: Values,
    warnings: Vec<String>,
    faults: &mut Vec<Fault>,
) -> Option<Settings> {
    let reader = Reader { values: &values };
    let players = Players {
        address: reader.address("players.address"),
        advertise: match values.get("players.advertise") {
            Some((Value::Address(address), _)) => *address,
            _ => reader.address("players.address"),
        },
        port: u16::try_from(reader.count("players.port")).unwrap_or(0),
        idle_timeout: reader.seconds("players.idle_timeout_s"),
    };
    let node = Node {
        shards: shards(&reader),
        rooms_per_shard_max: usize::try_from(reader.count("node.rooms_per_shard_max"))
            .unwrap_or(usize::MAX),
        grace: reader.seconds("node.grace_s"),
    };
    check_ports(&reader, &players, &node, faults);
    let metrics = Metrics { address: reader.socket("metrics.address") };
    check_metrics(&reader, &metrics, faults);
    let data_dir = reader.path("data.dir");
    let admin = admin(&reader, data_dir.as_deref(), faults);
    let join = join(&reader, faults)?;
    check_listeners(&reader, faults);
    let cluster = cluster::cluster(&reader, faults);
    let modes = crate::modes::read(&reader, faults)?;
    Some(Settings {
        players,
        node,
        seats: Seats {
            lifetime: reader.seconds("seats.lifetime_s"),
            hold: reader.seconds("seats.hold_s"),
        },
        join,
        admin,
        metrics,
        modes,
        log: Log {
            level: reader.text("log.level").unwrap_or_default(),
            format: match reader.text("log.format").as_deref() {
                Some("json") => LogFormat::Json,
                _ => LogFormat::Text,
            },
        },
        traces_otlp_endpoint: reader.text("traces.otlp_endpoint"),
        data_dir,
        cluster,
        warnings,
        values,
    })
}

/// Reads the values by kind; a value that was told to be wrong reads as nothing.
pub(crate) struct Reader<'v> {
    pub(crate) values: &'v Values,
}

impl Reader<'_> {
    fn place(&self, key: &str) -> String {
        self.values.get(key).map_or_else(
            || "settings".to_owned(),
            |(_, origin)| match origin {
                Origin::Default => "default".to_owned(),
                said => said.to_string(),
            },
        )
    }

    pub(crate) fn fault(&self, key: &str, expected: &str, found: String) -> Fault {
        let (place, key) = (self.place(key), key.to_owned());
        Fault { place, key, expected: expected.to_owned(), found }
    }

    fn address(&self, key: &str) -> IpAddr {
        match self.values.get(key) {
            Some((Value::Address(address), _)) => *address,
            _ => IpAddr::V4(Ipv4Addr::LOCALHOST),
        }
    }

    fn socket(&self, key: &str) -> SocketAddr {
        match self.values.get(key) {
            Some((Value::Socket(socket), _)) => *socket,
            _ => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
        }
    }

    fn count(&self, key: &str) -> u64 {
        match self.values.get(key) {
            Some((Value::Count(count), _)) => *count,
            _ => 0,
        }
    }

    fn seconds(&self, key: &str) -> Duration {
        match self.values.get(key) {
            Some((Value::Seconds(seconds), _)) => Duration::from_secs_f64(*seconds),
            _ => Duration::ZERO,
        }
    }

    fn flag(&self, key: &str) -> bool {
        matches!(self.values.get(key), Some((Value::Flag(true), _)))
    }

    pub(crate) fn text(&self, key: &str) -> Option<String> {
        match self.values.get(key) {
            Some((Value::Text(text), _)) => Some(text.clone()),
            _ => None,
        }
    }

    pub(crate) fn path(&self, key: &str) -> Option<PathBuf> {
        match self.values.get(key) {
            Some((Value::Path(path), _)) => Some(path.clone()),
            _ => None,
        }
    }
}

fn shards(reader: &Reader<'_>) -> usize {
    const SHARDS_MAX: usize = 256;
    match usize::try_from(reader.count("node.shards")) {
        Ok(said) if said > 0 => said,
        _ => std::thread::available_parallelism().map_or(1, usize::from).min(SHARDS_MAX),
    }
}

fn check_ports(reader: &Reader<'_>, players: &Players, node: &Node, faults: &mut Vec<Fault>) {
    let last = usize::from(players.port) + node.shards - 1;
    if players.port > 0 && last > usize::from(u16::MAX) {
        let expected = "room for a port per shard up to 65535";
        let found = format!("{} with {} shards", players.port, node.shards);
        faults.push(reader.fault("players.port", expected, found));
    }
}

/// The metrics' page asks for no token, so it leaves loopback only where an operator says who sees it.
fn check_metrics(reader: &Reader<'_>, metrics: &Metrics, faults: &mut Vec<Fault>) {
    if !metrics.address.ip().is_loopback() && !reader.flag("metrics.private_network") {
        let expected = "a loopback address, or metrics.private_network = true";
        faults.push(reader.fault("metrics.address", expected, metrics.address.to_string()));
    }
}

/// Operators' calls leave loopback only with tokens and TLS.
fn admin(reader: &Reader<'_>, data_dir: Option<&Path>, faults: &mut Vec<Fault>) -> Admin {
    let address = reader.socket("admin.address");
    let tokens_file = reader.path("admin.tokens_file");
    let cert_file = reader.path("admin.tls_cert_file");
    let key_file = reader.path("admin.tls_key_file");
    let client_ca_file = reader.path("admin.client_ca_file");
    if cert_file.is_some() != key_file.is_some() {
        let (said, missing) = if cert_file.is_some() {
            ("admin.tls_cert_file", "admin.tls_key_file")
        } else {
            ("admin.tls_key_file", "admin.tls_cert_file")
        };
        faults.push(reader.fault(said, &format!("{missing} beside it"), "none".to_owned()));
    }
    let tls = cert_file.zip(key_file).map(|(cert_file, key_file)| TlsFiles { cert_file, key_file });
    if client_ca_file.is_some() && tls.is_none() {
        let expected = "admin.tls_cert_file and admin.tls_key_file beside it";
        faults.push(reader.fault("admin.client_ca_file", expected, "none".to_owned()));
    }
    if !address.ip().is_loopback() {
        let mut missing = Vec::new();
        if tokens_file.is_none() {
            missing.push("admin.tokens_file");
        }
        if tls.is_none() {
            missing.push("admin.tls_cert_file and admin.tls_key_file");
        }
        if !missing.is_empty() {
            let expected = format!("a loopback address, or {}", missing.join(" and "));
            faults.push(reader.fault("admin.address", &expected, address.to_string()));
        }
    }
    let audit_file = reader
        .path("admin.audit_file")
        .or_else(|| data_dir.map(|folder| folder.join("audit.jsonl")));
    Admin { address, tokens_file, tls, client_ca_file, audit_file }
}

fn join(reader: &Reader<'_>, faults: &mut Vec<Fault>) -> Option<Join> {
    let key_file = reader.path("join.jwt_key_file");
    let auth = match (reader.text("join.auth").as_deref(), key_file) {
        (Some("jwt"), Some(key_file)) => JoinAuth::Jwt { key_file },
        (Some("jwt"), None) => {
            let expected = "join.jwt_key_file beside it";
            faults.push(reader.fault("join.auth", expected, "none".to_owned()));
            return None;
        }
        (_, Some(_)) => {
            let found = "open".to_owned();
            faults.push(reader.fault("join.jwt_key_file", "join.auth = \"jwt\" beside it", found));
            return None;
        }
        (_, None) => JoinAuth::Open,
    };
    Some(Join { address: reader.socket("join.address"), auth })
}

fn check_listeners(reader: &Reader<'_>, faults: &mut Vec<Fault>) {
    let keys = ["join.address", "admin.address", "metrics.address", "cluster.control_address"];
    for (index, key) in keys.iter().enumerate() {
        let address = reader.socket(key);
        let taken = keys[..index].iter().find(|other| reader.socket(other) == address);
        if let Some(other) = taken.filter(|_| address.port() != 0) {
            let expected = format!("another address than {other}");
            faults.push(reader.fault(key, &expected, address.to_string()));
        }
    }
}
