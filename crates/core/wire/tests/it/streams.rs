//! Stream messages come back as they were sent, and a hit stays short.

use crate::rng::Rng;
use bytes::Bytes;
use fairshot_units::{
    EntityId, EntityKind, Life, MessageNumber, PlayerId, Revision, RoomId, Rule, Tick, ViewStep,
    WeaponCommand, WeaponId,
};
use fairshot_wire::{
    BatchWriter, CloseCode, DecodeError, Down, DownReader, Event, EventBatch, GameCommand,
    GameReply, Hello, Hit, HitWeapon, Joined, Motion, NameTable, Outcome, RefusedBy, ShotJudged,
    StreamReader, Strike, Up, Value, Welcome,
};
use glam::Vec3;
use std::sync::Arc;

pub fn text(text: &str) -> Arc<str> {
    Arc::from(text)
}

pub fn value(rng: &mut Rng, depth: u32) -> Value {
    match rng.below(if depth == 0 { 4 } else { 6 }) {
        0 => Value::Flag(rng.chance(50)),
        1 => Value::Number(f64::from(rng.u8())),
        2 => Value::Number(match rng.below(4) {
            0 => f64::from(rng.u32().cast_signed()),
            1 => f64::from(rng.unit()),
            2 => -0.0,
            _ => f64::from(rng.unit()) / 3.0,
        }),
        3 => Value::Text(text(["storm", "frost", "", "ü"][rng.below(4) as usize])),
        4 => Value::List((0..rng.below(4)).map(|_| value(rng, depth - 1)).collect()),
        _ => Value::Record(
            (0..rng.below(4)).map(|n| (text(&format!("k{n}")), value(rng, depth - 1))).collect(),
        ),
    }
}

fn place(rng: &mut Rng) -> Vec3 {
    // Whole 256ths, as places are sent.
    Vec3::new(f32::from(rng.u16()), f32::from(rng.u8()), -f32::from(rng.u16())) / 256.0
}

pub fn event(rng: &mut Rng) -> Event {
    let entity = EntityId(rng.u16() >> rng.below(14));
    let source = rng.chance(80).then(|| EntityId(rng.u16() >> rng.below(14)));
    let number = MessageNumber(rng.u32() >> rng.below(30));
    let zone = rng.chance(50).then(|| text(["head", "core"][rng.below(2) as usize]));
    let weapon = match rng.below(4) {
        0 => HitWeapon::Named(text("chain")),
        1 => HitWeapon::Monster(rng.u8()),
        _ => HitWeapon::Catalogue(WeaponId(rng.u8())),
    };
    let rule = match rng.below(3) {
        0 => RefusedBy::Game(text("safe_zone")),
        _ => RefusedBy::BuiltIn(Rule::BUILT_IN[rng.below(12) as usize]),
    };
    match rng.below(11) {
        0 => Event::Joined(Joined {
            entity,
            kind: [
                EntityKind::Player,
                EntityKind::Monster(rng.u8()),
                EntityKind::Projectile(WeaponId(rng.u8())),
            ][rng.below(3) as usize],
            life: Life(rng.u16()),
            team: rng.u8(),
            name: text("steam:7656"),
        }),
        1 => Event::Left { entity },
        2 => Event::ShotJudged(ShotJudged {
            shooter: entity,
            number,
            weapon: WeaponId(rng.u8()),
            outcome: if rng.chance(40) {
                Outcome::Refused(rule)
            } else {
                Outcome::Accepted {
                    origin_m: place(rng),
                    ends_m: (0..rng.below(4)).map(|_| place(rng)).collect(),
                    hits: (0..rng.below(4))
                        .map(|_| Strike {
                            target: entity,
                            pellet: rng.u8(),
                            zone: zone.clone(),
                            at_m: place(rng),
                        })
                        .collect(),
                }
            },
        }),
        3 => Event::Hit(Hit {
            target: entity,
            source,
            number: (matches!(weapon, HitWeapon::Catalogue(_)) && rng.chance(30)).then_some(number),
            weapon,
            amount: [18.0, 12.5, 0.1, f32::from(rng.u16()) / 7.0][rng.below(4) as usize],
            zone,
            data: rng.chance(60).then(|| value(rng, 3)),
        }),
        4 => Event::Killed {
            target: entity,
            life: Life(rng.u16()),
            source,
            weapon: rng.chance(70).then_some(weapon),
        },
        5 => Event::Respawned { entity, life: Life(rng.u16()), position_m: place(rng) },
        6 => Event::ShotRefused {
            number,
            rule,
            reason: text("left 3.10 m from the body's middle, over 2.5 m"),
            unseen_death: rng.chance(50),
        },
        7 => Event::Launched {
            projectile: entity,
            shooter: EntityId(1),
            weapon: WeaponId(rng.u8()),
            number,
        },
        8 => Event::Ended {
            projectile: entity,
            weapon: WeaponId(rng.u8()),
            at_m: place(rng),
            blast_radius_m: 3.5,
        },
        9 => Event::Mover {
            mover: rng.u16(),
            centre_m: place(rng),
            motion: match rng.below(4) {
                0 => Motion::Rest,
                1 => Motion::Gone,
                2 => Motion::Towards { to_m: place(rng), speed_m_s: 2.5 },
                _ => Motion::Between { from_m: place(rng), to_m: place(rng), speed_m_s: 0.3 },
            },
        },
        _ => Event::Game { name: text("door_opened"), entity: source, value: value(rng, 3) },
    }
}

