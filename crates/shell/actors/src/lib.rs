//! The actors: room and inventory, the shard they live on, and the node made of shards.
//!
//! A datagram goes from its session to the player's inventory, from there to the room's inbox, and into
//! the next tick: three hops, all one way, on one thread. What this crate deliberately does not know:
//! which rule refuses what (the judge's), how totals are joined (the ledger's), and how bytes are packed
//! (the wire's).

mod clock;
mod feeds;
mod inventory;
mod matchmaker;
mod modes;
mod node;
mod pending;
mod readback;
mod room;
mod shard;
mod ticks;

pub use matchmaker::{Matchmaker, MatchmakerActor};
pub use modes::{GameFactory, LoadedMode, Modes};
pub use node::{Node, NodeError, NodeSetup};
pub use shard::ShardError;
pub use ticks::{PHASE, PHASES, PhaseTimer};
