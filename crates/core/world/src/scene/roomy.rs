//! How far away the nearest thing is, in a map of the ground: one byte a cell. Most steps of most bodies
//! and most looks past a muzzle ask for no more.

use fairshot_mode::Bounds;
use glam::Vec3;

/// A grid over the arena: for each cell how much free ground lies around every place in it.
#[derive(Clone, Debug)]
pub(crate) struct Roomy {
    min_m: Vec3,
    per_m: f32,
    columns: i32,
    rows: i32,
    clear: Vec<u8>,
}

/// Sides of the grid: 256 KiB at the most.
const CELLS_MAX: f32 = 512.0;
/// No cell is smaller.
const CELL_MIN_M: f32 = 0.5;
/// The steps of a byte of free ground.
const STEPS_PER_M: f32 = 100.0;

impl Roomy {
    /// Free ground beyond this is not told apart.
    pub(crate) const CLEAR_MAX_M: f32 = 2.5;

    #[expect(clippy::cast_possible_truncation, reason = "held to the most cells just before")]
    pub(crate) fn build(bounds: &Bounds, boxes: &[(Vec3, Vec3)]) -> Self {
        let size = bounds.max_m - bounds.min_m;
        let cell_m = (size.x.max(size.z) / CELLS_MAX).max(CELL_MIN_M);
        let cells = |side_m: f32| ((side_m / cell_m).ceil().clamp(1.0, CELLS_MAX)) as i32;
        let (columns, rows) = (cells(size.x), cells(size.z));
        let count = (columns * rows).unsigned_abs() as usize;
        let mut roomy = Self {
            min_m: bounds.min_m,
            per_m: 1.0 / cell_m,
            columns,
            rows,
            clear: vec![u8::MAX; count],
        };
        // The arena's edge is a wall too.
        let (min, max) = (bounds.min_m, bounds.max_m);
        let edges = [
            (min, Vec3::new(min.x, max.y, max.z)),
            (Vec3::new(max.x, min.y, min.z), max),
            (min, Vec3::new(max.x, max.y, min.z)),
            (Vec3::new(min.x, min.y, max.z), max),
        ];
        for (low, high) in boxes.iter().chain(&edges) {
            roomy.fill(*low, *high);
        }
        roomy
    }

    /// How far every obstacle, and the arena's edge, lies from that place over the ground, at the
    /// least; 0 where that is not known.
    #[inline]
    pub(crate) fn clear_m(&self, x_m: f32, z_m: f32) -> f32 {
        let (column, row) = self.cell(x_m, z_m);
        if column < 0 || row < 0 || column >= self.columns || row >= self.rows {
            return 0.0;
        }
        let clear = self.clear.get((row * self.columns + column).unsigned_abs() as usize);
        f32::from(clear.copied().unwrap_or(0)) / STEPS_PER_M
    }

    #[expect(clippy::cast_precision_loss, reason = "a few hundred cells")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "held to a byte")]
    fn fill(&mut self, low: Vec3, high: Vec3) {
        // A touch wider than it is, for the rounding of cells.
        let slack = Vec3::splat(0.01);
        let (low, high) = (low - slack, high + slack);
        let reach = Vec3::splat(Self::CLEAR_MAX_M + 0.1);
        let (from_x, from_z) = self.cell((low - reach).x, (low - reach).z);
        let (to_x, to_z) = self.cell((high + reach).x, (high + reach).z);
        let cell_m = 1.0 / self.per_m;
        // Between a cell's two sides and the obstacle's.
        let gap = |cell: i32, min: f32, low: f32, high: f32| {
            let begin = min + cell as f32 * cell_m;
            (low - begin - cell_m).max(begin - high).max(0.0)
        };
        for row in from_z.max(0)..=to_z.min(self.rows - 1) {
            let gap_z = gap(row, self.min_m.z, low.z, high.z);
            for column in from_x.max(0)..=to_x.min(self.columns - 1) {
                let gap_x = gap(column, self.min_m.x, low.x, high.x);
                let steps = (gap_x * gap_x + gap_z * gap_z).sqrt() * STEPS_PER_M;
                let clear = &mut self.clear[(row * self.columns + column).unsigned_abs() as usize];
                *clear = (*clear).min(steps.min(255.0) as u8);
            }
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the cast saturates, and callers check")]
    #[inline]
    fn cell(&self, x_m: f32, z_m: f32) -> (i32, i32) {
        // A cast cuts towards 0, so what lies before the first cell is told apart; so is a NaN.
        let cut = |along: f32| if along >= 0.0 { along as i32 } else { -1 };
        (cut((x_m - self.min_m.x) * self.per_m), cut((z_m - self.min_m.z) * self.per_m))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_places_away_from_blocks_and_edges_are_clear() {
        let bounds = Bounds { min_m: Vec3::splat(-20.0), max_m: Vec3::splat(20.0) };
        let roomy = Roomy::build(&bounds, &[(Vec3::ZERO, Vec3::ONE)]);
        assert!(roomy.clear_m(0.5, 0.5) < 0.01);
        assert!(roomy.clear_m(2.4, 0.5) < 1.4);
        assert!(roomy.clear_m(4.6, 0.5) >= Roomy::CLEAR_MAX_M);
        assert!(roomy.clear_m(19.0, 10.0) < 1.0);
        for nowhere in [1e9, f32::NAN] {
            assert!(roomy.clear_m(nowhere, 0.0) < 0.01);
        }
    }

    proptest! {
        #[test]
        fn nothing_lies_nearer_than_a_place_is_clear(
            boxes in prop::collection::vec((-30f32..30.0, -30f32..30.0, 0f32..4.0, 0f32..4.0), 0..12),
            x in -35f32..35.0, z in -35f32..35.0, half in 5f32..300.0,
        ) {
            let bounds = Bounds { min_m: Vec3::splat(-half), max_m: Vec3::splat(half) };
            let boxes: Vec<_> = boxes
                .iter()
                .map(|(x, z, w, d)| (Vec3::new(*x, 0.0, *z), Vec3::new(x + w, 1.0, z + d)))
                .collect();
            let clear_m = Roomy::build(&bounds, &boxes).clear_m(x, z);
            let at = Vec3::new(x, 0.0, z);
            let edge = (half - x.abs()).min(half - z.abs());
            let near = boxes.iter().map(|(low, high)| {
                let nearest = at.clamp(*low, *high).with_y(0.0);
                at.distance(nearest)
            });
            let least = near.fold(edge, f32::min).max(0.0);
            prop_assert!(clear_m <= least, "{clear_m} where {least}");
            // Nor is much given away: a cell's own size.
            let cell_m = (half * 2.0 / CELLS_MAX).max(CELL_MIN_M);
            prop_assert!(clear_m >= least.min(Roomy::CLEAR_MAX_M) - cell_m * 1.5 - 0.05);
        }
    }
}
