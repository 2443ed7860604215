//! A game's settings: weapons, rules, arena, teams, loadout; parsed from TOML and validated, or built
//! in Rust. Everything downstream reads a checked [`Mode`] and never a file.

mod arena;
mod body;
mod bots;
mod catalogue;
mod defaults;
mod describe;
mod errors;
mod game;
mod numbers;
mod overlay;
mod parse;
pub mod presets;
pub mod reference;
mod rules;
mod weapon;
mod write;

pub use arena::{Arena, Block, Bounds, HeightFieldFile, MeshFile, Mover, MoverWay, SpawnPoint};
pub use body::{Body, HitZone, Monster, Movement, ZoneShape};
pub use bots::Bots;
pub use catalogue::{Catalogue, CatalogueError};
pub use describe::{RuleDescription, describe};
pub use errors::{ModeError, ModeErrors};
pub use game::{Ammunition, Grant, Mode, Team};
pub use numbers::{PELLETS_MAX, PIERCE_MAX, StatSheet, WeaponNumbers};
pub use overlay::{RulesOverlay, Setting};
pub use rules::{OriginRule, RateRule, ReloadRule, RewindRule, Rules};
pub use weapon::{AmmoUse, DataValue, Judge, Stat, Tier, Weapon, WeaponKind, WeaponStats};

use reference::MODE;
