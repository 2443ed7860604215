//! Batches: a tick's events are written once for the whole room, then given each session's own
//! number and whatever only that session is told.

use super::{EVENTS, EVENTS_MAX, Event, EventBatch, event_code};
use crate::DecodeError;
use crate::bytes::{ByteReader, Put};
use crate::names::{NameReader, NameTable, NameWriter};
use crate::stream::put_frame;
use bytes::Bytes;
use fairshot_units::Tick;

/// A room's half: holds the table of its recurring texts.
#[derive(Debug, Default)]
pub struct BatchWriter {
    table: NameTable,
}

/// One tick's events as bytes, the same for every session of the room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TickEvents {
    tick: Tick,
    count: usize,
    bytes: Bytes,
}

impl BatchWriter {
    /// The table as a session that joins now must hold it: every batch written after this call, and
    /// none written before it, must go to that session.
    #[must_use]
    pub fn table(&self) -> &NameTable {
        &self.table
    }

    /// Writes what the whole room hears of a tick; events past [`EVENTS_MAX`] are left out.
    ///
    /// Whatever this returns must reach every session, in order: a text's first use is in it.
    pub fn write(&mut self, tick: Tick, events: &[Event]) -> TickEvents {
        let events = &events[..events.len().min(EVENTS_MAX)];
        let mut out = Vec::new();
        let mut names = NameWriter::with(&mut self.table);
        for event in events {
            event_code::write(event, &mut out, &mut names);
        }
        TickEvents { tick, count: events.len(), bytes: out.into() }
    }
}

impl TickEvents {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes of the events alone.
    #[must_use]
    pub fn len_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The stream message for one session: the room's events, then its own (a refusal's reason).
    #[must_use]
    pub fn batch(&self, number: u32, private: &[Event]) -> Bytes {
        let private = &private[..private.len().min(EVENTS_MAX - self.count)];
        let mut out = Vec::with_capacity(self.bytes.len() + 16 + private.len() * 64);
        put_frame(&mut out, |out| {
            write_head(out, number, self.tick, self.count + private.len());
            out.put_bytes(&self.bytes);
            for event in private {
                event_code::write(event, out, &mut NameWriter::plain());
            }
        });
        out.into()
    }
}

pub(super) fn write_whole(batch: &EventBatch, out: &mut Vec<u8>) {
    let events = &batch.events[..batch.events.len().min(EVENTS_MAX)];
    write_head(out, batch.number, batch.tick, events.len());
    for event in events {
        event_code::write(event, out, &mut NameWriter::plain());
    }
}

fn write_head(out: &mut Vec<u8>, number: u32, tick: Tick, count: usize) {
    out.put_u8(EVENTS);
    out.put_varint(number.into());
    out.put_u32(tick.0);
    out.put_varint(count as u64);
}

pub(super) fn read(
    bytes: &mut ByteReader<'_>,
    table: &mut NameTable,
) -> Result<EventBatch, DecodeError> {
    let number = bytes.take_varint_u32()?;
    let tick = Tick(bytes.take_u32()?);
    let count = bytes.take_count("events", EVENTS_MAX)?;
    let mut names = NameReader::with(table);
    let mut events = Vec::with_capacity(count);
    for _ in 0..count {
        events.push(event_code::read(bytes, &mut names)?);
    }
    Ok(EventBatch { number, tick, events })
}
