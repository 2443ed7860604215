//! A tree of boxes, eight to a node, so that a ray's cost grows with what it meets.

use super::pack::{Enters, Pack, PackLine, WIDTH};
use super::slab::Line;
use glam::Vec3;

/// An index over boxes that stand still. Names them by their place in the list it was built from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    boxes: Pack,
    children: [u32; WIDTH],
    /// A bit for each child that is a box.
    leaves: u32,
}

/// A child that is a box rather than a node.
const LEAF: u32 = 1 << 31;
/// Rays that are walked through the tree together.
pub(crate) const FAN: usize = 4;
/// Deep enough for 2^24 boxes: each of 8 levels leaves at most 7 nodes waiting.
const STACK: usize = 56;

/// Rays that go back along the same axes share a compiled test.
macro_rules! by_back {
    ($back:expr, $run:ident) => {
        match $back {
            0 => $run!(0),
            1 => $run!(1),
            2 => $run!(2),
            3 => $run!(3),
            4 => $run!(4),
            5 => $run!(5),
            6 => $run!(6),
            _ => $run!(7),
        }
    };
}

impl Tree {
    pub(crate) fn build(boxes: &[(Vec3, Vec3)]) -> Self {
        let mut tree = Self::default();
        let mut items: Vec<u32> = (0u32..1 << 24).take(boxes.len()).collect();
        if !items.is_empty() {
            tree.split(&mut items, boxes);
        }
        tree
    }

    /// Calls `hit` with every box, grown by `grow_m`, that the ray enters before `limit_m`, and where it
    /// enters. `hit` returns the new limit: the distance of something met, or the old one. The limit in
    /// the end is returned.
    #[inline(always)]
    pub(crate) fn cast(
        &self,
        line: &Line,
        grow_m: f32,
        limit_m: f32,
        hit: impl FnMut(u32, f32) -> f32,
    ) -> f32 {
        let line = PackLine::new(line, grow_m);
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { self.cast_avx2(&line, limit_m, hit) };
        }
        self.cast_plain(&line, limit_m, hit)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn cast_avx2(&self, line: &PackLine, limit_m: f32, hit: impl FnMut(u32, f32) -> f32) -> f32 {
        macro_rules! back {
            ($back:literal) => {{
                let line = super::pack::WideLine::new(line);
                self.walk(limit_m, hit, |boxes, limit| boxes.cast_avx2::<$back>(&line, limit))
            }};
        }
        by_back!(line.back, back)
    }

    #[inline(always)]
    fn cast_plain(&self, line: &PackLine, limit_m: f32, hit: impl FnMut(u32, f32) -> f32) -> f32 {
        macro_rules! back {
            ($back:literal) => {
                self.walk(limit_m, hit, |boxes, limit| boxes.cast::<$back>(line, limit))
            };
        }
        by_back!(line.back, back)
    }

    /// As [`Self::cast`] of each ray, with its answers to the bit, one entry of `limits_m` a ray. A few rays
    /// that go the same ways along the axes pass the same nodes, which are then looked at once for all.
    #[inline(always)]
    pub(crate) fn cast_fan(
        &self,
        lines: &[Line],
        limits_m: &mut [f32],
        mut hit: impl FnMut(usize, u32, f32) -> f32,
    ) {
        let count = lines.len().min(limits_m.len()).min(FAN);
        let Some(last) = count.checked_sub(1) else { return };
        let packed: [PackLine; FAN] =
            std::array::from_fn(|ray| PackLine::new(&lines[ray.min(last)], 0.0));
        if packed.iter().any(|line| line.back != packed[0].back) {
            for (ray, (line, limit_m)) in lines.iter().zip(&mut *limits_m).take(count).enumerate() {
                *limit_m = self.cast(line, 0.0, *limit_m, |at, enter| hit(ray, at, enter));
            }
            return;
        }
        let limits_m = &mut limits_m[..count];
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { self.cast_fan_avx2(&packed, limits_m, hit) };
        }
        self.cast_fan_plain(&packed, limits_m, hit);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn cast_fan_avx2(
        &self,
        lines: &[PackLine; FAN],
        limits_m: &mut [f32],
        hit: impl FnMut(usize, u32, f32) -> f32,
    ) {
        use super::pack::WideLine;
        macro_rules! back {
            ($back:literal) => {{
                let [a, b, c, d] = lines;
                let lines =
                    [WideLine::new(a), WideLine::new(b), WideLine::new(c), WideLine::new(d)];
                self.walk_fan(limits_m, hit, |boxes, ray, limit| {
                    boxes.cast_avx2::<$back>(&lines[ray % FAN], limit)
                });
            }};
        }
        by_back!(lines[0].back, back);
    }

