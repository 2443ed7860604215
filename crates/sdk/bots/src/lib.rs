//! Honest and cheating players built on the client.
//!
//! A [`Bot`] plays one session of `fairshot_client_core::PlayerClient`: it knows what that client's
//! screen shows and nothing else. It runs, strafes, jumps, shoots what it sees, dies and comes back. A
//! cheat is the same player with one lie. Nothing here knows a socket or a clock, and all chance comes
//! from the seed, so that a match can be played again.

mod bot;
mod chance;
mod cheat;
mod lies;
mod target;

pub use bot::{Bot, Mood};
pub use cheat::Cheat;
