//! A three-pellet shot among 4 players and 40 monsters, 50 boxes, a second of history, over the data of
//! 400 rooms so that none of it is in the nearest caches; beside a plain baseline under the same
//! compiler settings: f64, an array of structs, every box and every target looked at, no allocation.

mod cpu;
mod paired;
mod plain;
mod room;

use cpu::CpuTime;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use paired::paired;
use room::{Crowd, PELLETS, Room, Shot};
use std::hint::black_box;

fn shots(criterion: &mut Criterion<CpuTime>) {
    for (name, crowd, rooms) in [
        ("400 rooms", Crowd { players: 4, monsters: 40 }, 400),
        ("one room", Crowd { players: 4, monsters: 40 }, 1),
        ("400 targets, 40 rooms", Crowd { players: 4, monsters: 396 }, 40),
        ("40 targets, 40 rooms", Crowd { players: 4, monsters: 36 }, 40),
    ] {
        let rooms: Vec<Room> = (0..rooms).map(|seed| Room::new(seed, crowd)).collect();
        let mut group = criterion.benchmark_group(format!("three pellets, {name}"));
        let mut next = Shots::new(&rooms);
        group.bench_function("flat", |bencher| {
            let mut scratch = [(); PELLETS].map(|()| fairshot_world::TargetHits::new());
            bencher.iter(|| {
                let (room, shot) = next.shot();
                black_box(room.judge(&shot, &mut scratch))
            });
        });
        let plain: Vec<plain::Room> = rooms.iter().map(Room::plain).collect();
        let mut next = Shots::new(&rooms);
        group.bench_function("plain", |bencher| {
            bencher.iter(|| {
                let (_, shot) = next.shot();
                black_box(plain[shot.room].judge(&shot.plain()))
            });
        });
        group.finish();
        let mut scratch = [(); PELLETS].map(|()| fairshot_world::TargetHits::new());
        let (mut flat_next, mut plain_next) = (Shots::new(&rooms), Shots::new(&rooms));
        paired(
            &format!("three pellets, {name}"),
            3200,
            || {
                let (room, shot) = flat_next.shot();
                black_box(room.judge(&shot, &mut scratch));
            },
            || {
                let (_, shot) = plain_next.shot();
                black_box(plain[shot.room].judge(&shot.plain()));
            },
        );
    }
}

fn ticks(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("a tick of 44 entities");
    let crowd = Crowd { players: 4, monsters: 40 };
    let mut room = Room::new(1, crowd);
    group.bench_function("record", |bencher| bencher.iter(|| room.record()));
    let mut room = Room::new(1, crowd);
    group.bench_function("think and walk", |bencher| bencher.iter(|| room.walk()));
    let mut room = Room::new(1, crowd);
    group.bench_function("bodies", |bencher| bencher.iter(|| room.run()));
    group.finish();
}

fn checkpoint(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("checkpoint of a second");
    let room = Room::new(1, Crowd { players: 4, monsters: 40 });
    let saved = room.history.save();
    println!("a saved second: {} bytes; in memory {}", saved.len(), room.history.memory_bytes());
    group.bench_function("save", |bencher| bencher.iter(|| room.history.save()));
    group.bench_function("load", |bencher| {
        bencher.iter_batched(|| saved.clone(), |saved| room.load(&saved), BatchSize::SmallInput);
    });
    group.finish();
}

/// Shots in an order that visits every room before it comes back to one.
struct Shots<'a> {
    rooms: &'a [Room],
    shots: Vec<Shot>,
    next: usize,
}

impl<'a> Shots<'a> {
    fn new(rooms: &'a [Room]) -> Self {
        let shot = |number: usize| {
            // Rooms in an order no prefetcher follows.
            let room = number.wrapping_mul(0x9E37_79B1) % rooms.len();
            rooms[room].shot(room, number)
        };
        Self { rooms, shots: (0..rooms.len() * 8).map(shot).collect(), next: 0 }
    }

    fn shot(&mut self) -> (&'a Room, Shot) {
        let shot = self.shots[self.next];
        self.next = (self.next + 1) % self.shots.len();
        (&self.rooms[shot.room], shot)
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = shots, ticks, checkpoint
}
criterion_main!(benches);
