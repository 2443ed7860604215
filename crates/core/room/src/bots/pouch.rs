//! What a bot has, where the mode counts rounds. Humans have a ledger for it, which has to cope with a
//! line that delays and repeats; a bot is in the room, so plain counts do.

use fairshot_mode::{AmmoUse, Ammunition, Mode, Weapon};
use fairshot_units::{WeaponCommand, WeaponId};
use serde::{Deserialize, Serialize};

/// Rounds by weapon, one weapon a slot.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Pouch(Vec<(WeaponId, u16)>);

impl Pouch {
    pub(crate) fn of_loadout(mode: &Mode) -> Self {
        let mut pouch = Self::default();
        for grant in &mode.loadout {
            pouch.give(mode, grant.weapon, grant.rounds);
        }
        pouch
    }

    /// What an inventory would make of a command.
    pub(crate) fn apply(&mut self, mode: &Mode, command: WeaponCommand) {
        match command {
            WeaponCommand::Give { weapon, rounds, .. } => self.give(mode, weapon, rounds),
            WeaponCommand::Take { weapon } => self.0.retain(|(held, _)| *held != weapon),
            WeaponCommand::SetAmmo { weapon, total, .. } => {
                if let Some((_, rounds)) = self.0.iter_mut().find(|(held, _)| *held == weapon) {
                    *rounds = total;
                }
            }
            WeaponCommand::Clear => self.0.clear(),
            // It takes in hand what serves it best.
            WeaponCommand::SetArmed { .. } => {}
        }
    }

    /// Whether it has this weapon and a round for it.
    pub(crate) fn lets(&self, ammunition: Ammunition, weapon: &Weapon) -> bool {
        match ammunition {
            Ammunition::Open => true,
            Ammunition::Ledger => self.0.iter().any(|(held, rounds)| {
                *held == weapon.id && (weapon.ammo == AmmoUse::None || *rounds > 0)
            }),
        }
    }

    /// One round less.
    pub(crate) fn spend(&mut self, weapon: &Weapon) {
        let held = self.0.iter_mut().find(|(held, _)| *held == weapon.id);
        if let Some((_, rounds)) = held.filter(|_| weapon.ammo != AmmoUse::None) {
            *rounds = rounds.saturating_sub(1);
        }
    }

    fn give(&mut self, mode: &Mode, weapon: WeaponId, rounds: u16) {
        let Some(slot) = mode.weapons.get(weapon).map(|weapon| weapon.slot) else { return };
        let in_slot = |held: WeaponId| mode.weapons.get(held).is_some_and(|held| held.slot == slot);
        let lies = self.0.iter().position(|(held, _)| in_slot(*held));
        let kept = lies
            .map(|at| self.0.swap_remove(at))
            .filter(|(held, _)| *held == weapon || mode.weapons.carries_over(slot));
        self.0.push((weapon, kept.map_or(0, |(_, kept)| kept).saturating_add(rounds)));
    }
}
