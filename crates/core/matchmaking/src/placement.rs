//! Where a new room goes: to the shard with the most measured tick time to spare, then to the one
//! with the fewest players.

use fairshot_units::NodeId;
use serde::{Deserialize, Serialize};

/// A shard as its node offers it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShardOffer {
    pub shard: u16,
    /// Where players reach it, `host:port`.
    pub address: String,
    /// SHA-256 of the certificate that players pin.
    pub certificate_sha256: [u8; 32],
    /// Rooms placed on it by now.
    pub rooms: u32,
    /// Rooms that ran when `headroom` was measured.
    pub rooms_measured: u32,
    pub players: u32,
    /// The part of a tick's time that its busiest ticks leave unused, 0 to 1.
    pub headroom: f32,
}

/// A node as it offers itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeOffer {
    pub node: NodeId,
    pub region: String,
    /// Names of the modes it can open rooms of.
    pub modes: Vec<String>,
    /// Takes no new room.
    pub draining: bool,
    pub shards: Vec<ShardOffer>,
}

/// What no placement goes beyond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Caps {
    pub rooms_per_shard: u32,
    pub rooms_per_node: u32,
    pub players_per_node: u32,
    /// A shard with less headroom than this takes no new room.
    pub headroom_min: f32,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            rooms_per_shard: 512,
            rooms_per_node: 4_096,
            players_per_node: 16_384,
            headroom_min: 0.1,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    pub node: NodeId,
    pub shard: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    #[error("no node is up")]
    NoNode,
    #[error("no node serves mode {0}")]
    Mode(String),
    #[error("no node serves region {0}")]
    Region(String),
    #[error("every node is draining")]
    Draining,
    #[error("every shard is full or short of tick time")]
    Capacity,
}

impl PlaceError {
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::NoNode => "no_node",
            Self::Mode(_) => "mode",
            Self::Region(_) => "region",
            Self::Draining => "draining",
            Self::Capacity => "capacity",
        }
    }
}

/// Headroom is compared in steps of a twentieth, so that noise in it does not herd every room of a
/// second onto one shard.
const HEADROOM_STEPS: f32 = 20.0;
/// Fewer rooms than this say little of what one costs: a shard has costs of its own.
const ROOMS_TELLING: u32 = 8;
/// What a room is taken to cost of a tick where too few were measured; one that was measured is
/// believed within a factor of five.
const ROOM_COST_DEFAULT: f32 = 0.005;

/// The best shard for a room of that mode and `seats` players, in `region` if one is named.
///
/// # Errors
/// [`PlaceError`] says what stands in the way.
pub fn place(
    nodes: &[NodeOffer],
    caps: &Caps,
    mode: &str,
    region: Option<&str>,
    seats: u16,
) -> Result<Placement, PlaceError> {
    if nodes.is_empty() {
        return Err(PlaceError::NoNode);
    }
    let able: Vec<_> = nodes.iter().filter(|n| n.modes.iter().any(|m| m == mode)).collect();
    if able.is_empty() {
        return Err(PlaceError::Mode(mode.to_owned()));
    }
    let near: Vec<_> =
        able.into_iter().filter(|n| region.is_none_or(|region| n.region == region)).collect();
    if near.is_empty() {
        return Err(PlaceError::Region(region.unwrap_or_default().to_owned()));
    }
    let open: Vec<_> = near.into_iter().filter(|n| !n.draining).collect();
    if open.is_empty() {
        return Err(PlaceError::Draining);
    }
    open.into_iter()
        .filter(|node| node_has_room(node, caps, seats))
        .flat_map(|node| node.shards.iter().map(move |shard| (node, shard)))
        .filter(|(_, shard)| shard.rooms < caps.rooms_per_shard)
        .map(|(node, shard)| (node, shard, headroom_now(shard)))
        .filter(|(_, _, headroom)| *headroom >= caps.headroom_min)
        .min_by_key(|(node, shard, headroom)| {
            (headroom_rank(*headroom), shard.players, shard.rooms, &node.node, shard.shard)
        })
        .map(|(node, shard, _)| Placement { node: node.node.clone(), shard: shard.shard })
        .ok_or(PlaceError::Capacity)
}

fn node_has_room(node: &NodeOffer, caps: &Caps, seats: u16) -> bool {
    let rooms: u32 = node.shards.iter().map(|s| s.rooms).fold(0, u32::saturating_add);
    let players: u32 = node.shards.iter().map(|s| s.players).fold(0, u32::saturating_add);
    rooms < caps.rooms_per_node && players.saturating_add(seats.into()) <= caps.players_per_node
}

