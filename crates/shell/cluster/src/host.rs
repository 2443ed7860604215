//! What a matchmaker asks of the node that hosts a room: open it, promise seats in it.
//!
//! The shard that runs a room keeps its seats and signs the tickets; see `fairshot_matchmaking`. So
//! these calls are the whole traffic between matchmaking and rooms, in one process or over gRPC.

use crate::directory::RoomEpoch;
use async_trait::async_trait;
use fairshot_matchmaking::{IssuedSeat, Labels, RoomCode, SeatCounts, ShardSeatsError};
use fairshot_units::{NodeId, PlayerId, RoomId};
use std::sync::Arc;

/// A room to be opened.
#[derive(Clone, Debug, PartialEq)]
pub struct RoomSpec {
    pub room: RoomId,
    pub mode: String,
    pub shard: u16,
    /// The directory's word that this node owns the room.
    pub epoch: RoomEpoch,
    /// Fewer seats than the mode's.
    pub seats_max: Option<u16>,
    /// Other than the mode's number of monsters.
    pub monsters: Option<u16>,
    /// Drawn by the node where there is none.
    pub seed: Option<u64>,
    pub locked: bool,
    pub code: Option<RoomCode>,
    pub labels: Labels,
    /// The room is retired once it has been empty this long; never, where that is none.
    pub empty_ttl_ms: Option<u64>,
}

/// Seats promised in one room, all or none.
#[derive(Clone, Debug, PartialEq)]
pub struct Promised {
    /// In the order asked.
    pub seats: Vec<IssuedSeat>,
    /// The room's seats after this, for a matchmaker that would rather not ask a full room next.
    pub counts: SeatCounts,
}

/// Why a node gives no room or no seat. Nothing changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    #[error("the room is full")]
    Full,
    #[error("the room is locked")]
    Locked,
    #[error("the party fits no team of the room")]
    PartyTooLarge,
    #[error("a party names each player once, and one at least")]
    Party,
    #[error("the room is not there")]
    NoRoom,
    #[error("the room is there already")]
    RoomExists,
    #[error("the node holds no mode {0}")]
    NoMode(String),
    #[error("the node has all the rooms it may have")]
    Capacity,
    #[error("the node takes no new room and no new seat")]
    Draining,
    /// Not reached, or no answer in time: the call may have been done.
    #[error("the node does not answer: {0}")]
    Unavailable(String),
}

impl HostError {
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Locked => "locked",
            Self::PartyTooLarge => "party_too_large",
            Self::Party => "party",
            Self::NoRoom => "no_room",
            Self::RoomExists => "room_exists",
            Self::NoMode(_) => "no_mode",
            Self::Capacity => "capacity",
            Self::Draining => "draining",
            Self::Unavailable(_) => "unavailable",
        }
    }
}

impl From<ShardSeatsError> for HostError {
    fn from(error: ShardSeatsError) -> Self {
        use fairshot_matchmaking::ReserveError;
        match error {
            ShardSeatsError::RoomExists(_) => Self::RoomExists,
            ShardSeatsError::RoomsFull { .. } => Self::Capacity,
            ShardSeatsError::NoRoom(_) => Self::NoRoom,
            ShardSeatsError::Reserve { source, .. } => match source {
                ReserveError::Full { .. } => Self::Full,
                ReserveError::Locked => Self::Locked,
                ReserveError::PartyTooLarge { .. } => Self::PartyTooLarge,
                ReserveError::Party => Self::Party,
            },
        }
    }
}

/// One node, as matchmaking sees it. Every call answers within the implementation's own deadline.
#[async_trait]
pub trait RoomHost: Send + Sync {
    /// Opens a room and promises its first seats, or does neither. Asked again with the same room
    /// and epoch it promises seats in the room that is there.
    async fn open_room(&self, spec: &RoomSpec, members: &[PlayerId])
    -> Result<Promised, HostError>;

    /// Seats for a whole party in a room of that shard, or for none of it.
    async fn reserve(
        &self,
        shard: u16,
        room: &RoomId,
        members: &[PlayerId],
    ) -> Result<Promised, HostError>;

    /// Gives back the seat that an unused ticket stands for; false if it stands for none any more.
    async fn release(&self, shard: u16, room: &RoomId, ticket: &[u8]) -> Result<bool, HostError>;
}

/// The nodes that can be asked.
pub trait HostSet: Send + Sync {
    /// None where the node is not known (any more).
    fn host(&self, node: &NodeId) -> Option<Arc<dyn RoomHost>>;
}

/// The single node of a process that is its own cluster.
#[derive(Clone)]
pub struct OneHost {
    node: NodeId,
    host: Arc<dyn RoomHost>,
}

impl OneHost {
    #[must_use]
    pub fn new(node: NodeId, host: Arc<dyn RoomHost>) -> Self {
        Self { node, host }
    }
}

impl HostSet for OneHost {
    fn host(&self, node: &NodeId) -> Option<Arc<dyn RoomHost>> {
        (*node == self.node).then(|| Arc::clone(&self.host))
    }
}

impl std::fmt::Debug for OneHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OneHost").field("node", &self.node).finish_non_exhaustive()
    }
}
