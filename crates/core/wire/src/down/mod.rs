//! The ordered stream down: the welcome, the inventory's commands and grants in one order, the
//! events of each tick, answers and the reason of the end.

mod batch;
mod event;
mod event_code;
mod welcome;

pub use batch::{BatchWriter, TickEvents};
pub use event::{Event, Hit, HitWeapon, Joined, Motion, Outcome, RefusedBy, ShotJudged, Strike};
pub use welcome::{MODE_BYTES_MAX, TICKET_BYTES_MAX, Welcome};

use crate::bytes::{ByteReader, Put};
use crate::names::{NameReader, NameTable, NameWriter};
use crate::stream::put_frame;
use crate::value::{TEXT_BYTES_MAX, Value};
use crate::{CloseCode, DecodeError};
use fairshot_units::{Life, Revision, Tick, WeaponCommand, WeaponId};
use std::sync::Arc;

/// A message from the server on the ordered stream.
#[derive(Clone, Debug, PartialEq)]
pub enum Down {
    /// The first message of a session.
    Welcome(Box<Welcome>),
    /// A change of the player's inventory under its own revision.
    Command {
        revision: Revision,
        command: WeaponCommand,
    },
    /// The next life begins: the client clears its inventory as it takes this.
    RespawnGrant {
        life: Life,
    },
    Events(EventBatch),
    /// The game's answer to a command of the client's.
    GameReply {
        number: u32,
        reply: GameReply,
    },
    /// The connection ends after this, with the same code.
    Closing {
        code: CloseCode,
        reason: Arc<str>,
    },
}

/// What happened in one tick.
#[derive(Clone, Debug, PartialEq)]
pub struct EventBatch {
    /// Counts the session's batches from 1; the client acknowledges the highest it has read.
    pub number: u32,
    pub tick: Tick,
    pub events: Vec<Event>,
}

/// What a game said to a command.
#[derive(Clone, Debug, PartialEq)]
pub enum GameReply {
    Accepted(Option<Value>),
    /// A refusal the game declared, by name.
    Refused(Arc<str>),
}

/// Bytes of one message down, its length left out.
pub const DOWN_MESSAGE_BYTES_MAX: usize = MODE_BYTES_MAX + 128 * 1024;
/// Events of one batch.
pub const EVENTS_MAX: usize = 16384;

const WELCOME: u8 = 1;
const COMMAND: u8 = 2;
const GRANT: u8 = 3;
pub(crate) const EVENTS: u8 = 4;
const REPLY: u8 = 5;
const CLOSING: u8 = 6;

const GIVE: u8 = 0;
const GIVE_ARMED: u8 = 1;
const TAKE: u8 = 2;
const SET_AMMO: u8 = 3;
const CLEAR: u8 = 4;
const SET_ARMED: u8 = 5;
/// A clip that is not set.
const CLIP_UNSET: u16 = 0xFFFF;

impl Down {
    /// Appends the message, its length first.
    ///
    /// Every text goes whole, so this serves one session; a tick's events for many sessions are
    /// [`BatchWriter`]'s.
    pub fn encode(&self, out: &mut Vec<u8>) {
        put_frame(out, |out| match self {
            Self::Welcome(welcome) => {
                out.put_u8(WELCOME);
                welcome.write(out);
            }
            Self::Command { revision, command } => {
                out.put_u8(COMMAND);
                out.put_u16(revision.0);
                write_command(*command, out);
            }
            Self::RespawnGrant { life } => {
                out.put_u8(GRANT);
                out.put_u16(life.0);
            }
            Self::Events(batch) => batch::write_whole(batch, out),
            Self::GameReply { number, reply } => {
                out.put_u8(REPLY);
                out.put_varint(u64::from(*number));
                write_reply(reply, out);
            }
            Self::Closing { code, reason } => {
                out.put_u8(CLOSING);
                out.put_varint(code.code().into());
                NameWriter::plain().write(reason, out);
            }
        });
    }

    #[must_use]
    pub fn to_bytes(&self) -> bytes::Bytes {
        let mut out = Vec::new();
        self.encode(&mut out);
        out.into()
    }
}

/// Reads a session's messages down; holds the table that its texts refer to.
#[derive(Debug, Default)]
pub struct DownReader {
    table: NameTable,
}

