//! Shots with the stamp of a real inventory in front of the room.

use crate::kit::{A, B, Range, at, gun, mode};
use fairshot_judge::{Claim, LedgerRuling};
use fairshot_ledger::{FrameReport, Ledger, ShotReport, ShotRuling};
use fairshot_mode::{Ammunition, Body, Weapon};
use fairshot_room::InventoryOrder;
use fairshot_units::{Life, MessageNumber, Rule, SlotIndex, Tick, WeaponCommand, WeaponId};
use glam::Vec3;
use std::sync::Arc;

const MUZZLE: Vec3 = Vec3::new(0.0, 1.0, 0.0);

fn slotted(id: u8, slot: u8) -> Weapon {
    Weapon { slot: SlotIndex::new(slot).expect("a slot"), ..gun(id) }
}

struct Armed {
    range: Range,
    ledger: Ledger,
    number: u32,
}

impl Armed {
    /// A shooter with the rounds given, in a room that counts them.
    fn with(gives: &[(u8, u16)]) -> Self {
        let weapons =
            vec![slotted(24, 2), slotted(30, 5), slotted(31, 5), slotted(33, 6), slotted(34, 6)];
        let mut settings = mode(weapons);
        settings.ammunition = Ammunition::Ledger;
        let catalogue = Arc::new(settings.weapons.clone());
        let mut range = Range::new(settings, 100);
        range.join(A, |_| Vec3::ZERO);
        range.tick();
        let life = range.room.life(A).expect("in the room");
        assert_eq!(range.out.orders, [(A, InventoryOrder::Respawn { life })]);
        let mut ledger = Ledger::new(catalogue);
        ledger.respawn(life);
        for (weapon, rounds) in gives {
            let give = WeaponCommand::Give {
                weapon: WeaponId(*weapon),
                rounds: *rounds,
                set_as_current: true,
            };
            let planned = ledger.plan(&give, 0).expect("a give");
            ledger.commit(planned, 0);
        }
        Self { range, ledger, number: 0 }
    }

    fn life(&self) -> Life {
        self.range.room.life(A).expect("in the room")
    }

    /// One shot through the inventory and the room; `None` where the inventory drops it silently.
    fn shoot(&mut self, weapon: u8, total: u16, life: Life) -> Option<Result<(), Rule>> {
        self.number += 1;
        let number = MessageNumber(self.number);
        let report = ShotReport {
            life,
            rev: self.ledger.revision(),
            number,
            weapon: WeaponId(weapon),
            total,
        };
        let now = self.range.room.tick_now().0;
        let ruling = match self.ledger.shot(&report, u64::from(now) * 1000 / 64) {
            ShotRuling::Accepted => LedgerRuling::Accepted,
            ShotRuling::Refused(rule) => LedgerRuling::Refused(rule),
            ShotRuling::Repeat | ShotRuling::Malformed => return None,
        };
        let claim = Claim {
            number,
            weapon: WeaponId(weapon),
            view: at(now),
            origin_m: MUZZLE,
            direction: Vec3::NEG_Z,
            names: Vec::new(),
        };
        self.range.push_shot(A, life, ruling, claim);
        self.range.tick();
        let verdict = self.range.verdicts().last().expect("a verdict");
        Some(verdict.outcome.refused_by().map_or(Ok(()), Err))
    }

    fn frame(&mut self, held: u8, total: u16) {
        self.number += 1;
        let report = FrameReport {
            life: self.life(),
            rev: self.ledger.revision(),
            number: MessageNumber(self.number),
            held: WeaponId(held),
            total,
            clip: 0,
            firing: false,
        };
        self.ledger.frame(&report, 0);
    }

    fn total(&self, slot: usize) -> u16 {
        self.ledger.inventory().slots[slot].total
    }

    fn held(&self) -> u8 {
        self.ledger.inventory().held.0
    }
}

#[test]
fn r09_a_slots_number_is_not_a_weapons_number() {
    let mut armed = Armed::with(&[(24, 7), (34, 1), (31, 50)]);
    let life = armed.life();
    for (weapon, total, slot) in [(31, 49, 5), (24, 6, 2), (34, 0, 6)] {
        assert_eq!(armed.shoot(weapon, total, life), Some(Ok(())), "weapon {weapon}");
        assert_eq!(armed.total(slot), total);
        assert_eq!(armed.held(), weapon);
        armed.range.run_to(armed.range.room.tick_now().0 + 3);
    }
    let wait = |armed: &mut Armed| {
        let tick = armed.range.room.tick_now().0;
        armed.range.run_to(tick + 64);
    };
    for (weapon, rule) in [
        (34, Rule::Ammo),
        (33, Rule::Held),
        (5, Rule::Weapon),
        (2, Rule::Weapon),
        (200, Rule::Weapon),
    ] {
        wait(&mut armed);
        assert_eq!(armed.shoot(weapon, 0, life), Some(Err(rule)), "weapon {weapon}");
    }
    armed.frame(31, 50);
    assert_eq!((armed.held(), armed.total(5)), (31, 49));
}

