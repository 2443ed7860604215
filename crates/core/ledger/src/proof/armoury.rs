//! A handful of weapons: one slot that carries rounds over, one that does not, one that burns.

use fairshot_mode::{AmmoUse, Catalogue, Weapon, WeaponKind};
use fairshot_units::{SlotIndex, WeaponCommand, WeaponId};
use std::sync::Arc;

pub(crate) const COLT: WeaponId = WeaponId(22);
pub(crate) const DEAGLE: WeaponId = WeaponId(24);
pub(crate) const AK: WeaponId = WeaponId(30);
pub(crate) const M4: WeaponId = WeaponId(31);
pub(crate) const FLAMES: WeaponId = WeaponId(37);
pub(crate) const ALL: [WeaponId; 5] = [COLT, DEAGLE, AK, M4, FLAMES];

pub(crate) fn armoury() -> Arc<Catalogue> {
    let weapon = |id: WeaponId, slot, clip_size, ammo| Weapon {
        id,
        name: format!("weapon {}", id.0),
        slot: SlotIndex::new(slot).expect("slots 2 to 7"),
        kind: if ammo == AmmoUse::WhileHeld { WeaponKind::Continuous } else { WeaponKind::Instant },
        ammo,
        clip_size,
        ..Weapon::default()
    };
    let weapons = vec![
        weapon(COLT, 2, 1, AmmoUse::PerShot),
        weapon(DEAGLE, 2, 2, AmmoUse::PerShot),
        weapon(AK, 5, 2, AmmoUse::PerShot),
        weapon(M4, 5, 1, AmmoUse::PerShot),
        weapon(FLAMES, 7, 3, AmmoUse::WhileHeld),
    ];
    let shares = std::array::from_fn(|slot| slot == 5);
    Arc::new(Catalogue::new(weapons, shares).expect("each weapon once"))
}

pub(crate) fn give(weapon: WeaponId, rounds: u16) -> WeaponCommand {
    WeaponCommand::Give { weapon, rounds, set_as_current: false }
}

pub(crate) fn give_in_hand(weapon: WeaponId, rounds: u16) -> WeaponCommand {
    WeaponCommand::Give { weapon, rounds, set_as_current: true }
}

pub(crate) fn set(weapon: WeaponId, total: u16) -> WeaponCommand {
    WeaponCommand::SetAmmo { weapon, total, clip: None }
}

pub(crate) fn take(weapon: WeaponId) -> WeaponCommand {
    WeaponCommand::Take { weapon }
}

pub(crate) fn arm(weapon: WeaponId) -> WeaponCommand {
    WeaponCommand::SetArmed { weapon }
}
