//! A client's side of the snapshots: the pictures it decoded, and the next one built on them.

use super::held::{Value, read_delta, read_whole};
use super::layout::Widths;
use super::own::OwnState;
use super::{BASE_TICKS_MAX, ENTITIES_MAX, SNAPSHOT};
use crate::bits::BitReader;
use crate::{DecodeError, MessageAcks, SnapshotAck};
use fairshot_units::{EntityId, EntityState, MessageNumber, Tick};
use std::collections::VecDeque;

/// One decoded snapshot.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub tick: Tick,
    /// Which frames and shots the server has.
    pub acks: MessageAcks,
    pub own: OwnState,
    /// The entities it holds at its tick, by rising id; the player's own is never among them.
    pub states: Vec<EntityState>,
    /// Entities it says are gone.
    pub gone: Vec<EntityId>,
    /// Nothing was left out: an entity that is not in it is gone.
    pub complete: bool,
}

/// Decodes a session's snapshots.
///
/// Holds at most one picture for each of the last [`BASE_TICKS_MAX`] ticks.
#[derive(Debug)]
pub struct SnapshotReader {
    own: EntityId,
    /// By rising tick.
    pictures: VecDeque<Picture>,
    /// What the server may have been told, oldest first; the last is what to tell it now.
    named: VecDeque<SnapshotAck>,
    /// The newest tick known, from which short ticks are told.
    newest: Tick,
    highest: MessageNumber,
}

#[derive(Debug)]
struct Picture {
    tick: Tick,
    own: OwnState,
    values: Vec<Option<Value>>,
}

/// How far apart the two snapshots of an acknowledgement should lie, in ticks: far enough that
/// rounding does not swing the line through them, near enough that few turns lie between.
const PREVIOUS_TICKS_WANTED: u32 = 2;
const PREVIOUS_TICKS_MAX: u32 = 63;

impl SnapshotReader {
    /// For the player who owns that entity, welcomed at `tick`.
    #[must_use]
    pub fn new(own: EntityId, tick: Tick) -> Self {
        Self {
            own,
            pictures: VecDeque::new(),
            named: VecDeque::new(),
            newest: tick,
            highest: MessageNumber(0),
        }
    }

    /// Decodes a datagram.
    ///
    /// # Errors
    /// [`DecodeError::Repeat`] and [`DecodeError::Baseline`] are part of a network's life; the rest
    /// is not this server's snapshot.
    pub fn read(&mut self, bytes: &[u8]) -> Result<Snapshot, DecodeError> {
        let mut bits = BitReader::new(bytes);
        let first = bits.take_u8()?;
        if first != SNAPSHOT {
            return Err(DecodeError::Version(first));
        }
        let tick = self.expand_tick(bits.take_u16()?);
        self.check_new(tick)?;
        let acks = self.read_acks(&mut bits)?;
        let (newer, older) = self.read_bases(&mut bits, tick)?;
        let base_tick = newer.map(|base| base.tick);
        let base_own = newer.map(|base| base.own).unwrap_or_default();
        let own = OwnState::read(&mut bits, acks.highest, &base_own)?;
        let complete = bits.flag()?;
        let span = usize::from(bits.take_up_to_16(11)?);
        if span > ENTITIES_MAX {
            let count = span as u64;
            return Err(DecodeError::TooMany { what: "entities", count, cap: ENTITIES_MAX });
        }
        let widths = Widths::read(&mut bits)?;

        let mut snapshot =
            Snapshot { tick, acks, own, states: Vec::new(), gone: Vec::new(), complete };
        let mut values = vec![None; span];
        for (id, value) in (0u16..).zip(&mut values) {
            if id == self.own.0 {
                continue;
            }
            let known = newer.and_then(|base| base.value(id, tick));
            let before = older.and_then(|base| base.value(id, tick));
            if !complete && !bits.flag()? {
                *value = known.copied();
                continue;
            }
            *value = read_row(&mut bits, EntityId(id), tick, known, before, widths)?;
            match value {
                Some(value) => snapshot.states.push(value.state),
                None if known.is_some() => snapshot.gone.push(EntityId(id)),
                None => {}
            }
        }
        bits.finish()?;
        self.keep(Picture { tick, own, values }, acks.highest);
        if let Some(base) = base_tick {
            self.let_go(base);
        }
        Ok(snapshot)
    }

    /// What to tell the server: the newest snapshot held and one a little older.
    #[must_use]
    pub fn ack(&self) -> Option<SnapshotAck> {
        self.named.back().copied()
    }

    fn name_newest(&mut self) {
        let Some(newest) = self.pictures.back().map(|picture| picture.tick) else { return };
        if self.named.back().is_some_and(|named| named.newest == newest) {
            return;
        }
        let previous_ticks = self
            .pictures
            .iter()
            .rev()
            .skip(1)
            .map(|picture| newest.since(picture.tick).unsigned_abs())
            .take_while(|ticks| *ticks <= PREVIOUS_TICKS_MAX)
            .min_by_key(|ticks| ticks.abs_diff(PREVIOUS_TICKS_WANTED))
            .and_then(|ticks| u8::try_from(ticks).ok());
        self.named.push_back(SnapshotAck { newest, previous_ticks });
    }

