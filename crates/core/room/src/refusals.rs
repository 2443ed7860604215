//! Refusals kept for "why was this shot refused": the last 1,024 of the last ten minutes.

use fairshot_judge::{LatencyWindow, Measure, Outcome, Reason, Verdict};
use fairshot_units::{EntityId, Life, MessageNumber, PlayerId, Rule, Tick, ViewStep, WeaponId};
use std::collections::VecDeque;

/// Refusals one room keeps at the most.
pub const REFUSALS_KEPT_MAX: usize = 1024;
/// Seconds a refusal is kept.
const REFUSALS_KEPT_S: u64 = 600;

/// One refusal with all the judge measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    pub player: PlayerId,
    pub entity: EntityId,
    pub life: Life,
    pub number: MessageNumber,
    pub weapon: WeaponId,
    pub landed: Tick,
    /// The room's clock as it landed, in ticks since the room began.
    pub clock_ticks: u64,
    pub named: ViewStep,
    pub judged: ViewStep,
    pub rule: Rule,
    pub reason: Reason,
    pub unseen_death: bool,
    pub window: LatencyWindow,
    pub measures: Box<[Measure]>,
}

/// See the module's head.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct Refusals {
    kept: VecDeque<Refusal>,
}

impl Refusals {
    pub(crate) fn keep(&mut self, player: &PlayerId, verdict: &Verdict, clock: u64, tick_hz: u16) {
        let Outcome::Refused { rule, reason } = &verdict.outcome else { return };
        let oldest = clock.saturating_sub(REFUSALS_KEPT_S * u64::from(tick_hz));
        while self.kept.len() >= REFUSALS_KEPT_MAX
            || self.kept.front().is_some_and(|first| first.clock_ticks < oldest)
        {
            self.kept.pop_front();
        }
        self.kept.push_back(Refusal {
            player: player.clone(),
            entity: verdict.shooter,
            life: verdict.shooter_life,
            number: verdict.number,
            weapon: verdict.weapon,
            landed: verdict.landed,
            clock_ticks: clock,
            named: verdict.named,
            judged: verdict.judged,
            rule: *rule,
            reason: reason.clone(),
            unseen_death: verdict.unseen_death,
            window: verdict.window,
            measures: verdict.measures.iter().collect(),
        });
    }

    /// The refusals kept, oldest first.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Refusal> {
        self.kept.iter()
    }
}
