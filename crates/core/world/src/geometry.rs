//! Where rays meet round shapes. Everything here is relative to the shape, and callers bring a far
//! ray's origin near first, so `f32` keeps its millimetres.

use glam::Vec3;

/// A point in the frame of a body that turned by `yaw` (given as sine and cosine), from a world offset.
pub(crate) fn unturn(v: Vec3, sin: f32, cos: f32) -> Vec3 {
    Vec3::new(v.x * cos - v.z * sin, v.y, v.x * sin + v.z * cos)
}

/// The world offset of a point in the frame of a body that turned by `yaw`.
pub(crate) fn turn(v: Vec3, sin: f32, cos: f32) -> Vec3 {
    Vec3::new(v.x * cos + v.z * sin, v.y, v.z * cos - v.x * sin)
}

/// How far along a ray lies a sphere round the origin: 0 from inside, `None` where it is never met.
pub(crate) fn ray_sphere(origin: Vec3, direction: Vec3, radius: f32) -> Option<f32> {
    let radius2 = radius * radius;
    if origin.length_squared() <= radius2 {
        return Some(0.0);
    }
    let along = -origin.dot(direction);
    if along < 0.0 {
        return None;
    }
    let nearest2 = (origin + direction * along).length_squared();
    (nearest2 <= radius2).then(|| (along - (radius2 - nearest2).sqrt()).max(0.0))
}

/// The same for a capsule that stands upright over the origin, its axis from `low` to `high`.
pub(crate) fn ray_upright_capsule(
    origin: Vec3,
    direction: Vec3,
    low: f32,
    high: f32,
    radius: f32,
) -> Option<f32> {
    let flat2 = direction.x * direction.x + direction.z * direction.z;
    let cap = |y: f32| ray_sphere(origin - Vec3::new(0.0, y, 0.0), direction, radius);
    if flat2 < 1e-9 {
        if origin.y >= low && origin.y <= high {
            let off2 = origin.x * origin.x + origin.z * origin.z;
            return (off2 <= radius * radius).then_some(0.0);
        }
        return cap(if origin.y > high { high } else { low });
    }
    let middle = -(origin.x * direction.x + origin.z * direction.z) / flat2;
    let x = origin.x + direction.x * middle;
    let z = origin.z + direction.z * middle;
    let room2 = radius * radius - (x * x + z * z);
    if room2 < 0.0 {
        return None;
    }
    let half = (room2 / flat2).sqrt();
    if middle + half < 0.0 {
        return None;
    }
    // The caps lie inside the endless cylinder, so nothing is met before the ray enters that; from
    // above or below its straight part the way in leads through the nearer cap.
    let enter = (middle - half).max(0.0);
    let y = origin.y + direction.y * enter;
    if y > high {
        cap(high)
    } else if y < low {
        cap(low)
    } else {
        Some(enter)
    }
}

/// The same for any capsule, from `a` to `b`.
pub(crate) fn ray_capsule(
    origin: Vec3,
    direction: Vec3,
    a: Vec3,
    b: Vec3,
    radius: f32,
) -> Option<f32> {
    let axis = b - a;
    let from_a = origin - a;
    let axis2 = axis.length_squared();
    if axis2 < 1e-9 {
        return ray_sphere(from_a, direction, radius);
    }
    let on_axis = (from_a.dot(axis) / axis2).clamp(0.0, 1.0);
    if (from_a - axis * on_axis).length_squared() <= radius * radius {
        return Some(0.0);
    }
    // Outside: the first of the straight part and the two caps.
    let along_direction = axis.dot(direction);
    let along_from = axis.dot(from_a);
    let square = axis2 - along_direction * along_direction;
    let side = if square > 1e-9 * axis2 {
        let linear = axis2 * direction.dot(from_a) - along_from * along_direction;
        let constant =
            axis2 * from_a.length_squared() - along_from * along_from - radius * radius * axis2;
        let root = linear * linear - square * constant;
        if root < 0.0 {
            return None;
        }
        let t = (-linear - root.sqrt()) / square;
        let y = along_from + t * along_direction;
        (t >= 0.0 && y >= 0.0 && y <= axis2).then_some(t)
    } else {
        None
    };
    side.or_else(|| {
        let first = ray_sphere(from_a, direction, radius);
        let last = ray_sphere(origin - b, direction, radius);
        match (first, last) {
            (Some(first), Some(last)) => Some(first.min(last)),
            (first, last) => first.or(last),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Walks the ray in small steps: slow, plain, and hard to get wrong.
    fn march(origin: Vec3, direction: Vec3, a: Vec3, b: Vec3, radius: f32) -> Option<f32> {
        (0..40_000u16).map(|i| f32::from(i) * 0.000_5).find(|t| {
            let p = origin + direction * *t;
            let axis = b - a;
            let on = ((p - a).dot(axis) / axis.length_squared().max(1e-12)).clamp(0.0, 1.0);
            (p - a - axis * on).length() <= radius
        })
    }

    fn point(within: f32) -> impl Strategy<Value = Vec3> {
        (-within..within, -within..within, -within..within).prop_map(Vec3::from)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn a_capsule_is_met_where_small_steps_meet_it(
            origin in point(5.0), aim in point(1.0), a in point(1.0), b in point(1.0),
            radius in 0.1f32..0.8,
        ) {
            let Some(direction) = (aim - origin).try_normalize() else { return Ok(()) };
            agree(
                ray_capsule(origin, direction, a, b, radius),
                march(origin, direction, a, b, radius),
                march(origin, direction, a, b, radius * 0.999),
            )?;
        }

        #[test]
        fn an_upright_capsule_is_met_where_small_steps_meet_it(
            origin in point(5.0), aim in point(1.0), low in -1.0f32..0.0, high in 0.0f32..1.5,
            radius in 0.1f32..0.8,
        ) {
            let Some(direction) = (aim - origin).try_normalize() else { return Ok(()) };
            let (a, b) = (Vec3::new(0.0, low, 0.0), Vec3::new(0.0, high, 0.0));
            agree(
                ray_upright_capsule(origin, direction, low, high, radius),
                march(origin, direction, a, b, radius),
                march(origin, direction, a, b, radius * 0.999),
            )?;
        }
    }

    /// A graze may fall either way; anything else must agree to a few millimetres.
    fn agree(
        met: Option<f32>,
        marched: Option<f32>,
        inner: Option<f32>,
    ) -> Result<(), TestCaseError> {
        if let (Some(met), Some(marched)) = (met, inner.and(marched)) {
            prop_assert!((met - marched).abs() < 0.05, "{met} against {marched}");
        } else {
            prop_assert!(met.is_some() == marched.is_some() || inner.is_none());
        }
        Ok(())
    }

    #[test]
    fn a_ray_straight_down_meets_the_crown() {
        let met = ray_upright_capsule(Vec3::new(0.1, 5.0, 0.0), Vec3::NEG_Y, 0.4, 1.4, 0.4);
        assert!((met.unwrap() - (5.0 - 1.4 - (0.15f32).sqrt())).abs() < 1e-5);
        assert_eq!(ray_upright_capsule(Vec3::new(0.1, 5.0, 0.0), Vec3::Y, 0.4, 1.4, 0.4), None);
    }

    #[test]
    fn turning_and_unturning_is_the_same_place_and_yaw_zero_faces_minus_z() {
        let (sin, cos) = std::f32::consts::FRAC_PI_2.sin_cos();
        let left = turn(Vec3::NEG_Z, sin, cos);
        assert!((left - Vec3::NEG_X).length() < 1e-6);
        assert!((unturn(left, sin, cos) - Vec3::NEG_Z).length() < 1e-6);
    }
}
