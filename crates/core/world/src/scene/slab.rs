//! A box that is turned about y: the block, the door and the lift.

use crate::geometry::{turn, unturn};
use fairshot_mode::Block;
use glam::Vec3;

/// A block, ready for queries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slab {
    pub(crate) centre_m: Vec3,
    pub(crate) half_m: Vec3,
    sin: f32,
    cos: f32,
}

/// How an upright body stands to a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touch {
    /// Away from the block, of unit length.
    pub(crate) normal: Vec3,
    /// How deep the body's skin lies in the block; negative is a gap.
    pub(crate) depth_m: f32,
}

/// All that a step of a body asks of one thing at one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stand {
    /// `None` where they are apart.
    pub(crate) touch: Option<Touch>,
    /// How high the feet stand on it, where it is under them.
    pub(crate) support_m: Option<f32>,
}

/// How wide a body is: against walls, and at its feet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Skin {
    pub(crate) radius_m: f32,
    pub(crate) sole_m: f32,
}

/// A ray as its box tests want it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) origin_m: Vec3,
    pub(crate) direction: Vec3,
    pub(crate) inverse: Vec3,
}

impl Line {
    pub(crate) fn new(origin_m: Vec3, direction: Vec3) -> Self {
        // A direction along a face would make 0 times infinity; a tiny slant makes it a far distance.
        let finite = |d: f32| if d.abs() < 1e-9 { 1e9f32.copysign(d) } else { 1.0 / d };
        let inverse = Vec3::new(finite(direction.x), finite(direction.y), finite(direction.z));
        Self { origin_m, direction, inverse }
    }

    /// Where it enters and leaves a box; it never does where the first is the larger.
    pub(crate) fn through(&self, low: Vec3, high: Vec3) -> (f32, f32) {
        let a = (low - self.origin_m) * self.inverse;
        let b = (high - self.origin_m) * self.inverse;
        (a.min(b).max_element().max(0.0), a.max(b).min_element())
    }
}

impl Slab {
    pub(crate) fn new(block: &Block) -> Self {
        // A right angle is exact, so that walls built by quarter turns meet without a gap.
        let quarters = block.yaw_rad / std::f32::consts::FRAC_PI_2;
        let (sin, cos) = if (quarters - quarters.round()).abs() < 1e-5 {
            match (quarters.round() % 4.0 + 4.0) % 4.0 {
                q if q < 0.5 => (0.0, 1.0),
                q if q < 1.5 => (1.0, 0.0),
                q if q < 2.5 => (0.0, -1.0),
                _ => (-1.0, 0.0),
            }
        } else {
            block.yaw_rad.sin_cos()
        };
        Self { centre_m: block.centre_m, half_m: block.half_m.abs(), sin, cos }
    }

    pub(crate) fn bounds(&self) -> (Vec3, Vec3) {
        let (sin, cos) = (self.sin.abs(), self.cos.abs());
        let half = Vec3::new(
            self.half_m.x * cos + self.half_m.z * sin,
            self.half_m.y,
            self.half_m.x * sin + self.half_m.z * cos,
        );
        (self.centre_m - half, self.centre_m + half)
    }

    /// Whether its bounds are the box itself.
    pub(crate) fn is_straight(&self) -> bool {
        self.sin.abs() < 1e-6 || self.cos.abs() < 1e-6
    }

    /// Where a ray enters it, grown by `grow_m` on every side; 0 from inside.
    pub(crate) fn enter(&self, line: &Line, grow_m: f32) -> Option<f32> {
        let origin = unturn(line.origin_m - self.centre_m, self.sin, self.cos);
        let direction = unturn(line.direction, self.sin, self.cos);
        let half = self.half_m + Vec3::splat(grow_m);
        let (enter, leave) = Line::new(origin, direction).through(-half, half);
        (enter <= leave).then_some(enter)
    }

    /// The feet of an upright body in its own frame, and the way from it to the nearest point of the body's
    /// axis, from `low` to `high` over the feet.
    #[inline(always)]
    fn way_out(&self, feet_m: Vec3, low_m: f32, high_m: f32) -> (Vec3, Vec3) {
        let local = unturn(feet_m - self.centre_m, self.sin, self.cos);
        let (bottom, top) = (local.y + low_m, local.y + high_m);
        let beside = |place: f32, half: f32| {
            if place > half {
                place - half
            } else if place < -half {
                place + half
            } else {
                0.0
            }
        };
        let out_y = if bottom > self.half_m.y {
            bottom - self.half_m.y
        } else if top < -self.half_m.y {
            top + self.half_m.y
        } else {
            0.0
        };
        (local, Vec3::new(beside(local.x, self.half_m.x), out_y, beside(local.z, self.half_m.z)))
    }

    /// Whether an upright capsule is clear of it: a quick look that spares most bodies the rest.
    #[inline(always)]
    pub(crate) fn is_apart(&self, feet_m: Vec3, low_m: f32, high_m: f32, radius_m: f32) -> bool {
        let (_, out) = self.way_out(feet_m, low_m, high_m);
        out.length_squared() >= radius_m * radius_m
    }

    /// How an upright capsule stands to it: its axis at `feet`, from `low` to `high` over them.
    pub(crate) fn touch(&self, feet_m: Vec3, low_m: f32, high_m: f32, radius_m: f32) -> Touch {
        let (local, out) = self.way_out(feet_m, low_m, high_m);
        self.touch_of(local, out, low_m, high_m, radius_m)
    }

