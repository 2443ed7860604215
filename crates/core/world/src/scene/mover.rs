//! Doors and lifts: blocks that a game moves, or takes away, tick by tick. They exist in the present
//! only: a shot meets them where they are as it is judged, never where they were.

use super::slab::Slab;
use fairshot_mode::Block;
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// What a mover does until it is told otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Motion {
    /// Stays where it is.
    Rest,
    /// Is not there at all: an open door.
    Gone,
    /// Goes to a place, then rests there.
    Towards { centre_m: Vec3, speed_m_s: f32 },
    /// Goes to and fro, `to_m` first.
    Between { from_m: Vec3, to_m: Vec3, speed_m_s: f32 },
}

/// A mover as a checkpoint keeps it. Its size and turn are the mode's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoverState {
    pub centre_m: Vec3,
    pub motion: Motion,
}

/// A room's movers, where they stand now.
#[derive(Clone, Debug, Default)]
pub struct Movers {
    placed: Vec<Placed>,
}

/// A mover where it stands now.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    block: Block,
    motion: Motion,
    /// `None` while it is gone.
    pub(crate) slab: Option<Slab>,
    /// How far it moved in the last step: what stands on it rides along.
    pub(crate) moved_m: Vec3,
}

impl Movers {
    /// Movers at rest where their blocks stand.
    #[must_use]
    pub fn new(blocks: &[Block]) -> Self {
        let placed = |block: &Block| Placed {
            block: *block,
            motion: Motion::Rest,
            slab: Some(Slab::new(block)),
            moved_m: Vec3::ZERO,
        };
        Self { placed: blocks.iter().map(placed).collect() }
    }

    /// Tells a mover what to do from the next step on; one that was gone is back at once. `false`
    /// where there is no such mover or a number is not finite.
    pub fn set(&mut self, mover: usize, motion: Motion) -> bool {
        let finite = match motion {
            Motion::Rest | Motion::Gone => true,
            Motion::Towards { centre_m, speed_m_s } => {
                centre_m.is_finite() && speed_m_s.is_finite()
            }
            Motion::Between { from_m, to_m, speed_m_s } => {
                from_m.is_finite() && to_m.is_finite() && speed_m_s.is_finite()
            }
        };
        let Some(placed) = self.placed.get_mut(mover).filter(|_| finite) else { return false };
        placed.motion = motion;
        placed.moved_m = Vec3::ZERO;
        placed.put();
        true
    }

    /// Puts a mover where another room's copy of it stood so many steps ago, and moves it on. `false`
    /// where there is no such mover or a number is not finite.
    pub fn put(&mut self, mover: usize, state: MoverState, steps_ago: u32, dt_s: f32) -> bool {
        let known = state.centre_m.is_finite() && self.set(mover, state.motion);
        if let Some(placed) = self.placed.get_mut(mover).filter(|_| known) {
            placed.block.centre_m = state.centre_m;
            placed.put();
            (0..steps_ago).for_each(|_| placed.step(dt_s));
        }
        known
    }

    /// Where a mover stands and what it does.
    #[must_use]
    pub fn get(&self, mover: usize) -> Option<MoverState> {
        self.placed.get(mover).map(Placed::state)
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.placed.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.placed.is_empty()
    }

    /// Moves every mover by one step; before the bodies of the same tick.
    pub fn step(&mut self, dt_s: f32) {
        for placed in &mut self.placed {
            placed.step(dt_s);
        }
    }

    /// For a checkpoint.
    #[must_use]
    pub fn save(&self) -> Vec<MoverState> {
        self.placed.iter().map(Placed::state).collect()
    }

    /// Puts movers of the same mode back; states beyond their number are left out.
    pub fn load(&mut self, states: &[MoverState]) {
        for (placed, state) in self.placed.iter_mut().zip(states) {
            placed.block.centre_m = state.centre_m;
            placed.motion = state.motion;
            placed.moved_m = Vec3::ZERO;
            placed.put();
        }
    }

    pub(crate) fn placed(&self) -> &[Placed] {
        &self.placed
    }
}

impl Placed {
    fn state(&self) -> MoverState {
        MoverState { centre_m: self.block.centre_m, motion: self.motion }
    }

    fn step(&mut self, dt_s: f32) {
        let (to_m, speed_m_s) = match self.motion {
            Motion::Rest | Motion::Gone => {
                self.moved_m = Vec3::ZERO;
                return;
            }
            Motion::Towards { centre_m, speed_m_s } => (centre_m, speed_m_s),
            Motion::Between { to_m, speed_m_s, .. } => (to_m, speed_m_s),
        };
        let from_m = self.block.centre_m;
        let way = to_m - from_m;
        let step_m = speed_m_s.max(0.0) * dt_s;
        let arrives = way.length() <= step_m;
        self.block.centre_m = if arrives { to_m } else { from_m + way.normalize() * step_m };
        self.moved_m = self.block.centre_m - from_m;
        if arrives {
            self.motion = match self.motion {
                Motion::Between { from_m, to_m, speed_m_s } => {
                    Motion::Between { from_m: to_m, to_m: from_m, speed_m_s }
                }
                _ => Motion::Rest,
            };
        }
        self.put();
    }

    fn put(&mut self) {
        let there = self.motion != Motion::Gone;
        self.slab = there.then(|| Slab::new(&self.block));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lift() -> Movers {
        Movers::new(&[Block {
            centre_m: Vec3::ZERO,
            half_m: Vec3::new(2.0, 0.1, 2.0),
            yaw_rad: 0.0,
        }])
    }

    #[test]
    fn a_lift_goes_to_its_stop_and_rests_there() {
        let mut movers = lift();
        let top = Vec3::new(0.0, 1.0, 0.0);
        assert!(movers.set(0, Motion::Towards { centre_m: top, speed_m_s: 4.0 }));
        for _ in 0..2 {
            movers.step(0.1);
        }
        assert!((movers.get(0).unwrap().centre_m.y - 0.8).abs() < 1e-6);
        movers.step(0.1);
        assert_eq!(movers.get(0), Some(MoverState { centre_m: top, motion: Motion::Rest }));
    }

    #[test]
    fn a_platform_goes_to_and_fro_and_a_checkpoint_keeps_it() {
        let mut movers = lift();
        let to_m = Vec3::new(1.0, 0.0, 0.0);
        movers.set(0, Motion::Between { from_m: Vec3::ZERO, to_m, speed_m_s: 10.0 });
        movers.step(0.1);
        let mut other = lift();
        other.load(&movers.save());
        for movers in [&mut movers, &mut other] {
            movers.step(0.05);
            assert_eq!(movers.get(0).unwrap().centre_m, Vec3::new(0.5, 0.0, 0.0));
        }
    }

    #[test]
    fn odd_numbers_and_unknown_movers_are_refused() {
        let mut movers = lift();
        assert!(!movers.set(1, Motion::Gone));
        let centre_m = Vec3::splat(f32::NAN);
        assert!(!movers.set(0, Motion::Towards { centre_m, speed_m_s: 1.0 }));
    }
}
