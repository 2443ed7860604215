//! Frames and shots the server has not acknowledged: they ride in every datagram until it has.

use crate::Liar;
use fairshot_wire::{Frame, MessageAcks, Shot, SnapshotAck, UpDatagram};

/// Frames kept: two seconds at 64 a second. Beyond that the oldest are given up; the room would
/// drop them too.
const FRAMES_KEPT_MAX: usize = 120;
/// Shots kept; no more are fired while so many wait.
pub(crate) const SHOTS_KEPT_MAX: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct Outbox {
    up: UpDatagram,
    pub(crate) frames_given_up: u64,
}

impl Outbox {
    pub(crate) fn push_frame(&mut self, frame: Frame) {
        if self.up.frames.len() == FRAMES_KEPT_MAX {
            self.up.frames.remove(0);
            self.frames_given_up += 1;
        }
        self.up.frames.push(frame);
    }

    pub(crate) fn has_room_for_a_shot(&self) -> bool {
        self.up.shots.len() < SHOTS_KEPT_MAX
    }

    pub(crate) fn push_shot(&mut self, shot: Shot) {
        self.up.shots.push(shot);
    }

    pub(crate) fn settle(&mut self, acks: &MessageAcks) {
        self.up.frames.retain(|frame| !acks.settles(frame.number));
        self.up.shots.retain(|shot| !acks.settles(shot.number));
    }

    pub(crate) fn shots(&self) -> &[Shot] {
        &self.up.shots
    }

    pub(crate) fn frames_waiting(&self) -> usize {
        self.up.frames.len()
    }

    /// Appends the datagram; `false` where a liar holds it back.
    pub(crate) fn write(
        &mut self,
        snapshot: Option<SnapshotAck>,
        batch: u32,
        limit_bytes: usize,
        liar: &mut Option<Box<dyn Liar>>,
        out: &mut Vec<u8>,
    ) -> bool {
        self.up.snapshot = snapshot;
        self.up.batch = batch;
        let Some(liar) = liar else {
            self.up.encode(limit_bytes, out);
            return true;
        };
        let mut forged = self.up.clone();
        let goes = liar.rewrite(&mut forged);
        if goes {
            forged.encode(limit_bytes, out);
        }
        goes
    }
}
