//! From the text of a mode's file to a checked [`Mode`].
//!
//! The text is TOML, read by the `toml` crate with the place of every value. Each table is read by
//! the keys declared in [`crate::reference`]; what no single key can say (names that must be known
//! elsewhere, a spawn inside a box) is checked afterwards, against the places kept.

mod bodies;
mod place;
mod rules;
mod section;
mod source;
mod weapons;
mod words;

use crate::{Ammunition, Arena, Bounds, MODE, Mode, ModeErrors, RulesOverlay, Team};
use fairshot_units::SlotIndex;
use section::Section;
use source::Source;
use toml::Spanned;
use toml::de::DeTable;

/// A mode's file is at most this long.
pub(crate) const TEXT_BYTES_MAX: usize = 1024 * 1024;

impl Mode {
    /// Reads and checks a mode's TOML; `file` is the name its faults are told under.
    ///
    /// # Errors
    /// [`ModeErrors`] tells every fault with line, column, key and what was expected.
    pub fn parse(file: &str, text: &str) -> Result<Self, ModeErrors> {
        let source = Source::new(file, text);
        let table = document(&source);
        let mode = table.as_ref().and_then(|table| {
            let root = Section::new(&source, String::new(), table.get_ref(), 0..0, &MODE);
            read_mode(&root)
        });
        match mode {
            Some(mode) if source.is_clean() => Ok(mode),
            _ => {
                drop(table);
                Err(source.into_errors())
            }
        }
    }
}

impl ModeErrors {
    /// A fault that only whoever reads the files beside a mode can find, told at the key of its text, such
    /// as `arena.meshes[0].file`.
    #[must_use]
    pub fn at(file: &str, text: &str, key: &str, expected: String, found: String) -> Self {
        let source = Source::new(file, text);
        let table = document(&source);
        let at = table.as_ref().map_or(0..0, |table| place::of_key(table, key));
        drop(table);
        source.fault(&at, key, expected, found);
        source.into_errors()
    }
}

impl RulesOverlay {
    /// Reads rules as they stand in a mode's `[rules]`, such as `origin = { metres = 4 }`.
    ///
    /// # Errors
    /// [`ModeErrors`], as [`Mode::parse`].
    pub fn parse(file: &str, text: &str) -> Result<Self, ModeErrors> {
        let source = Source::new(file, text);
        let table = document(&source);
        let overlay = table.as_ref().map(|table| {
            rules::overlay(&Section::new(
                &source,
                String::new(),
                table.get_ref(),
                0..0,
                &crate::reference::RULES,
            ))
        });
        match overlay {
            Some(overlay) if source.is_clean() => Ok(overlay),
            _ => {
                drop(table);
                Err(source.into_errors())
            }
        }
    }
}

/// The text as tables; where it is no TOML, the faults are told and there is none.
fn document<'s>(source: &'s Source<'_>) -> Option<Spanned<DeTable<'s>>> {
    let text = source.text();
    if text.len() > TEXT_BYTES_MAX {
        let found = format!("{} bytes", text.len());
        source.fault(&(0..0), "", format!("at most {TEXT_BYTES_MAX} bytes of TOML"), found);
        return None;
    }
    let (table, faults) = DeTable::parse_recoverable(text);
    for fault in &faults {
        let at = fault.span().unwrap_or(0..0);
        source.fault(&at, "", "TOML".to_owned(), fault.message().to_owned());
    }
    faults.is_empty().then_some(table)
}

fn read_mode(root: &Section<'_>) -> Option<Mode> {
    let teams = teams(root);
    let arena = arena(root);
    let spawns = place::spawns(root, &arena, &teams);
    let mode_rules = root.table("rules").map(|table| rules::overlay(&table)).unwrap_or_default();
    let rules = crate::Rules::default().with(&mode_rules);
    let weapons = weapons::catalogue(root, &rules, carries_over(root))?;
    let loadout = weapons::loadout(root, &weapons);
    let bots = weapons::bots(root, &weapons);
    Some(Mode {
        name: root.text("name"),
        tick_hz: root.count_u16("tick_hz"),
        snapshot_every_ticks: root.count_u16("snapshot_every_ticks"),
        players_max: root.count_u16("players_max"),
        ammunition: match root.choice("ammunition") {
            "ledger" => Ammunition::Ledger,
            _ => Ammunition::Open,
        },
        arena,
        teams,
        friendly_fire: root.flag("friendly_fire"),
        spawns,
        respawn_delay_s: root.number("respawn_delay_s"),
        body: bodies::body(root),
        movement: bodies::movement(root),
        monsters: bodies::monsters(root),
        bots,
        weapons,
        loadout,
        rules,
        interpolation_delay_max_s: root.number("interpolation_delay_max_s"),
    })
}

fn carries_over(root: &Section<'_>) -> [bool; SlotIndex::COUNT] {
    let mut carries = [false; SlotIndex::COUNT];
    for slot in root.counts("carries_over_slots") {
        if let Some(entry) = carries.get_mut(slot as usize) {
            *entry = true;
        }
    }
    carries
}

fn teams(root: &Section<'_>) -> Vec<Team> {
    let sections = root.tables("teams");
    bodies::unique_names(&sections);
    sections.iter().map(|section| Team { name: section.text("name") }).collect()
}

fn arena(root: &Section<'_>) -> Arena {
    let Some(section) = root.table("arena") else {
        return Arena::default();
    };
    let (min, max) = (section.point_if_any("min_m"), section.point_if_any("max_m"));
    if let (Some(min_m), Some(max_m)) = (min, max)
        && !max_m.cmpgt(min_m).all()
    {
        let expected = format!("each coordinate over min_m's {min_m}");
        section.fault("max_m", expected, max_m.to_string());
    }
    let bounds = Bounds { min_m: min.unwrap_or_default(), max_m: max.unwrap_or_default() };
    Arena {
        bounds,
        blocks: place::blocks(&section, &bounds),
        floor_m: section.number("floor_m"),
        height_fields: place::height_fields(&section),
        meshes: place::meshes(&section),
        movers: place::movers(&section, &bounds),
    }
}
