//! The player's own body: moved at once by her inputs, set right by the room's word.

use crate::lateness::Lateness;
use crate::settings::GameSettings;
use fairshot_units::{Input, Life, MessageNumber, Tick};
use fairshot_wire::snapshot::OwnState;
use fairshot_world::{BodyState, Movers, Present, WalkerSize, ride, step_body};
use glam::Vec3;
use std::collections::VecDeque;

/// Inputs kept for replay: two seconds at 64 a second. The room lets go of older ones too.
const INPUTS_KEPT_MAX: usize = 128;
/// Frames late by fewer are a line's jitter: the room's credit covers them many times over.
const LATE_FRAMES_MIN: usize = 8;
/// A correction below this is drawn over a few frames, a larger one at once.
const SMOOTHED_MAX_M: f32 = 1.0;
/// What is left of a drawn correction after each frame.
const SMOOTHING: f32 = 0.85;
/// Corrections below this are rounding, not news.
const CORRECTION_MIN_M: f32 = 1e-4;

/// The player's own body as her client has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnBody {
    /// Where her inputs put it, exactly: shots leave from here.
    pub state: BodyState,
    /// Add this to the position when drawing: the rest of the last correction.
    pub drawn_off_m: Vec3,
    pub alive: bool,
    pub life: Life,
    pub health: f32,
}

/// Prediction and reconciliation.
#[derive(Debug)]
pub(crate) struct Predictor {
    body: OwnBody,
    known: bool,
    /// Frames the room has not applied yet.
    inputs: VecDeque<Made>,
    lateness: Lateness,
    /// Frames made, and the last of them the room is known to have applied.
    made: u32,
    applied: u32,
    /// The doors and lifts as they stand after the newest of those.
    movers: Movers,
}

#[derive(Clone, Copy, Debug)]
struct Made {
    /// Frames made up to it.
    index: u32,
    number: MessageNumber,
    life: Life,
    input: Input,
    /// Where it left the feet, as far as is known.
    feet_m: Vec3,
}

/// What a stalling line holds back of her.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HeldBack {
    pub(crate) frames: usize,
    /// The first frame that the room is not known to have applied.
    pub(crate) since: MessageNumber,
    /// The box that the feet stayed within from there on, its size: whichever of those frames the room
    /// drops, it has her no further off than that.
    pub(crate) way_m: Vec3,
}

/// What the room's word changed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Reconciled {
    /// How far the prediction was off; 0 where it was right or there was none.
    pub(crate) off_m: f32,
    pub(crate) died: bool,
    pub(crate) respawned: bool,
}

impl Predictor {
    pub(crate) fn new(life: Life) -> Self {
        let body = OwnBody {
            state: BodyState::default(),
            drawn_off_m: Vec3::ZERO,
            alive: false,
            life,
            health: 0.0,
        };
        Self {
            body,
            known: false,
            inputs: VecDeque::new(),
            lateness: Lateness::default(),
            made: 0,
            applied: 0,
            movers: Movers::default(),
        }
    }

    /// The body, once the room has said where it is.
    pub(crate) fn body(&self) -> Option<&OwnBody> {
        self.known.then_some(&self.body)
    }

    pub(crate) fn movers(&self) -> &Movers {
        &self.movers
    }

    /// Moves the body by one frame's input.
    pub(crate) fn step(
        &mut self,
        number: MessageNumber,
        life: Life,
        input: Input,
        settings: &GameSettings,
    ) {
        self.made = self.made.wrapping_add(1);
        let made = Made { index: self.made, number, life, input, feet_m: Vec3::ZERO };
        self.body.drawn_off_m *= SMOOTHING;
        self.body.state.yaw = input.yaw;
        self.body.state.pitch = input.pitch;
        if self.known {
            self.replay(made, settings);
        }
        if self.inputs.len() == INPUTS_KEPT_MAX {
            self.inputs.pop_front();
        }
        self.inputs.push_back(Made { feet_m: self.body.state.position_m, ..made });
        self.lateness.frame_made();
    }

