//! What the history says of the past is what a plain list of everything sent says: over teleports, lives,
//! ids that change hands, the dead, the wrap of the tick counter and ticks that were left out.

use crate::common::{history, mode, player};
use fairshot_units::{EntityId, EntityState, Tick, ViewStep};
use fairshot_world::{History, PastPose, RewindError, blend};
use glam::Vec3;
use proptest::prelude::*;

/// Every tick recorded since the last gap, as it was given.
struct Plain {
    every: u32,
    start: Tick,
    rows: Vec<Vec<EntityState>>,
}

const HZ: usize = 64;

impl Plain {
    fn tick(&self, row: usize) -> Tick {
        self.start + u32::try_from(row).unwrap()
    }

    /// Whether that row went out to the clients.
    fn is_sent(&self, row: usize) -> bool {
        row == 0 || self.tick(row).0.is_multiple_of(self.every)
    }

    fn state(&self, row: usize, id: EntityId) -> Option<&EntityState> {
        self.rows[row].iter().find(|state| state.id == id)
    }

    fn newest_sent(&self) -> usize {
        (0..self.rows.len()).rev().find(|row| self.is_sent(*row)).unwrap()
    }

    /// The rows a screen drew between at a step, and how far between.
    fn around(&self, at: ViewStep) -> Result<(usize, usize, f32), RewindError> {
        let newest = self.rows.len() - 1;
        let back = self.tick(newest).since(at.tick);
        if back < 0 || (back == 0 && at.fraction > 0) {
            return Err(RewindError::Future);
        }
        let back = usize::try_from(back).unwrap();
        if back > HZ {
            return Err(RewindError::Expired);
        }
        let row = newest.checked_sub(back).ok_or(RewindError::Unavailable)?;
        let ends = |row: usize| row >= self.newest_sent() || self.is_sent(row);
        let older = (0..=row).rev().find(|row| ends(*row)).unwrap();
        if older == row && at.fraction == 0 {
            return Ok((row, row, 0.0));
        }
        let newer = (row + 1..).find(|row| ends(*row)).unwrap();
        let passed = (row - older) as f32 + at.fraction_f32();
        Ok((older, newer, passed / (newer - older) as f32))
    }

    /// Whether an entity was put elsewhere on the way from one row to the next that was drawn.
    fn jumped(&self, older: usize, newer: usize, id: EntityId) -> bool {
        let life = self.state(newer, id).map(|state| state.life);
        (older + 1..=newer).any(|row| {
            let state = self.state(row, id);
            state.is_some_and(|state| state.teleported && Some(state.life) == life)
        })
    }

    fn past(&self, id: EntityId, at: ViewStep) -> Result<PastPose, RewindError> {
        let (mut older, mut newer, mut fraction) = self.around(at)?;
        let state = |row: usize| self.state(row, id);
        let one_life = match (state(older), state(newer)) {
            (Some(older), Some(newer)) => older.life == newer.life,
            _ => false,
        };
        if older != newer && (!one_life || self.jumped(older, newer, id)) {
            let nearer = if fraction < 0.5 { older } else { newer };
            (older, newer, fraction) = (nearer, nearer, 0.0);
        }
        let (Some(from), Some(to)) = (state(older), state(newer)) else {
            return Err(RewindError::Unavailable);
        };
        let now = state(self.rows.len() - 1).ok_or(RewindError::Unavailable)?;
        if now.life != to.life {
            return Err(RewindError::Unavailable);
        }
        Ok(PastPose {
            pose: blend(from.pose, to.pose, if older == newer { 0.0 } else { fraction }),
            kind: to.kind,
            life: to.life,
            alive: to.alive,
            health_eighths: to.health_eighths,
            held: to.held,
            team: to.team,
            traits: to.traits,
        })
    }
}

/// What befalls one entity in one tick.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Runs,
    Teleports,
    Dies,
    Returns,
    Leaves,
    Joins,
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        12 => Just(Fate::Runs),
        1 => Just(Fate::Teleports),
        1 => Just(Fate::Dies),
        1 => Just(Fate::Returns),
        1 => Just(Fate::Leaves),
        2 => Just(Fate::Joins),
    ]
}

fn start() -> impl Strategy<Value = u32> {
    // Now and then the counter wraps in the middle of it.
    prop_oneof![0..5_u32, 1000..1064_u32, (u32::MAX - 140)..=u32::MAX]
}

fn lived(states: &mut [EntityState; 3], gone: &mut [bool; 3], fates: &[Fate; 3]) {
    for ((state, gone), fate) in states.iter_mut().zip(gone).zip(fates) {
        state.teleported = false;
        state.traits += 1;
        state.pose.position[0] += 13;
        match fate {
            Fate::Runs => {}
            Fate::Teleports => {
                state.pose.position[2] += 1000;
                state.teleported = true;
            }
            Fate::Dies => state.alive = false,
            Fate::Returns => {
                state.life = state.life.next();
                state.alive = true;
                state.teleported = true;
            }
            Fate::Leaves => *gone = true,
            Fate::Joins => {
                if std::mem::take(gone) {
                    state.life = state.life.next();
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_past_is_what_a_plain_list_of_everything_sent_says(
        every in 1..=16_u16, start in start(),
        fates in prop::collection::vec(prop::array::uniform3(fate()), 1..200),
        gap in prop::option::of((1..100_usize, 2..40_u32)),
        views in prop::collection::vec((-3f64..70.0, any::<bool>()), 40),
    ) {
        let mut history: History = history(&mode(every, 0.4, Vec::new()));
        let mut plain = Plain { every: u32::from(every), start: Tick(start), rows: Vec::new() };
        let mut states =
            [0, 1, 40].map(|id| player(id, 1, Vec3::new(f32::from(id), 0.0, -20.0)));
        let mut gone = [false; 3];
        let mut tick = Tick(start);
        for (number, fates) in fates.iter().enumerate() {
            lived(&mut states, &mut gone, fates);
            let row: Vec<EntityState> =
                states.iter().zip(gone).filter(|(_, gone)| !gone).map(|(state, _)| *state).collect();
            if let Some((_, ticks)) = gap.filter(|(at, _)| *at == number) {
                // A tick that does not follow begins the history anew.
                tick = tick + ticks;
                (plain.start, plain.rows) = (tick, Vec::new());
            }
            history.record(tick, &row);
            plain.rows.push(row);
            tick = tick.next();
        }
        for (back, whole) in views {
            let at = ViewStep::at(tick - 1).back(if whole { back.round() } else { back });
            for id in [0, 1, 40, 41].map(EntityId) {
                let (said, right) = (history.past(id, at), plain.past(id, at));
                prop_assert_eq!(said, right, "{:?} {} back", id, back);
            }
        }
    }
}
