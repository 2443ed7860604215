//! The doors and lifts of the mode, driven as it says; and everybody carried by what moves.
//!
//! A mover that a game's code sends elsewhere is the game's: it is driven on once it stands at one of its
//! ends again.

use crate::core::Core;
use crate::{Event, TickOutput};
use fairshot_mode::Mover;
use fairshot_world::{Motion, Present, WalkerSize, ride};
use glam::Vec3;

/// Tells every mover of the mode where to go, tells the clients what changed, and moves them all by one
/// tick with those who stand on them.
pub(crate) fn step(core: &mut Core, out: &mut TickOutput) {
    if core.movers.is_empty() {
        return;
    }
    drive(core);
    let dt_s = 1.0 / f32::from(core.mode.tick_hz.max(1));
    let told: Vec<bool> = (0..core.movers.len())
        .map(|mover| {
            core.movers.get(mover).map(|state| state.motion) == core.told.get(mover).copied()
        })
        .collect();
    if told.contains(&false) {
        let mut before = core.movers.clone();
        for (mover, motion) in core.told.iter().enumerate() {
            before.set(mover, *motion);
        }
        core.unheard.note(core.tick, before);
    }
    core.movers.step(dt_s);
    core.unheard.step(core.tick, core.mode.tick_hz, dt_s);
    core.told.clear();
    for (index, told) in told.into_iter().enumerate() {
        let Some(state) = core.movers.get(index) else { continue };
        core.told.push(state.motion);
        if let (false, Ok(mover)) = (told, u16::try_from(index)) {
            out.events.push(Event::Mover { mover, state });
        }
    }
    carry(core);
}

fn drive(core: &mut Core) {
    let mode = std::sync::Arc::clone(&core.mode);
    for (index, mover) in mode.arena.movers.iter().enumerate() {
        let (Some(way), Some(state)) = (mover.way, core.movers.get(index)) else { continue };
        let ends = [mover.block.centre_m, way.to_m];
        let end = |at_m: Vec3| ends.iter().position(|end| *end == at_m);
        let (heads_for, stands) = match state.motion {
            Motion::Rest => (end(state.centre_m), true),
            Motion::Towards { centre_m, .. } => (end(centre_m), false),
            Motion::Gone | Motion::Between { .. } => (None, false),
        };
        let Some(heads_for) = heads_for else { continue };
        let wait_ticks = core.ticks_of(way.wait_s);
        let near = way.opens_within_m.map(|within_m| is_near(core, mover, within_m));
        let Some(wait) = core.mover_waits.get_mut(index) else { continue };
        let goes_on = match near {
            Some(true) => {
                *wait = wait_ticks;
                heads_for == 0
            }
            Some(false) if heads_for == 0 => false,
            None if !stands => false,
            _ if *wait > 0 => {
                *wait -= 1;
                false
            }
            _ => {
                *wait = wait_ticks;
                true
            }
        };
        if goes_on {
            let centre_m = ends[1 - heads_for];
            core.movers.set(index, Motion::Towards { centre_m, speed_m_s: way.speed_m_s });
        }
    }
}

/// Whether somebody alive stands near a door.
fn is_near(core: &Core, door: &Mover, within_m: f32) -> bool {
    let middle = Vec3::Y * (core.mode.body.height_m * 0.5);
    core.players()
        .filter(|player| player.alive)
        .any(|player| (player.body.position_m + middle).distance(door.block.centre_m) <= within_m)
}

/// Takes along who stands on a mover and pushes aside whom one came into, whether or not a frame of hers
/// came in this tick.
fn carry(core: &mut Core) {
    let mode = std::sync::Arc::clone(&core.mode);
    let world = Present::new(&core.world, &core.movers);
    let size = WalkerSize::of(&mode.body, &mode.movement);
    for player in core.seats.iter_mut().flatten().filter(|player| player.alive) {
        ride(&mut player.body, size, world);
    }
    for monster in core.monsters.iter_mut().filter(|monster| monster.alive) {
        if let Some(spec) = mode.monsters.get(usize::from(monster.kind)) {
            ride(&mut monster.body, crate::monsters::size_of(spec, &mode), world);
        }
    }
}
