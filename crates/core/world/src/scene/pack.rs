//! Eight boxes side by side, tested against a ray at once: by SSE2 or what else glam has for four
//! lanes, or by AVX2 where the processor has it. Both do the same operations, so both give the same bits.

use super::slab::Line;
use glam::{Vec3, Vec4};

pub(crate) const WIDTH: usize = 8;

/// The planes of eight boxes: the low ones of each axis, then the high ones.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Pack {
    planes: [[Vec4; 2]; 6],
}

/// A ray as the packs want it. Which planes it meets first follows from `back`, and is known as a test is
/// compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackLine {
    /// A bit for each axis it goes back along.
    pub(crate) back: usize,
    near_from: [f32; 3],
    far_from: [f32; 3],
    inverse: [f32; 3],
}

/// The same for AVX2, spread over its lanes once a ray.
#[cfg(target_arch = "x86_64")]
pub(crate) struct WideLine {
    near_from: [std::arch::x86_64::__m256; 3],
    far_from: [std::arch::x86_64::__m256; 3],
    inverse: [std::arch::x86_64::__m256; 3],
}

#[cfg(target_arch = "x86_64")]
impl WideLine {
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(crate) fn new(line: &PackLine) -> Self {
        use std::arch::x86_64::_mm256_set1_ps;
        let wide = |numbers: [f32; 3]| {
            [_mm256_set1_ps(numbers[0]), _mm256_set1_ps(numbers[1]), _mm256_set1_ps(numbers[2])]
        };
        Self {
            near_from: wide(line.near_from),
            far_from: wide(line.far_from),
            inverse: wide(line.inverse),
        }
    }
}

/// Where a ray enters each box of a pack.
pub(crate) type Enters = [f32; WIDTH];

impl Pack {
    /// Boxes that nothing meets.
    pub(crate) const EMPTY: Self = {
        let (low, high) = ([Vec4::INFINITY; 2], [Vec4::NEG_INFINITY; 2]);
        Self { planes: [low, low, low, high, high, high] }
    };

    pub(crate) fn set(&mut self, lane: usize, low: Vec3, high: Vec3) {
        for axis in 0..3 {
            self.planes[axis][lane / 4][lane % 4] = low[axis];
            self.planes[axis + 3][lane / 4][lane % 4] = high[axis];
        }
    }

    /// One bit for each box the ray enters within `limit`, and where it enters each.
    #[inline(always)]
    pub(crate) fn cast<const BACK: usize>(&self, line: &PackLine, limit: f32) -> (u32, Enters) {
        let half = |half: usize| {
            let plane = |which: usize, from: [f32; 3], axis: usize| {
                let plane = self.planes[which][half];
                (plane - Vec4::splat(from[axis])) * Vec4::splat(line.inverse[axis])
            };
            let near = |axis: usize| plane(near_plane::<BACK>(axis), line.near_from, axis);
            let far = |axis: usize| plane(far_plane::<BACK>(axis), line.far_from, axis);
            let enter = near(0).max(near(1)).max(near(2)).max(Vec4::ZERO);
            let leave = far(0).min(far(1)).min(far(2)).min(Vec4::splat(limit));
            (enter.cmple(leave).bitmask(), enter.to_array())
        };
        let ((met, a), (met_more, b)) = (half(0), half(1));
        (met | met_more << 4, [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]])
    }

    /// The same by AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(crate) fn cast_avx2<const BACK: usize>(
        &self,
        line: &WideLine,
        limit: f32,
    ) -> (u32, Enters) {
        use std::arch::x86_64::{
            __m256, _CMP_LE_OQ, _mm256_cmp_ps, _mm256_load_ps, _mm256_max_ps, _mm256_min_ps,
            _mm256_movemask_ps, _mm256_mul_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps,
            _mm256_sub_ps,
        };
        let plane = |which: usize, from: __m256, axis: usize| {
            let plane: *const f32 = std::ptr::from_ref(&self.planes[which]).cast();
            // SAFETY: a plane is eight numbers in a row, and each lies on 32 bytes of a pack that lies
            // on 64.
            let plane = unsafe { _mm256_load_ps(plane) };
            _mm256_mul_ps(_mm256_sub_ps(plane, from), line.inverse[axis])
        };
        let near = |axis: usize| plane(near_plane::<BACK>(axis), line.near_from[axis], axis);
        let far = |axis: usize| plane(far_plane::<BACK>(axis), line.far_from[axis], axis);
        let max = |a: __m256, b: __m256| _mm256_max_ps(a, b);
        let min = |a: __m256, b: __m256| _mm256_min_ps(a, b);
        let enter = max(max(max(near(0), near(1)), near(2)), _mm256_setzero_ps());
        let leave = min(min(min(far(0), far(1)), far(2)), _mm256_set1_ps(limit));
        let met = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(enter, leave));
        let mut enters = [0.0; WIDTH];
        // SAFETY: eight numbers into an array of eight.
        unsafe { _mm256_storeu_ps(enters.as_mut_ptr(), enter) };
        (met.cast_unsigned(), enters)
    }

    /// One bit for each box that overlaps the given one.
    #[inline(always)]
    pub(crate) fn overlaps(&self, low: Vec3, high: Vec3) -> u32 {
        let apart = |half: usize| {
            (0..3).fold(0, |apart, axis| {
                apart
                    | self.planes[axis][half].cmpgt(Vec4::splat(high[axis])).bitmask()
                    | self.planes[axis + 3][half].cmplt(Vec4::splat(low[axis])).bitmask()
            })
        };
        !(apart(0) | apart(1) << 4) & 0xFF
    }
}

impl PackLine {
    /// A ray against boxes grown by `grow_m` on every side.
    #[inline(always)]
    pub(crate) fn new(line: &Line, grow_m: f32) -> Self {
        let back = |axis: usize| line.inverse[axis] < 0.0;
        let grown = |axis: usize| if back(axis) { -grow_m } else { grow_m };
        let axes = [0, 1, 2];
        Self {
            back: axes.iter().fold(0, |bits, axis| bits | usize::from(back(*axis)) << axis),
            near_from: axes.map(|axis| line.origin_m[axis] + grown(axis)),
            far_from: axes.map(|axis| line.origin_m[axis] - grown(axis)),
            inverse: line.inverse.to_array(),
        }
    }
}

/// A ray that goes back along an axis meets the high planes first.
const fn near_plane<const BACK: usize>(axis: usize) -> usize {
    axis + 3 * (BACK >> axis & 1)
}

const fn far_plane<const BACK: usize>(axis: usize) -> usize {
    axis + 3 - 3 * (BACK >> axis & 1)
}
