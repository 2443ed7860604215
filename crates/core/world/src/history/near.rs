//! Whom a fan of rays may meet at all: found before the rays are known to their end, so that what is
//! read of them is on its way while the walls are looked at.

use super::cull::Strip;
use super::row::Block;
use super::{Moment, Ray};
use crate::ahead::prefetch;

/// Entities that a fan may meet, in id order; the first so many of them.
#[derive(Clone, Debug)]
pub struct Near {
    strip: Option<Strip>,
    ids: [u16; NEAR_MAX],
    count: usize,
    /// Blocks of the row from here on were not looked at.
    blocks_from: usize,
    radius_m: f32,
}

/// Noted at once; who is beyond is found when the trace gets there.
const NEAR_MAX: usize = 48;

impl Moment<'_> {
    /// Whom rays from one point may meet within their range, for [`Self::trace_near`] with the same rays,
    /// or shorter ones. Starts loading what a trace reads of them.
    #[must_use]
    pub fn near(&self, rays: &[Ray]) -> Near {
        self.near_of(rays, 0.0)
    }

    #[inline]
    pub(super) fn near_of(&self, rays: &[Ray], radius_m: f32) -> Near {
        let history = self.history;
        // Blended places lie at most half a move from the nearer row's.
        let [moved, moved_before] = history.moved_max_m;
        let moved = self.fraction.min(1.0 - self.fraction) * moved.max(moved_before);
        let reach_m = history.reach_max_m + moved + radius_m;
        let strip = Strip::new(history.grid, rays, reach_m);
        let mut near = Near { strip, ids: [0; NEAR_MAX], count: 0, blocks_from: 0, radius_m };
        let Some(strip) = strip else { return near };
        let rows = self.rows();
        let blocks = history.row(self.nearer());
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            unsafe { near.note_avx2(&strip, blocks, rows) };
            return near;
        }
        near.note(blocks, rows, |block| strip.near_plain(block));
        near
    }

    /// The blocks of the older row, the newer one and the present: all of one length.
    #[inline]
    pub(super) fn rows(&self) -> [&[Block]; 3] {
        [self.older, self.newer, self.present].map(|row| self.history.row(row))
    }
}

impl Near {
    /// Notes whom the strip comes near, as long as there is room, and asks for their poses.
    #[inline(always)]
    fn note(&mut self, blocks: &[Block], rows: [&[Block]; 3], test: impl Fn(&Block) -> u32) {
        for (number, block) in blocks.iter().enumerate() {
            if self.count + Block::WIDTH > NEAR_MAX {
                break;
            }
            let mut lanes = test(block);
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize % Block::WIDTH;
                lanes &= lanes - 1;
                for block in rows.iter().filter_map(|row| row.get(number)) {
                    prefetch(&block.poses[lane]);
                }
                #[expect(clippy::cast_possible_truncation, reason = "at most 4,096 entities")]
                {
                    self.ids[self.count % NEAR_MAX] = (number * Block::WIDTH + lane) as u16;
                }
                self.count += 1;
            }
            self.blocks_from = number + 1;
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn note_avx2(&mut self, strip: &Strip, blocks: &[Block], rows: [&[Block]; 3]) {
        self.note(blocks, rows, |block| strip.near_avx2(block));
    }

    pub(super) fn radius_m(&self) -> f32 {
        self.radius_m
    }

    /// `None` where the rays part too far to be looked at as one fan.
    pub(super) fn is_fan(&self) -> bool {
        self.strip.is_some()
    }

    /// Calls `look` with every id, those beyond what was noted included.
    #[inline]
    pub(super) fn each(&self, moment: &Moment<'_>, mut look: impl FnMut(usize)) {
        for id in &self.ids[..self.count.min(NEAR_MAX)] {
            look(usize::from(*id));
        }
        let Some(strip) = &self.strip else { return };
        let blocks = moment.history.row(moment.nearer());
        for (number, block) in blocks.iter().enumerate().skip(self.blocks_from) {
            let mut lanes = strip.near(block);
            while lanes != 0 {
                look(number * Block::WIDTH + lanes.trailing_zeros() as usize);
                lanes &= lanes - 1;
            }
        }
    }
}
