//! What is to be said of one entity, whatever the client knows of it: the general way, for clients
//! that know part of the room, and for snapshots that are cut.

use super::layout::{Changes, Off, Widths, delta_bits, turns, write_delta, write_whole};
use super::predict::{Ahead, predict};
use super::ring::{SentStates, Slot};
use super::sent::Bases;
use crate::bits::BitWriter;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    pub(super) id: u16,
    pub(super) what: What,
    pub(super) off: Off,
    changes: Changes,
    /// The client has a state of it.
    known: bool,
    pub(super) included: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum What {
    /// Not there, and the client does not think so either; or there, as predicted.
    #[default]
    AsPredicted,
    Delta,
    Gone,
    Whole,
}

impl Row {
    pub(super) fn of(id: u16, states: &SentStates, now: &Slot, bases: &Bases<'_>) -> Self {
        let mut row = Self { id, ..Self::default() };
        let id = usize::from(id);
        let known = bases.newer_value(id);
        row.known = known.is_some();
        let current = states.current(id).filter(|_| now.has(id));
        let (Some((slot, pose)), Some(current)) = (known, current) else {
            row.what = match (known, current) {
                (Some(_), None) => What::Gone,
                (None, Some(_)) => What::Whole,
                _ => What::AsPredicted,
            };
            return row;
        };
        if current.born > slot.seq {
            row.what = What::Whole;
            return row;
        }
        let older = bases.older_value(id).filter(|(older, _)| {
            older.seq < slot.seq && !states.broke_between(id, older.seq, slot.seq)
        });
        let predicted = older.map_or(pose, |(older, older_pose)| {
            let ahead = Ahead::new(
                now.tick.since(slot.tick).unsigned_abs(),
                slot.tick.since(older.tick).unsigned_abs(),
            );
            predict(pose, older_pose, ahead, turns(current.state.kind))
        });
        row.off = Off::between(predicted, current.state.pose);
        row.changes = Changes::since(slot.seq, current, now.tick);
        if !row.off.is_zero() || row.changes.any() {
            row.what = What::Delta;
        }
        row
    }

    /// Whether its difference has the rarer parts.
    pub(super) fn has_more(&self) -> bool {
        self.off.y | self.off.pitch != 0 || self.changes.any()
    }

    pub(super) fn write(
        &self,
        bits: &mut BitWriter<'_>,
        states: &SentStates,
        now: &Slot,
        widths: Widths,
    ) {
        bits.flag(self.what != What::AsPredicted);
        let current = states.current(usize::from(self.id));
        match (self.what, current) {
            (What::Delta, Some(current)) => {
                bits.flag(true);
                write_delta(bits, self.off, self.changes, &current.state, widths);
            }
            (What::Whole, Some(current)) => {
                if self.known {
                    bits.put(0b10, 2);
                }
                write_whole(bits, &current.state, now.tick.since(current.broke_tick));
            }
            (What::Gone, _) => bits.put(0b00, 2),
            _ => {}
        }
    }

    /// Bits it takes once it is in.
    pub(super) fn cost_bits(
        &self,
        states: &SentStates,
        now: &Slot,
        widths: Widths,
        spare: &mut Vec<u8>,
    ) -> usize {
        match (self.what, states.current(usize::from(self.id))) {
            (What::Delta, Some(current)) => {
                2 + delta_bits(self.off, self.changes, &current.state, widths) as usize
            }
            (What::Whole, _) => {
                spare.clear();
                let mut bits = BitWriter::new(spare);
                self.write(&mut bits, states, now, widths);
                bits.bits_written()
            }
            (What::Gone, _) => 3,
            _ => 1,
        }
    }
}
