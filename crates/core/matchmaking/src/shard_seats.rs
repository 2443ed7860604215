//! All seats of one shard, and its door: the one place where seats are promised and tickets are
//! signed, checked and used up.
//!
//! A shard owns one of these beside its rooms and calls it on its own thread:
//!
//! 1. `open` with the room; `reserve` when a matchmaker asks (its answer carries the tickets);
//! 2. `admit` when a connection's first message brings a ticket, before anything else is kept for
//!    it; close the connection it `replaced`, if any;
//! 3. `joined` when the room has let the player in (false: undo it, the seat is gone);
//! 4. `lost` when the connection broke, `left` after a goodbye or a failed join, `evict` on a kick;
//! 5. `poll` about once a second: tells the room whose hold is over, and which rooms to retire.

use crate::seat_book::{AdmitError, Admitted, Generation, ReserveError, SeatBook, SeatFreed};
use crate::{Nonce, SeatCounts, SeatRules, Ticket, TicketError, TicketKey, TicketKind};
use crate::{UsedError, UsedTickets};
use fairshot_units::{NodeId, PlayerId, RoomId};
use std::collections::BTreeMap;

/// Join tickets of one shard that are used and have not run out: 15 s of over 4,000 joins a second.
const USED_TICKETS_MAX: usize = 65_536;

/// The books of a shard's rooms, and the key that signs for them.
#[derive(Debug)]
pub struct ShardSeats {
    node: NodeId,
    shard: u16,
    key: TicketKey,
    used: UsedTickets,
    rooms: BTreeMap<RoomId, RoomSeats>,
    rooms_max: usize,
}

/// One member of a party, her seat and the ticket that opens it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedSeat {
    pub player: PlayerId,
    pub seat: u16,
    /// 255 is none.
    pub team: u8,
    pub ticket: Vec<u8>,
    /// The ticket opens the seat for this long, in milliseconds.
    pub good_for_ms: u64,
}

/// A connection that may go on to its room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admission {
    pub room: RoomId,
    pub kind: TicketKind,
    pub admitted: Admitted,
    /// For the welcome: opens this seat once more, as long as it is this player's.
    pub rejoin_ticket: Vec<u8>,
}

/// What happened by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatEvent {
    Freed {
        room: RoomId,
        freed: SeatFreed,
    },
    /// Nobody has, holds or waits for a seat for long enough. The room's book is closed already:
    /// no seat of it can be promised any more, so it can be retired in peace.
    RoomEmpty {
        room: RoomId,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShardSeatsError {
    #[error("room {0} is open already")]
    RoomExists(RoomId),
    #[error("the shard has {rooms_max} rooms already")]
    RoomsFull { rooms_max: usize },
    #[error("there is no room {0} on this shard")]
    NoRoom(RoomId),
    #[error("room {room} gives no seat")]
    Reserve { room: RoomId, source: ReserveError },
}

impl ShardSeatsError {
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::RoomExists(_) => "room_exists",
            Self::RoomsFull { .. } => "rooms_full",
            Self::NoRoom(_) => "no_room",
            Self::Reserve { source, .. } => source.label(),
        }
    }
}

/// Why a ticket opens nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DoorError {
    #[error("the ticket is not good")]
    Ticket(#[source] TicketError),
    #[error("the ticket is used up")]
    Used(#[source] UsedError),
    #[error("room {0} is over")]
    NoRoom(RoomId),
    #[error("the seat does not wait for this ticket")]
    Seat(#[source] AdmitError),
}

impl DoorError {
    /// A short name that metrics and close codes go by.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Ticket(error) => error.label(),
            Self::Used(UsedError::Used) => "used",
            Self::Used(UsedError::Full { .. }) => "busy",
            Self::NoRoom(_) => "no_room",
            Self::Seat(error) => error.label(),
        }
    }
}

#[derive(Debug)]
struct RoomSeats {
    book: SeatBook,
    empty_ttl_ms: Option<u64>,
}

impl ShardSeats {
    /// `key_seed`: 32 fresh secret random bytes.
    #[must_use]
    pub fn new(node: NodeId, shard: u16, key_seed: &[u8; 32], rooms_max: usize) -> Self {
        Self {
            node,
            shard,
            key: TicketKey::from_seed(key_seed),
            used: UsedTickets::new(USED_TICKETS_MAX),
            rooms: BTreeMap::new(),
            rooms_max,
        }
    }

    /// Opens a room's book. The room is given up once it has been empty for `empty_ttl_ms`; never,
    /// where that is none.
    ///
    /// # Errors
    /// If the room has a book, or the shard as many rooms as it may.
    pub fn open(
        &mut self,
        room: &RoomId,
        rules: SeatRules,
        empty_ttl_ms: Option<u64>,
        now_ms: u64,
    ) -> Result<(), ShardSeatsError> {
        if self.rooms.contains_key(room) {
            return Err(ShardSeatsError::RoomExists(room.clone()));
        }
        if self.rooms.len() >= self.rooms_max {
            return Err(ShardSeatsError::RoomsFull { rooms_max: self.rooms_max });
        }
        let book = SeatBook::new(rules, now_ms);
        self.rooms.insert(room.clone(), RoomSeats { book, empty_ttl_ms });
        Ok(())
    }

    /// Forgets a room; its tickets open nothing from now on. False if there was none.
    pub fn close(&mut self, room: &RoomId) -> bool {
        self.rooms.remove(room).is_some()
    }

