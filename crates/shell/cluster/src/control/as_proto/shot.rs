//! Refused shots and shot records.

use super::super::{
    ControlError, LatencyWindow, LedgerAtShot, LedgerRounds, NodeName, RefusedShot, RuleMeasure,
    RuleOutcome, ShotClaim, ShotRecord, ShotTarget, ShotVerdict,
};
use super::{life, missing, narrow, player, revision, room, weapon};
use fairshot_proto::v1;
use fairshot_units::{EntityId, MessageNumber, Tick, ViewStep};

impl From<RefusedShot> for v1::RefusedShot {
    fn from(shot: RefusedShot) -> Self {
        Self {
            time_unix_ms: shot.time_unix_ms,
            node: shot.node.into(),
            room: shot.room.into(),
            mode: shot.mode,
            player: shot.player.into(),
            number: shot.number.0,
            weapon: shot.weapon.0.into(),
            weapon_name: shot.weapon_name,
            rule: shot.rule,
            reason: shot.reason,
            unseen_death: shot.unseen_death,
            tick: shot.tick.0,
        }
    }
}

impl TryFrom<v1::RefusedShot> for RefusedShot {
    type Error = ControlError;

    fn try_from(shot: v1::RefusedShot) -> Result<Self, ControlError> {
        Ok(Self {
            time_unix_ms: shot.time_unix_ms,
            node: NodeName::from(shot.node),
            room: room(&shot.room)?,
            mode: shot.mode,
            player: player(&shot.player)?,
            number: MessageNumber(shot.number),
            weapon: weapon(shot.weapon)?,
            weapon_name: shot.weapon_name,
            rule: shot.rule,
            reason: shot.reason,
            unseen_death: shot.unseen_death,
            tick: Tick(shot.tick),
        })
    }
}

impl From<ShotRecord> for v1::ShotRecord {
    fn from(shot: ShotRecord) -> Self {
        let (hits, rule, reason, unseen_death) = match shot.verdict {
            ShotVerdict::Accepted { hits } => (Some(hits), String::new(), String::new(), false),
            ShotVerdict::Refused { rule, reason, unseen_death } => {
                (None, rule, reason, unseen_death)
            }
        };
        Self {
            time_unix_ms: shot.time_unix_ms,
            room: shot.room.into(),
            mode: shot.mode,
            player: shot.player.into(),
            number: shot.number.0,
            weapon: shot.weapon.0.into(),
            weapon_name: shot.weapon_name,
            landed: shot.landed.0,
            tick_hz: shot.tick_hz.into(),
            claim: Some(shot.claim.into()),
            hits,
            rule,
            reason,
            unseen_death,
            latency: shot.latency.map(Into::into),
            judged: shot.judged.map(view_to),
            shooter_m: Some(vector_to(shot.shooter_m)),
            ray_ends_m: shot.ray_ends_m.into_iter().map(vector_to).collect(),
            targets: shot.targets.into_iter().map(Into::into).collect(),
            rules: shot.rules.into_iter().map(Into::into).collect(),
            ledger: shot.ledger.map(Into::into),
        }
    }
}

impl TryFrom<v1::ShotRecord> for ShotRecord {
    type Error = ControlError;

    fn try_from(shot: v1::ShotRecord) -> Result<Self, ControlError> {
        let verdict = match shot.hits {
            Some(hits) => ShotVerdict::Accepted { hits },
            None => ShotVerdict::Refused {
                rule: shot.rule,
                reason: shot.reason,
                unseen_death: shot.unseen_death,
            },
        };
        Ok(Self {
            time_unix_ms: shot.time_unix_ms,
            room: room(&shot.room)?,
            mode: shot.mode,
            player: player(&shot.player)?,
            number: MessageNumber(shot.number),
            weapon: weapon(shot.weapon)?,
            weapon_name: shot.weapon_name,
            landed: Tick(shot.landed),
            tick_hz: narrow("tick_hz", shot.tick_hz)?,
            claim: shot.claim.ok_or(missing("claim"))?.try_into()?,
            verdict,
            latency: shot.latency.map(Into::into),
            judged: shot.judged.map(view_from).transpose()?,
            shooter_m: vector_from(shot.shooter_m.ok_or(missing("shooter_m"))?),
            ray_ends_m: shot.ray_ends_m.into_iter().map(vector_from).collect(),
            targets: shot.targets.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            rules: shot.rules.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            ledger: shot.ledger.map(TryInto::try_into).transpose()?,
        })
    }
}

