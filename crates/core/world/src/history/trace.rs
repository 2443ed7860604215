//! A ray against the targets of a past moment: nearest first, as many as it pierces, no allocation.

use super::pose::blend_position;
use super::row::{Block, PoseRow};
use super::{DrawnPose, Moment, Near, blend};
use crate::shapes::Shape;
use fairshot_units::{EntityId, Life};
use glam::Vec3;
use std::{fmt, slice};

/// A ray through the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    pub origin_m: Vec3,
    /// Of unit length.
    pub direction: Vec3,
    /// How far it goes: the weapon's range, or what the present static world leaves of it.
    pub range_m: f32,
}

/// One target a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetHit {
    pub entity: EntityId,
    pub life: Life,
    /// From the ray's origin to where it meets the body or a zone, whichever comes first.
    pub distance_m: f32,
    /// The first zone the ray meets anywhere on its line; [`crate::TargetShapes::zone`] names it.
    pub zone: Option<u8>,
    /// The pose it was judged at.
    pub pose: DrawnPose,
}

/// The targets of one ray, nearest first; of two at one distance the lower id comes first.
#[derive(Clone)]
pub struct TargetHits {
    hits: [TargetHit; Self::MAX],
    len: usize,
}

impl TargetHits {
    /// The first target and the most a weapon pierces.
    pub const MAX: usize = 32;

    #[must_use]
    pub fn new() -> Self {
        let pose = DrawnPose { position_m: Vec3::ZERO, yaw_rad: 0.0, pitch_rad: 0.0 };
        let hit =
            TargetHit { entity: EntityId(0), life: Life(0), distance_m: 0.0, zone: None, pose };
        Self { hits: [hit; Self::MAX], len: 0 }
    }

    #[must_use]
    pub fn as_slice(&self) -> &[TargetHit] {
        &self.hits[..self.len]
    }

    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Keeps the `most` nearest.
    fn insert(&mut self, hit: TargetHit, most: usize) {
        let place = self.as_slice().iter().rposition(|held| held.distance_m <= hit.distance_m);
        let place = place.map_or(0, |before| before + 1);
        if place >= most {
            return;
        }
        self.len = (self.len + 1).min(most);
        // Most come nearest first, and a call that moves nothing is a call.
        if place + 1 < self.len {
            self.hits.copy_within(place..self.len - 1, place + 1);
        }
        self.hits[place] = hit;
    }

    /// Nothing further than this can still be among the `most` nearest.
    fn limit_m(&self, most: usize, range_m: f32) -> f32 {
        if self.len < most { range_m } else { self.hits[most - 1].distance_m }
    }
}

// What lies behind the hits is left from earlier traces and says nothing.
impl PartialEq for TargetHits {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl fmt::Debug for TargetHits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

impl Default for TargetHits {
    fn default() -> Self {
        Self::new()
    }
}

impl Moment<'_> {
    /// The nearest target on the ray and up to `pierce` more behind it, into `out`.
    ///
    /// Only those are met who were alive at this moment and are alive now, in the same life, and whom
    /// `spares` does not name (the shooter herself, her allies). Never reads another life's pose.
    pub fn trace(
        &self,
        ray: &Ray,
        pierce: u8,
        spares: impl Fn(EntityId) -> bool,
        out: &mut TargetHits,
    ) {
        self.sweep(ray, 0.0, pierce, spares, out);
    }

    /// The same for a body of that radius that flies along the ray.
    pub fn sweep(
        &self,
        ray: &Ray,
        radius_m: f32,
        pierce: u8,
        spares: impl Fn(EntityId) -> bool,
        out: &mut TargetHits,
    ) {
        self.sweep_all(slice::from_ref(ray), radius_m, pierce, &spares, slice::from_mut(out));
    }

    /// A shot of several pellets: the same answers as tracing each ray, for less where they leave from
    /// one point and lie close together. `out` has one entry a ray; what is beyond the other is left.
    pub fn trace_fan(
        &self,
        rays: &[Ray],
        pierce: u8,
        spares: impl Fn(EntityId) -> bool,
        out: &mut [TargetHits],
    ) {
        self.sweep_all(rays, 0.0, pierce, &spares, out);
    }

    fn sweep_all(
        &self,
        rays: &[Ray],
        radius_m: f32,
        pierce: u8,
        spares: &impl Fn(EntityId) -> bool,
        out: &mut [TargetHits],
    ) {
        self.trace_found(&self.near_of(rays, radius_m), rays, pierce, spares, out);
    }

