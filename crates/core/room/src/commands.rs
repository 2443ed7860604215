//! A game's own commands: declared fields with ranges, declared refusals, a rate.

use crate::{Answer, FieldValue};
use fairshot_judge::{Allowance, Pace};

/// What a game declares of one command.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandSpec {
    pub name: &'static str,
    pub fields: Vec<FieldSpec>,
    /// What it may be refused as, besides `unknown`, `field` and `rate`.
    pub refusals: Vec<&'static str>,
    /// How many a second a player may send; bursts of as many.
    pub per_second: u16,
}

/// Commands a second where a game says nothing else.
pub const COMMANDS_PER_SECOND_DEFAULT: u16 = 4;
/// Commands one game may declare.
pub const COMMANDS_MAX: usize = 64;

/// One field and what it may hold.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldSpec {
    pub name: &'static str,
    pub range: FieldRange,
}

/// The values a field may take; anything else refuses the command as `field`.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldRange {
    Number {
        min: f64,
        max: f64,
    },
    /// A whole number.
    Integer {
        min: i64,
        max: i64,
    },
    OneOf(Vec<&'static str>),
    Text {
        bytes_max: usize,
    },
    Flag,
}

impl CommandSpec {
    /// A command of that name at four a second, without fields or refusals.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            fields: Vec::new(),
            refusals: Vec::new(),
            per_second: COMMANDS_PER_SECOND_DEFAULT,
        }
    }

    #[must_use]
    pub fn field(mut self, name: &'static str, range: FieldRange) -> Self {
        self.fields.push(FieldSpec { name, range });
        self
    }

    #[must_use]
    pub fn refusal(mut self, label: &'static str) -> Self {
        self.refusals.push(label);
        self
    }

    #[must_use]
    pub fn per_second(mut self, per_second: u16) -> Self {
        self.per_second = per_second;
        self
    }

    /// Whether the fields are exactly the declared ones, each within its range.
    #[must_use]
    pub fn takes(&self, fields: &[(String, FieldValue)]) -> bool {
        fields.len() == self.fields.len()
            && self.fields.iter().all(|spec| {
                let mut given = fields.iter().filter(|(name, _)| name == spec.name);
                let value = given.next();
                given.next().is_none() && value.is_some_and(|(_, value)| spec.range.holds(value))
            })
    }
}

impl FieldRange {
    fn holds(&self, value: &FieldValue) -> bool {
        match (self, value) {
            (Self::Number { min, max }, FieldValue::Number(number)) => {
                (*min..=*max).contains(number)
            }
            (Self::Integer { min, max }, FieldValue::Number(number)) => {
                #[expect(clippy::cast_precision_loss, reason = "ranges lie within 2^53")]
                let within = (*min as f64..=*max as f64).contains(number);
                within && number.fract() == 0.0
            }
            (Self::OneOf(names), FieldValue::Text(text)) => names.contains(&text.as_str()),
            (Self::Text { bytes_max }, FieldValue::Text(text)) => text.len() <= *bytes_max,
            (Self::Flag, FieldValue::Flag(_)) => true,
            _ => false,
        }
    }
}

/// A checked command as a game reads it.
#[derive(Clone, Copy, Debug)]
pub struct GameCommand<'a> {
    pub entity: fairshot_units::EntityId,
    pub name: &'static str,
    pub fields: &'a [(String, FieldValue)],
}

impl GameCommand<'_> {
    /// A number field; 0 where it is none, which a declared field never is.
    #[must_use]
    pub fn number(&self, name: &str) -> f64 {
        match self.field(name) {
            Some(FieldValue::Number(number)) => *number,
            _ => 0.0,
        }
    }

    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        match self.field(name) {
            Some(FieldValue::Text(text)) => text,
            _ => "",
        }
    }

    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.field(name), Some(FieldValue::Flag(true)))
    }

    fn field(&self, name: &str) -> Option<&FieldValue> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

/// How many of each declared command a player may still send, by the command's place.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct CommandCredit(pub(crate) Vec<Allowance>);

impl CommandCredit {
    pub(crate) fn full(specs: &[CommandSpec], tick_hz: u16, clock_ticks: u64) -> Self {
        let full = |spec: &CommandSpec| Allowance::full(pace_of(spec, tick_hz), clock_ticks);
        Self(specs.iter().map(full).collect())
    }

    /// Takes one; `false` where there is none.
    pub(crate) fn take(
        &mut self,
        place: usize,
        spec: &CommandSpec,
        tick_hz: u16,
        clock_ticks: u64,
    ) -> bool {
        let Some(allowance) = self.0.get_mut(place) else { return false };
        let pace = pace_of(spec, tick_hz);
        *allowance = allowance.at(pace, clock_ticks);
        let covered = spec.per_second > 0 && allowance.covers_a_shot(pace);
        if covered {
            *allowance = allowance.less_a_shot(pace);
        }
        covered
    }
}

/// A burst is one second's worth, and never fewer than two.
fn pace_of(spec: &CommandSpec, tick_hz: u16) -> Pace {
    let rate = f32::from(spec.per_second);
    Pace::new(rate, if rate > 1.0 { (rate - 1.0) / rate } else { 0.0 }, tick_hz)
}

/// An answer held to what the command declares: a refusal it does not declare is `undeclared`.
pub(crate) fn declared(spec: &CommandSpec, answer: Answer) -> Answer {
    match answer {
        Answer::Refused(label) if !spec.refusals.contains(&label) => Answer::Refused("undeclared"),
        other => other,
    }
}
