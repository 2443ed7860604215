//! Numbers in as few bytes as they need, for a saved history.

use super::LoadError;

/// Bytes as they are written.
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    /// Seven bits a byte, the lowest first.
    pub(super) fn number(&mut self, mut number: u32) {
        while number >= 0x80 {
            self.0.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.0.push(number.to_le_bytes()[0]);
    }

    /// One byte where no axis is off by more than 2, else a marker and three numbers.
    pub(super) fn place(&mut self, off: [i32; 3]) {
        if off.iter().all(|off| (-2..=2).contains(off)) {
            let packed =
                off.iter().fold(0u8, |packed, off| packed * 5 + u8::try_from(off + 2).unwrap_or(0));
            self.0.push(packed);
            return;
        }
        self.0.push(FAR);
        off.into_iter().for_each(|off| self.number(zigzag(off)));
    }
}

/// 125 small offsets come before it.
const FAR: u8 = 125;

/// Bytes as they are read; every read past the end is an error.
pub(super) struct Reader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl Reader<'_> {
    pub(super) fn byte(&mut self) -> Result<u8, LoadError> {
        let byte = self.bytes.get(self.at).ok_or(LoadError::Short { at: self.at })?;
        self.at += 1;
        Ok(*byte)
    }

    pub(super) fn number(&mut self) -> Result<u32, LoadError> {
        let mut number = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            number |= u32::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(LoadError::Range { what: "a number", value: number })
    }

    pub(super) fn short(&mut self, what: &'static str) -> Result<u16, LoadError> {
        let value = self.number()?;
        u16::try_from(value).map_err(|_| LoadError::Range { what, value })
    }

    pub(super) fn count(&mut self, what: &'static str, most: usize) -> Result<usize, LoadError> {
        let value = self.number()?;
        usize::try_from(value)
            .ok()
            .filter(|count| *count <= most)
            .ok_or(LoadError::Range { what, value })
    }

    pub(super) fn place(&mut self) -> Result<[i32; 3], LoadError> {
        let packed = self.byte()?;
        match packed {
            0..FAR => {
                let axis = |divisor: u8| i32::from(packed / divisor % 5) - 2;
                Ok([axis(25), axis(5), axis(1)])
            }
            FAR => {
                let mut next = || self.number().map(unzigzag);
                Ok([next()?, next()?, next()?])
            }
            _ => Err(LoadError::Range { what: "a place", value: packed.into() }),
        }
    }
}

pub(super) fn zigzag(number: i32) -> u32 {
    ((number << 1) ^ (number >> 31)).cast_unsigned()
}

fn unzigzag(number: u32) -> i32 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

/// The same for a difference of 16 bits.
pub(super) fn unzigzag_short(number: u16) -> u16 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_reads_back_from_its_zigzag() {
        for number in [0, 1, -1, 63, -64, i32::MAX, i32::MIN] {
            assert_eq!(unzigzag(zigzag(number)), number);
        }
        for number in [0i16, 1, -1, i16::MAX, i16::MIN] {
            let short = u16::try_from(zigzag(number.into())).unwrap();
            assert_eq!(unzigzag_short(short).cast_signed(), number);
        }
    }
}
