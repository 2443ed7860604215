//! The cull: which of a row's entities could a ray meet at all? Reads nothing but coarse places,
//! four bytes an entity, and never leaves out one that is met.

use super::row::{Block, Grid};
use super::{Moment, Ray};
use crate::ahead::prefetch_line;
use glam::Vec2;

/// A fan of rays over the ground, in coarse units: a strip with a beginning and an end that widens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Strip {
    x: f32,
    z: f32,
    /// Of unit length.
    along_x: f32,
    along_z: f32,
    half_width: f32,
    /// How much wider it gets a unit along.
    slope: f32,
    length: f32,
}

/// Fans wider than this to either side (60 degrees) are traced a ray at a time.
const COSINE_MIN: f32 = 0.5;
/// Rays of one fan; more are traced a ray at a time.
const RAYS_MAX: usize = 32;

impl Strip {
    /// `reach_m`: how far an entity's shape, and its place since, may lie from its coarse place.
    /// `None` where the rays part too far for one strip; a single ray never does.
    pub(super) fn new(grid: Grid, rays: &[Ray], reach_m: f32) -> Option<Self> {
        let first = rays.first()?;
        let scale = grid.per_metre();
        let (x, z) = grid.point(first.origin_m.x, first.origin_m.z);
        // One unit for the rounding of each place, one for the arithmetic below.
        let reach = reach_m * scale + 2.0;
        let range = |ray: &Ray| ray.range_m * scale;
        let length = rays.iter().map(range).fold(0.0, f32::max) + reach;
        let mut along = Vec2::ZERO;
        let mut flats = [Vec2::ZERO; RAYS_MAX];
        if rays.len() > RAYS_MAX {
            return None;
        }
        for (ray, kept) in rays.iter().zip(&mut flats) {
            let flat = Vec2::new(ray.direction.x, ray.direction.z);
            let steepness = flat.length();
            if steepness < 1e-3 {
                // Straight up or down: whoever stands round here.
                let most = reach + length * 1e-3;
                let around = Self {
                    x,
                    z,
                    along_x: 1.0,
                    along_z: 0.0,
                    half_width: most,
                    slope: 0.0,
                    length: most,
                };
                return (rays.len() == 1).then_some(around);
            }
            *kept = flat / steepness;
            along += *kept;
        }
        let along = along.try_normalize()?;
        let cosine = flats[..rays.len()].iter().map(|flat| flat.dot(along)).fold(1.0, f32::min);
        let together = rays.iter().all(|ray| ray.origin_m == first.origin_m);
        if !together || cosine < COSINE_MIN {
            return None;
        }
        let slope = (1.0 - cosine * cosine).max(0.0).sqrt() / cosine;
        let (half_width, slope) = if rays.len() == 1 {
            (reach, 0.0)
        } else {
            // A touch wider for the rounding of the cosine.
            (reach / cosine + reach * slope + 1.0, slope + 1e-3)
        };
        Some(Self { x, z, along_x: along.x, along_z: along.y, half_width, slope, length })
    }

