//! The same inputs give the same outputs bit for bit, also across a checkpoint in the middle.

use fairshot_judge::{Claim, GameRule, LedgerRuling, NamedTarget};
use fairshot_mode::{
    AmmoUse, Ammunition, Block, Bots, HitZone, Judge, Mode, Mover, MoverWay, Weapon, WeaponKind,
    ZoneShape, presets,
};
use fairshot_room::{
    Answer, Command, CommandSpec, Dealt, FieldRange, FieldValue, Frame, Game, GameCommand,
    GameRoom, Hit, Room, RoomInput, RoomSetup, Shot, TickOutput,
};
use fairshot_units::{
    Buttons, EntityId, Input, Life, MessageNumber, PlayerId, RoomId, Rule, SlotIndex, Tick,
    ViewStep, WeaponId,
};
use fairshot_world::{Motion, StaticWorld};
use glam::Vec3;
use proptest::prelude::*;
use std::sync::Arc;

/// A game with a state of its own, rules, commands and damage on hits.
#[derive(Default)]
struct Counting {
    hits: u32,
}

impl Game for Counting {
    fn rules(&self) -> Vec<GameRule> {
        vec![GameRule::new("odd_numbers_only_on_tuesdays", |check| {
            (check.claim.number.0 % 7 == 3).then_some("not today".into())
        })]
    }

    fn commands(&self) -> Vec<CommandSpec> {
        vec![
            CommandSpec::new("swing")
                .field("step", FieldRange::Number { min: 0.0, max: 1e9 })
                .refusal("tired"),
        ]
    }

    fn command(&mut self, room: &mut GameRoom<'_>, command: &GameCommand<'_>) -> Answer {
        let Ok(named) = fairshot_judge::view_step_of(command.number("step")) else {
            return Answer::Refused("tired");
        };
        room.measure_latency(command.entity, named);
        let step = room.rewind_step(command.entity, named);
        let monsters: Vec<EntityId> = room.monsters().collect();
        let mut near = None;
        let _ = room.read_past_places(step, monsters, |entity, past| {
            if past.alive && near.is_none() {
                near = Some(entity);
            }
        });
        if let Some(monster) = near {
            let source = Some(command.entity);
            let dealt = Dealt { amount: 1.5, source, weapon: "claws", zone: None, data: None };
            room.deal_damage(monster, dealt);
        }
        Answer::Accepted
    }

    fn hit(&mut self, room: &mut GameRoom<'_>, hit: &Hit) {
        self.hits += 1;
        if self.hits.is_multiple_of(3) {
            let way = if self.hits.is_multiple_of(2) {
                Motion::Gone
            } else {
                let (from_m, to_m) = (Vec3::new(0.0, 0.1, 0.0), Vec3::new(3.0, 0.1, 3.0));
                Motion::Between { from_m, to_m, speed_m_s: 4.0 }
            };
            room.movers().set(2, way);
        }
        if self.hits.is_multiple_of(5) {
            let dealt =
                Dealt { amount: 1.0, source: hit.source, weapon: "chain", zone: None, data: None };
            room.deal_damage(hit.target, dealt);
        }
    }

    fn names(&self) -> Vec<&'static str> {
        vec!["claws", "chain"]
    }

    fn save(&self) -> Vec<u8> {
        self.hits.to_le_bytes().to_vec()
    }

    fn load(&mut self, saved: &[u8]) -> bool {
        let Ok(bytes) = saved.try_into() else { return false };
        self.hits = u32::from_le_bytes(bytes);
        true
    }
}

fn mode() -> Mode {
    let weapon = |id: u8, kind: WeaponKind| Weapon {
        id: WeaponId(id),
        name: format!("w{id}"),
        kind,
        damage: 12.0,
        range_m: 40.0,
        shots_per_second: 6.0,
        pellets: 3,
        spread_rad: 0.05,
        pierce: 1,
        ..Weapon::default()
    };
    let mut settings = presets::arena().with_monsters(12);
    settings.players_max = 4;
    settings.respawn_delay_s = 0.5;
    settings.ammunition = Ammunition::Open;
    settings.body.zones = vec![HitZone {
        name: "head".to_owned(),
        multiplier: 2.0,
        shape: ZoneShape::Sphere { at_m: Vec3::new(0.0, 1.6, 0.0), radius_m: 0.25 },
    }];
    let weapons = vec![
        weapon(1, WeaponKind::Instant),
        Weapon { blast_radius_m: 4.0, gravity_m_s2: 9.8, ..weapon(2, WeaponKind::Projectile) },
        Weapon { ammo: AmmoUse::WhileHeld, ..weapon(3, WeaponKind::Continuous) },
        Weapon { judge: Judge::Client, ..weapon(4, WeaponKind::Instant) },
    ];
    settings.bots = Bots { fill: 3, reaction_s: 0.1, ..Bots::default() };
    settings.loadout.clear();
    let block = |y: f32| Block {
        centre_m: Vec3::new(0.0, y, 0.0),
        half_m: Vec3::new(6.0, 0.2, 6.0),
        yaw_rad: 0.3,
    };
    let way = MoverWay {
        to_m: Vec3::new(0.0, 2.0, 0.0),
        speed_m_s: 3.0,
        wait_s: 0.2,
        opens_within_m: None,
    };
    let door = MoverWay { opens_within_m: Some(8.0), to_m: Vec3::new(9.0, 3.0, 0.0), ..way };
    settings.arena.movers = vec![
        Mover { name: "lift".to_owned(), block: block(0.1), way: Some(way) },
        Mover { name: "door".to_owned(), block: block(3.0), way: Some(door) },
    ];
    settings.weapons =
        fairshot_mode::Catalogue::new(weapons, [false; SlotIndex::COUNT]).expect("four weapons");
    settings
}

