//! Nodes, shards, rooms and heartbeats.

use super::super::{ControlError, Heartbeat, NodeInfo, NodeName, RoomInfo, RoomState, ShardInfo};
use super::{narrow, room};
use fairshot_proto::v1;
use fairshot_units::Tick;

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

impl From<ShardInfo> for v1::ShardInfo {
    fn from(shard: ShardInfo) -> Self {
        Self {
            shard: shard.shard.into(),
            address: shard.address,
            rooms: shard.rooms,
            players: shard.players,
            tick_headroom: shard.tick_headroom,
            late_ticks: shard.late_ticks,
            dropped_ticks: shard.dropped_ticks,
            slow_disconnects: shard.slow_disconnects,
        }
    }
}

impl TryFrom<v1::ShardInfo> for ShardInfo {
    type Error = ControlError;

    fn try_from(shard: v1::ShardInfo) -> Result<Self, ControlError> {
        Ok(Self {
            shard: narrow("shard", shard.shard)?,
            address: shard.address,
            rooms: shard.rooms,
            players: shard.players,
            tick_headroom: shard.tick_headroom,
            late_ticks: shard.late_ticks,
            dropped_ticks: shard.dropped_ticks,
            slow_disconnects: shard.slow_disconnects,
        })
    }
}

impl From<RoomState> for v1::RoomState {
    fn from(state: RoomState) -> Self {
        match state {
            RoomState::Open => Self::Open,
            RoomState::Draining => Self::Draining,
            RoomState::Closing => Self::Closing,
        }
    }
}

impl From<RoomInfo> for v1::RoomInfo {
    fn from(info: RoomInfo) -> Self {
        Self {
            room: info.room.into(),
            mode: info.mode,
            node: info.node.into(),
            shard: info.shard.into(),
            state: v1::RoomState::from(info.state).into(),
            players: info.players,
            seats_reserved: info.seats_reserved,
            seats_max: info.seats_max,
            monsters: info.monsters,
            tick: info.tick.0,
            tick_hz: info.tick_hz.into(),
            uptime_s: info.uptime_s,
            tick_time_us_p50: info.tick_time_us_p50,
            tick_time_us_p99: info.tick_time_us_p99,
            refused_shots_total: info.refused_shots_total,
        }
    }
}

impl TryFrom<v1::RoomInfo> for RoomInfo {
    type Error = ControlError;

    fn try_from(info: v1::RoomInfo) -> Result<Self, ControlError> {
        let state = match info.state() {
            v1::RoomState::Open => RoomState::Open,
            v1::RoomState::Draining => RoomState::Draining,
            v1::RoomState::Closing => RoomState::Closing,
            v1::RoomState::Unspecified => return Err(super::missing("state")),
        };
        Ok(Self {
            room: room(&info.room)?,
            mode: info.mode,
            node: NodeName::from(info.node),
            shard: narrow("shard", info.shard)?,
            state,
            players: info.players,
            seats_reserved: info.seats_reserved,
            seats_max: info.seats_max,
            monsters: info.monsters,
            tick: Tick(info.tick),
            tick_hz: narrow("tick_hz", info.tick_hz)?,
            uptime_s: info.uptime_s,
            tick_time_us_p50: info.tick_time_us_p50,
            tick_time_us_p99: info.tick_time_us_p99,
            refused_shots_total: info.refused_shots_total,
        })
    }
}

impl From<Heartbeat> for v1::Heartbeat {
    fn from(beat: Heartbeat) -> Self {
        Self {
            room: beat.room.into(),
            mode: beat.mode,
            node: beat.node.into(),
            shard: beat.shard.into(),
            number: beat.number,
            last: beat.last,
            time_unix_ms: beat.time_unix_ms,
            tick: beat.tick,
            players: beat.players,
            monsters: beat.monsters,
            tick_time_us_p50: beat.tick_time_us_p50,
            tick_time_us_p99: beat.tick_time_us_p99,
            late_ticks: beat.late_ticks,
            dropped_ticks: beat.dropped_ticks,
            refused_shots: beat.refused_shots,
            refused_shots_total: beat.refused_shots_total,
            shots_judged: beat.shots_judged,
            shots_accepted: beat.shots_accepted,
            hits: beat.hits,
            unseen_death: beat.unseen_death,
            ledger_corrections: beat.ledger_corrections,
            slow_disconnects: beat.slow_disconnects,
            bytes_up: beat.bytes_up,
            bytes_down: beat.bytes_down,
            live_rules: beat.live_rules,
        }
    }
}

impl TryFrom<v1::Heartbeat> for Heartbeat {
    type Error = ControlError;

    fn try_from(beat: v1::Heartbeat) -> Result<Self, ControlError> {
        Ok(Self {
            room: room(&beat.room)?,
            mode: beat.mode,
            node: NodeName::from(beat.node),
            shard: narrow("shard", beat.shard)?,
            number: beat.number,
            last: beat.last,
            time_unix_ms: beat.time_unix_ms,
            tick: beat.tick,
            players: beat.players,
            monsters: beat.monsters,
            tick_time_us_p50: beat.tick_time_us_p50,
            tick_time_us_p99: beat.tick_time_us_p99,
            late_ticks: beat.late_ticks,
            dropped_ticks: beat.dropped_ticks,
            refused_shots: beat.refused_shots,
            refused_shots_total: beat.refused_shots_total,
            shots_judged: beat.shots_judged,
            shots_accepted: beat.shots_accepted,
            hits: beat.hits,
            unseen_death: beat.unseen_death,
            ledger_corrections: beat.ledger_corrections,
            slow_disconnects: beat.slow_disconnects,
            bytes_up: beat.bytes_up,
            bytes_down: beat.bytes_down,
            live_rules: beat.live_rules,
        })
    }
}
