//! Reading one table of a mode by the keys declared for it.
//!
//! A reader never stops: a wrong value is told and stands in for itself with its default, so one run
//! tells every fault of a file.

use super::source::Source;
use super::words::{
    describe, expected_name, finite, finite_f64, is_label, key_words, nearest, number_words, whole,
    words,
};
use crate::reference::{Group, Key, Kind, Preset};
use glam::Vec3;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A table of the text with the keys that may stand in it.
pub(crate) struct Section<'s> {
    pub(crate) source: &'s Source<'s>,
    pub(crate) path: String,
    table: &'s DeTable<'s>,
    span: Range<usize>,
    group: &'static Group,
}

/// A text with its place, for checks across keys.
pub(crate) type Placed<T> = (T, Range<usize>);

impl<'s> Section<'s> {
    /// Tells every key that is not declared.
    pub(crate) fn new(
        source: &'s Source<'s>,
        path: String,
        table: &'s DeTable<'s>,
        span: Range<usize>,
        group: &'static Group,
    ) -> Self {
        let section = Self { source, path, table, span, group };
        for (name, _) in table {
            if group.key(name.get_ref()).is_none() {
                let known = group.keys.iter().map(|key| key.name);
                let expected = expected_name(name.get_ref(), known);
                let found = format!("the unknown key {:?}", name.get_ref());
                source.fault(&name.span(), &section.path_of(name.get_ref()), expected, found);
            }
        }
        section
    }

    pub(crate) fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Where a key stands, or else its table.
    pub(crate) fn span_of(&self, name: &str) -> Range<usize> {
        self.table.get(name).map_or(self.span.clone(), Spanned::span)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.table.contains_key(name)
    }

    pub(crate) fn fault(&self, name: &str, expected: impl Into<String>, found: impl Into<String>) {
        self.source.fault(&self.span_of(name), &self.path_of(name), expected.into(), found.into());
    }

    /// A number, or its default; 0 where it has none.
    pub(crate) fn number(&self, name: &str) -> f32 {
        self.number_if_any(name).unwrap_or(match self.key(name).default {
            Preset::Number(number) => number,
            _ => 0.0,
        })
    }

    pub(crate) fn number_if_any(&self, name: &str) -> Option<f32> {
        let (value, key) = self.value(name)?;
        let Kind::Number(min, max) = key.kind else { return None };
        let number = finite(value.get_ref()).filter(|n| (min..=max).contains(n));
        if number.is_none() {
            self.fault(name, number_words(min, max, key.unit), describe(value.get_ref()));
        }
        number
    }

    /// A turn given in degrees, in radians: by 64 bits, so that any turn of 32 can be written.
    pub(crate) fn radians(&self, name: &str) -> f32 {
        let degrees = self.number(name);
        let exact = self.table.get(name).and_then(|value| finite_f64(value.get_ref()));
        let close = exact.filter(|exact| (exact - f64::from(degrees)).abs() < 0.001);
        #[expect(clippy::cast_possible_truncation, reason = "a turn is small")]
        let radians = close.unwrap_or(f64::from(degrees)).to_radians() as f32;
        radians
    }

    /// One number or a list.
    pub(crate) fn numbers(&self, name: &str) -> Vec<f32> {
        let Some((value, key)) = self.value(name) else { return Vec::new() };
        let Kind::Numbers(most, count) = key.kind else { return Vec::new() };
        let numbers: Option<Vec<f32>> = match value.get_ref() {
            DeValue::Array(list) => list.iter().map(|item| finite(item.get_ref())).collect(),
            one => finite(one).map(|number| vec![number]),
        };
        match numbers {
            Some(n) if n.len() <= count && n.iter().all(|n| n.abs() <= most) => n,
            _ => {
                let expected =
                    format!("a number or up to {count} numbers, each {}", words(-most, most));
                self.fault(name, expected, describe(value.get_ref()));
                Vec::new()
            }
        }
    }

    /// A whole number, or its default; 0 where it has none.
    pub(crate) fn count(&self, name: &str) -> u32 {
        let default = match self.key(name).default {
            Preset::Count(count) => count,
            _ => 0,
        };
        let Some((value, key)) = self.value(name) else { return default };
        let Kind::Count(min, max) = key.kind else { return default };
        let count = whole(value.get_ref()).filter(|n| (min..=max).contains(n));
        count.unwrap_or_else(|| {
            let unit = if key.unit.is_empty() { String::new() } else { format!(" {}", key.unit) };
            let expected = format!("a whole number from {min} to {max}{unit}");
            self.fault(name, expected, describe(value.get_ref()));
            default
        })
    }

