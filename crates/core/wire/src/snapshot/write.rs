//! One player's snapshots: what was sent to her, what she acknowledged, and the next datagram.

use super::layout::{Sums, Widths};
use super::own::OwnState;
use super::rank::Viewer;
use super::ring::{SentStates, Seq, Slot, push_steadily};
use super::row::{Row, What};
use super::sent::{Bases, Sent, UNKNOWN};
use super::straight::Straight;
use super::{BASE_TICKS_MAX, SNAPSHOT};
use crate::bits::BitWriter;
use crate::{MessageAcks, SnapshotAck};
use fairshot_units::EntityId;
use std::collections::VecDeque;

/// One player's side of the snapshots.
#[derive(Debug)]
pub struct SnapshotWriter {
    own: EntityId,
    sent: VecDeque<Sent>,
    acked: Option<SnapshotAck>,
    widths: Widths,
    /// The last snapshot that left nothing out, and when each entity last went out after that.
    last_complete: Seq,
    last_sent: Vec<Seq>,
}

/// What only this player is told, and where she looks.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Personal {
    pub own: OwnState,
    pub acks: MessageAcks,
    pub viewer: Viewer,
}

/// What a snapshot came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    pub bytes: usize,
    /// Entities that did not fit.
    pub left_out: usize,
}

/// The limit holds not even the player's own state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a snapshot takes at least {needed_bytes} bytes, the limit is {limit_bytes}")]
pub struct TooSmall {
    pub needed_bytes: usize,
    pub limit_bytes: usize,
}

/// Memory that every player's writer of a room may share.
#[derive(Debug, Default)]
pub struct Scratch {
    rows: Vec<Row>,
    order: Vec<Candidate>,
    spare: Vec<u8>,
}

/// An entity that may go into a snapshot that cannot hold all.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    rank: u64,
    row: usize,
    bits: usize,
}

impl SnapshotWriter {
    /// For the player who owns that entity.
    #[must_use]
    pub fn new(own: EntityId) -> Self {
        Self {
            own,
            sent: VecDeque::new(),
            acked: None,
            widths: Widths { ground: 4, height: 2, yaw: 8, pitch: 5 },
            last_complete: 0,
            last_sent: Vec::new(),
        }
    }

    /// Takes what the client says it holds. An older acknowledgement than one heard changes nothing,
    /// and neither does one of a snapshot that was not sent to her.
    pub fn handle_ack(&mut self, ack: SnapshotAck) {
        let is_newer = self.acked.is_none_or(|before| ack.newest.since(before.newest) > 0);
        if is_newer && self.sent.iter().rev().any(|sent| sent.tick == ack.newest) {
            self.acked = Some(ack);
        }
    }

    /// Appends the snapshot of the room's newest record to `out`, at most `limit_bytes` of it.
    ///
    /// What does not fit is left out, the least important first; nothing waits longer than the room
    /// allows: an entity that was left out eight times goes first.
    ///
    /// # Errors
    /// [`TooSmall`] where the limit holds not even the own state, or nothing was recorded yet; nothing
    /// is appended then.
    pub fn write(
        &mut self,
        states: &SentStates,
        personal: &Personal,
        limit_bytes: usize,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<Written, TooSmall> {
        let now = states.newest().ok_or(TooSmall { needed_bytes: 0, limit_bytes })?;
        let bases = Bases::find(&self.sent, self.acked, states, now, self.own);
        let start = out.len();
        let draft = Draft {
            states,
            now,
            bases: &bases,
            personal,
            own: self.own,
            span: now.span().max(bases.span()),
            limit_bits: limit_bytes * 8,
        };
        if let Some(sums) = draft.write_straight(self.widths, out) {
            if sums.any() {
                self.widths = sums.widths();
            }
            self.last_complete = now.seq;
            self.remember(now, personal.own, None);
            return Ok(Written { bytes: out.len() - start, left_out: 0 });
        }
        out.truncate(start);
        let waited = |id: usize| {
            now.seq - self.last_sent.get(id).copied().unwrap_or(0).max(self.last_complete)
        };
        let left_out = draft.write_rows(waited, scratch, out)?;
        self.last_sent.resize(self.last_sent.len().max(draft.span), 0);
        for row in scratch.rows.iter().filter(|row| row.included) {
            self.last_sent[usize::from(row.id)] = now.seq;
        }
        let ages = (left_out > 0).then(|| draft.ages(&scratch.rows));
        if ages.is_none() {
            self.last_complete = now.seq;
        }
        self.remember(now, personal.own, ages);
        Ok(Written { bytes: out.len() - start, left_out })
    }

    /// Bytes held, for a room's memory account.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let ages = |sent: &Sent| sent.ages.as_ref().map_or(0, |ages| ages.len());
        self.sent.capacity() * size_of::<Sent>()
            + self.sent.iter().map(ages).sum::<usize>()
            + self.last_sent.capacity() * size_of::<Seq>()
    }

    fn remember(&mut self, now: &Slot, own: OwnState, ages: Option<Box<[u8]>>) {
        while let Some(oldest) = self.sent.front() {
            let since = now.tick.since(oldest.tick);
            if since >= 0 && since.unsigned_abs() <= BASE_TICKS_MAX {
                break;
            }
            self.sent.pop_front();
        }
        if self.sent.back().is_some_and(|newest| newest.seq == now.seq) {
            self.sent.pop_back();
        }
        push_steadily(&mut self.sent, Sent { seq: now.seq, tick: now.tick, own, ages });
    }
}

