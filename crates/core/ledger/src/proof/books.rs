//! What the searches need of a set of rules: the shipped ledger, or one that must fail.

use super::armoury::armoury;
use crate::revisions::Limits;
use crate::ruling::{FrameRuling, ShotRuling};
use crate::{FrameReport, Inventory, Ledger, ShotReport};
use fairshot_units::{Life, Revision, WeaponCommand};
use std::fmt::Debug;
use std::hash::Hasher;

pub(crate) trait Books: Clone + Debug + Send + Sync + 'static {
    type Rules: Clone + Debug + Default + Send + Sync + 'static;

    fn open(rules: &Self::Rules, limits: Limits) -> Self;
    fn order(&mut self, command: &WeaponCommand, now_ms: u64) -> Option<Revision>;
    fn frame(&mut self, report: &FrameReport, now_ms: u64) -> FrameRuling;
    fn shot(&mut self, report: &ShotReport, now_ms: u64) -> ShotRuling;
    fn respawn(&mut self, life: Life);
    fn inventory(&self) -> Inventory;
    /// Received and ruled messages, which must be equal.
    fn tallies(&self) -> (u32, u32);
    fn fingerprint(&self, now_ms: u64, hasher: &mut impl Hasher);
}

impl Books for Ledger {
    type Rules = ();

    fn open((): &(), limits: Limits) -> Self {
        Ledger::with_limits(armoury(), limits)
    }

    fn order(&mut self, command: &WeaponCommand, now_ms: u64) -> Option<Revision> {
        let planned = self.plan(command, now_ms).ok()?;
        let revision = planned.revision();
        self.commit(planned, now_ms);
        Some(revision)
    }

    fn frame(&mut self, report: &FrameReport, now_ms: u64) -> FrameRuling {
        Ledger::frame(self, report, now_ms)
    }

    fn shot(&mut self, report: &ShotReport, now_ms: u64) -> ShotRuling {
        Ledger::shot(self, report, now_ms)
    }

    fn respawn(&mut self, life: Life) {
        Ledger::respawn(self, life);
    }

    fn inventory(&self) -> Inventory {
        Ledger::inventory(self)
    }

    fn tallies(&self) -> (u32, u32) {
        let tallies = [self.shot_tally(), self.frame_tally()];
        let ruled = |tally: &crate::Tally| {
            tally.accepted + tally.repeats + tally.malformed + tally.refused()
        };
        (tallies.iter().map(|tally| tally.received).sum(), tallies.into_iter().map(ruled).sum())
    }

    fn fingerprint(&self, now_ms: u64, hasher: &mut impl Hasher) {
        Ledger::fingerprint(self, now_ms, hasher);
    }
}
