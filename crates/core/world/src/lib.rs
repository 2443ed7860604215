//! What is where in a room, now and a second ago: the arena, bodies and their movement, the pose
//! history and its traces, zones, projectiles.
//!
//! Nothing here knows a weapon's rules, a player's rounds, a socket or a clock. Whoever steps it says
//! how long a tick is.

mod ahead;
mod aim;
mod blast;
mod body;
mod brain;
mod geometry;
mod history;
mod projectile;
mod scene;
mod shapes;
mod walk;

pub use ahead::prefetch;
pub use aim::{ShotTrace, direction_of, rewind_hit_query, turned_level, turned_level_by};
pub use blast::BlastHit;
pub use body::{BodyState, WalkerSize, has_room, ride, step_body, step_walker};
pub use brain::Brain;
pub use history::{
    DrawnPose, History, LoadError, Moment, Near, PastPose, Ray, RewindError, TargetHit, TargetHits,
    blend,
};
pub use projectile::{Flight, Projectile};
pub use scene::{
    ArenaFileError, GLTF_BYTES_MAX, HEIGHTS_BYTES_MAX, HeightField, Hit, Mesh, Motion, MoverState,
    Movers, Present, Scenery, SceneryError, StaticWorld, Surface, TRIANGLES_MAX, Unheard,
    UnheardState,
};
pub use shapes::TargetShapes;
pub use walk::Footing;
