//! Doors and lifts as a screen has them that has not heard yet what one was told.
//!
//! What a mover is told reaches a client a while after the tick it was told in. Until then the client moves
//! it on as before, and walks and fires past it there. For a second after each telling the room moves such
//! a copy on as well, so that a rule can ask what such a player had in front of her.

use super::mover::{MoverState, Movers};
use fairshot_units::{Tick, ViewStep};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Tellings kept; of more within a second the oldest are forgotten.
const KEPT_MAX: usize = 16;

/// The movers of the last second's tellings, each as if that one and all later ones had not been.
#[derive(Clone, Debug, Default)]
pub struct Unheard {
    /// By the tick of the telling, oldest first.
    kept: VecDeque<(Tick, Movers)>,
}

/// One telling as a checkpoint keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnheardState {
    told: Tick,
    movers: Vec<MoverState>,
}

impl Unheard {
    /// Notes what the movers were about to do before that tick's telling.
    pub fn note(&mut self, told: Tick, before: Movers) {
        if self.kept.len() == KEPT_MAX {
            self.kept.pop_front();
        }
        self.kept.push_back((told, before));
    }

    /// Moves every copy by one step, and lets go of those that were told over a second ago.
    pub fn step(&mut self, now: Tick, tick_hz: u16, dt_s: f32) {
        let second = i32::from(tick_hz);
        while self.kept.front().is_some_and(|(told, _)| now.since(*told) > second) {
            self.kept.pop_front();
        }
        self.kept.iter_mut().for_each(|(_, movers)| movers.step(dt_s));
    }

    /// The movers as they stand for who has heard of nothing told after that step.
    pub fn after(&self, step: ViewStep) -> impl Iterator<Item = &Movers> {
        let told_after = move |told: Tick| ViewStep::at(told).since(step) > 0.0;
        self.kept.iter().filter(move |(told, _)| told_after(*told)).map(|(_, movers)| movers)
    }

    /// For a checkpoint.
    #[must_use]
    pub fn save(&self) -> Vec<UnheardState> {
        let state =
            |(told, movers): &(Tick, Movers)| UnheardState { told: *told, movers: movers.save() };
        self.kept.iter().map(state).collect()
    }

    /// Puts back what was saved, for movers of the same mode.
    pub fn load(&mut self, saved: &[UnheardState], movers: &Movers) {
        self.kept.clear();
        for state in saved {
            let mut before = movers.clone();
            before.load(&state.movers);
            self.note(state.told, before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::mover::Motion;
    use super::*;
    use fairshot_mode::Block;
    use glam::Vec3;

    fn door() -> Movers {
        Movers::new(&[Block {
            centre_m: Vec3::ZERO,
            half_m: Vec3::new(1.0, 1.0, 0.1),
            yaw_rad: 0.0,
        }])
    }

    fn moving(to_m: Vec3) -> Movers {
        let mut movers = door();
        movers.set(0, Motion::Towards { centre_m: to_m, speed_m_s: 64.0 });
        movers
    }

    fn places(unheard: &Unheard, after: u32) -> Vec<f32> {
        let after = unheard.after(ViewStep::at(Tick(after)));
        after.map(|movers| movers.get(0).unwrap().centre_m.x).collect()
    }

    #[test]
    fn a_copy_goes_on_as_if_it_had_been_told_nothing_for_a_second() {
        let mut unheard = Unheard::default();
        unheard.note(Tick(100), moving(Vec3::X * 30.0));
        unheard.note(Tick(110), door());
        for tick in 110..=120 {
            unheard.step(Tick(tick), 64, 1.0 / 64.0);
        }
        assert_eq!(places(&unheard, 99), [11.0, 0.0]);
        assert_eq!(places(&unheard, 100), [0.0], "who saw tick 100 may have heard of that telling");
        assert_eq!(places(&unheard, 110), [0.0_f32; 0]);
        let mut again = Unheard::default();
        again.load(&unheard.save(), &door());
        assert_eq!(places(&again, 99), [11.0, 0.0]);
        unheard.step(Tick(165), 64, 1.0 / 64.0);
        assert_eq!(places(&unheard, 0), [0.0]);
    }

    #[test]
    fn tellings_kept_are_bounded() {
        let mut unheard = Unheard::default();
        (0..1000).for_each(|tick| unheard.note(Tick(tick), door()));
        assert_eq!(unheard.kept.len(), KEPT_MAX);
    }
}
