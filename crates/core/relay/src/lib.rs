//! Between the wire and the room: a player's datagrams, ruled on by her inventory, as the room's inputs;
//! and the room's outputs as messages. The only place that knows both.
//!
//! Nothing here knows a session, a queue or an actor: whoever drives a room puts these to use in whatever
//! order it runs, so that a room played in virtual time says and hears the very same.

mod convert;
mod intake;

pub use convert::{Names, command, event, moved, notice, own_state, present, reply, shot_of};
pub use intake::{Intake, ShotStamp};
