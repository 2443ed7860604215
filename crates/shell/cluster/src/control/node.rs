//! Nodes, shards and rooms.

use super::heartbeat::RuleCounts;
use fairshot_units::{RoomId, Tick};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A node's name in its cluster.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct NodeName(Arc<str>);

impl NodeName {
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self(Arc::from(name))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for NodeName {
    fn from(name: String) -> Self {
        Self(Arc::from(name))
    }
}

impl From<NodeName> for String {
    fn from(name: NodeName) -> Self {
        name.0.to_string()
    }
}

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct NodeInfo {
    pub node: NodeName,
    pub version: String,
    pub region: String,
    /// Seconds since the process began.
    pub uptime_s: u64,
    /// Modes the node can open rooms of, by name.
    pub modes: Vec<String>,
    pub rooms: u32,
    pub rooms_max: u32,
    pub players: u32,
    /// Seconds until running rooms are ended; `None` where the node does not drain.
    pub drains_in_s: Option<u64>,
    pub shards: Vec<ShardInfo>,
}

/// One thread of a node and its load.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardInfo {
    pub shard: u16,
    /// Where players reach it, `host:port`.
    pub address: String,
    pub rooms: u32,
    pub players: u32,
    /// Share of the last seconds' tick time left unused, 0 to 1.
    pub tick_headroom: f32,
    /// Since the process began.
    pub late_ticks: u64,
    pub dropped_ticks: u64,
    pub slow_disconnects: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RoomInfo {
    pub room: RoomId,
    pub mode: String,
    pub node: NodeName,
    pub shard: u16,
    pub state: RoomState,
    pub players: u32,
    /// Seats reserved by tickets that have not connected yet.
    pub seats_reserved: u32,
    pub seats_max: u32,
    pub monsters: u32,
    pub tick: Tick,
    pub tick_hz: u16,
    pub uptime_s: u64,
    pub tick_time_us_p50: u32,
    pub tick_time_us_p99: u32,
    /// Since the room began, by rule.
    pub refused_shots_total: RuleCounts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoomState {
    /// Takes players.
    Open,
    /// Runs on, takes no new seats: its node drains.
    Draining,
    /// Its players are being told that it ends.
    Closing,
}

impl RoomState {
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Draining => "draining",
            Self::Closing => "closing",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateRoom {
    pub mode: String,
    /// `None` lets the node name it.
    pub room: Option<RoomId>,
    /// `None` draws one.
    pub seed: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloseRoom {
    pub room: RoomId,
    /// Told to its players; at most 200 bytes.
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloseOutcome {
    pub room: RoomId,
    pub node: NodeName,
    /// Players who are sent away.
    pub players: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drain {
    /// Running rooms are ended after this many seconds, 0 to 86,400.
    pub deadline_s: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrainOutcome {
    pub node: NodeName,
    pub rooms: u32,
    pub players: u32,
    pub deadline_s: u64,
}
