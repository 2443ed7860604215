//! The judge: runs one shot through its rules, then finds what it hit.

use crate::check::reload_rule_of;
use crate::pull::find_hits;
use crate::rules::{self, ORDER, REWIND_MAX_S};
use crate::{
    Arms, Claim, FiredShot, GameRule, Judgement, LatencyWindow, LedgerRuling, Measures, Outcome,
    Reason, ReloadRule, Scene, Shooter, ShooterRecord, ShotCheck, Verdict,
};
use fairshot_mode::{Setting, StatSheet, Weapon, WeaponKind, WeaponNumbers};
use fairshot_units::{EntityId, Rule, Tick, ViewStep};
use fairshot_world::prefetch;
use glam::Vec3;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Rules on shots. One per room; it keeps nothing of a shot.
#[derive(Debug, Default)]
pub struct Judge {
    game_rules: Vec<GameRule>,
    /// For each rule of [`ORDER`], the game rule that replaces it.
    replaced: [Option<u8>; ORDER.len()],
    reload: Option<ReloadRule>,
    /// Rules that panicked since the last look.
    panicked: Vec<Rule>,
}

/// A game's own rules beyond these are not taken.
pub const GAME_RULES_MAX: usize = 32;
/// Panics remembered between two looks.
const PANICKED_MAX: usize = 16;

/// One shot for the judge: who fired it, what she claims, what her inventory said.
#[derive(Clone, Copy, Debug)]
pub struct Shot<'a> {
    pub claim: &'a Claim,
    pub ruling: LedgerRuling,
    pub shooter: ShooterNow,
    pub stats: &'a StatSheet,
    /// The named step is the room's own and stands as it is: the rewind rule does not hold it.
    pub exact_step: bool,
}

/// The shooter's present, without her record.
#[derive(Clone, Copy, Debug)]
pub struct ShooterNow {
    pub id: EntityId,
    pub life: fairshot_units::Life,
    pub arms: Arms,
    pub team: u8,
    pub feet_m: Vec3,
    pub middle_m: Vec3,
    pub round_trip_s: Option<f32>,
    pub died: Option<Tick>,
}

impl ShooterNow {
    /// The shooter as rules read her.
    #[must_use]
    pub fn with(self, record: &ShooterRecord) -> Shooter<'_> {
        Shooter {
            id: self.id,
            life: self.life,
            arms: self.arms,
            team: self.team,
            feet_m: self.feet_m,
            middle_m: self.middle_m,
            round_trip_s: self.round_trip_s,
            died: self.died,
            record,
        }
    }
}

impl Judge {
    #[must_use]
    pub fn new(mut game_rules: Vec<GameRule>) -> Self {
        let reload = game_rules.iter().rev().find_map(|rule| rule.reload);
        game_rules.retain(|rule| rule.reload.is_none());
        game_rules.truncate(GAME_RULES_MAX);
        let mut replaced = [None; ORDER.len()];
        for (place, rule) in ORDER.iter().enumerate() {
            let game = game_rules.iter().position(|game| game.name == rule.label());
            replaced[place] = game.and_then(|game| u8::try_from(game).ok());
        }
        Self { game_rules, replaced, reload, ..Self::default() }
    }

    /// Rules on one shot, into `out`; keeps it in the shooter's record. An accepted shot of an instant
    /// weapon has its rays and hits; of a projectile or any other it has none.
    pub fn judge(
        &mut self,
        shot: &Shot<'_>,
        record: &mut ShooterRecord,
        scene: &Scene<'_>,
        out: &mut Judgement,
    ) {
        // What comes first is asked for first, all of it at once; then what it leads to.
        prefetch(scene.history);
        prefetch(record);
        prefetch(out);
        prefetch(self);
        let (claim, landed, tick_hz) = (shot.claim, scene.landed, scene.mode.tick_hz);
        let named = held_to_the_last_second(claim.view, landed, tick_hz);
        // Most claims are judged where they name: that part of the history is loaded while the rules run.
        let _ = scene.history.moment(named);
        record.prefetch();
        out.prefetch();
        // The verdict is written in its place: it is too large to be handed about.
        out.verdicts.push(verdict_on(shot, landed, named, end_of(&out.rays), end_of(&out.hits)));
        let Judgement { verdicts, rays, hits } = out;
        let Some(verdict) = verdicts.last_mut() else { return };
        let held_by_the_world = shot.ruling != LedgerRuling::Refused(Rule::Weapon);
        match scene.mode.weapons.get(claim.weapon).filter(|_| held_by_the_world) {
            None => {
                verdict.outcome =
                    Outcome::Refused { rule: Rule::Weapon, reason: Reason::NotInWorld };
            }
            Some(weapon) => {
                let mut check = ShotCheck {
                    claim,
                    ruling: shot.ruling,
                    shooter: shot.shooter.with(record),
                    weapon,
                    numbers: numbers_of(weapon, shot.stats),
                    world: *scene,
                    landed,
                    now_ms: scene.now_ms(),
                    step: named,
                    reload: self.reload,
                    measures: &mut verdict.measures,
                };
                let exact = shot.exact_step;
                let (outcome, sample_s) = self.run_rules(&mut check, exact, &mut verdict.window);
                check.step = held_to_the_last_second(check.step, landed, tick_hz);
                verdict.judged = check.step;
                verdict.outcome = outcome;
                let accepted = verdict.outcome.is_accepted();
                if accepted && weapon.kind == WeaponKind::Instant {
                    find_hits(&check, rays, hits);
                }
                let (pace, reload) = (check.pace(), check.reload_rule());
                if let Some(sample_s) = sample_s {
                    record.latency.add(sample_s);
                }
                if let (true, Some(pace)) = (accepted, pace) {
                    record.take(claim.weapon, pace, scene.clock_ticks);
                }
                if let Some(reload) = reload.filter(|_| accepted) {
                    let pause_ticks = crate::pause_ticks(reload, tick_hz);
                    record.fire_of_clip(claim.weapon, pause_ticks, scene.clock_ticks);
                }
            }
        }
        verdict.unseen_death = verdict.outcome.refused_by() == Some(Rule::Armed)
            // The pose of that tick, recorded before its damage, still shows her alive.
            && shot.shooter.died.is_some_and(|died| claim.view.since(ViewStep::at(died)) <= 0.0);
        verdict.rays.end = end_of(rays);
        verdict.hits.end = end_of(hits);
        record.keep(FiredShot {
            number: claim.number,
            weapon: claim.weapon,
            named: claim.view,
            judged: verdict.judged,
            landed,
            refused: verdict.outcome.refused_by(),
        });
    }

