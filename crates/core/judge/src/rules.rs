//! The built-in rules, each a function of one [`ShotCheck`] like a game's own.

use crate::{Arms, LatencyWindow, LedgerRuling, Reason, ShotCheck};
use fairshot_mode::{Judge, RewindRule, Weapon};
use fairshot_units::{Rule, Tick, ViewStep};
use glam::Vec3;

/// No shot is ever judged further back than this, whatever a rule says.
pub(crate) const REWIND_MAX_S: f64 = 1.0;

/// The rules that run before the game's own, in their order. `weapon` comes first of all and needs no
/// [`ShotCheck`]: without a weapon there is nothing to check.
pub(crate) const ORDER: [Rule; 10] = [
    Rule::Armed,
    Rule::Late,
    Rule::Held,
    Rule::Ammo,
    Rule::Rate,
    Rule::Origin,
    Rule::Cover,
    Rule::Rewind,
    Rule::Range,
    Rule::Reload,
];

/// Whether the shot's weapon has this rule turned on.
#[inline(always)]
pub(crate) fn is_on(check: &ShotCheck<'_>, rule: Rule) -> bool {
    match rule {
        Rule::Reload => check.reload_rule().is_some(),
        _ => is_on_for(check.weapon, false, rule),
    }
}

/// The same of any shot of a weapon; `reload` where that rule times its reloads.
#[inline(always)]
pub(crate) fn is_on_for(weapon: &Weapon, reload: bool, rule: Rule) -> bool {
    let rules = &weapon.rules;
    match rule {
        Rule::Armed => rules.armed,
        Rule::Held => rules.held,
        Rule::Ammo => rules.ammo,
        Rule::Rate => rules.rate.is_some(),
        Rule::Origin => rules.origin.is_some(),
        Rule::Cover => rules.cover,
        Rule::Rewind => rules.rewind.is_some(),
        Rule::Range => rules.range,
        Rule::Game(name) => rules.game.get(name).copied().unwrap_or(true),
        Rule::Reload => reload,
        Rule::Malformed | Rule::Weapon | Rule::Late => true,
    }
}

/// Runs one built-in rule.
#[inline(always)]
pub(crate) fn run(
    check: &mut ShotCheck<'_>,
    rule: Rule,
    window: &mut LatencyWindow,
) -> Option<Reason> {
    match rule {
        Rule::Armed => armed(check),
        Rule::Late => stamped(check, Rule::Late, Reason::NotRetained),
        Rule::Held => stamped(check, Rule::Held, Reason::NotHeld),
        Rule::Ammo => stamped(check, Rule::Ammo, Reason::NoRounds),
        Rule::Rate => rate(check),
        Rule::Origin => origin(check),
        Rule::Cover => cover(check),
        Rule::Rewind => rewind(check, window),
        Rule::Range => range(check),
        Rule::Reload => reload(check),
        Rule::Malformed | Rule::Weapon | Rule::Game(_) => None,
    }
}

fn armed(check: &mut ShotCheck<'_>) -> Option<Reason> {
    let reason = match check.shooter.arms {
        Arms::Downed => Some(Reason::Downed),
        Arms::Disarmed => Some(Reason::Disarmed),
        Arms::Free if check.ruling == LedgerRuling::Refused(Rule::Armed) => Some(Reason::OldLife),
        Arms::Free => None,
    };
    yes_or_no(check, Rule::Armed, reason)
}

/// A rule the shooter's inventory already ruled on.
#[inline]
fn stamped(check: &mut ShotCheck<'_>, rule: Rule, reason: Reason) -> Option<Reason> {
    let refused = check.ruling == LedgerRuling::Refused(rule);
    yes_or_no(check, rule, refused.then_some(reason))
}

fn yes_or_no(check: &mut ShotCheck<'_>, rule: Rule, reason: Option<Reason>) -> Option<Reason> {
    let passed = reason.is_none();
    check.note(rule, f32::from(u8::from(passed)), 1.0, passed);
    reason
}

fn rate(check: &mut ShotCheck<'_>) -> Option<Reason> {
    let pace = check.pace()?;
    let clock = check.world.clock_ticks;
    let allowance = check.shooter.record.allowance(check.claim.weapon, pace, clock);
    let shots = allowance.shots(pace);
    let passed = allowance.covers_a_shot(pace);
    check.note(Rule::Rate, shots, 1.0, passed);
    (!passed).then_some(Reason::TooFast { allowance: shots })
}

fn origin(check: &mut ShotCheck<'_>) -> Option<Reason> {
    let limit_m = check.weapon.rules.origin?.metres;
    let distance_m = check.claim.origin_m.distance(check.shooter.middle_m);
    // A distance that is no number is refused too.
    let passed = distance_m <= limit_m;
    check.note(Rule::Origin, distance_m, limit_m, passed);
    (!passed).then_some(Reason::FarOrigin { distance_m, limit_m })
}

fn cover(check: &mut ShotCheck<'_>) -> Option<Reason> {
    let (middle_m, origin_m) = (check.shooter.middle_m, check.claim.origin_m);
    let world = check.world.world;
    let clear = world.is_clear(middle_m, origin_m) || was_clear(check, middle_m, origin_m);
    let reason = (!clear).then(|| Reason::BehindCover { distance_m: origin_m.distance(middle_m) });
    yes_or_no(check, Rule::Cover, reason)
}

