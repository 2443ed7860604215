//! The document's examples are what the code writes, and its tables name what the code names.

use fairshot_units::{
    EntityId, EntityKind, EntityState, Input, Life, MessageNumber, PlayerId, Pose, Revision,
    RoomId, Rule, Tick, ViewStep, WeaponCommand, WeaponId,
};
use fairshot_wire::snapshot::{
    OwnState, Personal, Scratch, SentStates, SnapshotReader, SnapshotWriter,
};
use fairshot_wire::{
    BatchWriter, CloseCode, Down, Event, Frame, Hello, Hit, HitWeapon, MessageAcks, NameTable,
    Outcome, RefusedBy, Shot, ShotJudged, SnapshotAck, Strike, Up, UpDatagram, Value, Welcome,
};
use glam::Vec3;
use std::fmt::Write;
use std::sync::Arc;

const DOCUMENT: &str = include_str!("../../../../../docs/wire.md");

fn text(text: &str) -> Arc<str> {
    Arc::from(text)
}

fn hello() -> Vec<u8> {
    let ticket = bytes::Bytes::from_static(b"ticket");
    Up::Hello(Hello { version: 1, ticket, traceparent: None }).to_bytes().to_vec()
}

fn welcome() -> Vec<u8> {
    let welcome = Welcome {
        entity: EntityId(0),
        life: Life(0),
        player: PlayerId::new("ann").unwrap(),
        room: RoomId::new("r1").unwrap(),
        tick: Tick(1000),
        tick_hz: 64,
        snapshot_every: 2,
        rejoin_within_ms: 30_000,
        rejoin_ticket: bytes::Bytes::from_static(b"back"),
        mode_name: text("arena"),
        mode: bytes::Bytes::from_static(b"name = \"arena\""),
        table: NameTable::default(),
    };
    Down::Welcome(Box::new(welcome)).to_bytes().to_vec()
}

fn orders() -> Vec<u8> {
    let weapon = WeaponId(4);
    let mut out = Vec::new();
    Down::RespawnGrant { life: Life(1) }.encode(&mut out);
    let command = WeaponCommand::Give { weapon, rounds: 120, set_as_current: true };
    Down::Command { revision: Revision(1), command }.encode(&mut out);
    let command = WeaponCommand::SetAmmo { weapon, total: 90, clip: None };
    Down::Command { revision: Revision(2), command }.encode(&mut out);
    out
}

fn batches() -> Vec<u8> {
    let judged = |number, outcome| {
        Event::ShotJudged(ShotJudged {
            shooter: EntityId(0),
            number: MessageNumber(number),
            weapon: WeaponId(4),
            outcome,
        })
    };
    let hit = Event::Hit(Hit {
        target: EntityId(5),
        source: Some(EntityId(0)),
        weapon: HitWeapon::Catalogue(WeaponId(4)),
        number: None,
        amount: 12.5,
        zone: Some(text("head")),
        data: Some(Value::Record(vec![
            (text("element"), Value::Text(text("frost"))),
            (text("dose"), Value::Number(3.0)),
        ])),
    });
    let struck = Strike {
        target: EntityId(5),
        pellet: 0,
        zone: Some(text("head")),
        at_m: Vec3::new(0.0, 1.5, -10.0),
    };
    let accepted = Outcome::Accepted {
        origin_m: Vec3::new(0.0, 1.6015625, 0.0),
        ends_m: vec![Vec3::new(0.0, 1.5, -10.0)],
        hits: vec![struck],
    };
    let mut writer = BatchWriter::default();
    let mut out = Vec::new();
    let first = writer.write(Tick(1010), &[judged(8, accepted), hit.clone()]);
    out.extend_from_slice(&first.batch(1, &[]));
    let refused = RefusedBy::BuiltIn(Rule::Rate);
    let second = writer.write(Tick(1011), &[judged(9, Outcome::Refused(refused.clone())), hit]);
    let private = Event::ShotRefused {
        number: MessageNumber(9),
        rule: refused,
        reason: text("too fast"),
        unseen_death: false,
    };
    out.extend_from_slice(&second.batch(2, &[private]));
    out
}

