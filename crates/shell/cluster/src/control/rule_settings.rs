//! A mode's rule settings as keys and values, so that an operator can change one while rooms run.
//!
//! The file stays as it is: a live value is laid over it until it is reverted. A weapon whose own
//! setting differs from its mode's in the file keeps its own.

use fairshot_mode::{
    Catalogue, Mode, OriginRule, RateRule, ReloadRule, RewindRule, Rules, Setting,
};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// One setting: a rule's switch, or one of its numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleKey {
    Armed,
    Held,
    Ammo,
    Rate,
    RateStallS,
    Origin,
    OriginMetres,
    Cover,
    Rewind,
    RewindMaximumS,
    RewindToleranceS,
    RewindTransportSlackS,
    Range,
    Reload,
    ReloadReloadS,
    ReloadStallS,
    /// A game's own rule, by the name it registered: `game.NAME`.
    Game(String),
}

/// A switch, or a number in the unit of its key's last part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RuleValue {
    Flag(bool),
    Number(f32),
}

/// One setting as it is in force.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleSetting {
    pub key: RuleKey,
    /// `None` where the rule it belongs to is off.
    pub value: Option<RuleValue>,
    /// What the mode's file says.
    pub file: Option<RuleValue>,
    /// An operator's value stands over the file's.
    pub live: bool,
}

/// The settings of one mode.
#[derive(Clone, Debug, PartialEq)]
pub struct ModeRules {
    pub mode: String,
    pub settings: Vec<RuleSetting>,
}

/// Why a value does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleSettingError {
    #[error("{key} takes {expected}, not {value}")]
    Value { key: RuleKey, expected: &'static str, value: String },
    #[error("{key} has no effect while {rule} is off; set {rule} to true first")]
    Off { key: RuleKey, rule: &'static str },
}

impl RuleKey {
    /// Every key that needs no game.
    pub const BUILT_IN: [Self; 16] = [
        Self::Armed,
        Self::Held,
        Self::Ammo,
        Self::Rate,
        Self::RateStallS,
        Self::Origin,
        Self::OriginMetres,
        Self::Cover,
        Self::Rewind,
        Self::RewindMaximumS,
        Self::RewindToleranceS,
        Self::RewindTransportSlackS,
        Self::Range,
        Self::Reload,
        Self::ReloadReloadS,
        Self::ReloadStallS,
    ];

    fn built_in_label(&self) -> &'static str {
        match self {
            Self::Armed => "armed",
            Self::Held => "held",
            Self::Ammo => "ammo",
            Self::Rate => "rate",
            Self::RateStallS => "rate.stall_s",
            Self::Origin => "origin",
            Self::OriginMetres => "origin.metres",
            Self::Cover => "cover",
            Self::Rewind => "rewind",
            Self::RewindMaximumS => "rewind.maximum_s",
            Self::RewindToleranceS => "rewind.tolerance_s",
            Self::RewindTransportSlackS => "rewind.transport_slack_s",
            Self::Range => "range",
            Self::Reload => "reload",
            Self::ReloadReloadS => "reload.reload_s",
            Self::ReloadStallS => "reload.stall_s",
            Self::Game(_) => "game",
        }
    }
}

impl fmt::Display for RuleKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Game(name) => write!(f, "game.{name}"),
            built_in => f.write_str(built_in.built_in_label()),
        }
    }
}

impl FromStr for RuleKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(name) = text.strip_prefix("game.").filter(|name| is_rule_name(name)) {
            return Ok(Self::Game(name.to_owned()));
        }
        Self::BUILT_IN.into_iter().find(|key| key.built_in_label() == text).ok_or_else(|| {
            let known = Self::BUILT_IN.map(|key| key.built_in_label()).join(", ");
            format!("no rule setting `{text}`; there are {known} and game.NAME")
        })
    }
}

impl fmt::Display for RuleValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Number(number) => write!(f, "{number}"),
        }
    }
}