    /// Seats for a whole party, or for none of it.
    ///
    /// # Errors
    /// [`ShardSeatsError::NoRoom`], or why the room's book refused.
    pub fn reserve(
        &mut self,
        room: &RoomId,
        members: &[(PlayerId, Nonce)],
        now_ms: u64,
    ) -> Result<Vec<IssuedSeat>, ShardSeatsError> {
        let seats = self.rooms.get_mut(room).ok_or(ShardSeatsError::NoRoom(room.clone()))?;
        let granted = seats
            .book
            .reserve(members, now_ms)
            .map_err(|source| ShardSeatsError::Reserve { room: room.clone(), source })?;
        let issued = granted.into_iter().map(|member| {
            let ticket = self.key.sign(&Ticket {
                kind: TicketKind::Join,
                room: room.clone(),
                player: member.player.clone(),
                seat: member.seat,
                node: self.node.clone(),
                shard: self.shard,
                expiry_ms: member.until_ms,
                nonce: member.nonce,
            });
            IssuedSeat {
                player: member.player,
                seat: member.seat,
                team: member.team,
                ticket,
                good_for_ms: member.until_ms.saturating_sub(now_ms),
            }
        });
        Ok(issued.collect())
    }

    /// Lets the bearer of a ticket in, once. `rejoin` are 16 fresh random bytes.
    ///
    /// # Errors
    /// [`DoorError`]: nothing is kept for the connection then.
    pub fn admit(
        &mut self,
        ticket: &[u8],
        rejoin: Nonce,
        now_ms: u64,
    ) -> Result<Admission, DoorError> {
        let ticket =
            self.key.check(ticket, &self.node, self.shard, now_ms).map_err(DoorError::Ticket)?;
        let Some(seats) = self.rooms.get_mut(&ticket.room) else {
            return Err(DoorError::NoRoom(ticket.room));
        };
        // A rejoin ticket has no end of its own, so no memory of used ones could; its seat knows the
        // one nonce that still opens it.
        if ticket.kind == TicketKind::Join {
            self.used.note(ticket.nonce, ticket.expiry_ms, now_ms).map_err(DoorError::Used)?;
        }
        let admitted = seats
            .book
            .admit(ticket.seat, &ticket.player, ticket.nonce, rejoin, now_ms)
            .map_err(DoorError::Seat)?;
        let rejoin_ticket = self.key.sign(&Ticket {
            kind: TicketKind::Rejoin,
            expiry_ms: u64::MAX,
            nonce: rejoin,
            ..ticket.clone()
        });
        Ok(Admission { room: ticket.room, kind: ticket.kind, admitted, rejoin_ticket })
    }

    /// See [`SeatBook::joined`]; false too if the room is gone.
    #[must_use]
    pub fn joined(&mut self, room: &RoomId, seat: u16, of: Generation) -> bool {
        self.book_mut(room).is_some_and(|book| book.joined(seat, of))
    }

    /// See [`SeatBook::lost`]; false too if the room is gone.
    #[must_use]
    pub fn lost(&mut self, room: &RoomId, seat: u16, of: Generation, now_ms: u64) -> bool {
        self.book_mut(room).is_some_and(|book| book.lost(seat, of, now_ms))
    }

    /// See [`SeatBook::left`]; false too if the room is gone.
    #[must_use]
    pub fn left(&mut self, room: &RoomId, seat: u16, of: Generation, now_ms: u64) -> bool {
        self.book_mut(room).is_some_and(|book| book.left(seat, of, now_ms))
    }

    /// Gives back the reservation that this unused ticket stands for. False if it stands for none.
    #[must_use]
    pub fn release(&mut self, ticket: &[u8], now_ms: u64) -> bool {
        let Ok(ticket) = self.key.check(ticket, &self.node, self.shard, now_ms) else {
            return false;
        };
        self.book_mut(&ticket.room)
            .is_some_and(|book| book.release(ticket.seat, ticket.nonce, now_ms))
    }

    /// See [`SeatBook::evict`].
    pub fn evict(&mut self, room: &RoomId, player: &PlayerId, now_ms: u64) -> Option<Generation> {
        self.book_mut(room)?.evict(player, now_ms)
    }

    /// See [`SeatBook::set_locked`]. False if the room is gone.
    pub fn set_locked(&mut self, room: &RoomId, locked: bool) -> bool {
        self.book_mut(room).map(|book| book.set_locked(locked)).is_some()
    }

    /// Frees what ran out and closes the books of rooms empty for long enough.
    #[must_use]
    pub fn poll(&mut self, now_ms: u64) -> Vec<SeatEvent> {
        let mut events = Vec::new();
        self.rooms.retain(|room, seats| {
            for freed in seats.book.poll(now_ms) {
                events.push(SeatEvent::Freed { room: room.clone(), freed });
            }
            let over = matches!(
                (seats.book.empty_since_ms(), seats.empty_ttl_ms),
                (Some(since_ms), Some(ttl_ms)) if now_ms >= since_ms.saturating_add(ttl_ms)
            );
            if over {
                events.push(SeatEvent::RoomEmpty { room: room.clone() });
            }
            !over
        });
        events
    }

    #[must_use]
    pub fn book(&self, room: &RoomId) -> Option<&SeatBook> {
        self.rooms.get(room).map(|seats| &seats.book)
    }

    #[must_use]
    pub fn counts(&self, room: &RoomId) -> Option<SeatCounts> {
        self.book(room).map(SeatBook::counts)
    }

    /// Open rooms, in the order of their ids.
    pub fn rooms(&self) -> impl Iterator<Item = (&RoomId, &SeatBook)> {
        self.rooms.iter().map(|(room, seats)| (room, &seats.book))
    }

    fn book_mut(&mut self, room: &RoomId) -> Option<&mut SeatBook> {
        self.rooms.get_mut(room).map(|seats| &mut seats.book)
    }
}
