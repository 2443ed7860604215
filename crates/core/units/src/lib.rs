//! The small words every other crate speaks: ids, ticks, revisions, quantised poses, rule names.
//!
//! Nothing here knows a clock, a socket, a thread or a random source.

mod entity;
mod ids;
mod input;
mod pose;
mod rule;
mod time;
mod weapon_command;

pub use entity::{EntityKind, EntityState, health_eighths};
pub use ids::{
    EntityId, IdError, Life, MessageNumber, NodeId, PlayerId, Revision, RoomId, SlotIndex, WeaponId,
};
pub use input::{Buttons, Input};
pub use pose::{
    POSITION_STEPS_PER_M, Pose, pitch_of, quantise_m, quantise_pitch, quantise_position,
    quantise_yaw, yaw_of,
};
pub use rule::Rule;
pub use time::{TICK_HZ_DEFAULT, Tick, ViewStep};
pub use weapon_command::WeaponCommand;
