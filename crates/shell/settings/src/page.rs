//! The settings as a page: `docs/configuration.md` is this, and the README's table a part of it.

use crate::table::{Preset, SETTINGS};
use std::fmt::Write;

/// Every setting as a Markdown table.
#[must_use]
pub fn settings_table() -> String {
    let mut table =
        "| key | flag | variable | value | default | what it is |\n|---|---|---|---|---|---|\n"
            .to_owned();
    for setting in SETTINGS {
        let default = match setting.default {
            Preset::Is(text) => format!("`{text}`"),
            Preset::Absent(meaning) => meaning.to_owned(),
        };
        let _ = writeln!(
            table,
            "| `{}` | `--{}` | `{}` | {} | {default} | {} |",
            setting.key,
            setting.flag(),
            setting.variable(),
            setting.kind.words(),
            setting.what
        );
    }
    table
}

/// The whole page.
#[must_use]
pub fn configuration_page() -> String {
    PAGE.replace("{table}", settings_table().trim_end())
}

const PAGE: &str = include_str!("page.md");
