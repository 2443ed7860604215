//! Control of one node: what an operator, a matchmaker or another process may ask of it.
//!
//! The messages are plain structs, so that the same trait is implemented by the actors in this
//! process, by a gRPC client of another one, and by a test's double. Nothing here knows a socket, an
//! actor or a protobuf. Calls are rare (an operator's, a placement's): none is on a shot's way.

mod as_proto;
mod error;
mod heartbeat;
mod inventory;
mod node;
mod people;
mod rule_settings;
mod shot;

pub use error::ControlError;
pub use heartbeat::{Heartbeat, RuleCounts};
pub use inventory::{InventorySlot, InventoryView, WeaponEntry, WeaponOutcome};
pub use node::{
    CloseOutcome, CloseRoom, CreateRoom, Drain, DrainOutcome, NodeInfo, NodeName, RoomInfo,
    RoomState, ShardInfo,
};
pub use people::{Ban, BanOutcome, BanSubject, Kick, KickOutcome, PlayerInfo};
pub use rule_settings::{
    ModeRules, RuleKey, RuleSetting, RuleSettingError, RuleValue, lay_over, settings_of,
};
pub use shot::{
    LatencyWindow, LedgerAtShot, LedgerRounds, RefusedShot, RuleMeasure, RuleOutcome, ShotClaim,
    ShotRecord, ShotTarget, ShotVerdict,
};

use async_trait::async_trait;
use fairshot_units::{MessageNumber, PlayerId, RoomId, WeaponCommand};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;

/// What a subscriber gets: the newest item of each room at once, then every item as it comes.
///
/// The receiver is bounded. A reader slower than that loses the oldest items and is told how many by
/// `RecvError::Lagged`; the sender never waits. The channel closes when the node stops.
#[derive(Debug)]
pub struct Subscription<T> {
    /// Oldest first. An item may come again through `live` where it was sent between the two.
    pub latest: Vec<Arc<T>>,
    pub live: broadcast::Receiver<Arc<T>>,
}

/// One node, asked from anywhere.
///
/// Every method is answered within the implementation's own deadline, else `Unavailable`. With
/// `dry_run` a call checks all that the real one checks, says what it would do, and changes nothing.
#[async_trait]
pub trait NodeControl: Send + Sync {
    /// The node's name in its cluster, without asking it.
    fn name(&self) -> &NodeName;

    /// What the node is, its shards and their load.
    async fn node(&self) -> Result<NodeInfo, ControlError>;

    /// Every room of the node, by room id.
    async fn rooms(&self) -> Result<Vec<RoomInfo>, ControlError>;

    /// Every player connected to the node, or those of one room, by player id.
    ///
    /// # Errors
    /// `NotFound` where `room` is not on this node.
    async fn players(&self, room: Option<&RoomId>) -> Result<Vec<PlayerInfo>, ControlError>;

    /// The weapons of a mode, by id.
    ///
    /// # Errors
    /// `NotFound` where the node does not hold the mode.
    async fn weapons(&self, mode: &str) -> Result<Vec<WeaponEntry>, ControlError>;

    /// A player's inventory as the server holds it.
    ///
    /// # Errors
    /// `NotFound`; `FailedPrecondition` where the mode counts no ammunition (`Ammunition::Open`).
    async fn inventory(&self, player: &PlayerId) -> Result<InventoryView, ControlError>;

    /// Queues a weapon command on the player's stream and commits it; or, with `dry_run`, says what
    /// the inventory would be after it.
    ///
    /// # Errors
    /// `NotFound`; `InvalidArgument` (a weapon the mode does not hold, a clip over the total or the
    /// clip size); `FailedPrecondition` (it cannot apply: not owned, nobody alive to take it, open
    /// ammunition); `ResourceExhausted` (the command queue is full). In every case the revision and
    /// the store are as before.
    async fn weapon_command(
        &self,
        player: &PlayerId,
        command: WeaponCommand,
        dry_run: bool,
    ) -> Result<WeaponOutcome, ControlError>;

    /// Closes a player's session, revokes her rejoin ticket and frees her seat.
    ///
    /// # Errors
    /// `NotFound`.
    async fn kick(&self, kick: &Kick, dry_run: bool) -> Result<KickOutcome, ControlError>;