    /// One bit for each entity of a block: set where the strip comes near.
    #[inline]
    pub(super) fn near(&self, block: &Block) -> u32 {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { self.near_avx2(block) };
        }
        self.near_plain(block)
    }

    /// The meaning of the vector path below, in plain arithmetic.
    pub(super) fn near_plain(&self, block: &Block) -> u32 {
        let mut near = 0;
        for (lane, (x, z)) in block.xs.iter().zip(&block.zs).enumerate() {
            let (x, z) = (f32::from(*x) - self.x, f32::from(*z) - self.z);
            let across = x * self.along_z - z * self.along_x;
            let along = x * self.along_x + z * self.along_z;
            let inside = across.abs() <= self.half_width + along * self.slope
                && along >= -self.half_width
                && along <= self.length;
            near |= u32::from(inside) << lane;
        }
        near
    }

    /// The same, eight entities at a time, with the same operations in the same order.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn near_avx2(&self, block: &Block) -> u32 {
        use std::arch::x86_64::{
            __m128i, _CMP_GE_OQ, _CMP_LE_OQ, _mm_loadu_si128, _mm256_add_ps, _mm256_and_ps,
            _mm256_andnot_ps, _mm256_cmp_ps, _mm256_cvtepi16_epi32, _mm256_cvtepi32_ps,
            _mm256_movemask_ps, _mm256_mul_ps, _mm256_set1_ps, _mm256_sub_ps,
        };
        let eight = |places: &[i16; 8]| {
            // SAFETY: the 16 bytes of an array, with no need of alignment.
            let places = unsafe { _mm_loadu_si128(places.as_ptr().cast::<__m128i>()) };
            _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(places))
        };
        let (along_x, along_z) = (_mm256_set1_ps(self.along_x), _mm256_set1_ps(self.along_z));
        let half_width = _mm256_set1_ps(self.half_width);
        let mut near = 0;
        let (xs, zs) = (block.xs.as_chunks::<8>().0, block.zs.as_chunks::<8>().0);
        for (half, (x, z)) in xs.iter().zip(zs).enumerate() {
            let x = _mm256_sub_ps(eight(x), _mm256_set1_ps(self.x));
            let z = _mm256_sub_ps(eight(z), _mm256_set1_ps(self.z));
            let across = _mm256_sub_ps(_mm256_mul_ps(x, along_z), _mm256_mul_ps(z, along_x));
            let along = _mm256_add_ps(_mm256_mul_ps(x, along_x), _mm256_mul_ps(z, along_z));
            let across = _mm256_andnot_ps(_mm256_set1_ps(-0.0), across);
            let wide = _mm256_mul_ps(along, _mm256_set1_ps(self.slope));
            let wide = _mm256_add_ps(half_width, wide);
            let beside = _mm256_cmp_ps::<_CMP_LE_OQ>(across, wide);
            let back = _mm256_set1_ps(-self.half_width);
            let ahead = _mm256_cmp_ps::<_CMP_GE_OQ>(along, back);
            let within = _mm256_cmp_ps::<_CMP_LE_OQ>(along, _mm256_set1_ps(self.length));
            let inside = _mm256_and_ps(beside, _mm256_and_ps(ahead, within));
            near |= _mm256_movemask_ps(inside).cast_unsigned() << (half * 8);
        }
        near
    }
}

impl Moment<'_> {
    /// Asks for the coarse places of the row that a trace culls.
    #[inline]
    pub(super) fn prefetch(&self) {
        // Past a few lines the processor sees the pattern itself.
        self.history.row(self.nearer()).iter().take(8).for_each(prefetch_line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairshot_mode::Bounds;
    use glam::Vec3;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_vector_path_answers_as_plain_arithmetic_does(
            places in any::<([i16; 16], [i16; 16])>(),
            origin in (-500f32..500.0, -5f32..50.0, -500f32..500.0),
            direction in (-1f32..1.0, -1f32..1.0, -1f32..1.0),
            half in 10f32..4096.0, range in 0f32..5000.0, reach in 0f32..30.0,
        ) {
            let bounds = Bounds { min_m: Vec3::splat(-half), max_m: Vec3::splat(half) };
            let direction = Vec3::from(direction).normalize_or(Vec3::Y);
            let ray = Ray { origin_m: origin.into(), direction, range_m: range };
            let strip = Strip::new(Grid::new(&bounds), &[ray], reach).unwrap();
            let block = Block { xs: places.0, zs: places.1, ..Block::EMPTY };
            prop_assert_eq!(strip.near(&block), strip.near_plain(&block));
        }

        #[test]
        fn whoever_stands_within_reach_of_the_ray_is_not_culled(
            origin in (-90f32..90.0, 0f32..20.0, -90f32..90.0),
            direction in (-1f32..1.0, -1f32..1.0, -1f32..1.0),
            along in 0f32..1.0, off in (-1f32..1.0, -1f32..1.0), half in 100f32..4096.0,
            range in 0.1f32..150.0, reach in 0.01f32..3.0, spread in 0f32..0.4,
        ) {
            let grid = Grid::new(&Bounds { min_m: Vec3::splat(-half), max_m: Vec3::splat(half) });
            let (origin, direction) =
                (Vec3::from(origin), Vec3::from(direction).normalize_or(Vec3::Y));
            let off = Vec3::new(off.0, 0.0, off.1).normalize_or_zero() * reach * 0.999;
            let place = origin + direction * (along * range) + off;
            prop_assume!(place.x.abs() <= half && place.z.abs() <= half);
            let (x, z) = grid.place(fairshot_units::quantise_position(place));
            let ray = |turn: f32| Ray {
                origin_m: origin,
                direction: crate::turned_level(direction, turn),
                range_m: range,
            };
            let block = Block { xs: [x; 16], zs: [z; 16], ..Block::EMPTY };
            let strip = Strip::new(grid, &[ray(0.0)], reach).unwrap();
            prop_assert_eq!(strip.near(&block), 0xFFFF);
            let fan = [ray(spread), ray(spread * 2.0), ray(0.0), ray(-spread)];
            if let Some(strip) = Strip::new(grid, &fan, reach) {
                prop_assert_eq!(strip.near(&block), 0xFFFF);
            }
        }
    }
}