    /// The server builds on `base` now and will on nothing older: lets go of what no acknowledgement
    /// since then named.
    fn let_go(&mut self, base: Tick) {
        while self.named.front().is_some_and(|named| named.newest.since(base) < 0) {
            self.named.pop_front();
        }
        let oldest =
            |named: &SnapshotAck| named.newest - u32::from(named.previous_ticks.unwrap_or(0));
        while let Some(picture) = self.pictures.front() {
            let is_named = self.named.iter().any(|named| picture.tick.since(oldest(named)) >= 0);
            if is_named || self.pictures.len() <= 2 {
                break;
            }
            self.pictures.pop_front();
        }
    }

    fn expand_tick(&self, low: u16) -> Tick {
        let [a, b, ..] = self.newest.0.to_le_bytes();
        let way = low.wrapping_sub(u16::from_le_bytes([a, b])).cast_signed();
        Tick(self.newest.0.wrapping_add_signed(i32::from(way)))
    }

    fn check_new(&self, tick: Tick) -> Result<(), DecodeError> {
        let Some(newest) = self.pictures.back() else { return Ok(()) };
        let is_old =
            newest.tick.since(tick) > 0 && newest.tick.since(tick).unsigned_abs() > BASE_TICKS_MAX;
        if is_old || self.pictures.iter().any(|picture| picture.tick == tick) {
            return Err(DecodeError::Repeat);
        }
        Ok(())
    }

    fn read_acks(&self, bits: &mut BitReader<'_>) -> Result<MessageAcks, DecodeError> {
        let low = bits.take_u16()?;
        let [a, b, ..] = self.highest.0.to_le_bytes();
        let way = low.wrapping_sub(u16::from_le_bytes([a, b])).cast_signed();
        let highest = self.highest.0.checked_add_signed(i32::from(way));
        let highest = MessageNumber(highest.ok_or(DecodeError::Range("message number"))?);
        if bits.flag()? {
            return Ok(MessageAcks { highest, mask: u64::MAX });
        }
        let mask = bits.take(32)? | bits.take(32)? << 32;
        Ok(MessageAcks { highest, mask })
    }

    fn read_bases(
        &self,
        bits: &mut BitReader<'_>,
        tick: Tick,
    ) -> Result<(Option<&Picture>, Option<&Picture>), DecodeError> {
        if !bits.flag()? {
            return Ok((None, None));
        }
        let newer = tick - u32::from(bits.take_up_to_16(7)?);
        let way = u32::from(bits.take_up_to_16(6)?);
        let held = |tick: Tick| self.pictures.iter().find(|picture| picture.tick == tick);
        let base = held(newer).ok_or(DecodeError::Baseline)?;
        let older = match way {
            0 => None,
            way => Some(held(newer - way).ok_or(DecodeError::Baseline)?),
        };
        Ok((Some(base), older))
    }

    fn keep(&mut self, picture: Picture, highest: MessageNumber) {
        self.highest = self.highest.max(highest);
        if picture.tick.since(self.newest) > 0 {
            self.newest = picture.tick;
        }
        let newer = self.pictures.iter().rev().take_while(|p| p.tick.since(picture.tick) > 0);
        let at = self.pictures.len() - newer.count();
        self.pictures.insert(at, picture);
        while let Some(oldest) = self.pictures.front() {
            if self.newest.since(oldest.tick).unsigned_abs() <= BASE_TICKS_MAX {
                break;
            }
            self.pictures.pop_front();
        }
        while self
            .named
            .front()
            .is_some_and(|named| self.newest.since(named.newest).unsigned_abs() > BASE_TICKS_MAX)
        {
            self.named.pop_front();
        }
        self.name_newest();
    }
}

impl Picture {
    /// An entity's state in it, unless that is too old to build on at `now`.
    fn value(&self, id: u16, now: Tick) -> Option<&Value> {
        let value = self.values.get(usize::from(id))?.as_ref()?;
        (now.since(value.tick).unsigned_abs() <= BASE_TICKS_MAX).then_some(value)
    }
}

fn read_row(
    bits: &mut BitReader<'_>,
    id: EntityId,
    now: Tick,
    known: Option<&Value>,
    older: Option<&Value>,
    widths: Widths,
) -> Result<Option<Value>, DecodeError> {
    let changed = bits.flag()?;
    let Some(known) = known else {
        return if changed { read_whole(bits, id, now).map(Some) } else { Ok(None) };
    };
    let predicted = known.predicted(older, now);
    if !changed {
        let mut value = Value { tick: now, ..*known };
        value.state.pose = predicted;
        value.state.teleported = false;
        return Ok(Some(value));
    }
    if bits.flag()? {
        return read_delta(bits, known, predicted, now, widths).map(Some);
    }
    if bits.flag()? { read_whole(bits, id, now).map(Some) } else { Ok(None) }
}
