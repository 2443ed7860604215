//! The modes that are compiled in, so that a server starts from any folder with no file at hand.

use crate::{Mode, ModeErrors};

/// A mode that is compiled in: its name and its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    pub name: &'static str,
    /// The file's name, which faults are told under.
    pub file: &'static str,
    pub text: &'static str,
}

/// Every mode that is compiled in; the first is the default.
pub const PRESETS: &[Preset] = &[
    preset("arena", "arena.toml", include_str!("../../../../deploy/modes/arena.toml")),
    preset(
        "competitive",
        "competitive.toml",
        include_str!("../../../../deploy/modes/competitive.toml"),
    ),
    preset(
        "san_andreas",
        "san_andreas.toml",
        include_str!("../../../../deploy/modes/san_andreas.toml"),
    ),
    preset("siege", "siege.toml", include_str!("../../../../deploy/modes/siege.toml")),
];

const fn preset(name: &'static str, file: &'static str, text: &'static str) -> Preset {
    Preset { name, file, text }
}

impl Preset {
    /// # Errors
    /// None for the committed files, which a test holds to.
    pub fn parse(self) -> Result<Mode, ModeErrors> {
        Mode::parse(self.file, self.text)
    }
}

/// The preset of that name.
#[must_use]
pub fn named(name: &str) -> Option<Preset> {
    PRESETS.iter().copied().find(|preset| preset.name == name)
}

/// The default playable shooter.
///
/// # Panics
/// Never with the committed file, which a test holds to.
#[must_use]
pub fn arena() -> Mode {
    committed("arena")
}

/// Two teams, tighter rules.
///
/// # Panics
/// Never with the committed file, which a test holds to.
#[must_use]
pub fn competitive() -> Mode {
    committed("competitive")
}

/// The weapons and slots of a well-known game: the reference catalogue of the ledger.
///
/// # Panics
/// Never with the committed file, which a test holds to.
#[must_use]
pub fn san_andreas() -> Mode {
    committed("san_andreas")
}

/// Players against monsters, with stats and tiers.
///
/// # Panics
/// Never with the committed file, which a test holds to.
#[must_use]
pub fn siege() -> Mode {
    committed("siege")
}

fn committed(name: &str) -> Mode {
    let preset = named(name).expect("a preset of that name is compiled in");
    preset.parse().unwrap_or_else(|errors| panic!("a committed mode is right: {errors}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_compiled_in_mode_is_right_and_goes_by_its_name() {
        for preset in PRESETS {
            let mode = preset.parse().unwrap_or_else(|errors| panic!("{errors}"));
            assert_eq!(mode.name, preset.name);
            assert_eq!(preset.file, format!("{}.toml", preset.name));
        }
    }
}
