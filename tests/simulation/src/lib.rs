//! Whole rooms over bad lines in virtual time.
//!
//! Everything between a player's eye and the verdict is the product's own: the client with its QUIC
//! connection, the line with its rate, queue, loss and stalls, the gateway, the ledgers, the room, the
//! snapshots and batches on the way back. Only what drives them is ours, and it reads no clock: a
//! [`Match`] of ten minutes plays in seconds, and plays the same again from its seed.
//!
//! The players are honest bots. So whatever they do, no shot of theirs may be refused, what they saw hit
//! must have been hit, and their count of rounds must be the server's; [`Match::findings`] says what
//! was otherwise, with how long their line had stalled before.

mod findings;
mod host;
mod line;
mod many;
mod player;
mod session;
mod takings;
mod world;

pub use findings::{Findings, Refused, Stall, Upward};
pub use host::Host;
pub use line::{Course, Hold};
pub use many::play_all;
pub use player::{Hands, Player};
pub use session::Session;
pub use takings::Takings;
pub use world::{Match, Plan, TICK};
