//! What is asked of matchmaking, and what it answers.

use fairshot_matchmaking::{IssuedSeat, Labels, RoomCode, RoomSummary};
use fairshot_units::{NodeId, PlayerId, RoomId};
use std::net::IpAddr;

/// Where to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Any public room of that mode, a new one if none fits.
    Mode(String),
    /// That room; a private one only with its code.
    Room { room: RoomId, code: Option<RoomCode> },
    /// The private room of that code.
    Code(RoomCode),
}

#[derive(Clone, Debug, PartialEq)]
pub struct JoinRequest {
    pub target: Target,
    /// Anywhere, where there is none.
    pub region: Option<String>,
    /// All of a party, in one room or not at all.
    pub members: Vec<PlayerId>,
    /// What the room must be labelled, and what a new one will be.
    pub labels: Labels,
    /// Who asks, for bans of addresses.
    pub address: Option<IpAddr>,
}

#[derive(Clone, Debug, PartialEq, Default)]
pub struct CreateRequest {
    pub mode: String,
    pub region: Option<String>,
    pub members: Vec<PlayerId>,
    pub labels: Labels,
    pub private: bool,
    pub locked: bool,
    pub seats_max: Option<u16>,
    pub monsters: Option<u16>,
    pub seed: Option<u64>,
    /// How long the room may be empty; matchmaking's own setting, where there is none.
    pub empty_ttl_ms: Option<u64>,
    pub address: Option<IpAddr>,
}

/// Seats in a room, and how to get there.
#[derive(Clone, Debug, PartialEq)]
pub struct Joined {
    pub room: RoomId,
    pub mode: String,
    pub code: Option<RoomCode>,
    pub node: NodeId,
    pub shard: u16,
    /// `host:port`.
    pub address: String,
    pub certificate_sha256: [u8; 32],
    /// In the order of the members.
    pub seats: Vec<IssuedSeat>,
}

/// A page of a listing.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RoomPage {
    pub rooms: Vec<RoomSummary>,
    /// Rooms that pass the filter, on all pages.
    pub total: usize,
    /// There are more after the last of `rooms`.
    pub more: bool,
}