impl From<ShotClaim> for v1::ShotClaim {
    fn from(claim: ShotClaim) -> Self {
        Self {
            life: claim.life.0.into(),
            revision: claim.revision.0.into(),
            total: claim.total.into(),
            view: Some(view_to(claim.view)),
            origin_m: Some(vector_to(claim.origin_m)),
            direction: Some(vector_to(claim.direction)),
        }
    }
}

impl TryFrom<v1::ShotClaim> for ShotClaim {
    type Error = ControlError;

    fn try_from(claim: v1::ShotClaim) -> Result<Self, ControlError> {
        Ok(Self {
            life: life(claim.life)?,
            revision: revision(claim.revision)?,
            total: narrow("total", claim.total)?,
            view: view_from(claim.view.ok_or(missing("view"))?)?,
            origin_m: vector_from(claim.origin_m.ok_or(missing("origin_m"))?),
            direction: vector_from(claim.direction.ok_or(missing("direction"))?),
        })
    }
}

impl From<LatencyWindow> for v1::LatencyWindow {
    fn from(window: LatencyWindow) -> Self {
        Self {
            claimed_ms: window.claimed_ms,
            median_ms: window.median_ms,
            jitter_ms: window.jitter_ms,
            samples: window.samples,
            nearest_ms: window.nearest_ms,
            furthest_ms: window.furthest_ms,
        }
    }
}

impl From<v1::LatencyWindow> for LatencyWindow {
    fn from(window: v1::LatencyWindow) -> Self {
        Self {
            claimed_ms: window.claimed_ms,
            median_ms: window.median_ms,
            jitter_ms: window.jitter_ms,
            samples: window.samples,
            nearest_ms: window.nearest_ms,
            furthest_ms: window.furthest_ms,
        }
    }
}

impl From<ShotTarget> for v1::ShotTarget {
    fn from(target: ShotTarget) -> Self {
        Self {
            entity: target.entity.0.into(),
            name: target.name,
            position_m: Some(vector_to(target.position_m)),
            passed_m: target.passed_m,
            distance_m: target.distance_m,
            hit: target.hit,
            zone: target.zone,
            amount: target.amount,
            spared: target.spared,
        }
    }
}

impl TryFrom<v1::ShotTarget> for ShotTarget {
    type Error = ControlError;

    fn try_from(target: v1::ShotTarget) -> Result<Self, ControlError> {
        Ok(Self {
            entity: EntityId(narrow("entity", target.entity)?),
            name: target.name,
            position_m: vector_from(target.position_m.ok_or(missing("position_m"))?),
            passed_m: target.passed_m,
            distance_m: target.distance_m,
            hit: target.hit,
            zone: target.zone,
            amount: target.amount,
            spared: target.spared,
        })
    }
}

impl From<RuleMeasure> for v1::RuleMeasure {
    fn from(measure: RuleMeasure) -> Self {
        let outcome = match measure.outcome {
            RuleOutcome::Passed => v1::RuleOutcome::Passed,
            RuleOutcome::Moved => v1::RuleOutcome::Moved,
            RuleOutcome::Refused => v1::RuleOutcome::Refused,
            RuleOutcome::Off => v1::RuleOutcome::Off,
            RuleOutcome::NotReached => v1::RuleOutcome::NotReached,
        };
        Self {
            rule: measure.rule,
            outcome: outcome.into(),
            measured: measure.measured,
            limit: measure.limit,
            unit: measure.unit,
        }
    }
}

impl TryFrom<v1::RuleMeasure> for RuleMeasure {
    type Error = ControlError;

    fn try_from(measure: v1::RuleMeasure) -> Result<Self, ControlError> {
        let outcome = match measure.outcome() {
            v1::RuleOutcome::Passed => RuleOutcome::Passed,
            v1::RuleOutcome::Moved => RuleOutcome::Moved,
            v1::RuleOutcome::Refused => RuleOutcome::Refused,
            v1::RuleOutcome::Off => RuleOutcome::Off,
            v1::RuleOutcome::NotReached => RuleOutcome::NotReached,
            v1::RuleOutcome::Unspecified => return Err(missing("outcome")),
        };
        Ok(Self {
            rule: measure.rule,
            outcome,
            measured: measure.measured,
            limit: measure.limit,
            unit: measure.unit,
        })
    }
}

