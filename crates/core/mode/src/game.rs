//! [`Mode`]: the whole of a game's settings.

use crate::{
    Arena, Body, Bots, Catalogue, ModeErrors, Monster, Movement, Rules, RulesOverlay, SpawnPoint,
};
use fairshot_units::WeaponId;

/// Everything a room needs to know of its game.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// 1 to 32 of `a-z 0-9 _`: a metric label.
    pub name: String,
    /// Simulation steps a second, 1 to 128; 64 unless the mode says otherwise.
    pub tick_hz: u16,
    /// A snapshot goes out every so many ticks, 1 to 16; 2 gives 32 a second at 64 Hz.
    pub snapshot_every_ticks: u16,
    /// Seats in a room, 1 to 64.
    pub players_max: u16,
    pub ammunition: Ammunition,
    pub arena: Arena,
    /// Empty where nobody has a team: then every other player is an ally.
    pub teams: Vec<Team>,
    /// Whether shots hurt allies; a weapon may override it. On and without teams, everybody is
    /// everybody's enemy.
    pub friendly_fire: bool,
    pub spawns: Vec<SpawnPoint>,
    /// Seconds from a death to the respawn grant, 0 to 600.
    pub respawn_delay_s: f32,
    pub body: Body,
    pub movement: Movement,
    pub monsters: Vec<Monster>,
    pub bots: Bots,
    pub weapons: Catalogue,
    /// What every spawn gives, in order.
    pub loadout: Vec<Grant>,
    /// The rules of a weapon that says nothing itself. Each weapon holds its own resolved copy.
    pub rules: Rules,
    /// How far behind the newest snapshot a client may draw, in seconds: bounds `transport_slack`.
    pub interpolation_delay_max_s: f32,
}

impl Mode {
    /// Monsters of one kind at the most.
    pub const MONSTERS_MAX: u16 = 512;

    /// This mode with so many monsters in all, shared out among its kinds as evenly as it goes and
    /// held to [`Self::MONSTERS_MAX`] of each; a mode without monsters stays without.
    #[must_use]
    pub fn with_monsters(&self, count: u16) -> Self {
        let mut mode = self.clone();
        let kinds = u16::try_from(mode.monsters.len()).unwrap_or(u16::MAX);
        for (index, monster) in (0..kinds).zip(&mut mode.monsters) {
            let extra = u16::from(index < count % kinds);
            monster.count = (count / kinds + extra).min(Self::MONSTERS_MAX);
        }
        mode
    }

    /// This mode with an overlay on its present rules, each weapon keeping what it says itself.
    /// A rule the overlay does not name stays as it is.
    ///
    /// # Errors
    /// [`ModeErrors`] where a number of the overlay is out of its range; nothing changes then.
    pub fn with_rules(&self, overlay: &RulesOverlay) -> Result<Self, ModeErrors> {
        overlay.check(&self.name)?;
        let rules = self.rules.with(overlay);
        let weapons = self.weapons.under(&self.rules, &rules);
        Ok(Self { weapons, rules, ..self.clone() })
    }
}

/// Whether rounds are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ammunition {
    /// Every player holds every weapon and never runs dry.
    #[default]
    Open,
    /// The server-owned ledger says what is held and how many rounds are left.
    Ledger,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team {
    /// 1 to 32 of `a-z 0-9 _`.
    pub name: String,
}

/// One give of the loadout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    pub weapon: WeaponId,
    pub rounds: u16,
    /// Whether the give also arms the weapon.
    pub armed: bool,
}
