//! One player's session on the server: her inventory, what of her was heard, the snapshots she builds on.

use crate::findings::Upward;
use fairshot_gateway::SessionId;
use fairshot_ledger::Ledger;
use fairshot_mode::Mode;
use fairshot_relay::{Intake, ShotStamp};
use fairshot_room::RoomInput;
use fairshot_units::{EntityId, Revision};
use fairshot_wire::snapshot::SnapshotWriter;
use fairshot_wire::{MalformedShot, UpDatagram};
use std::sync::Arc;

/// A player who was let in.
#[derive(Debug)]
pub struct Session {
    pub entity: EntityId,
    pub id: SessionId,
    /// The client said that a weapon command did not apply.
    pub apply_failed: bool,
    /// When her datagrams came.
    pub upward: Upward,
    pub(crate) intake: Intake,
    pub(crate) snapshots: SnapshotWriter,
    /// As of the last datagram: what the next own state says.
    pub(crate) revision: Revision,
    stamps: Vec<ShotStamp>,
}

impl Session {
    pub(crate) fn new(entity: EntityId, id: SessionId, mode: &Mode) -> Self {
        let ledger = Ledger::new(Arc::new(mode.weapons.clone()));
        Self {
            entity,
            id,
            apply_failed: false,
            upward: Upward::default(),
            intake: Intake::new(entity, mode, ledger),
            snapshots: SnapshotWriter::new(entity),
            revision: Revision::default(),
            stamps: Vec::new(),
        }
    }

    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.intake.ledger
    }

    /// Appends what the room is to see of a datagram.
    pub(crate) fn join(
        &mut self,
        datagram: &UpDatagram,
        malformed: &[MalformedShot],
        now_ms: u64,
        inputs: &mut Vec<RoomInput>,
    ) {
        if let Some(ack) = datagram.snapshot {
            self.snapshots.handle_ack(ack);
        }
        self.stamps.clear();
        self.intake.join(datagram, malformed, now_ms, inputs, &mut self.stamps);
        self.revision = self.ledger().revision();
    }
}
