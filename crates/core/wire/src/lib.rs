//! The players' wire: every byte between a client and its room, packed by hand.
//!
//! - [`UpDatagram`]: frames and shots up, resent until acknowledged.
//! - [`snapshot`]: the room's entities down, as deltas against what the client acknowledged.
//! - [`Up`] and [`Down`]: the ordered stream, cut into messages by [`StreamReader`].
//!
//! Decoding is total: every byte string is a value or a named [`DecodeError`], nothing panics, and
//! what is allocated is bounded by the caps named here. This crate knows no session, no socket, no
//! clock, and no game settings: only shapes and bytes.

mod acks;
mod bits;
mod bytes;
mod close;
mod down;
mod error;
mod names;
pub mod snapshot;
mod stream;
mod up;
mod upstream;
mod value;

pub use acks::{AckWindow, MessageAcks};
pub use close::CloseCode;
pub use down::{
    BatchWriter, DOWN_MESSAGE_BYTES_MAX, Down, DownReader, EVENTS_MAX, Event, EventBatch,
    GameReply, Hit, HitWeapon, Joined, MODE_BYTES_MAX, Motion, Outcome, RefusedBy, ShotJudged,
    Strike, TICKET_BYTES_MAX, TickEvents, Welcome,
};
pub use error::DecodeError;
pub use names::{NAMES_KEPT_MAX, NameTable, RECORDS_KEPT_MAX};
pub use stream::StreamReader;
pub use up::{
    FRAMES_MAX, Frame, MalformedShot, NAMES_MAX, Named, Packed, SHOTS_MAX, Shot, ShotFault,
    SnapshotAck, UP_DATAGRAM, UpDatagram, UpLimits,
};
pub use upstream::{GameCommand, Hello, UP_MESSAGE_BYTES_MAX, Up};
pub use value::{TEXT_BYTES_MAX, VALUE_DEPTH_MAX, VALUE_ITEMS_MAX, Value};

/// What [`Hello`] names. A server serves exactly one.
pub const PROTOCOL_VERSION: u16 = 1;
/// The QUIC application protocol.
pub const ALPN: &[u8] = b"fairshot/1";
