//! Bytes in a stream message: little-endian numbers, LEB128 lengths, checked texts.

use crate::{DecodeError, bits};
use glam::Vec3;

/// Appends the fields of a stream message.
pub(crate) trait Put {
    fn put_u8(&mut self, value: u8);
    fn put_bytes(&mut self, bytes: &[u8]);

    fn put_u16(&mut self, value: u16) {
        self.put_bytes(&value.to_le_bytes());
    }
    fn put_u32(&mut self, value: u32) {
        self.put_bytes(&value.to_le_bytes());
    }
    fn put_f32(&mut self, value: f32) {
        self.put_bytes(&value.to_le_bytes());
    }

    /// LEB128: seven bits a byte, low ones first, the top bit of each byte but the last set.
    fn put_varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.put_u8(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        self.put_u8(value.to_le_bytes()[0]);
    }

    fn put_signed(&mut self, value: i64) {
        self.put_varint(bits::zigzag(value));
    }

    /// Its length as a varint, then the bytes.
    fn put_block(&mut self, bytes: &[u8]) {
        self.put_varint(bytes.len() as u64);
        self.put_bytes(bytes);
    }

    /// A place to the nearest 1/256 m, three signed varints.
    fn put_place(&mut self, place_m: Vec3) {
        for steps in fairshot_units::quantise_position(place_m) {
            self.put_signed(i64::from(steps));
        }
    }
}

impl Put for Vec<u8> {
    fn put_u8(&mut self, value: u8) {
        self.push(value);
    }
    fn put_bytes(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Takes the fields of a stream message; every take is checked.
#[derive(Clone, Debug)]
pub(crate) struct ByteReader<'a> {
    rest: &'a [u8],
}

impl<'a> ByteReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(DecodeError::Short)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn take_array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(DecodeError::Short)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(crate) fn take_u8(&mut self) -> Result<u8, DecodeError> {
        Ok(u8::from_le_bytes(self.take_array()?))
    }

    pub(crate) fn take_u16(&mut self) -> Result<u16, DecodeError> {
        Ok(u16::from_le_bytes(self.take_array()?))
    }

    pub(crate) fn take_u32(&mut self) -> Result<u32, DecodeError> {
        Ok(u32::from_le_bytes(self.take_array()?))
    }

    pub(crate) fn take_f32(&mut self) -> Result<f32, DecodeError> {
        Ok(f32::from_le_bytes(self.take_array()?))
    }

    pub(crate) fn take_vec3(&mut self) -> Result<Vec3, DecodeError> {
        Ok(Vec3::new(self.take_f32()?, self.take_f32()?, self.take_f32()?))
    }

    pub(crate) fn take_varint(&mut self) -> Result<u64, DecodeError> {
        let mut value = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.take_u8()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(DecodeError::Range("varint"))
    }

    pub(crate) fn take_signed(&mut self) -> Result<i64, DecodeError> {
        Ok(bits::unzigzag(self.take_varint()?))
    }

    pub(crate) fn take_varint_u16(&mut self) -> Result<u16, DecodeError> {
        u16::try_from(self.take_varint()?).map_err(|_| DecodeError::Range("varint"))
    }

    pub(crate) fn take_varint_u32(&mut self) -> Result<u32, DecodeError> {
        u32::try_from(self.take_varint()?).map_err(|_| DecodeError::Range("varint"))
    }

    /// A count of things that take at least one byte each, so it never passes what is left.
    pub(crate) fn take_count(
        &mut self,
        what: &'static str,
        cap: usize,
    ) -> Result<usize, DecodeError> {
        let count = self.take_varint()?;
        let fits = usize::try_from(count).ok().filter(|count| *count <= cap);
        let count = fits.ok_or(DecodeError::TooMany { what, count, cap })?;
        if count > self.rest.len() { Err(DecodeError::Short) } else { Ok(count) }
    }

    pub(crate) fn take_block(
        &mut self,
        what: &'static str,
        cap: usize,
    ) -> Result<&'a [u8], DecodeError> {
        let count = self.take_count(what, cap)?;
        self.take(count)
    }

    pub(crate) fn take_text(
        &mut self,
        what: &'static str,
        cap: usize,
    ) -> Result<&'a str, DecodeError> {
        std::str::from_utf8(self.take_block(what, cap)?).map_err(|_| DecodeError::Text(what))
    }

    pub(crate) fn take_place(&mut self) -> Result<Vec3, DecodeError> {
        let mut steps = [0; 3];
        for axis in &mut steps {
            let value = self.take_signed()?;
            *axis = i32::try_from(value)
                .ok()
                .filter(|steps| steps.unsigned_abs() <= 1 << 24)
                .ok_or(DecodeError::Range("place"))?;
        }
        Ok(fairshot_units::Pose { position: steps, yaw: 0, pitch: 0 }.position_m())
    }

    pub(crate) fn finish(self) -> Result<(), DecodeError> {
        if self.rest.is_empty() { Ok(()) } else { Err(DecodeError::Trailing) }
    }
}
