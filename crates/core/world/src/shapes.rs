//! The shapes shots are judged against: one upright capsule and its zones for each kind of target.

use crate::geometry::{ray_capsule, ray_upright_capsule, unturn};
use fairshot_mode::{HitZone, Mode, ZoneShape};
use fairshot_units::EntityKind;
use glam::Vec3;

/// The shape of every kind of target of one mode. Built once and shared by its rooms.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetShapes {
    /// Players first, then the mode's monsters in their order.
    shapes: Vec<Shape>,
}

/// Zones of one kind beyond this are not judged; the mode's own limit is far below.
const ZONES_MAX: usize = 64;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) radius_m: f32,
    /// The ends of the capsule's axis over the feet.
    pub(crate) low_m: f32,
    pub(crate) high_m: f32,
    /// No part of the body or its zones lies further from the upright axis.
    pub(crate) reach_m: f32,
    /// Over the feet, the middle of a ball round all of it, and that ball's radius.
    middle_m: f32,
    round_m: f32,
    /// The same of a ball round all its zones, however they turn.
    zones_middle_m: f32,
    zones_round_m: f32,
    named: Vec<HitZone>,
    zones: Vec<Round>,
}

/// A zone as a capsule; a sphere is one of no length.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Round {
    from_m: Vec3,
    to_m: Vec3,
    radius_m: f32,
}

/// Where a ray meets one target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Met {
    pub(crate) distance_m: f32,
    pub(crate) zone: Option<u8>,
}

impl TargetShapes {
    #[must_use]
    pub fn new(mode: &Mode) -> Self {
        let player = Shape::new(mode.body.radius_m, mode.body.height_m, &mode.body.zones);
        let monsters = mode.monsters.iter().map(|m| Shape::new(m.radius_m, m.height_m, &m.zones));
        Self { shapes: std::iter::once(player).chain(monsters).collect() }
    }

    /// The zone that a hit on that kind of target names; the body is none.
    #[must_use]
    pub fn zone(&self, kind: EntityKind, zone: u8) -> Option<&HitZone> {
        self.get(shape_of(kind)?)?.named.get(usize::from(zone))
    }

    /// Where a ray meets one target of that kind drawn at that pose: how far off, and the first zone on
    /// its line. What a client marks a hit with before the room has judged it.
    #[must_use]
    pub fn meets(
        &self,
        kind: EntityKind,
        pose: &crate::DrawnPose,
        ray: &crate::Ray,
    ) -> Option<(f32, Option<u8>)> {
        let shape = self.get(shape_of(kind)?)?;
        let offset = pose.position_m - ray.origin_m;
        let met = shape.meet(offset, pose.yaw_rad, ray.direction, ray.range_m, 0.0)?;
        Some((met.distance_m, met.zone))
    }

    pub(crate) fn get(&self, shape: u8) -> Option<&Shape> {
        self.shapes.get(usize::from(shape))
    }
}

/// The index of a kind's shape; a projectile is no target.
pub(crate) fn shape_of(kind: EntityKind) -> Option<u8> {
    match kind {
        EntityKind::Player => Some(0),
        EntityKind::Monster(monster) => monster.checked_add(1),
        EntityKind::Projectile(_) => None,
    }
}

pub(crate) fn kind_of(shape: u8) -> EntityKind {
    match shape.checked_sub(1) {
        None => EntityKind::Player,
        Some(monster) => EntityKind::Monster(monster),
    }
}

