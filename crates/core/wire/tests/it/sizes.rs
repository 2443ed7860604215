//! How many bytes it takes, held to what was promised.

use crate::rng::Rng;
use crate::streams::text;
use crate::world::Bodies;
use fairshot_units::{EntityId, MessageNumber, Tick, WeaponId};
use fairshot_wire::snapshot::{
    Personal, Scratch, SentStates, SnapshotReader, SnapshotWriter, Viewer,
};
use fairshot_wire::{
    BatchWriter, Event, Frame, Hit, HitWeapon, MessageAcks, SnapshotAck, UpDatagram, Value,
};
use std::collections::VecDeque;

/// Bytes a second down to one player of a room, over a path of so many ticks each way.
fn bytes_per_second(players: u16, monsters: u16, path_ticks: usize) -> f64 {
    let mut room = Bodies::new(42, players, monsters);
    let mut ring = SentStates::new();
    let own = EntityId(0);
    let mut writer = SnapshotWriter::new(own);
    let mut reader = SnapshotReader::new(own, Tick(0));
    let mut scratch = Scratch::default();
    let mut acks: VecDeque<SnapshotAck> = VecDeque::new();
    let (mut bytes, mut seconds) = (0, 0.0);
    for tick in 1..=64 * 20u32 {
        room.step();
        if tick % 2 != 0 {
            continue;
        }
        ring.record(Tick(tick), &room.states());
        let personal = Personal {
            own: room.own(0),
            acks: MessageAcks { highest: MessageNumber(tick), mask: u64::MAX },
            viewer: Viewer { pose: room.pose(0) },
        };
        let mut out = Vec::new();
        writer.write(&ring, &personal, 1162, &mut scratch, &mut out).unwrap();
        reader.read(&out).unwrap();
        acks.push_back(reader.ack().unwrap());
        if acks.len() > path_ticks {
            writer.handle_ack(acks.pop_front().unwrap());
        }
        if tick > 64 {
            bytes += out.len();
            seconds += 1.0 / 32.0;
        }
    }
    f64::from(u32::try_from(bytes).unwrap()) / seconds
}

#[test]
fn the_standard_room_takes_less_than_six_kilobytes_a_second_and_player() {
    // These monsters turn by up to a quarter of a radian eight times a second, all of them.
    for (path, most) in [(0, 3500.0), (1, 4500.0), (3, 6000.0)] {
        let rate = bytes_per_second(4, 40, path);
        println!("4 players + 40 monsters, {path} snapshots of path: {rate:.0} B/s");
        assert!(rate < most, "{rate} at {path}");
    }
}

#[test]
fn sixteen_players_take_less_than_four_kilobytes_a_second_and_player() {
    for path in [0, 1, 3, 6] {
        let rate = bytes_per_second(16, 0, path);
        println!("16 players, {path} snapshots of path: {rate:.0} B/s");
        assert!(rate < 4000.0, "{rate} at {path}");
    }
}

#[test]
fn a_hit_with_two_fields_of_data_takes_less_than_twelve_bytes_on_average() {
    let mut rng = Rng::new(1);
    let mut writer = BatchWriter::default();
    let (mut bytes, mut hits) = (0, 0);
    for tick in 0..200 {
        let events: Vec<Event> = (0..4)
            .map(|_| {
                let element = ["storm", "frost", "fire"][rng.below(3) as usize];
                Event::Hit(Hit {
                    target: EntityId(rng.below(44) as u16),
                    source: Some(EntityId(rng.below(4) as u16)),
                    weapon: HitWeapon::Catalogue(WeaponId(4)),
                    number: None,
                    amount: 12.5 + rng.below(10) as f32,
                    zone: rng.chance(30).then(|| text("head")),
                    data: Some(Value::Record(vec![
                        (text("element"), Value::Text(text(element))),
                        (text("dose"), Value::Number(0.5 + rng.below(8) as f64)),
                    ])),
                })
            })
            .collect();
        bytes += writer.write(Tick(tick), &events).len_bytes();
        hits += events.len();
    }
    let mean = bytes as f64 / hits as f64;
    println!("a hit with two fields: {mean:.1} B");
    assert!(mean < 12.0, "{mean}");
}

#[test]
fn a_hit_whose_data_never_repeats_takes_less_than_twenty_bytes() {
    let mut writer = BatchWriter::default();
    let events: Vec<Event> = (0..2000u32)
        .map(|n| {
            Event::Hit(Hit {
                target: EntityId(40),
                source: Some(EntityId(1)),
                weapon: HitWeapon::Catalogue(WeaponId(4)),
                number: None,
                amount: 12.34,
                zone: Some(text("head")),
                data: Some(Value::Record(vec![
                    (text("element"), Value::Text(text("frost"))),
                    (text("dose"), Value::Number(f64::from(n) * 1.5)),
                ])),
            })
        })
        .collect();
    let mean = writer.write(Tick(1), &events).len_bytes() as f64 / 2000.0;
    println!("a hit with data of its own: {mean:.1} B");
    assert!(mean < 20.0, "{mean}");
}

#[test]
fn a_steady_client_sends_about_sixty_bytes_a_datagram() {
    let mut rng = Rng::new(2);
    let frames = crate::made::frames(&mut rng, 640, false);
    let mut sum = 0;
    // Six frames wait at a round trip of 60 ms and 32 acknowledgements a second.
    for window in frames.windows(6) {
        let newest = window[5].view.tick + 3;
        let datagram = UpDatagram {
            snapshot: Some(SnapshotAck { newest, previous_ticks: Some(4) }),
            batch: 700,
            frames: window.to_vec(),
            shots: vec![],
        };
        let mut out = Vec::new();
        datagram.encode(1162, &mut out);
        sum += out.len();
    }
    let mean = sum as f64 / (frames.len() - 5) as f64;
    println!("a datagram with six frames: {mean:.1} B");
    assert!(mean < 60.0, "{mean}");
    assert!(size_of::<Frame>() <= 40);
}
