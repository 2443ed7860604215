//! Rules laid over rules: what a mode, a weapon or an operator says about the rules a shot meets.

use crate::reference::{Group, Kind, ORIGIN, RATE, RELOAD, REWIND};
use crate::{ModeError, ModeErrors, OriginRule, RateRule, ReloadRule, RewindRule, Rules};
use std::collections::BTreeMap;

/// One rule as an overlay names it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Setting<T> {
    Off,
    On(T),
}

impl<T> Setting<T> {
    /// The same setting of another kind.
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Setting<U> {
        match self {
            Self::Off => Setting::Off,
            Self::On(rule) => Setting::On(change(rule)),
        }
    }
}

impl<T> From<Setting<T>> for Option<T> {
    fn from(setting: Setting<T>) -> Self {
        match setting {
            Setting::Off => None,
            Setting::On(rule) => Some(rule),
        }
    }
}

impl<T> From<Option<T>> for Setting<T> {
    fn from(rule: Option<T>) -> Self {
        rule.map_or(Self::Off, Self::On)
    }
}

/// Settings for some of the rules; `None` says nothing and leaves what lies below.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RulesOverlay {
    pub armed: Option<bool>,
    pub held: Option<bool>,
    pub ammo: Option<bool>,
    pub rate: Option<Setting<RateRule>>,
    pub origin: Option<Setting<OriginRule>>,
    pub cover: Option<bool>,
    pub rewind: Option<Setting<RewindRule>>,
    pub range: Option<bool>,
    pub reload: Option<Setting<ReloadRule>>,
    /// A game's own rules by name.
    pub game: BTreeMap<String, bool>,
}

impl RulesOverlay {
    /// Holds the numbers of an overlay built in code to the ranges a file is held to.
    ///
    /// # Errors
    /// [`ModeErrors`] under the given name, without lines.
    pub fn check(&self, name: &str) -> Result<(), ModeErrors> {
        let mut faults = Vec::new();
        let mut check = |rule: &str, group: &'static Group, number: f32| {
            let Some(key) = group.key(rule.rsplit('.').next().unwrap_or(rule)) else { return };
            let Kind::Number(min, max) = key.kind else { return };
            if !(min..=max).contains(&number) {
                faults.push(ModeError {
                    file: name.to_owned(),
                    line: 0,
                    column: 0,
                    key: format!("rules.{rule}"),
                    expected: format!("a number from {min} to {max} {}", key.unit),
                    found: number.to_string(),
                });
            }
        };
        if let Some(Setting::On(rate)) = self.rate {
            check("rate.stall_s", &RATE, rate.stall_s);
        }
        if let Some(Setting::On(origin)) = self.origin {
            check("origin.metres", &ORIGIN, origin.metres);
        }
        if let Some(Setting::On(rewind)) = self.rewind {
            check("rewind.maximum_s", &REWIND, rewind.maximum_s);
            check("rewind.tolerance_s", &REWIND, rewind.tolerance_s);
            if let Some(slack_s) = rewind.transport_slack_s {
                check("rewind.transport_slack_s", &REWIND, slack_s);
            }
        }
        if let Some(Setting::On(reload)) = self.reload {
            check("reload.reload_s", &RELOAD, reload.reload_s);
            check("reload.stall_s", &RELOAD, reload.stall_s);
        }
        if faults.is_empty() { Ok(()) } else { Err(ModeErrors(faults)) }
    }

    /// What has to be laid over `below` to get `above`.
    #[must_use]
    pub fn between(below: &Rules, above: &Rules) -> Self {
        fn changed<T: Copy + PartialEq, S: From<T>>(below: T, above: T) -> Option<S> {
            (below != above).then(|| S::from(above))
        }
        Self {
            armed: changed(below.armed, above.armed),
            held: changed(below.held, above.held),
            ammo: changed(below.ammo, above.ammo),
            rate: changed(below.rate, above.rate),
            origin: changed(below.origin, above.origin),
            cover: changed(below.cover, above.cover),
            rewind: changed(below.rewind, above.rewind),
            range: changed(below.range, above.range),
            // Said by nobody below cannot be said again above; off is as good.
            reload: (below.reload != above.reload).then(|| above.reload.unwrap_or(Setting::Off)),
            game: above
                .game
                .iter()
                .filter(|(name, on)| below.game.get(*name) != Some(on))
                .map(|(name, on)| (name.clone(), *on))
                .collect(),
        }
    }
}