    /// A continuous weapon's act for one firing frame: it is no shot, so only the shooter's arms and the
    /// weapon's rate hold it, it adds no latency sample and is not kept. Its hits go into `out`, under a
    /// verdict of their own; nothing where it was held back.
    pub fn burst(
        &mut self,
        shot: &Shot<'_>,
        record: &mut ShooterRecord,
        scene: &Scene<'_>,
        out: &mut Judgement,
    ) {
        let weapon = scene.mode.weapons.get(shot.claim.weapon);
        // A frame that says it fires is no way round the rules that a shot of any other weapon meets.
        let continuous = |weapon: &&Weapon| weapon.kind == WeaponKind::Continuous;
        let Some(weapon) = weapon.filter(continuous) else { return };
        let step = held_to_the_last_second(shot.claim.view, scene.landed, scene.mode.tick_hz);
        let mut measures = Measures::default();
        let check = ShotCheck {
            claim: shot.claim,
            ruling: shot.ruling,
            shooter: shot.shooter.with(record),
            weapon,
            numbers: numbers_of(weapon, shot.stats),
            world: *scene,
            landed: scene.landed,
            now_ms: scene.now_ms(),
            step,
            reload: None,
            measures: &mut measures,
        };
        let pace = check.pace();
        let covered = pace.is_none_or(|pace| {
            record.allowance(weapon.id, pace, scene.clock_ticks).covers_a_shot(pace)
        });
        if check.shooter.arms != Arms::Free || !covered {
            return;
        }
        let mut verdict =
            verdict_on(shot, scene.landed, step, end_of(&out.rays), end_of(&out.hits));
        find_hits(&check, &mut out.rays, &mut out.hits);
        verdict.rays.end = end_of(&out.rays);
        verdict.hits.end = end_of(&out.hits);
        out.verdicts.push(verdict);
        if let Some(pace) = pace {
            record.take(weapon.id, pace, scene.clock_ticks);
        }
    }

