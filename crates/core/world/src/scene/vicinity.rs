//! What stands round a body, found once a tick: its steps ask for it several times over.

use super::{Obstacle, Present};
use glam::Vec3;

/// Everything that overlaps a box, by its place in the static world; movers are looked at as they come.
pub(crate) struct Vicinity<'a> {
    world: Present<'a>,
    low: Vec3,
    high: Vec3,
    found: [u32; FOUND_MAX],
    count: usize,
    /// There was more than it has room for: every question goes to the world itself.
    crowded: bool,
}

/// A body beside more than this pays for it.
const FOUND_MAX: usize = 12;

impl<'a> Vicinity<'a> {
    pub(crate) fn new(world: Present<'a>, low: Vec3, high: Vec3) -> Self {
        let (found, count, crowded) = ([0; FOUND_MAX], 0, false);
        let mut vicinity = Self { world, low, high, found, count, crowded };
        world.fixed.parts_near(low, high, |part| match vicinity.found.get_mut(vicinity.count) {
            Some(place) => {
                *place = part;
                vicinity.count += 1;
            }
            None => vicinity.crowded = true,
        });
        vicinity
    }

    /// Whether there is nothing but the floor, and nothing that moves anywhere.
    pub(crate) fn is_open(&self) -> bool {
        self.count == 0 && self.world.movers.is_empty()
    }

    pub(crate) fn world(&self) -> Present<'a> {
        self.world
    }

    /// Calls `look` with everything that overlaps a box, and with what lies a little beside it.
    pub(crate) fn near(&self, low: Vec3, high: Vec3, mut look: impl FnMut(&Obstacle<'_>)) {
        if self.crowded || low.cmplt(self.low).any() || high.cmpgt(self.high).any() {
            self.world.near(low, high, look);
            return;
        }
        for part in &self.found[..self.count] {
            let obstacle = self.world.fixed.obstacle(*part);
            // A triangle's touch costs more than its bounds.
            if let Obstacle::Triangle(triangle) = obstacle {
                let (part_low, part_high) = triangle.bounds();
                if part_low.cmpgt(high).any() || part_high.cmplt(low).any() {
                    continue;
                }
            }
            look(&obstacle);
        }
        self.world.movers_near(low, high, &mut look);
    }
}