fn setup() -> RoomSetup {
    let settings = Arc::new(mode());
    let world = Arc::new(StaticWorld::build(&settings.arena));
    let mut setup = RoomSetup::new(RoomId::new("room").expect("an id"), settings, world, 11);
    setup.movers =
        vec![Block { centre_m: Vec3::new(0.0, 0.1, 0.0), half_m: Vec3::splat(1.0), yaw_rad: 0.0 }];
    setup.first_tick = Tick(u32::MAX - 40);
    setup
}

/// What one player does in one tick, before it is made into inputs.
#[derive(Clone, Debug)]
enum Act {
    Join(u16),
    Leave(u16),
    Run { who: u16, forward: i8, right: i8, yaw: u16, jump: bool, firing: bool },
    Fire { who: u16, weapon: u8, back: f64, aim: [i8; 3], from: [i8; 3], name: u16, held: bool },
    Swing { who: u16, back: u32 },
    Path { who: u16, ms: u32 },
    Malformed(u16),
    Dropped(u32),
}

fn act() -> impl Strategy<Value = Act> {
    let who = 0_u16..5;
    prop_oneof![
        2 => who.clone().prop_map(Act::Join),
        1 => who.clone().prop_map(Act::Leave),
        12 => (who.clone(), any::<i8>(), any::<i8>(), any::<u16>(), any::<bool>(), any::<bool>())
            .prop_map(|(who, forward, right, yaw, jump, firing)| {
                Act::Run { who, forward, right, yaw, jump, firing }
            }),
        8 => (who.clone(), 0_u8..6, -2.0..80.0, any::<[i8; 3]>(), any::<[i8; 3]>(), 0_u16..30,
            any::<bool>())
            .prop_map(|(who, weapon, back, aim, from, name, held)| {
                Act::Fire { who, weapon, back, aim, from, name, held }
            }),
        2 => (who.clone(), 0_u32..80).prop_map(|(who, back)| Act::Swing { who, back }),
        1 => (who.clone(), 0_u32..500).prop_map(|(who, ms)| Act::Path { who, ms }),
        1 => who.prop_map(Act::Malformed),
        1 => (0_u32..100).prop_map(Act::Dropped),
    ]
}

