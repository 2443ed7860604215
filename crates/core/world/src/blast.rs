//! Who stands within a blast, now.

use crate::history::Moment;
use crate::scene::Present;
use fairshot_units::EntityId;
use glam::Vec3;

/// A target within a blast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlastHit {
    pub entity: EntityId,
    /// From the blast to the nearest point of the body; 0 where it is inside.
    pub distance_m: f32,
}

impl Moment<'_> {
    /// Everybody alive whose body lies within `radius_m` of a point and whose middle or crown it sees
    /// past the present world, into `out` in id order.
    pub fn blast(
        &self,
        world: Present<'_>,
        at_m: Vec3,
        radius_m: f32,
        spares: impl Fn(EntityId) -> bool,
        out: &mut Vec<BlastHit>,
    ) {
        out.clear();
        self.bodies(|entity, pose, radius, low, high| {
            let feet = pose.position_m;
            let on_axis = feet.with_y(at_m.y.clamp(feet.y + low, feet.y + high));
            let distance_m = (at_m.distance(on_axis) - radius).max(0.0);
            if distance_m > radius_m || spares(entity) {
                return;
            }
            let middle = feet + Vec3::new(0.0, (low + high) * 0.5, 0.0);
            let crown = feet + Vec3::new(0.0, high + radius * 0.9, 0.0);
            if world.is_clear(at_m, middle) || world.is_clear(at_m, crown) {
                out.push(BlastHit { entity, distance_m });
            }
        });
    }
}