#[test]
fn r09_no_weapon_number_leaves_the_thirteen_slots() {
    let mut armed = Armed::with(&[(24, 7), (34, 5), (31, 50)]);
    let life = armed.life();
    for weapon in 0..=255 {
        let owned = [24, 31, 34].contains(&weapon);
        let answer = armed.shoot(weapon, 0, life);
        assert!(owned || answer.is_none_or(|answer| answer.is_err()), "weapon {weapon}");
        assert_eq!(armed.ledger.inventory().slots.len(), SlotIndex::COUNT);
    }
}

#[test]
fn a9_a_shot_of_an_old_life_is_refused_as_armed() {
    let mut armed = Armed::with(&[(31, 50)]);
    let (old, next) = (armed.life(), armed.life().next());
    armed.ledger.respawn(next);
    let give = WeaponCommand::Give { weapon: WeaponId(31), rounds: 50, set_as_current: true };
    let planned = armed.ledger.plan(&give, 0).expect("a give");
    armed.ledger.commit(planned, 0);
    assert_eq!(armed.shoot(31, 49, old), Some(Err(Rule::Armed)));
    assert_eq!(armed.total(5), 50);
}

/// A shooter downed at tick 100 by another; her own shot lands at 103.
fn shot_after_death(view: u32) -> (Option<Rule>, bool, Range) {
    let mut settings = mode(vec![Weapon { damage: 200.0, ..gun(1) }]);
    settings.body = Body::default();
    settings.respawn_delay_s = 2.0;
    let mut range = Range::new(settings, 90);
    range.join(A, |_| Vec3::ZERO);
    range.join(B, |_| Vec3::new(0.0, 0.0, -10.0));
    range.run_to(99);
    range.shot(B, 1, at(99), Vec3::new(0.0, 1.0, -10.0), MUZZLE);
    range.run_to(102);
    let verdict = range.shot(A, 1, at(view), MUZZLE, Vec3::new(0.0, 1.0, -10.0));
    (verdict.outcome.refused_by(), verdict.unseen_death, range)
}

#[test]
fn d1_a_shot_stamped_before_its_shooters_death_that_lands_after_it_is_refused_as_armed() {
    // The pose of tick 100 was sent before its damage was dealt: it shows her alive.
    for view in [95, 100] {
        let (rule, unseen, mut range) = shot_after_death(view);
        assert_eq!((rule, unseen), (Some(Rule::Armed), true), "at {view}");
        let heartbeat = range.room.heartbeat(&mut Vec::new());
        assert_eq!(heartbeat.since.unseen_deaths, 1);
        assert!(heartbeat.since.refused.is_empty(), "counted apart");
    }
}

#[test]
fn a_shot_of_the_dead_who_had_seen_their_death_counts_as_a_refusal() {
    let (rule, unseen, mut range) = shot_after_death(101);
    assert_eq!((rule, unseen), (Some(Rule::Armed), false));
    let heartbeat = range.room.heartbeat(&mut Vec::new());
    assert_eq!(heartbeat.since.refused.get(&Rule::Armed), Some(&1));
}

#[test]
fn the_stamp_stands_behind_weapon_and_armed() {
    let mut range = Range::new(mode(vec![gun(1)]), 10);
    range.join(A, |_| Vec3::ZERO);
    range.tick();
    let life = range.room.life(A).expect("in the room");
    let claim = |weapon, number| Claim {
        number: MessageNumber(number),
        weapon: WeaponId(weapon),
        view: fairshot_units::ViewStep::at(Tick(10)),
        origin_m: MUZZLE,
        direction: Vec3::NEG_Z,
        names: Vec::new(),
    };
    let cases = [
        (9, life, Rule::Held, Rule::Weapon),
        (1, life.next(), Rule::Held, Rule::Armed),
        (1, life, Rule::Late, Rule::Late),
        (1, life, Rule::Ammo, Rule::Ammo),
    ];
    for (number, (weapon, life, stamp, refused)) in (1..).zip(cases) {
        range.push_shot(A, life, LedgerRuling::Refused(stamp), claim(weapon, number));
        range.tick();
        assert_eq!(range.verdicts()[0].outcome.refused_by(), Some(refused));
    }
}
