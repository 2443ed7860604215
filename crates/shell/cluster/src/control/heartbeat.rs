//! A room's periodic report, and its one-line JSON form.

use super::node::NodeName;
use fairshot_units::RoomId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Refused shots by rule label. A rule without refusals is left out.
pub type RuleCounts = BTreeMap<String, u64>;

/// One room, every 5 s and once more as it closes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Heartbeat {
    pub room: RoomId,
    pub mode: String,
    pub node: NodeName,
    pub shard: u16,
    /// Counts the room's heartbeats from 1; a gap means that a slow reader lost some.
    pub number: u64,
    /// The room is closing: there is none after this one.
    pub last: bool,
    pub time_unix_ms: u64,
    pub tick: u32,
    pub players: u32,
    pub monsters: u32,
    /// Time a tick took since the last heartbeat, microseconds.
    pub tick_time_us_p50: u32,
    pub tick_time_us_p99: u32,
    /// Ticks begun over 1 ms after they were due, since the last heartbeat.
    pub late_ticks: u64,
    /// Ticks given up after a stall, since the last heartbeat.
    pub dropped_ticks: u64,
    /// Since the last heartbeat, by rule.
    pub refused_shots: RuleCounts,
    /// Since the room began, by rule.
    pub refused_shots_total: RuleCounts,
    /// Since the last heartbeat, as all below.
    pub shots_judged: u64,
    pub shots_accepted: u64,
    pub hits: u64,
    /// Honest shots of a player who had not yet seen her death: refused as `armed`, counted here in its
    /// place.
    pub unseen_death: u64,
    /// Times the ledger lowered a total to what a client reported.
    pub ledger_corrections: u64,
    /// Sessions closed because they read too slowly.
    pub slow_disconnects: u64,
    /// Payload bytes from and to the room's players.
    pub bytes_up: u64,
    pub bytes_down: u64,
    /// Rule settings in force that differ from the mode's file, `key=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub live_rules: Vec<String>,
}

impl Heartbeat {
    /// One line of JSON with camelCase names and no line break.
    #[must_use]
    pub fn to_json_line(&self) -> String {
        serde_json::to_string(self)
            .unwrap_or_else(|error| format!("{{\"room\":\"{}\",\"error\":\"{error}\"}}", self.room))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heartbeat_is_one_json_line_that_reads_back() {
        let heartbeat = Heartbeat {
            room: RoomId::new("arena-1").expect("an id"),
            mode: "arena".into(),
            node: NodeName::new("local"),
            shard: 1,
            number: 3,
            last: false,
            time_unix_ms: 1_700_000_000_000,
            tick: 960,
            players: 4,
            monsters: 40,
            tick_time_us_p50: 80,
            tick_time_us_p99: 210,
            late_ticks: 0,
            dropped_ticks: 0,
            refused_shots: RuleCounts::from([("rate".into(), 10), ("origin".into(), 2)]),
            refused_shots_total: RuleCounts::from([("rate".into(), 12), ("origin".into(), 2)]),
            shots_judged: 30,
            shots_accepted: 18,
            hits: 9,
            unseen_death: 0,
            ledger_corrections: 1,
            slow_disconnects: 0,
            bytes_up: 1000,
            bytes_down: 9000,
            live_rules: vec![],
        };
        let line = heartbeat.to_json_line();
        assert!(!line.contains('\n'));
        assert!(line.contains("\"refusedShotsTotal\":{\"origin\":2,\"rate\":12}"), "{line}");
        assert!(line.contains("\"tickTimeUsP99\":210"), "{line}");
        assert_eq!(serde_json::from_str::<Heartbeat>(&line).expect("reads back"), heartbeat);
    }
}
