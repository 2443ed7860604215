//! The shots of a tick: resolved to the body as their frame left it, judged in arrival order.

use crate::core::Core;
use crate::damage::Damage;
use crate::player::Player;
use crate::projectiles::{self, Launch};
use crate::seen::Heard;
use crate::{
    Event, HitData, HitSource, LogRecord, Notice, REFUSALS_LOGGED_MAX, RoomInput, Shot, TickOutput,
};
use fairshot_judge::{
    Claim, Judgement, LedgerRuling, Outcome, Scene, ShooterNow, Shot as JudgedShot, numbers_of,
};
use fairshot_mode::{Ammunition, WeaponKind};
use fairshot_units::{EntityId, Input, MessageNumber, Rule, ViewStep, WeaponId};
use fairshot_world::{Present, direction_of};
use glam::Vec3;
use std::borrow::Cow;

/// Where a player's feet stood after one of this tick's frames.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    pub entity: EntityId,
    pub number: MessageNumber,
    pub feet_m: Vec3,
}

/// A continuous weapon that acts this tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Burst {
    pub entity: EntityId,
    pub weapon: WeaponId,
    pub number: MessageNumber,
    pub input: Input,
}

/// Judges every shot among the inputs, then queues their damage and launches what flies.
pub(crate) fn judge_all<'a>(
    core: &mut Core,
    inputs: impl Iterator<Item = &'a RoomInput>,
    moves: &[Move],
    bursts: &[Burst],
    out: &mut TickOutput,
) {
    for input in inputs {
        match input {
            RoomInput::Shot(shot) => judge_one(core, shot, moves, out),
            RoomInput::Malformed { entity } if core.player(*entity).is_some() => {
                core.since.refuse(Rule::Malformed);
            }
            _ => {}
        }
    }
    for rule in core.judge.take_panicked() {
        out.log.push(LogRecord::RulePanicked { rule });
    }
    queue_hits(core, &out.judgement);
    for burst in bursts {
        act(core, burst);
    }
}

fn judge_one(core: &mut Core, shot: &Shot, moves: &[Move], out: &mut TickOutput) {
    let open = core.mode.ammunition == Ammunition::Open;
    let bounds = core.mode.arena.bounds;
    let feet_m = feet_at(core, shot, moves);
    let seat = usize::from(shot.entity.0);
    let eye_height_m = core.mode.body.eye_height_m;
    let Some(player) = core.seats.get_mut(seat).and_then(Option::as_mut) else { return };
    // Lives count up, across their wrap.
    if shot.life.0.wrapping_sub(player.first_life.0).cast_signed() < 0 {
        return; // Of whoever sat here before her.
    }
    let claim = if core.driven {
        let origin_m = feet_m + Vec3::Y * eye_height_m;
        Cow::Owned(Claim { origin_m, ..shot.claim.clone() })
    } else {
        Cow::Borrowed(&shot.claim)
    };
    if claim.check(&bounds).is_err() {
        core.since.refuse(Rule::Malformed);
        return;
    }
    let mut ruling = shot.ruling;
    let oldest = core.tick - u32::from(core.mode.tick_hz);
    if open {
        match player.seen.hear(shot.claim.number) {
            Heard::Repeat => return,
            Heard::Late => ruling = LedgerRuling::Refused(Rule::Late),
            Heard::First if !player.held_as_seen(shot.claim.weapon, shot.claim.view, oldest) => {
                ruling = LedgerRuling::Refused(Rule::Held);
            }
            Heard::First => {}
        }
    }
    if shot.life != player.life {
        ruling = LedgerRuling::Refused(Rule::Armed);
    }
    let shooter = shooter_now(player, feet_m, core.mode.body.height_m);
    let (stats, exact_step) = (&player.stats, core.driven);
    let judged = JudgedShot { claim: &claim, ruling, shooter, stats, exact_step };
    let scene = Scene {
        world: Present::new(&core.world, &core.movers),
        unheard: &core.unheard,
        history: &core.history,
        mode: &core.mode,
        teams: &core.teams,
        landed: core.tick,
        clock_ticks: core.clock_ticks,
    };
    core.judge.judge(&judged, &mut player.record, &scene, &mut out.judgement);
    let numbers = core
        .mode
        .weapons
        .get(shot.claim.weapon)
        .filter(|weapon| weapon.kind == WeaponKind::Projectile)
        .map(|weapon| numbers_of(weapon, &player.stats));
    let accepted = report(core, shot.entity, out);
    if let Some(numbers) = numbers.filter(|_| accepted) {
        let launch = Launch {
            shooter: shot.entity,
            number: shot.claim.number,
            weapon: shot.claim.weapon,
            numbers,
            origin_m: claim.origin_m,
            direction: claim.direction,
        };
        projectiles::launch(core, &launch, out);
    }
}

