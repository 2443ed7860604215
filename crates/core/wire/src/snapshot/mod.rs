//! Snapshots: the room's entities as one player's datagram, against what that player acknowledged.
//!
//! The room records each tick it sends from in [`SentStates`], once for all players. Each player's
//! [`SnapshotWriter`] remembers only which of those ticks went to her, and how old each entity was
//! in them. A client's [`SnapshotReader`] holds the same pictures with the states themselves.
//!
//! An entity is predicted on the straight line through its places in two acknowledged snapshots,
//! and only what differs from that is sent; one that moved as predicted is a single bit.

mod held;
mod layout;
mod own;
mod predict;
mod rank;
mod read;
mod ring;
mod row;
mod sent;
mod straight;
mod write;

pub use own::OwnState;
pub use rank::Viewer;
pub use read::{Snapshot, SnapshotReader};
pub use ring::SentStates;
pub use write::{Personal, Scratch, SnapshotWriter, TooSmall, Written};

/// The first byte of every snapshot.
pub const SNAPSHOT: u8 = 0xB1;
/// Entity ids a snapshot can carry: 0 to this less one.
pub const ENTITIES_MAX: usize = 1024;
/// No snapshot builds on one more ticks older than this, and no client keeps one longer.
pub const BASE_TICKS_MAX: u32 = 80;
