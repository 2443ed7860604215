//! A three-pellet shot through every rule, from its claim to its verdict, among 4 players and 40
//! monsters and 50 boxes, over the data of 400 rooms so that none of it is in the nearest caches; beside
//! the same plain baseline as the world's bench (which runs the cover rule alone and keeps no verdict).

#[path = "../../world/benches/shot/cpu.rs"]
mod cpu;
#[path = "../../world/benches/shot/paired.rs"]
mod paired;
#[path = "../../world/benches/shot/plain.rs"]
mod plain;
#[path = "../../world/benches/shot/room.rs"]
mod room;

use cpu::CpuTime;
use criterion::{Criterion, criterion_group, criterion_main};
use fairshot_judge::{
    Arms, Claim, Judge, Judgement, LedgerRuling, Scene, ShooterNow, ShooterRecord,
    Shot as JudgedShot,
};
use fairshot_mode::{Catalogue, Mode, StatSheet, Weapon};
use fairshot_units::{EntityState, Life, MessageNumber, SlotIndex, WeaponId};
use fairshot_world::{TargetHits, Unheard};
use paired::paired;
use room::{Crowd, PELLETS, RANGE_M, Room, SPREAD_RAD, Shot};
use std::hint::black_box;

/// A room with what the judge keeps of its four players.
struct Judged {
    room: Room,
    records: Vec<ShooterRecord>,
    teams: Vec<u8>,
    unheard: Unheard,
    judge: Judge,
    out: Judgement,
    clock_ticks: u64,
}

impl Judged {
    fn new(seed: u64, crowd: Crowd) -> Self {
        let teams = vec![EntityState::NO_TEAM; usize::from(crowd.players + crowd.monsters)];
        Self {
            room: Room::new(seed, crowd),
            records: vec![ShooterRecord::default(); usize::from(crowd.players)],
            teams,
            unheard: Unheard::default(),
            judge: Judge::new(Vec::new()),
            out: Judgement::default(),
            clock_ticks: 0,
        }
    }

    fn judge(&mut self, mode: &Mode, shot: &Shot, claim: &mut Claim, stats: &StatSheet) -> usize {
        // First, as a tick begins.
        self.out.clear();
        claim.view = shot.view;
        claim.origin_m = shot.origin_m;
        claim.direction = shot.direction;
        // 1.5 shots a second of each: the allowance is full again.
        self.clock_ticks += 43;
        let landed = self.room.history.newest_tick().unwrap_or_default();
        let scene = Scene {
            world: (&self.room.shared.world).into(),
            unheard: &self.unheard,
            history: &self.room.history,
            mode,
            teams: &self.teams,
            landed,
            clock_ticks: self.clock_ticks,
        };
        let shooter = ShooterNow {
            id: shot.shooter,
            life: Life(1),
            arms: Arms::Free,
            team: EntityState::NO_TEAM,
            feet_m: shot.body_middle_m,
            middle_m: shot.body_middle_m,
            round_trip_s: Some(0.05),
            died: None,
        };
        let ruling = LedgerRuling::Accepted;
        let judged = JudgedShot { claim, ruling, shooter, stats, exact_step: false };
        let record = &mut self.records[usize::from(shot.shooter.0)];
        self.judge.judge(&judged, record, &scene, &mut self.out);
        self.out.hits.len()
    }
}

fn mode_of(room: &Room) -> Mode {
    let weapon = Weapon {
        id: WeaponId(1),
        name: "scattergun".to_owned(),
        damage: 10.0,
        range_m: RANGE_M,
        shots_per_second: 2.0,
        pellets: 3,
        spread_rad: SPREAD_RAD,
        pierce: 1,
        ..Weapon::default()
    };
    let weapons = Catalogue::new(vec![weapon], [false; SlotIndex::COUNT]).expect("one weapon");
    Mode { weapons, ..room.shared.mode.clone() }
}

fn shots(criterion: &mut Criterion<CpuTime>) {
    for (name, crowd, rooms) in [
        ("400 rooms", Crowd { players: 4, monsters: 40 }, 400_u64),
        ("one room", Crowd { players: 4, monsters: 40 }, 1),
        ("400 targets, 40 rooms", Crowd { players: 4, monsters: 396 }, 40),
        ("40 targets, 40 rooms", Crowd { players: 4, monsters: 36 }, 40),
    ] {
        let mut rooms: Vec<Judged> = (0..rooms).map(|seed| Judged::new(seed, crowd)).collect();
        let mode = mode_of(&rooms[0].room);
        let mut claim = Claim {
            number: MessageNumber(1),
            weapon: WeaponId(1),
            view: fairshot_units::ViewStep::default(),
            origin_m: glam::Vec3::ZERO,
            direction: glam::Vec3::NEG_Z,
            names: Vec::new(),
        };
        let stats = StatSheet::default();
        // Claims come off the wire; making one is no part of judging it.
        let shots: Vec<Shot> = (0..rooms.len() * 8).map(|number| shot_of(&rooms, number)).collect();
        let mut group = criterion.benchmark_group(format!("three pellets, all rules, {name}"));
        let mut order = shots.iter().cycle();
        let mut next = move || *order.next().expect("an endless cycle");
        let mut accepted = 0_u64;
        let mut judged = 0_u64;
        group.bench_function("judge", |bencher| {
            bencher.iter(|| {
                let shot = next();
                let hits = rooms[shot.room].judge(&mode, &shot, &mut claim, &stats);
                judged += 1;
                let verdict = &rooms[shot.room].out.verdicts[0];
                accepted += u64::from(verdict.outcome.is_accepted());
                black_box(hits)
            });
        });
        println!("{name}: {accepted} of {judged} shots accepted");
        let mut scratch: [TargetHits; PELLETS] = std::array::from_fn(|_| TargetHits::new());
        group.bench_function("hits alone", |bencher| {
            bencher.iter(|| {
                let shot = next();
                black_box(rooms[shot.room].room.judge(&shot, &mut scratch))
            });
        });
        let plain: Vec<plain::Room> = rooms.iter().map(|judged| judged.room.plain()).collect();
        group.bench_function("plain", |bencher| {
            bencher.iter(|| {
                let shot = next();
                black_box(plain[shot.room].judge(&shot.plain()))
            });
        });
        group.finish();
        let (mut flat, mut doubles) = (shots.iter().cycle(), shots.iter().cycle());
        paired(
            &format!("three pellets, all rules, {name}"),
            3200,
            || {
                let shot = flat.next().expect("an endless cycle");
                black_box(rooms[shot.room].judge(&mode, shot, &mut claim, &stats));
            },
            || {
                let shot = doubles.next().expect("an endless cycle");
                black_box(plain[shot.room].judge(&shot.plain()));
            },
        );
    }
}

/// A shot, in an order of rooms that no prefetcher follows.
fn shot_of(rooms: &[Judged], number: usize) -> Shot {
    let room = number.wrapping_mul(0x9E37_79B1) % rooms.len();
    rooms[room].room.shot(room, number)
}

/// The bench judges rooms that a checkpoint can carry, as every room is.
fn carried(criterion: &mut Criterion<CpuTime>) {
    let room = Room::new(1, Crowd { players: 4, monsters: 40 });
    let saved = room.history.save();
    criterion.bench_function("a saved second read back", |bencher| {
        bencher.iter(|| black_box(room.load(&saved).is_ok()));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = shots, carried
}
criterion_main!(benches);
const _: () = assert!(PELLETS == 3);
