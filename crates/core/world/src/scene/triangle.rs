//! A triangle of a mesh or a height field, solid from both sides.

use super::slab::{Line, Touch};
use glam::Vec3;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Triangle {
    pub(crate) corners_m: [Vec3; 3],
    /// Of unit length, the side that faces up where one does.
    normal: Vec3,
}

/// Steeper than 50 degrees is a wall: nobody stands on it.
const WALKABLE_UP: f32 = 0.64;

impl Triangle {
    /// `None` for one without an area, or of numbers that are none.
    pub(crate) fn new(corners_m: [Vec3; 3]) -> Option<Self> {
        let [a, b, c] = corners_m;
        let normal = (b - a).cross(c - a).try_normalize()?;
        let normal = if normal.y < 0.0 { -normal } else { normal };
        normal.is_finite().then_some(Self { corners_m, normal })
    }

    pub(crate) fn bounds(&self) -> (Vec3, Vec3) {
        let [a, b, c] = self.corners_m;
        (a.min(b).min(c), a.max(b).max(c))
    }

    pub(crate) fn top_m(&self) -> f32 {
        self.bounds().1.y
    }

    /// Where a ray meets it. A ball of radius `grow_m` meets it as early as its skin reaches the plane,
    /// and only where its middle does.
    pub(crate) fn enter(&self, line: &Line, grow_m: f32) -> Option<f32> {
        let [a, b, c] = self.corners_m;
        let towards = self.normal.dot(line.direction);
        let over = self.normal.dot(line.origin_m - a);
        if towards.abs() < 1e-7 || over * towards > 0.0 {
            return None;
        }
        let met = (over / -towards).max(0.0);
        let at = line.origin_m + line.direction * met;
        // A hair wider than it is, so that no ray slips between two neighbours.
        let inside = |from: Vec3, to: Vec3| {
            let edge = to - from;
            let side = self.normal.cross(edge);
            let third = side.dot(self.middle() - from);
            side.dot(at - from) * third.signum() >= -1e-4 * edge.length()
        };
        let inside = inside(a, b) && inside(b, c) && inside(c, a);
        inside.then(|| (met - grow_m / towards.abs()).max(0.0))
    }

    /// How an upright capsule stands to it: its axis at `feet`, from `low` to `high` over them.
    pub(crate) fn touch(&self, feet_m: Vec3, low_m: f32, high_m: f32, radius_m: f32) -> Touch {
        let (bottom, top) = (feet_m + Vec3::Y * low_m, feet_m + Vec3::Y * high_m);
        let (on_axis, on_triangle) = self.nearest(bottom, top);
        let apart = on_axis - on_triangle;
        let distance = apart.length();
        if distance > 1e-5 {
            return Touch { normal: apart / distance, depth_m: radius_m - distance };
        }
        // The axis goes through it: out by the side its middle is on.
        let side = self.normal.dot((bottom + top) * 0.5 - self.corners_m[0]);
        Touch { normal: self.normal * 1f32.copysign(side), depth_m: radius_m }
    }

    /// How high the feet of a round-bottomed body of that radius stand on it, let down from above.
    pub(crate) fn support(&self, feet_m: Vec3, radius_m: f32) -> Option<f32> {
        if self.normal.y < WALKABLE_UP {
            return None;
        }
        let [a, b, c] = self.corners_m;
        let (low, high) = self.bounds();
        let beside = feet_m.x + radius_m <= low.x
            || feet_m.x - radius_m >= high.x
            || feet_m.z + radius_m <= low.z
            || feet_m.z - radius_m >= high.z;
        if beside {
            return None;
        }
        let (x, z) = (feet_m.x, feet_m.z);
        // The ball's middle where its skin touches the plane; good if it touches within the edges.
        let n = self.normal;
        let middle_y = a.y + (radius_m - n.x * (x - a.x) - n.z * (z - a.z)) / n.y;
        let at = Vec3::new(x, middle_y, z) - n * radius_m;
        if self.holds(at) {
            return Some(middle_y - radius_m);
        }
        let edges = [(a, b), (b, c), (c, a)];
        let corners = self.corners_m.into_iter().filter_map(|corner| {
            let room2 = radius_m * radius_m - (corner.x - x).powi(2) - (corner.z - z).powi(2);
            (room2 >= 0.0).then(|| corner.y + room2.sqrt())
        });
        edges
            .into_iter()
            .filter_map(|(from, to)| ball_on_edge(from, to, x, z, radius_m))
            .chain(corners)
            .reduce(f32::max)
            .map(|middle_y| middle_y - radius_m)
    }

    fn middle(&self) -> Vec3 {
        let [a, b, c] = self.corners_m;
        (a + b + c) / 3.0
    }

    /// Whether a point of its plane lies within its edges.
    fn holds(&self, point: Vec3) -> bool {
        let [a, b, c] = self.corners_m;
        let middle = self.middle();
        [(a, b), (b, c), (c, a)].into_iter().all(|(from, to)| {
            let side = self.normal.cross(to - from);
            side.dot(point - from) * side.dot(middle - from) >= 0.0
        })
    }

