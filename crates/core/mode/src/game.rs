//! [`Mode`]: the whole of a game's settings.

use crate::{Arena, Body, Catalogue, Monster, Movement, Rules, SpawnPoint};
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
    /// Empty where everybody is everybody's enemy.
    pub teams: Vec<Team>,
    /// Whether shots hurt allies; a weapon may override it.
    pub friendly_fire: bool,
    pub spawns: Vec<SpawnPoint>,
    /// Seconds from a death to the respawn grant, 0 to 600.
    pub respawn_delay_s: f32,
    pub body: Body,
    pub movement: Movement,
    pub monsters: Vec<Monster>,
    pub weapons: Catalogue,
    /// What every spawn gives, in order.
    pub loadout: Vec<Grant>,
    /// The rules of a weapon that says nothing itself. Each weapon holds its own resolved copy.
    pub rules: Rules,
    /// How far behind the newest snapshot a client may draw, in seconds: bounds `transport_slack`.
    pub interpolation_delay_max_s: f32,
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
