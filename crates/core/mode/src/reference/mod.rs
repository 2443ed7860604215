//! Every key a mode's file may hold: its kind, unit, range, default and meaning, said once.
//!
//! The parser reads by these tables, "did you mean" looks in them, and `docs/modes.md` is written from
//! them, so none of the three can say something else.

mod keys;
mod page;

pub use keys::MODE;
pub(crate) use keys::{ORIGIN, RATE, RELOAD, REWIND, RULES, STAT};
pub use page::reference_page;

/// A table of keys: the file itself, or a table in it.
#[derive(Debug)]
pub struct Group {
    /// As it is written in a file: `[body]`, `[[weapons]]`; empty for the file itself.
    pub heading: &'static str,
    pub what: &'static str,
    pub keys: &'static [Key],
}

/// One key of a [`Group`].
#[derive(Debug)]
pub struct Key {
    pub name: &'static str,
    pub kind: Kind,
    /// The unit of a number; empty where it has none.
    pub unit: &'static str,
    pub default: Preset,
    pub what: &'static str,
}

/// What a key holds.
#[derive(Debug)]
pub enum Kind {
    /// A finite number within the two, both included.
    Number(f32, f32),
    /// A whole number within the two, both included.
    Count(u32, u32),
    Flag,
    /// 1 to 32 of `a-z 0-9 _`: fit for a metric's label.
    Label,
    /// Printable ASCII of up to so many bytes.
    Text(usize),
    /// A file beside the mode's own, by a path that does not leave its folder.
    File,
    Choice(&'static [&'static str]),
    /// Three finite numbers, x, y, z.
    Point(f32),
    /// One name or a list of names, up to so many.
    Names(usize),
    /// Whole numbers up to the first, so many of them at the most.
    Counts(u32, usize),
    /// One number or a list of numbers, up to so many, each within plus or minus the first.
    Numbers(f32, usize),
    Table(&'static Group),
    /// A list of tables, within the two counts.
    Tables(&'static Group, usize, usize),
    /// `true` (the default), `false` (off) or a table.
    Switch(&'static Group),
    /// A table whose keys are the game's own names.
    Open(&'static str),
}

/// What a key that is left out stands for.
#[derive(Debug)]
pub enum Preset {
    Required,
    Number(f32),
    Count(u32),
    Flag(bool),
    Text(&'static str),
    /// Nothing; the text says what that means.
    Absent(&'static str),
}

impl Group {
    /// The key of that name. The parser asks for declared names only.
    pub(crate) fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}
