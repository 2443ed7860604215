//! One player's snapshots: what was sent to her, what she acknowledged, and the next datagram.

use super::layout::{Changes, Off, Widths, write_delta, write_whole};
use super::own::OwnState;
use super::predict::{Ahead, predict};
use super::rank::Viewer;
use super::ring::{SentStates, Seq, Slot};
use super::{BASE_TICKS_MAX, SNAPSHOT};
use crate::bits::BitWriter;
use crate::{MessageAcks, SnapshotAck};
use fairshot_units::{EntityId, Pose, Tick};
use std::collections::VecDeque;

/// One player's side of the snapshots.
#[derive(Debug)]
pub struct SnapshotWriter {
    own: EntityId,
    sent: VecDeque<Sent>,
    acked: Option<SnapshotAck>,
    /// When each entity last went out to her.
    last_sent: Vec<Seq>,
}

/// A snapshot that went to this player.
#[derive(Debug)]
struct Sent {
    seq: Seq,
    tick: Tick,
    own: OwnState,
    /// How many snapshots old each entity was in it; `None` where all were of that very tick.
    ages: Option<Vec<u8>>,
}

/// No state is known of that entity.
const UNKNOWN: u8 = u8::MAX;

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
    order: Vec<(u64, u16, u32)>,
}

/// What is to be said of one entity.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    id: u16,
    what: What,
    off: Off,
    changes: Changes,
    included: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum What {
    /// Not there, and the client does not think so either; or there, as predicted.
    #[default]
    AsPredicted,
    Delta,
    Gone,
    Whole,
}

impl SnapshotWriter {
    /// For the player who owns that entity.
    #[must_use]
    pub fn new(own: EntityId) -> Self {
        Self { own, sent: VecDeque::new(), acked: None, last_sent: Vec::new() }
    }

    /// Takes what the client says it holds. An older acknowledgement than one heard changes nothing.
    pub fn handle_ack(&mut self, ack: SnapshotAck) {
        let is_newer = self.acked.is_none_or(|before| ack.newest.since(before.newest) > 0);
        if is_newer && self.sent.iter().any(|sent| sent.tick == ack.newest) {
            self.acked = Some(ack);
        }
    }

