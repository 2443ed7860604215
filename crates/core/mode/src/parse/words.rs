//! Values read out of TOML, and the words for what stands there and what should.

use crate::reference::{Key, Kind};
use toml::de::DeValue;

/// A value in words, short enough for a line.
pub(crate) fn describe(value: &DeValue<'_>) -> String {
    const SHOWN_MAX: usize = 40;
    match value {
        DeValue::String(text) => {
            let short: String = text.chars().take(SHOWN_MAX).collect();
            let dots = if short.len() < text.len() { "..." } else { "" };
            format!("{short:?}{dots}")
        }
        DeValue::Integer(number) => number.to_string().chars().take(SHOWN_MAX).collect(),
        DeValue::Float(number) => number.as_str().chars().take(SHOWN_MAX).collect(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(list) => {
            let items: Vec<String> = list.iter().take(4).map(|i| describe(i.get_ref())).collect();
            let dots = if list.len() > 4 { ", ..." } else { "" };
            format!("[{}{dots}]", items.join(", "))
        }
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// What to write in place of an unknown name: the nearest known one, or all of them.
pub(crate) fn expected_name<'k>(
    found: &str,
    known: impl Iterator<Item = &'k str> + Clone,
) -> String {
    match nearest(found, known.clone()) {
        Some(near) => format!("a known key (did you mean {near:?}?)"),
        None => format!("one of {}", known.collect::<Vec<_>>().join(", ")),
    }
}

/// The known name closest to a mistyped one.
pub(crate) fn nearest<'k>(found: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    const ALIKE_MIN: f64 = 0.75;
    known
        .map(|name| (strsim::jaro_winkler(found, name), name))
        .filter(|(alike, _)| *alike >= ALIKE_MIN)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

pub(crate) fn is_label(text: &str) -> bool {
    (1..=32).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// A finite number of 32 bits.
pub(crate) fn finite(value: &DeValue<'_>) -> Option<f32> {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be finite just below")]
    let number = finite_f64(value)? as f32;
    number.is_finite().then_some(number)
}

/// A finite number of 64 bits.
pub(crate) fn finite_f64(value: &DeValue<'_>) -> Option<f64> {
    let number: f64 = match value {
        DeValue::Integer(number) => {
            #[expect(clippy::cast_precision_loss, reason = "settings are far below 2^53")]
            let number = i64::from_str_radix(number.as_str(), number.radix()).ok()? as f64;
            number
        }
        DeValue::Float(number) => number.as_str().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

pub(crate) fn whole(value: &DeValue<'_>) -> Option<u32> {
    let number = value.as_integer()?;
    u32::from_str_radix(number.as_str(), number.radix()).ok()
}

pub(crate) fn words(min: f32, max: f32) -> String {
    format!("{min} to {max}")
}

pub(crate) fn number_words(min: f32, max: f32, unit: &str) -> String {
    let space = if unit.is_empty() { "" } else { " " };
    format!("a number from {}{space}{unit}", words(min, max))
}

pub(crate) fn key_words(key: &Key) -> String {
    match key.kind {
        Kind::Number(min, max) => number_words(min, max, key.unit),
        Kind::Count(min, max) => format!("a whole number from {min} to {max}"),
        Kind::Label => "1 to 32 of a-z 0-9 _".to_owned(),
        Kind::Text(max) => format!("1 to {max} bytes of printable ASCII"),
        Kind::Point(most) => format!("[x, y, z], each {} {}", words(-most, most), key.unit),
        Kind::Tables(group, min, max) => format!("{min} to {max} tables {}", group.heading),
        Kind::Table(group) => format!("a table {}", group.heading),
        _ => "a value".to_owned(),
    }
}