    #[inline(always)]
    fn cast_fan_plain(
        &self,
        lines: &[PackLine; FAN],
        limits_m: &mut [f32],
        hit: impl FnMut(usize, u32, f32) -> f32,
    ) {
        macro_rules! back {
            ($back:literal) => {
                self.walk_fan(limits_m, hit, |boxes, ray, limit| {
                    boxes.cast::<$back>(&lines[ray % FAN], limit)
                })
            };
        }
        by_back!(lines[0].back, back);
    }

    /// As [`Self::walk`] for several rays. A node that another ray enters has nothing that this one meets, and
    /// what it does meet comes in the order in which it would alone.
    #[inline(always)]
    fn walk_fan(
        &self,
        limits_m: &mut [f32],
        mut hit: impl FnMut(usize, u32, f32) -> f32,
        test: impl Fn(&Pack, usize, f32) -> (u32, Enters),
    ) {
        let mut stack = [0u32; STACK];
        let mut waiting = usize::from(!self.nodes.is_empty());
        while waiting > 0 {
            waiting -= 1;
            let node = &self.nodes[stack[waiting] as usize];
            let mut entered = 0;
            for (ray, limit_m) in limits_m.iter_mut().enumerate() {
                let (met, enters) = test(&node.boxes, ray, *limit_m);
                entered |= met & !node.leaves;
                let mut leaves = met & node.leaves;
                while leaves != 0 {
                    let child = leaves.trailing_zeros() as usize % WIDTH;
                    leaves &= leaves - 1;
                    if enters[child] <= *limit_m {
                        let name = node.children[child] & !LEAF;
                        *limit_m = limit_m.min(hit(ray, name, enters[child]));
                    }
                }
            }
            while entered != 0 {
                let child = entered.trailing_zeros() as usize % WIDTH;
                entered &= entered - 1;
                if waiting < STACK {
                    stack[waiting] = node.children[child];
                    waiting += 1;
                }
            }
        }
    }

    #[inline(always)]
    fn walk(
        &self,
        mut limit_m: f32,
        mut hit: impl FnMut(u32, f32) -> f32,
        test: impl Fn(&Pack, f32) -> (u32, Enters),
    ) -> f32 {
        let mut stack = [0u32; STACK];
        let mut waiting = usize::from(!self.nodes.is_empty());
        while waiting > 0 {
            waiting -= 1;
            let node = &self.nodes[stack[waiting] as usize];
            let (mut met, enters) = test(&node.boxes, limit_m);
            while met != 0 {
                let child = met.trailing_zeros() as usize % WIDTH;
                met &= met - 1;
                let name = node.children[child];
                if name & LEAF != 0 {
                    if enters[child] <= limit_m {
                        limit_m = limit_m.min(hit(name & !LEAF, enters[child]));
                    }
                } else if waiting < STACK {
                    stack[waiting] = name;
                    waiting += 1;
                }
            }
        }
        limit_m
    }

    /// Calls `touch` with every box that overlaps the given one.
    #[inline]
    pub(crate) fn overlaps(&self, low: Vec3, high: Vec3, mut touch: impl FnMut(u32)) {
        let mut stack = [0u32; STACK];
        let mut waiting = usize::from(!self.nodes.is_empty());
        while waiting > 0 {
            waiting -= 1;
            let node = &self.nodes[stack[waiting] as usize];
            let mut met = node.boxes.overlaps(low, high);
            while met != 0 {
                let name = node.children[met.trailing_zeros() as usize % WIDTH];
                met &= met - 1;
                if name & LEAF != 0 {
                    touch(name & !LEAF);
                } else if waiting < STACK {
                    stack[waiting] = name;
                    waiting += 1;
                }
            }
        }
    }

    /// Builds the node over these items and returns its name.
    fn split(&mut self, items: &mut [u32], boxes: &[(Vec3, Vec3)]) -> u32 {
        let index = self.nodes.len();
        self.nodes.push(Node { boxes: Pack::EMPTY, children: [0; WIDTH], leaves: 0 });
        let mut parts: Vec<&mut [u32]> = vec![items];
        while parts.len() < WIDTH {
            parts = parts.into_iter().flat_map(|part| halve(part, boxes)).collect();
        }
        for (lane, part) in parts.into_iter().enumerate() {
            if part.is_empty() {
                continue;
            }
            let (low, high) = around(part, boxes);
            let name = if let [one] = part { *one | LEAF } else { self.split(part, boxes) };
            let node = &mut self.nodes[index];
            node.children[lane] = name;
            node.leaves |= u32::from(name & LEAF != 0) << lane;
            node.boxes.set(lane, low, high);
        }
        u32::try_from(index).unwrap_or(0)
    }
}

