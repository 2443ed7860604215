//! A tree of boxes, four to a node, so that a ray's cost grows with what it meets.

use super::slab::Line;
use glam::{Vec3, Vec4};

/// An index over boxes that stand still. Names them by their place in the list it was built from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
}

/// Four children: their boxes side by side, so that one set of operations tests them all.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Node {
    low: [Vec4; 3],
    high: [Vec4; 3],
    children: [u32; 4],
}

/// A child that is a box rather than a node.
const LEAF: u32 = 1 << 31;
const EMPTY: u32 = u32::MAX;
/// Deep enough for 2^31 boxes: every node on the way down leaves at most 3 others waiting.
const STACK: usize = 64;

impl Tree {
    pub(crate) fn build(boxes: &[(Vec3, Vec3)]) -> Self {
        let mut tree = Self::default();
        let mut items: Vec<u32> = (0u32..).take(boxes.len()).collect();
        if !items.is_empty() {
            tree.split(&mut items, boxes);
        }
        tree
    }

    /// Calls `hit` with every box the ray enters before `limit_m`, and where it enters. `hit` returns
    /// the new limit: the distance of something met, or the old one.
    pub(crate) fn cast(
        &self,
        line: &Line,
        grow_m: f32,
        limit_m: f32,
        hit: impl FnMut(u32, f32) -> f32,
    ) {
        self.walk(
            |node| {
                let grow = Vec4::splat(grow_m);
                let axis = |axis: usize| {
                    let (origin, inverse) = (line.origin_m[axis], line.inverse[axis]);
                    let a = (node.low[axis] - grow - Vec4::splat(origin)) * inverse;
                    let b = (node.high[axis] + grow - Vec4::splat(origin)) * inverse;
                    (a.min(b), a.max(b))
                };
                let ((ax, bx), (ay, by), (az, bz)) = (axis(0), axis(1), axis(2));
                let enter = ax.max(ay).max(az).max(Vec4::ZERO);
                let leave = bx.min(by).min(bz);
                (enter.cmple(leave).bitmask(), enter)
            },
            hit,
            limit_m,
        );
    }

    /// Calls `touch` with every box that overlaps the given one.
    pub(crate) fn overlaps(&self, low: Vec3, high: Vec3, mut touch: impl FnMut(u32)) {
        self.walk(
            |node| {
                let apart = (0..3).fold(0, |apart, axis| {
                    apart
                        | node.low[axis].cmpgt(Vec4::splat(high[axis])).bitmask()
                        | node.high[axis].cmplt(Vec4::splat(low[axis])).bitmask()
                });
                (!apart & 0xF, Vec4::ZERO)
            },
            |leaf, _| {
                touch(leaf);
                f32::INFINITY
            },
            f32::INFINITY,
        );
    }

    #[inline]
    fn walk(
        &self,
        test: impl Fn(&Node) -> (u32, Vec4),
        mut leaf: impl FnMut(u32, f32) -> f32,
        mut limit: f32,
    ) {
        let mut stack = [(0u32, 0.0f32); STACK];
        let mut waiting = usize::from(!self.nodes.is_empty());
        while waiting > 0 {
            waiting -= 1;
            let (index, enter) = stack[waiting];
            if enter > limit {
                continue;
            }
            let node = &self.nodes[index as usize];
            let (mut met, enters) = test(node);
            while met != 0 {
                let child = met.trailing_zeros() as usize;
                met &= met - 1;
                let enter = enters[child];
                let name = node.children[child];
                if name == EMPTY || enter > limit {
                    continue;
                }
                if name & LEAF != 0 {
                    limit = limit.min(leaf(name & !LEAF, enter));
                } else if waiting < STACK {
                    stack[waiting] = (name, enter);
                    waiting += 1;
                }
            }
        }
    }

    /// Builds the node over these items and returns its name.
    fn split(&mut self, items: &mut [u32], boxes: &[(Vec3, Vec3)]) -> u32 {
        let index = self.nodes.len();
        self.nodes.push(Node {
            low: [Vec4::INFINITY; 3],
            high: [Vec4::NEG_INFINITY; 3],
            children: [EMPTY; 4],
        });
        let (left, right) = halve(items, boxes);
        let (a, b) = halve(left, boxes);
        let (c, d) = halve(right, boxes);
        for (slot, part) in [a, b, c, d].into_iter().enumerate() {
            if part.is_empty() {
                continue;
            }
            let (low, high) = around(part, boxes);
            let name = if let [one] = part { *one | LEAF } else { self.split(part, boxes) };
            let node = &mut self.nodes[index];
            node.children[slot] = name;
            for axis in 0..3 {
                node.low[axis][slot] = low[axis];
                node.high[axis][slot] = high[axis];
            }
        }
        u32::try_from(index).unwrap_or(EMPTY)
    }
}

/// Sorts items by their middles along the longest side and cuts them in two; ties keep list order.
fn halve<'a>(items: &'a mut [u32], boxes: &[(Vec3, Vec3)]) -> (&'a mut [u32], &'a mut [u32]) {
    if items.len() > 1 {
        let middle = |item: u32| {
            let (low, high) = boxes[item as usize];
            low + high
        };
        let spread =
            items.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), item| {
                (low.min(middle(*item)), high.max(middle(*item)))
            });
        let axis = (spread.1 - spread.0).max_position();
        items.sort_unstable_by(|a, b| middle(*a)[axis].total_cmp(&middle(*b)[axis]).then(a.cmp(b)));
    }
    items.split_at_mut(items.len().div_ceil(2))
}

fn around(items: &[u32], boxes: &[(Vec3, Vec3)]) -> (Vec3, Vec3) {
    items.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), item| {
        let (item_low, item_high) = boxes[*item as usize];
        (low.min(item_low), high.max(item_high))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn boxes() -> impl Strategy<Value = Vec<(Vec3, Vec3)>> {
        let point = (-20f32..20.0, -20f32..20.0, -20f32..20.0).prop_map(Vec3::from);
        let size = (0f32..3.0, 0f32..3.0, 0f32..3.0).prop_map(Vec3::from);
        prop::collection::vec((point, size).prop_map(|(low, size)| (low, low + size)), 0..120)
    }

    proptest! {
        #[test]
        fn the_tree_finds_what_a_look_at_every_box_finds(
            boxes in boxes(), origin in (-30f32..30.0, -30f32..30.0, -30f32..30.0),
            aim in (-1f32..1.0, -1f32..1.0, -1f32..1.0),
        ) {
            let Some(direction) = Vec3::from(aim).try_normalize() else { return Ok(()) };
            let line = Line::new(origin.into(), direction);
            let plain = boxes
                .iter()
                .map(|(low, high)| line.through(*low, *high))
                .filter(|(enter, leave)| enter <= leave && *enter <= 25.0)
                .map(|(enter, _)| enter)
                .fold(f32::INFINITY, f32::min);
            let tree = Tree::build(&boxes);
            let mut nearest = f32::INFINITY;
            tree.cast(&line, 0.0, 25.0, |_, enter| {
                nearest = nearest.min(enter);
                nearest
            });
            prop_assert_eq!(nearest.to_bits(), plain.to_bits());

            let (low, high) = (Vec3::from(origin) - 4.0, Vec3::from(origin) + 4.0);
            let mut found = Vec::new();
            tree.overlaps(low, high, |item| found.push(item));
            found.sort_unstable();
            let all: Vec<u32> = (0u32..)
                .zip(&boxes)
                .filter(|(_, b)| b.0.cmple(high).all() && b.1.cmpge(low).all())
                .map(|(item, _)| item)
                .collect();
            prop_assert_eq!(found, all);
        }
    }
}
