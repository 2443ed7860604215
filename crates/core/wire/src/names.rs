//! The table of a room's recurring texts and records: each is sent whole once, then as a number.
//!
//! The table is the room's, not the session's, so one encoding of a tick's events serves every
//! player; who joins later is sent the table as it stands in her welcome. It only grows, to a cap;
//! past that, texts go whole each time.

use crate::bytes::{ByteReader, Put};
use crate::value::{TEXT_BYTES_MAX, Value};
use crate::{DecodeError, VALUE_ITEMS_MAX};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Texts the table holds at most.
pub const NAMES_KEPT_MAX: usize = 512;
/// Records the table holds at most.
pub const RECORDS_KEPT_MAX: usize = 256;
/// Bytes of the longest text worth keeping.
const KEPT_TEXT_BYTES_MAX: usize = 64;
/// Items of the largest record worth keeping: keeps the whole table small.
const KEPT_RECORD_ITEMS_MAX: usize = 16;

const INLINE: u64 = 0;
const DEFINE: u64 = 1;
/// Table entry 0 is sent as this.
const FIRST: u64 = 2;

/// The texts and records both sides know, in the order they were defined.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct NameTable {
    names: Vec<Arc<str>>,
    records: Vec<Value>,
    by_name: BTreeMap<Arc<str>, u16>,
}

impl NameTable {
    #[must_use]
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    #[must_use]
    pub fn records(&self) -> &[Value] {
        &self.records
    }

    fn define_name(&mut self, name: &Arc<str>) -> bool {
        let room = self.names.len() < NAMES_KEPT_MAX && name.len() <= KEPT_TEXT_BYTES_MAX;
        let Some(index) = u16::try_from(self.names.len()).ok().filter(|_| room) else {
            return false;
        };
        self.names.push(Arc::clone(name));
        self.by_name.insert(Arc::clone(name), index);
        true
    }

    fn define_record(&mut self, record: &Value) -> bool {
        let room = self.records.len() < RECORDS_KEPT_MAX && is_small(record);
        if room {
            self.records.push(record.clone());
        }
        room
    }

    /// The table whole, as a welcome carries it.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.put_varint(self.names.len() as u64);
        for name in &self.names {
            out.put_block(name.as_bytes());
        }
        out.put_varint(self.records.len() as u64);
        for record in &self.records {
            record.write(out, &mut NameWriter::plain());
        }
    }

    pub(crate) fn read(bytes: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        let mut table = Self::default();
        for _ in 0..bytes.take_count("names kept", NAMES_KEPT_MAX)? {
            let name = Arc::from(bytes.take_text("name", KEPT_TEXT_BYTES_MAX)?);
            if !table.define_name(&name) {
                return Err(DecodeError::Range("name"));
            }
        }
        for _ in 0..bytes.take_count("records kept", RECORDS_KEPT_MAX)? {
            let record = Value::read(bytes, &mut NameReader::plain())?;
            if !table.define_record(&record) {
                return Err(DecodeError::Range("record"));
            }
        }
        Ok(table)
    }
}

/// Writes texts and records, by table where there is one.
#[derive(Debug)]
pub(crate) struct NameWriter<'a>(Option<&'a mut NameTable>);

impl<'a> NameWriter<'a> {
    pub(crate) fn with(table: &'a mut NameTable) -> Self {
        Self(Some(table))
    }

    /// Every text whole: for what only one session is sent, and for what the client sends.
    pub(crate) fn plain() -> Self {
        Self(None)
    }

    pub(crate) fn write(&mut self, name: &Arc<str>, out: &mut Vec<u8>) {
        let mut code = INLINE;
        if let Some(table) = &mut self.0 {
            if let Some(index) = table.by_name.get(name) {
                out.put_varint(FIRST + u64::from(*index));
                return;
            }
            code = if table.define_name(name) { DEFINE } else { INLINE };
        }
        out.put_varint(code);
        out.put_block(&name.as_bytes()[..cut(name)]);
    }

    pub(crate) fn write_record(&mut self, record: &Value, out: &mut Vec<u8>) {
        let known =
            self.0.as_ref().and_then(|table| table.records.iter().position(|r| r == record));
        if let Some(index) = known {
            out.put_varint(FIRST + index as u64);
            return;
        }
        let defined = self.0.as_mut().is_some_and(|table| table.define_record(record));
        let code = if defined { DEFINE } else { INLINE };
        out.put_varint(code);
        record.write(out, self);
    }
}

/// Reads what [`NameWriter`] wrote.
#[derive(Debug)]
pub(crate) struct NameReader<'a>(Option<&'a mut NameTable>);

impl<'a> NameReader<'a> {
    pub(crate) fn with(table: &'a mut NameTable) -> Self {
        Self(Some(table))
    }

    pub(crate) fn plain() -> Self {
        Self(None)
    }

    pub(crate) fn read(&mut self, bytes: &mut ByteReader<'_>) -> Result<Arc<str>, DecodeError> {
        let code = bytes.take_varint()?;
        if code < FIRST {
            let name: Arc<str> = Arc::from(bytes.take_text("text", TEXT_BYTES_MAX)?);
            if code == DEFINE {
                let defined = self.0.as_mut().is_some_and(|table| table.define_name(&name));
                return if defined { Ok(name) } else { Err(DecodeError::Range("name")) };
            }
            return Ok(name);
        }
        let names = self.0.as_ref().map(|table| &table.names);
        names.and_then(|names| entry(names, code)).cloned().ok_or(DecodeError::Unknown)
    }

    pub(crate) fn read_record(&mut self, bytes: &mut ByteReader<'_>) -> Result<Value, DecodeError> {
        let code = bytes.take_varint()?;
        if code < FIRST {
            let record = Value::read(bytes, self)?;
            if code == DEFINE {
                let defined = self.0.as_mut().is_some_and(|table| table.define_record(&record));
                return if defined { Ok(record) } else { Err(DecodeError::Range("record")) };
            }
            return Ok(record);
        }
        let records = self.0.as_ref().map(|table| &table.records);
        records.and_then(|records| entry(records, code)).cloned().ok_or(DecodeError::Unknown)
    }
}

fn entry<T>(table: &[T], code: u64) -> Option<&T> {
    table.get(usize::try_from(code - FIRST).ok()?)
}

/// The longest prefix of a text that the cap allows and that ends on a character.
fn cut(text: &str) -> usize {
    let mut end = text.len().min(TEXT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

fn is_small(record: &Value) -> bool {
    let plain = |value: &Value| match value {
        Value::Text(text) => text.len() <= KEPT_TEXT_BYTES_MAX,
        Value::Flag(_) | Value::Number(_) => true,
        Value::List(items) => {
            items.len() <= KEPT_RECORD_ITEMS_MAX
                && items.iter().all(|item| matches!(item, Value::Flag(_) | Value::Number(_)))
        }
        Value::Record(_) => false,
    };
    const { assert!(KEPT_RECORD_ITEMS_MAX <= VALUE_ITEMS_MAX) };
    match record {
        Value::Record(fields) => {
            fields.len() <= KEPT_RECORD_ITEMS_MAX
                && fields
                    .iter()
                    .all(|(key, value)| key.len() <= KEPT_TEXT_BYTES_MAX && plain(value))
        }
        other => plain(other),
    }
}
