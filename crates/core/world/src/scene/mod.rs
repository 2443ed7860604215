//! The static world of a mode and the doors and lifts that move in it.

mod mover;
mod obstacle;
mod pack;
mod roomy;
mod slab;
mod tree;

pub use mover::{Motion, MoverState, Movers};
pub(crate) use obstacle::Figure;
pub(crate) use roomy::Roomy;

use fairshot_mode::{Arena, Bounds};
use glam::Vec3;
use slab::{Line, Slab};
use tree::Tree;

/// Everything of an arena that stands still. Built once from a mode and shared by its rooms.
#[derive(Clone, Debug)]
pub struct StaticWorld {
    bounds: Bounds,
    slabs: Vec<Slab>,
    tree: Tree,
    roomy: Roomy,
}

/// What a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// From the ray's origin; 0 where it began inside.
    pub distance_m: f32,
    pub surface: Surface,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// The ground at y = 0.
    Ground,
    /// The edge of the arena.
    Bounds,
    /// Index into the arena's blocks.
    Block(u32),
    /// Index into the room's movers.
    Mover(u32),
}

/// The world as it stands now: what never moves, and the doors and lifts where they are. A plain
/// [`StaticWorld`] is one without movers.
#[derive(Clone, Copy, Debug)]
pub struct Present<'a> {
    pub fixed: &'a StaticWorld,
    pub(crate) movers: &'a [mover::Placed],
}

impl<'a> From<&'a StaticWorld> for Present<'a> {
    fn from(fixed: &'a StaticWorld) -> Self {
        Self { fixed, movers: &[] }
    }
}

impl<'a> Present<'a> {
    #[must_use]
    pub fn new(fixed: &'a StaticWorld, movers: &'a Movers) -> Self {
        Self { fixed, movers: movers.placed() }
    }

    /// The first surface on a ray of unit direction, within `range_m`.
    #[must_use]
    pub fn cast(self, origin_m: Vec3, direction: Vec3, range_m: f32) -> Option<Hit> {
        self.sweep(origin_m, direction, range_m, 0.0)
    }

    /// The same for a ball that flies along the ray. Blocks count as grown by its radius, which is a
    /// little early at their corners.
    #[must_use]
    pub fn sweep(
        self,
        origin_m: Vec3,
        direction: Vec3,
        range_m: f32,
        radius_m: f32,
    ) -> Option<Hit> {
        let line = Line::new(origin_m, direction);
        let mut first = self.fixed.sweep(&line, range_m, radius_m);
        for (index, placed) in (0u32..).zip(self.movers) {
            let Some(slab) = &placed.slab else { continue };
            let limit_m = first.map_or(range_m, |hit| hit.distance_m);
            if let Some(distance_m) = slab.enter(&line, radius_m).filter(|t| *t < limit_m) {
                first = Some(Hit { distance_m, surface: Surface::Mover(index) });
            }
        }
        first
    }

    /// Whether nothing stands between two points, and neither lies inside something.
    #[must_use]
    pub fn is_clear(self, a_m: Vec3, b_m: Vec3) -> bool {
        let way = b_m - a_m;
        let length_m = way.length();
        let direction = if length_m > 1e-6 { way / length_m } else { Vec3::Y };
        self.cast(a_m, direction, length_m).is_none()
    }
}

impl StaticWorld {
    #[must_use]
    pub fn build(arena: &Arena) -> Self {
        let slabs: Vec<Slab> = arena.blocks.iter().map(Slab::new).collect();
        let boxes: Vec<(Vec3, Vec3)> = slabs.iter().map(Slab::bounds).collect();
        Self {
            bounds: arena.bounds,
            tree: Tree::build(&boxes),
            roomy: Roomy::build(&arena.bounds, &boxes),
            slabs,
        }
    }

    /// The first surface on a ray of unit direction, within `range_m`; movers are not looked at.
    #[must_use]
    pub fn cast(&self, origin_m: Vec3, direction: Vec3, range_m: f32) -> Option<Hit> {
        self.sweep(&Line::new(origin_m, direction), range_m, 0.0)
    }

    /// Whether nothing that stands still lies between two points, and neither is inside something.
    #[must_use]
    pub fn is_clear(&self, a_m: Vec3, b_m: Vec3) -> bool {
        Present::from(self).is_clear(a_m, b_m)
    }

    #[must_use]
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    fn sweep(&self, line: &Line, range_m: f32, radius_m: f32) -> Option<Hit> {
        let mut first = self.edge(line, range_m, radius_m);
        if range_m + radius_m < Roomy::MARGIN_M
            && self.roomy.is_roomy(line.origin_m.x, line.origin_m.z)
        {
            return first;
        }
        let mut limit_m = first.map_or(range_m, |hit| hit.distance_m);
        self.tree.cast(line, radius_m, limit_m, |index, enter| {
            let slab = &self.slabs[index as usize];
            let met = if slab.is_straight() { Some(enter) } else { slab.enter(line, radius_m) };
            if let Some(distance_m) = met.filter(|t| *t < limit_m) {
                limit_m = distance_m;
                first = Some(Hit { distance_m, surface: Surface::Block(index) });
            }
            limit_m
        });
        first
    }

    /// The ground and the arena's edge.
    fn edge(&self, line: &Line, range_m: f32, radius_m: f32) -> Option<Hit> {
        let (enter, leave) = line.through(self.bounds.min_m, self.bounds.max_m);
        let inside = enter <= leave && self.bounds.contains(line.origin_m);
        let distance_m = if inside { leave } else { 0.0 };
        let edge = Hit { distance_m, surface: Surface::Bounds };
        let over = line.origin_m.y - radius_m;
        let ground = if over < 0.0 {
            Some(0.0)
        } else if line.direction.y < 0.0 {
            Some(over / -line.direction.y)
        } else {
            None
        };
        match ground {
            Some(distance_m) if distance_m <= edge.distance_m => {
                Some(Hit { distance_m, surface: Surface::Ground })
            }
            _ => Some(edge),
        }
        .filter(|hit| hit.distance_m < range_m)
    }
}