    /// Appends the snapshot of the room's newest record to `out`, at most `limit_bytes` of it.
    ///
    /// What does not fit is left out, the least important first; nothing waits longer than the room
    /// allows: an entity that was left out eight times goes first.
    ///
    /// # Errors
    /// [`TooSmall`] where the limit holds not even the own state; nothing is appended then.
    pub fn write(
        &mut self,
        states: &SentStates,
        personal: &Personal,
        limit_bytes: usize,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<Written, TooSmall> {
        let Some(now) = states.newest() else {
            return Err(TooSmall { needed_bytes: 0, limit_bytes });
        };
        let start = out.len();
        let bases = Bases::find(self, states, now);
        let span = self.gather(states, now, &bases, scratch);
        let widths = choose_widths(&scratch.rows);

        let header_bits = {
            let mut bits = BitWriter::new(out);
            self.write_header(&mut bits, now, personal, &bases, widths, span, true);
            let count = bits.bits_written();
            bits.finish();
            out.truncate(start);
            count
        };
        if header_bits.div_ceil(8) > limit_bytes {
            return Err(TooSmall { needed_bytes: header_bits.div_ceil(8), limit_bytes });
        }
        let left_out =
            self.cut(states, now, personal.viewer, limit_bytes * 8 - header_bits, widths, scratch);
        let complete = left_out == 0;

        let mut bits = BitWriter::new(out);
        self.write_header(&mut bits, now, personal, &bases, widths, span, complete);
        for row in &scratch.rows {
            if !complete {
                bits.flag(row.included);
            }
            if row.included {
                write_row(&mut bits, row, states, now, widths, bases.knows(row.id));
            }
        }
        bits.finish();
        let ages = (!complete).then(|| ages(&scratch.rows, now, &bases, span));
        self.remember(now, &personal.own, &scratch.rows, ages, span);
        Ok(Written { bytes: out.len() - start, left_out })
    }

    #[expect(clippy::too_many_arguments, reason = "one header, one caller")]
    fn write_header(
        &self,
        bits: &mut BitWriter<'_>,
        now: &Slot,
        personal: &Personal,
        bases: &Bases<'_>,
        widths: Widths,
        span: usize,
        complete: bool,
    ) {
        let Personal { own, acks, .. } = personal;
        bits.put(u64::from(SNAPSHOT), 8);
        bits.put(u64::from(now.tick.0 & 0xFFFF), 16);
        bits.put(u64::from(acks.highest.0 & 0xFFFF), 16);
        bits.flag(acks.mask == u64::MAX);
        if acks.mask != u64::MAX {
            bits.put(acks.mask & 0xFFFF_FFFF, 32);
            bits.put(acks.mask >> 32, 32);
        }
        bits.flag(bases.newer.is_some());
        let mut base_own = OwnState::default();
        if let Some(newer) = bases.newer {
            bits.put(u64::from(now.tick.since(newer.tick).unsigned_abs()), 7);
            let way = bases.older.map_or(0, |older| newer.tick.since(older.tick).unsigned_abs());
            bits.put(u64::from(way), 6);
            base_own = newer.own;
        }
        own.write(bits, acks.highest, &base_own);
        bits.flag(complete);
        bits.put(span as u64, 11);
        widths.write(bits);
    }

    /// Fills the scratch with a row for each id up to the highest either side knows; own left out.
    fn gather(
        &self,
        states: &SentStates,
        now: &Slot,
        bases: &Bases<'_>,
        scratch: &mut Scratch,
    ) -> usize {
        scratch.rows.clear();
        let span = now.span().max(bases.span());
        for id in 0..span {
            if id == usize::from(self.own.0) {
                continue;
            }
            scratch.rows.push(make_row(id, states, now, bases));
        }
        span
    }

    /// Marks what goes in; how many entities do not.
    fn cut(
        &self,
        states: &SentStates,
        now: &Slot,
        viewer: Viewer,
        room_bits: usize,
        widths: Widths,
        scratch: &mut Scratch,
    ) -> usize {
        let mut all = 0;
        for row in &mut scratch.rows {
            row.included = true;
            all += cost_bits(row, states, now, widths);
        }
        if all <= room_bits {
            return 0;
        }
        let Scratch { rows, order } = scratch;
        order.clear();
        for (index, row) in rows.iter_mut().enumerate() {
            row.included = false;
            let last = self.last_sent.get(usize::from(row.id)).copied().unwrap_or(0);
            let waited = now.seq.saturating_sub(last);
            let rank = match (row.what, states.current(usize::from(row.id))) {
                (What::Gone, _) => u64::MAX,
                (_, Some(current)) if now.has(usize::from(row.id)) => {
                    viewer.rank(&current.state, waited)
                }
                _ => continue,
            };
            let index = u16::try_from(index).unwrap_or(u16::MAX);
            let bits = u32::try_from(cost_bits(row, states, now, widths)).unwrap_or(u32::MAX);
            order.push((rank, index, bits));
        }
        order.sort_unstable_by_key(|(rank, index, _)| (std::cmp::Reverse(*rank), *index));
        // One bit a row says whether it is in.
        let mut left_bits = room_bits.saturating_sub(rows.len());
        let mut left_out = 0;
        for (_, index, bits) in order {
            if *bits as usize <= left_bits {
                left_bits -= *bits as usize;
                rows[usize::from(*index)].included = true;
            } else {
                left_out += 1;
            }
        }
        left_out
    }

    fn remember(
        &mut self,
        now: &Slot,
        own: &OwnState,
        rows: &[Row],
        ages: Option<Vec<u8>>,
        span: usize,
    ) {
        if self.last_sent.len() < span {
            self.last_sent.resize(span, 0);
        }
        for row in rows.iter().filter(|row| row.included) {
            self.last_sent[usize::from(row.id)] = now.seq;
        }
        while let Some(oldest) = self.sent.front() {
            let is_old = now.tick.since(oldest.tick).unsigned_abs() > BASE_TICKS_MAX;
            if !is_old && now.tick.since(oldest.tick) > 0 {
                break;
            }
            self.sent.pop_front();
        }
        if self.sent.back().is_some_and(|newest| newest.seq == now.seq) {
            self.sent.pop_back();
        }
        self.sent.push_back(Sent { seq: now.seq, tick: now.tick, own: *own, ages });
    }
}

/// The acknowledged snapshots a new one builds on.
struct Bases<'a> {
    newer: Option<&'a Sent>,
    older: Option<&'a Sent>,
    states: &'a SentStates,
    now: Tick,
    own: EntityId,
}

impl<'a> Bases<'a> {
    fn find(writer: &'a SnapshotWriter, states: &'a SentStates, now: &Slot) -> Self {
        let usable = |tick: Tick| {
            let since = now.tick.since(tick);
            writer
                .sent
                .iter()
                .rev()
                .find(|sent| sent.tick == tick)
                .filter(|_| since > 0 && since.unsigned_abs() <= BASE_TICKS_MAX)
        };
        let newer = writer.acked.and_then(|ack| usable(ack.newest));
        let older = newer.and_then(|newer| {
            let ticks = writer.acked?.previous_ticks?;
            usable(newer.tick - u32::from(ticks)).filter(|_| ticks < 64)
        });
        Self { newer, older, states, now: now.tick, own: writer.own }
    }

    fn span(&self) -> usize {
        let span = |sent: &Sent| match &sent.ages {
            Some(ages) => ages.len(),
            None => self.states.slot(sent.seq).map_or(0, Slot::span),
        };
        self.newer.map_or(0, span)
    }

