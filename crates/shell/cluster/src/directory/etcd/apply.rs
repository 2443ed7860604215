//! From etcd's keys and values to the view.

use super::client::pb::KeyValue;
use super::keys::{Key, Keys};
use crate::directory::codec::{ban_from_json, rule_value_from_json};
use crate::directory::{
    NodeLease, NodeRecord, NodeStanding, RoomEpoch, RoomRecord, RoomStatus, View,
};

/// Takes one key's new value into the view. A value that does not read is as good as absent: it was
/// written by a version that this one cannot follow.
pub(super) fn put(view: &mut View, keys: &Keys, kv: &KeyValue) {
    let Some(key) = keys.parse(&kv.key) else { return };
    match key {
        Key::Ban(subject) => {
            if let Some(ban) = ban_from_json(&kv.value) {
                view.bans.insert(subject, ban);
            }
        }
        Key::Node(node) => {
            if let Ok(record) = serde_json::from_slice::<NodeRecord>(&kv.value) {
                let placements = view.nodes.get(&node).map_or(0, |known| known.standing.placements);
                let standing = NodeStanding { placements, lease: NodeLease(kv.lease) };
                view.nodes.insert(node, NodeRecord { standing, ..record });
            }
        }
        Key::Placements(node) => {
            if let Some(record) = view.nodes.get_mut(&node) {
                record.standing.placements = unsigned(kv.mod_revision);
            }
        }
        Key::Room(room) => {
            if let Ok(summary) = serde_json::from_slice(&kv.value) {
                let epoch = RoomEpoch(unsigned(kv.create_revision));
                view.rooms.insert(room, RoomRecord { summary, epoch });
            }
        }
        Key::Rule(mode, rule) => {
            if let Some(value) = rule_value_from_json(&kv.value) {
                view.rules.insert((mode, rule), value);
            }
        }
        Key::Seats(room) => {
            if let (Some(record), Ok(status)) =
                (view.rooms.get_mut(&room), serde_json::from_slice::<RoomStatus>(&kv.value))
            {
                record.summary.seats = status.seats;
                record.summary.locked = status.locked;
            }
        }
    }
}

/// Takes one key out of the view.
pub(super) fn delete(view: &mut View, keys: &Keys, key: &[u8]) {
    match keys.parse(key) {
        Some(Key::Ban(subject)) => {
            view.bans.remove(&subject);
        }
        Some(Key::Node(node)) => {
            view.nodes.remove(&node);
        }
        Some(Key::Room(room)) => {
            view.rooms.remove(&room);
        }
        Some(Key::Rule(mode, rule)) => {
            view.rules.remove(&(mode, rule));
        }
        // They go with their room, or with their node.
        Some(Key::Seats(_) | Key::Placements(_)) | None => {}
    }
}

/// Revisions are counted from 1 up.
pub(super) fn unsigned(revision: i64) -> u64 {
    u64::try_from(revision).unwrap_or(0)
}
