//! The doors and lifts of the room, moved here as they move there: the room tells what each was told to do,
//! and every tick of it is the same arithmetic.

use crate::settings::GameSettings;
use fairshot_units::Tick;
use fairshot_wire as wire;
use fairshot_world::{Motion, MoverState, Movers};

/// Ticks caught up at once at the most: far more than any line is late.
const STEPS_MAX: i32 = 4096;

/// The movers as they stand after a tick of the room's.
#[derive(Debug)]
pub(crate) struct Doors {
    movers: Movers,
    at: Tick,
    dt_s: f32,
}

impl Doors {
    /// Those of the mode, where they stand at first; the room tells what they do now.
    pub(crate) fn new(settings: &GameSettings, at: Tick) -> Self {
        let blocks = settings.mode.arena.movers.iter().map(|mover| mover.block);
        let movers = Movers::new(&blocks.collect::<Vec<_>>());
        Self { movers, at, dt_s: 1.0 / f32::from(settings.mode.tick_hz.max(1)) }
    }

    /// What a mover does since that tick. Movers of the room's own code, beyond the mode's, are not known
    /// here.
    pub(crate) fn told(&mut self, tick: Tick, mover: u16, state: MoverState) {
        self.advance(tick);
        let behind = self.at.since(tick).clamp(0, STEPS_MAX).unsigned_abs();
        self.movers.put(usize::from(mover), state, behind, self.dt_s);
    }

    /// The movers as they stand after that tick, or after a later one that was asked for before.
    pub(crate) fn after(&mut self, tick: Tick) -> &Movers {
        self.advance(tick);
        &self.movers
    }

    fn advance(&mut self, tick: Tick) {
        let steps = tick.since(self.at);
        if steps <= 0 {
            return;
        }
        if !self.movers.is_empty() {
            (0..steps.min(STEPS_MAX)).for_each(|_| self.movers.step(self.dt_s));
        }
        self.at = tick;
    }
}

/// What a message says of a mover.
pub(crate) fn state_of(centre_m: glam::Vec3, motion: &wire::Motion) -> MoverState {
    let motion = match *motion {
        wire::Motion::Rest => Motion::Rest,
        wire::Motion::Gone => Motion::Gone,
        wire::Motion::Towards { to_m, speed_m_s } => Motion::Towards { centre_m: to_m, speed_m_s },
        wire::Motion::Between { from_m, to_m, speed_m_s } => {
            Motion::Between { from_m, to_m, speed_m_s }
        }
    };
    MoverState { centre_m, motion }
}