pub fn welcome(table: NameTable) -> Welcome {
    Welcome {
        entity: EntityId(3),
        life: Life(1),
        player: PlayerId::new("steam:7656").unwrap(),
        room: RoomId::new("arena-1").unwrap(),
        tick: Tick(123_456),
        tick_hz: 64,
        snapshot_every: 2,
        rejoin_within_ms: 30_000,
        rejoin_ticket: Bytes::from_static(b"ticket"),
        mode_name: text("arena"),
        mode: Bytes::from_static(b"name = \"arena\"\n"),
        table,
    }
}

pub fn downs(rng: &mut Rng) -> Vec<Down> {
    let weapon = WeaponId(rng.u8());
    let commands = [
        WeaponCommand::Give { weapon, rounds: rng.u16(), set_as_current: rng.chance(50) },
        WeaponCommand::Take { weapon },
        WeaponCommand::SetAmmo { weapon, total: rng.u16(), clip: None },
        WeaponCommand::SetAmmo { weapon, total: rng.u16(), clip: Some(rng.u16() & 0x7FFF) },
        WeaponCommand::Clear,
        WeaponCommand::SetArmed { weapon },
    ];
    let mut downs = vec![Down::Welcome(Box::new(welcome(NameTable::default())))];
    downs.extend(commands.map(|command| Down::Command { revision: Revision(rng.u16()), command }));
    downs.push(Down::RespawnGrant { life: Life(rng.u16()) });
    downs.push(Down::Events(EventBatch {
        number: rng.u32(),
        tick: Tick(rng.u32()),
        events: (0..rng.below(20)).map(|_| event(rng)).collect(),
    }));
    for reply in [
        GameReply::Accepted(None),
        GameReply::Accepted(Some(value(rng, 3))),
        GameReply::Refused(text("not-bought")),
    ] {
        downs.push(Down::GameReply { number: rng.u32(), reply });
    }
    downs.extend(CloseCode::ALL.map(|code| Down::Closing { code, reason: text("the room ended") }));
    downs
}

pub fn ups(rng: &mut Rng) -> Vec<Up> {
    vec![
        Up::Hello(Hello {
            version: 1,
            ticket: Bytes::from(vec![rng.u8(); rng.below(300) as usize]),
            traceparent: rng
                .chance(50)
                .then(|| text("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")),
        }),
        Up::ApplyFailed { revision: Revision(rng.u16()) },
        Up::GameCommand(GameCommand {
            number: rng.u32(),
            name: text("swap"),
            view: ViewStep { tick: Tick(rng.u32()), fraction: rng.u16() },
            value: value(rng, 3),
        }),
        Up::Goodbye,
    ]
}

