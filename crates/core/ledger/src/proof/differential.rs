//! The ledger and the written rules, told the same things, must say the same: orders, forged messages,
//! time and respawns in any mix.

use super::armoury::{ALL, armoury};
use super::books::Books;
use super::honest::only_lowers;
use super::run::command;
use super::spec::{Rules, Spec};
use crate::revisions::Limits;
use crate::ruling::ShotRuling;
use crate::{FrameReport, Inventory, Ledger, ShotReport};
use fairshot_units::{Life, MessageNumber, Revision, SlotIndex, WeaponCommand, WeaponId};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;

#[derive(Clone, Debug)]
enum Step {
    Order(WeaponCommand),
    Respawn,
    Lapse(u64),
    Shot(Forged),
    Frame { forged: Forged, clip: u16, firing: bool },
}

/// Mostly near what an honest client would say, so that much of it passes the first checks.
#[derive(Clone, Debug)]
struct Forged {
    other_life: bool,
    revs_back: u16,
    numbers_on: u32,
    weapon: WeaponId,
    total: u16,
    /// Rounds below what the server shows, instead of `total`.
    below: Option<u16>,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => command().prop_map(Step::Order),
        1 => Just(Step::Respawn),
        2 => prop_oneof![0..1500_u64, Just(1000), Just(1001)].prop_map(Step::Lapse),
        12 => forged().prop_map(Step::Shot),
        12 => (forged(), any::<u16>(), any::<bool>())
            .prop_map(|(forged, clip, firing)| Step::Frame { forged, clip, firing }),
    ];
    vec(step, 1..120)
}

fn forged() -> impl Strategy<Value = Forged> {
    let weapon = prop_oneof![
        20 => prop::sample::select(ALL.as_slice()),
        1 => Just(WeaponId::FISTS),
        1 => Just(WeaponId(200)),
    ];
    let revs_back = prop_oneof![8 => Just(0), 6 => 0..6_u16, 1 => any::<u16>()];
    let numbers_on = prop_oneof![20 => 0..30_u32, 1 => 0..2200_u32];
    let total = prop_oneof![0..6_u16, 9990..10_010_u16, any::<u16>()];
    let below = prop::option::weighted(0.7, 0..3_u16);
    (prop::bool::weighted(0.05), revs_back, numbers_on, weapon, total, below).prop_map(
        |(other_life, revs_back, numbers_on, weapon, total, below)| Forged {
            other_life,
            revs_back,
            numbers_on,
            weapon,
            total,
            below,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_ledger_says_what_the_written_rules_say(steps in steps()) {
        compare(&steps, Limits::default())?;
    }

    #[test]
    fn and_where_revisions_wrap_at_eight(steps in steps()) {
        compare(&steps, Limits { revision_mask: 7, pending_max: 3 })?;
    }
}

/// Also counts what was granted, accepted and judged, since no forger may come out ahead.
fn compare(steps: &[Step], limits: Limits) -> Result<(), TestCaseError> {
    let mut ledger = Ledger::with_limits(armoury(), limits);
    let mut spec = Spec::open(&Rules::default(), limits);
    let mut now_ms = 0;
    let mut highest = 40_u32;
    let mut tally = Rounds::default();
    for step in steps {
        let before = ledger.inventory();
        match step {
            Step::Order(command) => {
                let revision = ledger.order(command, now_ms);
                prop_assert_eq!(revision, spec.order(command, now_ms));
                if revision.is_some() {
                    tally.grant(command);
                }
            }
            Step::Respawn => {
                let life = before.life.next();
                ledger.respawn(life);
                spec.respawn(life);
                tally.judged.clear();
            }
            Step::Lapse(ms) => now_ms += ms,
            Step::Shot(forged) => {
                let shot = forged.shot(&before, limits, &mut highest);
                let ruling = ledger.shot(&shot, now_ms);
                prop_assert_eq!(ruling, spec.shot(&shot, now_ms));
                prop_assert!(only_lowers(&before, &ledger.inventory()));
                prop_assert_ne!(ledger.shot(&shot, now_ms), ShotRuling::Accepted, "twice");
                spec.shot(&shot, now_ms);
                if ruling == ShotRuling::Accepted && forged.weapon != WeaponId::FISTS {
                    prop_assert!(tally.judged.insert((shot.number, shot.weapon)));
                    tally.accepted[slot(shot.weapon)] += 1;
                }
            }
            Step::Frame { forged, clip, firing } => {
                let shot = forged.shot(&before, limits, &mut highest);
                let ShotReport { life, rev, number, weapon: held, total } = shot;
                let (clip, firing) = (*clip, *firing);
                let frame = FrameReport { life, rev, number, held, total, clip, firing };
                let ruling = ledger.frame(&frame, now_ms);
                prop_assert_eq!(ruling, spec.frame(&frame, now_ms));
                prop_assert!(only_lowers(&before, &ledger.inventory()));
                tally.accepted[slot(held)] += u64::from(ruling.acts.is_some());
            }
        }
        let shown = Inventory { observed_ms: None, ..ledger.inventory() };
        prop_assert_eq!(shown, spec.inventory());
        for (accepted, granted) in tally.accepted.iter().zip(&tally.granted) {
            prop_assert!(accepted <= granted, "rounds from nothing");
        }
        let (received, ruled) = ledger.tallies();
        prop_assert_eq!(received, ruled);
        prop_assert!(ledger.memory_bytes() < 64 * 1024);
    }
    Ok(())
}

#[derive(Default)]
struct Rounds {
    granted: [u64; SlotIndex::COUNT],
    accepted: [u64; SlotIndex::COUNT],
    judged: BTreeSet<(MessageNumber, WeaponId)>,
}

impl Rounds {
    fn grant(&mut self, command: &WeaponCommand) {
        let (weapon, rounds) = match *command {
            WeaponCommand::Give { weapon, rounds, .. } => (weapon, rounds),
            WeaponCommand::SetAmmo { weapon, total, .. } => (weapon, total),
            _ => return,
        };
        self.granted[slot(weapon)] += u64::from(rounds);
    }
}

impl Forged {
    fn shot(&self, shown: &Inventory, limits: Limits, highest: &mut u32) -> ShotReport {
        let there = shown.total_of(self.weapon).unwrap_or(0);
        let total = self.below.map_or(self.total, |below| there.saturating_sub(below));
        let number = (*highest + 4).saturating_sub(self.numbers_on);
        *highest = number.max(*highest);
        let rev = shown.revision.0.wrapping_sub(self.revs_back) & limits.revision_mask;
        ShotReport {
            life: Life(shown.life.0.wrapping_add(u16::from(self.other_life))),
            rev: Revision(rev),
            number: MessageNumber(number),
            weapon: self.weapon,
            total,
        }
    }
}

fn slot(weapon: WeaponId) -> usize {
    armoury().get(weapon).map_or(0, |weapon| weapon.slot.index())
}
