//! The page of the reference, written from the tables.

use super::{Group, Key, Kind, MODE, Preset};
use std::fmt::Write;

/// Every table of keys as Markdown, in the order a file has them.
#[must_use]
pub fn reference_page() -> String {
    let mut page = String::new();
    let mut seen: Vec<&'static str> = Vec::new();
    write_group(&mut page, &MODE, &mut seen);
    page
}

fn write_group(page: &mut String, group: &'static Group, seen: &mut Vec<&'static str>) {
    if seen.contains(&group.heading) {
        return;
    }
    seen.push(group.heading);
    let heading = match group.heading {
        "" => "The file".to_owned(),
        heading => format!("`{}`", heading.replace(" and ", "` and `")),
    };
    let _ = writeln!(page, "### {heading}\n\n{}\n", group.what);
    page.push_str("| key | value | unit | default | meaning |\n|---|---|---|---|---|\n");
    for key in group.keys {
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} | {} |",
            key.name,
            kind(key),
            key.unit,
            default(key),
            key.what
        );
    }
    page.push('\n');
    for key in group.keys {
        match key.kind {
            Kind::Table(inner) | Kind::Tables(inner, _, _) | Kind::Switch(inner) => {
                write_group(page, inner, seen);
            }
            Kind::Open(_) if key.name == "modifiers" => write_group(page, &super::STAT, seen),
            _ => {}
        }
    }
}

fn kind(key: &Key) -> String {
    match key.kind {
        Kind::Number(min, max) => format!("number, {min} to {max}"),
        Kind::Count(min, max) => format!("whole number, {min} to {max}"),
        Kind::Flag => "`true` or `false`".to_owned(),
        Kind::Label => "1 to 32 of `a-z 0-9 _`".to_owned(),
        Kind::Text(max) => format!("text, 1 to {max} bytes of printable ASCII"),
        Kind::File => "path relative to this file, in its folder or below".to_owned(),
        Kind::Choice(words) => format!("`{}`", words.join("`, `")),
        Kind::Point(most) => format!("`[x, y, z]`, each within ±{most}"),
        Kind::Names(max) => format!("a name or a list of up to {max}"),
        Kind::Counts(max, length) => format!("list of up to {length}, each 0 to {max}"),
        Kind::Numbers(most, length) => {
            format!("a number or a list of up to {length}, each ±{most}")
        }
        Kind::Table(_) => "table".to_owned(),
        Kind::Tables(_, min, max) => format!("{min} to {max} tables"),
        Kind::Switch(_) => "`true`, `false` or a table".to_owned(),
        Kind::Open(of) => format!("table of {of}"),
    }
}

fn default(key: &Key) -> String {
    match key.default {
        Preset::Required => "required".to_owned(),
        Preset::Number(number) => number.to_string(),
        Preset::Count(count) => count.to_string(),
        Preset::Flag(flag) => format!("`{flag}`"),
        Preset::Text("") => "empty".to_owned(),
        Preset::Text(text) => format!("`{text}`"),
        Preset::Absent(meaning) => meaning.to_owned(),
    }
}