#[test]
fn every_message_down_comes_back() {
    for seed in 0..400 {
        let downs = downs(&mut Rng::new(seed));
        let mut stream = Vec::new();
        for down in &downs {
            down.encode(&mut stream);
        }
        let (mut cutter, mut reader) = (StreamReader::down(), DownReader::default());
        let mut read = Vec::new();
        for piece in stream.chunks(1 + seed as usize % 700) {
            cutter.push(piece);
            while let Some(message) = cutter.next_message().unwrap() {
                read.push(reader.read(message).unwrap());
            }
        }
        assert_eq!(read, downs, "seed {seed}");
    }
}

#[test]
fn every_message_up_comes_back() {
    for seed in 0..400 {
        for up in ups(&mut Rng::new(seed)) {
            let mut cutter = StreamReader::up();
            cutter.push(&up.to_bytes());
            let message = cutter.next_message().unwrap().unwrap();
            assert_eq!(Up::decode(message), Ok(up), "seed {seed}");
        }
    }
}

fn whole(bytes: &[u8], reader: &mut DownReader) -> Result<Down, DecodeError> {
    let mut cutter = StreamReader::down();
    cutter.push(bytes);
    reader.read(cutter.next_message().unwrap().unwrap())
}

#[test]
fn one_encoding_of_a_tick_serves_every_session_and_a_late_joiner_too() {
    let mut rng = Rng::new(5);
    let mut writer = BatchWriter::default();
    let mut early = DownReader::default();
    let mut late: Option<(DownReader, u32)> = None;
    for tick in 0..300u32 {
        if tick == 150 {
            let mut reader = DownReader::default();
            let bytes = Down::Welcome(Box::new(welcome(writer.table().clone()))).to_bytes();
            whole(&bytes, &mut reader).unwrap();
            late = Some((reader, 0));
        }
        let events: Vec<Event> = (0..rng.below(6)).map(|_| event(&mut rng)).collect();
        let shared = writer.write(Tick(tick), &events);
        let private = [event(&mut rng)];
        let batch = |number, events: &[Event]| {
            Down::Events(EventBatch { number, tick: Tick(tick), events: events.to_vec() })
        };
        let read = whole(&shared.batch(tick + 1, &private), &mut early).unwrap();
        assert_eq!(read, batch(tick + 1, &[&events[..], &private[..]].concat()));
        if let Some((reader, number)) = &mut late {
            *number += 1;
            let read = whole(&shared.batch(*number, &[]), reader).unwrap();
            assert_eq!(read, batch(*number, &events));
        }
    }
}

#[test]
fn a_full_table_sends_texts_whole() {
    let mut writer = BatchWriter::default();
    let mut reader = DownReader::default();
    for n in 0..1500u32 {
        let name = text(&format!("event{n}"));
        let data = Value::Record(vec![(text("n"), Value::Number(f64::from(n)))]);
        let event = Event::Game { name, entity: None, value: data };
        let shared = writer.write(Tick(n), std::slice::from_ref(&event));
        let Down::Events(batch) = whole(&shared.batch(n + 1, &[]), &mut reader).unwrap() else {
            panic!("no batch");
        };
        assert_eq!(batch.events, [event]);
    }
    assert_eq!(writer.table().names().len(), fairshot_wire::NAMES_KEPT_MAX);
}

#[test]
fn values_deeper_or_longer_than_the_caps_are_not_sent() {
    let mut deep = Value::Flag(true);
    for _ in 0..9 {
        deep = Value::List(vec![deep]);
    }
    assert!(!deep.is_sendable());
    let Value::List(inner) = &deep else { panic!() };
    assert!(inner[0].is_sendable());
    assert!(!Value::Text(text(&"x".repeat(1025))).is_sendable());
    assert!(!Value::List(vec![Value::Flag(true); 257]).is_sendable());
}

#[test]
fn a_depth_bomb_is_refused_by_name() {
    let mut message = vec![3, 1, 1, b'x'];
    message.extend([0; 6]);
    message.extend([6, 1].repeat(64));
    assert_eq!(Up::decode(&message), Err(DecodeError::Depth));
}
