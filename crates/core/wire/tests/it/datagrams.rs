//! Datagrams up: exact, small, bounded, and forgiving of one bad shot.

use crate::made::{frames, shot};
use crate::rng::Rng;
use fairshot_units::{MessageNumber, Tick, ViewStep};
use fairshot_wire::{
    DecodeError, FRAMES_MAX, Frame, NAMES_MAX, SHOTS_MAX, ShotFault, SnapshotAck, UpDatagram,
    UpLimits,
};

fn ack() -> Option<SnapshotAck> {
    Some(SnapshotAck { newest: Tick(5004), previous_ticks: Some(4) })
}

fn round(datagram: &UpDatagram, limit: usize) -> (UpDatagram, usize) {
    let mut out = Vec::new();
    let packed = datagram.encode(limit, &mut out);
    assert!(out.len() <= limit, "{} over {limit}", out.len());
    let mut malformed = Vec::new();
    let read = UpDatagram::decode(&out, &UpLimits::default(), &mut malformed).unwrap();
    assert_eq!((read.frames.len(), read.shots.len()), (packed.frames, packed.shots));
    assert!(malformed.is_empty());
    (read, out.len())
}

#[test]
fn tame_and_wild_datagrams_come_back_to_the_bit() {
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let wild = rng.chance(50);
        let count = rng.below(FRAMES_MAX as u64 + 1) as u32;
        let frames = frames(&mut rng, count, wild);
        let top = frames.last().map_or(1, |frame| frame.number.0);
        let shots = (0..rng.below(SHOTS_MAX as u64 + 1) as u32)
            .map(|n| {
                let names = rng.below(NAMES_MAX as u64 + 1) as usize;
                shot(&mut rng, top + 1 + n, names)
            })
            .collect();
        let snapshot = ack().filter(|_| rng.chance(80));
        let batch = if rng.chance(50) { rng.u32() } else { rng.u32() % 500 };
        let datagram = UpDatagram { snapshot, batch, frames, shots };
        let (read, _) = round(&datagram, 1 << 20);
        assert_eq!(read, datagram, "seed {seed}");
    }
}

#[test]
fn a_stall_of_forty_two_frames_and_a_dozen_shots_fits_one_datagram() {
    let mut rng = Rng::new(4);
    let frames = frames(&mut rng, 42, false);
    let top = frames.last().unwrap().number.0;
    let shots = (1..=12).map(|n| shot(&mut rng, top + n, 0)).collect();
    let datagram = UpDatagram { snapshot: ack(), batch: 300, frames, shots };
    let (read, bytes) = round(&datagram, 1162);
    assert_eq!(read, datagram);
    let (_, frames_only) = round(&UpDatagram { shots: vec![], ..datagram }, 1162);
    assert!(frames_only < 220, "{frames_only}");
    assert!(bytes < 800, "{bytes}");
}

#[test]
fn what_does_not_fit_is_left_out_from_the_newest_on() {
    let mut rng = Rng::new(8);
    let frames = frames(&mut rng, 60, true);
    let number = |index: usize| frames[index].number.0;
    let shots = vec![shot(&mut rng, number(10) + 1, 0), shot(&mut rng, number(40) + 1, 0)];
    let datagram = UpDatagram { snapshot: ack(), batch: 1, frames, shots };
    let mut before = (0, 0);
    for limit in 24..2400 {
        let (read, _) = round(&datagram, limit);
        let now = (read.frames.len(), read.shots.len());
        assert!(now.0 >= before.0 && now.1 >= before.1, "{limit}");
        before = now;
        assert_eq!(read.frames, datagram.frames[..now.0]);
        // A shot goes in exactly where its number stands among the frames.
        let due = [10, 40].iter().filter(|after| now.0 > **after + 1).count();
        assert!(now.1 >= due, "{limit}: {now:?}");
        let ahead = [10, 40].iter().filter(|after| now.0 > **after).count();
        assert!(now.1 <= ahead, "{limit}: {now:?}");
    }
    assert_eq!(before, (60, 2));
}

/// One shot's body of 45 bytes changed in place, between two that stand.
fn with_body(change: impl FnOnce(&mut Vec<u8>)) -> (UpDatagram, Vec<fairshot_wire::MalformedShot>) {
    let mut rng = Rng::new(1);
    let frames = frames(&mut rng, 3, false);
    let top = frames.last().unwrap().number.0;
    let shots = (1..=3).map(|n| shot(&mut rng, top + n, 0)).collect();
    let datagram = UpDatagram { snapshot: ack(), batch: 1, frames, shots };
    let mut bytes = Vec::new();
    datagram.encode(1200, &mut bytes);
    let start = bytes.len() - 2 * 46;
    let mut body = bytes[start + 1..start + 46].to_vec();
    change(&mut body);
    let mut changed = bytes[..start].to_vec();
    changed.push(u8::try_from(body.len()).unwrap());
    changed.extend_from_slice(&body);
    changed.extend_from_slice(&bytes[start + 46..]);
    let mut malformed = Vec::new();
    let read = UpDatagram::decode(&changed, &UpLimits::default(), &mut malformed).unwrap();
    assert_eq!(read.frames, datagram.frames);
    (read, malformed)
}

