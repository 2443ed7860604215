//! [`ShotCheck`]: what every rule, built-in or a game's own, reads of one shot.

use crate::{Claim, LedgerRuling, Measure, Measures, Pace, Scene, ShooterRecord};
use fairshot_mode::{ReloadRule, Setting, Weapon, WeaponNumbers};
use fairshot_units::{EntityId, Life, Rule, Tick, ViewStep};
use glam::Vec3;
use std::borrow::Cow;

/// One shot on its way through the rules.
#[derive(Debug)]
pub struct ShotCheck<'a> {
    pub claim: &'a Claim,
    pub ruling: LedgerRuling,
    pub shooter: Shooter<'a>,
    pub weapon: &'a Weapon,
    /// The weapon's numbers as the shooter's stats raise them.
    pub numbers: WeaponNumbers,
    /// The room as the shot landed, with a second of its past.
    pub world: Scene<'a>,
    pub landed: Tick,
    /// The room's clock as the shot landed, in milliseconds since it began.
    pub now_ms: u64,
    /// The step the shot is judged at. A rule may move it; it is held to the last second in the end.
    pub step: ViewStep,
    /// The timing of reloads that the game registered, for weapons whose rules say nothing of it.
    pub reload: Option<ReloadRule>,
    /// What the rules measured so far. A game's rule may add its own.
    pub measures: &'a mut Measures,
}

/// The shooter as the room has her now.
#[derive(Clone, Copy, Debug)]
pub struct Shooter<'a> {
    pub id: EntityId,
    pub life: Life,
    pub arms: Arms,
    /// Index into the mode's teams; `EntityState::NO_TEAM` is none.
    pub team: u8,
    /// The middle of her feet, after the input of the frame the shot was fired in.
    pub feet_m: Vec3,
    /// The middle of her body there.
    pub middle_m: Vec3,
    /// The QUIC path's round trip in seconds, where known.
    pub round_trip_s: Option<f32>,
    /// The end of her last life, if she has had one.
    pub died: Option<Tick>,
    /// Latency, allowances and the last sixteen shots.
    pub record: &'a ShooterRecord,
}

/// Whether she can fire at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arms {
    Free,
    Downed,
    /// A game took her arms: a stun, a safe zone.
    Disarmed,
}

/// A game's own rule. Under a built-in rule's name it replaces that rule, in its place; under any other
/// it runs after them, in the order registered.
pub struct GameRule {
    pub name: &'static str,
    /// Returns why it refuses the shot, in words a person reads, or `None` to let it through.
    pub check: Box<RuleFn>,
    pub(crate) reload: Option<ReloadRule>,
}

/// Ticks of pause that fill a clip.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "held to u64")]
pub(crate) fn pause_ticks(rule: ReloadRule, tick_hz: u16) -> u64 {
    let pause_s = f64::from(rule.reload_s) - f64::from(rule.stall_s);
    (pause_s * f64::from(tick_hz)).max(0.0) as u64
}

/// A rule as a function of one shot.
pub type RuleFn = dyn Fn(&mut ShotCheck<'_>) -> Option<Cow<'static, str>> + Send;

impl GameRule {
    pub fn new(
        name: &'static str,
        check: impl Fn(&mut ShotCheck<'_>) -> Option<Cow<'static, str>> + Send + 'static,
    ) -> Self {
        Self { name, check: Box::new(check), reload: None }
    }

    /// Turns on the timing of reloads, under `reload`, for weapons whose rules say nothing of it.
    #[must_use]
    pub fn reload(rule: ReloadRule) -> Self {
        Self { name: Rule::Reload.label(), check: Box::new(|_| None), reload: Some(rule) }
    }
}

impl std::fmt::Debug for GameRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GameRule").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ShotCheck<'_> {
    /// Notes what a rule measured, for the verdict's explanation.
    #[inline]
    pub fn note(&mut self, rule: Rule, value: f32, limit: f32, passed: bool) {
        self.measures.push(Measure { rule, value, limit, passed });
    }

    /// The pace her rate rule holds this weapon to; `None` where the rule is off.
    #[must_use]
    pub fn pace(&self) -> Option<Pace> {
        let rule = self.weapon.rules.rate?;
        Some(Pace::new(self.numbers.shots_per_second, rule.stall_s, self.world.mode.tick_hz))
    }

    /// The timing of reloads this weapon is held to: its own, its mode's, else the game's. `None` where
    /// it is off, or the weapon has no clip.
    #[must_use]
    pub fn reload_rule(&self) -> Option<ReloadRule> {
        reload_rule_of(self.weapon, self.reload)
    }
}

/// The timing of a weapon's reloads, where `of_game` is what the mode's game registered.
pub(crate) fn reload_rule_of(weapon: &Weapon, of_game: Option<ReloadRule>) -> Option<ReloadRule> {
    let rule = match weapon.rules.reload {
        Some(setting) => Setting::into(setting),
        None => of_game,
    };
    rule.filter(|_| weapon.clip_size > 0)
}
