//! Rules as a file writes them: `false`, `true` or a table under each rule's name.

use super::section::Section;
use super::words::{describe, is_label};
use crate::{OriginRule, RateRule, ReloadRule, RewindRule, RulesOverlay, Setting};
use std::collections::BTreeMap;
use toml::de::DeValue;

pub(super) fn overlay(section: &Section<'_>) -> RulesOverlay {
    RulesOverlay {
        armed: section.flag_if_any("armed"),
        held: section.flag_if_any("held"),
        ammo: section.flag_if_any("ammo"),
        rate: setting(section, "rate", |table| RateRule { stall_s: table.number("stall_s") }),
        origin: setting(section, "origin", |table| OriginRule { metres: table.number("metres") }),
        cover: section.flag_if_any("cover"),
        rewind: setting(section, "rewind", |table| RewindRule {
            maximum_s: table.number("maximum_s"),
            tolerance_s: table.number("tolerance_s"),
            transport_slack_s: table.number_if_any("transport_slack_s"),
        }),
        range: section.flag_if_any("range"),
        reload: setting(section, "reload", |table| ReloadRule {
            reload_s: table.number("reload_s"),
            stall_s: table.number("stall_s"),
        }),
        game: game(section),
    }
}

fn setting<T: Default>(
    section: &Section<'_>,
    name: &str,
    read: impl FnOnce(&Section<'_>) -> T,
) -> Option<Setting<T>> {
    let (value, _) = section.value(name)?;
    match value.get_ref() {
        DeValue::Boolean(false) => Some(Setting::Off),
        DeValue::Boolean(true) => Some(Setting::On(T::default())),
        DeValue::Table(_) => section.table(name).map(|table| Setting::On(read(&table))),
        other => {
            section.fault(name, "true, false or a table", describe(other));
            None
        }
    }
}

/// A game's own rules: the room knows which names are registered, so any label may stand here.
fn game(section: &Section<'_>) -> BTreeMap<String, bool> {
    const RULES_MAX: usize = 64;
    let Some(table) = section.open("game") else { return BTreeMap::new() };
    if table.len() > RULES_MAX {
        section.fault("game", format!("at most {RULES_MAX} rules"), table.len().to_string());
        return BTreeMap::new();
    }
    let mut rules = BTreeMap::new();
    for (name, value) in table {
        let path = format!("{}.{}", section.path_of("game"), name.get_ref());
        if !is_label(name.get_ref()) {
            let expected = "a name of 1 to 32 of a-z 0-9 _".to_owned();
            section.source.fault(&name.span(), &path, expected, format!("{:?}", name.get_ref()));
        }
        match value.get_ref().as_bool() {
            Some(on) => {
                rules.insert(name.get_ref().to_string(), on);
            }
            None => section.source.fault(
                &value.span(),
                &path,
                "true or false".to_owned(),
                describe(value.get_ref()),
            ),
        }
    }
    rules
}
