//! The names of keys: everything lies under one prefix, one kind a folder. The order of the folders is
//! that in which a listing must be read: rooms before their seats, nodes before their placements.

use crate::control::{BanSubject, RuleKey};
use fairshot_units::{NodeId, RoomId};

/// A key taken apart.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Key {
    Ban(BanSubject),
    Node(NodeId),
    Placements(NodeId),
    Room(RoomId),
    Rule(String, RuleKey),
    Seats(RoomId),
}

#[derive(Clone, Debug)]
pub(super) struct Keys {
    prefix: String,
}

impl Keys {
    /// `prefix` without a slash at its end.
    pub(super) fn new(prefix: &str) -> Self {
        Self { prefix: format!("{}/", prefix.trim_end_matches('/')) }
    }

    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Never written; read to see whether a quorum answers.
    pub(super) fn probe(&self) -> String {
        format!("{}probe", self.prefix)
    }

    pub(super) fn of(&self, key: &Key) -> String {
        let prefix = &self.prefix;
        match key {
            Key::Ban(subject) => format!("{prefix}bans/{subject}"),
            Key::Node(node) => format!("{prefix}nodes/{node}"),
            Key::Placements(node) => format!("{prefix}placements/{node}"),
            Key::Room(room) => format!("{prefix}rooms/{room}"),
            Key::Rule(mode, rule) => format!("{prefix}rules/{mode}/{rule}"),
            Key::Seats(room) => format!("{prefix}seats/{room}"),
        }
    }

    /// None for a key of a kind that this version does not know.
    pub(super) fn parse(&self, key: &[u8]) -> Option<Key> {
        let key = std::str::from_utf8(key).ok()?.strip_prefix(&self.prefix)?;
        let (kind, name) = key.split_once('/')?;
        match kind {
            "bans" => Some(Key::Ban(name.parse().ok()?)),
            "nodes" => Some(Key::Node(NodeId::new(name).ok()?)),
            "placements" => Some(Key::Placements(NodeId::new(name).ok()?)),
            "rooms" => Some(Key::Room(RoomId::new(name).ok()?)),
            "rules" => {
                let (mode, rule) = name.split_once('/')?;
                Some(Key::Rule(mode.to_owned(), rule.parse().ok()?))
            }
            "seats" => Some(Key::Seats(RoomId::new(name).ok()?)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_reads_back_to_itself_and_a_strange_one_to_nothing() {
        let keys = Keys::new("/fairshot/");
        let node = NodeId::new("node-1").expect("an id");
        let room = RoomId::new("r-1").expect("an id");
        for key in [
            Key::Ban("address/192.0.2.0/24".parse().expect("a range")),
            Key::Ban("player/steam:1".parse().expect("a player")),
            Key::Node(node.clone()),
            Key::Placements(node),
            Key::Room(room.clone()),
            Key::Rule("arena".into(), RuleKey::OriginMetres),
            Key::Seats(room),
        ] {
            assert_eq!(keys.parse(keys.of(&key).as_bytes()), Some(key));
        }
        assert_eq!(keys.parse(b"/fairshot/later/thing"), None);
        assert_eq!(keys.parse(b"/other/rooms/r-1"), None);
    }
}