    /// The word last taken was of that tick.
    pub(crate) fn heard(&mut self, tick: Tick) {
        self.lateness.heard(tick, self.applied, self.inputs.len());
    }

    /// What the line holds back of this life; `None` where it holds back nothing to speak of.
    pub(crate) fn held_back(&self) -> Option<HeldBack> {
        let frames = self.lateness.late(self.inputs.len());
        let of_hers = |made: &&Made| made.life == self.body.life;
        let since = self.inputs.iter().find(of_hers).filter(|_| frames >= LATE_FRAMES_MIN)?;
        let (mut low_m, mut high_m) = (since.feet_m, since.feet_m);
        for made in self.inputs.iter().filter(of_hers) {
            (low_m, high_m) = (low_m.min(made.feet_m), high_m.max(made.feet_m));
        }
        Some(HeldBack { frames, since: since.number, way_m: high_m - low_m })
    }

    /// Takes the room's word: the body as it was after the frame it names, and the frames since. `movers`
    /// are those of the word's own tick; each frame since is a tick of theirs too.
    pub(crate) fn reconcile(
        &mut self,
        own: &OwnState,
        settings: &GameSettings,
        movers: &Movers,
    ) -> Reconciled {
        self.movers.clone_from(movers);
        while let Some(made) = self.inputs.pop_front_if(|made| made.number <= own.applied) {
            self.applied = made.index;
        }
        let before = self.body;
        let was_known = std::mem::replace(&mut self.known, true);
        let state = &mut self.body.state;
        state.position_m = own.position_m;
        state.velocity_m_s = own.velocity_m_s;
        state.grounded = own.grounded;
        self.body.alive = own.alive;
        self.body.life = own.life;
        self.body.health = f32::from(own.health_eighths) / 8.0;
        for index in 0..self.inputs.len() {
            let made = self.inputs[index];
            self.replay(made, settings);
            self.inputs[index].feet_m = self.body.state.position_m;
        }
        if let Some(newest) = self.inputs.back() {
            self.body.state.yaw = newest.input.yaw;
            self.body.state.pitch = newest.input.pitch;
        }
        let new_life = before.life != own.life || !was_known;
        let off = before.state.position_m - self.body.state.position_m;
        let mut off_m = off.length();
        if new_life || !before.alive || !own.alive {
            off_m = 0.0;
            self.body.drawn_off_m = Vec3::ZERO;
        } else if off_m > SMOOTHED_MAX_M {
            self.body.drawn_off_m = Vec3::ZERO;
        } else if off_m > CORRECTION_MIN_M {
            self.body.drawn_off_m += off;
        } else {
            off_m = 0.0;
        }
        Reconciled {
            off_m,
            died: was_known && before.alive && (!own.alive || new_life),
            respawned: own.alive && (new_life || !before.alive),
        }
    }

