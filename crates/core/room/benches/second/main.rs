//! One second of the standard room without its network: 4 players who run and fire 1.5 three-pellet
//! shots a second each, 40 monsters, 50 boxes, 64 ticks; hot, and over the data of 100 rooms. Beside a
//! plain baseline: doubles, an array of structs, every body against every box, no allocation. It runs one
//! rule and keeps no verdicts, events or refusals, so it does less.

#[path = "../../../world/benches/shot/cpu.rs"]
mod cpu;
#[path = "../../../world/benches/shot/paired.rs"]
mod paired;
mod plain;
#[path = "../../../world/benches/shot/plain.rs"]
mod plain_shot;
mod standard;

use cpu::CpuTime;
use criterion::{Criterion, criterion_group, criterion_main};
use paired::paired;
use plain::Plain;
use standard::Standard;
use std::hint::black_box;

fn seconds(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("a second of the standard room");
    for (name, rooms) in [("one room", 1_u64), ("100 rooms", 100)] {
        let mut rooms: Vec<Standard> = (0..rooms).map(Standard::new).collect();
        let mut next = 0;
        let mut ticks = 0_u64;
        let mut shots = 0_u64;
        let mut hits = 0_u64;
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for _ in 0..64 {
                    // Round the rooms tick by tick, as a shard does.
                    next = (next + 1) % rooms.len();
                    let out = rooms[next].tick();
                    ticks += 1;
                    shots += out.judgement.verdicts.len() as u64;
                    hits += out.judgement.hits.len() as u64;
                    black_box(out.entities.len());
                }
            });
        });
        println!("{name}: {shots} shots and {hits} hits in {ticks} ticks");
        let mode = standard::mode_of_the_room();
        let mut doubles: Vec<Plain> =
            (0..rooms.len() as u64).map(|seed| Plain::new(mode, seed)).collect();
        for _ in 0..80 {
            for plain in &mut doubles {
                black_box(plain.tick());
            }
        }
        let (mut at, mut plain_at) = (0, 0);
        paired(
            &format!("a second of the standard room, {name}"),
            20,
            || {
                for _ in 0..64 {
                    at = (at + 1) % rooms.len();
                    black_box(rooms[at].tick().entities.len());
                }
            },
            || {
                for _ in 0..64 {
                    plain_at = (plain_at + 1) % doubles.len();
                    black_box(doubles[plain_at].tick());
                }
            },
        );
    }
    group.finish();
}

fn checkpoint(criterion: &mut Criterion<CpuTime>) {
    let mut standard = Standard::new(1);
    for _ in 0..200 {
        standard.tick();
    }
    let saved = standard.room.save();
    println!("a saved room: {} bytes", saved.len());
    let mut group = criterion.benchmark_group("checkpoint of the standard room");
    group.bench_function("save", |bencher| bencher.iter(|| black_box(standard.room.save())));
    group.bench_function("load", |bencher| bencher.iter(|| black_box(standard.load(&saved))));
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = seconds, checkpoint
}
criterion_main!(benches);
