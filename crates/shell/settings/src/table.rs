//! Every setting, said once.

use crate::value::Kind;

/// One setting: its key in the file, from which its variable and its flag are named.
#[derive(Debug)]
pub struct Setting {
    /// `SECTION.NAME`, units last in the name.
    pub key: &'static str,
    pub kind: Kind,
    /// What it is where nobody says anything.
    pub default: Preset,
    pub what: &'static str,
}

/// The value of a setting nobody set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    Is(&'static str),
    /// Nothing; the text says what that means.
    Absent(&'static str),
}

impl Setting {
    /// The variable of the environment, such as `FAIRSHOT_PLAYERS_PORT`.
    #[must_use]
    pub fn variable(&self) -> String {
        format!("{VARIABLE_PREFIX}{}", self.key.replace('.', "_").to_ascii_uppercase())
    }

    /// The flag without its dashes, such as `players-port`.
    #[must_use]
    pub fn flag(&self) -> String {
        self.key.replace(['.', '_'], "-")
    }
}

pub(crate) const VARIABLE_PREFIX: &str = "FAIRSHOT_";
/// Names the file itself, so it stands in no file.
pub(crate) const CONFIG_VARIABLE: &str = "FAIRSHOT_CONFIG";
pub(crate) const CONFIG_FLAG: &str = "config";
/// Read from the working folder where it exists and no other file is named.
pub(crate) const CONFIG_FILE: &str = "fairshot.toml";

const fn set(key: &'static str, kind: Kind, default: &'static str, what: &'static str) -> Setting {
    Setting { key, kind, default: Preset::Is(default), what }
}

const fn may(key: &'static str, kind: Kind, absent: &'static str, what: &'static str) -> Setting {
    Setting { key, kind, default: Preset::Absent(absent), what }
}

/// Every setting, in the order of the page.
#[rustfmt::skip]
pub static SETTINGS: &[Setting] = &[
    set("players.address", Kind::Address, "127.0.0.1", "Address the players' QUIC endpoints bind."),
    may("players.advertise", Kind::Address, "`players.address`", "Address that seats name to players."),
    set("players.port", Kind::Port, "7700", "UDP port of the first shard; the others count on from it. 0 takes any free ports."),
    set("players.idle_timeout_s", Kind::Seconds(1.0, 600.0), "10", "A connection that says nothing for so long is lost."),
    may("node.shards", Kind::Count(1, 256), "one per core", "Shards: threads with an endpoint and rooms of their own."),
    set("node.rooms_per_shard_max", Kind::Count(1, 10_000), "400", "Rooms a shard takes; more are placed elsewhere or refused."),
    set("node.grace_s", Kind::Seconds(0.0, 3600.0), "10", "How long running rooms may go on after SIGTERM."),
    set("seats.lifetime_s", Kind::Seconds(1.0, 600.0), "15", "A seat nobody takes expires after so long."),
    set("seats.hold_s", Kind::Seconds(0.0, 600.0), "30", "The seat of a lost player is held so long."),
    set("join.address", Kind::Socket, "127.0.0.1:7600", "gRPC of matchmaking, for players."),
    set("join.auth", Kind::Choice(&["open", "jwt"]), "open", "Who may join: anybody, or bearers of a token from the studio's backend."),
    may("join.jwt_key_file", Kind::File, "none; `jwt` needs one", "Key the tokens are checked with: a PEM public key (EdDSA), or else a shared secret (HS256)."),
    set("admin.address", Kind::Socket, "127.0.0.1:7601", "gRPC of operators. Off loopback it needs tokens and TLS."),
    may("admin.tokens_file", Kind::File, "no token is asked for", "Operators' tokens, their roles and names."),
    may("admin.tls_cert_file", Kind::File, "plain text", "PEM certificates of the operators' gRPC."),
    may("admin.tls_key_file", Kind::File, "plain text", "PEM key of that certificate."),
    may("admin.client_ca_file", Kind::File, "no client certificate is asked for", "PEM authorities whose client certificates are let in, beside the token."),
    may("admin.audit_file", Kind::NewFile, "`audit.jsonl` in `data.dir`, else none", "The audit log of mutating calls: one hash-chained file per process."),
    set("metrics.address", Kind::Socket, "127.0.0.1:7602", "Prometheus metrics and health over HTTP."),
    set("metrics.private_network", Kind::Flag, "false", "Says that only a private network reaches `metrics.address`; off loopback it has to be said, since the page asks for no token."),
    may("modes.dir", Kind::Folder, "none", "Folder whose `.toml` files are modes, beside the compiled-in ones; one of the same name replaces it."),
    may("modes.files", Kind::Files, "none", "More mode files."),
    set("modes.default", Kind::Name, "arena", "The mode of a join that names none."),
    set("log.level", Kind::Filter, "info", "What is logged."),
    set("log.format", Kind::Choice(&["text", "json"]), "text", "How it is written to standard error."),
    may("traces.otlp_endpoint", Kind::Url, "no traces", "OTLP collector (gRPC) that traces go to."),
    may("data.dir", Kind::Folder, "nothing is kept", "Folder for what outlives the process, such as the audit log."),
    may("cluster.etcd_endpoints", Kind::Urls, "no cluster: all in one process", "etcd servers of the cluster."),
    may("cluster.etcd_ca_file", Kind::File, "none; https needs one", "PEM authorities that etcd's certificate is checked with."),
    may("cluster.etcd_cert_file", Kind::File, "none is shown", "PEM certificate that this process shows etcd."),
    may("cluster.etcd_key_file", Kind::File, "none is shown", "PEM key of that certificate."),
    may("cluster.etcd_user", Kind::Name, "none", "User of an etcd that asks who calls; it reads and writes under `/fairshot/`."),
    may("cluster.etcd_password_file", Kind::File, "none", "The user's password."),
    may("cluster.node_id", Kind::Name, "one made at the start", "The node's name in the cluster."),
    set("cluster.region", Kind::Name, "local", "Where the node stands; a join may ask for a region."),
    may("cluster.token_file", Kind::File, "none; a cluster's node and matchmaker need one", "The secret its processes know each other by, 16 to 512 visible characters."),
    may("cluster.tls_cert_file", Kind::File, "plain text", "PEM certificate that this process shows the cluster's others, as a server and as a caller."),
    may("cluster.tls_key_file", Kind::File, "plain text", "PEM key of that certificate."),
    may("cluster.tls_ca_file", Kind::File, "plain text", "PEM authorities that the others' certificates are checked with; nobody without one is let in."),
    may("cluster.tls_name", Kind::Name, "the host of its URL", "The name that every node's certificate holds."),
    set("cluster.control_address", Kind::Socket, "127.0.0.1:7603", "gRPC of a node for the cluster's other processes. Off loopback it wants TLS, or a private network."),
    may("cluster.control_url", Kind::Url, "`http://` (`https://` with `cluster.tls_cert_file`) and `cluster.control_address`", "Where the cluster's other processes reach that."),
    set("cluster.lease_s", Kind::Seconds(2.0, 120.0), "10", "A node that etcd does not hear of for so long is gone, and its rooms are no longer listed."),
    may("cluster.labels", Kind::Pairs, "none", "What placement may ask of the node."),
];

/// The setting of that key.
pub(crate) fn setting(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.key == key)
}
