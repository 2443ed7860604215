//! Where there is nothing but ground: one bit a cell. Most steps of most bodies ask for no more.

use fairshot_mode::Bounds;
use glam::Vec3;

/// A grid over the arena; a set bit is a cell with nothing within [`Roomy::MARGIN_M`] of it.
#[derive(Clone, Debug)]
pub(crate) struct Roomy {
    min_m: Vec3,
    per_m: f32,
    columns: i32,
    rows: i32,
    bits: Vec<u64>,
}

/// Sides of the grid: 16 KiB at the most.
const CELLS_MAX: f32 = 360.0;

impl Roomy {
    /// Every place of a roomy cell has this much free ground around it.
    pub(crate) const MARGIN_M: f32 = 1.5;

    #[expect(clippy::cast_possible_truncation, reason = "held to the most cells just before")]
    pub(crate) fn build(bounds: &Bounds, boxes: &[(Vec3, Vec3)]) -> Self {
        let size = bounds.max_m - bounds.min_m;
        let cell_m = (size.x.max(size.z) / CELLS_MAX).max(1.0);
        let cells = |side_m: f32| ((side_m / cell_m).ceil().clamp(1.0, CELLS_MAX)) as i32;
        let (columns, rows) = (cells(size.x), cells(size.z));
        let count = (columns * rows).unsigned_abs() as usize;
        let mut roomy = Self {
            min_m: bounds.min_m,
            per_m: 1.0 / cell_m,
            columns,
            rows,
            bits: vec![u64::MAX; count.div_ceil(64)],
        };
        // The arena's edge is a wall too: cells next to it are not roomy.
        let margin = Vec3::splat(Self::MARGIN_M + 0.01);
        let edge = |low: Vec3, high: Vec3| (low, high);
        let (min, max) = (bounds.min_m, bounds.max_m);
        let edges = [
            edge(min, Vec3::new(min.x, max.y, max.z)),
            edge(Vec3::new(max.x, min.y, min.z), max),
            edge(min, Vec3::new(max.x, max.y, min.z)),
            edge(Vec3::new(min.x, min.y, max.z), max),
        ];
        for (low, high) in boxes.iter().chain(&edges) {
            roomy.fill(*low - margin, *high + margin);
        }
        roomy
    }

    /// Whether nothing but ground lies within the margin of that place.
    #[inline]
    pub(crate) fn is_roomy(&self, x_m: f32, z_m: f32) -> bool {
        let (column, row) = self.cell(x_m, z_m);
        if column < 0 || row < 0 || column >= self.columns || row >= self.rows {
            return false;
        }
        let bit = (row * self.columns + column).unsigned_abs() as usize;
        self.bits[bit / 64] >> (bit % 64) & 1 == 1
    }

    fn fill(&mut self, low: Vec3, high: Vec3) {
        let (from_x, from_z) = self.cell(low.x, low.z);
        let (to_x, to_z) = self.cell(high.x, high.z);
        for row in from_z.max(0)..=to_z.min(self.rows - 1) {
            for column in from_x.max(0)..=to_x.min(self.columns - 1) {
                let bit = (row * self.columns + column).unsigned_abs() as usize;
                self.bits[bit / 64] &= !(1 << (bit % 64));
            }
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the cast saturates, and callers check")]
    fn cell(&self, x_m: f32, z_m: f32) -> (i32, i32) {
        // A cast cuts towards 0, so what lies before the first cell is told apart; so is a NaN.
        let cut = |along: f32| if along >= 0.0 { along as i32 } else { -1 };
        (cut((x_m - self.min_m.x) * self.per_m), cut((z_m - self.min_m.z) * self.per_m))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cells_away_from_blocks_and_edges_are_roomy() {
        let bounds = Bounds { min_m: Vec3::splat(-20.0), max_m: Vec3::splat(20.0) };
        let roomy = Roomy::build(&bounds, &[(Vec3::ZERO, Vec3::ONE)]);
        assert!(!roomy.is_roomy(0.5, 0.5));
        assert!(!roomy.is_roomy(2.4, 0.5));
        assert!(roomy.is_roomy(4.0, 0.5));
        assert!(!roomy.is_roomy(19.0, 10.0));
        assert!(!roomy.is_roomy(1e9, 0.0));
        assert!(!roomy.is_roomy(f32::NAN, f32::NAN));
    }
}
