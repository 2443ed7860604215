//! The cheats a server is tried against: each is an honest player with one lie.

use crate::lies::Lies;
use fairshot_client_core::{Forgery, GameSettings, Liar};
use fairshot_mode::{Weapon, WeaponKind};
use fairshot_units::WeaponId;
use std::fmt;
use std::str::FromStr;

/// What a frozen counter says: some rounds are left, and always will be.
const FROZEN_ROUNDS: u16 = 500;

/// Each cheat once: its name in the code, in words, and what it does.
macro_rules! cheats {
    ($($(#[doc = $doc:literal])+ $name:ident => $label:literal,)+) => {
        /// Which lie.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Cheat {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Cheat {
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            #[must_use]
            pub fn label(self) -> &'static str {
                match self {
                    $(Self::$name => $label,)+
                }
            }
        }
    };
}

cheats! {
    /// Fires a dozen times as fast as its weapon does.
    RapidFire => "rapid-fire",
    /// Fires everything it has at once, each weapon as fast as it can.
    SwappedRapidFire => "swapped-rapid-fire",
    /// Fires from beside its target, over 2.5 m from its own body.
    TeleportOrigin => "teleport-origin",
    /// Fires from two metres ahead of its eye.
    OriginAhead => "origin-ahead",
    /// Fires at who stands behind a wall, from past that wall.
    OriginPastCover => "origin-past-cover",
    /// Fires at who stands behind a wall, through it.
    ThroughWalls => "through-walls",
    /// Names a step two thirds of a second older than the one its screen showed.
    PastClaimed => "past-claimed",
    /// Names a step to come.
    FutureClaimed => "future-claimed",
    /// Names the newest step and one of a second ago in turn.
    SwingingClaims => "swinging-claims",
    /// Holds back what it sends, so that its shots land as late as a stalling line's do.
    HeldBack => "held-back",
    /// Says that its shots were fired in its first frame of all.
    OldFrame => "old-frame",
    /// Sends every shot twice, under two numbers.
    DoubledShots => "doubled-shots",
    /// Sends its last shots again under their own numbers, aimed anew.
    ReplayedShots => "replayed-shots",
    /// Numbers its shots thousands ahead.
    LeapingNumbers => "leaping-numbers",
    /// Fires a weapon it was not given.
    Unowned => "unowned",
    /// Says in every frame that it holds and fires a weapon it was not given.
    UnownedInHand => "unowned-in-hand",
    /// Keeps its rounds where they are, in frames and shots.
    FrozenAmmo => "frozen-ammo",
    /// Says that it has as many rounds as a counter holds.
    EndlessAmmo => "endless-ammo",
    /// Says that it has more rounds than it has.
    RewoundAmmo => "rewound-ammo",
    /// Reports under the revision before.
    StaleRevision => "stale-revision",
    /// Reports under a revision to come.
    UnknownRevision => "unknown-revision",
    /// Fires on after its death.
    DeadFire => "dead-fire",
    /// Plays in the life before its own.
    LastLife => "last-life",
    /// Plays in a life to come.
    NextLife => "next-life",
    /// Says that its knife struck whatever its gun was aimed at.
    MeleeAfar => "melee-afar",
    /// Throws its one grenade over and over.
    GrenadeAgain => "grenade-again",
    /// Gives its aim as much more length as the wire lets pass.
    LongAim => "long-aim",
    /// Every other shot of it is none.
    MalformedShots => "malformed-shots",
    /// Names everybody as hit, with every pellet.
    EveryoneNamed => "everyone-named",
    /// Makes two frames where one is due.
    Speed => "speed",
    /// Saves its inputs up and sends them at once.
    HoardedInput => "hoarded-input",
    /// Wishes to go faster than there is a wish for.
    Overdrive => "overdrive",
    /// Acknowledges snapshots that were never sent.
    UnsentAcked => "unsent-acked",
    /// Acknowledges no snapshot.
    NothingAcked => "nothing-acked",
    /// Acknowledges events it was not sent yet.
    EventsAckedAhead => "events-acked-ahead",
}

impl Cheat {
    /// The lie as its client tells it, where it needs no target.
    #[must_use]
    pub fn forgery(self) -> Forgery {
        match self {
            Self::RapidFire | Self::SwappedRapidFire => {
                Forgery { any_rate: true, ..Forgery::default() }
            }
            Self::Unowned => Forgery { any_weapon: true, ..Forgery::default() },
            Self::HeldBack | Self::HoardedInput => {
                Forgery { any_lateness: true, ..Forgery::default() }
            }
            Self::DeadFire => Forgery { any_state: true, ..Forgery::default() },
            Self::FrozenAmmo => Forgery { frozen_total: Some(FROZEN_ROUNDS), ..Forgery::default() },
            Self::EndlessAmmo => Forgery { frozen_total: Some(u16::MAX), ..Forgery::default() },
            _ => Forgery::default(),
        }
    }

    /// What rewrites its datagrams, where no honest client's words will do.
    #[must_use]
    pub fn liar(self, settings: &GameSettings) -> Option<Box<dyn Liar>> {
        Lies::of(self, settings).map(|lies| Box::new(lies) as Box<dyn Liar>)
    }

    /// Whether it fires at who is hidden from it.
    pub(crate) fn wants_hidden(self) -> bool {
        matches!(self, Self::OriginPastCover | Self::ThroughWalls)
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
        Self::ALL.iter().copied().find(|cheat| cheat.label() == text).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|cheat| cheat.label()).collect();
            format!("no cheat `{text}`; there are {}", known.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Cheat;
    use std::collections::BTreeSet;

    #[test]
    fn every_cheat_is_told_by_its_own_name() {
        let labels: BTreeSet<&str> = Cheat::ALL.iter().map(|cheat| cheat.label()).collect();
        assert_eq!(labels.len(), Cheat::ALL.len());
        for cheat in Cheat::ALL {
            assert_eq!(cheat.label().parse(), Ok(*cheat));
        }
        assert!("aimbot".parse::<Cheat>().is_err());
    }
}