impl DownReader {
    /// Reads one message, as [`crate::StreamReader`] cut it out.
    ///
    /// # Errors
    /// [`DecodeError`]; the session cannot go on, since later messages may refer to this one.
    pub fn read(&mut self, message: &[u8]) -> Result<Down, DecodeError> {
        let mut bytes = ByteReader::new(message);
        let down = match bytes.take_u8()? {
            WELCOME => {
                let welcome = Welcome::read(&mut bytes)?;
                self.table = welcome.table.clone();
                Down::Welcome(Box::new(welcome))
            }
            COMMAND => Down::Command {
                revision: Revision(bytes.take_u16()?),
                command: read_command(&mut bytes)?,
            },
            GRANT => Down::RespawnGrant { life: Life(bytes.take_u16()?) },
            EVENTS => Down::Events(batch::read(&mut bytes, &mut self.table)?),
            REPLY => {
                Down::GameReply { number: bytes.take_varint_u32()?, reply: read_reply(&mut bytes)? }
            }
            CLOSING => {
                let code = CloseCode::from_code(bytes.take_varint()?);
                Down::Closing {
                    code: code.ok_or(DecodeError::Range("close code"))?,
                    reason: NameReader::plain().read(&mut bytes)?,
                }
            }
            unknown => return Err(DecodeError::Kind(unknown)),
        };
        bytes.finish()?;
        Ok(down)
    }
}

fn write_command(command: WeaponCommand, out: &mut Vec<u8>) {
    match command {
        WeaponCommand::Give { weapon, rounds, set_as_current } => {
            out.put_u8(if set_as_current { GIVE_ARMED } else { GIVE });
            out.put_u8(weapon.0);
            out.put_u16(rounds);
        }
        WeaponCommand::Take { weapon } => {
            out.put_u8(TAKE);
            out.put_u8(weapon.0);
        }
        WeaponCommand::SetAmmo { weapon, total, clip } => {
            out.put_u8(SET_AMMO);
            out.put_u8(weapon.0);
            out.put_u16(total);
            out.put_u16(clip.unwrap_or(CLIP_UNSET));
        }
        WeaponCommand::Clear => out.put_u8(CLEAR),
        WeaponCommand::SetArmed { weapon } => {
            out.put_u8(SET_ARMED);
            out.put_u8(weapon.0);
        }
    }
}

fn read_command(bytes: &mut ByteReader<'_>) -> Result<WeaponCommand, DecodeError> {
    let kind = bytes.take_u8()?;
    Ok(match kind {
        GIVE | GIVE_ARMED => WeaponCommand::Give {
            weapon: WeaponId(bytes.take_u8()?),
            rounds: bytes.take_u16()?,
            set_as_current: kind == GIVE_ARMED,
        },
        TAKE => WeaponCommand::Take { weapon: WeaponId(bytes.take_u8()?) },
        SET_AMMO => WeaponCommand::SetAmmo {
            weapon: WeaponId(bytes.take_u8()?),
            total: bytes.take_u16()?,
            clip: Some(bytes.take_u16()?).filter(|clip| *clip != CLIP_UNSET),
        },
        CLEAR => WeaponCommand::Clear,
        SET_ARMED => WeaponCommand::SetArmed { weapon: WeaponId(bytes.take_u8()?) },
        unknown => return Err(DecodeError::Kind(unknown)),
    })
}

fn write_reply(reply: &GameReply, out: &mut Vec<u8>) {
    match reply {
        GameReply::Accepted(value) => match value.as_ref().filter(|value| value.is_sendable()) {
            None => out.put_u8(0),
            Some(value) => {
                out.put_u8(1);
                value.write(out, &mut NameWriter::plain());
            }
        },
        GameReply::Refused(name) => {
            out.put_u8(2);
            NameWriter::plain().write(name, out);
        }
    }
}

fn read_reply(bytes: &mut ByteReader<'_>) -> Result<GameReply, DecodeError> {
    match bytes.take_u8()? {
        0 => Ok(GameReply::Accepted(None)),
        1 => Ok(GameReply::Accepted(Some(Value::read(bytes, &mut NameReader::plain())?))),
        2 => Ok(GameReply::Refused(Arc::from(bytes_text(bytes)?))),
        unknown => Err(DecodeError::Kind(unknown)),
    }
}

fn bytes_text<'a>(bytes: &mut ByteReader<'a>) -> Result<&'a str, DecodeError> {
    // A plain text: code 0, then the text.
    match bytes.take_varint()? {
        0 => bytes.take_text("text", TEXT_BYTES_MAX),
        _ => Err(DecodeError::Unknown),
    }
}