/// Measured headroom less what the rooms placed since will take: measurements come once a second, and
/// a crowd that arrives in between must not all land on the shard that looked idle.
#[expect(clippy::cast_precision_loss, reason = "rooms of a shard are few")]
fn headroom_now(shard: &ShardOffer) -> f32 {
    let unmeasured = shard.rooms.saturating_sub(shard.rooms_measured) as f32;
    let cost = if shard.rooms_measured < ROOMS_TELLING {
        ROOM_COST_DEFAULT
    } else {
        let measured = (1.0 - shard.headroom) / shard.rooms_measured as f32;
        measured.clamp(ROOM_COST_DEFAULT / 5.0, ROOM_COST_DEFAULT * 5.0)
    };
    shard.headroom - unmeasured * cost
}

/// Smaller is better; a NaN counts as no headroom at all.
#[expect(clippy::cast_possible_truncation, reason = "held to 0..=20 first; a NaN casts to 0")]
fn headroom_rank(headroom: f32) -> i32 {
    -((headroom.clamp(0.0, 1.0) * HEADROOM_STEPS) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shard(shard: u16, headroom: f32, players: u32) -> ShardOffer {
        ShardOffer {
            shard,
            address: "127.0.0.1:1".into(),
            certificate_sha256: [0; 32],
            rooms: players / 4,
            rooms_measured: players / 4,
            players,
            headroom,
        }
    }

    fn node(name: &str, shards: Vec<ShardOffer>) -> NodeOffer {
        NodeOffer {
            node: NodeId::new(name).expect("an id"),
            region: "eu".into(),
            modes: vec!["arena".into()],
            draining: false,
            shards,
        }
    }

    fn check(nodes: &[NodeOffer], caps: &Caps) -> Result<String, &'static str> {
        place(nodes, caps, "arena", Some("eu"), 4)
            .map(|p| format!("{}/{}", p.node, p.shard))
            .map_err(|e| e.label())
    }

    #[test]
    fn headroom_comes_first_then_players() {
        let nodes = [
            node("a", vec![shard(0, 0.5, 8), shard(1, 0.9, 40)]),
            node("b", vec![shard(0, 0.91, 20), shard(1, 0.2, 0)]),
        ];
        assert_eq!(check(&nodes, &Caps::default()), Ok("b/0".into()));
    }

    #[test]
    fn rooms_placed_since_the_measurement_count_against_it() {
        let crowded = ShardOffer { rooms: 60, rooms_measured: 10, ..shard(0, 0.95, 40) };
        let nodes = [node("a", vec![crowded, shard(1, 0.8, 80)])];
        assert_eq!(check(&nodes, &Caps::default()), Ok("a/1".into()));
    }

    #[test]
    fn caps_per_shard_and_node_and_the_least_headroom_hold() {
        let nodes = [node("a", vec![shard(0, 0.9, 40), shard(1, 0.8, 8)])];
        let caps = Caps::default();
        assert_eq!(check(&nodes, &Caps { rooms_per_shard: 10, ..caps }), Ok("a/1".into()));
        assert_eq!(check(&nodes, &Caps { rooms_per_node: 12, ..caps }), Err("capacity"));
        assert_eq!(check(&nodes, &Caps { players_per_node: 51, ..caps }), Err("capacity"));
        assert_eq!(check(&nodes, &Caps { headroom_min: 0.95, ..caps }), Err("capacity"));
    }

    #[test]
    fn what_stands_in_the_way_is_named() {
        let draining = NodeOffer { draining: true, ..node("a", vec![shard(0, 1.0, 0)]) };
        let caps = Caps::default();
        assert_eq!(check(&[], &caps), Err("no_node"));
        assert_eq!(check(&[draining], &caps), Err("draining"));
        let there = [node("a", vec![shard(0, 1.0, 0)])];
        assert_eq!(
            place(&there, &caps, "arena", Some("us"), 4),
            Err(PlaceError::Region("us".into()))
        );
        assert_eq!(place(&there, &caps, "duel", None, 4), Err(PlaceError::Mode("duel".into())));
        assert_eq!(check(&[node("a", vec![shard(0, f32::NAN, 0)])], &caps), Err("capacity"));
    }

    proptest! {
        #[test]
        fn no_placement_goes_beyond_a_cap(
            loads in prop::collection::vec((0u32..20, 0u32..80, 0.0f32..1.0), 1..8),
            per_shard in 1u32..20,
        ) {
            let shards = loads.iter().zip(0u16..).map(|((rooms, players, headroom), i)| ShardOffer {
                rooms: *rooms, ..shard(i, *headroom, *players)
            });
            let caps = Caps { rooms_per_shard: per_shard, rooms_per_node: 60, players_per_node: 200, headroom_min: 0.3 };
            let nodes = [node("a", shards.collect())];
            if let Ok(placed) = place(&nodes, &caps, "arena", None, 4) {
                let chosen = &nodes[0].shards[usize::from(placed.shard)];
                prop_assert!(chosen.rooms < per_shard && chosen.headroom >= 0.3);
                prop_assert!(nodes[0].shards.iter().map(|s| s.rooms).sum::<u32>() < 60);
                prop_assert!(nodes[0].shards.iter().map(|s| s.players).sum::<u32>() + 4 <= 200);
            }
        }
    }
}