    /// As [`Self::trace_fan`], among those that [`Self::near`] found for these rays.
    pub fn trace_near(
        &self,
        near: &Near,
        rays: &[Ray],
        pierce: u8,
        spares: impl Fn(EntityId) -> bool,
        out: &mut [TargetHits],
    ) {
        self.trace_found(near, rays, pierce, &spares, out);
    }

    #[inline]
    fn trace_found(
        &self,
        near: &Near,
        rays: &[Ray],
        pierce: u8,
        spares: &impl Fn(EntityId) -> bool,
        out: &mut [TargetHits],
    ) {
        out.iter_mut().for_each(TargetHits::clear);
        let radius_m = near.radius_m();
        if !near.is_fan() {
            if rays.len() > 1 {
                for (ray, out) in rays.iter().zip(out) {
                    let (ray, out) = (slice::from_ref(ray), slice::from_mut(out));
                    self.sweep_all(ray, radius_m, pierce, spares, out);
                }
            }
            return;
        }
        let most = (usize::from(pierce) + 1).min(TargetHits::MAX);
        let rows = self.rows();
        near.each(self, |id| {
            let Some(living) = self.living(rows, id) else { return };
            if spares(living.entity) {
                return;
            }
            for (ray, out) in rays.iter().zip(out.iter_mut()) {
                let limit_m = out.limit_m(most, ray.range_m);
                if let Some(hit) = living.meet(ray, limit_m, radius_m) {
                    out.insert(hit, most);
                }
            }
        });
    }

    /// Calls `look` with every living body: who, where, its radius, and its axis over its feet.
    pub(crate) fn bodies(&self, mut look: impl FnMut(EntityId, DrawnPose, f32, f32, f32)) {
        let rows = self.rows();
        for id in 0..self.history.width() {
            if let Some(living) = self.living(rows, id) {
                let shape = living.shape;
                look(living.entity, living.pose(), shape.radius_m, shape.low_m, shape.high_m);
            }
        }
    }

    /// Where an entity was drawn, if it was alive then and is alive now in the same life.
    #[inline(always)]
    fn living<'a>(&'a self, rows: [&'a [Block]; 3], id: usize) -> Option<Living<'a>> {
        let (number, lane) = (id / Block::WIDTH, id % Block::WIDTH);
        let [older, newer, now] = rows.map(|row| row.get(number).map(|block| &block.poses[lane]));
        let (mut older, mut newer, now) = (older?, newer?, now?);
        let mut fraction = self.fraction;
        if !newer.follows(*older) {
            // Nothing is drawn in between: the pose of the nearer send stands.
            let nearer = if self.nearer() == self.older { older } else { newer };
            (older, newer, fraction) = (nearer, nearer, 0.0);
        }
        if !newer.same_living(*now) {
            return None;
        }
        let shape = self.history.shapes.get(newer.shape)?;
        let position_m = blend_position(older.pose, newer.pose, fraction);
        #[expect(clippy::cast_possible_truncation, reason = "at most 4,096 entities")]
        let entity = EntityId(id as u16);
        Some(Living { entity, older, newer, fraction, shape, position_m })
    }
}

/// A target at a moment; its facing is worked out only for a ray that may meet it.
struct Living<'a> {
    entity: EntityId,
    older: &'a PoseRow,
    newer: &'a PoseRow,
    fraction: f32,
    shape: &'a Shape,
    position_m: Vec3,
}

impl Living<'_> {
    fn pose(&self) -> DrawnPose {
        blend(self.older.pose, self.newer.pose, self.fraction)
    }

    #[inline(always)]
    fn meet(&self, ray: &Ray, limit_m: f32, radius_m: f32) -> Option<TargetHit> {
        let offset = self.position_m - ray.origin_m;
        if !self.shape.may_meet(offset, ray.direction, limit_m, radius_m) {
            return None;
        }
        self.meet_near(offset, ray, limit_m, radius_m)
    }

    /// For a ray that may meet it.
    fn meet_near(&self, offset: Vec3, ray: &Ray, limit_m: f32, radius_m: f32) -> Option<TargetHit> {
        let pose = self.pose();
        // A zone counts anywhere on the ray, also behind a nearer target: only the target itself must
        // lie within the limit.
        let met =
            self.shape.meet_near(offset, pose.yaw_rad, ray.direction, ray.range_m, radius_m)?;
        if met.distance_m > limit_m {
            return None;
        }
        Some(TargetHit {
            entity: self.entity,
            life: Life(self.newer.life),
            distance_m: met.distance_m,
            zone: met.zone,
            pose,
        })
    }
}
