//! The ordered stream up: the ticket first, then a game's commands and the two things that end a
//! session.

use crate::bytes::{ByteReader, Put};
use crate::down::TICKET_BYTES_MAX;
use crate::names::{NameReader, NameWriter};
use crate::stream::put_frame;
use crate::{DecodeError, Value};
use fairshot_units::{Revision, Tick, ViewStep};
use std::sync::Arc;

/// A message from a client on the ordered stream.
#[derive(Clone, Debug, PartialEq)]
pub enum Up {
    /// The first message: nothing is allocated for a session before its ticket is checked.
    Hello(Hello),
    /// The command of that revision could not be applied; the client applies nothing more.
    ApplyFailed { revision: Revision },
    /// A game's own command.
    GameCommand(GameCommand),
    /// The client leaves.
    Goodbye,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// [`crate::PROTOCOL_VERSION`].
    pub version: u16,
    /// At most [`TICKET_BYTES_MAX`] bytes.
    pub ticket: bytes::Bytes,
    /// A W3C `traceparent`, so that a join is one trace.
    pub traceparent: Option<Arc<str>>,
}

/// A command the game declared, with what its player's screen showed.
#[derive(Clone, Debug, PartialEq)]
pub struct GameCommand {
    /// The client's own count from 1; the reply names it.
    pub number: u32,
    pub name: Arc<str>,
    pub view: ViewStep,
    pub value: Value,
}

/// Bytes of one message up, its length left out.
pub const UP_MESSAGE_BYTES_MAX: usize = 8 * 1024;
const TRACEPARENT_BYTES_MAX: usize = 128;
const COMMAND_NAME_BYTES_MAX: usize = 64;

const HELLO: u8 = 1;
const APPLY_FAILED: u8 = 2;
const GAME_COMMAND: u8 = 3;
const GOODBYE: u8 = 4;

impl Up {
    /// Appends the message, its length first.
    pub fn encode(&self, out: &mut Vec<u8>) {
        put_frame(out, |out| match self {
            Self::Hello(hello) => {
                out.put_u8(HELLO);
                out.put_u16(hello.version);
                out.put_block(&hello.ticket);
                out.put_block(hello.traceparent.as_deref().unwrap_or("").as_bytes());
            }
            Self::ApplyFailed { revision } => {
                out.put_u8(APPLY_FAILED);
                out.put_u16(revision.0);
            }
            Self::GameCommand(command) => {
                out.put_u8(GAME_COMMAND);
                out.put_varint(command.number.into());
                out.put_block(command.name.as_bytes());
                out.put_u32(command.view.tick.0);
                out.put_u16(command.view.fraction);
                command.value.write(out, &mut NameWriter::plain());
            }
            Self::Goodbye => out.put_u8(GOODBYE),
        });
    }

    #[must_use]
    pub fn to_bytes(&self) -> bytes::Bytes {
        let mut out = Vec::new();
        self.encode(&mut out);
        out.into()
    }

    /// Reads one message, as [`crate::StreamReader`] cut it out.
    ///
    /// # Errors
    /// [`DecodeError`] says what is wrong.
    pub fn decode(message: &[u8]) -> Result<Self, DecodeError> {
        let mut bytes = ByteReader::new(message);
        let up = match bytes.take_u8()? {
            HELLO => Self::Hello(read_hello(&mut bytes)?),
            APPLY_FAILED => Self::ApplyFailed { revision: Revision(bytes.take_u16()?) },
            GAME_COMMAND => Self::GameCommand(GameCommand {
                number: bytes.take_varint_u32()?,
                name: Arc::from(bytes.take_text("command", COMMAND_NAME_BYTES_MAX)?),
                view: ViewStep { tick: Tick(bytes.take_u32()?), fraction: bytes.take_u16()? },
                value: Value::read(&mut bytes, &mut NameReader::plain())?,
            }),
            GOODBYE => Self::Goodbye,
            unknown => return Err(DecodeError::Kind(unknown)),
        };
        bytes.finish()?;
        Ok(up)
    }
}

fn read_hello(bytes: &mut ByteReader<'_>) -> Result<Hello, DecodeError> {
    let version = bytes.take_u16()?;
    let ticket = bytes::Bytes::copy_from_slice(bytes.take_block("ticket", TICKET_BYTES_MAX)?);
    let traceparent = bytes.take_text("traceparent", TRACEPARENT_BYTES_MAX)?;
    if !traceparent.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Err(DecodeError::Text("traceparent"));
    }
    let traceparent = (!traceparent.is_empty()).then(|| Arc::from(traceparent));
    Ok(Hello { version, ticket, traceparent })
}
