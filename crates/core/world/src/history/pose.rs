//! Poses as a screen draws them: blended between two that were sent.

use fairshot_units::{EntityKind, Life, Pose, WeaponId, pitch_of, yaw_of};
use glam::Vec3;

/// A place and a facing between two sent poses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnPose {
    /// The middle of the feet.
    pub position_m: Vec3,
    /// 0 to a turn, or a little past it where the blend crosses a whole turn.
    pub yaw_rad: f32,
    pub pitch_rad: f32,
}

impl From<Pose> for DrawnPose {
    fn from(pose: Pose) -> Self {
        Self { position_m: pose.position_m(), yaw_rad: pose.yaw_rad(), pitch_rad: pose.pitch_rad() }
    }
}

/// `fraction` (0 to 1) of the way from one sent pose to the next, turning the shorter way.
///
/// Clients draw with this very function and the room judges with it, so both see the same place.
#[must_use]
pub fn blend(older: Pose, newer: Pose, fraction: f32) -> DrawnPose {
    let turn = f32::from(newer.yaw.wrapping_sub(older.yaw).cast_signed());
    let per_step = std::f32::consts::TAU / 65536.0;
    let (low, high) = (pitch_of(older.pitch), pitch_of(newer.pitch));
    DrawnPose {
        position_m: blend_position(older, newer, fraction),
        yaw_rad: yaw_of(older.yaw) + turn * per_step * fraction,
        pitch_rad: low + (high - low) * fraction,
    }
}

pub(super) fn blend_position(older: Pose, newer: Pose, fraction: f32) -> Vec3 {
    let (from, to) = (older.position_m(), newer.position_m());
    from + (to - from) * fraction
}

/// An entity as a screen showed it: the pose blended, everything else the newer send's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PastPose {
    pub pose: DrawnPose,
    pub kind: EntityKind,
    pub life: Life,
    pub alive: bool,
    pub health_eighths: u16,
    pub held: WeaponId,
    pub team: u8,
    /// The game's own trait, as sent.
    pub traits: u32,
}