/// `true`, `on`, `false`, `off` or a finite number.
impl FromStr for RuleValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "true" | "on" => Ok(Self::Flag(true)),
            "false" | "off" => Ok(Self::Flag(false)),
            number => number
                .parse::<f32>()
                .ok()
                .filter(|number| number.is_finite())
                .map(Self::Number)
                .ok_or_else(|| format!("`{number}` is neither true, false nor a number")),
        }
    }
}

/// The mode with live values laid over it, switches before numbers. What a weapon sets for itself
/// stays.
///
/// # Errors
/// [`RuleSettingError`] where a value is out of its range, or belongs to a rule that is off.
pub fn lay_over(
    file: &Mode,
    live: &BTreeMap<RuleKey, RuleValue>,
) -> Result<Mode, RuleSettingError> {
    let mut mode = file.clone();
    let mut weapons = file.weapons.weapons().to_vec();
    let (switches, numbers): (Vec<_>, Vec<_>) = live.iter().partition(|(key, _)| is_switch(key));
    for (key, value) in switches.into_iter().chain(numbers) {
        set(&mut mode.rules, key, *value)?;
        for (weapon, in_file) in weapons.iter_mut().zip(file.weapons.weapons()) {
            let follows_the_mode = get(&in_file.rules, key) == get(&file.rules, key);
            // A number of a rule this weapon alone turned off has nothing to change.
            if follows_the_mode && get(&mode.rules, key) != get(&weapon.rules, key) {
                let _ = set(&mut weapon.rules, key, *value);
            }
        }
    }
    let mut carries_over = [false; fairshot_units::SlotIndex::COUNT];
    for (index, carries) in carries_over.iter_mut().enumerate() {
        let slot = u8::try_from(index).ok().and_then(fairshot_units::SlotIndex::new);
        *carries = slot.is_some_and(|slot| file.weapons.carries_over(slot));
    }
    if let Ok(catalogue) = Catalogue::new(weapons, carries_over) {
        mode.weapons = catalogue;
    }
    Ok(mode)
}

/// The settings of a mode's file with the live values beside them.
#[must_use]
pub fn settings_of(file: &Mode, live: &BTreeMap<RuleKey, RuleValue>) -> ModeRules {
    let laid = lay_over(file, live).unwrap_or_else(|_| file.clone());
    let own = file.rules.game.keys().map(|name| RuleKey::Game(name.clone()));
    let laid_own = live.keys().filter(|key| matches!(key, RuleKey::Game(_))).cloned();
    let mut games: Vec<RuleKey> = own.chain(laid_own).collect();
    games.sort();
    games.dedup();
    let settings = RuleKey::BUILT_IN.into_iter().chain(games).map(|key| RuleSetting {
        value: get(&laid.rules, &key),
        file: get(&file.rules, &key),
        live: live.contains_key(&key),
        key,
    });
    ModeRules { mode: file.name.clone(), settings: settings.collect() }
}

fn is_switch(key: &RuleKey) -> bool {
    !matches!(
        key,
        RuleKey::RateStallS
            | RuleKey::OriginMetres
            | RuleKey::RewindMaximumS
            | RuleKey::RewindToleranceS
            | RuleKey::RewindTransportSlackS
            | RuleKey::ReloadReloadS
            | RuleKey::ReloadStallS
    )
}

