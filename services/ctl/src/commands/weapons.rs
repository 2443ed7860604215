//! Inventories, and the five commands that change them.

use super::would;
use crate::args::Command;
use crate::connect::Client;
use crate::error::Failure;
use crate::out::{Out, cell, judged};
use fairshot_proto::v1::{self, WeaponRef, weapon_ref};

pub(super) async fn inventory(mut client: Client, player: String, out: Out) -> Result<(), Failure> {
    let request = v1::GetInventoryRequest { player };
    let inventory = client.get_inventory(request).await?.into_inner().inventory.unwrap_or_default();
    if out.json {
        return out.json(&inventory);
    }
    show(&inventory, out)
}

pub(super) async fn act(mut client: Client, command: Command, out: Out) -> Result<(), Failure> {
    match command {
        Command::Give { player, weapon, rounds, arm, how } => {
            let request = v1::GiveWeaponRequest {
                player,
                weapon: Some(named(weapon)),
                rounds: rounds.into(),
                set_as_current: arm,
                dry_run: how.dry_run,
                request_id: how.request_id,
            };
            let done = client.give_weapon(request).await?.into_inner();
            told(out, &done, done.dry_run, done.revision, done.inventory.as_ref())
        }
        Command::Take { player, weapon, how } => {
            let request = v1::TakeWeaponRequest {
                player,
                weapon: Some(named(weapon)),
                dry_run: how.dry_run,
                request_id: how.request_id,
            };
            let done = client.take_weapon(request).await?.into_inner();
            told(out, &done, done.dry_run, done.revision, done.inventory.as_ref())
        }
        Command::Ammo { player, weapon, total, clip, how } => {
            let request = v1::SetAmmoRequest {
                player,
                weapon: Some(named(weapon)),
                total: total.into(),
                clip,
                dry_run: how.dry_run,
                request_id: how.request_id,
            };
            let done = client.set_ammo(request).await?.into_inner();
            told(out, &done, done.dry_run, done.revision, done.inventory.as_ref())
        }
        Command::Clear { player, how } => {
            let request = v1::ClearWeaponsRequest {
                player,
                dry_run: how.dry_run,
                request_id: how.request_id,
            };
            let done = client.clear_weapons(request).await?.into_inner();
            told(out, &done, done.dry_run, done.revision, done.inventory.as_ref())
        }
        Command::Arm { player, weapon, how } => {
            let request = v1::SetArmedRequest {
                player,
                weapon: Some(named(weapon)),
                dry_run: how.dry_run,
                request_id: how.request_id,
            };
            let done = client.set_armed(request).await?.into_inner();
            told(out, &done, done.dry_run, done.revision, done.inventory.as_ref())
        }
        other => Err(Failure::Local(format!("{other:?} is no weapon command"))),
    }
}

fn told(
    out: Out,
    answer: &impl serde::Serialize,
    dry_run: bool,
    revision: u32,
    inventory: Option<&v1::Inventory>,
) -> Result<(), Failure> {
    if out.json {
        return out.json(answer);
    }
    out.line(&format!("{}revision {revision}", would(dry_run)))?;
    inventory.map_or(Ok(()), |inventory| show(inventory, out))
}

fn show(inventory: &v1::Inventory, out: Out) -> Result<(), Failure> {
    let seen = match inventory.observed_ago_ms {
        Some(ms) => format!("last heard {ms} ms ago"),
        None => "not heard yet".into(),
    };
    out.line(&format!(
        "{} in {} ({}), life {}, revision {} (echoed {}, {} in flight), {seen}, {} corrections",
        inventory.player,
        inventory.room,
        inventory.mode,
        inventory.life,
        inventory.revision,
        inventory.echoed,
        inventory.commands_in_flight,
        inventory.corrections,
    ))?;
    let rows = inventory.slots.iter().map(|slot| {
        let held = slot.weapon == inventory.held;
        vec![
            cell(slot.slot),
            if held { judged(&slot.name, true) } else { cell(&slot.name) },
            cell(slot.weapon),
            cell(slot.total),
            cell(slot.clip),
            cell(if held { "held" } else { "" }),
        ]
    });
    out.table(&["#slot", "weapon", "#id", "#total", "#clip", ""], rows)
}

/// A number is an id; anything else a name.
fn named(weapon: String) -> WeaponRef {
    let weapon = match weapon.parse() {
        Ok(id) => weapon_ref::Weapon::Id(id),
        Err(_) => weapon_ref::Weapon::Name(weapon),
    };
    WeaponRef { weapon: Some(weapon) }
}