fn datagram() -> Vec<u8> {
    let frame = Frame {
        number: MessageNumber(6),
        life: Life(1),
        revision: Revision(2),
        input: Input { forward: 127, yaw: 1000, pitch: -50, ..Input::default() },
        view: ViewStep { tick: Tick(1002), fraction: 0x4000 },
        held: WeaponId(4),
        total: 90,
        clip: 30,
        firing: false,
    };
    let next = Frame {
        number: MessageNumber(7),
        input: Input { yaw: 1040, ..frame.input },
        view: ViewStep { tick: Tick(1003), fraction: 0x4000 },
        ..frame
    };
    let shot = Shot {
        number: MessageNumber(8),
        life: Life(1),
        revision: Revision(2),
        weapon: WeaponId(4),
        total: 89,
        frame: MessageNumber(7),
        view: next.view,
        origin_m: Vec3::new(0.0, 1.6, 0.0),
        direction: Vec3::NEG_Z,
        names: vec![],
    };
    let datagram = UpDatagram {
        snapshot: Some(SnapshotAck { newest: Tick(1006), previous_ticks: Some(2) }),
        batch: 1,
        frames: vec![frame, next],
        shots: vec![shot],
    };
    let mut out = Vec::new();
    datagram.encode(1162, &mut out);
    out
}

/// Three snapshots of one monster that walks along -z, and of the player herself.
fn snapshots() -> [Vec<u8>; 3] {
    let mut ring = SentStates::new();
    let mut writer = SnapshotWriter::new(EntityId(0));
    let mut reader = SnapshotReader::new(EntityId(0), Tick(1000));
    [1002, 1004, 1006].map(|tick: u32| {
        let walked = i32::try_from(tick - 1002).unwrap() * 12;
        let state = EntityState {
            id: EntityId(1),
            kind: EntityKind::Monster(0),
            life: Life(1),
            // The third step is three 256ths short of the line through the first two.
            pose: Pose {
                position: [512, 0, -2560 - walked + if tick == 1006 { 3 } else { 0 }],
                yaw: 0,
                pitch: 0,
            },
            health_eighths: 480,
            alive: true,
            teleported: false,
            held: WeaponId(0),
            team: EntityState::NO_TEAM,
            traits: 0,
        };
        ring.record(Tick(tick), &[state]);
        let own = OwnState {
            applied: MessageNumber(tick - 1000),
            position_m: Vec3::new(1.5, 0.0, 2.0),
            grounded: true,
            life: Life(1),
            revision: Revision(2),
            health_eighths: 800,
            alive: true,
            ..OwnState::default()
        };
        let acks = MessageAcks { highest: MessageNumber(tick - 999), mask: u64::MAX };
        let personal = Personal { own, acks, ..Personal::default() };
        let mut out = Vec::new();
        writer.write(&ring, &personal, 1162, &mut Scratch::default(), &mut out).unwrap();
        reader.read(&out).unwrap();
        writer.handle_ack(reader.ack().unwrap());
        out
    })
}

fn hex(bytes: &[u8]) -> String {
    let mut out = String::new();
    for line in bytes.chunks(24) {
        for byte in line {
            write!(out, "{byte:02x} ").unwrap();
        }
        out.pop();
        out.push('\n');
    }
    out
}

#[test]
fn the_examples_of_the_document_are_what_is_written() {
    let [first, second, third] = snapshots();
    let examples = [
        ("hello", hello()),
        ("welcome", welcome()),
        ("orders", orders()),
        ("batches", batches()),
        ("datagram", datagram()),
        ("snapshot-1", first),
        ("snapshot-2", second),
        ("snapshot-3", third),
    ];
    let mut missing = String::new();
    for (name, bytes) in examples {
        let block = format!("```hex {name}\n{}```\n", hex(&bytes));
        if !DOCUMENT.contains(&block) {
            missing.push_str(&block);
        }
    }
    assert!(missing.is_empty(), "docs/wire.md lacks:\n{missing}");
}

#[test]
fn the_document_names_every_close_code_rule_and_version() {
    for code in CloseCode::ALL {
        let row = format!("| {} | {} |", code.code(), code.label());
        assert!(DOCUMENT.contains(&row), "{row}");
    }
    for (byte, rule) in Rule::BUILT_IN.iter().enumerate() {
        let row = format!("| {byte} | {rule}");
        assert!(DOCUMENT.contains(&row), "{row}");
    }
    let version = fairshot_wire::PROTOCOL_VERSION;
    assert!(DOCUMENT.contains(&format!("wire, version {version}")));
    let alpn = std::str::from_utf8(fairshot_wire::ALPN).unwrap();
    assert!(DOCUMENT.contains(&format!("ALPN `{alpn}`")));
}
