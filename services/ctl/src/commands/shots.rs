//! A player's last shots, and why one was refused.

use crate::args::Shots;
use crate::connect::Client;
use crate::error::Failure;
use crate::out::{Out, cell, judged, moment};
use fairshot_proto::v1;

pub(super) async fn act(mut client: Client, action: Shots, out: Out) -> Result<(), Failure> {
    match action {
        Shots::List { player, refused } => {
            let request = v1::ListShotsRequest { player, refused_only: refused };
            let shots = client.list_shots(request).await?.into_inner().shots;
            if out.json {
                return out.json(&shots);
            }
            let rows = shots.into_iter().map(|shot| {
                let (verdict, well) = verdict(&shot);
                vec![
                    cell(shot.number),
                    cell(moment(shot.time_unix_ms)),
                    cell(shot.weapon_name),
                    judged(verdict, well),
                    cell(shot.reason),
                ]
            });
            out.table(&["#shot", "time", "weapon", "verdict", "reason"], rows)
        }
        Shots::Explain { player, shot } => {
            let request = v1::ExplainShotRequest { player, number: shot };
            let shot = client.explain_shot(request).await?.into_inner().shot.unwrap_or_default();
            if out.json {
                return out.json(&shot);
            }
            explain(&shot, out)
        }
    }
}

fn explain(shot: &v1::ShotRecord, out: Out) -> Result<(), Failure> {
    let (said, _) = verdict(shot);
    out.line(&format!(
        "shot {} of {} with {} in {} ({}), {}",
        shot.number,
        shot.player,
        shot.weapon_name,
        shot.room,
        shot.mode,
        moment(shot.time_unix_ms)
    ))?;
    let reason = if shot.reason.is_empty() { String::new() } else { format!(": {}", shot.reason) };
    out.line(&format!("verdict   {said}{reason}"))?;
    for line in lines(shot) {
        out.line(&line)?;
    }
    out.line("")?;
    let rules = shot.rules.iter().map(|rule| {
        let outcome = match rule.outcome() {
            v1::RuleOutcome::Passed => judged("passed", true),
            v1::RuleOutcome::Moved => judged("moved", true),
            v1::RuleOutcome::Refused => judged("refused", false),
            // Neither good nor bad.
            v1::RuleOutcome::Off => cell("off"),
            v1::RuleOutcome::NotReached => cell("not reached"),
            v1::RuleOutcome::Unspecified => cell("?"),
        };
        let number = |value: Option<f32>| match value {
            Some(value) => format!("{value:.2} {}", rule.unit).trim_end().to_owned(),
            None => String::new(),
        };
        vec![cell(&rule.rule), outcome, cell(number(rule.measured)), cell(number(rule.limit))]
    });
    out.table(&["rule", "outcome", "#measured", "#limit"], rules)?;
    if shot.ray_ends_m.is_empty() {
        return Ok(());
    }
    if shot.targets.is_empty() {
        return out.line("\nno target within 5 m of a ray");
    }
    out.line("")?;
    let targets = shot.targets.iter().map(|target| {
        let what = match (target.hit, target.spared.as_str()) {
            (true, _) => format!("hit {} for {:.1}", target.zone, target.amount),
            (false, "") if shot.hits.is_none() => String::new(),
            (false, "") => "missed".into(),
            (false, spared) => format!("spared: {spared}"),
        };
        vec![
            cell(&target.name),
            cell(vector(target.position_m.as_ref())),
            cell(format!("{:.2}", target.passed_m)),
            cell(format!("{:.1}", target.distance_m)),
            judged(what, target.hit),
        ]
    });
    out.table(&["target", "stood at m", "#passed m", "#distance m", ""], targets)
}

