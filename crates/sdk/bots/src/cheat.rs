//! The cheats a server is tried against: each is an honest player with one lie.

use fairshot_client_core::{Forgery, GameSettings};
use fairshot_mode::{Weapon, WeaponKind};
use fairshot_units::WeaponId;
use std::fmt;
use std::str::FromStr;

/// Which lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cheat {
    /// Fires a dozen times as fast as its weapon does.
    RapidFire,
    /// Fires from beside its target, over 2.5 m from its own body.
    TeleportOrigin,
    /// Fires a weapon it was not given.
    Unowned,
    /// Keeps its rounds where they are, in frames and shots.
    FrozenAmmo,
}

/// What a frozen counter says: some rounds are left, and always will be.
const FROZEN_ROUNDS: u16 = 500;

impl Cheat {
    pub const ALL: [Self; 4] =
        [Self::RapidFire, Self::TeleportOrigin, Self::Unowned, Self::FrozenAmmo];

    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::RapidFire => "rapid-fire",
            Self::TeleportOrigin => "teleport-origin",
            Self::Unowned => "unowned",
            Self::FrozenAmmo => "frozen-ammo",
        }
    }

    /// The lie as its client tells it, where it needs no target.
    #[must_use]
    pub fn forgery(self) -> Forgery {
        match self {
            Self::RapidFire => Forgery { any_rate: true, ..Forgery::default() },
            Self::TeleportOrigin => Forgery::default(),
            Self::Unowned => Forgery { any_weapon: true, ..Forgery::default() },
            Self::FrozenAmmo => Forgery { frozen_total: Some(FROZEN_ROUNDS), ..Forgery::default() },
        }
    }

    /// An instant weapon that no spawn of the mode gives.
    pub(crate) fn unowned_weapon(settings: &GameSettings) -> Option<WeaponId> {
        let given = |weapon: &Weapon| settings.mode.loadout.iter().any(|g| g.weapon == weapon.id);
        settings
            .mode
            .weapons
            .weapons()
            .iter()
            .find(|weapon| weapon.kind == WeaponKind::Instant && !given(weapon))
            .map(|weapon| weapon.id)
    }
}

impl fmt::Display for Cheat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

impl FromStr for Cheat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|cheat| cheat.label() == text).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|cheat| cheat.label()).collect();
            format!("no cheat `{text}`; there are {}", known.join(", "))
        })
    }
}
