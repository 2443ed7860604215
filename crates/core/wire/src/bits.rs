//! Bits in a datagram: least significant bit of the first byte first, so that a value read in one
//! machine word needs no turning round. Every read is checked; none allocates.

use crate::DecodeError;

/// Appends bits to a byte vector.
#[derive(Debug)]
pub(crate) struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    word: u64,
    used: u32,
    start: usize,
}

/// Bits one call may write or read.
pub(crate) const WORD_BITS_MAX: u32 = 57;
/// Ones of an escaped number's prefix.
const ESCAPE_ONES: u32 = 20;
/// Bits of an escaped number.
const ESCAPE_BITS: u32 = 34;

impl<'a> BitWriter<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Self {
        let start = out.len();
        Self { out, word: 0, used: 0, start }
    }

    /// The low `bits` (at most [`WORD_BITS_MAX`]) of `value`, whose other bits must be 0.
    #[inline]
    pub(crate) fn put(&mut self, value: u64, bits: u32) {
        debug_assert!(bits <= WORD_BITS_MAX && value >> bits == 0);
        self.word |= value << self.used;
        let used = self.used + bits;
        if used >= 64 {
            self.out.extend_from_slice(&self.word.to_le_bytes());
            // `used` was at least 7 here, so the shift is below 64.
            self.word = value >> (64 - self.used);
            self.used = used - 64;
        } else {
            self.used = used;
        }
    }

    #[inline]
    pub(crate) fn flag(&mut self, set: bool) {
        self.put(u64::from(set), 1);
    }

    /// A number that is small more often than not; `k` is the bits a typical one has.
    #[inline]
    pub(crate) fn put_small(&mut self, value: u64, k: u32) {
        let (code, bits) = small_code(value, k);
        self.put(code, bits);
    }

    pub(crate) fn bits_written(&self) -> usize {
        (self.out.len() - self.start) * 8 + self.used as usize
    }

    /// Fills the last byte with zeros.
    pub(crate) fn finish(self) {
        let bytes = (self.used as usize).div_ceil(8);
        self.out.extend_from_slice(&self.word.to_le_bytes()[..bytes]);
    }
}

/// The bits of a small number and how many there are (at most 57).
///
/// `v = value + 2^k` has `k + q + 1` bits: `q` ones, a zero, then `v` without its top bit. From
/// `q = 20` on: 20 ones and the number in 34 bits.
#[inline]
pub(crate) fn small_code(value: u64, k: u32) -> (u64, u32) {
    debug_assert!(k <= 15 && value >> ESCAPE_BITS == 0);
    let v = value + (1 << k);
    let low_bits = 63 - v.leading_zeros();
    let ones = low_bits - k;
    if ones < ESCAPE_ONES {
        let prefix = (1u64 << ones) - 1;
        ((v ^ (1 << low_bits)) << (ones + 1) | prefix, ones + 1 + low_bits)
    } else {
        (value << ESCAPE_ONES | ((1 << ESCAPE_ONES) - 1), ESCAPE_ONES + ESCAPE_BITS)
    }
}

