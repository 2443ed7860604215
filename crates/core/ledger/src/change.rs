//! What a command does to an inventory, worked out from its weapons alone.
//!
//! The server and the client run this same function, so both refuse the same commands and both carry
//! the same rounds over. It never looks at totals: those differ between the two sides.

use crate::CommandError;
use fairshot_mode::{Catalogue, Weapon};
use fairshot_units::{SlotIndex, WeaponCommand, WeaponId};

/// The weapon of each slot; fists where there is none.
pub(crate) type Weapons = [WeaponId; SlotIndex::COUNT];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Change {
    pub(crate) slots: SlotChange,
    /// The weapon that comes to hand.
    pub(crate) arms: Option<WeaponId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SlotChange {
    Nothing,
    Load(Load),
    Empty { slot: SlotIndex },
    EmptyAll,
}

/// A slot's rounds are set anew, or raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Load {
    pub(crate) slot: SlotIndex,
    pub(crate) weapon: WeaponId,
    /// Whether the rounds of the slot stay and `rounds` are added to them.
    pub(crate) adds: bool,
    pub(crate) rounds: u16,
    pub(crate) clip: Clip,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Clip {
    /// A give loads the clip.
    Full,
    Keep,
    Exactly(u16),
}

/// # Errors
/// Every [`CommandError`] but `Full`.
pub(crate) fn change_of(
    catalogue: &Catalogue,
    weapons: &Weapons,
    command: &WeaponCommand,
) -> Result<Change, CommandError> {
    let slots = match *command {
        WeaponCommand::Give { weapon, rounds, .. } => {
            let slot = known(catalogue, weapon)?.slot;
            let there = weapons[slot.index()];
            let shares = there != WeaponId::FISTS && catalogue.carries_over(slot);
            let adds = there == weapon || shares;
            SlotChange::Load(Load { slot, weapon, adds, rounds, clip: Clip::Full })
        }
        WeaponCommand::Take { weapon } => {
            SlotChange::Empty { slot: owned(catalogue, weapons, weapon)?.slot }
        }
        WeaponCommand::SetAmmo { weapon, total, clip } => {
            let clip_size = known(catalogue, weapon)?.clip_size;
            let clip = match clip {
                None => Clip::Keep,
                Some(clip) if clip > clip_size => {
                    return Err(CommandError::ClipOverSize { weapon, clip, clip_size });
                }
                Some(clip) if clip > total => {
                    return Err(CommandError::ClipOverTotal { clip, total });
                }
                Some(clip) => Clip::Exactly(clip),
            };
            let slot = owned(catalogue, weapons, weapon)?.slot;
            SlotChange::Load(Load { slot, weapon, adds: false, rounds: total, clip })
        }
        WeaponCommand::Clear => SlotChange::EmptyAll,
        WeaponCommand::SetArmed { weapon } => {
            if weapon != WeaponId::FISTS {
                owned(catalogue, weapons, weapon)?;
            }
            SlotChange::Nothing
        }
    };
    let arms = match *command {
        WeaponCommand::Give { weapon, set_as_current: true, .. }
        | WeaponCommand::SetArmed { weapon } => Some(weapon),
        _ => None,
    };
    Ok(Change { slots, arms })
}

fn known(catalogue: &Catalogue, weapon: WeaponId) -> Result<&Weapon, CommandError> {
    if weapon == WeaponId::FISTS {
        return Err(CommandError::Fists);
    }
    catalogue.get(weapon).ok_or(CommandError::UnknownWeapon { weapon })
}

fn owned<'a>(
    catalogue: &'a Catalogue,
    weapons: &Weapons,
    weapon: WeaponId,
) -> Result<&'a Weapon, CommandError> {
    let known = known(catalogue, weapon)?;
    if weapons[known.slot.index()] == weapon {
        Ok(known)
    } else {
        Err(CommandError::NotOwned { weapon })
    }
}