impl Rules {
    /// These rules with an overlay on them.
    #[must_use]
    pub fn with(&self, overlay: &RulesOverlay) -> Self {
        let mut game = self.game.clone();
        game.extend(overlay.game.iter().map(|(name, on)| (name.clone(), *on)));
        Self {
            armed: overlay.armed.unwrap_or(self.armed),
            held: overlay.held.unwrap_or(self.held),
            ammo: overlay.ammo.unwrap_or(self.ammo),
            rate: overlay.rate.map_or(self.rate, Into::into),
            origin: overlay.origin.map_or(self.origin, Into::into),
            cover: overlay.cover.unwrap_or(self.cover),
            rewind: overlay.rewind.map_or(self.rewind, Into::into),
            range: overlay.range.unwrap_or(self.range),
            reload: overlay.reload.or(self.reload),
            game,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlay(text: &str) -> RulesOverlay {
        RulesOverlay::parse("rules", text).unwrap_or_else(|errors| panic!("{errors}"))
    }

    #[test]
    fn false_turns_a_rule_off_true_turns_it_to_its_default_and_a_table_sets_it() {
        let below = Rules::default().with(&overlay("origin = false\nrate = { stall_s = 2 }"));
        assert_eq!(below.origin, None);
        assert_eq!(below.rate, Some(RateRule { stall_s: 2.0 }));
        let above = below.with(&overlay("origin = { metres = 3.5 }\nrate = true\ncover = false"));
        assert_eq!(above.origin, Some(OriginRule { metres: 3.5 }));
        assert_eq!(above.rate, Some(RateRule::default()));
        assert!(!above.cover && above.held);
    }

    #[test]
    fn reloads_are_timed_where_a_mode_or_a_weapon_says_so_and_nowhere_else() {
        assert_eq!(Rules::default().reload, None);
        let mode = Rules::default().with(&overlay("reload = { reload_s = 1.5 }"));
        let timed = ReloadRule { reload_s: 1.5, stall_s: 0.65 };
        assert_eq!(mode.reload, Some(Setting::On(timed)));
        assert_eq!(mode.with(&overlay("reload = false")).reload, Some(Setting::Off));
        let again = mode.with(&overlay("reload = false")).with(&overlay("reload = true"));
        assert_eq!(again.reload, Some(Setting::On(ReloadRule::default())));
        for (below, above) in [(Rules::default(), mode.clone()), (mode, again)] {
            assert_eq!(below.with(&RulesOverlay::between(&below, &above)), above);
        }
    }

    #[test]
    fn a_table_that_names_some_of_a_rules_numbers_leaves_the_rest_at_their_defaults() {
        let rules = Rules::default().with(&overlay("rewind = { maximum_s = 0.25 }"));
        let expected = RewindRule { maximum_s: 0.25, ..RewindRule::default() };
        assert_eq!(rules.rewind, Some(expected));
    }

    #[test]
    fn what_lies_between_two_rule_sets_turns_the_one_into_the_other() {
        let below = Rules::default();
        let above = below.with(&overlay("rewind = false\nheld = false\ngame.safe_zone = false"));
        assert_eq!(below.with(&RulesOverlay::between(&below, &above)), above);
        assert_eq!(RulesOverlay::between(&above, &above), RulesOverlay::default());
    }

    #[test]
    fn numbers_set_in_code_are_held_to_the_ranges_of_a_file() {
        let rate = Some(Setting::On(RateRule { stall_s: f32::NAN }));
        let errors = RulesOverlay { rate, ..RulesOverlay::default() }.check("call");
        assert_eq!(
            errors.expect_err("NaN is no stall").to_string(),
            "call: rules.rate.stall_s: expected a number from 0 to 10 s, found NaN"
        );
    }
}
