//! The static world of a mode and the doors and lifts that move in it.

mod files;
mod mover;
mod obstacle;
mod pack;
mod roomy;
mod scenery;
mod slab;
mod tree;
mod triangle;
mod unheard;
mod vicinity;

pub use files::{ArenaFileError, GLTF_BYTES_MAX, HEIGHTS_BYTES_MAX};
pub use mover::{Motion, MoverState, Movers};
pub(crate) use obstacle::{Figure, Obstacle};
pub use scenery::{HeightField, Mesh, Scenery, SceneryError, TRIANGLES_MAX};
pub use unheard::{Unheard, UnheardState};
pub(crate) use vicinity::Vicinity;

use crate::Ray;
use fairshot_mode::{Arena, Bounds};
use glam::Vec3;
use roomy::Roomy;
pub(crate) use slab::Skin;
use slab::{Line, Slab};
use tree::{FAN, Tree};
use triangle::Triangle;

/// Everything of an arena that stands still. Built once from a mode and shared by its rooms.
#[derive(Clone, Debug)]
pub struct StaticWorld {
    bounds: Bounds,
    slabs: Vec<Slab>,
    triangles: Vec<Triangle>,
    /// Over the slabs and then the triangles.
    tree: Tree,
    floor_m: f32,
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
    /// The endless floor: the ground at y = 0.
    Ground,
    /// The edge of the arena.
    Bounds,
    /// Index into the arena's blocks.
    Block(u32),
    /// A triangle of a mesh or a height field.
    Triangle(u32),
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