impl Shape {
    fn new(radius_m: f32, height_m: f32, named: &[HitZone]) -> Self {
        let low_m = radius_m.min(height_m / 2.0);
        let high_m = (height_m - radius_m).max(low_m);
        let named: Vec<HitZone> = named.iter().take(ZONES_MAX).cloned().collect();
        let zones: Vec<Round> = named.iter().map(|zone| Round::new(zone.shape)).collect();
        let mut reach_m = radius_m;
        let (mut floor_m, mut crown_m) = (low_m - radius_m, high_m + radius_m);
        let (mut zones_low_m, mut zones_high_m) = (f32::INFINITY, f32::NEG_INFINITY);
        let mut zones_reach_m = 0.0f32;
        let ends = zones.iter().flat_map(|zone| [(zone.from_m, zone), (zone.to_m, zone)]);
        for (end, zone) in ends {
            let out = (end.x * end.x + end.z * end.z).sqrt() + zone.radius_m;
            zones_reach_m = zones_reach_m.max(out);
            zones_low_m = zones_low_m.min(end.y - zone.radius_m);
            zones_high_m = zones_high_m.max(end.y + zone.radius_m);
        }
        reach_m = reach_m.max(zones_reach_m);
        floor_m = floor_m.min(zones_low_m);
        crown_m = crown_m.max(zones_high_m);
        let ball = |low: f32, high: f32, reach: f32| {
            let half = (high - low) * 0.5;
            ((low + high) * 0.5, (half * half + reach * reach).sqrt())
        };
        let (middle_m, round_m) = ball(floor_m, crown_m, reach_m);
        let (zones_middle_m, zones_round_m) = if zones.is_empty() {
            (0.0, f32::NEG_INFINITY)
        } else {
            ball(zones_low_m, zones_high_m, zones_reach_m)
        };
        Self {
            radius_m,
            low_m,
            high_m,
            reach_m,
            middle_m,
            round_m,
            zones_middle_m,
            zones_round_m,
            named,
            zones,
        }
    }

    /// Whether a ray may meet a target with its feet `offset` from the ray's origin: a quick look that
    /// leaves nobody out.
    #[inline]
    pub(crate) fn may_meet(
        &self,
        offset: Vec3,
        direction: Vec3,
        limit_m: f32,
        thickness_m: f32,
    ) -> bool {
        let to_middle = offset + Vec3::new(0.0, self.middle_m, 0.0);
        let along = to_middle.dot(direction);
        let round = self.round_m + thickness_m;
        let past = to_middle - direction * along;
        along >= -round
            && along <= limit_m + round
            && past.length_squared() <= round * round * 1.001
    }

    /// Where a ray (of that thickness, within `limit_m`) meets the body or a zone of a target with its
    /// feet `offset` from the ray's origin. The first zone anywhere on the line names the hit; the
    /// body or a zone, whichever comes first, says how far it lies.
    pub(crate) fn meet(
        &self,
        offset: Vec3,
        yaw_rad: f32,
        direction: Vec3,
        limit_m: f32,
        thickness_m: f32,
    ) -> Option<Met> {
        if !self.may_meet(offset, direction, limit_m, thickness_m) {
            return None;
        }
        self.meet_near(offset, yaw_rad, direction, limit_m, thickness_m)
    }

    /// The same for a ray that may meet it.
    #[inline]
    pub(crate) fn meet_near(
        &self,
        offset: Vec3,
        yaw_rad: f32,
        direction: Vec3,
        limit_m: f32,
        thickness_m: f32,
    ) -> Option<Met> {
        let to_middle = offset + Vec3::new(0.0, self.middle_m, 0.0);
        let start = (to_middle.dot(direction) - self.round_m - thickness_m).max(0.0);
        // From here on the ray begins next to the target.
        let origin = direction * start - offset;
        let body = ray_upright_capsule(
            origin,
            direction,
            self.low_m,
            self.high_m,
            self.radius_m + thickness_m,
        );
        let within = |t: Option<f32>| t.map(|t| t + start).filter(|t| *t <= limit_m);
        let mut first = within(body);
        let zone = self.first_zone(origin, yaw_rad, direction, thickness_m, limit_m - start);
        if let Some((_, met)) = zone {
            let distance_m = met + start;
            first = Some(first.map_or(distance_m, |body| body.min(distance_m)));
        }
        let zone = zone.map(|(zone, _)| zone);
        first.map(|distance_m| Met { distance_m, zone })
    }