fn lines(shot: &v1::ShotRecord) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(claim) = &shot.claim {
        let view = claim.view.unwrap_or_default();
        lines.push(format!(
            "claim     life {}, revision {}, {} rounds left, saw tick {}, from {} towards {}",
            claim.life,
            claim.revision,
            claim.total,
            step(view),
            vector(claim.origin_m.as_ref()),
            vector(claim.direction.as_ref()),
        ));
    }
    let judged =
        shot.judged.map_or("not judged".into(), |view| format!("judged at tick {}", step(view)));
    lines.push(format!(
        "landed    at tick {} ({} Hz), {judged}, her body at {}",
        shot.landed,
        shot.tick_hz,
        vector(shot.shooter_m.as_ref())
    ));
    if let Some(window) = &shot.latency {
        lines.push(format!(
            "latency   claimed {:.0} ms; measured {:.0}±{:.0} ms from {} shots; window {:.0} to {:.0} ms",
            window.claimed_ms,
            window.median_ms,
            window.jitter_ms,
            window.samples,
            window.nearest_ms,
            window.furthest_ms
        ));
    }
    if let Some(ledger) = &shot.ledger {
        let rounds = match (ledger.base, ledger.low, ledger.top) {
            (Some(base), Some(low), Some(top)) => {
                format!("{base} rounds at its start, {low} the least heard, accepted below {top}")
            }
            _ => "it holds no such weapon, or is no longer retained".into(),
        };
        lines.push(format!(
            "ledger    revision {} (echoed {}), {} in hand; at the shot's own revision {rounds}",
            ledger.revision, ledger.echoed, ledger.held_name
        ));
    }
    let ended = if shot.hits.is_some() { "ended" } else { "would have ended" };
    for (pellet, end) in shot.ray_ends_m.iter().enumerate() {
        lines.push(format!("ray {:<5} {ended} at {}", pellet + 1, vector(Some(end))));
    }
    lines
}

fn verdict(shot: &v1::ShotRecord) -> (String, bool) {
    match shot.hits {
        Some(1) => ("accepted, 1 hit".into(), true),
        Some(hits) => (format!("accepted, {hits} hits"), true),
        None if shot.unseen_death => (format!("refused by {} (unseen death)", shot.rule), false),
        None => (format!("refused by {}", shot.rule), false),
    }
}

fn step(view: v1::ViewStep) -> String {
    format!("{}.{:02}", view.tick, view.fraction * 100 / 65_536)
}

fn vector(vector: Option<&v1::Vector>) -> String {
    let vector = vector.copied().unwrap_or_default();
    format!("({:.2}, {:.2}, {:.2})", vector.x, vector.y, vector.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_shot_is_told_in_lines_a_person_reads() {
        let shot = v1::ShotRecord {
            rule: "origin".into(),
            landed: 100,
            tick_hz: 64,
            claim: Some(v1::ShotClaim {
                total: 29,
                view: Some(v1::ViewStep { tick: 90, fraction: 0x8000 }),
                ..Default::default()
            }),
            ..Default::default()
        };
        assert_eq!(verdict(&shot), ("refused by origin".into(), false));
        let lines = lines(&shot);
        assert!(lines[0].contains("29 rounds left, saw tick 90.50"), "{}", lines[0]);
        assert!(lines[1].contains("not judged"), "{}", lines[1]);
        let hit = v1::ShotRecord { hits: Some(2), ..Default::default() };
        assert_eq!(verdict(&hit), ("accepted, 2 hits".into(), true));
    }

    #[test]
    fn the_ledger_is_told_with_its_rounds_or_why_it_has_none() {
        let ledger = v1::LedgerAtShot {
            revision: 4,
            echoed: 3,
            base: Some(30),
            low: Some(12),
            top: Some(13),
            held_name: "rifle".into(),
            ..Default::default()
        };
        let end = v1::Vector { x: 1.0, y: 2.0, z: 3.0 };
        let shot = |ledger| v1::ShotRecord {
            ledger: Some(ledger),
            ray_ends_m: vec![end],
            ..Default::default()
        };
        let told = lines(&shot(ledger.clone()));
        assert_eq!(
            told[1],
            "ledger    revision 4 (echoed 3), rifle in hand; at the shot's own revision 30 rounds \
             at its start, 12 the least heard, accepted below 13"
        );
        assert_eq!(told[2], "ray 1     would have ended at (1.00, 2.00, 3.00)");
        let told = lines(&shot(v1::LedgerAtShot { base: None, ..ledger }));
        assert!(told[1].ends_with("it holds no such weapon, or is no longer retained"), "{told:?}");
    }
}
