//! What operators read, made from what the cores hold.

use fairshot_cluster::control::{InventorySlot, InventoryView, WeaponEntry};
use fairshot_ledger::Inventory;
use fairshot_mode::Mode;
use fairshot_units::{PlayerId, RoomId, SlotIndex, WeaponId};

/// Whose inventory it is.
#[derive(Clone, Debug)]
pub(crate) struct Owner {
    pub(crate) player: PlayerId,
    pub(crate) room: RoomId,
}

/// One inventory as an operator reads it.
pub(crate) fn inventory_view(
    owner: &Owner,
    mode: &Mode,
    inventory: &Inventory,
    corrections: u64,
    now_ms: u64,
) -> InventoryView {
    let slots = inventory
        .slots
        .iter()
        .enumerate()
        .filter(|(_, slot)| slot.weapon != WeaponId::FISTS)
        .filter_map(|(index, slot)| {
            Some(InventorySlot {
                slot: SlotIndex::new(u8::try_from(index).ok()?)?,
                weapon: slot.weapon,
                name: weapon_name(mode, slot.weapon),
                total: slot.total,
                clip: slot.clip,
            })
        })
        .collect();
    InventoryView {
        player: owner.player.clone(),
        room: owner.room.clone(),
        mode: mode.name.clone(),
        life: inventory.life,
        revision: inventory.revision,
        echoed: inventory.echoed,
        commands_in_flight: inventory.revision.since(inventory.echoed).into(),
        held: inventory.held,
        held_name: weapon_name(mode, inventory.held),
        slots,
        observed_ago_ms: inventory.observed_ms.map(|at_ms| now_ms.saturating_sub(at_ms)),
        corrections,
    }
}

/// The name of a weapon; one the catalogue lacks goes by its number.
pub(crate) fn weapon_name(mode: &Mode, weapon: WeaponId) -> String {
    match mode.weapons.get(weapon) {
        Some(known) => known.name.clone(),
        None if weapon == WeaponId::FISTS => "fists".to_owned(),
        None => weapon.0.to_string(),
    }
}

/// The weapons of a mode, by id.
pub(crate) fn weapon_entries(mode: &Mode) -> Vec<WeaponEntry> {
    let mut entries: Vec<_> = mode
        .weapons
        .weapons()
        .iter()
        .map(|weapon| WeaponEntry {
            id: weapon.id,
            name: weapon.name.clone(),
            slot: weapon.slot,
            clip_size: weapon.clip_size,
        })
        .collect();
    entries.sort_by_key(|entry| entry.id);
    entries
}

/// Milliseconds of the wall clock, for people and logs; nothing is decided by it.
pub(crate) fn unix_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
