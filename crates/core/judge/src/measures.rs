//! What each rule measured of one shot: part of every verdict, so kept in few bytes.

use fairshot_units::Rule;
use std::fmt;

/// What one rule measured and what it allowed, in its own unit: shots for `rate`, metres for `origin`,
/// `cover` and `range`, seconds back for `rewind`, and 1 against 0 for a yes or no.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    pub rule: Rule,
    pub value: f32,
    pub limit: f32,
    pub passed: bool,
}

/// Rules a shot can meet: ten built in and the game's own first few.
const MEASURES_MAX: usize = 12;
/// A game's own rules that can be told apart here.
const NAMES_MAX: usize = 4;

/// The measures of one shot, in the order its rules ran; more than twelve are not kept, nor more than
/// those of a game's first four.
#[derive(Clone, Copy, Default)]
pub struct Measures {
    values: [f32; MEASURES_MAX],
    limits: [f32; MEASURES_MAX],
    /// Each one's place in [`Rule::BUILT_IN`], or behind that its place in `names`.
    rules: [u8; MEASURES_MAX],
    len: u8,
    /// A bit each.
    passed: u16,
    names: [&'static str; NAMES_MAX],
}

const BUILT_IN: u8 = Rule::BUILT_IN.len() as u8;

impl Measures {
    #[inline(always)]
    pub fn push(&mut self, measure: Measure) {
        let at = usize::from(self.len);
        if at >= MEASURES_MAX {
            return;
        }
        let Some(rule) = self.place_of(measure.rule) else { return };
        self.values[at] = measure.value;
        self.limits[at] = measure.limit;
        self.rules[at] = rule;
        self.passed |= u16::from(measure.passed) << at;
        self.len += 1;
    }

    #[must_use]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Measure> + ExactSizeIterator + '_ {
        (0..self.len()).map(|at| Measure {
            rule: self.rule(self.rules[at]),
            value: self.values[at],
            limit: self.limits[at],
            passed: self.passed >> at & 1 == 1,
        })
    }

    /// What one rule measured.
    #[must_use]
    pub fn of(&self, rule: Rule) -> Option<Measure> {
        self.iter().find(|measure| measure.rule == rule)
    }

    #[inline(always)]
    fn place_of(&mut self, rule: Rule) -> Option<u8> {
        match rule {
            Rule::Game(name) => self.place_of_name(name),
            rule => Some(built_in(rule)),
        }
    }

    fn place_of_name(&mut self, name: &'static str) -> Option<u8> {
        // No registered name is empty.
        let known = self.names.iter().position(|known| known.is_empty() || *known == name)?;
        self.names[known] = name;
        u8::try_from(known).ok().map(|known| BUILT_IN + known)
    }

    fn rule(&self, place: u8) -> Rule {
        match place.checked_sub(BUILT_IN) {
            None => Rule::BUILT_IN[usize::from(place)],
            Some(name) => Rule::Game(self.names[usize::from(name)]),
        }
    }
}

/// A built-in rule's place in [`Rule::BUILT_IN`].
#[inline(always)]
fn built_in(rule: Rule) -> u8 {
    match rule {
        Rule::Malformed => 0,
        Rule::Weapon => 1,
        Rule::Armed => 2,
        Rule::Late => 3,
        Rule::Held => 4,
        Rule::Ammo => 5,
        Rule::Rate => 6,
        Rule::Origin => 7,
        Rule::Cover => 8,
        Rule::Rewind => 9,
        Rule::Range => 10,
        Rule::Reload | Rule::Game(_) => 11,
    }
}

impl PartialEq for Measures {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Measures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_read_back_as_they_were_noted() {
        let noted: Vec<Measure> = Rule::BUILT_IN
            .into_iter()
            .skip(3)
            .chain([Rule::Game("stun"), Rule::Game("zone"), Rule::Game("stun")])
            .zip(0_u8..)
            .map(|(rule, n)| Measure {
                rule,
                value: f32::from(n),
                limit: f32::from(n) + 0.5,
                passed: n % 3 == 0,
            })
            .collect();
        let mut measures = Measures::default();
        noted.iter().for_each(|measure| measures.push(*measure));
        assert_eq!(measures.iter().collect::<Vec<_>>(), noted);
        assert_eq!(measures.of(Rule::Rate).map(|measure| measure.value), Some(3.0));
        measures.push(noted[0]);
        assert_eq!(measures.len(), 12, "more are not kept");
    }

    #[test]
    fn a_games_fifth_name_is_not_kept() {
        let mut measures = Measures::default();
        for name in ["a", "b", "c", "d", "e", "a"] {
            let rule = Rule::Game(name);
            measures.push(Measure { rule, value: 1.0, limit: 1.0, passed: true });
        }
        let names: Vec<&str> = measures.iter().map(|measure| measure.rule.label()).collect();
        assert_eq!(names, ["a", "b", "c", "d", "a"]);
    }
}