/// Where the shooter's feet stood after the frame the shot was fired in: among this tick's moves, or as
/// she began the tick where that frame came before it.
fn feet_at(core: &Core, shot: &Shot, moves: &[Move]) -> Vec3 {
    let mut hers = moves.iter().filter(|made| made.entity == shot.entity).peekable();
    let Some(player) = core.player(shot.entity) else { return Vec3::ZERO };
    let oldest = core.tick - u32::from(core.mode.tick_hz);
    if let Some(left_m) = player.left_unseen(shot.claim.view, oldest) {
        return left_m;
    }
    match hers.peek() {
        None => player.body.position_m,
        Some(first) if first.number.0 > shot.frame.0 => player.tick_began_m,
        Some(_) => hers
            .take_while(|made| made.number.0 <= shot.frame.0)
            .last()
            .map_or(player.body.position_m, |made| made.feet_m),
    }
}

/// Tells, counts and logs the last verdict; whether it accepts.
fn report(core: &mut Core, entity: EntityId, out: &mut TickOutput) -> bool {
    let Some(verdict) = out.judgement.verdicts.last() else { return false };
    let index = u32::try_from(out.judgement.verdicts.len() - 1).unwrap_or(u32::MAX);
    out.events.push(Event::ShotJudged { verdict: index });
    core.since.shots_judged += 1;
    let Outcome::Refused { rule, reason } = &verdict.outcome else {
        core.since.shots_accepted += 1;
        return true;
    };
    if verdict.unseen_death {
        core.since.unseen_deaths += 1;
    } else {
        core.since.refuse(*rule);
    }
    let notice = Notice::ShotRefused {
        number: verdict.number,
        weapon: verdict.weapon,
        rule: *rule,
        reason: reason.clone(),
        unseen_death: verdict.unseen_death,
    };
    out.notices.push((entity, notice));
    let Some(player) = core.seats.get_mut(usize::from(entity.0)).and_then(Option::as_mut) else {
        return false;
    };
    player.refusals = player.refusals.saturating_add(1);
    if player.refusals <= REFUSALS_LOGGED_MAX {
        out.log.push(LogRecord::ShotRefused {
            player: player.id.clone(),
            entity,
            number: verdict.number,
            weapon: verdict.weapon,
            rule: *rule,
            reason: reason.clone(),
        });
    }
    false
}

/// Queues the damage of every accepted verdict, in the order they were judged.
fn queue_hits(core: &mut Core, judgement: &Judgement) {
    for verdict in judgement.verdicts.iter().filter(|verdict| verdict.outcome.is_accepted()) {
        for hit in judgement.hits_of(verdict) {
            core.queue_damage(Damage {
                target: hit.target,
                target_life: hit.target_life,
                source: Some(verdict.shooter),
                weapon: HitSource::Weapon(verdict.weapon),
                number: Some(verdict.number),
                zone: hit.zone,
                amount: hit.amount,
                data: HitData::OfWeapon,
            });
        }
    }
}

/// A continuous weapon acts once for a firing frame: along the view, at what her screen shows by her
/// measured latency, within the weapon's rate. A burst is no shot: it has hits and no verdict.
fn act(core: &mut Core, burst: &Burst) {
    let (eye_height_m, height_m) = (core.mode.body.eye_height_m, core.mode.body.height_m);
    let hz = f64::from(core.mode.tick_hz);
    let seat = usize::from(burst.entity.0);
    let Some(player) = core.seats.get_mut(seat).and_then(Option::as_mut) else { return };
    // Where rounds are counted the inventory has ruled on it.
    if core.mode.ammunition == Ammunition::Open && !player.holds(burst.weapon) {
        return;
    }
    let back = player.record.latency.middle_s().map_or(0.0, |middle| f64::from(middle) * hz);
    let claim = Claim {
        number: burst.number,
        weapon: burst.weapon,
        view: ViewStep::at(core.tick).back(back),
        origin_m: player.body.position_m + Vec3::Y * eye_height_m,
        direction: direction_of(burst.input.yaw, burst.input.pitch),
        names: Vec::new(),
    };
    let shooter = shooter_now(player, player.body.position_m, height_m);
    let ruling = LedgerRuling::Accepted;
    let (stats, exact_step) = (&player.stats, false);
    let judged = JudgedShot { claim: &claim, ruling, shooter, stats, exact_step };
    let scene = Scene {
        world: Present::new(&core.world, &core.movers),
        unheard: &core.unheard,
        history: &core.history,
        mode: &core.mode,
        teams: &core.teams,
        landed: core.tick,
        clock_ticks: core.clock_ticks,
    };
    let mut scratch = std::mem::take(&mut core.bursts);
    scratch.clear();
    core.judge.burst(&judged, &mut player.record, &scene, &mut scratch);
    queue_hits(core, &scratch);
    core.bursts = scratch;
}

/// The shooter as the judge reads her, with her feet where her shot's frame left them.
pub(crate) fn shooter_now(player: &Player, feet_m: Vec3, height_m: f32) -> ShooterNow {
    ShooterNow {
        id: player.entity,
        life: player.life,
        arms: player.arms(),
        team: player.team,
        feet_m,
        middle_m: feet_m + Vec3::Y * (height_m * 0.5),
        round_trip_s: player.round_trip_s,
        died: player.died,
    }
}
