//! Why a connection ends: the application code of its QUIC close frame.

/// The code a server or client closes with. Numbers never change their meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum CloseCode {
    /// The client said goodbye, or the server ended a finished session.
    Goodbye = 0,
    /// The server is stopping.
    Stopping = 1,
    /// The room ended.
    RoomClosed = 2,
    /// The room failed and was retired.
    RoomFailed = 3,
    /// An operator removed the player.
    Kicked = 4,
    /// An operator banned the player.
    Banned = 5,
    /// The player connected again; the newer connection holds the seat.
    Superseded = 6,
    /// Nothing was heard for the idle time.
    Idle = 7,
    /// The next event batch would pass what may wait unacknowledged.
    Slow = 8,
    /// The client could not apply a weapon command, or left one unechoed.
    Diverged = 9,
    /// Hello names another protocol version.
    Version = 10,
    /// The first message was no hello, or none came in time.
    Hello = 11,
    /// A stream message could not be read.
    Protocol = 12,
    /// Too many malformed shots or datagrams.
    Malformed = 13,
    /// More datagrams or stream bytes than a session may send.
    Flood = 14,
    /// The ticket's signature is wrong, or it is no ticket.
    TicketForged = 20,
    TicketExpired = 21,
    TicketUsed = 22,
    /// The ticket is for a room this node does not host.
    TicketRoom = 23,
    /// The ticket is for another node or shard.
    TicketNode = 24,
    /// The ticket was revoked by a kick or a ban.
    TicketRevoked = 25,
    /// The room has no seat for the ticket any more.
    Full = 26,
    /// The server could not do its part; not the client's fault.
    Internal = 30,
}

impl CloseCode {
    pub const ALL: [Self; 23] = [
        Self::Goodbye,
        Self::Stopping,
        Self::RoomClosed,
        Self::RoomFailed,
        Self::Kicked,
        Self::Banned,
        Self::Superseded,
        Self::Idle,
        Self::Slow,
        Self::Diverged,
        Self::Version,
        Self::Hello,
        Self::Protocol,
        Self::Malformed,
        Self::Flood,
        Self::TicketForged,
        Self::TicketExpired,
        Self::TicketUsed,
        Self::TicketRoom,
        Self::TicketNode,
        Self::TicketRevoked,
        Self::Full,
        Self::Internal,
    ];

    #[must_use]
    pub fn code(self) -> u32 {
        self as u32
    }

    #[must_use]
    pub fn from_code(code: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|known| u64::from(known.code()) == code)
    }

    /// A short stable name, fit for a metric's label.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Goodbye => "goodbye",
            Self::Stopping => "stopping",
            Self::RoomClosed => "room_closed",
            Self::RoomFailed => "room_failed",
            Self::Kicked => "kicked",
            Self::Banned => "banned",
            Self::Superseded => "superseded",
            Self::Idle => "idle",
            Self::Slow => "slow",
            Self::Diverged => "diverged",
            Self::Version => "version",
            Self::Hello => "hello",
            Self::Protocol => "protocol",
            Self::Malformed => "malformed",
            Self::Flood => "flood",
            Self::TicketForged => "ticket_forged",
            Self::TicketExpired => "ticket_expired",
            Self::TicketUsed => "ticket_used",
            Self::TicketRoom => "ticket_room",
            Self::TicketNode => "ticket_node",
            Self::TicketRevoked => "ticket_revoked",
            Self::Full => "full",
            Self::Internal => "internal",
        }
    }

    /// Whether the same player may come back with her rejoin ticket.
    #[must_use]
    pub fn may_rejoin(self) -> bool {
        matches!(self, Self::Idle | Self::Slow | Self::Diverged | Self::Flood | Self::Internal)
    }
}
