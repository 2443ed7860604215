//! What a gateway counts: plain numbers that the shard reads once a heartbeat.

use fairshot_wire::CloseCode;

/// Totals since the gateway was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    pub hellos: u64,
    pub accepted: u64,
    pub datagrams: u64,
    /// Datagrams over a session's rate or its address's, dropped unread.
    pub datagrams_over_rate: u64,
    /// Datagrams and stream messages that could not be read, and shots that are none.
    pub malformed: u64,
    pub messages: u64,
    pub snapshots: u64,
    /// Snapshots that a newer one took the place of, because the path held them back.
    pub snapshots_replaced: u64,
    /// Snapshots that no longer fitted the path when their turn came.
    pub snapshots_oversize: u64,
    pub commands_refused_full: u64,
    /// Payload bytes, without QUIC's and UDP's own.
    pub payload_bytes_up: u64,
    pub payload_bytes_down: u64,
    closed: [u64; CloseCode::ALL.len()],
}

impl Counters {
    /// Sessions that ended with that code, whichever side ended them.
    #[must_use]
    pub fn closed(&self, code: CloseCode) -> u64 {
        index(code).map_or(0, |at| self.closed[at])
    }

    pub(crate) fn count_closed(&mut self, code: CloseCode) {
        if let Some(at) = index(code) {
            self.closed[at] += 1;
        }
    }
}

fn index(code: CloseCode) -> Option<usize> {
    CloseCode::ALL.iter().position(|known| *known == code)
}

/// Payload of one session since it was accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    pub bytes_up: u64,
    pub bytes_down: u64,
    pub datagrams_up: u64,
    pub snapshots_down: u64,
}