    /// The first zone on a ray (from `origin`, as seen from the feet), and how far along it lies.
    fn first_zone(
        &self,
        origin: Vec3,
        yaw_rad: f32,
        direction: Vec3,
        thickness_m: f32,
        limit_m: f32,
    ) -> Option<(u8, f32)> {
        let to_middle = Vec3::new(0.0, self.zones_middle_m, 0.0) - origin;
        let past = to_middle - direction * to_middle.dot(direction);
        let round = self.zones_round_m + thickness_m;
        if round < 0.0 || past.length_squared() > round * round * 1.001 {
            return None;
        }
        let (sin, cos) = yaw_rad.sin_cos();
        let origin = unturn(origin, sin, cos);
        let direction = unturn(direction, sin, cos);
        let mut first: Option<(u8, f32)> = None;
        for (index, zone) in (0u8..).zip(&self.zones) {
            let radius_m = zone.radius_m + thickness_m;
            let met = ray_capsule(origin, direction, zone.from_m, zone.to_m, radius_m);
            if let Some(met) = met.filter(|met| *met <= limit_m)
                && first.is_none_or(|(_, nearest)| met < nearest)
            {
                first = Some((index, met));
            }
        }
        first
    }
}

impl Round {
    fn new(shape: ZoneShape) -> Self {
        match shape {
            ZoneShape::Sphere { at_m, radius_m } => Self { from_m: at_m, to_m: at_m, radius_m },
            ZoneShape::Capsule { from_m, to_m, radius_m } => Self { from_m, to_m, radius_m },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::FRAC_PI_2;

    fn ghoul() -> Shape {
        let head = HitZone {
            name: "head".into(),
            multiplier: 2.0,
            shape: ZoneShape::Sphere { at_m: Vec3::new(0.0, 1.4, -0.3), radius_m: 0.25 },
        };
        Shape::new(0.3, 1.5, &[head])
    }

    #[test]
    fn a_head_behind_the_bodys_front_still_names_the_hit() {
        // Facing away (-z): the ray comes from behind, meets the back first, then the head.
        let met = ghoul().meet(Vec3::new(0.0, -1.3, -10.0), 0.0, Vec3::NEG_Z, 50.0, 0.0).unwrap();
        assert_eq!(met.zone, Some(0));
        assert!((met.distance_m - 9.72).abs() < 0.02, "{met:?}");
    }

    #[test]
    fn a_head_that_pokes_out_is_hit_and_turns_with_the_yaw() {
        let offset = Vec3::new(-0.45, -1.4, -10.0);
        assert_eq!(ghoul().meet(offset, 0.0, Vec3::NEG_Z, 50.0, 0.0), None);
        // Turned to face -x, away from the ray; turned to face +x, the head pokes into it.
        assert_eq!(ghoul().meet(offset, FRAC_PI_2, Vec3::NEG_Z, 50.0, 0.0), None);
        let met = ghoul().meet(offset, -FRAC_PI_2, Vec3::NEG_Z, 50.0, 0.0).unwrap();
        assert_eq!(met.zone, Some(0));
        assert!((met.distance_m - 9.8).abs() < 0.01, "{met:?}");
    }

    #[test]
    fn a_target_behind_the_muzzle_or_past_the_limit_is_not_met() {
        let shape = ghoul();
        assert_eq!(shape.meet(Vec3::new(0.0, -1.0, 5.0), 0.0, Vec3::NEG_Z, 50.0, 0.0), None);
        assert_eq!(shape.meet(Vec3::new(0.0, -1.0, -10.0), 0.0, Vec3::NEG_Z, 9.0, 0.0), None);
        let inside = shape.meet(Vec3::new(0.0, -1.0, 0.0), 0.0, Vec3::NEG_Z, 9.0, 0.0).unwrap();
        assert_eq!(inside.distance_m.to_bits(), 0.0f32.to_bits());
    }

    #[test]
    fn a_ray_at_a_hundred_metres_keeps_its_millimetres() {
        let shape = Shape::new(0.4, 1.8, &[]);
        let at = |x: f32| shape.meet(Vec3::new(x, -1.0, -100.0), 0.0, Vec3::NEG_Z, 200.0, 0.0);
        assert!(at(0.3995).is_some());
        assert!(at(0.4005).is_none());
    }
}
