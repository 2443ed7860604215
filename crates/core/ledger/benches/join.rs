//! What a message costs, in processor time. Must reach: a frame and a shot under 100 ns each, with no
//! command in flight.

#[path = "../../world/benches/shot/cpu.rs"]
mod cpu;

use cpu::CpuTime;
use criterion::{Criterion, criterion_group, criterion_main};
use fairshot_ledger::{FrameReport, Ledger, Mirror, ShotReport, ShotRuling};
use fairshot_mode::{Catalogue, Weapon};
use fairshot_units::{Life, MessageNumber, SlotIndex, WeaponCommand, WeaponId};
use std::hint::black_box;
use std::sync::Arc;

const RIFLE: WeaponId = WeaponId(31);
const PISTOL: WeaponId = WeaponId(24);

/// As many players as a busy machine holds, so that none of them is in the nearest cache.
const PLAYERS: usize = 1000;

fn messages(c: &mut Criterion<CpuTime>) {
    let mut one = Player::new();
    c.bench_function("frame", |b| b.iter(|| one.frame()));
    let mut one = Player::new();
    c.bench_function("shot", |b| b.iter(|| one.shot()));
    let mut one = Player::new();
    c.bench_function("repeat", |b| b.iter(|| one.repeat()));

    let mut players: Vec<Player> = (0..PLAYERS).map(|_| Player::new()).collect();
    let mut turn = 0;
    let mut next = move || {
        turn = (turn + 1) % PLAYERS;
        turn
    };
    c.bench_function("frame, 1000 players in turn", |b| b.iter(|| players[next()].frame()));
    c.bench_function("shot, 1000 players in turn", |b| b.iter(|| players[next()].shot()));

    let mut one = Player::new();
    (0..4).for_each(|_| one.order_unseen());
    c.bench_function("frame, 4 commands in flight", |b| b.iter(|| one.frame()));
    let mut one = Player::new();
    (0..1023).for_each(|_| one.order_unseen());
    c.bench_function("frame, 1023 commands in flight", |b| b.iter(|| one.frame()));

    let one = Player::new();
    c.bench_function("readback", |b| b.iter(|| black_box(&one.ledger).inventory()));
    let mut one = Player::new();
    c.bench_function("command, its echo included", |b| b.iter(|| one.order_and_echo()));
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = messages
}
criterion_main!(benches);

struct Player {
    ledger: Ledger,
    mirror: Mirror,
    number: u32,
    total: u16,
    now_ms: u64,
}

impl Player {
    fn new() -> Self {
        let catalogue = catalogue();
        let ledger = Ledger::new(Arc::clone(&catalogue));
        let mirror = Mirror::new(catalogue);
        let mut player = Self { ledger, mirror, number: 0, total: 0, now_ms: 0 };
        for (weapon, rounds) in [(PISTOL, 60), (RIFLE, 60_000)] {
            player.order(WeaponCommand::Give { weapon, rounds, set_as_current: true });
        }
        player.total = 60_000;
        player.frame();
        player.now_ms += 1001;
        player.frame();
        player
    }

    fn frame(&mut self) {
        let (life, rev) = (Life(0), self.mirror.revision());
        let (number, total) = (self.next_number(), self.total);
        let firing = false;
        let report = FrameReport { life, rev, number, held: RIFLE, total, clip: 30, firing };
        black_box(self.ledger.frame(black_box(&report), self.now_ms));
    }

    fn shot(&mut self) {
        if self.total == 0 {
            // One call in 60,000.
            self.order(WeaponCommand::SetAmmo { weapon: RIFLE, total: 60_000, clip: None });
            self.total = 60_000;
            self.frame();
            self.now_ms += 1001;
        }
        self.total -= 1;
        let (life, rev) = (Life(0), self.mirror.revision());
        let (number, total) = (self.next_number(), self.total);
        let report = ShotReport { life, rev, number, weapon: RIFLE, total };
        assert_eq!(self.ledger.shot(black_box(&report), self.now_ms), ShotRuling::Accepted);
    }

    fn repeat(&mut self) {
        self.number -= 1;
        self.frame();
    }

    fn order(&mut self, command: WeaponCommand) {
        let planned = self.ledger.plan(&command, self.now_ms).expect("it applies");
        self.mirror.apply(planned.revision(), &command).expect("it follows");
        self.ledger.commit(planned, self.now_ms);
    }

    /// On its way to a client that goes on at its own revision.
    fn order_unseen(&mut self) {
        let give = WeaponCommand::Give { weapon: RIFLE, rounds: 1, set_as_current: false };
        let planned = self.ledger.plan(&give, self.now_ms).expect("it applies");
        self.ledger.commit(planned, self.now_ms);
    }

    fn order_and_echo(&mut self) {
        self.now_ms += 1001;
        self.order(WeaponCommand::Give { weapon: RIFLE, rounds: 1, set_as_current: false });
        self.frame();
    }

    fn next_number(&mut self) -> MessageNumber {
        self.number += 1;
        MessageNumber(self.number)
    }
}

fn catalogue() -> Arc<Catalogue> {
    let weapon = |id: WeaponId, slot, clip_size| Weapon {
        id,
        name: format!("weapon {}", id.0),
        slot: SlotIndex::new(slot).expect("a slot"),
        clip_size,
        ..Weapon::default()
    };
    let shares = std::array::from_fn(|slot| slot == 5);
    let weapons = vec![weapon(PISTOL, 2, 7), weapon(RIFLE, 5, 50)];
    Arc::new(Catalogue::new(weapons, shares).expect("each once"))
}