#[test]
fn a_malformed_shot_costs_no_other_and_keeps_its_number() {
    let set = |at: usize, value: f32| {
        move |body: &mut Vec<u8>| body[at..at + 4].copy_from_slice(&value.to_le_bytes())
    };
    let check = |change: &dyn Fn(&mut Vec<u8>), fault: ShotFault| {
        let (read, malformed) = with_body(|body| change(body));
        assert_eq!(read.shots.len(), 2);
        assert_eq!(malformed.len(), 1);
        assert_eq!(malformed[0].fault, fault);
        let numbered = read.shots[0].number.0 + 1;
        assert_eq!(malformed[0].number, Some(MessageNumber(numbered)), "{fault:?}");
    };
    check(&set(21, f32::NAN), ShotFault::NotFinite);
    check(&set(37, f32::INFINITY), ShotFault::NotFinite);
    check(&set(25, 4097.0), ShotFault::Bounds);
    check(&set(33, 3.0), ShotFault::Direction);
    check(&|body| body.truncate(44), ShotFault::Size);
    check(&|body| body.extend([0; 4]), ShotFault::Size);
    check(&|body| body.extend([0; 3 * (NAMES_MAX + 1)]), ShotFault::Names);
    check(&|body| body[11..15].copy_from_slice(&u32::MAX.to_le_bytes()), ShotFault::Number);
}

#[test]
fn odd_directions_and_far_origins_are_no_shots() {
    let body = |at: usize, values: [f32; 3]| {
        with_body(|body| {
            for (value, at) in values.iter().zip((at..).step_by(4)) {
                body[at..at + 4].copy_from_slice(&value.to_le_bytes());
            }
        })
    };
    let mut odd = vec![body(21, [4.29e9, 0.0, 0.0]), body(21, [f32::NEG_INFINITY, 0.0, 0.0])];
    for direction in [
        [f32::NAN, 0.0, 0.0],
        [0.0; 3],
        [0.001, 0.0, 0.0],
        [1e30, 0.0, 0.0],
        [1e30, 1e30, f32::INFINITY],
    ] {
        odd.push(body(33, direction));
    }
    for (read, malformed) in odd {
        assert_eq!((read.shots.len(), malformed.len()), (2, 1));
        assert!(malformed[0].number.is_some());
    }
}

#[test]
fn a_malformed_shot_without_a_number_is_counted_all_the_same() {
    let (read, malformed) = with_body(|body| body.truncate(3));
    assert_eq!(read.shots.len(), 2);
    assert_eq!(malformed[0].number, None);
    let (_, malformed) = with_body(|body| body[..4].fill(0));
    assert_eq!((malformed[0].number, malformed[0].fault), (None, ShotFault::Number));
}

#[test]
fn a_direction_counts_as_unit_within_one_percent() {
    let scale = |factor: f32| {
        with_body(|body| {
            for at in [33, 37, 41] {
                let value = f32::from_le_bytes(body[at..at + 4].try_into().unwrap()) * factor;
                body[at..at + 4].copy_from_slice(&value.to_le_bytes());
            }
        })
        .1
        .len()
    };
    assert_eq!([0.98, 0.991, 1.009, 1.02].map(scale), [1, 0, 0, 1]);
}

#[test]
fn a_datagram_of_another_kind_cut_short_or_padded_is_refused_as_a_whole() {
    let mut rng = Rng::new(1);
    let frames = frames(&mut rng, 5, true);
    let shots = vec![shot(&mut rng, 90_000, 2)];
    let datagram = UpDatagram { snapshot: ack(), batch: 1, frames, shots };
    let mut bytes = Vec::new();
    datagram.encode(1200, &mut bytes);
    let read = |bytes: &[u8]| UpDatagram::decode(bytes, &UpLimits::default(), &mut Vec::new());
    for end in 0..bytes.len() {
        assert!(read(&bytes[..end]).is_err(), "{end}");
    }
    bytes.push(0);
    assert_eq!(read(&bytes), Err(DecodeError::Trailing));
    bytes[0] = 0xB1;
    assert_eq!(read(&bytes), Err(DecodeError::Version(0xB1)));
}

#[test]
fn every_view_step_that_can_be_sent_is_one() {
    // There is no NaN, no infinity and no negative step on this wire: any 48 bits are a step.
    for view in [ViewStep::at(Tick(0)), ViewStep { tick: Tick(u32::MAX), fraction: u16::MAX }] {
        let frame = Frame { number: MessageNumber(1), view, ..Frame::default() };
        let datagram = UpDatagram { frames: vec![frame], ..UpDatagram::default() };
        assert_eq!(round(&datagram, 100).0, datagram);
    }
}