    /// Keeps the ban where every node and matchmaker reads it (the directory) and closes the sessions
    /// it names; other nodes close theirs as they see it. A ban of the same subject replaces the one
    /// before.
    ///
    /// # Errors
    /// `Unavailable` where the directory does not answer: then nothing changed.
    async fn ban(&self, ban: &Ban, dry_run: bool) -> Result<BanOutcome, ControlError>;

    /// Lifts a ban in the whole cluster.
    ///
    /// # Errors
    /// `NotFound` where nobody of that name is banned.
    async fn unban(&self, subject: &BanSubject, dry_run: bool) -> Result<Ban, ControlError>;

    /// Every ban of the cluster that has not run out, by subject.
    async fn bans(&self) -> Result<Vec<Ban>, ControlError>;

    /// Opens a room on this node.
    ///
    /// # Errors
    /// `NotFound` (no such mode), `AlreadyExists` (the room id is taken), `FailedPrecondition` (the
    /// node drains), `ResourceExhausted` (no capacity).
    async fn create_room(&self, room: &CreateRoom, dry_run: bool)
    -> Result<RoomInfo, ControlError>;

    /// Ends a room: its players are told, then their sessions close.
    ///
    /// # Errors
    /// `NotFound`.
    async fn close_room(
        &self,
        close: &CloseRoom,
        dry_run: bool,
    ) -> Result<CloseOutcome, ControlError>;

    /// Stops taking rooms and seats; running rooms finish or meet the deadline. Asking again moves
    /// the deadline.
    async fn drain(&self, drain: &Drain, dry_run: bool) -> Result<DrainOutcome, ControlError>;

    /// One heartbeat a room every 5 s, and a last one as a room closes.
    async fn heartbeats(&self) -> Result<Subscription<Heartbeat>, ControlError>;

    /// Every refused shot of the node as it is refused (`latest` is empty).
    async fn refusals(&self) -> Result<Subscription<RefusedShot>, ControlError>;

    /// The shots kept of a player, newest first: her last 16, and her refusals of the last ten
    /// minutes as far as the node's bounded store reaches.
    ///
    /// # Errors
    /// `NotFound`.
    async fn shots(&self, player: &PlayerId) -> Result<Vec<Arc<ShotRecord>>, ControlError>;

    /// One kept shot.
    ///
    /// # Errors
    /// `NotFound` (the player, or a shot no longer kept).
    async fn explain(
        &self,
        player: &PlayerId,
        number: MessageNumber,
    ) -> Result<Arc<ShotRecord>, ControlError>;

    /// The rule settings of each mode the node holds, by mode name.
    async fn rules(&self) -> Result<Vec<ModeRules>, ControlError>;

    /// Lays a value over one setting of a mode's file, in the whole cluster (a key in the
    /// directory), or with `None` goes back to the file's. Rooms take it at their next tick.
    ///
    /// # Errors
    /// `NotFound` (no such mode), `InvalidArgument` (a value out of the setting's range).
    async fn set_rule(
        &self,
        mode: &str,
        key: RuleKey,
        value: Option<RuleValue>,
        dry_run: bool,
    ) -> Result<ModeRules, ControlError>;
}

/// The nodes there are now. In one process it is one node; in a cluster the directory's.
#[async_trait]
pub trait NodeSet: Send + Sync {
    /// By name. A node that is known but does not answer stays in the list: its calls say
    /// `Unavailable`.
    fn nodes(&self) -> Vec<Arc<dyn NodeControl>>;

    /// Waits until players who name this room are sent there by this process, at most [`SHOWN_MAX`].
    ///
    /// # Errors
    /// `Unavailable` where it does not show in time; the room runs all the same.
    async fn shown(&self, room: &RoomInfo) -> Result<(), ControlError>;
}

/// How long a room that runs has to show in this process's view of the directory.
pub const SHOWN_MAX: Duration = Duration::from_secs(2);

/// The single node of a process that is its own cluster.
#[derive(Clone)]
pub struct OneNode(pub Arc<dyn NodeControl>);

impl std::fmt::Debug for OneNode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("OneNode").field(self.0.name()).finish()
    }
}

#[async_trait]
impl NodeSet for OneNode {
    fn nodes(&self) -> Vec<Arc<dyn NodeControl>> {
        vec![Arc::clone(&self.0)]
    }

    /// The node has claimed it in the one table there is.
    async fn shown(&self, _: &RoomInfo) -> Result<(), ControlError> {
        Ok(())
    }
}
