//! Players, kicks and bans.

use super::heartbeat::RuleCounts;
use super::node::NodeName;
use fairshot_units::{EntityId, Life, PlayerId, RoomId, WeaponId};
use ipnet::IpNet;
use std::cmp::Ordering;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// A connected player.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerInfo {
    pub player: PlayerId,
    pub room: RoomId,
    pub mode: String,
    pub node: NodeName,
    pub shard: u16,
    pub entity: EntityId,
    /// Empty where the mode has no teams.
    pub team: String,
    pub life: Life,
    pub alive: bool,
    pub held: WeaponId,
    pub held_name: String,
    /// Her address and port as last validated.
    pub address: String,
    pub connected_s: u64,
    /// Round trip measured by the connection, milliseconds.
    pub round_trip_ms: f32,
    /// Measured from her shots: median and mean distance from it; `None` before the first.
    pub latency_ms: Option<f32>,
    pub jitter_ms: Option<f32>,
    /// Since she joined the room.
    pub shots_accepted: u64,
    pub shots_refused: RuleCounts,
    /// Bytes queued for her and not acknowledged.
    pub queued_bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kick {
    pub player: PlayerId,
    /// Told to her; at most 200 bytes.
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KickOutcome {
    pub player: PlayerId,
    pub room: RoomId,
    pub node: NodeName,
}

/// Who is banned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BanSubject {
    Player(PlayerId),
    /// Every address of a range; one address is a range of its full length.
    Addresses(IpNet),
}

impl BanSubject {
    /// Whether a player at an address falls under it. An IPv4 address mapped into IPv6 counts as the
    /// IPv4 address it is.
    #[must_use]
    pub fn covers(&self, player: &PlayerId, address: IpAddr) -> bool {
        match self {
            Self::Player(banned) => banned == player,
            Self::Addresses(range) => range.contains(&address.to_canonical()),
        }
    }
}

impl fmt::Display for BanSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Player(player) => write!(f, "player/{player}"),
            Self::Addresses(range) => write!(f, "address/{range}"),
        }
    }
}

/// `player/NAME`, `address/RANGE` or `address/ADDRESS`; the range's host bits are cleared.
impl FromStr for BanSubject {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(player) = text.strip_prefix("player/") {
            return PlayerId::new(player).map(Self::Player).map_err(|error| error.to_string());
        }
        let Some(range) = text.strip_prefix("address/") else {
            return Err(format!("`{text}` is neither player/NAME nor address/RANGE"));
        };
        range
            .parse::<IpNet>()
            .or_else(|_| range.parse::<IpAddr>().map(|address| address.to_canonical().into()))
            .map(|range| Self::Addresses(range.trunc()))
            .map_err(|_| format!("`{range}` is no address and no range such as 192.0.2.0/24"))
    }
}

impl PartialOrd for BanSubject {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for BanSubject {
    fn cmp(&self, other: &Self) -> Ordering {
        self.to_string().cmp(&other.to_string())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ban {
    pub subject: BanSubject,
    /// At most 200 bytes.
    pub reason: String,
    /// The caller who set it.
    pub by: String,
    pub since_unix_s: u64,
    /// `None` never runs out.
    pub expires_unix_s: Option<u64>,
}

impl Ban {
    #[must_use]
    pub fn is_over(&self, now_unix_s: u64) -> bool {
        self.expires_unix_s.is_some_and(|end| end <= now_unix_s)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BanOutcome {
    pub ban: Ban,
    /// Players sent away by it on the node that was asked.
    pub players_kicked: Vec<PlayerId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ban_covers_a_player_or_a_range_of_addresses() {
        let alice = PlayerId::new("alice").expect("an id");
        let range: BanSubject = "address/192.0.2.77/24".parse().expect("a range");
        assert_eq!(range.to_string(), "address/192.0.2.0/24");
        assert!(range.covers(&alice, "192.0.2.9".parse().expect("an address")));
        assert!(range.covers(&alice, "::ffff:192.0.2.9".parse().expect("an address")));
        assert!(!range.covers(&alice, "192.0.3.9".parse().expect("an address")));
        let one: BanSubject = "address/2001:db8::1".parse().expect("an address");
        assert_eq!(one.to_string(), "address/2001:db8::1/128");
        let named: BanSubject = "player/alice".parse().expect("a player");
        assert!(named.covers(&alice, "192.0.2.9".parse().expect("an address")));
        assert!("alice".parse::<BanSubject>().is_err());
        assert!("address/300.1.1.1".parse::<BanSubject>().is_err());
    }
}
