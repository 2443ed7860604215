//! A melee weapon of a game's own: a swing is a command that names the step its player's screen showed,
//! and the room finds the monsters in reach where they stood on that screen.
//!
//! `cargo run -p fairshot --example claws`
//!
//! A server hosts such a game by giving its mode the factory: `LoadedMode::with_game`.

use fairshot_mode::{Mode, presets};
use fairshot_room::{
    Answer, Command, CommandSpec, Dealt, Event, FieldRange, FieldValue, Game, GameCommand,
    GameRoom, HitSource, Notice, Room, RoomInput, RoomSetup, TickOutput,
};
use fairshot_units::{EntityId, PlayerId, RoomId};
use fairshot_world::StaticWorld;
use std::error::Error;
use std::sync::Arc;

/// How far claws reach, from feet to feet.
const REACH_M: f32 = 2.0;
/// Health a swing takes of each monster in reach.
const DAMAGE: f32 = 10.0;

struct Claws;

impl Game for Claws {
    fn commands(&self) -> Vec<CommandSpec> {
        // Four a second, as any command that says nothing else.
        vec![
            CommandSpec::new("swing")
                .field("step", FieldRange::Number { min: 0.0, max: f64::from(u32::MAX) })
                .refusal("down"),
        ]
    }

    fn command(&mut self, room: &mut GameRoom<'_>, command: &GameCommand<'_>) -> Answer {
        let player = command.entity;
        let Some(feet_m) = room.body(player).map(|body| body.position_m) else {
            return Answer::Refused("down");
        };
        let Ok(named) = fairshot_judge::view_step_of(command.number("step")) else {
            return Answer::Refused("down");
        };
        if !room.is_alive(player) {
            return Answer::Refused("down");
        }
        // Held to her measured latency and a second back, as a shot would be; the swing itself adds a
        // sample, since her weapon is never fired.
        let step = room.rewind_step(player, named);
        room.measure_latency(player, named);
        let mut struck = Vec::new();
        let monsters: Vec<EntityId> = room.monsters().collect();
        let read = room.read_past_places(step, monsters, |monster, past| {
            if past.alive && past.pose.position_m.distance(feet_m) <= REACH_M {
                struck.push(monster);
            }
        });
        if read.is_err() {
            return Answer::Refused("down");
        }
        for monster in struck {
            let source = Some(player);
            let claws = Dealt { amount: DAMAGE, source, weapon: "claws", zone: None, data: None };
            room.deal_damage(monster, claws);
        }
        Answer::Accepted
    }

    fn names(&self) -> Vec<&'static str> {
        vec!["claws"]
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mode: Mode = presets::arena().with_monsters(24);
    let world = Arc::new(StaticWorld::build(&mode.arena));
    let setup = RoomSetup::new(RoomId::new("claws")?, Arc::new(mode), world, 7);
    let mut room = Room::new(&setup, Box::new(Claws));
    let mut out = TickOutput::default();
    let player = EntityId(0);
    let id = PlayerId::new("ada")?;
    let mut inputs = vec![RoomInput::Join { entity: player, player: id, team: None }];

    let (mut hits, mut kills, mut swings) = (0, 0, 0);
    for tick in 0..64 * 20_u32 {
        room.tick(&inputs, &mut out);
        inputs.clear();
        for event in &out.events {
            match event {
                Event::Hit(hit) if hit.weapon == HitSource::Game("claws") => hits += 1,
                Event::Died { killer: Some(killer), .. } if *killer == player => kills += 1,
                _ => {}
            }
        }
        for (_, notice) in &out.notices {
            if let Notice::CommandAnswered { answer, .. } = notice {
                swings += u32::from(*answer == Answer::Accepted);
            }
        }
        // Three swings a second; her screen runs 6.4 steps behind the room.
        if tick % 21 == 20 {
            let step = f64::from(room.tick_now().0 + 1) - 6.4;
            inputs.push(RoomInput::Command(Command {
                entity: player,
                number: tick,
                name: "swing".to_owned(),
                fields: vec![("step".to_owned(), FieldValue::Number(step))],
            }));
        }
    }
    let latency_ms =
        room.record(player).and_then(|record| record.latency.middle_s()).unwrap_or(0.0) * 1000.0;
    println!("{swings} swings accepted, {hits} hits dealt, {kills} monsters felled");
    println!("measured latency of her swings: {latency_ms:.0} ms");
    if hits == 0 {
        return Err("no swing reached a monster".into());
    }
    Ok(())
}
