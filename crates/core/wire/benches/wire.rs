//! What the wire costs a server: one player's snapshot, one datagram up, one tick's events.

use criterion::{Criterion, criterion_group, criterion_main};
use fairshot_units::{EntityId, MessageNumber, Tick};
use fairshot_wire::snapshot::{
    Personal, Scratch, SentStates, SnapshotReader, SnapshotWriter, Viewer,
};
use fairshot_wire::{MessageAcks, SnapshotAck, UpDatagram, UpLimits};
use std::hint::black_box;

#[path = "../tests/it/made.rs"]
#[expect(dead_code, reason = "only some of it is used")]
mod made;
#[path = "../tests/it/rng.rs"]
mod rng;
#[path = "../tests/it/world.rs"]
#[expect(dead_code, reason = "only some of it is used")]
mod world;

/// A room in full swing: every player acknowledges a snapshot two snapshots after it was sent.
struct Room {
    ring: SentStates,
    writers: Vec<SnapshotWriter>,
    readers: Vec<SnapshotReader>,
    personals: Vec<Personal>,
}

impl Room {
    fn new(players: u16, monsters: u16) -> Self {
        let mut bodies = world::Bodies::new(7, players, monsters);
        let mut room = Self {
            ring: SentStates::new(),
            writers: (0..players).map(|id| SnapshotWriter::new(EntityId(id))).collect(),
            readers: (0..players).map(|id| SnapshotReader::new(EntityId(id), Tick(0))).collect(),
            personals: vec![Personal::default(); usize::from(players)],
        };
        let mut acks: Vec<Vec<SnapshotAck>> = vec![Vec::new(); usize::from(players)];
        for tick in 1..200 {
            bodies.step();
            if tick % 2 != 0 {
                continue;
            }
            room.ring.record(Tick(tick), &bodies.states());
            for id in 0..players {
                let at = usize::from(id);
                room.personals[at] = Personal {
                    own: bodies.own(id),
                    acks: MessageAcks { highest: MessageNumber(tick), mask: u64::MAX },
                    viewer: Viewer { pose: bodies.pose(id) },
                };
                let bytes = room.write(at, &mut Scratch::default());
                room.readers[at].read(&bytes).unwrap();
                acks[at].extend(room.readers[at].ack());
                if acks[at].len() > 2 {
                    room.writers[at].handle_ack(acks[at].remove(0));
                }
            }
        }
        room
    }

    fn write(&mut self, player: usize, scratch: &mut Scratch) -> Vec<u8> {
        let mut out = Vec::with_capacity(1200);
        self.write_into(player, scratch, &mut out);
        out
    }

    fn write_into(&mut self, player: usize, scratch: &mut Scratch, out: &mut Vec<u8>) {
        let personal = &self.personals[player];
        self.writers[player].write(&self.ring, personal, 1162, scratch, out).unwrap();
    }
}

fn snapshots(c: &mut Criterion) {
    for (name, players, monsters) in
        [("4 players 40 monsters", 4, 40), ("16 players", 16, 0), ("64 players", 64, 0)]
    {
        let mut room = Room::new(players, monsters);
        let mut scratch = Scratch::default();
        let mut out = Vec::with_capacity(1200);
        let mut player = 0;
        c.bench_function(&format!("snapshot to one player of {name}"), |b| {
            b.iter(|| {
                player = (player + 1) % usize::from(players);
                out.clear();
                room.write_into(player, &mut scratch, &mut out);
                black_box(out.len())
            });
        });
    }
}

fn recording(c: &mut Criterion) {
    let mut bodies = world::Bodies::new(7, 4, 40);
    bodies.step();
    let states = bodies.states();
    let mut ring = SentStates::new();
    let mut tick = Tick(0);
    c.bench_function("record of 44 entities", |b| {
        b.iter(|| {
            tick = tick + 2;
            black_box(ring.record(tick, &states))
        });
    });
}

fn up(c: &mut Criterion) {
    let mut rng = rng::Rng::new(3);
    let frames = made::frames(&mut rng, 6, false);
    let snapshot = Some(SnapshotAck { newest: Tick(5004), previous_ticks: Some(2) });
    let datagram = UpDatagram { snapshot, batch: 900, frames, shots: vec![] };
    let mut bytes = Vec::new();
    datagram.encode(1162, &mut bytes);
    let (limits, mut read, mut malformed) =
        (UpLimits::default(), UpDatagram::default(), Vec::new());
    c.bench_function("datagram up of six frames, decoded", |b| {
        b.iter(|| read.decode_into(black_box(&bytes), &limits, &mut malformed));
    });
}

criterion_group!(wire, snapshots, recording, up);
criterion_main!(wire);
