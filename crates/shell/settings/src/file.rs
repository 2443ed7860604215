//! The settings a file says, each with its line.

use crate::error::Fault;
use crate::table::{SETTINGS, setting};
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What a file says about one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) texts: Vec<String>,
    pub(crate) place: String,
}

/// A file of settings is at most this long.
const BYTES_MAX: usize = 256 * 1024;

/// Reads `SECTION.NAME` keys; unknown ones and what is no TOML are told.
pub(crate) fn read(name: &str, text: &str, faults: &mut Vec<Fault>) -> BTreeMap<String, Said> {
    let mut said = BTreeMap::new();
    if text.len() > BYTES_MAX {
        let place = name.to_owned();
        faults.push(fault(place, "", format!("at most {BYTES_MAX} bytes"), text.len().to_string()));
        return said;
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let place = place(name, text, error.span().map_or(0, |span| span.start));
        faults.push(fault(place, "", "TOML".to_owned(), error.message().to_owned()));
    }
    for (section, value) in table.get_ref() {
        match value.get_ref() {
            DeValue::Table(inner) => {
                for (key, value) in inner {
                    let path = format!("{}.{}", section.get_ref(), key.get_ref());
                    let at = (key.span().start, value.span().start);
                    read_key(name, text, &path, at, value, &mut said, faults);
                }
            }
            _ => {
                let place = place(name, text, section.span().start);
                let expected = expected_key(section.get_ref());
                let found = format!("the unknown key {:?}", section.get_ref());
                faults.push(fault(place, section.get_ref(), expected, found));
            }
        }
    }
    said
}

fn read_key(
    name: &str,
    text: &str,
    path: &str,
    (key_at, value_at): (usize, usize),
    value: &Spanned<DeValue<'_>>,
    said: &mut BTreeMap<String, Said>,
    faults: &mut Vec<Fault>,
) {
    let Some(setting) = setting(path) else {
        let found = format!("the unknown key {path:?}");
        faults.push(fault(place(name, text, key_at), path, expected_key(path), found));
        return;
    };
    let place = place(name, text, value_at);
    match texts(value.get_ref()) {
        Some(texts) => {
            said.insert(path.to_owned(), Said { texts, place });
        }
        None => {
            let found = format!("a {}", value.get_ref().type_str());
            faults.push(fault(place, path, setting.kind.words(), found));
        }
    }
}

/// A value as the text that a flag would have; a list as several.
fn texts(value: &DeValue<'_>) -> Option<Vec<String>> {
    match value {
        DeValue::Array(list) => list.iter().map(|item| text(item.get_ref())).collect(),
        one => text(one).map(|text| vec![text]),
    }
}

fn text(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(flag) => Some(flag.to_string()),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

fn place(name: &str, text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or(text);
    format!("{name}:{}", before.matches('\n').count() + 1)
}

fn fault(place: String, key: &str, expected: String, found: String) -> Fault {
    Fault { place, key: key.to_owned(), expected, found }
}

/// What to write in place of an unknown key.
pub(crate) fn expected_key(found: &str) -> String {
    const ALIKE_MIN: f64 = 0.8;
    let near = SETTINGS
        .iter()
        .map(|setting| (strsim::jaro_winkler(found, setting.key), setting.key))
        .filter(|(alike, _)| *alike >= ALIKE_MIN)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match near {
        Some((_, key)) => format!("a known key (did you mean {key:?}?)"),
        None => "a known key (--help lists them)".to_owned(),
    }
}
