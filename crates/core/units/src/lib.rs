//! The small words every other crate speaks: ids, ticks, revisions, quantised poses, rule names.
//!
//! Nothing here knows a clock, a socket, a thread or a random source.

mod ids;
mod pose;
mod rule;
mod time;

pub use ids::{EntityId, IdError, Life, MessageNumber, PlayerId, Revision, RoomId, SlotIndex, WeaponId};
pub use pose::{
    POSITION_STEPS_PER_M, Pose, quantise_m, quantise_pitch, quantise_position, quantise_yaw, yaw_of,
    pitch_of,
};
pub use rule::Rule;
pub use time::{TICK_HZ_DEFAULT, Tick, ViewStep};
