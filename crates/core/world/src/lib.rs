//! What is where in a room, now and a second ago: the arena, bodies and their movement, the pose
//! history and its traces, zones, projectiles.
//!
//! Nothing here knows a weapon's rules, a player's rounds, a socket or a clock. Whoever steps it says
//! how long a tick is.

mod body;
mod geometry;
mod history;
mod scene;
mod shapes;
mod walk;

pub use body::{BodyState, WalkerSize, step_body, step_walker};
pub use history::{
    DrawnPose, History, Moment, PastPose, Ray, RewindError, TargetHit, TargetHits, blend,
};
pub use scene::{Hit, Motion, MoverState, Movers, Present, StaticWorld, Surface};
pub use shapes::TargetShapes;
