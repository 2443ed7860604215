//! Bodies of players and monsters: their size, how they move, where it hurts more.

use glam::Vec3;

/// A player's body: an upright capsule from its feet to its crown.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// 0.4 m unless the mode says otherwise.
    pub radius_m: f32,
    /// Feet to crown, 1.8 m.
    pub height_m: f32,
    /// Where the camera and the muzzle sit over the feet, 1.6 m.
    pub eye_height_m: f32,
    /// Health at a spawn, above 0.
    pub health: f32,
    pub zones: Vec<HitZone>,
}

/// How a player's body moves; the room steps it and the client predicts it from the same numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Movement {
    pub run_speed_m_s: f32,
    /// How fast a body reaches its wished speed on the ground, in m/s a second.
    pub acceleration_m_s2: f32,
    pub air_acceleration_m_s2: f32,
    pub jump_speed_m_s: f32,
    pub gravity_m_s2: f32,
    /// The highest ledge a body walks onto without a jump.
    pub step_height_m: f32,
}

/// A part of a body that takes more or less damage, fixed in the entity's own frame (metres from its
/// feet, front along -z) and turned with its yaw.
#[derive(Clone, Debug, PartialEq)]
pub struct HitZone {
    /// 1 to 32 of `a-z 0-9 _`.
    pub name: String,
    /// Scales the weapon's damage, 0 to 100.
    pub multiplier: f32,
    pub shape: ZoneShape,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ZoneShape {
    Sphere { at_m: Vec3, radius_m: f32 },
    Capsule { from_m: Vec3, to_m: Vec3, radius_m: f32 },
}

/// A kind of monster and how many of it a room keeps alive.
#[derive(Clone, Debug, PartialEq)]
pub struct Monster {
    /// 1 to 32 of `a-z 0-9 _`.
    pub name: String,
    pub count: u16,
    pub health: f32,
    pub radius_m: f32,
    pub height_m: f32,
    pub speed_m_s: f32,
    /// Metres within which it strikes a player; 0 never strikes.
    pub reach_m: f32,
    /// Health a strike takes.
    pub damage: f32,
    pub strikes_per_second: f32,
    /// Seconds from its death to the next one in its place.
    pub respawn_delay_s: f32,
    pub zones: Vec<HitZone>,
}