    /// The room moves a body only by frames of its present life, and only while it lives.
    fn replay(&mut self, made: Made, settings: &GameSettings) {
        let mode = &settings.mode;
        let dt_s = 1.0 / f32::from(mode.tick_hz.max(1));
        let moves = self.body.alive && made.life == self.body.life;
        if moves {
            let world = Present::new(&settings.world, &self.movers);
            let state = &mut self.body.state;
            step_body(state, &made.input, &mode.movement, &mode.body, world, dt_s);
        }
        if self.movers.is_empty() {
            return;
        }
        self.movers.step(dt_s);
        if moves {
            let world = Present::new(&settings.world, &self.movers);
            ride(&mut self.body.state, WalkerSize::of(&mode.body, &mode.movement), world);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairshot_mode::presets;

    fn settings() -> GameSettings {
        let text = presets::named("arena").map(|preset| preset.text).unwrap_or_default();
        let text = bytes::Bytes::from_static(text.as_bytes());
        GameSettings::parse(&text, &crate::Assets::default()).unwrap()
    }

    fn own(applied: u32, at_m: Vec3) -> OwnState {
        OwnState {
            applied: MessageNumber(applied),
            position_m: at_m,
            life: Life(1),
            alive: true,
            grounded: true,
            health_eighths: 800,
            ..OwnState::default()
        }
    }

    fn run(predictor: &mut Predictor, numbers: std::ops::RangeInclusive<u32>, on: &GameSettings) {
        let input = Input { forward: 127, ..Input::default() };
        for number in numbers {
            predictor.step(MessageNumber(number), Life(1), input, on);
        }
    }

    /// Twenty frames predicted from rest: the body after each, as the room would have it.
    fn course(start_m: Vec3, settings: &GameSettings) -> Vec<BodyState> {
        let mut predictor = Predictor::new(Life(0));
        predictor.reconcile(&own(0, start_m), settings, &Movers::default());
        (1..=20)
            .map(|number| {
                run(&mut predictor, number..=number, settings);
                predictor.body.state
            })
            .collect()
    }

    #[test]
    fn frames_the_room_has_not_applied_are_replayed_on_its_word() {
        let settings = settings();
        let start_m = settings.mode.spawns[0].position_m;
        let course = course(start_m, &settings);
        let mut predictor = Predictor::new(Life(0));
        predictor.reconcile(&own(0, start_m), &settings, &Movers::default());
        run(&mut predictor, 1..=20, &settings);
        let after = course[11];
        let word = OwnState {
            velocity_m_s: after.velocity_m_s,
            grounded: after.grounded,
            ..own(12, after.position_m)
        };
        let reconciled = predictor.reconcile(&word, &settings, &Movers::default());
        assert_eq!(reconciled, Reconciled::default());
        assert_eq!(predictor.body.state, course[19], "to the bit");
        assert_eq!(predictor.inputs.len(), 8);
    }

    #[test]
    fn a_correction_is_counted_and_drawn_over_a_few_frames() {
        let settings = settings();
        let start_m = settings.mode.spawns[0].position_m;
        let mut predictor = Predictor::new(Life(0));
        predictor.reconcile(&own(0, start_m), &settings, &Movers::default());
        run(&mut predictor, 1..=4, &settings);
        let at_m = predictor.body.state.position_m;
        let moved = OwnState { grounded: true, ..own(4, at_m + Vec3::new(0.3, 0.0, 0.0)) };
        let reconciled = predictor.reconcile(&moved, &settings, &Movers::default());
        assert!((reconciled.off_m - 0.3).abs() < 1e-3, "{reconciled:?}");
        let drawn = predictor.body.state.position_m + predictor.body.drawn_off_m;
        assert!((drawn - at_m).length() < 1e-3, "what is drawn does not jump");
        run(&mut predictor, 5..=40, &settings);
        assert!(predictor.body.drawn_off_m.length() < 1e-2);
    }

    #[test]
    fn the_dead_and_another_life_are_not_moved() {
        let settings = settings();
        let start_m = settings.mode.spawns[0].position_m;
        let mut predictor = Predictor::new(Life(0));
        predictor.reconcile(
            &OwnState { alive: false, ..own(0, start_m) },
            &settings,
            &Movers::default(),
        );
        run(&mut predictor, 1..=5, &settings);
        assert_eq!(predictor.body.state.position_m, start_m);
        let reconciled = predictor.reconcile(
            &OwnState { life: Life(2), ..own(0, start_m) },
            &settings,
            &Movers::default(),
        );
        assert!(reconciled.respawned && !reconciled.died);
        assert_eq!(predictor.body.state.position_m, start_m, "frames of life 1 stay still");
    }

    #[test]
    fn inputs_kept_for_replay_are_bounded() {
        let settings = settings();
        let mut predictor = Predictor::new(Life(0));
        run(&mut predictor, 1..=1000, &settings);
        assert_eq!(predictor.inputs.len(), INPUTS_KEPT_MAX);
        assert_eq!(predictor.body(), None);
    }
}
