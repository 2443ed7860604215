//! Two shot rules of a game's own: nobody fires from the safe zone in the middle, and nobody from more
//! than 400 ms behind the room. Their refusals carry the rules' own names everywhere.
//!
//! `cargo run -p fairshot --example safe_zone`

use fairshot_judge::{Claim, GameRule, LedgerRuling};
use fairshot_mode::{Ammunition, presets};
use fairshot_room::{
    Game, GameRoom, LogRecord, Notice, Room, RoomInput, RoomSetup, Shot, TickOutput,
};
use fairshot_units::{EntityId, MessageNumber, PlayerId, RoomId, Rule, ViewStep};
use fairshot_world::StaticWorld;
use glam::Vec3;
use std::error::Error;
use std::sync::Arc;

/// Metres round the middle of the arena where nobody fires.
const SAFE_ZONE_M: f32 = 10.0;
/// Seconds behind the room from which nobody fires.
const LATENCY_MAX_S: f32 = 0.4;

struct SafeZone;

impl Game for SafeZone {
    fn rules(&self) -> Vec<GameRule> {
        vec![
            GameRule::new("safe_zone", |check| {
                let inside = check.shooter.feet_m.length() < SAFE_ZONE_M;
                inside.then_some("fired from inside the safe zone".into())
            }),
            GameRule::new("too_far_behind", |check| {
                let latency_s = check.shooter.record.latency.middle_s().unwrap_or(0.0);
                (latency_s > LATENCY_MAX_S)
                    .then(|| format!("fired from {:.0} ms behind", latency_s * 1000.0).into())
            }),
        ]
    }

    fn spawn(&mut self, room: &mut GameRoom<'_>, entity: EntityId) {
        // One player in the zone, the others outside.
        let out_m = if entity == INSIDE { 3.0 } else { 15.0 };
        room.teleport(entity, Vec3::new(out_m, 0.0, f32::from(entity.0)));
    }
}

const INSIDE: EntityId = EntityId(0);
const OUTSIDE: EntityId = EntityId(1);
const BEHIND: EntityId = EntityId(2);

fn main() -> Result<(), Box<dyn Error>> {
    let mut mode = presets::arena().with_monsters(0);
    mode.ammunition = Ammunition::Open;
    mode.arena.blocks.clear();
    let weapon = mode.weapons.named("pistol").ok_or("the arena has a pistol")?.id;
    let world = Arc::new(StaticWorld::build(&mode.arena));
    let setup = RoomSetup::new(RoomId::new("safe_zone")?, Arc::new(mode), world, 1);
    let mut room = Room::new(&setup, Box::new(SafeZone));
    let mut out = TickOutput::default();
    let mut inputs = Vec::new();
    for (entity, id) in [(INSIDE, "ada"), (OUTSIDE, "brian"), (BEHIND, "cleo")] {
        inputs.push(RoomInput::Join { entity, player: PlayerId::new(id)?, team: None });
    }
    for tick in 0..64 * 10_u32 {
        room.tick(&inputs, &mut out);
        inputs.clear();
        for (entity, notice) in &out.notices {
            if let Notice::ShotRefused { number, rule, reason, .. } = notice {
                println!("told {}: shot {} refused by {rule}: {reason}", entity.0, number.0);
            }
        }
        for line in &out.log {
            if let LogRecord::ShotRefused { player, rule, .. } = line {
                println!("log: {player} {rule}");
            }
        }
        if tick % 64 != 63 {
            continue;
        }
        // Everybody fires once a second; one of them from half a second behind.
        for (entity, behind) in [(INSIDE, 6.4), (OUTSIDE, 6.4), (BEHIND, 32.0)] {
            let Some(own) = out.own.iter().find(|own| own.entity == entity) else { continue };
            inputs.push(RoomInput::Shot(Shot {
                entity,
                life: own.life,
                claim: Claim {
                    number: MessageNumber(tick),
                    weapon,
                    view: ViewStep::at(out.tick.next()).back(behind),
                    origin_m: own.position_m + Vec3::Y,
                    direction: Vec3::NEG_Z,
                    names: Vec::new(),
                },
                ruling: LedgerRuling::Accepted,
                frame: MessageNumber(0),
            }));
        }
    }
    let heartbeat = room.heartbeat(&mut Vec::new());
    for (rule, count) in &heartbeat.since.refused {
        println!("refusedShots {rule}: {count}");
    }
    let refused = |name| heartbeat.since.refused.get(&Rule::Game(name)).copied().unwrap_or(0);
    // Her first shot has no latency yet; the rule reads it from the second one on.
    let right = refused("safe_zone") == 9 && refused("too_far_behind") == 8;
    if right { Ok(()) } else { Err("the rules did not do as they say".into()) }
}
