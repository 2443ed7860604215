//! A game's settings: weapons, rules, arena, teams, loadout; parsed from TOML and validated, or built
//! in Rust. Everything downstream reads a checked [`Mode`] and never a file.

mod arena;
mod body;
mod catalogue;
mod game;
mod rules;
mod weapon;

pub use arena::{Arena, Block, Bounds, SpawnPoint};
pub use body::{Body, HitZone, Monster, Movement, ZoneShape};
pub use catalogue::{Catalogue, CatalogueError};
pub use game::{Ammunition, Grant, Mode, Team};
pub use rules::{OriginRule, RateRule, RewindRule, Rules};
pub use weapon::{AmmoUse, DataValue, Judge, Stat, Tier, Weapon, WeaponKind, WeaponStats};