/// A snapshot about to be written.
struct Draft<'a> {
    states: &'a SentStates,
    now: &'a Slot,
    bases: &'a Bases<'a>,
    personal: &'a Personal,
    own: EntityId,
    span: usize,
    limit_bits: usize,
}

impl Draft<'_> {
    /// Everything, where the client knows everything; `None` where it does not, or it does not fit.
    fn write_straight(&self, widths: Widths, out: &mut Vec<u8>) -> Option<Sums> {
        let (newer, older) = self.bases.complete()?;
        let straight = Straight {
            states: self.states,
            now: self.now,
            newer,
            older,
            own: usize::from(self.own.0),
            widths,
        };
        let mut bits = BitWriter::new(out);
        self.write_header(&mut bits, true, widths);
        let sums = straight.write(&mut bits, self.span, self.limit_bits)?;
        bits.finish();
        Some(sums)
    }

    /// What fits; how many entities do not. The rows say which.
    fn write_rows(
        &self,
        waited: impl Fn(usize) -> Seq,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<usize, TooSmall> {
        scratch.rows.clear();
        let mut sums = Sums::default();
        for id in 0..u16::try_from(self.span).unwrap_or(u16::MAX) {
            if id != self.own.0 {
                let row = Row::of(id, self.states, self.now, self.bases);
                if row.what == What::Delta {
                    sums.add(row.off, row.has_more());
                }
                scratch.rows.push(row);
            }
        }
        let widths = sums.widths();
        scratch.spare.clear();
        let mut header = BitWriter::new(&mut scratch.spare);
        self.write_header(&mut header, true, widths);
        let header_bits = header.bits_written();
        let room_bits = self.limit_bits.checked_sub(header_bits).ok_or(TooSmall {
            needed_bytes: header_bits.div_ceil(8),
            limit_bytes: self.limit_bits / 8,
        })?;
        let left_out = self.cut(waited, room_bits, widths, scratch);
        let mut bits = BitWriter::new(out);
        self.write_header(&mut bits, left_out == 0, widths);
        for row in &scratch.rows {
            if left_out > 0 {
                bits.flag(row.included);
            }
            if row.included {
                row.write(&mut bits, self.states, self.now, widths);
            }
        }
        bits.finish();
        Ok(left_out)
    }

    fn write_header(&self, bits: &mut BitWriter<'_>, complete: bool, widths: Widths) {
        let Personal { own, acks, .. } = self.personal;
        bits.put(u64::from(SNAPSHOT), 8);
        bits.put(u64::from(self.now.tick.0 & 0xFFFF), 16);
        bits.put(u64::from(acks.highest.0 & 0xFFFF), 16);
        bits.flag(acks.mask == u64::MAX);
        if acks.mask != u64::MAX {
            bits.put(acks.mask & 0xFFFF_FFFF, 32);
            bits.put(acks.mask >> 32, 32);
        }
        bits.flag(self.bases.newer.is_some());
        let mut base_own = OwnState::default();
        if let Some(newer) = self.bases.newer {
            bits.put(u64::from(self.now.tick.since(newer.tick).unsigned_abs()), 7);
            let older = self.bases.older;
            let way = older.map_or(0, |older| newer.tick.since(older.tick).unsigned_abs());
            bits.put(u64::from(way), 6);
            base_own = newer.own;
        }
        own.write(bits, acks.highest, &base_own);
        bits.flag(complete);
        bits.put(self.span as u64, 11);
        widths.write(bits);
    }

    /// Marks what goes in; how many entities do not.
    fn cut(
        &self,
        waited: impl Fn(usize) -> Seq,
        room_bits: usize,
        widths: Widths,
        scratch: &mut Scratch,
    ) -> usize {
        let Scratch { rows, order, spare } = scratch;
        order.clear();
        let mut all = 0;
        for (index, row) in rows.iter_mut().enumerate() {
            let bits = row.cost_bits(self.states, self.now, widths, spare);
            all += bits;
            row.included = true;
            let id = usize::from(row.id);
            let rank = match (row.what, self.states.current(id)) {
                (What::Gone, _) => u64::MAX,
                (_, Some(current)) if self.now.has(id) => {
                    self.personal.viewer.rank(&current.state, waited(id))
                }
                _ => continue,
            };
            order.push(Candidate { rank, row: index, bits });
        }
        if all <= room_bits {
            return 0;
        }
        rows.iter_mut().for_each(|row| row.included = false);
        order.sort_unstable_by_key(|candidate| (std::cmp::Reverse(candidate.rank), candidate.row));
        // One bit a row says whether it is in.
        let mut left_bits = room_bits.saturating_sub(rows.len());
        let mut left_out = 0;
        for candidate in order {
            if candidate.bits <= left_bits {
                left_bits -= candidate.bits;
                rows[candidate.row].included = true;
            } else {
                left_out += 1;
            }
        }
        left_out
    }

    /// How old each entity is in the snapshot these rows make.
    fn ages(&self, rows: &[Row]) -> Box<[u8]> {
        let mut ages = vec![UNKNOWN; self.span].into_boxed_slice();
        for row in rows {
            let id = usize::from(row.id);
            ages[id] = match row.included {
                true if self.now.has(id) => 0,
                true => UNKNOWN,
                false => self.bases.age_of(id, self.now.seq),
            };
        }
        ages
    }
}

const _: () = assert!(BASE_TICKS_MAX < 128);
