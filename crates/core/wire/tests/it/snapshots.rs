//! Snapshots over bad links: what comes is exactly what the room recorded.

use crate::rng::Rng;
use crate::world::Bodies;
use fairshot_units::{EntityId, EntityState, MessageNumber, Pose, Tick};
use fairshot_wire::snapshot::{
    Personal, Scratch, SentStates, SnapshotReader, SnapshotWriter, Viewer,
};
use fairshot_wire::{DecodeError, MessageAcks};
use glam::Vec3;
use std::collections::BTreeMap;

/// A link that loses, doubles and delays by whole ticks, which reorders.
pub struct Link<T> {
    pub loss_percent: u64,
    pub double_percent: u64,
    pub delay_ticks: u64,
    pub jitter_ticks: u64,
    flying: BTreeMap<u64, Vec<T>>,
}

impl<T: Clone> Link<T> {
    pub fn new(loss_percent: u64, double_percent: u64, delay_ticks: u64, jitter: u64) -> Self {
        let flying = BTreeMap::new();
        Self { loss_percent, double_percent, delay_ticks, jitter_ticks: jitter, flying }
    }

    pub fn send(&mut self, now: u64, item: T, rng: &mut Rng) {
        let copies = 1 + u64::from(rng.chance(self.double_percent));
        for _ in 0..copies {
            if !rng.chance(self.loss_percent) {
                let at = now + self.delay_ticks + rng.below(self.jitter_ticks + 1);
                self.flying.entry(at).or_default().push(item.clone());
            }
        }
    }

    pub fn arrived(&mut self, now: u64) -> Vec<T> {
        let later = self.flying.split_off(&(now + 1));
        std::mem::replace(&mut self.flying, later).into_values().flatten().collect()
    }
}

struct Case {
    players: u16,
    monsters: u16,
    upset_percent: u64,
    limit_bytes: usize,
    ticks: u64,
}

struct Outcome {
    snapshots: u64,
    bytes: u64,
    lacked_base: u64,
    partial: u64,
    /// The longest any entity present throughout went unseen, in ticks.
    unseen_ticks_max: u64,
}

fn run(case: &Case, seed: u64, mut down: Link<Vec<u8>>, up_loss: u64) -> Outcome {
    let mut room = Bodies::new(seed, case.players, case.monsters);
    let mut rng = Rng::new(seed ^ 77);
    let mut up = Link::new(up_loss, 5, down.delay_ticks, down.jitter_ticks);
    let first = Tick(u32::MAX - 300);
    let own = EntityId(0);
    let mut ring = SentStates::new();
    let mut writer = SnapshotWriter::new(own);
    let mut scratch = Scratch::default();
    let mut reader = SnapshotReader::new(own, first);
    let mut recorded: BTreeMap<u32, Vec<EntityState>> = BTreeMap::new();
    let mut seen: BTreeMap<EntityId, u64> = BTreeMap::new();
    let mut out =
        Outcome { snapshots: 0, bytes: 0, lacked_base: 0, partial: 0, unseen_ticks_max: 0 };
    for now in 0..case.ticks {
        room.step();
        room.upset(case.upset_percent);
        let tick = first + u32::try_from(now).unwrap();
        for ack in up.arrived(now) {
            writer.handle_ack(ack);
        }
        if tick.0.is_multiple_of(2) {
            let mut states = room.states();
            ring.record(tick, &states);
            // An entity that was not there a snapshot ago, or in another life, did not move here.
            for state in &mut states {
                let before = recorded.get(&(tick - 2).0);
                let before = before.and_then(|row| row.iter().find(|row| row.id == state.id));
                state.teleported |= before.is_none_or(|before| before.life != state.life);
            }
            recorded.insert(tick.0, states);
            let personal = Personal {
                own: room.own(0),
                acks: MessageAcks {
                    highest: MessageNumber(1 + u32::try_from(now).unwrap()),
                    mask: rng.next(),
                },
                viewer: Viewer { pose: room.pose(0) },
            };
            let mut bytes = Vec::new();
            let written =
                writer.write(&ring, &personal, case.limit_bytes, &mut scratch, &mut bytes).unwrap();
            assert_eq!(written.bytes, bytes.len());
            assert!(bytes.len() <= case.limit_bytes, "seed {seed}");
            out.bytes += bytes.len() as u64;
            down.send(now, bytes, &mut rng);
        }
        for bytes in down.arrived(now) {
            match reader.read(&bytes) {
                Ok(snapshot) => {
                    out.snapshots += 1;
                    out.partial += u64::from(!snapshot.complete);
                    let truth: Vec<EntityState> = recorded[&snapshot.tick.0]
                        .iter()
                        .filter(|state| state.id != own)
                        .copied()
                        .collect();
                    for state in &snapshot.states {
                        let real = truth.iter().find(|real| real.id == state.id);
                        let real = real.unwrap_or_else(|| panic!("seed {seed}: {state:?} is gone"));
                        assert_eq!(state, real, "seed {seed} tick {}", snapshot.tick.0);
                    }
                    if snapshot.complete {
                        assert_eq!(snapshot.states.len(), truth.len(), "seed {seed}");
                    }
                    for id in &snapshot.gone {
                        assert!(truth.iter().all(|real| real.id != *id), "seed {seed}");
                    }
                    for state in &snapshot.states {
                        let before = seen.insert(state.id, now).unwrap_or(now);
                        out.unseen_ticks_max = out.unseen_ticks_max.max(now - before);
                    }
                }
                Err(DecodeError::Baseline) => out.lacked_base += 1,
                Err(DecodeError::Repeat) => {}
                Err(error) => panic!("seed {seed}: {error}"),
            }
            if let Some(ack) = reader.ack() {
                up.send(now, ack, &mut rng);
            }
        }
    }
    out
}

