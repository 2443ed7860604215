//! One weapon's settings.

use crate::Rules;
use fairshot_units::{SlotIndex, WeaponId};

/// A weapon as its catalogue holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Weapon {
    pub id: WeaponId,
    /// Unique in its catalogue, 1 to 48 bytes of printable ASCII.
    pub name: String,
    pub slot: SlotIndex,
    pub kind: WeaponKind,
    pub ammo: AmmoUse,
    /// Rounds a clip holds; 0 is a weapon without clips.
    pub clip_size: u16,
    /// Health a hit (each pellet) takes.
    pub damage: f32,
    /// Metres, the largest tier's.
    pub range_m: f32,
    pub shots_per_second: f32,
    /// Rays of one pull, fanned level with the ground, 1 to 32.
    pub pellets: u8,
    /// Radians between two pellets.
    pub spread_rad: f32,
    /// Targets a ray goes on through behind the first, 0 to 31.
    pub pierce: u8,
    /// Scales the multiplier of the zone a hit strikes.
    pub zone_damage: f32,
    /// A projectile's speed, 20 m/s unless it says otherwise.
    pub speed_m_s: f32,
    /// Metres a second a second a projectile falls by; 0 flies straight.
    pub gravity_m_s2: f32,
    pub projectile_radius_m: f32,
    /// Metres round its end in which a projectile hurts; 0 only what it strikes.
    pub blast_radius_m: f32,
    /// Seconds a projectile flies at the most.
    pub life_s: f32,
    pub judge: Judge,
    /// `None` follows the mode.
    pub friendly_fire: Option<bool>,
    /// This weapon's rules: its own laid over the mode's.
    pub rules: Rules,
    pub stats: WeaponStats,
    /// The game's own record on each hit.
    pub data: Vec<(String, DataValue)>,
    /// What a view draws it as; the room does not read it.
    pub model: String,
    /// The game itself hands the player another weapon when this one is used; the client is told to
    /// switch that off, since the server owns the inventory.
    pub self_grants: Vec<WeaponId>,
    /// Upgrade tiers, in order.
    pub tiers: Vec<Tier>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum WeaponKind {
    /// Hits at once along its rays.
    #[default]
    Instant,
    /// Launches a body the room flies.
    Projectile,
    /// Acts while its fire is held; sends no shots.
    Continuous,
    /// A swing: a command, never a shot.
    Melee,
    /// Goggles, parachutes, triggers: held, never fired.
    Gadget,
}

/// When a round goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum AmmoUse {
    /// Never: fists, knives, goggles.
    #[default]
    None,
    /// One a pull (a throw or launch too).
    PerShot,
    /// While the fire of a continuous weapon is held.
    WhileHeld,
}

/// Who says what a shot hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Judge {
    #[default]
    Room,
    /// The client names targets; the room still runs the rules and deals its own damage.
    Client,
}

/// For each number, the shooter's stats that raise it, laid on in turn.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct WeaponStats {
    pub damage: Vec<String>,
    pub range: Vec<String>,
    pub shots_per_second: Vec<String>,
    pub pellets: Vec<String>,
    pub spread: Vec<String>,
    pub pierce: Vec<String>,
    pub zone_damage: Vec<String>,
    pub speed: Vec<String>,
}

/// One of the shooter's stats: a base and flats that add, percents that add up, mores that multiply.
///
/// `(number + base + flats) x (1 + sum of percents) x product of (1 + more)`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Stat {
    pub base: f32,
    pub flats: Vec<f32>,
    pub percents: Vec<f32>,
    pub mores: Vec<f32>,
}

/// One upgrade tier: the modifiers it lays on the owner's stats.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Tier {
    pub modifiers: Vec<(String, Stat)>,
}

/// A value in a hit's data: what JSON holds, without null.
#[derive(Clone, Debug, PartialEq)]
pub enum DataValue {
    Number(f64),
    Text(String),
    Flag(bool),
    List(Vec<DataValue>),
    Record(Vec<(String, DataValue)>),
}