    /// The nearest points of a segment and of the triangle.
    fn nearest(&self, p: Vec3, q: Vec3) -> (Vec3, Vec3) {
        let [a, b, c] = self.corners_m;
        // Through the face?
        let (over_p, over_q) = (self.normal.dot(p - a), self.normal.dot(q - a));
        if over_p * over_q <= 0.0 && over_p != over_q {
            let at = p + (q - p) * (over_p / (over_p - over_q));
            if self.holds(at) {
                return (at, at);
            }
        }
        let faces = [(p, over_p), (q, over_q)].into_iter().filter_map(|(end, over)| {
            let at = end - self.normal * over;
            self.holds(at).then_some((end, at))
        });
        let edges = [(a, b), (b, c), (c, a)];
        let edges = edges.into_iter().map(|(from, to)| between_segments(p, q, from, to));
        faces
            .chain(edges)
            .min_by(|(s, t), (u, v)| s.distance_squared(*t).total_cmp(&u.distance_squared(*v)))
            .unwrap_or((p, a))
    }
}

/// The height of the middle of a ball over (x, z) that lies on an edge, between its ends.
fn ball_on_edge(from: Vec3, to: Vec3, x: f32, z: f32, radius_m: f32) -> Option<f32> {
    let length = from.distance(to);
    let e = (to - from) / length;
    let (wx, wz) = (x - from.x, z - from.z);
    let square = 1.0 - e.y * e.y;
    if length < 1e-6 || square < 1e-6 {
        return None;
    }
    let k = wx * e.x + wz * e.z;
    let room = k * k * e.y * e.y - square * (wx * wx + wz * wz - k * k - radius_m * radius_m);
    if room < 0.0 {
        return None;
    }
    let y = (k * e.y + room.sqrt()) / square;
    let along = k + y * e.y;
    (along >= 0.0 && along <= length).then_some(from.y + y)
}

/// The nearest points of two segments.
fn between_segments(p: Vec3, q: Vec3, a: Vec3, b: Vec3) -> (Vec3, Vec3) {
    let (d, e, r) = (q - p, b - a, p - a);
    let (dd, ee, de) = (d.length_squared(), e.length_squared(), d.dot(e));
    let (dr, er) = (d.dot(r), e.dot(r));
    let square = dd * ee - de * de;
    let clamp = |part: f32, whole: f32| {
        if whole > 1e-12 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
    };
    let s = if square > 1e-9 * dd * ee { clamp(de * er - dr * ee, square) } else { 0.0 };
    let t = clamp(er + de * s, ee);
    let s = clamp(de * t - dr, dd);
    (p + d * s, a + e * t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point(within: f32) -> impl Strategy<Value = Vec3> {
        (-within..within, -within..within, -within..within).prop_map(Vec3::from)
    }

    /// The least distance between samples of a segment and of a triangle.
    fn sampled(triangle: &Triangle, p: Vec3, q: Vec3) -> f32 {
        let [a, b, c] = triangle.corners_m;
        let mut least = f32::INFINITY;
        for s in 0..=24u8 {
            let on = p + (q - p) * f32::from(s) / 24.0;
            for u in 0..=24u8 {
                for v in 0..=24 - u {
                    let (u, v) = (f32::from(u) / 24.0, f32::from(v) / 24.0);
                    least = least.min(on.distance(a + (b - a) * u + (c - a) * v));
                }
            }
        }
        least
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn a_capsules_depth_is_what_samples_say(
            a in point(1.0), b in point(1.0), c in point(1.0), feet in point(1.5),
        ) {
            let Some(triangle) = Triangle::new([a, b, c]) else { return Ok(()) };
            let touch = triangle.touch(feet, 0.4, 1.4, 0.4);
            let least = sampled(&triangle, feet + Vec3::Y * 0.4, feet + Vec3::Y * 1.4);
            prop_assert!((touch.depth_m - (0.4 - least)).abs() < 0.08);
            prop_assert!(touch.depth_m >= 0.4 - least - 1e-4 || least < 0.08);
        }

        #[test]
        fn a_ball_let_down_touches_and_no_more(
            a in point(1.0), b in point(1.0), c in point(1.0), feet in point(1.5),
        ) {
            let Some(triangle) = Triangle::new([a, b, c]) else { return Ok(()) };
            if let Some(y) = triangle.support(feet, 0.4) {
                let feet = feet.with_y(y);
                let depth = triangle.touch(feet, 0.4, 0.4, 0.4).depth_m;
                prop_assert!(depth.abs() < 2e-3, "{depth} deep");
            }
        }

        #[test]
        fn a_ray_meets_it_where_it_aims(
            a in point(1.0), b in point(1.0), c in point(1.0), from in point(9.0),
            u in 0.02f32..0.9, v in 0.02f32..0.9,
        ) {
            let Some(triangle) = Triangle::new([a, b, c]) else { return Ok(()) };
            prop_assume!(u + v < 0.98);
            let at = a + (b - a) * u + (c - a) * v;
            let Some(direction) = (at - from).try_normalize() else { return Ok(()) };
            prop_assume!(triangle.normal.dot(direction).abs() > 0.01);
            let met = triangle.enter(&Line::new(from, direction), 0.0);
            prop_assert!(met.is_some_and(|met| (met - from.distance(at)).abs() < 1e-2), "{met:?}");
        }
    }
}
