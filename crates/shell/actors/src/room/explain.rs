//! A kept shot as an operator reads it.

use super::RoomActor;
use super::kept::{KeptShot, KeptTarget, ShotEnd};
use crate::readback::weapon_name;
use actix::{Handler, Message};
use fairshot_cluster::control::{
    LatencyWindow, LedgerAtShot, LedgerRounds, RuleMeasure, RuleOutcome, ShotClaim, ShotRecord,
    ShotTarget, ShotVerdict,
};
use fairshot_judge::{Measure, Outcome, Verdict};
use fairshot_mode::Mode;
use fairshot_units::{EntityKind, MessageNumber, PlayerId, Rule};
use std::rc::Rc;

impl RoomActor {
    fn shot_record(&self, kept: &KeptShot) -> ShotRecord {
        let mode = &kept.loaded.mode;
        let verdict = &kept.verdict;
        let stamp = kept.stamp.as_ref();
        let reached_rewind = verdict.measures.of(Rule::Rewind).is_some();
        ShotRecord {
            time_unix_ms: kept.time_unix_ms,
            room: self.id.clone(),
            mode: mode.name.clone(),
            player: kept.player.clone(),
            number: verdict.number,
            weapon: verdict.weapon,
            weapon_name: weapon_name(mode, verdict.weapon),
            landed: verdict.landed,
            tick_hz: mode.tick_hz,
            claim: ShotClaim {
                life: kept.claimed_life,
                revision: stamp.map(|stamp| stamp.revision).unwrap_or_default(),
                total: stamp.map(|stamp| stamp.total).unwrap_or_default(),
                view: verdict.named,
                origin_m: kept.origin_m.to_array(),
                direction: kept.direction.to_array(),
            },
            verdict: self.shot_verdict(kept),
            latency: reached_rewind.then(|| latency_of(verdict)),
            judged: (reached_rewind || verdict.outcome.is_accepted()).then_some(verdict.judged),
            shooter_m: verdict.shooter_m.to_array(),
            ray_ends_m: kept.rays.iter().map(|ray| ray.end_m.to_array()).collect(),
            targets: kept.targets.iter().map(|target| self.target(target)).collect(),
            rules: self.rules(kept),
            ledger: stamp.and_then(|stamp| stamp.ruled_by).map(|by| LedgerAtShot {
                revision: by.revision,
                echoed: by.echoed,
                rounds: by.rounds.map(|rounds| LedgerRounds {
                    base: rounds.base.into(),
                    low: rounds.low.into(),
                    top: rounds.top.into(),
                }),
                held: by.held,
                held_name: weapon_name(mode, by.held),
            }),
        }
    }

    fn shot_verdict(&self, kept: &KeptShot) -> ShotVerdict {
        match &kept.verdict.outcome {
            Outcome::Accepted => {
                let is_hit = |target: &&KeptTarget| matches!(target.end, ShotEnd::Hit { .. });
                let hits = kept.targets.iter().filter(is_hit).count();
                ShotVerdict::Accepted { hits: u32::try_from(hits).unwrap_or(u32::MAX) }
            }
            Outcome::Refused { rule, reason } => ShotVerdict::Refused {
                rule: rule.label().to_owned(),
                reason: reason.to_string(),
                unseen_death: kept.verdict.unseen_death,
            },
        }
    }

    fn target(&self, target: &KeptTarget) -> ShotTarget {
        let name = match (&target.player, target.kind) {
            (Some(player), _) => player.to_string(),
            (None, EntityKind::Monster(index)) => self.loaded.names.monster(index).to_string(),
            (None, _) => format!("entity {}", target.entity.0),
        };
        let (hit, zone, amount, spared) = match target.end {
            ShotEnd::Hit { zone, amount } => {
                let zone = self.loaded.names.zone(target.kind, zone);
                (true, zone.map(|zone| zone.to_string()).unwrap_or_default(), amount, "")
            }
            ShotEnd::PassedBy => (false, String::new(), 0.0, ""),
            ShotEnd::Spared(why) => (false, String::new(), 0.0, why.label()),
        };
        ShotTarget {
            entity: target.entity,
            name,
            position_m: target.stood.position_m().to_array(),
            passed_m: target.passed_m,
            distance_m: target.distance_m,
            hit,
            zone,
            amount,
            spared: spared.to_owned(),
        }
    }

