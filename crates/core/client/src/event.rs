//! What a game loop polls: at most so many wait, and the stream is not read on while they do.

use crate::trace::SeenHit;
use fairshot_units::{Life, MessageNumber, Revision, Tick, WeaponCommand, WeaponId};
use fairshot_wire::{CloseCode, Event, GameReply, RefusedBy, Strike, Welcome};
use std::collections::VecDeque;
use std::sync::Arc;

/// Events that may wait for the game loop.
pub const EVENTS_QUEUED_MAX: usize = 512;

/// One thing a game loop may want to act on.
#[derive(Clone, Debug, PartialEq)]
pub enum ClientEvent {
    /// The room took the player in.
    Welcomed(Box<Welcome>),
    /// The room told everybody, or this player alone.
    Room { tick: Tick, event: Event },
    /// A weapon command was applied to the inventory.
    Commanded { revision: Revision, command: WeaponCommand },
    /// The next life began; the inventory is empty.
    Granted { life: Life },
    /// Draw a hit marker: this client's own screen says the shot hit.
    Marker { number: MessageNumber, weapon: WeaponId, hits: Vec<SeenHit> },
    /// The room's word on a shot with a marker, or that should have one.
    MarkerSettled { number: MessageNumber, fate: MarkerFate },
    /// The game's answer to a command.
    Reply { number: u32, reply: GameReply },
    /// A weapon command did not apply; the session will end.
    Diverged { revision: Revision },
    /// The server ends the session.
    Closing { code: CloseCode, reason: Arc<str> },
}

/// What becomes of a shot's marker.
#[derive(Clone, Debug, PartialEq)]
pub enum MarkerFate {
    /// It stands as drawn.
    Confirmed,
    /// Draw these instead, zones included; none where the shot missed.
    Corrected(Vec<Strike>),
    /// Take it back.
    Refused(RefusedBy),
}

/// The queue between the session and the game loop.
#[derive(Debug, Default)]
pub(crate) struct EventQueue {
    events: VecDeque<ClientEvent>,
}

impl EventQueue {
    /// One event of the room may bring a marker's fate with it: room for both, or full.
    pub(crate) fn is_full(&self) -> bool {
        self.events.len() + 2 > EVENTS_QUEUED_MAX
    }

    /// Adds an event from the stream; the caller has looked whether there is room.
    pub(crate) fn push(&mut self, event: ClientEvent) {
        self.events.push_back(event);
    }

    /// Adds an event the client made itself; false where the queue is full and it is dropped.
    pub(crate) fn offer(&mut self, event: ClientEvent) -> bool {
        let room = !self.is_full();
        if room {
            self.events.push_back(event);
        }
        room
    }

    pub(crate) fn pop(&mut self) -> Option<ClientEvent> {
        self.events.pop_front()
    }

    pub(crate) fn len(&self) -> usize {
        self.events.len()
    }
}