const STANDARD: Case =
    Case { players: 4, monsters: 40, upset_percent: 0, limit_bytes: 1162, ticks: 1500 };

#[test]
fn on_a_clean_link_every_snapshot_comes_whole() {
    let out = run(&STANDARD, 1, Link::new(0, 0, 3, 0), 0);
    assert_eq!((out.partial, out.lacked_base), (0, 0));
    assert!(out.snapshots > 740);
}

#[test]
fn over_lossy_doubling_reordering_links_what_is_read_is_what_was_recorded() {
    for seed in 0..12 {
        let case = Case { upset_percent: 2, ..STANDARD };
        let out = run(&case, seed, Link::new(10 + seed, 10, 2, seed % 9), 15);
        assert!(out.snapshots > 300, "seed {seed}");
    }
}

#[test]
fn cut_snapshots_say_nothing_wrong_either() {
    for seed in 0..12 {
        let case = Case { upset_percent: 3, limit_bytes: 150 + 10 * seed as usize, ..STANDARD };
        let out = run(&case, seed, Link::new(5, 5, 3, 4), 10);
        assert!(out.partial > 0, "seed {seed}");
    }
}

#[test]
fn a_silent_client_still_gets_a_picture_in_rotation() {
    let case = Case { players: 64, monsters: 60, ticks: 600, ..STANDARD };
    let out = run(&case, 5, Link::new(0, 0, 2, 0), 100);
    assert!(out.partial > 0);
    assert!(out.unseen_ticks_max <= 32, "{} ticks", out.unseen_ticks_max);
}

#[test]
fn r19_sixty_four_players_in_1200_byte_packets_are_all_seen_in_each_half_second() {
    // 1,200 bytes a UDP packet leave 1,162 of payload under QUIC's header, tag and frame.
    for (limit_bytes, up_loss) in [(1162, 0), (1162, 100), (400, 30)] {
        let case = Case { players: 64, monsters: 0, upset_percent: 0, limit_bytes, ticks: 640 };
        let out = run(&case, 9, Link::new(0, 0, 3, 2), up_loss);
        assert!(out.unseen_ticks_max <= 32, "{} ticks", out.unseen_ticks_max);
    }
}