fn is_rule_name(name: &str) -> bool {
    (1..=32).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn get(rules: &Rules, key: &RuleKey) -> Option<RuleValue> {
    let flag = |on: bool| Some(RuleValue::Flag(on));
    match key {
        RuleKey::Armed => flag(rules.armed),
        RuleKey::Held => flag(rules.held),
        RuleKey::Ammo => flag(rules.ammo),
        RuleKey::Rate => flag(rules.rate.is_some()),
        RuleKey::RateStallS => rules.rate.map(|rate| RuleValue::Number(rate.stall_s)),
        RuleKey::Origin => flag(rules.origin.is_some()),
        RuleKey::OriginMetres => rules.origin.map(|origin| RuleValue::Number(origin.metres)),
        RuleKey::Cover => flag(rules.cover),
        RuleKey::Rewind => flag(rules.rewind.is_some()),
        RuleKey::RewindMaximumS => rules.rewind.map(|rule| RuleValue::Number(rule.maximum_s)),
        RuleKey::RewindToleranceS => rules.rewind.map(|rule| RuleValue::Number(rule.tolerance_s)),
        RuleKey::RewindTransportSlackS => rules
            .rewind
            .map(|rule| rule.transport_slack_s.map_or(RuleValue::Flag(false), RuleValue::Number)),
        RuleKey::Range => flag(rules.range),
        RuleKey::Reload => flag(timed(rules).is_some()),
        RuleKey::ReloadReloadS => timed(rules).map(|rule| RuleValue::Number(rule.reload_s)),
        RuleKey::ReloadStallS => timed(rules).map(|rule| RuleValue::Number(rule.stall_s)),
        RuleKey::Game(name) => flag(rules.game.get(name).copied().unwrap_or(true)),
    }
}

fn set(rules: &mut Rules, key: &RuleKey, value: RuleValue) -> Result<(), RuleSettingError> {
    match key {
        RuleKey::Armed => rules.armed = flag(key, value)?,
        RuleKey::Held => rules.held = flag(key, value)?,
        RuleKey::Ammo => rules.ammo = flag(key, value)?,
        RuleKey::Cover => rules.cover = flag(key, value)?,
        RuleKey::Range => rules.range = flag(key, value)?,
        RuleKey::Rate => switch(&mut rules.rate, flag(key, value)?, RateRule::default()),
        RuleKey::Origin => switch(&mut rules.origin, flag(key, value)?, OriginRule::default()),
        RuleKey::Rewind => switch(&mut rules.rewind, flag(key, value)?, RewindRule::default()),
        RuleKey::RateStallS => {
            let stall_s = number(key, value, 10.0, "a number from 0 to 10")?;
            on(rules.rate.as_mut(), key, "rate")?.stall_s = stall_s;
        }
        RuleKey::OriginMetres => {
            let metres = number(key, value, 1000.0, "a number from 0 to 1000")?;
            on(rules.origin.as_mut(), key, "origin")?.metres = metres;
        }
        RuleKey::RewindMaximumS => {
            let maximum_s = number(key, value, 1.0, "a number from 0 to 1")?;
            on(rules.rewind.as_mut(), key, "rewind")?.maximum_s = maximum_s;
        }
        RuleKey::RewindToleranceS => {
            let tolerance_s = number(key, value, 1.0, "a number from 0 to 1")?;
            on(rules.rewind.as_mut(), key, "rewind")?.tolerance_s = tolerance_s;
        }
        RuleKey::RewindTransportSlackS => {
            let slack_s = match value {
                RuleValue::Flag(false) => None,
                value => Some(number(key, value, 1.0, "a number from 0 to 1, or false")?),
            };
            on(rules.rewind.as_mut(), key, "rewind")?.transport_slack_s = slack_s;
        }
        RuleKey::Reload => {
            let on = flag(key, value)?;
            let rule = timed(rules).unwrap_or_default();
            rules.reload = Some(if on { Setting::On(rule) } else { Setting::Off });
        }
        RuleKey::ReloadReloadS => {
            let reload_s = number(key, value, 60.0, "a number from 0 to 60")?;
            on(timed_mut(rules), key, "reload")?.reload_s = reload_s;
        }
        RuleKey::ReloadStallS => {
            let stall_s = number(key, value, 10.0, "a number from 0 to 10")?;
            on(timed_mut(rules), key, "reload")?.stall_s = stall_s;
        }
        RuleKey::Game(name) => {
            rules.game.insert(name.clone(), flag(key, value)?);
        }
    }
    Ok(())
}

/// How reloads are timed, where they are.
fn timed(rules: &Rules) -> Option<ReloadRule> {
    match rules.reload {
        Some(Setting::On(rule)) => Some(rule),
        Some(Setting::Off) | None => None,
    }
}

fn timed_mut(rules: &mut Rules) -> Option<&mut ReloadRule> {
    match &mut rules.reload {
        Some(Setting::On(rule)) => Some(rule),
        Some(Setting::Off) | None => None,
    }
}

fn flag(key: &RuleKey, value: RuleValue) -> Result<bool, RuleSettingError> {
    match value {
        RuleValue::Flag(flag) => Ok(flag),
        RuleValue::Number(_) => Err(RuleSettingError::Value {
            key: key.clone(),
            expected: "true or false",
            value: value.to_string(),
        }),
    }
}

fn number(
    key: &RuleKey,
    value: RuleValue,
    max: f32,
    expected: &'static str,
) -> Result<f32, RuleSettingError> {
    match value {
        RuleValue::Number(number) if (0.0..=max).contains(&number) => Ok(number),
        _ => Err(RuleSettingError::Value { key: key.clone(), expected, value: value.to_string() }),
    }
}

fn switch<T>(rule: &mut Option<T>, on: bool, default: T) {
    *rule = if on { Some(rule.take().unwrap_or(default)) } else { None };
}

fn on<'a, T>(
    rule: Option<&'a mut T>,
    key: &RuleKey,
    name: &'static str,
) -> Result<&'a mut T, RuleSettingError> {
    rule.ok_or_else(|| RuleSettingError::Off { key: key.clone(), rule: name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_reads_back_from_its_own_text() {
        for key in RuleKey::BUILT_IN.into_iter().chain([RuleKey::Game("safe_zone".into())]) {
            assert_eq!(key.to_string().parse::<RuleKey>(), Ok(key));
        }
        assert!("rate.speed".parse::<RuleKey>().is_err());
        assert!("game.a\"b".parse::<RuleKey>().is_err());
    }

    #[test]
    fn a_value_out_of_range_or_of_the_wrong_kind_is_refused() {
        let mut rules = Rules::default();
        for (key, value) in [
            (RuleKey::RewindMaximumS, RuleValue::Number(1.5)),
            (RuleKey::RateStallS, RuleValue::Number(-1.0)),
            (RuleKey::RateStallS, RuleValue::Number(f32::NAN)),
            (RuleKey::OriginMetres, RuleValue::Flag(true)),
            (RuleKey::Cover, RuleValue::Number(1.0)),
        ] {
            assert!(set(&mut rules, &key, value).is_err(), "{key}={value}");
        }
        assert_eq!(rules, Rules::default());
        assert!("nan".parse::<RuleValue>().is_err());
    }

    #[test]
    fn reloads_are_timed_from_the_moment_an_operator_says_so() {
        let mut rules = Rules::default();
        let pause = RuleValue::Number(1.5);
        assert!(set(&mut rules, &RuleKey::ReloadReloadS, pause).is_err(), "nothing to change");
        set(&mut rules, &RuleKey::Reload, RuleValue::Flag(true)).expect("a switch");
        set(&mut rules, &RuleKey::ReloadReloadS, pause).expect("a number");
        let timed = ReloadRule { reload_s: 1.5, ..ReloadRule::default() };
        assert_eq!(rules.reload, Some(Setting::On(timed)));
        set(&mut rules, &RuleKey::Reload, RuleValue::Flag(false)).expect("a switch");
        assert_eq!(rules.reload, Some(Setting::Off));
        assert_eq!(get(&rules, &RuleKey::ReloadStallS), None);
    }

    #[test]
    fn a_rule_turned_off_refuses_numbers_and_comes_back_with_its_defaults() {
        let mut rules = Rules::default();
        set(&mut rules, &RuleKey::Rate, RuleValue::Flag(false)).expect("a switch");
        assert_eq!(get(&rules, &RuleKey::RateStallS), None);
        let refused = set(&mut rules, &RuleKey::RateStallS, RuleValue::Number(1.0));
        assert!(matches!(refused, Err(RuleSettingError::Off { rule: "rate", .. })));
        set(&mut rules, &RuleKey::Rate, RuleValue::Flag(true)).expect("a switch");
        assert_eq!(rules.rate, Some(RateRule::default()));
    }
}
