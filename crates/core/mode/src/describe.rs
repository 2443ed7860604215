//! Rules in words and numbers, for operators.

use crate::{Rules, Setting};

/// One rule as an operator reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleDescription {
    /// The name refusals are counted under.
    pub name: String,
    pub on: bool,
    /// Its numbers by name, units last in the name.
    pub parameters: Vec<(&'static str, f32)>,
}

/// Every rule of a weapon or a mode in the order they run, then a game's own that are named.
#[must_use]
pub fn describe(rules: &Rules) -> Vec<RuleDescription> {
    let plain = |name: &str, on: bool| rule(name, on, Vec::new());
    let mut described = vec![
        plain("armed", rules.armed),
        plain("held", rules.held),
        plain("ammo", rules.ammo),
        rule(
            "rate",
            rules.rate.is_some(),
            rules.rate.map_or_else(Vec::new, |r| vec![("stall_s", r.stall_s)]),
        ),
        rule(
            "origin",
            rules.origin.is_some(),
            rules.origin.map_or_else(Vec::new, |r| vec![("metres", r.metres)]),
        ),
        plain("cover", rules.cover),
        rule(
            "rewind",
            rules.rewind.is_some(),
            rules.rewind.map_or_else(Vec::new, |r| {
                let mut parameters =
                    vec![("maximum_s", r.maximum_s), ("tolerance_s", r.tolerance_s)];
                parameters.extend(r.transport_slack_s.map(|slack| ("transport_slack_s", slack)));
                parameters
            }),
        ),
        plain("range", rules.range),
        rule(
            "reload",
            matches!(rules.reload, Some(Setting::On(_))),
            match rules.reload {
                Some(Setting::On(r)) => vec![("reload_s", r.reload_s), ("stall_s", r.stall_s)],
                _ => Vec::new(),
            },
        ),
    ];
    described.extend(rules.game.iter().map(|(name, on)| plain(name, *on)));
    described
}

fn rule(name: &str, on: bool, parameters: Vec<(&'static str, f32)>) -> RuleDescription {
    RuleDescription { name: name.to_owned(), on, parameters }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RulesOverlay;

    #[test]
    fn an_operator_reads_each_rule_with_its_numbers() {
        let overlay = RulesOverlay::parse(
            "call",
            "cover = false\norigin = { metres = 4 }\ngame.safe_zone = false",
        );
        let rules = Rules::default().with(&overlay.expect("right rules"));
        let told: Vec<String> = describe(&rules)
            .iter()
            .map(|rule| format!("{} {} {:?}", rule.name, rule.on, rule.parameters))
            .collect();
        assert_eq!(
            told,
            [
                "armed true []",
                "held true []",
                "ammo true []",
                "rate true [(\"stall_s\", 0.65)]",
                "origin true [(\"metres\", 4.0)]",
                "cover false []",
                "rewind true [(\"maximum_s\", 1.0), (\"tolerance_s\", 0.2)]",
                "range true []",
                "reload false []",
                "safe_zone false []",
            ]
        );
    }
}