/// Makes acts into inputs for the room as it stands.
fn inputs_of(acts: &[Act], room: &Room, out: &TickOutput, number: &mut u32) -> Vec<RoomInput> {
    let now = room.tick_now();
    let life = |entity| room.life(entity).unwrap_or(Life(0));
    let mut next = || {
        *number += 1;
        MessageNumber(*number)
    };
    let input_of = |act: &Act, next: &mut dyn FnMut() -> MessageNumber| match act.clone() {
        Act::Join(who) => {
            let player = PlayerId::new(&format!("p{who}")).expect("an id");
            RoomInput::Join { entity: EntityId(who), player, team: None }
        }
        Act::Leave(who) => RoomInput::Leave { entity: EntityId(who) },
        Act::Run { who, forward, right, yaw, jump, firing } => RoomInput::Frame(Frame {
            entity: EntityId(who),
            life: life(EntityId(who)),
            number: next(),
            input: Input {
                forward,
                right,
                buttons: if jump { Buttons::JUMP } else { Buttons(0) },
                yaw,
                pitch: 0,
            },
            held: WeaponId(3),
            firing: firing.then_some(WeaponId(3)),
        }),
        Act::Fire { who, weapon, back, aim, from, name, held } => {
            let entity = EntityId(who);
            let feet_m = out
                .own
                .iter()
                .find(|own| own.entity == entity)
                .map_or(Vec3::ZERO, |own| own.position_m);
            let vector = |v: [i8; 3]| Vec3::from_array(v.map(f32::from)) / 100.0;
            RoomInput::Shot(Shot {
                entity,
                life: life(entity),
                claim: Claim {
                    number: next(),
                    weapon: WeaponId(weapon),
                    view: ViewStep::at(now).back(back),
                    origin_m: feet_m + Vec3::Y + vector(from),
                    direction: vector(aim).normalize_or_zero(),
                    names: vec![NamedTarget { pellet: 0, target: EntityId(name) }],
                },
                ruling: if held {
                    LedgerRuling::Accepted
                } else {
                    LedgerRuling::Refused(Rule::Ammo)
                },
                frame: MessageNumber(0),
            })
        }
        Act::Swing { who, back } => RoomInput::Command(Command {
            entity: EntityId(who),
            number: 1,
            name: "swing".to_owned(),
            fields: vec![("step".to_owned(), FieldValue::Number(f64::from((now - back).0)))],
        }),
        Act::Path { who, ms } => RoomInput::Path { entity: EntityId(who), round_trip_ms: ms },
        Act::Malformed(who) => RoomInput::Malformed { entity: EntityId(who) },
        Act::Dropped(ticks) => RoomInput::TicksDropped { ticks },
    };
    acts.iter().map(|act| input_of(act, &mut next)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_recorded_match_replays_to_the_same_outputs_also_across_a_checkpoint(
        acts in prop::collection::vec(prop::collection::vec(act(), 0..8), 20..160),
        cut in 0_usize..160,
    ) {
        let setup = setup();
        let mut room = Room::new(&setup, Box::new(Counting::default()));
        let mut recorded: Vec<Vec<RoomInput>> = Vec::new();
        let mut outputs = Vec::new();
        let mut out = TickOutput::default();
        let mut number = 0;
        for player in 0..3 {
            let id = PlayerId::new(&format!("p{player}")).expect("an id");
            recorded.push(vec![RoomInput::Join { entity: EntityId(player), player: id, team: None }]);
            room.tick(&recorded[usize::from(player)], &mut out);
            outputs.push(out.clone());
        }
        for acts in &acts {
            let inputs = inputs_of(acts, &room, &out, &mut number);
            room.tick(&inputs, &mut out);
            recorded.push(inputs);
            outputs.push(out.clone());
        }
        // Every shot has a verdict, or was malformed, or repeated, or of nobody.
        let counts = room.counts();
        let judged: usize = outputs.iter().map(|out| out.judgement.verdicts.len()).sum();
        prop_assert_eq!(counts.shots_judged, judged as u64);
        let refused_by_rules =
            counts.refused_sum() - counts.refused.get(&Rule::Malformed).copied().unwrap_or(0);
        prop_assert_eq!(
            counts.shots_judged,
            counts.shots_accepted + counts.unseen_deaths + refused_by_rules
        );

        let mut again = Room::new(&setup, Box::new(Counting::default()));
        for (tick, inputs) in recorded.iter().enumerate() {
            if tick == cut {
                let bytes = again.save();
                prop_assert_eq!(Room::saved_tick(&bytes).expect("a tick"), again.tick_now());
                again = Room::load(&setup, Box::new(Counting::default()), &bytes)
                    .expect("a checkpoint loads");
                prop_assert!(again.save() == bytes, "saved again it is the same");
            }
            again.tick(inputs, &mut out);
            prop_assert_eq!(&out, &outputs[tick], "tick {}", tick);
        }
        prop_assert_eq!(again.save(), room.save());
        prop_assert_eq!(again.heartbeat(&mut Vec::new()), room.heartbeat(&mut Vec::new()));
    }

    #[test]
    fn no_bytes_panic_a_load(cut in 0_usize..4000, at in 0_usize..4000, byte in any::<u8>()) {
        let setup = setup();
        let mut room = Room::new(&setup, Box::new(Counting::default()));
        let mut out = TickOutput::default();
        for player in 0..3 {
            let id = PlayerId::new(&format!("p{player}")).expect("an id");
            room.tick(&[RoomInput::Join { entity: EntityId(player), player: id, team: None }], &mut out);
        }
        let mut bytes = room.save();
        let last = bytes.len() - 1;
        bytes[at.min(last)] = byte;
        bytes.truncate(cut.max(1));
        if let Ok(mut loaded) = Room::load(&setup, Box::new(Counting::default()), &bytes) {
            for _ in 0..3 {
                loaded.tick(&[], &mut out);
            }
        }
    }
}

#[test]
fn a_checkpoint_of_the_standard_room_with_a_second_of_history_is_at_most_64_kib() {
    let mut settings = presets::arena().with_monsters(40);
    settings.players_max = 4;
    let world = Arc::new(StaticWorld::build(&settings.arena));
    let setup = RoomSetup::new(RoomId::new("r").expect("an id"), Arc::new(settings), world, 3);
    let mut room = Room::new(&setup, Box::new(fairshot_room::PlainGame));
    let mut out = TickOutput::default();
    for tick in 0..200_u32 {
        let mut inputs = Vec::new();
        for who in 0..4_u16 {
            let entity = EntityId(who);
            if tick == 0 {
                let player = PlayerId::new(&format!("p{who}")).expect("an id");
                inputs.push(RoomInput::Join { entity, player, team: None });
                continue;
            }
            let yaw = (tick as u16).wrapping_mul(97).wrapping_add(who * 9000);
            inputs.push(RoomInput::Frame(Frame {
                entity,
                life: room.life(entity).expect("in the room"),
                number: MessageNumber(tick),
                input: Input { forward: 127, yaw, ..Input::default() },
                held: WeaponId(1),
                firing: None,
            }));
        }
        room.tick(&inputs, &mut out);
    }
    let bytes = room.save();
    assert!(bytes.len() <= 64 << 10, "{} bytes", bytes.len());
    println!("{} bytes", bytes.len());
}