    /// The names of the game's own rules.
    pub fn rule_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.game_rules.iter().map(|rule| rule.name)
    }

    /// Every rule a shot of this weapon may meet, in the order they run, and whether it is turned on.
    pub fn rules_of<'a>(&'a self, weapon: &'a Weapon) -> impl Iterator<Item = (Rule, bool)> + 'a {
        let replaced = |rule: Rule| self.game_rules.iter().any(|game| game.name == rule.label());
        let built_in = ORDER.into_iter().map(move |rule| {
            let own = replaced(Rule::Reload) && weapon.rules.reload != Some(Setting::Off);
            let reload = own || reload_rule_of(weapon, self.reload).is_some();
            (rule, rules::is_on_for(weapon, reload, rule))
        });
        let own = self.game_rules.iter().enumerate();
        let own = own.filter(|(game, _)| !self.is_in_place(*game));
        let own = own.map(|(_, rule)| Rule::Game(rule.name));
        let own = own.map(|rule| (rule, rules::is_on_for(weapon, false, rule)));
        std::iter::once((Rule::Weapon, true)).chain(built_in).chain(own)
    }

    /// The rules that panicked since the last call.
    pub fn take_panicked(&mut self) -> impl Iterator<Item = Rule> + '_ {
        self.panicked.drain(..)
    }

    /// Runs every rule that is on until one refuses. The sample is the shot's own latency, where the
    /// shot came as far as `rewind`.
    fn run_rules(
        &mut self,
        check: &mut ShotCheck<'_>,
        exact_step: bool,
        window: &mut LatencyWindow,
    ) -> (Outcome, Option<f32>) {
        let hz = f64::from(check.world.mode.tick_hz.max(1));
        let mut sample_s = None;
        // Written out, so that each rule is compiled for itself.
        macro_rules! in_order {
            ($($place:literal)*) => {$(
                let rule = const { ORDER[$place] };
                if rule == Rule::Rewind && !exact_step {
                    let claimed_s = ViewStep::at(check.landed).since(check.claim.view) / hz;
                    #[expect(clippy::cast_possible_truncation, reason = "seconds, held to one")]
                    {
                        sample_s = Some(claimed_s.clamp(0.0, REWIND_MAX_S) as f32);
                    }
                }
                if rule != Rule::Rewind || !exact_step {
                    if let Some(reason) = self.run_rule($place, rule, check, window) {
                        return (Outcome::Refused { rule, reason }, sample_s);
                    }
                }
            )*};
        }
        const { assert!(ORDER.len() == 10) };
        in_order!(0 1 2 3 4 5 6 7 8 9);
        for game in 0..self.game_rules.len() {
            let name = self.game_rules[game].name;
            if self.is_in_place(game) || !rules::is_on(check, Rule::Game(name)) {
                continue;
            }
            let rule = Rule::Game(name);
            if let Some(reason) = self.run_game_rule(check, game, rule) {
                return (Outcome::Refused { rule, reason }, sample_s);
            }
        }
        (Outcome::Accepted, sample_s)
    }

    /// Whether a game's rule stands in a built-in one's place.
    fn is_in_place(&self, game: usize) -> bool {
        self.replaced.iter().flatten().any(|replacing| usize::from(*replacing) == game)
    }

    /// Runs the rule of that place of [`ORDER`], or the game's own in its stead.
    #[inline(always)]
    fn run_rule(
        &mut self,
        place: usize,
        rule: Rule,
        check: &mut ShotCheck<'_>,
        window: &mut LatencyWindow,
    ) -> Option<Reason> {
        match self.replaced[place] {
            Some(game) if is_on_replaced(check, rule) => {
                self.run_game_rule(check, usize::from(game), rule)
            }
            None if rules::is_on(check, rule) => rules::run(check, rule, window),
            _ => None,
        }
    }

    /// A game's rule may panic: that refuses this shot under its name and harms nothing else.
    fn run_game_rule(
        &mut self,
        check: &mut ShotCheck<'_>,
        game: usize,
        rule: Rule,
    ) -> Option<Reason> {
        let run = &self.game_rules[game].check;
        let noted = check.measures.len();
        let reason = match catch_unwind(AssertUnwindSafe(|| run(check))) {
            Ok(words) => words.map(Reason::Game),
            Err(_) => {
                if self.panicked.len() < PANICKED_MAX {
                    self.panicked.push(rule);
                }
                Some(Reason::Panicked)
            }
        };
        if check.measures.len() == noted {
            let passed = reason.is_none();
            check.note(rule, f32::from(u8::from(passed)), 1.0, passed);
        }
        reason
    }
}

/// A weapon's numbers as a shooter's stats raise them.
#[must_use]
pub fn numbers_of(weapon: &Weapon, stats: &StatSheet) -> WeaponNumbers {
    weapon.numbers(|name| stats.get(name))
}

/// A replaced rule is on as the built-in one is, whatever its options; `reload`, off by itself, unless
/// it is turned off.
fn is_on_replaced(check: &ShotCheck<'_>, rule: Rule) -> bool {
    match rule {
        Rule::Reload => check.weapon.rules.reload != Some(Setting::Off),
        rule => rules::is_on(check, rule),
    }
}

/// An accepting verdict whose rays and hits begin there.
fn verdict_on(shot: &Shot<'_>, landed: Tick, judged: ViewStep, rays: u32, hits: u32) -> Verdict {
    Verdict {
        number: shot.claim.number,
        shooter: shot.shooter.id,
        shooter_life: shot.shooter.life,
        weapon: shot.claim.weapon,
        origin_m: shot.claim.origin_m,
        landed,
        shooter_m: shot.shooter.middle_m,
        named: shot.claim.view,
        judged,
        outcome: Outcome::Accepted,
        unseen_death: false,
        window: LatencyWindow::default(),
        measures: Measures::default(),
        rays: rays..rays,
        hits: hits..hits,
    }
}

/// Whatever a rule says, no shot is judged after its landing or more than a second before it.
pub(crate) fn held_to_the_last_second(step: ViewStep, landed: Tick, tick_hz: u16) -> ViewStep {
    let landing = ViewStep::at(landed);
    let back = landing.since(step);
    let most = f64::from(tick_hz.max(1)) * REWIND_MAX_S;
    if (0.0..=most).contains(&back) { step } else { landing.back(back.clamp(0.0, most)) }
}

#[expect(clippy::cast_possible_truncation, reason = "a tick holds far fewer than 2^32 rays")]
fn end_of<T>(list: &[T]) -> u32 {
    list.len() as u32
}