/// Whether a door or lift alone is in the way, and was not for a screen as old as the far edge of her
/// window: somebody else set it going, and she had not heard of it. A claim makes that edge no older.
#[cold]
fn was_clear(check: &ShotCheck<'_>, middle_m: Vec3, origin_m: Vec3) -> bool {
    let furthest_s = match check.weapon.rules.rewind {
        Some(rule) => f64::from(hold(check, rule).1.furthest_s),
        None => REWIND_MAX_S,
    };
    let hz = f64::from(check.world.mode.tick_hz.max(1));
    let edge = ViewStep::at(check.landed).back(furthest_s * hz);
    let scene = &check.world;
    scene.unheard.after(edge).any(|had| scene.world.with_movers(had).is_clear(middle_m, origin_m))
}

fn rewind(check: &mut ShotCheck<'_>, window: &mut LatencyWindow) -> Option<Reason> {
    let rule = check.weapon.rules.rewind?;
    let (step, measured) = hold(check, rule);
    *window = measured;
    check.step = step;
    check.note(Rule::Rewind, window.claimed_s, window.furthest_s, true);
    None
}

/// The claim's moment held within the window, at the nearest edge.
fn hold(check: &ShotCheck<'_>, rule: RewindRule) -> (ViewStep, LatencyWindow) {
    let mode = check.world.mode;
    rewound(
        check.claim.view,
        check.landed,
        mode.tick_hz,
        &check.shooter,
        rule,
        mode.interpolation_delay_max_s,
    )
}

/// Holds a named moment to the shooter's measured latency: the rewind rule's arithmetic, also for a
/// game's own weapon.
pub(crate) fn rewound(
    named: ViewStep,
    landed: Tick,
    tick_hz: u16,
    shooter: &crate::Shooter<'_>,
    rule: RewindRule,
    interpolation_delay_max_s: f32,
) -> (ViewStep, LatencyWindow) {
    let hz = f64::from(tick_hz.max(1));
    let landing = ViewStep::at(landed);
    let claimed_s = landing.since(named) / hz;
    let maximum_s = f64::from(rule.maximum_s).clamp(0.0, REWIND_MAX_S);
    let tolerance_s = f64::from(rule.tolerance_s).max(0.0);
    let latency = &shooter.record.latency;
    let centre_max_s = match (rule.transport_slack_s, shooter.round_trip_s) {
        (Some(slack_s), Some(trip_s)) => {
            Some(f64::from(trip_s) + f64::from(interpolation_delay_max_s) + f64::from(slack_s))
        }
        _ => None,
    };
    let middle_s = latency.middle_s();
    let centre_s = middle_s.map(|middle| f64::from(middle).min(centre_max_s.unwrap_or(f64::MAX)));
    let (nearest_s, furthest_s) = match (centre_s, centre_max_s) {
        (Some(centre), _) => (centre - tolerance_s, centre + tolerance_s),
        // Her first shot has no latency to be held to, but no path is slower than its round trip says.
        (None, Some(centre_max)) => (0.0, centre_max + tolerance_s),
        (None, None) => (0.0, maximum_s),
    };
    // `max` and `min` rather than `clamp`, which panics on a window that is no number.
    let held = |seconds: f64| seconds.max(0.0).min(maximum_s);
    let (nearest_s, furthest_s) = (held(nearest_s), held(furthest_s));
    let held_s = claimed_s.max(nearest_s).min(furthest_s);
    #[expect(clippy::cast_possible_truncation, reason = "seconds, for people to read")]
    let window = LatencyWindow {
        claimed_s: claimed_s as f32,
        middle_s,
        jitter_s: middle_s.map_or(0.0, |middle| latency.spread_round(middle)),
        samples: latency.samples(),
        centre_max_s: centre_max_s.map(|seconds| seconds as f32),
        nearest_s: nearest_s as f32,
        furthest_s: furthest_s as f32,
    };
    // The named step itself where it lies inside, so that no rounding moves an honest claim.
    let step = if held_s == claimed_s { named } else { landing.back(held_s * hz) };
    (step, window)
}

/// A client-judged claim whose every named target stands beyond the weapon's reach.
fn range(check: &mut ShotCheck<'_>) -> Option<Reason> {
    if check.weapon.judge != Judge::Client || check.claim.names.is_empty() {
        return None;
    }
    let tolerance_m = check.weapon.rules.origin.map_or(0.0, |origin| origin.metres);
    let limit_m = check.numbers.range_m + tolerance_m;
    let names = crate::named::of_its_pellets(check.claim, check.numbers);
    let nearest_m = names
        .filter_map(|name| check.world.past(name.target, check.step))
        .map(|past| past.pose.position_m.distance(check.claim.origin_m))
        .min_by(f32::total_cmp)?;
    let passed = nearest_m <= limit_m;
    check.note(Rule::Range, nearest_m, limit_m, passed);
    (!passed).then_some(Reason::OutOfRange { distance_m: nearest_m, limit_m })
}

/// As many shots as a clip holds, and no pause long enough to have filled it again.
fn reload(check: &mut ShotCheck<'_>) -> Option<Reason> {
    let rule = check.reload_rule()?;
    let hz = check.world.mode.tick_hz.max(1);
    let clip = check.shooter.record.clip(check.claim.weapon)?;
    let paused = check.world.clock_ticks.saturating_sub(clip.last_clock_ticks);
    let left_ticks = crate::pause_ticks(rule, hz).saturating_sub(paused);
    let passed = left_ticks == 0 || clip.fired < u32::from(check.weapon.clip_size);
    #[expect(clippy::cast_precision_loss, reason = "a clip and a reload, for people to read")]
    let (fired, left_s) = (clip.fired as f32, left_ticks as f32 / f32::from(hz));
    check.note(Rule::Reload, fired, f32::from(check.weapon.clip_size), passed);
    (!passed).then_some(Reason::Reloading { left_s })
}
