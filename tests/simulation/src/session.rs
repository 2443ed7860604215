//! One player as the server's shell has her: the ledger that rules on her messages, what was heard, the
//! snapshots she builds on.

use crate::findings::Upward;
use fairshot_gateway::SessionId;
use fairshot_judge::{Claim, LedgerRuling, NamedTarget};
use fairshot_ledger::{FrameReport, Ledger, ShotReport, ShotRuling};
use fairshot_mode::Mode;
use fairshot_room::{Frame, RoomInput, Shot};
use fairshot_units::{EntityId, Revision};
use fairshot_wire::snapshot::SnapshotWriter;
use fairshot_wire::{AckWindow, UpDatagram};
use std::sync::Arc;

/// A player who was let in.
#[derive(Debug)]
pub struct Session {
    pub entity: EntityId,
    pub id: SessionId,
    pub ledger: Ledger,
    /// The client said that a weapon command did not apply.
    pub apply_failed: bool,
    /// When her datagrams came.
    pub upward: Upward,
    pub(crate) acks: AckWindow,
    pub(crate) snapshots: SnapshotWriter,
    /// As of the last datagram: what the next own state says.
    pub(crate) revision: Revision,
}

impl Session {
    pub(crate) fn new(entity: EntityId, id: SessionId, mode: &Mode) -> Self {
        Self {
            entity,
            id,
            ledger: Ledger::new(Arc::new(mode.weapons.clone())),
            apply_failed: false,
            upward: Upward::default(),
            acks: AckWindow::default(),
            snapshots: SnapshotWriter::new(entity),
            revision: Revision::default(),
        }
    }

    /// What the room is to see of a datagram.
    pub(crate) fn join(
        &mut self,
        datagram: &UpDatagram,
        open: bool,
        now_ms: u64,
    ) -> Vec<RoomInput> {
        if let Some(ack) = datagram.snapshot {
            self.snapshots.handle_ack(ack);
        }
        let mut inputs = Vec::new();
        for frame in &datagram.frames {
            inputs.extend(self.join_frame(frame, open, now_ms).map(RoomInput::Frame));
        }
        for shot in &datagram.shots {
            inputs.extend(self.join_shot(shot, open, now_ms));
        }
        self.revision = self.ledger.revision();
        inputs
    }

    fn join_frame(
        &mut self,
        frame: &fairshot_wire::Frame,
        open: bool,
        now_ms: u64,
    ) -> Option<Frame> {
        if !self.acks.record(frame.number) {
            return None;
        }
        let report = FrameReport {
            life: frame.life,
            rev: frame.revision,
            number: frame.number,
            held: frame.held,
            total: frame.total,
            clip: frame.clip,
            firing: frame.firing,
        };
        let (held, firing) = if open {
            (frame.held, frame.firing.then_some(frame.held))
        } else {
            let ruling = self.ledger.frame(&report, now_ms);
            (self.ledger.held(), ruling.acts)
        };
        Some(Frame {
            entity: self.entity,
            life: frame.life,
            number: frame.number,
            input: frame.input,
            held,
            firing,
        })
    }

    fn join_shot(
        &mut self,
        shot: &fairshot_wire::Shot,
        open: bool,
        now_ms: u64,
    ) -> Option<RoomInput> {
        if !self.acks.record(shot.number) {
            return None;
        }
        let report = ShotReport {
            life: shot.life,
            rev: shot.revision,
            number: shot.number,
            weapon: shot.weapon,
            total: shot.total,
        };
        let ruling = if open {
            LedgerRuling::Accepted
        } else {
            match self.ledger.shot(&report, now_ms) {
                ShotRuling::Accepted => LedgerRuling::Accepted,
                ShotRuling::Refused(rule) => LedgerRuling::Refused(rule),
                ShotRuling::Repeat => return None,
                ShotRuling::Malformed => return Some(RoomInput::Malformed { entity: self.entity }),
            }
        };
        let names = shot
            .names
            .iter()
            .map(|named| NamedTarget { pellet: named.pellet, target: named.target })
            .collect();
        Some(RoomInput::Shot(Shot {
            entity: self.entity,
            life: shot.life,
            claim: Claim {
                number: shot.number,
                weapon: shot.weapon,
                view: shot.view,
                origin_m: shot.origin_m,
                direction: shot.direction,
                names,
            },
            ruling,
            frame: shot.frame,
        }))
    }
}
