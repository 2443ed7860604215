//! Nodes, shards, rooms and heartbeats.

use super::super::{ControlError, Heartbeat, NodeInfo, NodeName, RoomInfo, RoomState, ShardInfo};
use super::{narrow, room};
use fairshot_proto::v1;
use fairshot_units::Tick;

/// Both ways between one of our messages and the protobuf of that name: the fields that are alike in
/// both, then each other with its way there and its way back, which may fail.
macro_rules! alike {
    ($message:ident {
        $($same:ident),+ ;
        $($field:ident: ($to:expr, $from:expr)),* $(,)?
    }) => {
        impl From<$message> for v1::$message {
            fn from(ours: $message) -> Self {
                Self { $($same: ours.$same,)+ $($field: ($to)(ours.$field),)* }
            }
        }

        impl TryFrom<v1::$message> for $message {
            type Error = ControlError;

            fn try_from(theirs: v1::$message) -> Result<Self, ControlError> {
                Ok(Self { $($same: theirs.$same,)+ $($field: ($from)(theirs.$field)?,)* })
            }
        }
    };
}

impl From<NodeInfo> for v1::NodeInfo {
    fn from(node: NodeInfo) -> Self {
        Self {
            node: node.node.into(),
            version: node.version,
            region: node.region,
            uptime_s: node.uptime_s,
            modes: node.modes,
            rooms: node.rooms,
            rooms_max: node.rooms_max,
            players: node.players,
            draining: node.drains_in_s.is_some(),
            drains_in_s: node.drains_in_s.unwrap_or(0),
            shards: node.shards.into_iter().map(Into::into).collect(),
            unreachable: String::new(),
        }
    }
}

impl TryFrom<v1::NodeInfo> for NodeInfo {
    type Error = ControlError;

    fn try_from(node: v1::NodeInfo) -> Result<Self, ControlError> {
        Ok(Self {
            node: NodeName::from(node.node),
            version: node.version,
            region: node.region,
            uptime_s: node.uptime_s,
            modes: node.modes,
            rooms: node.rooms,
            rooms_max: node.rooms_max,
            players: node.players,
            drains_in_s: node.draining.then_some(node.drains_in_s),
            shards: node.shards.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
        })
    }
}

alike!(ShardInfo {
    address, rooms, players, tick_headroom, late_ticks, dropped_ticks, slow_disconnects;
    shard: (u32::from, |wide| narrow("shard", wide)),
});

alike!(RoomInfo {
    mode, players, seats_reserved, seats_max, monsters, uptime_s, tick_time_us_p50, tick_time_us_p99,
    refused_shots_total;
    room: (String::from, |id: String| room(&id)),
    node: (String::from, name),
    shard: (u32::from, |wide| narrow("shard", wide)),
    state: (state_number, state),
    tick: (|tick: Tick| tick.0, |wide| Ok::<_, ControlError>(Tick(wide))),
    tick_hz: (u32::from, |wide| narrow("tick_hz", wide)),
});

alike!(Heartbeat {
    mode, number, last, time_unix_ms, tick, players, monsters, tick_time_us_p50, tick_time_us_p99,
    late_ticks, dropped_ticks, refused_shots, refused_shots_total, shots_judged, shots_accepted, hits,
    unseen_death, ledger_corrections, slow_disconnects, bytes_up, bytes_down, live_rules;
    room: (String::from, |id: String| room(&id)),
    node: (String::from, name),
    shard: (u32::from, |wide| narrow("shard", wide)),
});

#[expect(clippy::unnecessary_wraps, reason = "a way back, as each field has one")]
fn name(text: String) -> Result<NodeName, ControlError> {
    Ok(NodeName::from(text))
}

fn state_number(state: RoomState) -> i32 {
    let state = match state {
        RoomState::Open => v1::RoomState::Open,
        RoomState::Draining => v1::RoomState::Draining,
        RoomState::Closing => v1::RoomState::Closing,
    };
    state.into()
}

fn state(number: i32) -> Result<RoomState, ControlError> {
    match v1::RoomState::try_from(number) {
        Ok(v1::RoomState::Open) => Ok(RoomState::Open),
        Ok(v1::RoomState::Draining) => Ok(RoomState::Draining),
        Ok(v1::RoomState::Closing) => Ok(RoomState::Closing),
        Ok(v1::RoomState::Unspecified) | Err(_) => Err(super::missing("state")),
    }
}
