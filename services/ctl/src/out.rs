//! What a command prints: tables with colours for people, JSON for scripts.

use crate::error::Failure;
use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table, presets};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Where output goes and in what form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Out {
    pub json: bool,
    /// Off where output is piped, or `NO_COLOR` is set.
    pub colours: bool,
}

impl Out {
    pub(crate) fn new(json: bool) -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { json, colours: wanted && std::io::stdout().is_terminal() }
    }

    /// One line, at once: what reads a stream wants each line as it comes.
    pub(crate) fn line(self, text: &str) -> Result<(), Failure> {
        let mut to = std::io::stdout().lock();
        writeln!(to, "{text}")?;
        Ok(to.flush()?)
    }

    pub(crate) fn json(self, value: &impl Serialize) -> Result<(), Failure> {
        let text =
            serde_json::to_string(value).map_err(|error| Failure::Local(error.to_string()))?;
        self.line(&text)
    }

    /// A table; its columns' names beginning with `#` are numbers.
    pub(crate) fn table(
        self,
        names: &[&str],
        rows: impl IntoIterator<Item = Vec<Cell>>,
    ) -> Result<(), Failure> {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Disabled);
        if self.colours {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        table.set_header(names.iter().map(|name| {
            Cell::new(name.trim_start_matches('#').to_uppercase()).add_attribute(Attribute::Bold)
        }));
        table.add_rows(rows);
        for (column, name) in table.column_iter_mut().zip(names) {
            column.set_padding((0, 2));
            if name.starts_with('#') {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let text = table.to_string();
        let trimmed: Vec<&str> = text.lines().map(str::trim_end).collect();
        self.line(&trimmed.join("\n"))
    }
}

pub(crate) fn cell(value: impl ToString) -> Cell {
    Cell::new(value.to_string())
}

/// Green where all is well, red where not.
pub(crate) fn judged(value: impl ToString, well: bool) -> Cell {
    cell(value).fg(if well { Color::Green } else { Color::Red })
}

/// Red where the count is not 0.
pub(crate) fn counted(count: u64) -> Cell {
    if count == 0 { cell(0) } else { cell(count).fg(Color::Red) }
}

/// `origin 2, rate 10`, or `-`.
pub(crate) fn by_rule(counts: &std::collections::BTreeMap<String, u64>) -> String {
    let words: Vec<String> = counts
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(rule, count)| format!("{rule} {count}"))
        .collect();
    if words.is_empty() { "-".into() } else { words.join(", ") }
}

/// `3h 2m`: the two largest parts.
pub(crate) fn lasting(seconds: u64) -> String {
    let text = humantime::format_duration(Duration::from_secs(seconds)).to_string();
    text.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

/// A Unix time in milliseconds as RFC 3339 in UTC.
pub(crate) fn moment(unix_ms: u64) -> String {
    let time: SystemTime = UNIX_EPOCH + Duration::from_millis(unix_ms.min(253_402_300_799_000));
    humantime::format_rfc3339_millis(time).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_times_read_well() {
        let counts = [("rate".to_owned(), 10), ("cover".to_owned(), 0), ("origin".to_owned(), 2)];
        assert_eq!(by_rule(&counts.into_iter().collect()), "origin 2, rate 10");
        assert_eq!(by_rule(&std::collections::BTreeMap::new()), "-");
        assert_eq!(lasting(10_923), "3h 2m");
        assert_eq!(moment(1_700_000_000_123), "2023-11-14T22:13:20.123Z");
        assert!(moment(u64::MAX).starts_with("9999"));
    }
}
