//! A gun rack: players own guns and hold one of them; buying, swapping, and stats that stay on the player
//! through a swap.
//!
//! `cargo run -p fairshot --example rack`

use fairshot_judge::{Claim, LedgerRuling};
use fairshot_mode::{Catalogue, Mode, Stat, Weapon, WeaponStats, presets};
use fairshot_room::{
    Answer, Command, CommandSpec, Event, FieldRange, FieldValue, Game, GameCommand, GameRoom,
    Notice, Room, RoomInput, RoomSetup, Shot, TickOutput,
};
use fairshot_units::{EntityId, MessageNumber, PlayerId, RoomId, SlotIndex, ViewStep, WeaponId};
use fairshot_world::StaticWorld;
use glam::Vec3;
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

const GUNS: [(&str, WeaponId, u32); 2] = [("pistol", WeaponId(1), 0), ("shotgun", WeaponId(2), 80)];

/// What each player owns: her guns and her coins. What she *holds* is the room's to know.
#[derive(Default)]
struct Rack {
    owned: BTreeMap<EntityId, (Vec<WeaponId>, u32)>,
}

impl Game for Rack {
    fn commands(&self) -> Vec<CommandSpec> {
        let gun = || FieldRange::OneOf(GUNS.iter().map(|(name, ..)| *name).collect());
        vec![
            CommandSpec::new("buy").field("gun", gun()).refusal("too_dear").refusal("bought"),
            CommandSpec::new("swap").field("gun", gun()).refusal("not_bought"),
            CommandSpec::new("card"),
        ]
    }

    fn join(&mut self, room: &mut GameRoom<'_>, entity: EntityId) {
        let (_, pistol, _) = GUNS[0];
        self.owned.insert(entity, (vec![pistol], 100));
        room.set_held(entity, Some(&[pistol]));
    }

    fn command(&mut self, room: &mut GameRoom<'_>, command: &GameCommand<'_>) -> Answer {
        let entity = command.entity;
        let Some((guns, coins)) = self.owned.get_mut(&entity) else {
            return Answer::Refused("not_bought");
        };
        let gun = GUNS.iter().find(|(name, ..)| *name == command.text("gun"));
        match (command.name, gun) {
            ("buy", Some((_, gun, price))) => {
                if guns.contains(gun) {
                    return Answer::Refused("bought");
                }
                let Some(left) = coins.checked_sub(*price) else {
                    return Answer::Refused("too_dear");
                };
                *coins = left;
                guns.push(*gun);
                Answer::Accepted
            }
            ("swap", Some((_, gun, _))) => {
                if !guns.contains(gun) {
                    return Answer::Refused("not_bought");
                }
                room.set_held(entity, Some(&[*gun]));
                Answer::Accepted
            }
            _ => {
                // A card: a quarter more damage, on the player and so on every gun of hers.
                if let Some(stats) = room.stats_mut(entity) {
                    stats.add("damage", &Stat::percent(0.25));
                }
                Answer::Accepted
            }
        }
    }

    fn leave(&mut self, _room: &mut GameRoom<'_>, entity: EntityId) {
        self.owned.remove(&entity);
    }
}

fn mode() -> Result<Mode, Box<dyn Error>> {
    let stats = WeaponStats { damage: vec!["damage".to_owned()], ..WeaponStats::default() };
    let gun = |id: u8, name: &str, damage: f32, pellets: u8| Weapon {
        id: WeaponId(id),
        name: name.to_owned(),
        damage,
        pellets,
        spread_rad: 0.001,
        shots_per_second: 2.0,
        stats: stats.clone(),
        ..Weapon::default()
    };
    let guns = vec![gun(1, "pistol", 10.0, 1), gun(2, "shotgun", 8.0, 5)];
    let mut mode = presets::arena().with_monsters(0);
    mode.ammunition = fairshot_mode::Ammunition::Open;
    mode.arena.blocks.clear();
    mode.weapons = Catalogue::new(guns, [false; SlotIndex::COUNT])?;
    mode.loadout.clear();
    Ok(mode)
}

/// The match: one shooter, one target, one thing after another.
struct Table {
    room: Room,
    out: TickOutput,
    number: u32,
}

const SHOOTER: EntityId = EntityId(0);
const TARGET: EntityId = EntityId(1);

