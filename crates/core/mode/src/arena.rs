//! The static world of a mode, the doors and lifts in it, and where players enter.
//!
//! Terrain and meshes lie in files of their own, named here and read by whoever read the mode: nothing
//! in this crate opens a file.

use glam::Vec3;

/// The static world: ground within the bounds, boxes, terrain and meshes; and what moves in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arena {
    pub bounds: Bounds,
    pub blocks: Vec<Block>,
    /// Where the endless floor lies: at y = 0 unless terrain goes lower.
    pub floor_m: f32,
    pub height_fields: Vec<HeightFieldFile>,
    pub meshes: Vec<MeshFile>,
    pub movers: Vec<Mover>,
}

/// No body leaves these bounds and no coordinate on the wire lies beyond them. At most ±4096 m.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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

/// Terrain: heights over an even grid, from a file of unsigned 16-bit numbers, least byte first, a row of
/// `columns` along x for each step along z.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightFieldFile {
    /// Relative to the mode's file.
    pub file: String,
    /// The corner with the least x and z; its y is the height of the number 0.
    pub corner_m: Vec3,
    pub cell_m: f32,
    pub columns: u16,
    /// How far over the corner's y the number 65535 lies.
    pub height_m: f32,
}

/// A glTF 2.0 file whose triangles stand in the arena.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFile {
    /// Relative to the mode's file.
    pub file: String,
    /// Where its origin lies.
    pub position_m: Vec3,
    /// Its turn about y in radians.
    pub yaw_rad: f32,
}

/// A box that moves: a door, a lift. A room's movers stand in this order.
#[derive(Clone, Debug, PartialEq)]
pub struct Mover {
    /// 1 to 32 of `a-z 0-9 _`: what a game's code finds it by.
    pub name: String,
    /// Where it stands at first.
    pub block: Block,
    /// `None` moves only as a game's code says.
    pub way: Option<MoverWay>,
}

/// How a mover goes by itself between its place and another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoverWay {
    /// Its centre at the other end.
    pub to_m: Vec3,
    pub speed_m_s: f32,
    /// Seconds it stays at each end; a door, after the last player went.
    pub wait_s: f32,
    /// A door: at the other end while a living player is within this of its first place, else back.
    /// `None` goes to and fro.
    pub opens_within_m: Option<f32>,
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
