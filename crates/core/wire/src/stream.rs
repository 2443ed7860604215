//! Cuts a stream into messages: each is its length (LEB128) and so many bytes.

use crate::DecodeError;
use crate::bytes::Put;

/// Collects a stream's bytes and hands out whole messages.
///
/// Holds at most the cap's bytes and one read more: a length over the cap is an error at once,
/// before anything is kept for it.
#[derive(Debug)]
pub struct StreamReader {
    bytes: Vec<u8>,
    at: usize,
    cap: usize,
}

/// Bytes of a length.
const LENGTH_BYTES_MAX: usize = 3;

impl StreamReader {
    /// For messages up; `cap` is [`crate::UP_MESSAGE_BYTES_MAX`].
    #[must_use]
    pub fn up() -> Self {
        Self::with_cap(crate::UP_MESSAGE_BYTES_MAX)
    }

    /// For messages down; `cap` is [`crate::DOWN_MESSAGE_BYTES_MAX`].
    #[must_use]
    pub fn down() -> Self {
        Self::with_cap(crate::DOWN_MESSAGE_BYTES_MAX)
    }

    fn with_cap(cap: usize) -> Self {
        Self { bytes: Vec::new(), at: 0, cap }
    }

    /// Takes what a read gave. Take every message out before the next read: that is what bounds it.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.at == self.bytes.len() {
            self.bytes.clear();
            self.at = 0;
        } else if self.at > self.bytes.len() / 2 {
            self.bytes.drain(..self.at);
            self.at = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole message, without its length; `None` until more bytes are pushed.
    ///
    /// # Errors
    /// [`DecodeError::TooMany`] for a message over the cap; the stream cannot be read on.
    pub fn next_message(&mut self) -> Result<Option<&[u8]>, DecodeError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some((length, head)) = read_length(rest)? else { return Ok(None) };
        if length > self.cap {
            let count = length as u64;
            return Err(DecodeError::TooMany { what: "message bytes", count, cap: self.cap });
        }
        if rest.len() < head + length {
            return Ok(None);
        }
        let start = self.at + head;
        self.at = start + length;
        Ok(self.bytes.get(start..self.at))
    }

    /// Bytes held that make no message yet.
    #[must_use]
    pub fn pending_bytes(&self) -> usize {
        self.bytes.len() - self.at
    }
}

fn read_length(bytes: &[u8]) -> Result<Option<(usize, usize)>, DecodeError> {
    let mut length = 0;
    for (index, byte) in bytes.iter().take(LENGTH_BYTES_MAX).enumerate() {
        length |= usize::from(byte & 0x7F) << (7 * index);
        if byte & 0x80 == 0 {
            return Ok(Some((length, index + 1)));
        }
    }
    if bytes.len() < LENGTH_BYTES_MAX { Ok(None) } else { Err(DecodeError::Range("length")) }
}

/// Appends what `write` writes, its length first.
pub(crate) fn put_frame(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let mut body = Vec::new();
    write(&mut body);
    out.put_block(&body);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_out_whole_however_the_stream_is_cut() {
        let mut stream = Vec::new();
        let messages: Vec<Vec<u8>> = (0..40u8).map(|n| vec![n; usize::from(n) * 9]).collect();
        for message in &messages {
            put_frame(&mut stream, |out| out.extend_from_slice(message));
        }
        for step in [1, 2, 7, 64, 10_000] {
            let mut reader = StreamReader::up();
            let mut out = Vec::new();
            for piece in stream.chunks(step) {
                reader.push(piece);
                while let Some(message) = reader.next_message().unwrap() {
                    out.push(message.to_vec());
                }
            }
            assert_eq!(out, messages);
            assert_eq!(reader.pending_bytes(), 0);
        }
    }

    #[test]
    fn a_length_over_the_cap_is_refused_before_its_bytes_come() {
        let mut reader = StreamReader::up();
        reader.push(&[0xFF, 0xFF, 0x7F]);
        assert!(matches!(reader.next_message(), Err(DecodeError::TooMany { .. })));
        let mut reader = StreamReader::up();
        reader.push(&[0x80, 0x80]);
        assert_eq!(reader.next_message(), Ok(None));
        reader.push(&[0x80]);
        assert_eq!(reader.next_message(), Err(DecodeError::Range("length")));
    }
}