    pub(crate) fn count_u16(&self, name: &str) -> u16 {
        u16::try_from(self.count(name)).unwrap_or(u16::MAX)
    }

    pub(crate) fn count_u8(&self, name: &str) -> u8 {
        u8::try_from(self.count(name)).unwrap_or(u8::MAX)
    }

    pub(crate) fn counts(&self, name: &str) -> Vec<u32> {
        let Some((value, key)) = self.value(name) else { return Vec::new() };
        let Kind::Counts(max, length) = key.kind else { return Vec::new() };
        let counts = value.get_ref().as_array().and_then(|list| {
            list.iter()
                .map(|item| whole(item.get_ref()).filter(|n| *n <= max))
                .collect::<Option<Vec<u32>>>()
        });
        counts.filter(|counts| counts.len() <= length).unwrap_or_else(|| {
            let expected = format!("a list of up to {length} whole numbers from 0 to {max}");
            self.fault(name, expected, describe(value.get_ref()));
            Vec::new()
        })
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        let default = matches!(self.key(name).default, Preset::Flag(true));
        self.flag_if_any(name).unwrap_or(default)
    }

    pub(crate) fn flag_if_any(&self, name: &str) -> Option<bool> {
        let (value, _) = self.value(name)?;
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.fault(name, "true or false", describe(value.get_ref()));
        }
        flag
    }

    /// A label or a text, or its default; empty where it has none.
    pub(crate) fn text(&self, name: &str) -> String {
        self.text_if_any(name).map_or_else(
            || match self.key(name).default {
                Preset::Text(text) => text.to_owned(),
                _ => String::new(),
            },
            |(text, _)| text,
        )
    }

    pub(crate) fn text_if_any(&self, name: &str) -> Option<Placed<String>> {
        let (value, key) = self.value(name)?;
        let (fits, expected) = match key.kind {
            Kind::Text(max) => {
                let printable = |text: &&str| {
                    (1..=max).contains(&text.len())
                        && text.bytes().all(|b| b == b' ' || b.is_ascii_graphic())
                };
                (
                    value.get_ref().as_str().filter(printable),
                    format!("1 to {max} bytes of printable ASCII"),
                )
            }
            _ => (
                value.get_ref().as_str().filter(|text| is_label(text)),
                "1 to 32 of a-z 0-9 _".to_owned(),
            ),
        };
        if fits.is_none() {
            self.fault(name, expected, describe(value.get_ref()));
        }
        fits.map(|text| (text.to_owned(), value.span()))
    }

    /// A path below the mode's folder; empty where it is none.
    pub(crate) fn file(&self, name: &str) -> String {
        const BYTES_MAX: usize = 200;
        let Some((value, _)) = self.value(name) else { return String::new() };
        let stays = |path: &&str| {
            (1..=BYTES_MAX).contains(&path.len())
                && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
                && !path.contains(['\\', ':'])
                && !path.chars().any(char::is_control)
        };
        let path = value.get_ref().as_str().filter(stays);
        if path.is_none() {
            let expected = format!(
                "a path of 1 to {BYTES_MAX} bytes below this file's folder, its parts divided by /"
            );
            self.fault(name, expected, describe(value.get_ref()));
        }
        path.unwrap_or_default().to_owned()
    }

    /// The word chosen, or the default's.
    pub(crate) fn choice(&self, name: &str) -> &'static str {
        let default = match self.key(name).default {
            Preset::Text(text) => text,
            _ => "",
        };
        let Some((value, key)) = self.value(name) else { return default };
        let Kind::Choice(words) = key.kind else { return default };
        let found = value.get_ref().as_str();
        words.iter().find(|word| Some(**word) == found).copied().unwrap_or_else(|| {
            let mut expected = format!("one of {}", words.join(", "));
            if let Some(near) = found.and_then(|found| nearest(found, words.iter().copied())) {
                expected = format!("{expected} (did you mean {near:?}?)");
            }
            self.fault(name, expected, describe(value.get_ref()));
            default
        })
    }

    pub(crate) fn point(&self, name: &str) -> Vec3 {
        self.point_if_any(name).unwrap_or(Vec3::ZERO)
    }

    pub(crate) fn point_if_any(&self, name: &str) -> Option<Vec3> {
        let (value, key) = self.value(name)?;
        let Kind::Point(most) = key.kind else { return None };
        let numbers: Option<Vec<f32>> = value.get_ref().as_array().and_then(|list| {
            list.iter().map(|item| finite(item.get_ref()).filter(|n| n.abs() <= most)).collect()
        });
        match numbers.as_deref() {
            Some([x, y, z]) => Some(Vec3::new(*x, *y, *z)),
            _ => {
                let expected = format!("[x, y, z], each {} {}", words(-most, most), key.unit);
                self.fault(name, expected, describe(value.get_ref()));
                None
            }
        }
    }

    /// One name or a list of names, each with its place.
    pub(crate) fn names(&self, name: &str) -> Vec<Placed<String>> {
        let Some((value, key)) = self.value(name) else { return Vec::new() };
        let Kind::Names(most) = key.kind else { return Vec::new() };
        let placed = |item: &Spanned<DeValue<'_>>| {
            let text = item.get_ref().as_str()?;
            let fits = (1..=48).contains(&text.len());
            fits.then(|| (text.to_owned(), item.span()))
        };
        let names: Option<Vec<_>> = match value.get_ref() {
            DeValue::Array(list) => list.iter().map(placed).collect(),
            _ => placed(value).map(|one| vec![one]),
        };
        names.filter(|names| names.len() <= most).unwrap_or_else(|| {
            let expected = format!("a name or a list of up to {most} names");
            self.fault(name, expected, describe(value.get_ref()));
            Vec::new()
        })
    }

    /// A table within this one.
    pub(crate) fn table(&self, name: &str) -> Option<Section<'s>> {
        let (value, key) = self.value(name)?;
        let (Kind::Table(group) | Kind::Switch(group)) = key.kind else { return None };
        match value.get_ref() {
            DeValue::Table(table) => {
                Some(Section::new(self.source, self.path_of(name), table, value.span(), group))
            }
            other => {
                self.fault(name, "a table", describe(other));
                None
            }
        }
    }

    /// A list of tables within this one.
    pub(crate) fn tables(&self, name: &str) -> Vec<Section<'s>> {
        let Some((value, key)) = self.value(name) else { return Vec::new() };
        let Kind::Tables(group, min, max) = key.kind else { return Vec::new() };
        let expected = || format!("{min} to {max} tables");
        let Some(list) = value.get_ref().as_array() else {
            self.fault(name, expected(), describe(value.get_ref()));
            return Vec::new();
        };
        if !(min..=max).contains(&list.len()) {
            self.fault(name, expected(), format!("{} of them", list.len()));
            return Vec::new();
        }
        let mut sections = Vec::with_capacity(list.len());
        for (index, item) in list.iter().enumerate() {
            let path = format!("{}[{index}]", self.path_of(name));
            match item.get_ref() {
                DeValue::Table(table) => {
                    sections.push(Section::new(self.source, path, table, item.span(), group));
                }
                other => {
                    self.source.fault(&item.span(), &path, "a table".into(), describe(other));
                }
            }
        }
        sections
    }

    /// A table whose keys are a game's own names.
    pub(crate) fn open(&self, name: &str) -> Option<&'s DeTable<'s>> {
        let (value, key) = self.value(name)?;
        let table = value.get_ref().as_table();
        if let (None, Kind::Open(of)) = (table, &key.kind) {
            self.fault(name, format!("a table of {of}"), describe(value.get_ref()));
        }
        table
    }

    /// The value as it stands, for kinds with a reader of their own.
    pub(crate) fn value(&self, name: &str) -> Option<(&'s Spanned<DeValue<'s>>, &'static Key)> {
        let key = self.key(name);
        let value = self.table.get(name);
        if value.is_none() && matches!(key.default, Preset::Required) {
            self.fault(name, key_words(key), "nothing");
        }
        value.map(|value| (value, key))
    }

    fn key(&self, name: &str) -> &'static Key {
        self.group.key(name).expect("the parser asks for declared keys only")
    }
}
