//! What the processes of a cluster know of each other: nodes, rooms, bans, and rule settings changed
//! live. In one process it is a table ([`LocalDirectory`]); across processes it lives in etcd. One
//! suite of tests runs against both.
//!
//! - A node is there as long as its process renews its lease; with the lease goes all it owns.
//! - A room is owned by one node, under an epoch that no earlier owner can have had. Every later
//!   write for the room names its epoch, and is refused once the room is another's or gone.
//! - A room is placed by one transaction: it is not there yet, its node is alive, and nothing was
//!   placed on that node since the placement was decided.
//! - Everybody reads a local [`View`], kept up to date in the background. It may lag: whatever must
//!   not be wrong is checked where it is owned (seats by the room's shard, rooms by transaction).

mod codec;
mod etcd;
mod local;
mod view;

pub use codec::{ban_from_json, ban_to_json, rule_value_from_json, rule_value_to_json};
pub use etcd::{EtcdDirectory, EtcdSettings, EtcdUser};
pub use local::LocalDirectory;
pub use view::{NodeRecord, NodeStanding, RoomRecord, View, ViewCell, ViewState};

use crate::control::{Ban, BanSubject, RuleKey, RuleValue};
use async_trait::async_trait;
use fairshot_matchmaking::{RoomSummary, SeatCounts};
use fairshot_units::RoomId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Tells one ownership of a room from every other: the directory's revision at which it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RoomEpoch(pub u64);

impl fmt::Display for RoomEpoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What a node tells of a room that it runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoomStatus {
    pub seats: SeatCounts,
    pub locked: bool,
}

/// Why the directory did not do it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DirectoryError {
    /// Not reached, or no answer in time: the change may have been made.
    #[error("the directory does not answer: {0}")]
    Unavailable(String),
    #[error("room {0} is there already")]
    RoomExists(RoomId),
    #[error("the node is not there (any more)")]
    NodeGone,
    #[error("something else was placed on the node meanwhile")]
    PlacementRaced,
    #[error("room {0} has another owner, or none")]
    Fenced(RoomId),
    #[error("nothing of that name is there")]
    NotFound,
}

impl DirectoryError {
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Unavailable(_) => "unavailable",
            Self::RoomExists(_) => "room_exists",
            Self::NodeGone => "node_gone",
            Self::PlacementRaced => "placement_raced",
            Self::Fenced(_) => "fenced",
            Self::NotFound => "not_found",
        }
    }
}

/// The shared knowledge of a cluster, as one process reaches it.
#[async_trait]
pub trait Directory: Send + Sync {
    /// What this process knows by now, and how fresh it is.
    fn view(&self) -> &ViewCell;

    /// Puts this process's node in the directory, or brings what it says up to date. Its lease is
    /// renewed in the background from then on. After a lease was lost this takes a new one: whatever
    /// hung on the old one is gone, so claim the running rooms again.
    ///
    /// # Errors
    /// [`DirectoryError::Unavailable`].
    async fn announce(&self, node: &NodeRecord) -> Result<NodeLease, DirectoryError>;

    /// Takes this process's node, and all its rooms, out at once.
    ///
    /// # Errors
    /// [`DirectoryError::Unavailable`]; the lease then runs out by itself.
    async fn withdraw(&self) -> Result<(), DirectoryError>;

    /// Places a room on its node, as one transaction. `placements_seen` is that node's
    /// [`NodeStanding::placements`] in the view that the placement was decided on.
    ///
    /// # Errors
    /// `RoomExists`, `NodeGone`, `PlacementRaced` (decide again on a newer view), `Unavailable` (the
    /// room may be there; it goes by itself when its node does not find it running).
    async fn place_room(
        &self,
        room: &RoomSummary,
        placements_seen: u64,
    ) -> Result<RoomEpoch, DirectoryError>;

    /// Takes a room of this process's own node back under a new epoch, after its lease was lost. Claimed
    /// already, it keeps the epoch that it has: a claim whose answer was lost may be made again.
    ///
    /// # Errors
    /// `RoomExists`: it is another's by now. `NodeGone`: announce first.
    async fn claim_room(&self, room: &RoomSummary) -> Result<RoomEpoch, DirectoryError>;

    /// Tells how full a room is.
    ///
    /// # Errors
    /// `Fenced` if the epoch is over: the room is not this node's any more. `NodeGone` if the node's
    /// lease is over, and with it every room key: announce, then claim the running rooms again.
    async fn update_room(
        &self,
        room: &RoomId,
        epoch: RoomEpoch,
        status: &RoomStatus,
    ) -> Result<(), DirectoryError>;

    /// Takes a room out.
    ///
    /// # Errors
    /// `Fenced` if the epoch is over.
    async fn remove_room(&self, room: &RoomId, epoch: RoomEpoch) -> Result<(), DirectoryError>;

    /// Keeps a ban; one of the same subject is replaced.
    ///
    /// # Errors
    /// [`DirectoryError::Unavailable`].
    async fn put_ban(&self, ban: &Ban) -> Result<(), DirectoryError>;

    /// # Errors
    /// `NotFound`, `Unavailable`.
    async fn remove_ban(&self, subject: &BanSubject) -> Result<Ban, DirectoryError>;

    /// Lays a value over a rule setting of a mode, or with `None` takes it off.
    ///
    /// # Errors
    /// [`DirectoryError::Unavailable`].
    async fn put_rule(
        &self,
        mode: &str,
        key: &RuleKey,
        value: Option<RuleValue>,
    ) -> Result<(), DirectoryError>;
}

/// Names one lease that a node held; another one means that it was lost in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct NodeLease(pub i64);