    /// The same world with its movers elsewhere.
    #[must_use]
    pub fn with_movers<'b>(self, movers: &'b Movers) -> Present<'b>
    where
        'a: 'b,
    {
        Present::new(self.fixed, movers)
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
        let is_open = self.fixed.is_open(origin_m, range_m + radius_m);
        if is_open && self.movers.is_empty() {
            return None;
        }
        let line = Line::new(origin_m, direction);
        let mut first = if is_open { None } else { self.fixed.sweep(&line, range_m, radius_m) };
        for (index, placed) in (0u32..).zip(self.movers) {
            let Some(slab) = &placed.slab else { continue };
            let limit_m = first.map_or(range_m, |hit| hit.distance_m);
            if let Some(distance_m) = slab.enter(&line, radius_m).filter(|t| *t < limit_m) {
                first = Some(Hit { distance_m, surface: Surface::Mover(index) });
            }
        }
        first
    }

    /// How far a ray of unit direction goes before it meets anything, `range_m` at the most: what
    /// [`Self::cast`] says, without what it met.
    #[must_use]
    pub fn open_m(self, origin_m: Vec3, direction: Vec3, range_m: f32) -> f32 {
        let line = Line::new(origin_m, direction);
        let mut open_m = self.fixed.open_m(&line, range_m);
        for slab in self.movers.iter().filter_map(|placed| placed.slab.as_ref()) {
            open_m = slab.enter(&line, 0.0).filter(|t| *t < open_m).unwrap_or(open_m);
        }
        open_m
    }

    /// Cuts each ray to what [`Self::open_m`] leaves of it: the same to the bit, for less where the rays of
    /// one pull lie close together.
    pub fn cut(self, rays: &mut [Ray]) {
        for rays in rays.chunks_mut(FAN) {
            self.fixed.cut(rays);
            for slab in self.movers.iter().filter_map(|placed| placed.slab.as_ref()) {
                for ray in rays.iter_mut() {
                    let line = Line::new(ray.origin_m, ray.direction);
                    let met = slab.enter(&line, 0.0).filter(|t| *t < ray.range_m);
                    ray.range_m = met.unwrap_or(ray.range_m);
                }
            }
        }
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
    /// The blocks of an arena and its floor, without the terrain and meshes it may name.
    #[must_use]
    pub fn build(arena: &Arena) -> Self {
        Self::of_parts(arena, Vec::new(), arena.floor_m)
    }

    /// An arena with terrain and meshes.
    ///
    /// # Errors
    /// [`SceneryError`]: a height field is not whole, or there are too many triangles.
    pub fn with_scenery(arena: &Arena, scenery: &Scenery) -> Result<Self, SceneryError> {
        Ok(Self::of_parts(arena, scenery.triangles()?, scenery.floor_m))
    }

    fn of_parts(arena: &Arena, triangles: Vec<Triangle>, floor_m: f32) -> Self {
        let slabs: Vec<Slab> = arena.blocks.iter().map(Slab::new).collect();
        let boxes: Vec<(Vec3, Vec3)> =
            slabs.iter().map(Slab::bounds).chain(triangles.iter().map(Triangle::bounds)).collect();
        Self {
            bounds: arena.bounds,
            tree: Tree::build(&boxes),
            roomy: Roomy::build(&arena.bounds, &boxes),
            slabs,
            triangles,
            floor_m,
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

    /// The height of the highest thing under a place of the arena's roof: where something let down there
    /// comes to stand.
    #[must_use]
    pub fn ground_m(&self, x_m: f32, z_m: f32) -> f32 {
        let roof = Vec3::new(x_m, self.bounds.max_m.y, z_m);
        let met = self.cast(roof, Vec3::NEG_Y, self.bounds.max_m.y - self.floor_m);
        met.map_or(self.floor_m, |hit| roof.y - hit.distance_m)
    }

    /// Whether it holds anything but blocks.
    #[must_use]
    pub fn has_scenery(&self) -> bool {
        !self.triangles.is_empty()
    }

    #[must_use]
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Whether nothing that stands still, nor the floor or the arena's edge, lies that near to a place: a
    /// quick look that may say no where it is so.
    #[inline]
    fn is_open(&self, at_m: Vec3, reach_m: f32) -> bool {
        reach_m < Roomy::CLEAR_MAX_M
            && at_m.y - reach_m >= self.floor_m.max(self.bounds.min_m.y)
            && at_m.y + reach_m <= self.bounds.max_m.y
            && reach_m < self.roomy.clear_m(at_m.x, at_m.z)
    }

    #[inline]
    fn open_m(&self, line: &Line, range_m: f32) -> f32 {
        let limit_m = self.room_m(line, range_m);
        self.tree.cast(line, 0.0, limit_m, |index, enter| self.met_m(line, index, enter))
    }

    /// As [`Self::open_m`] of at most [`FAN`] rays.
    #[inline]
    fn cut(&self, rays: &mut [Ray]) {
        let Some(last) = rays.len().checked_sub(1) else { return };
        let lines: [Line; FAN] = std::array::from_fn(|ray| {
            let ray = &rays[ray.min(last)];
            Line::new(ray.origin_m, ray.direction)
        });
        let mut open_m = [0.0; FAN];
        for ((ray, line), open_m) in rays.iter().zip(&lines).zip(&mut open_m) {
            *open_m = self.room_m(line, ray.range_m);
        }
        let lines = &lines[..rays.len().min(FAN)];
        self.tree.cast_fan(lines, &mut open_m, |ray, index, enter| {
            self.met_m(&lines[ray], index, enter)
        });
        for (ray, open_m) in rays.iter_mut().zip(open_m) {
            ray.range_m = open_m;
        }
    }

    /// How far a ray goes before the arena's edge or the ground.
    #[inline(always)]
    fn room_m(&self, line: &Line, range_m: f32) -> f32 {
        let (edge_m, ground_m) = self.edges_m(line, 0.0);
        least(least(range_m, edge_m), ground_m)
    }

    /// Where a ray meets a thing of the tree whose bounds it enters there; infinite where it does not.
    #[inline(always)]
    fn met_m(&self, line: &Line, index: u32, enter_m: f32) -> f32 {
        match self.part(index) {
            Part::Slab(slab, _) if slab.is_straight() => enter_m,
            Part::Slab(slab, _) => slab.enter(line, 0.0).unwrap_or(f32::INFINITY),
            Part::Triangle(triangle, _) => triangle.enter(line, 0.0).unwrap_or(f32::INFINITY),
        }
    }

    fn sweep(&self, line: &Line, range_m: f32, radius_m: f32) -> Option<Hit> {
        let mut first = self.edge(line, range_m, radius_m);
        let mut limit_m = first.map_or(range_m, |hit| hit.distance_m);
        self.tree.cast(line, radius_m, limit_m, |index, enter| {
            let (met, surface) = match self.part(index) {
                Part::Slab(slab, at) if slab.is_straight() => (Some(enter), Surface::Block(at)),
                Part::Slab(slab, at) => (slab.enter(line, radius_m), Surface::Block(at)),
                Part::Triangle(triangle, at) => {
                    (triangle.enter(line, radius_m), Surface::Triangle(at))
                }
            };
            if let Some(distance_m) = met.filter(|t| *t < limit_m) {
                limit_m = distance_m;
                first = Some(Hit { distance_m, surface });
            }
            limit_m
        });
        first
    }

    /// What an index of the tree stands for, and its place in its own list.
    #[inline]
    fn part(&self, index: u32) -> Part<'_> {
        let at = index as usize;
        match self.slabs.get(at) {
            Some(slab) => Part::Slab(slab, index),
            None => {
                let at = at - self.slabs.len();
                Part::Triangle(&self.triangles[at], u32::try_from(at).unwrap_or(u32::MAX))
            }
        }
    }

    /// Where the endless floor lies.
    pub(crate) fn floor_m(&self) -> f32 {
        self.floor_m
    }

    /// The ground or the arena's edge, whichever comes first.
    #[inline]
    fn edge(&self, line: &Line, range_m: f32, radius_m: f32) -> Option<Hit> {
        let (edge_m, ground_m) = self.edges_m(line, radius_m);
        let (distance_m, surface) = if ground_m <= edge_m {
            (ground_m, Surface::Ground)
        } else {
            (edge_m, Surface::Bounds)
        };
        (distance_m < range_m).then_some(Hit { distance_m, surface })
    }

    /// Where a ray meets the arena's edge, and where the ground; infinite where it never does.
    #[inline]
    fn edges_m(&self, line: &Line, radius_m: f32) -> (f32, f32) {
        let Bounds { min_m, max_m } = self.bounds;
        let (origin, inverse) = (line.origin_m, line.inverse);
        let inside = origin.cmpge(min_m).all() && origin.cmple(max_m).all();
        // From inside only the planes ahead can be met.
        let leave = |axis: usize| {
            let plane = if inverse[axis] < 0.0 { min_m[axis] } else { max_m[axis] };
            (plane - origin[axis]) * inverse[axis]
        };
        let edge_m = if inside { least(least(leave(0), leave(1)), leave(2)) } else { 0.0 };
        let over = origin.y - self.floor_m - radius_m;
        let ground_m = if over < 0.0 {
            0.0
        } else if line.direction.y < 0.0 {
            over / -line.direction.y
        } else {
            f32::INFINITY
        };
        (edge_m, ground_m)
    }
}

/// The lesser of two numbers; where one is none, the second.
#[inline]
fn least(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// One thing of the tree.
enum Part<'a> {
    Slab(&'a Slab, u32),
    Triangle(&'a Triangle, u32),
}