#[test]
fn r19_the_packer_obeys_limits_to_the_byte() {
    let mut room = Bodies::new(3, 64, 0);
    room.step();
    let mut ring = SentStates::new();
    ring.record(Tick(2), &room.states());
    let personal = Personal { own: room.own(0), ..Personal::default() };
    let whole = |limit: usize| {
        let mut out = vec![9];
        let mut writer = SnapshotWriter::new(EntityId(0));
        let written = writer.write(&ring, &personal, limit, &mut Scratch::default(), &mut out);
        (written, out)
    };
    let (all, _) = whole(100_000);
    let all = all.unwrap();
    assert_eq!(all.left_out, 0);
    assert_eq!(whole(all.bytes).0.unwrap(), all);
    let (less, out) = whole(all.bytes - 1);
    assert!(less.unwrap().left_out > 0 && out.len() < all.bytes);
    let (none, out) = whole(10);
    assert_eq!(none.unwrap_err().limit_bytes, 10);
    assert_eq!(out, [9]);
}

#[test]
fn r19_a_datagram_cut_short_or_padded_is_refused() {
    let mut room = Bodies::new(3, 4, 10);
    room.step();
    let mut ring = SentStates::new();
    ring.record(Tick(2), &room.states());
    let mut out = Vec::new();
    SnapshotWriter::new(EntityId(0))
        .write(&ring, &Personal::default(), 1162, &mut Scratch::default(), &mut out)
        .unwrap();
    let read = |bytes: &[u8]| SnapshotReader::new(EntityId(0), Tick(0)).read(bytes);
    assert!(read(&out).is_ok());
    for end in 0..out.len() {
        assert!(read(&out[..end]).is_err(), "{end}");
    }
    out.push(0);
    assert_eq!(read(&out), Err(DecodeError::Trailing));
}

#[test]
fn the_near_and_those_in_view_come_more_often_when_not_all_fit() {
    let mut rng = Rng::new(4);
    let mut ring = SentStates::new();
    let mut writer = SnapshotWriter::new(EntityId(0));
    let mut reader = SnapshotReader::new(EntityId(0), Tick(0));
    let mut came = vec![0u32; 161];
    for tick in 1..=128u32 {
        let states: Vec<EntityState> = (1..=160u16)
            .map(|id| {
                // Eighty stand ahead, eighty behind, each a metre further off than the last.
                let ahead = if id <= 80 { -1.0 } else { 1.0 };
                let far_m = f32::from((id - 1) % 80 + 1);
                let sway = Vec3::new(rng.unit() * 4.0, 0.0, rng.unit());
                let at_m = sway + Vec3::new(0.0, 0.0, ahead * far_m);
                EntityState {
                    id: EntityId(id),
                    pose: Pose::new(at_m, 0.0, 0.0),
                    ..Bodies::new(1, 1, 0).states()[0]
                }
            })
            .collect();
        ring.record(Tick(tick * 2), &states);
        let mut out = Vec::new();
        let personal = Personal::default();
        writer.write(&ring, &personal, 300, &mut Scratch::default(), &mut out).unwrap();
        for state in reader.read(&out).unwrap().states {
            came[usize::from(state.id.0)] += 1;
        }
        writer.handle_ack(reader.ack().unwrap());
    }
    let sum = |ids: std::ops::RangeInclusive<usize>| came[ids].iter().sum::<u32>();
    let (near, far, behind) = (sum(1..=20), sum(61..=80), sum(81..=100));
    assert!(near > far * 3 / 2, "near {near}, far {far}");
    assert!(near > behind, "ahead {near}, behind {behind}");
    assert!(came[1..].iter().all(|times| *times >= 4), "{came:?}");
}

#[test]
fn a_room_whose_ticks_begin_again_builds_on_nothing_it_forgot() {
    let mut room = Bodies::new(3, 4, 10);
    let mut ring = SentStates::new();
    let mut writer = SnapshotWriter::new(EntityId(0));
    let mut reader = SnapshotReader::new(EntityId(0), Tick(100));
    for tick in [102, 104, 106, 90, 92] {
        room.step();
        ring.record(Tick(tick), &room.states());
        let mut out = Vec::new();
        let personal = Personal { own: room.own(0), ..Personal::default() };
        writer.write(&ring, &personal, 1162, &mut Scratch::default(), &mut out).unwrap();
        let snapshot = reader.read(&out).unwrap();
        let poses = |states: &[EntityState]| states.iter().map(|s| s.pose).collect::<Vec<_>>();
        assert_eq!(poses(&snapshot.states), poses(&room.states()[1..]), "{tick}");
        writer.handle_ack(reader.ack().unwrap());
    }
}