impl From<LedgerAtShot> for v1::LedgerAtShot {
    fn from(ledger: LedgerAtShot) -> Self {
        Self {
            revision: ledger.revision.0.into(),
            echoed: ledger.echoed.0.into(),
            base: ledger.rounds.map(|rounds| rounds.base),
            low: ledger.rounds.map(|rounds| rounds.low),
            top: ledger.rounds.map(|rounds| rounds.top),
            held: ledger.held.0.into(),
            held_name: ledger.held_name,
        }
    }
}

impl TryFrom<v1::LedgerAtShot> for LedgerAtShot {
    type Error = ControlError;

    fn try_from(ledger: v1::LedgerAtShot) -> Result<Self, ControlError> {
        let rounds = match (ledger.base, ledger.low, ledger.top) {
            (Some(base), Some(low), Some(top)) => Some(LedgerRounds { base, low, top }),
            _ => None,
        };
        Ok(Self {
            revision: revision(ledger.revision)?,
            echoed: revision(ledger.echoed)?,
            rounds,
            held: weapon(ledger.held)?,
            held_name: ledger.held_name,
        })
    }
}

fn view_to(view: ViewStep) -> v1::ViewStep {
    v1::ViewStep { tick: view.tick.0, fraction: view.fraction.into() }
}

fn view_from(view: v1::ViewStep) -> Result<ViewStep, ControlError> {
    Ok(ViewStep { tick: Tick(view.tick), fraction: narrow("fraction", view.fraction)? })
}

fn vector_to([x, y, z]: [f32; 3]) -> v1::Vector {
    v1::Vector { x, y, z }
}

fn vector_from(vector: v1::Vector) -> [f32; 3] {
    [vector.x, vector.y, vector.z]
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairshot_units::{Life, PlayerId, Revision, RoomId, WeaponId};

    #[test]
    fn a_shot_record_survives_the_way_over_grpc() {
        let record = ShotRecord {
            time_unix_ms: 7,
            room: RoomId::new("r").expect("an id"),
            mode: "arena".into(),
            player: PlayerId::new("p").expect("an id"),
            number: MessageNumber(9),
            weapon: WeaponId(30),
            weapon_name: "AK-47".into(),
            landed: Tick(100),
            tick_hz: 64,
            claim: ShotClaim {
                life: Life(1),
                revision: Revision(2),
                total: 29,
                view: ViewStep { tick: Tick(90), fraction: 0x8000 },
                origin_m: [1.0, 2.0, 3.0],
                direction: [0.0, 0.0, -1.0],
            },
            verdict: ShotVerdict::Refused {
                rule: "origin".into(),
                reason: "3.1 m from her body".into(),
                unseen_death: false,
            },
            latency: Some(LatencyWindow {
                claimed_ms: 150.0,
                median_ms: 140.0,
                jitter_ms: 4.0,
                samples: 8,
                nearest_ms: 0.0,
                furthest_ms: 340.0,
            }),
            judged: None,
            shooter_m: [0.0, 1.0, 0.0],
            ray_ends_m: vec![[0.0, 1.0, -40.0]],
            targets: vec![ShotTarget {
                entity: EntityId(4),
                name: "bob".into(),
                position_m: [0.5, 0.0, -20.0],
                passed_m: 0.6,
                distance_m: 20.0,
                hit: false,
                zone: String::new(),
                amount: 0.0,
                spared: "wall".into(),
            }],
            rules: vec![RuleMeasure {
                rule: "origin".into(),
                outcome: RuleOutcome::Refused,
                measured: Some(3.1),
                limit: Some(2.5),
                unit: "m".into(),
            }],
            ledger: Some(LedgerAtShot {
                revision: Revision(2),
                echoed: Revision(2),
                rounds: Some(LedgerRounds { base: 30, low: 29, top: 0 }),
                held: WeaponId(30),
                held_name: "AK-47".into(),
            }),
        };
        let there = v1::ShotRecord::from(record.clone());
        assert_eq!(ShotRecord::try_from(there), Ok(record));
    }

    #[test]
    fn a_field_out_of_its_range_is_named() {
        let odd = v1::RefusedShot {
            weapon: 256,
            room: "r".into(),
            player: "p".into(),
            ..Default::default()
        };
        let error = RefusedShot::try_from(odd).expect_err("256 is no weapon");
        assert_eq!(error.to_string(), "weapon: 256 is out of range");
    }
}
