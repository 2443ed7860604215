//! The names a refusal goes by: one closed list, used on the wire, in heartbeats, logs and metrics.

use std::fmt;

/// Which rule refused a shot. Rules run in the order of this list; the first refusal ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// The bytes are no shot: refused by decoding, before any rule.
    Malformed,
    /// The world does not hold the weapon.
    Weapon,
    /// The shooter is down, disarmed, or fired in another life.
    Armed,
    /// The shot's revision is no longer retained, or its number is too far behind.
    Late,
    /// The shooter's inventory lacked the weapon when she fired.
    Held,
    /// The shooter had no round left for it.
    Ammo,
    /// Faster than the weapon fires.
    Rate,
    /// Left from too far from the middle of her body.
    Origin,
    /// A wall stands between her body and the shot's origin.
    Cover,
    /// Moves the moment the shot is judged at; refuses nothing.
    Rewind,
    /// A client-judged claim names only targets beyond the weapon's range.
    Range,
    /// Fired again before a reload could have ended, where a game times reloads.
    Reload,
    /// A game's own rule, by the name it registered.
    Game(&'static str),
}

impl Rule {
    /// Every built-in rule, in the order they run.
    pub const BUILT_IN: [Self; 12] = [
        Self::Malformed,
        Self::Weapon,
        Self::Armed,
        Self::Late,
        Self::Held,
        Self::Ammo,
        Self::Rate,
        Self::Origin,
        Self::Cover,
        Self::Rewind,
        Self::Range,
        Self::Reload,
    ];

    /// The name in heartbeats, logs, metrics and on the wire.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Weapon => "weapon",
            Self::Armed => "armed",
            Self::Late => "late",
            Self::Held => "held",
            Self::Ammo => "ammo",
            Self::Rate => "rate",
            Self::Origin => "origin",
            Self::Cover => "cover",
            Self::Rewind => "rewind",
            Self::Range => "range",
            Self::Reload => "reload",
            Self::Game(name) => name,
        }
    }

    /// The built-in rule of that name.
    #[must_use]
    pub fn built_in(label: &str) -> Option<Self> {
        Self::BUILT_IN.into_iter().find(|rule| rule.label() == label)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}
