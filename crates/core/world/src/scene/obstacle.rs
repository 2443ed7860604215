//! What stands close to a body, as its steps ask for it.

use super::slab::{Skin, Slab, Stand, Touch};
use super::triangle::Triangle;
use super::{Part, Present, StaticWorld};
use glam::Vec3;

/// One thing near a body.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Obstacle<'a> {
    Slab(&'a Slab),
    Triangle(&'a Triangle),
}

/// An upright capsule as movement knows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) radius_m: f32,
    pub(crate) height_m: f32,
    /// The highest ledge it walks onto.
    pub(crate) step_m: f32,
}

impl Figure {
    /// The ends of its axis over the feet.
    fn axis(&self) -> (f32, f32) {
        let low = self.radius_m.min(self.height_m / 2.0);
        (low, (self.height_m - self.radius_m).max(low))
    }

    /// The box round it at a place, with some room.
    pub(crate) fn bounds(&self, feet_m: Vec3, room_m: f32) -> (Vec3, Vec3) {
        let side = Vec3::new(self.radius_m + room_m, room_m, self.radius_m + room_m);
        (feet_m - side, feet_m + side + Vec3::new(0.0, self.height_m, 0.0))
    }
}

impl Obstacle<'_> {
    pub(crate) fn touch(&self, feet_m: Vec3, figure: &Figure) -> Touch {
        let (low, high) = figure.axis();
        match self {
            Self::Slab(slab) => slab.touch(feet_m, low, high, figure.radius_m),
            Self::Triangle(triangle) => triangle.touch(feet_m, low, high, figure.radius_m),
        }
    }

    /// Whether a body is clear of it; what is not a block is looked at more closely.
    #[inline(always)]
    pub(crate) fn is_apart(&self, feet_m: Vec3, figure: &Figure) -> bool {
        let (low, high) = figure.axis();
        match self {
            Self::Slab(slab) => slab.is_apart(feet_m, low, high, figure.radius_m),
            Self::Triangle(_) => false,
        }
    }

    /// Both of [`Self::touch`] and [`Self::support`], for little more than one of them.
    #[inline(always)]
    pub(crate) fn stand(&self, feet_m: Vec3, figure: &Figure, skin: Skin) -> Option<Stand> {
        let (low, high) = figure.axis();
        match self {
            Self::Slab(slab) => slab.stand(feet_m, low, high, skin),
            Self::Triangle(triangle) => {
                // What only lies under the feet touches nothing, and a touch costs more than its bounds.
                let (box_low, box_high) = figure.bounds(feet_m, 0.0);
                let (part_low, part_high) = triangle.bounds();
                let beside = part_low.cmpgt(box_high).any() || part_high.cmplt(box_low).any();
                let touch = (!beside).then(|| triangle.touch(feet_m, low, high, skin.radius_m));
                Some(Stand { touch, support_m: triangle.support(feet_m, skin.sole_m) })
            }
        }
    }

    /// Whether it stands in the way of a body that steps over what is no higher than `lift_m`: a slope
    /// does not that rises so little here, however high it goes elsewhere.
    pub(crate) fn is_wall(&self, feet_m: Vec3, lift_m: f32, radius_m: f32) -> bool {
        let step_m = feet_m.y + lift_m;
        match self {
            Self::Slab(slab) => slab.centre_m.y + slab.half_m.y > step_m,
            Self::Triangle(triangle) => {
                triangle.top_m() > step_m
                    && triangle.support(feet_m, radius_m).is_none_or(|height| height > step_m)
            }
        }
    }
}

impl Present<'_> {
    /// Calls `look` with everything that overlaps a box.
    pub(crate) fn near(self, low: Vec3, high: Vec3, mut look: impl FnMut(&Obstacle<'_>)) {
        self.fixed.parts_near(low, high, |part| look(&self.fixed.obstacle(part)));
        self.movers_near(low, high, &mut look);
    }

    pub(super) fn movers_near(self, low: Vec3, high: Vec3, look: &mut impl FnMut(&Obstacle<'_>)) {
        for placed in self.movers {
            if let Some(slab) = &placed.slab {
                let (slab_low, slab_high) = slab.bounds();
                if slab_low.cmple(high).all() && slab_high.cmpge(low).all() {
                    look(&Obstacle::Slab(slab));
                }
            }
        }
    }

    /// Whether a mover moved in the last step of the movers.
    pub(crate) fn moves(self) -> bool {
        self.movers.iter().any(|placed| placed.moved_m != Vec3::ZERO)
    }

    /// How far what that body stands on moved in the last step of the movers.
    pub(crate) fn carried_m(self, feet_m: Vec3, radius_m: f32) -> Vec3 {
        for placed in self.movers {
            let Some(slab) = placed.slab.as_ref().filter(|_| placed.moved_m != Vec3::ZERO) else {
                continue;
            };
            let before = feet_m + placed.moved_m;
            if let Some(top_m) = slab.support(before, radius_m)
                && (top_m - before.y).abs() < 0.02
            {
                return placed.moved_m;
            }
        }
        Vec3::ZERO
    }

    /// Whether a body that reaches so far over the ground can meet nothing but the floor.
    #[inline]
    pub(crate) fn is_roomy(self, feet_m: Vec3, reach_m: f32) -> bool {
        self.movers.is_empty() && reach_m < self.fixed.roomy.clear_m(feet_m.x, feet_m.z)
    }
}

impl StaticWorld {
    /// Calls `look` with the place of everything that overlaps a box, for [`Self::obstacle`].
    #[inline]
    pub(super) fn parts_near(&self, low: Vec3, high: Vec3, look: impl FnMut(u32)) {
        self.tree.overlaps(low, high, look);
    }

    #[inline]
    pub(super) fn obstacle(&self, part: u32) -> Obstacle<'_> {
        match self.part(part) {
            Part::Slab(slab, _) => Obstacle::Slab(slab),
            Part::Triangle(triangle, _) => Obstacle::Triangle(triangle),
        }
    }
}
