//! From a view to a direction, and the read-only query a game asks: whom would this aim hit, then?

use crate::history::{History, Ray, RewindError, TargetHits};
use crate::scene::Present;
use fairshot_units::{EntityId, Life, Tick, ViewStep, pitch_of, yaw_of};
use glam::Vec3;

/// Where a view looks, of unit length. A pitch beyond a quarter turn is held to it.
#[must_use]
pub fn direction_of(yaw: u16, pitch: i16) -> Vec3 {
    let (sin, cos) = yaw_of(yaw).sin_cos();
    let (up, flat) = pitch_of(pitch.clamp(-16384, 16384)).sin_cos();
    Vec3::new(-sin * flat, up, -cos * flat)
}

/// A direction turned about the upright axis, to the left where positive: one pellet of a fan.
#[must_use]
pub fn turned_level(direction: Vec3, by_rad: f32) -> Vec3 {
    let (sin, cos) = by_rad.sin_cos();
    turned_level_by(direction, sin, cos)
}

/// The same with the sine and cosine of the turn.
#[must_use]
#[inline]
pub fn turned_level_by(direction: Vec3, sin: f32, cos: f32) -> Vec3 {
    crate::geometry::turn(direction, sin, cos)
}

/// What a rewound aim met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShotTrace {
    /// The attacker's eye, now.
    pub origin_m: Vec3,
    /// Where the ray ended: at the victim, at the present world, or at its range.
    pub end_m: Vec3,
    pub victim: Option<(EntityId, Life)>,
    /// The victim's zone, as [`crate::TargetShapes::zone`] names it; the body is none.
    pub zone: Option<u8>,
}

/// Whom an aim from the attacker's present eye would have hit at a past tick, behind the present
/// world. Spends nothing, deals nothing, changes nothing.
///
/// # Errors
/// [`RewindError`]: the tick lies ahead, more than a second back, or was not recorded; or the attacker
/// is not in the room, or down (`Unavailable`).
pub fn rewind_hit_query(
    history: &History,
    world: Present<'_>,
    attacker: (EntityId, f32),
    tick: Tick,
    (yaw, pitch): (u16, i16),
    range_m: f32,
) -> Result<ShotTrace, RewindError> {
    let (attacker, eye_height_m) = attacker;
    let then = history.moment(ViewStep::at(tick))?;
    let now = history.present()?.place(attacker)?;
    if !now.alive {
        return Err(RewindError::Unavailable);
    }
    let origin_m = now.pose.position_m + Vec3::new(0.0, eye_height_m, 0.0);
    let direction = direction_of(yaw, pitch);
    let open_m = world.open_m(origin_m, direction, range_m);
    let mut hits = TargetHits::new();
    let ray = Ray { origin_m, direction, range_m: open_m };
    then.trace(&ray, 0, |entity| entity == attacker, &mut hits);
    let hit = hits.as_slice().first();
    Ok(ShotTrace {
        origin_m,
        end_m: origin_m + direction * hit.map_or(open_m, |hit| hit.distance_m),
        victim: hit.map(|hit| (hit.entity, hit.life)),
        zone: hit.and_then(|hit| hit.zone),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaw_zero_looks_along_minus_z_and_turns_to_the_left() {
        assert!((direction_of(0, 0) - Vec3::NEG_Z).length() < 1e-6);
        assert!((direction_of(16384, 0) - Vec3::NEG_X).length() < 1e-6);
        assert!((direction_of(0, i16::MAX) - Vec3::Y).length() < 1e-6);
        let left = turned_level(Vec3::NEG_Z, std::f32::consts::FRAC_PI_2);
        assert!((left - Vec3::NEG_X).length() < 1e-6);
    }
}
