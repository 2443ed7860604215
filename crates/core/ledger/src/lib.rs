//! One player's inventory: the server's [`Ledger`] and the client's [`Mirror`] of it.
//!
//! Only the server's commands add to an inventory. The client spends on its own and reports the total
//! it has left, an absolute number that only falls between two commands; the ledger keeps the lowest
//! it has heard. So losing, repeating or reordering reports cannot take a round from an honest player,
//! and no report at all can give one to a cheat. `docs/ledger.md` says each rule and why it stands.
//!
//! This crate never sees bytes, sockets, clocks or poses, and never judges whether a shot hit.

mod change;
mod error;
mod gaps;
mod history;
mod inventory;
mod ledger;
mod mirror;
mod report;
mod revisions;
mod ruling;
mod segment;
mod window;

pub use error::{ApplyError, CommandError, CommandErrorKind};
pub use inventory::{Inventory, SlotState};
pub use ledger::{
    DIVERGED_AFTER_MS, Ledger, MESSAGE_WINDOW, PENDING_COMMANDS_MAX, Planned, RETAINED_MS,
};
pub use mirror::Mirror;
pub use report::{FrameReport, ShotReport};
pub use ruling::{Diverged, FrameOutcome, FrameRuling, Rounds, RuledBy, ShotRuling, Tally};

#[cfg(test)]
mod proof;
