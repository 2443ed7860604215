//! Seats, tickets and placement: who may enter which room, decided without a clock or a socket.
//!
//! **Who owns a seat.** Exactly one value does: the [`SeatBook`] of its room, kept by the shard that
//! runs the room ([`ShardSeats`] keeps all books of a shard). A matchmaker asks the shard for seats and
//! passes on the tickets it gets; it remembers no seat itself. So no race between matchmakers can
//! oversell a room, a matchmaker that dies strands nobody (its reservations run out where they
//! are kept), and a ticket can never name a seat its room does not know: the same shard signed it.
//!
//! **Whose clock.** Every time here is in milliseconds of the shard's own monotonic clock, and a
//! ticket's expiry is read only by the shard that signed it. Wall clocks may jump as they like.
//!
//! What this crate does not know: sockets, clocks, random sources (nonces and seeds are
//! arguments), where rooms are listed, and how a node is reached.

mod labels;
mod listing;
mod placement;
mod seat_book;
mod shard_seats;
mod ticket;
mod used;

pub use labels::{LabelError, Labels, RoomCode, RoomCodeError};
pub use listing::{RoomFilter, RoomSummary, join_order};
pub use placement::{Caps, NodeOffer, PlaceError, Placement, ShardOffer, place};
pub use seat_book::{
    AdmitError, Admitted, Generation, MemberSeat, ReserveError, SEAT_TTL_MS, Seat, SeatBook,
    SeatCounts, SeatFreed, SeatFreedWhy, SeatRules,
};
pub use shard_seats::{Admission, DoorError, IssuedSeat, SeatEvent, ShardSeats, ShardSeatsError};
pub use ticket::{Nonce, TICKET_BYTES_MAX, Ticket, TicketError, TicketKey, TicketKind};
pub use used::{UsedError, UsedTickets};
