//! The static world of a mode and where players enter it.

use glam::Vec3;

/// The static world: ground at y = 0 within the bounds, and boxes.
#[derive(Clone, Debug, PartialEq)]
pub struct Arena {
    pub bounds: Bounds,
    pub blocks: Vec<Block>,
}

/// No body leaves these bounds and no coordinate on the wire lies beyond them. At most ±4096 m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    pub min_m: Vec3,
    pub max_m: Vec3,
}

impl Bounds {
    #[must_use]
    pub fn contains(&self, point_m: Vec3) -> bool {
        point_m.cmpge(self.min_m).all() && point_m.cmple(self.max_m).all()
    }
}

/// A box that stands still, turned about y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    pub centre_m: Vec3,
    /// Half of its size along each of its own axes.
    pub half_m: Vec3,
    /// Turn about y in radians.
    pub yaw_rad: f32,
}

/// Where a player enters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpawnPoint {
    /// The middle of the feet.
    pub position_m: Vec3,
    pub yaw_rad: f32,
    /// Index into [`crate::Mode::teams`]; `None` serves everybody.
    pub team: Option<u8>,
}
