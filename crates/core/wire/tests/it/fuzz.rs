//! Seeded fuzz of every decoder: random bytes, and valid messages with bytes changed, cut or joined.
//!
//! A million inputs a decoder; `FAIRSHOT_FUZZ_INPUTS` sets another number for the deep form.

use crate::rng::Rng;
use crate::world::Bodies;
use crate::{made, streams};
use fairshot_units::{EntityId, MessageNumber, Tick};
use fairshot_wire::snapshot::{Personal, Scratch, SentStates, SnapshotReader, SnapshotWriter};
use fairshot_wire::{
    DownReader, FRAMES_MAX, MessageAcks, NAMES_MAX, SHOTS_MAX, SnapshotAck, StreamReader, Up,
    UpDatagram, UpLimits,
};

const INPUTS_DEFAULT: u64 = 1_000_000;

#[expect(clippy::disallowed_methods, reason = "a test reads how deep to go")]
fn inputs() -> u64 {
    let set = std::env::var("FAIRSHOT_FUZZ_INPUTS").ok();
    set.and_then(|set| set.parse().ok()).unwrap_or(INPUTS_DEFAULT)
}

/// One of the seeds, changed; or noise.
fn mutate(rng: &mut Rng, seeds: &[Vec<u8>]) -> Vec<u8> {
    if rng.chance(10) {
        return (0..rng.below(200)).map(|_| rng.u8()).collect();
    }
    let mut bytes = seeds[rng.below(seeds.len() as u64) as usize].clone();
    for _ in 0..1 + rng.below(4) {
        if bytes.is_empty() {
            break;
        }
        let at = rng.below(bytes.len() as u64) as usize;
        match rng.below(7) {
            0 => bytes[at] ^= 1 << rng.below(8),
            1 => bytes[at] = rng.u8(),
            2 => bytes[at] = [0, 0x7F, 0x80, 0xFF][rng.below(4) as usize],
            3 => bytes.truncate(at),
            4 => bytes.insert(at, rng.u8()),
            5 => {
                let other = &seeds[rng.below(seeds.len() as u64) as usize];
                let from = rng.below(other.len() as u64 + 1) as usize;
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            _ => {
                bytes.remove(at);
            }
        }
    }
    bytes
}

fn fuzz(seeds: &[Vec<u8>], mut decode: impl FnMut(&[u8]) -> bool) {
    let mut rng = Rng::new(0xF0_22);
    let mut good = 0u64;
    for _ in 0..inputs() {
        let bytes = mutate(&mut rng, seeds);
        good += u64::from(decode(&bytes));
    }
    assert!(good > 0, "not one mutation decoded: the fuzz is too coarse");
}

#[test]
fn no_bytes_break_the_datagram_decoder_or_pass_its_caps() {
    let mut rng = Rng::new(1);
    let seeds: Vec<Vec<u8>> = (0..60)
        .map(|n| {
            let frames = made::frames(&mut rng, n % 9, n % 2 == 0);
            let top = frames.last().map_or(1, |frame| frame.number.0);
            let shots = (0..n % 4).map(|k| made::shot(&mut rng, top + k + 1, 3)).collect();
            let snapshot = Some(SnapshotAck { newest: Tick(9), previous_ticks: Some(4) });
            let mut out = Vec::new();
            UpDatagram { snapshot, batch: n, frames, shots }.encode(1200, &mut out);
            out
        })
        .collect();
    let limits = UpLimits::default();
    let mut datagram = UpDatagram::default();
    let mut malformed = Vec::new();
    fuzz(&seeds, |bytes| {
        malformed.clear();
        let read = datagram.decode_into(bytes, &limits, &mut malformed).is_ok();
        assert!(datagram.frames.len() <= FRAMES_MAX);
        assert!(datagram.shots.len() + malformed.len() <= SHOTS_MAX);
        for shot in &datagram.shots {
            assert!(shot.names.len() <= NAMES_MAX);
            assert!(shot.origin_m.is_finite() && (shot.direction.length() - 1.0).abs() <= 0.0101);
        }
        if read {
            // What was read can be sent again and reads the same.
            let mut again = Vec::new();
            datagram.encode(usize::MAX, &mut again);
            let mut none = Vec::new();
            assert_eq!(UpDatagram::decode(&again, &limits, &mut none).as_ref(), Ok(&datagram));
        }
        read
    });
}

#[test]
fn no_bytes_break_the_snapshot_decoder() {
    let (mut seeds, mut history) = (Vec::new(), Vec::new());
    let mut room = Bodies::new(6, 4, 12);
    let mut ring = SentStates::new();
    let mut writer = SnapshotWriter::new(EntityId(0));
    let mut reader = SnapshotReader::new(EntityId(0), Tick(0));
    let mut scratch = Scratch::default();
    for tick in 1..=30u32 {
        room.step();
        room.upset(3);
        ring.record(Tick(tick * 2), &room.states());
        let acks = MessageAcks { highest: MessageNumber(tick), mask: u64::MAX };
        let personal = Personal { own: room.own(0), acks, ..Personal::default() };
        let mut out = Vec::new();
        let limit = if tick % 3 == 0 { 120 } else { 1162 };
        writer.write(&ring, &personal, limit, &mut scratch, &mut out).unwrap();
        if tick <= 20 {
            reader.read(&out).unwrap();
            writer.handle_ack(reader.ack().unwrap());
            history.push(out);
        } else {
            seeds.push(out);
        }
    }
    let mut since = 0;
    fuzz(&seeds, |bytes| {
        since += 1;
        if since % 64 == 0 {
            // A fresh client that holds what the seeds build on.
            reader = SnapshotReader::new(EntityId(0), Tick(0));
            for bytes in &history {
                reader.read(bytes).unwrap();
            }
        }
        match reader.read(bytes) {
            Ok(snapshot) => {
                assert!(snapshot.states.len() <= fairshot_wire::snapshot::ENTITIES_MAX);
                assert!(snapshot.own.position_m.is_finite());
                true
            }
            Err(_) => false,
        }
    });
}

#[test]
fn no_bytes_break_the_readers_of_messages_down() {
    let mut rng = Rng::new(3);
    let mut seeds = Vec::new();
    for _ in 0..20 {
        for down in streams::downs(&mut rng) {
            let mut cutter = StreamReader::down();
            cutter.push(&down.to_bytes());
            seeds.push(cutter.next_message().unwrap().unwrap().to_vec());
        }
    }
    let mut reader = DownReader::default();
    let mut since = 0;
    fuzz(&seeds, |bytes| {
        since += 1;
        if since % 256 == 0 {
            reader = DownReader::default();
        }
        reader.read(bytes).is_ok()
    });
}

#[test]
fn no_bytes_break_the_reader_of_messages_up() {
    let mut rng = Rng::new(4);
    let mut seeds = Vec::new();
    for _ in 0..50 {
        for up in streams::ups(&mut rng) {
            let mut cutter = StreamReader::up();
            cutter.push(&up.to_bytes());
            seeds.push(cutter.next_message().unwrap().unwrap().to_vec());
        }
    }
    fuzz(&seeds, |bytes| Up::decode(bytes).is_ok());
}

#[test]
fn no_stream_breaks_the_cutter_or_makes_it_hold_more_than_its_cap() {
    let mut rng = Rng::new(5);
    let seeds: Vec<Vec<u8>> = (0..40)
        .map(|_| streams::ups(&mut rng).iter().flat_map(|up| up.to_bytes()).collect())
        .collect();
    fuzz(&seeds, |bytes| {
        let mut cutter = StreamReader::up();
        let mut good = false;
        for piece in bytes.chunks(1 + bytes.len() % 97) {
            cutter.push(piece);
            loop {
                match cutter.next_message() {
                    Ok(Some(_)) => good = true,
                    Ok(None) => break,
                    Err(_) => return good,
                }
            }
            assert!(cutter.pending_bytes() <= fairshot_wire::UP_MESSAGE_BYTES_MAX + 3);
        }
        good
    });
}
