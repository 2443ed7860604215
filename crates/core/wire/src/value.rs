//! A game's own values on the wire: what JSON holds, without null. Bounded in depth and size.

use crate::DecodeError;
use crate::bytes::{ByteReader, Put};
use crate::names::{NameReader, NameWriter};
use std::sync::Arc;

/// A value in a hit's data, a game's command or its answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Flag(bool),
    Number(f64),
    Text(Arc<str>),
    List(Vec<Value>),
    Record(Vec<(Arc<str>, Value)>),
}

/// How deep lists and records nest.
pub const VALUE_DEPTH_MAX: usize = 8;
/// Items of one list, fields of one record.
pub const VALUE_ITEMS_MAX: usize = 256;
/// Bytes of one text.
pub const TEXT_BYTES_MAX: usize = 1024;

const FALSE: u8 = 0;
const TRUE: u8 = 1;
const DOUBLE: u8 = 2;
const SINGLE: u8 = 3;
const WHOLE: u8 = 4;
const TEXT: u8 = 5;
const LIST: u8 = 6;
const RECORD: u8 = 7;
/// A number in whole eighths.
const EIGHTHS: u8 = 8;
/// From here on a record of 0 to 15 fields, the count in the low four bits.
const FEW_FIELDS: u8 = 0x10;
const FEW_FIELDS_MAX: u8 = 15;
/// From here on the byte itself is a whole number from 0 to 127.
const SMALL: u8 = 0x80;

impl Value {
    /// Whether a reader would take this value: its depth, items and texts lie within the caps.
    #[must_use]
    pub fn is_sendable(&self) -> bool {
        self.fits(VALUE_DEPTH_MAX)
    }

    fn fits(&self, depth: usize) -> bool {
        match self {
            Self::Flag(_) | Self::Number(_) => true,
            Self::Text(text) => text.len() <= TEXT_BYTES_MAX,
            Self::List(items) => {
                depth > 0
                    && items.len() <= VALUE_ITEMS_MAX
                    && items.iter().all(|item| item.fits(depth - 1))
            }
            Self::Record(fields) => {
                depth > 0
                    && fields.len() <= VALUE_ITEMS_MAX
                    && fields
                        .iter()
                        .all(|(key, value)| key.len() <= TEXT_BYTES_MAX && value.fits(depth - 1))
            }
        }
    }

    /// The value must be [sendable](Self::is_sendable).
    pub(crate) fn write(&self, out: &mut Vec<u8>, names: &mut NameWriter<'_>) {
        match self {
            Self::Flag(set) => out.put_u8(if *set { TRUE } else { FALSE }),
            Self::Number(number) => write_number(*number, out),
            Self::Text(text) => {
                out.put_u8(TEXT);
                names.write(text, out);
            }
            Self::List(items) => {
                out.put_u8(LIST);
                out.put_varint(items.len() as u64);
                for item in items {
                    item.write(out, names);
                }
            }
            Self::Record(fields) => {
                match u8::try_from(fields.len()) {
                    Ok(few) if few <= FEW_FIELDS_MAX => out.put_u8(FEW_FIELDS | few),
                    _ => {
                        out.put_u8(RECORD);
                        out.put_varint(fields.len() as u64);
                    }
                }
                for (key, value) in fields {
                    names.write(key, out);
                    value.write(out, names);
                }
            }
        }
    }

    pub(crate) fn read(
        bytes: &mut ByteReader<'_>,
        names: &mut NameReader<'_>,
    ) -> Result<Self, DecodeError> {
        Self::read_at(bytes, names, VALUE_DEPTH_MAX)
    }

    fn read_at(
        bytes: &mut ByteReader<'_>,
        names: &mut NameReader<'_>,
        depth: usize,
    ) -> Result<Self, DecodeError> {
        match bytes.take_u8()? {
            FALSE => Ok(Self::Flag(false)),
            TRUE => Ok(Self::Flag(true)),
            DOUBLE => Ok(Self::Number(f64::from_le_bytes(bytes.take_array()?))),
            SINGLE => Ok(Self::Number(f64::from(bytes.take_f32()?))),
            WHOLE => {
                let whole = i32::try_from(bytes.take_signed()?);
                Ok(Self::Number(f64::from(whole.map_err(|_| DecodeError::Range("whole"))?)))
            }
            TEXT => Ok(Self::Text(names.read(bytes)?)),
            LIST => {
                let depth = depth.checked_sub(1).ok_or(DecodeError::Depth)?;
                let count = bytes.take_count("list items", VALUE_ITEMS_MAX)?;
                let mut items = Vec::with_capacity(count);
                for _ in 0..count {
                    items.push(Self::read_at(bytes, names, depth)?);
                }
                Ok(Self::List(items))
            }
            tag @ (RECORD | FEW_FIELDS..=0x1F) => {
                let depth = depth.checked_sub(1).ok_or(DecodeError::Depth)?;
                let count = match tag {
                    RECORD => bytes.take_count("record fields", VALUE_ITEMS_MAX)?,
                    few => usize::from(few & FEW_FIELDS_MAX),
                };
                let mut fields = Vec::with_capacity(count);
                for _ in 0..count {
                    let key = names.read(bytes)?;
                    fields.push((key, Self::read_at(bytes, names, depth)?));
                }
                Ok(Self::Record(fields))
            }
            EIGHTHS => {
                let eighths = i32::try_from(bytes.take_signed()?);
                Ok(Self::Number(
                    f64::from(eighths.map_err(|_| DecodeError::Range("eighths"))?) / 8.0,
                ))
            }
            small @ SMALL.. => Ok(Self::Number(f64::from(small & !SMALL))),
            unknown => Err(DecodeError::Kind(unknown)),
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "each cast is checked by casting back")]
fn write_number(number: f64, out: &mut Vec<u8>) {
    let whole = number as i32;
    let single = number as f32;
    let eighths = (number * 8.0) as i32;
    if f64::from(whole).to_bits() == number.to_bits() {
        match u8::try_from(whole) {
            Ok(small) if small < SMALL => out.put_u8(SMALL | small),
            _ => {
                out.put_u8(WHOLE);
                out.put_signed(i64::from(whole));
            }
        }
    } else if eighths.unsigned_abs() < 1 << 19
        && (f64::from(eighths) / 8.0).to_bits() == number.to_bits()
    {
        out.put_u8(EIGHTHS);
        out.put_signed(i64::from(eighths));
    } else if f64::from(single).to_bits() == number.to_bits() {
        out.put_u8(SINGLE);
        out.put_f32(single);
    } else {
        out.put_u8(DOUBLE);
        out.put_bytes(&number.to_le_bytes());
    }
}