    #[inline(always)]
    fn touch_of(&self, local: Vec3, out: Vec3, low_m: f32, high_m: f32, radius_m: f32) -> Touch {
        let (bottom, top) = (local.y + low_m, local.y + high_m);
        let distance = out.length();
        if distance > 1e-6 {
            let normal = turn(out / distance, self.sin, self.cos);
            return Touch { normal, depth_m: radius_m - distance };
        }
        // The axis itself is inside: out by the nearest face.
        let inside_x = self.half_m.x - local.x.abs();
        let inside_z = self.half_m.z - local.z.abs();
        let up = self.half_m.y - bottom;
        let down = top + self.half_m.y;
        let least = inside_x.min(inside_z).min(up).min(down);
        let normal = if least == inside_x {
            Vec3::X * 1f32.copysign(local.x)
        } else if least == inside_z {
            Vec3::Z * 1f32.copysign(local.z)
        } else if least == up {
            Vec3::Y
        } else {
            Vec3::NEG_Y
        };
        Touch { normal: turn(normal, self.sin, self.cos), depth_m: radius_m + least }
    }

    /// Both of [`Self::touch`] (`None` where it is apart) and [`Self::support`] at one place, to the bit, for
    /// little more than one of them. `None` for what stands beside and neither touches nor holds.
    #[inline(always)]
    pub(crate) fn stand(&self, feet_m: Vec3, low_m: f32, high_m: f32, skin: Skin) -> Option<Stand> {
        let (local, out) = self.way_out(feet_m, low_m, high_m);
        let off2 = out.x * out.x + out.z * out.z;
        if off2 >= skin.radius_m * skin.radius_m {
            return None;
        }
        let apart = out.length_squared() >= skin.radius_m * skin.radius_m;
        let touch = (!apart).then(|| self.touch_of(local, out, low_m, high_m, skin.radius_m));
        let sole2 = skin.sole_m * skin.sole_m;
        let top = self.top_m();
        let support_m = (off2 < sole2).then(|| top + (sole2 - off2).sqrt() - skin.sole_m);
        Some(Stand { touch, support_m })
    }

    /// The height of its upper side.
    #[inline(always)]
    pub(crate) fn top_m(&self) -> f32 {
        self.centre_m.y + self.half_m.y
    }

    /// How high the feet of a round-bottomed body of that radius stand on it, where it is under them.
    pub(crate) fn support(&self, feet_m: Vec3, radius_m: f32) -> Option<f32> {
        let local = unturn(feet_m - self.centre_m, self.sin, self.cos);
        let out_x = local.x - local.x.clamp(-self.half_m.x, self.half_m.x);
        let out_z = local.z - local.z.clamp(-self.half_m.z, self.half_m.z);
        let off2 = out_x * out_x + out_z * out_z;
        let top = self.top_m();
        if off2 >= radius_m * radius_m {
            return None;
        }
        Some(top + (radius_m * radius_m - off2).sqrt() - radius_m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn one_look_says_what_a_touch_and_a_support_say(
            feet in (-4f32..4.0, -2f32..4.0, -4f32..4.0), half in (0f32..2.0, 0f32..2.0, 0f32..2.0),
            yaw in prop_oneof![Just(0.0f32), -4f32..4.0], radius in 0.05f32..0.8,
        ) {
            let (low, high) = (radius, 1.8 - radius);
            let skin = Skin { radius_m: radius, sole_m: radius - 0.001 };
            let block = Block { centre_m: Vec3::ZERO, half_m: half.into(), yaw_rad: yaw };
            let slab = Slab::new(&block);
            let touch = slab.touch(feet.into(), low, high, radius);
            let touch = Some(touch).filter(|_| !slab.is_apart(feet.into(), low, high, radius));
            let support_m = slab.support(feet.into(), skin.sole_m);
            let stand = slab.stand(feet.into(), low, high, skin);
            prop_assert_eq!(stand.and_then(|stand| stand.touch), touch);
            prop_assert_eq!(stand.and_then(|stand| stand.support_m), support_m);
        }
    }

    fn slab(yaw_rad: f32) -> Slab {
        Slab::new(&Block {
            centre_m: Vec3::new(1.0, 1.0, -5.0),
            half_m: Vec3::new(2.0, 1.0, 0.5),
            yaw_rad,
        })
    }

    #[test]
    fn a_ray_enters_a_straight_and_a_turned_block_at_its_face() {
        let line = Line::new(Vec3::new(1.0, 1.0, 0.0), Vec3::NEG_Z);
        assert_eq!(slab(0.0).enter(&line, 0.0), Some(4.5));
        let turned = slab(std::f32::consts::FRAC_PI_2).enter(&line, 0.0);
        assert_eq!(turned, Some(3.0));
        let diagonal = slab(std::f32::consts::FRAC_PI_4).enter(&line, 0.0).unwrap();
        assert!((diagonal - (5.0 - 0.5 * 2f32.sqrt())).abs() < 1e-5);
        let up = Line::new(Vec3::new(1.0, 5.0, -5.0), Vec3::NEG_Y);
        assert_eq!(slab(0.3).enter(&up, 0.0), Some(3.0));
    }

    #[test]
    fn a_body_touches_by_its_side_and_stands_by_its_bottom() {
        let side = slab(0.0).touch(Vec3::new(1.0, 0.0, -4.2), 0.4, 1.4, 0.4);
        assert!((side.depth_m - 0.1).abs() < 1e-6 && side.normal == Vec3::Z);
        assert_eq!(slab(0.0).support(Vec3::new(1.0, 3.0, -5.0), 0.4), Some(2.0));
        assert_eq!(slab(0.0).support(Vec3::new(1.0, 3.0, -4.0), 0.4), None);
        let edge = slab(0.0).support(Vec3::new(1.0, 3.0, -4.26), 0.4).unwrap();
        assert!(edge < 2.0 && edge > 1.9);
    }
}
