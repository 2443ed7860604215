//! What an endpoint tells its owner: names of connections, events, why one ended, path figures.

use bytes::Bytes;
use std::net::SocketAddr;
use std::time::Duration;

/// A connection of one endpoint. Never names another connection after its own is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionKey {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

impl ConnectionKey {
    /// A small number, unique among the connections open at one time: fit for a flat array.
    #[must_use]
    pub fn index(self) -> usize {
        self.index as usize
    }
}

/// What happened to a connection, in the order it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The handshake is complete. On a client the ordered stream is open for writing.
    Connected { address: SocketAddr },
    /// A datagram of the peer, whole.
    Datagram(Bytes),
    /// The ordered stream has bytes to read with [`crate::Endpoint::read`].
    Readable,
    /// The peer will write nothing more on the ordered stream.
    Finished,
    /// The connection is gone; its key names nothing any more.
    Closed(CloseReason),
}

/// Why a connection ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CloseReason {
    #[error("closed by the peer with code {code}")]
    Peer { code: u64, reason: Bytes },
    #[error("closed here with code {code}")]
    Local { code: u64 },
    #[error("the peer fell silent")]
    TimedOut,
    #[error("the handshake did not finish in time")]
    HandshakeTimedOut,
    #[error("the server took no more connections")]
    Refused,
    #[error("the peer no longer knows the connection")]
    Reset,
    #[error("the server's certificate is not the pinned one")]
    Certificate,
    #[error("broken protocol: {0}")]
    Protocol(String),
}

impl CloseReason {
    /// A short stable name, fit for a metric's label.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Peer { .. } => "peer",
            Self::Local { .. } => "local",
            Self::TimedOut => "timed_out",
            Self::HandshakeTimedOut => "handshake_timed_out",
            Self::Refused => "refused",
            Self::Reset => "reset",
            Self::Certificate => "certificate",
            Self::Protocol(_) => "protocol",
        }
    }
}

/// Why a datagram was not taken. The connection stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    #[error("no such connection, or its handshake has not finished")]
    NotConnected,
    /// The path's limit fell below the datagram; `size_max` is what it takes now.
    #[error("a datagram of {size} bytes is over the path's {size_max}")]
    TooLarge { size: usize, size_max: usize },
}

/// Why bytes were not queued on the ordered stream. Nothing was queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    #[error("no such connection, or its stream is not open")]
    NotConnected,
    #[error("{pending} bytes wait already; the bound is {pending_max}")]
    Full { pending: usize, pending_max: usize },
}

/// Figures of a connection's path, as QUIC measures it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathState {
    pub address: SocketAddr,
    /// Smoothed round trip.
    pub round_trip: Duration,
    /// The smallest round trip measured on this path.
    pub round_trip_min: Duration,
    /// Bytes that may be on their way unacknowledged.
    pub window_bytes: u64,
    pub packets_sent: u64,
    pub packets_lost: u64,
    /// Largest UDP payload the path is known to carry.
    pub packet_size_max: u16,
    /// Largest datagram that fits a packet now; 0 before the handshake is done.
    pub datagram_size_max: usize,
    /// Datagrams queued and not yet sent, because the window or the pacer holds them back.
    pub datagrams_held: bool,
}

/// What an endpoint has counted since it was made; what it sent is counted by its carrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    pub packets_in: u64,
    pub bytes_in: u64,
    pub handshakes_begun: u64,
    pub handshakes_done: u64,
    pub handshakes_timed_out: u64,
    pub retries_sent: u64,
    /// First packets passed over because their address began too many handshakes.
    pub refused_address: u64,
    /// First packets passed over because too many handshakes were half open, or connections open.
    pub refused_full: u64,
}
