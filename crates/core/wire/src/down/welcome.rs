//! The first message down: who the player is, when it is, and everything the game's settings say.

use crate::DecodeError;
use crate::bytes::{ByteReader, Put};
use crate::names::NameTable;
use bytes::Bytes;
use fairshot_units::{EntityId, Life, PlayerId, RoomId, Tick};
use std::sync::Arc;

/// Bytes of a mode's text.
pub const MODE_BYTES_MAX: usize = 256 * 1024;
/// Bytes of a ticket, up or down.
pub const TICKET_BYTES_MAX: usize = 2048;
const ID_BYTES_MAX: usize = 64;

/// What a client needs before its first tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Welcome {
    /// The player's own entity.
    pub entity: EntityId,
    pub life: Life,
    pub player: PlayerId,
    pub room: RoomId,
    /// The room's tick as this was written.
    pub tick: Tick,
    /// Ticks a second.
    pub tick_hz: u16,
    /// Ticks from one snapshot to the next.
    pub snapshot_every: u16,
    /// Milliseconds the seat is held after a lost connection.
    pub rejoin_within_ms: u32,
    /// Good once, for the next connection; empty where there is none.
    pub rejoin_ticket: Bytes,
    pub mode_name: Arc<str>,
    /// The mode as TOML text: arena, movement, body, catalogue and all else.
    pub mode: Bytes,
    /// The room's recurring texts as they stand before the first batch.
    pub table: NameTable,
}

impl Welcome {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.put_u16(self.entity.0);
        out.put_u16(self.life.0);
        out.put_block(self.player.as_str().as_bytes());
        out.put_block(self.room.as_str().as_bytes());
        out.put_u32(self.tick.0);
        out.put_u16(self.tick_hz);
        out.put_u16(self.snapshot_every);
        out.put_u32(self.rejoin_within_ms);
        out.put_block(&self.rejoin_ticket);
        out.put_block(self.mode_name.as_bytes());
        out.put_block(&self.mode);
        self.table.write(out);
    }

    pub(super) fn read(bytes: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        let welcome = Self {
            entity: EntityId(bytes.take_u16()?),
            life: Life(bytes.take_u16()?),
            player: PlayerId::new(bytes.take_text("player", ID_BYTES_MAX)?)
                .map_err(|_| DecodeError::Text("player"))?,
            room: RoomId::new(bytes.take_text("room", ID_BYTES_MAX)?)
                .map_err(|_| DecodeError::Text("room"))?,
            tick: Tick(bytes.take_u32()?),
            tick_hz: bytes.take_u16()?,
            snapshot_every: bytes.take_u16()?,
            rejoin_within_ms: bytes.take_u32()?,
            rejoin_ticket: Bytes::copy_from_slice(bytes.take_block("ticket", TICKET_BYTES_MAX)?),
            mode_name: Arc::from(bytes.take_text("mode name", ID_BYTES_MAX)?),
            mode: Bytes::copy_from_slice(bytes.take_block("mode", MODE_BYTES_MAX)?),
            table: NameTable::read(bytes)?,
        };
        if welcome.tick_hz == 0 || welcome.snapshot_every == 0 {
            return Err(DecodeError::Range("rate"));
        }
        Ok(welcome)
    }
}