/// Reads what [`BitWriter`] wrote.
#[derive(Clone, Debug)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    #[inline]
    fn peek(&self) -> u64 {
        let byte = self.at >> 3;
        let word = match self.bytes.get(byte..byte + 8) {
            Some(eight) => u64::from_le_bytes(eight.try_into().unwrap_or_default()),
            None => {
                let mut eight = [0; 8];
                let rest = self.bytes.get(byte..).unwrap_or_default();
                eight[..rest.len()].copy_from_slice(rest);
                u64::from_le_bytes(eight)
            }
        };
        word >> (self.at & 7)
    }

    #[inline]
    fn advance(&mut self, bits: u32) -> Result<(), DecodeError> {
        let at = self.at + bits as usize;
        if at > self.bytes.len() * 8 {
            return Err(DecodeError::Short);
        }
        self.at = at;
        Ok(())
    }

    #[inline]
    pub(crate) fn take(&mut self, bits: u32) -> Result<u64, DecodeError> {
        debug_assert!(bits <= WORD_BITS_MAX);
        let word = self.peek();
        self.advance(bits)?;
        Ok(word & ((1 << bits) - 1))
    }

    pub(crate) fn take_u8(&mut self) -> Result<u8, DecodeError> {
        Ok(self.take(8)?.to_le_bytes()[0])
    }

    pub(crate) fn take_u16(&mut self) -> Result<u16, DecodeError> {
        self.take_up_to_16(16)
    }

    /// At most 16 bits.
    pub(crate) fn take_up_to_16(&mut self, bits: u32) -> Result<u16, DecodeError> {
        let [low, high, ..] = self.take(bits.min(16))?.to_le_bytes();
        Ok(u16::from_le_bytes([low, high]))
    }

    pub(crate) fn take_u32(&mut self) -> Result<u32, DecodeError> {
        let [a, b, c, d, ..] = self.take(32)?.to_le_bytes();
        Ok(u32::from_le_bytes([a, b, c, d]))
    }

    #[inline]
    pub(crate) fn flag(&mut self) -> Result<bool, DecodeError> {
        Ok(self.take(1)? == 1)
    }

    #[inline]
    pub(crate) fn take_small(&mut self, k: u32) -> Result<u64, DecodeError> {
        let ones = self.peek().trailing_ones();
        if ones < ESCAPE_ONES {
            self.advance(ones + 1)?;
            let low_bits = ones + k;
            Ok((self.take(low_bits)? | 1 << low_bits) - (1 << k))
        } else {
            self.advance(ESCAPE_ONES)?;
            self.take(ESCAPE_BITS)
        }
    }

    /// A small number that must fit 32 bits.
    pub(crate) fn take_small_u32(&mut self, k: u32) -> Result<u32, DecodeError> {
        u32::try_from(self.take_small(k)?).map_err(|_| DecodeError::Range("number"))
    }

    /// A small number that must fit 16 bits.
    pub(crate) fn take_small_u16(&mut self, k: u32) -> Result<u16, DecodeError> {
        u16::try_from(self.take_small(k)?).map_err(|_| DecodeError::Range("number"))
    }

    /// The bytes from the next whole byte on; the bits skipped must be 0.
    pub(crate) fn rest(mut self) -> Result<&'a [u8], DecodeError> {
        let odd = (8 - (self.at & 7)) & 7;
        if self.take(u32::try_from(odd).unwrap_or(0))? != 0 {
            return Err(DecodeError::Trailing);
        }
        Ok(self.bytes.get(self.at >> 3..).unwrap_or_default())
    }

    /// Checks that nothing but the zeros of the last byte is left.
    pub(crate) fn finish(self) -> Result<(), DecodeError> {
        if self.rest()?.is_empty() { Ok(()) } else { Err(DecodeError::Trailing) }
    }
}

/// 0, -1, 1, -2, ... as 0, 1, 2, 3, ...
#[inline]
pub(crate) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

#[inline]
pub(crate) fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_put_is_taken(
            fields in proptest::collection::vec((0u64..1 << 34, 0u32..16, any::<bool>()), 0..80),
        ) {
            let mut out = vec![7];
            let mut writer = BitWriter::new(&mut out);
            for (value, k, small) in &fields {
                if *small { writer.put_small(*value, *k) } else { writer.put(*value, 34) }
            }
            let bits = writer.bits_written();
            writer.finish();
            prop_assert_eq!(out.len() - 1, bits.div_ceil(8));
            let mut reader = BitReader::new(&out[1..]);
            for (value, k, small) in &fields {
                let read = if *small { reader.take_small(*k) } else { reader.take(34) };
                prop_assert_eq!(read, Ok(*value));
            }
            prop_assert_eq!(reader.finish(), Ok(()));
        }

        #[test]
        fn a_zigzag_comes_back(value in -(1i64 << 40)..1 << 40) {
            prop_assert_eq!(unzigzag(zigzag(value)), value);
        }
    }

    #[test]
    fn a_small_number_takes_the_bits_the_document_says() {
        assert_eq!(small_code(0, 0), (0, 1));
        assert_eq!(small_code(1, 0), (0b001, 3));
        assert_eq!(small_code(2, 0), (0b101, 3));
        assert_eq!(small_code(5, 2), (0b00101, 5));
        assert_eq!(small_code((1 << 34) - 1, 0).1, 54);
    }

    #[test]
    fn reading_past_the_end_is_short_and_odd_padding_is_trailing() {
        let mut reader = BitReader::new(&[0xFF]);
        assert_eq!(reader.take(9), Err(DecodeError::Short));
        assert_eq!(reader.take_small(0), Err(DecodeError::Short));
        assert_eq!(reader.take(3), Ok(7));
        assert_eq!(reader.finish(), Err(DecodeError::Trailing));
        assert_eq!(BitReader::new(&[0]).finish(), Err(DecodeError::Trailing));
    }
}