impl Table {
    fn tick(&mut self, inputs: &[RoomInput]) {
        self.room.tick(inputs, &mut self.out);
    }

    fn ask(&mut self, name: &str, gun: Option<&str>) -> Option<Answer> {
        let fields = gun.map(|gun| ("gun".to_owned(), FieldValue::Text(gun.to_owned())));
        let (name, fields) = (name.to_owned(), fields.into_iter().collect());
        self.tick(&[RoomInput::Command(Command { entity: SHOOTER, number: 1, name, fields })]);
        let answer = self.out.notices.iter().find_map(|(_, notice)| match notice {
            Notice::CommandAnswered { answer, .. } => Some(*answer),
            Notice::ShotRefused { .. } => None,
        });
        match answer {
            Some(Answer::Refused(label)) => println!("  refused: {label}"),
            _ => println!("  accepted"),
        }
        answer
    }

    /// Fires at the target; what each hit dealt, or the rule that refused.
    fn fire(&mut self, weapon: u8) -> Result<Vec<f32>, String> {
        // A second between shots, so that no rate holds them.
        (0..64).for_each(|_| self.tick(&[]));
        let place = |entity: EntityId| {
            let own = self.out.own.iter().find(|own| own.entity == entity);
            own.map_or(Vec3::ZERO, |own| own.position_m) + Vec3::Y
        };
        let (from, to) = (place(SHOOTER), place(TARGET));
        self.number += 2;
        let shot = Shot {
            entity: SHOOTER,
            life: self.room.life(SHOOTER).unwrap_or_default(),
            claim: Claim {
                number: MessageNumber(self.number),
                weapon: WeaponId(weapon),
                view: ViewStep::at(self.out.tick),
                origin_m: from,
                direction: (to - from).normalize_or(Vec3::NEG_Z),
                names: Vec::new(),
            },
            ruling: LedgerRuling::Accepted,
            frame: MessageNumber(self.number - 1),
        };
        self.tick(&[RoomInput::Shot(shot)]);
        let verdict = self.out.judgement.verdicts.first().ok_or("no verdict")?;
        if let Some(rule) = verdict.outcome.refused_by() {
            println!("  refused by {rule}");
            return Err(rule.to_string());
        }
        let dealt: Vec<f32> = self
            .out
            .events
            .iter()
            .filter_map(|event| match event {
                Event::Hit(hit) => Some(hit.amount),
                _ => None,
            })
            .collect();
        println!("  dealt {dealt:?}");
        Ok(dealt)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mode = Arc::new(mode()?);
    let world = Arc::new(StaticWorld::build(&mode.arena));
    let setup = RoomSetup::new(RoomId::new("rack")?, mode, world, 3);
    let room = Room::new(&setup, Box::new(Rack::default()));
    let mut table = Table { room, out: TickOutput::default(), number: 0 };
    let join = |entity: EntityId, id: &str| -> Result<RoomInput, Box<dyn Error>> {
        Ok(RoomInput::Join { entity, player: PlayerId::new(id)?, team: None })
    };
    table.tick(&[join(SHOOTER, "ada")?, join(TARGET, "brian")?]);

    println!("the pistol she starts with:");
    let plain = table.fire(1)?;
    println!("the shotgun she never bought:");
    let unowned = table.fire(2);
    println!("swapping to it, buying it, buying it again:");
    let early = table.ask("swap", Some("shotgun"));
    let bought = table.ask("buy", Some("shotgun"));
    let twice = table.ask("buy", Some("shotgun"));
    println!("a card of a quarter more damage, then the pistol:");
    table.ask("card", None);
    let raised = table.fire(1)?;
    println!("swapping, then the shotgun with the same card:");
    let swapped = table.ask("swap", Some("shotgun"));
    let shotgun = table.fire(2)?;
    println!("the pistol is in the rack now:");
    let racked = table.fire(1);

    let right = plain == [10.0]
        && unowned == Err("held".to_owned())
        && early == Some(Answer::Refused("not_bought"))
        && bought == Some(Answer::Accepted)
        && twice == Some(Answer::Refused("bought"))
        && raised == [12.5]
        && swapped == Some(Answer::Accepted)
        && shotgun.first() == Some(&10.0)
        && racked == Err("held".to_owned());
    if right { Ok(()) } else { Err("the rack did not do as it says".into()) }
}
