//! Player sessions over QUIC: tickets, queues with bounds, close codes.
//!
//! One [`Gateway`] belongs to one shard and lives on its thread; it is stepped, never awaited:
//!
//! 1. [`Gateway::receive`] drains the port and decodes,
//! 2. [`Gateway::next_event`] hands out what the sessions said,
//! 3. the shard answers hellos, queues batches, commands and snapshots, closes whom it must,
//! 4. [`Gateway::flush`] sends.
//!
//! It knows bytes, numbers and bounds. It knows no room, no ledger and no rule: a ticket is the
//! shard's to check, and a session is no player until the shard has accepted it. Until then it costs
//! a connection and the few bytes of its hello.

mod counters;
mod door;
mod gateway;
mod limits;
mod queue;
mod session;

pub use counters::{Counters, Traffic};
pub use door::close_code_of;
pub use fairshot_transport::PathState;
pub use gateway::{Gateway, SessionEvent};
pub use limits::Limits;
pub use queue::{BATCH_BYTES_MAX, BATCHES_MAX, COMMANDS_MAX, Depths, Full, REPLIES_MAX, Slow};
pub use session::{Gone, SessionId};