/// Sorts items by their middles along the longest side and cuts them in two; ties keep list order.
fn halve<'a>(items: &'a mut [u32], boxes: &[(Vec3, Vec3)]) -> [&'a mut [u32]; 2] {
    let middle = |item: u32| {
        let (low, high) = boxes[item as usize];
        low + high
    };
    let spread = items.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), item| {
        (low.min(middle(*item)), high.max(middle(*item)))
    });
    if items.len() > 1 {
        let axis = (spread.1 - spread.0).max_position();
        items.sort_unstable_by(|a, b| middle(*a)[axis].total_cmp(&middle(*b)[axis]).then(a.cmp(b)));
    }
    let (left, right) = items.split_at_mut(items.len().div_ceil(2));
    [left, right]
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
        prop::collection::vec((point, size).prop_map(|(low, size)| (low, low + size)), 0..150)
    }

    fn axis_or_any() -> impl Strategy<Value = Vec3> {
        let part = prop_oneof![Just(0.0f32), -1f32..1.0];
        (part.clone(), part.clone(), part).prop_map(Vec3::from)
    }

    proptest! {
        #[test]
        fn a_fan_finds_what_each_of_its_rays_finds(
            boxes in boxes(), origin in (-30f32..30.0, -30f32..30.0, -30f32..30.0),
            aim in axis_or_any(), spread in 0f32..0.4, rays in 1..=FAN, limit in 0f32..60.0,
        ) {
            let Some(direction) = aim.try_normalize() else { return Ok(()) };
            let tree = Tree::build(&boxes);
            let lines: Vec<Line> = (0u8..)
                .take(rays)
                .map(|ray| crate::turned_level(direction, (f32::from(ray) - 1.0) * spread))
                .map(|direction| Line::new(origin.into(), direction))
                .collect();
            // Some boxes let a ray through, and some stop it behind their face, as turned blocks do.
            let stop = |item: u32, enter: f32| match item % 3 {
                0 => f32::INFINITY,
                1 => enter + 0.3,
                _ => enter,
            };
            let packed: [PackLine; FAN] =
                std::array::from_fn(|ray| PackLine::new(&lines[ray.min(rays - 1)], 0.0));
            let mut fan = vec![limit; rays];
            tree.cast_fan(&lines, &mut fan, |_, item, enter| stop(item, enter));
            for (line, fan) in lines.iter().zip(&fan) {
                prop_assert_eq!(tree.cast(line, 0.0, limit, stop).to_bits(), fan.to_bits());
            }
            if packed.iter().all(|line| line.back == packed[0].back) {
                let mut plain = vec![limit; rays];
                tree.cast_fan_plain(&packed, &mut plain, |_, item, enter| stop(item, enter));
                prop_assert_eq!(plain, fan);
            }
        }

        #[test]
        fn the_tree_finds_what_a_look_at_every_box_finds(
            boxes in boxes(), origin in (-30f32..30.0, -30f32..30.0, -30f32..30.0),
            aim in axis_or_any(), grow in 0f32..0.5,
        ) {
            let Some(direction) = aim.try_normalize() else { return Ok(()) };
            let line = Line::new(origin.into(), direction);
            let plain = boxes
                .iter()
                .map(|(low, high)| line.through(low - grow, high + grow))
                .filter(|(enter, leave)| enter <= leave && *enter <= 25.0)
                .map(|(enter, _)| enter)
                .fold(f32::INFINITY, f32::min);
            let tree = Tree::build(&boxes);
            let mut wide = f32::INFINITY;
            tree.cast(&line, grow, 25.0, |_, enter| {
                wide = wide.min(enter);
                wide
            });
            let mut narrow = f32::INFINITY;
            tree.cast_plain(&PackLine::new(&line, grow), 25.0, |_, enter| {
                narrow = narrow.min(enter);
                narrow
            });
            prop_assert_eq!(wide.to_bits(), narrow.to_bits());
            // Growing a box or the ray's origin rounds differently.
            let near = (wide - plain).abs() < 1e-3 || wide == plain;
            let graze = plain.is_infinite() != wide.is_infinite() && grow > 0.0;
            prop_assert!(near || graze, "{} against {}", wide, plain);

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
