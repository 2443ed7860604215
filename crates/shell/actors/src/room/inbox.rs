//! What the inventories of a room have ruled on since its last tick.
//!
//! A datagram a player and tick is the most frequent thing there is, so it costs the room no message: the
//! inventories leave it here and the room takes all of it at once, before whatever it does next.

use super::{INBOX_MAX, RoomActor};
use fairshot_gateway::SessionId;
use fairshot_relay::ShotStamp;
use fairshot_room::RoomInput;
use fairshot_units::{EntityId, Revision};
use fairshot_wire::{MessageAcks, SnapshotAck};
use std::cell::RefCell;

/// Datagrams waiting for one room: a few from each of at most 64 players. One more is turned away.
const STAMPED_MAX: usize = 1024;

/// What one player's inventory made of one datagram.
#[derive(Debug)]
pub(crate) struct Stamped {
    pub(crate) entity: EntityId,
    pub(crate) session: SessionId,
    pub(crate) inputs: Vec<RoomInput>,
    pub(crate) acks: MessageAcks,
    pub(crate) snapshot: Option<SnapshotAck>,
    pub(crate) revision: Revision,
    /// What the inventory said of each shot among the inputs.
    pub(crate) shots: Vec<ShotStamp>,
    /// Totals that had to be lowered since the last message.
    pub(crate) corrections: u64,
}

/// Shared by a room, its shard and its inventories, all of them on one thread.
#[derive(Debug, Default)]
pub(crate) struct RoomInbox(RefCell<Vec<Stamped>>);

/// As many wait already as may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{STAMPED_MAX} datagrams wait for the room already")]
pub(crate) struct InboxFull;

impl RoomInbox {
    /// Leaves one datagram for the room.
    pub(crate) fn put(&self, stamped: Stamped) -> Result<(), InboxFull> {
        let mut waiting = self.0.borrow_mut();
        if waiting.len() >= STAMPED_MAX {
            return Err(InboxFull);
        }
        waiting.push(stamped);
        Ok(())
    }

    /// Takes everything, in the order it came; `empty` takes its place.
    fn take(&self, empty: Vec<Stamped>) -> Vec<Stamped> {
        self.0.replace(empty)
    }

    /// Inputs that wait here.
    pub(crate) fn depth(&self) -> usize {
        self.0.borrow().iter().map(|stamped| stamped.inputs.len()).sum()
    }
}

impl RoomActor {
    /// Takes what the inventories left, before anything that must come after it.
    pub(super) fn take_stamped(&mut self) {
        let mut waiting = self.arrivals.take(std::mem::take(&mut self.spare));
        for stamped in waiting.drain(..) {
            self.take_one(stamped);
        }
        self.spare = waiting;
    }

    fn take_one(&mut self, stamped: Stamped) {
        let index = usize::from(stamped.entity.0);
        let Some(Some(link)) = self.links.get_mut(index) else { return };
        if link.session != stamped.session {
            return; // A late datagram of the seat's connection before this one.
        }
        link.acks = stamped.acks;
        link.revision = stamped.revision;
        if let Some(ack) = stamped.snapshot {
            link.writer.handle_ack(ack);
        }
        if stamped.corrections > 0 {
            self.corrections += stamped.corrections;
            self.metrics.ledger_corrections.increment(stamped.corrections);
        }
        if self.inbox.len() < INBOX_MAX {
            self.stamps.extend(stamped.shots);
        }
        for input in stamped.inputs {
            self.put(input);
        }
    }
}
