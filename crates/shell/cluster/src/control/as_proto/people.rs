//! Players, their inventories, and bans.

use super::super::{
    Ban, ControlError, InventorySlot, InventoryView, NodeName, PlayerInfo, WeaponEntry,
};
use super::{life, narrow, player, revision, room, weapon};
use fairshot_proto::v1;
use fairshot_units::{EntityId, SlotIndex};

impl From<PlayerInfo> for v1::PlayerInfo {
    fn from(info: PlayerInfo) -> Self {
        Self {
            player: info.player.into(),
            room: info.room.into(),
            mode: info.mode,
            node: info.node.into(),
            shard: info.shard.into(),
            entity: info.entity.0.into(),
            team: info.team,
            life: info.life.0.into(),
            alive: info.alive,
            held: info.held.0.into(),
            held_name: info.held_name,
            address: info.address,
            connected_s: info.connected_s,
            round_trip_ms: info.round_trip_ms,
            latency_ms: info.latency_ms,
            jitter_ms: info.jitter_ms,
            shots_accepted: info.shots_accepted,
            shots_refused: info.shots_refused,
            queued_bytes: info.queued_bytes,
        }
    }
}

impl TryFrom<v1::PlayerInfo> for PlayerInfo {
    type Error = ControlError;

    fn try_from(info: v1::PlayerInfo) -> Result<Self, ControlError> {
        Ok(Self {
            player: player(&info.player)?,
            room: room(&info.room)?,
            mode: info.mode,
            node: NodeName::from(info.node),
            shard: narrow("shard", info.shard)?,
            entity: EntityId(narrow("entity", info.entity)?),
            team: info.team,
            life: life(info.life)?,
            alive: info.alive,
            held: weapon(info.held)?,
            held_name: info.held_name,
            address: info.address,
            connected_s: info.connected_s,
            round_trip_ms: info.round_trip_ms,
            latency_ms: info.latency_ms,
            jitter_ms: info.jitter_ms,
            shots_accepted: info.shots_accepted,
            shots_refused: info.shots_refused,
            queued_bytes: info.queued_bytes,
        })
    }
}

impl From<WeaponEntry> for v1::WeaponInfo {
    fn from(entry: WeaponEntry) -> Self {
        Self {
            id: entry.id.0.into(),
            name: entry.name,
            slot: u8::from(entry.slot).into(),
            clip_size: entry.clip_size.into(),
        }
    }
}

impl TryFrom<v1::WeaponInfo> for WeaponEntry {
    type Error = ControlError;

    fn try_from(info: v1::WeaponInfo) -> Result<Self, ControlError> {
        Ok(Self {
            id: weapon(info.id)?,
            name: info.name,
            slot: slot(info.slot)?,
            clip_size: narrow("clip_size", info.clip_size)?,
        })
    }
}

impl From<InventoryView> for v1::Inventory {
    fn from(view: InventoryView) -> Self {
        Self {
            player: view.player.into(),
            room: view.room.into(),
            mode: view.mode,
            life: view.life.0.into(),
            revision: view.revision.0.into(),
            echoed: view.echoed.0.into(),
            commands_in_flight: view.commands_in_flight,
            held: view.held.0.into(),
            held_name: view.held_name,
            slots: view.slots.into_iter().map(Into::into).collect(),
            observed_ago_ms: view.observed_ago_ms,
            corrections: view.corrections,
        }
    }
}

impl TryFrom<v1::Inventory> for InventoryView {
    type Error = ControlError;

    fn try_from(view: v1::Inventory) -> Result<Self, ControlError> {
        Ok(Self {
            player: player(&view.player)?,
            room: room(&view.room)?,
            mode: view.mode,
            life: life(view.life)?,
            revision: revision(view.revision)?,
            echoed: revision(view.echoed)?,
            commands_in_flight: view.commands_in_flight,
            held: weapon(view.held)?,
            held_name: view.held_name,
            slots: view.slots.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            observed_ago_ms: view.observed_ago_ms,
            corrections: view.corrections,
        })
    }
}

impl From<InventorySlot> for v1::InventorySlot {
    fn from(filled: InventorySlot) -> Self {
        Self {
            slot: u8::from(filled.slot).into(),
            weapon: filled.weapon.0.into(),
            name: filled.name,
            total: filled.total.into(),
            clip: filled.clip.into(),
        }
    }
}

impl TryFrom<v1::InventorySlot> for InventorySlot {
    type Error = ControlError;

    fn try_from(filled: v1::InventorySlot) -> Result<Self, ControlError> {
        Ok(Self {
            slot: slot(filled.slot)?,
            weapon: weapon(filled.weapon)?,
            name: filled.name,
            total: narrow("total", filled.total)?,
            clip: narrow("clip", filled.clip)?,
        })
    }
}

impl From<Ban> for v1::Ban {
    fn from(ban: Ban) -> Self {
        Self {
            subject: ban.subject.to_string(),
            reason: ban.reason,
            by: ban.by,
            since_unix_s: ban.since_unix_s,
            expires_unix_s: ban.expires_unix_s,
        }
    }
}

impl TryFrom<v1::Ban> for Ban {
    type Error = ControlError;

    fn try_from(ban: v1::Ban) -> Result<Self, ControlError> {
        Ok(Self {
            subject: ban
                .subject
                .parse()
                .map_err(|error| ControlError::invalid("subject", error))?,
            reason: ban.reason,
            by: ban.by,
            since_unix_s: ban.since_unix_s,
            expires_unix_s: ban.expires_unix_s,
        })
    }
}

fn slot(wide: u32) -> Result<SlotIndex, ControlError> {
    SlotIndex::new(narrow("slot", wide)?)
        .ok_or_else(|| ControlError::invalid("slot", format!("a slot is 0 to 12, not {wide}")))
}