    fn knows(&self, id: u16) -> bool {
        self.value(self.newer, usize::from(id)).is_some()
    }

    /// The slot an entity's state in that snapshot was of, and the state's pose.
    fn value(&self, sent: Option<&Sent>, id: usize) -> Option<(&'a Slot, Pose)> {
        let sent = sent?;
        let age = match &sent.ages {
            None => 0,
            Some(ages) => ages.get(id).copied().filter(|age| *age != UNKNOWN)?,
        };
        let slot = self.states.slot(sent.seq.checked_sub(u32::from(age))?)?;
        let is_fresh = self.now.since(slot.tick).unsigned_abs() <= BASE_TICKS_MAX;
        if !is_fresh || id == usize::from(self.own.0) {
            return None;
        }
        slot.pose(id).map(|pose| (slot, pose))
    }

    /// The age an entity has in the new snapshot when it is left out of it.
    fn age_of(&self, id: usize, now: Seq) -> u8 {
        self.value(self.newer, id)
            .and_then(|(slot, _)| u8::try_from(now - slot.seq).ok())
            .unwrap_or(UNKNOWN)
    }
}

/// How old each entity is in the snapshot these rows make, where some were left out.
fn ages(rows: &[Row], now: &Slot, bases: &Bases<'_>, span: usize) -> Vec<u8> {
    let mut ages = vec![UNKNOWN; span];
    for row in rows {
        let id = usize::from(row.id);
        ages[id] = match row.included {
            true if now.has(id) => 0,
            true => UNKNOWN,
            false => bases.age_of(id, now.seq),
        };
    }
    ages
}

fn make_row(id: usize, states: &SentStates, now: &Slot, bases: &Bases<'_>) -> Row {
    let known = bases.value(bases.newer, id);
    let current = states.current(id).filter(|_| now.has(id));
    let mut row = Row { id: u16::try_from(id).unwrap_or(u16::MAX), ..Row::default() };
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
    let older = bases.value(bases.older, id).filter(|(older, _)| {
        older.seq < slot.seq && !states.broke_between(id, older.seq, slot.seq)
    });
    let predicted = older.map_or(pose, |(older, older_pose)| {
        let ahead = Ahead::new(
            now.tick.since(slot.tick).unsigned_abs(),
            slot.tick.since(older.tick).unsigned_abs(),
        );
        predict(pose, older_pose, ahead)
    });
    row.off = Off::between(predicted, current.state.pose);
    row.changes = Changes {
        status: current.status > slot.seq,
        held: current.held > slot.seq,
        traits: current.traits > slot.seq,
        broke_ago: (current.broke > slot.seq)
            .then(|| now.tick.since(current.broke_tick).unsigned_abs()),
    };
    if !row.off.is_zero() || row.changes.any() {
        row.what = What::Delta;
    }
    row
}

fn write_row(
    bits: &mut BitWriter<'_>,
    row: &Row,
    states: &SentStates,
    now: &Slot,
    widths: Widths,
    known: bool,
) {
    bits.flag(row.what != What::AsPredicted);
    let current = states.current(usize::from(row.id));
    match (row.what, current) {
        (What::Delta, Some(current)) => {
            bits.flag(true);
            write_delta(bits, row.off, row.changes, &current.state, widths);
        }
        (What::Whole, Some(current)) => {
            if known {
                bits.put(0b10, 2);
            }
            write_whole(bits, &current.state, now.tick.since(current.broke_tick));
        }
        (What::Gone, _) => bits.put(0b00, 2),
        _ => {}
    }
}

/// Bits a row takes once it is in, at most.
fn cost_bits(row: &Row, states: &SentStates, now: &Slot, widths: Widths) -> usize {
    match row.what {
        What::AsPredicted => 1,
        What::Gone => 3,
        What::Delta | What::Whole => {
            let mut out = Vec::new();
            let mut bits = BitWriter::new(&mut out);
            write_row(&mut bits, row, states, now, widths, true);
            bits.bits_written()
        }
    }
}

/// The widths that suit what is sent: near the mean of it.
fn choose_widths(rows: &[Row]) -> Widths {
    let (mut ground, mut height, mut yaw, mut pitch, mut count) = (0, 0, 0, 0, 0);
    for row in rows.iter().filter(|row| row.what == What::Delta) {
        ground += row.off.x.min(1 << 20) + row.off.z.min(1 << 20);
        height += row.off.y.min(1 << 20);
        yaw += row.off.yaw;
        pitch += row.off.pitch;
        count += 1;
    }
    Widths {
        ground: width(ground, 2 * count),
        height: width(height, count),
        yaw: width(yaw, count),
        pitch: width(pitch, count),
    }
}

fn width(sum: u64, count: u64) -> u32 {
    let mean = sum / count.max(1);
    (63 - (mean + 1).leading_zeros()).min(15)
}

const _: () = assert!(BASE_TICKS_MAX < 128);