    /// Every rule of the weapon in the order they run: what it measured, or why it measured nothing.
    fn rules(&self, kept: &KeptShot) -> Vec<RuleMeasure> {
        let verdict = &kept.verdict;
        let measures = &verdict.measures;
        let refused_by = verdict.outcome.refused_by();
        let mode: &Mode = &kept.loaded.mode;
        let Some(weapon) = mode.weapons.get(verdict.weapon) else {
            let outcome = RuleOutcome::Refused;
            return vec![bare(Rule::Weapon, outcome)];
        };
        let mut refused = false;
        let rules = self.room.rules_of(weapon).map(|(rule, is_on)| {
            // A game's own rule under a built-in name is noted under either.
            let measured = measures.iter().find(|m| m.rule.label() == rule.label());
            let refuses = refused_by.is_some_and(|by| by.label() == rule.label());
            let told = match measured {
                _ if refused && is_on => bare(rule, RuleOutcome::NotReached),
                _ if refused => bare(rule, RuleOutcome::Off),
                Some(measure) => of_measure(&measure, verdict),
                None if refuses => bare(rule, RuleOutcome::Refused),
                None if is_on => bare(rule, RuleOutcome::Passed),
                None => bare(rule, RuleOutcome::Off),
            };
            refused |= refuses;
            told
        });
        rules.collect()
    }
}

fn bare(rule: Rule, outcome: RuleOutcome) -> RuleMeasure {
    let (measured, limit, unit) = (None, None, String::new());
    RuleMeasure { rule: rule.label().to_owned(), outcome, measured, limit, unit }
}

fn of_measure(measure: &Measure, verdict: &Verdict) -> RuleMeasure {
    let outcome = match (measure.passed, measure.rule) {
        (true, Rule::Rewind) if verdict.judged != verdict.named => RuleOutcome::Moved,
        (true, _) => RuleOutcome::Passed,
        (false, _) => RuleOutcome::Refused,
    };
    match unit_of(measure.rule) {
        // A yes or no has no figures to tell.
        None => bare(measure.rule, outcome),
        Some((unit, scale)) => RuleMeasure {
            measured: Some(measure.value * scale),
            limit: Some(measure.limit * scale),
            unit: unit.to_owned(),
            ..bare(measure.rule, outcome)
        },
    }
}

/// The unit a rule's figures are told in, and what the judge's own are multiplied by; `None` for a rule
/// of yes or no.
fn unit_of(rule: Rule) -> Option<(&'static str, f32)> {
    match rule {
        Rule::Rate | Rule::Reload => Some(("shots", 1.0)),
        Rule::Origin | Rule::Range => Some(("m", 1.0)),
        Rule::Rewind => Some(("ms", 1000.0)),
        // A game's own figures are its own to read.
        Rule::Game(_) => Some(("", 1.0)),
        _ => None,
    }
}

fn latency_of(verdict: &Verdict) -> LatencyWindow {
    let window = &verdict.window;
    LatencyWindow {
        claimed_ms: window.claimed_s * 1000.0,
        median_ms: window.middle_s.unwrap_or_default() * 1000.0,
        jitter_ms: window.jitter_s * 1000.0,
        samples: window.samples.into(),
        nearest_ms: window.nearest_s * 1000.0,
        furthest_ms: window.furthest_s * 1000.0,
    }
}

/// The kept shots of a player, newest first; only the one of that number, where one is named.
#[derive(Debug, Message)]
#[rtype(result = "Vec<ShotRecord>")]
pub(crate) struct ReadShots {
    pub(crate) player: PlayerId,
    pub(crate) number: Option<MessageNumber>,
}

impl Handler<ReadShots> for RoomActor {
    type Result = Vec<ShotRecord>;

    fn handle(&mut self, asked: ReadShots, _: &mut Self::Context) -> Self::Result {
        let last = self
            .links
            .iter()
            .flatten()
            .filter(|link| link.player == asked.player)
            .flat_map(|link| link.shots.iter());
        let mut kept: Vec<Rc<KeptShot>> =
            last.chain(self.refusals.of(&asked.player)).cloned().collect();
        kept.retain(|shot| asked.number.is_none_or(|number| number == shot.verdict.number));
        kept.sort_by_key(|shot| std::cmp::Reverse((shot.landed_ms, shot.verdict.number)));
        kept.dedup_by(|a, b| Rc::ptr_eq(a, b));
        kept.iter().map(|shot| self.shot_record(shot)).collect()
    }
}
