//! The room's randomness: SplitMix64 from the seed it was given, so that the same inputs always give the
//! same match.

/// A seeded generator; its state is one number, kept in checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rng(pub(crate) u64);

impl Rng {
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to `below`, itself left out; 0 where `below` is 0.
    pub fn below(&mut self, below: u32) -> u32 {
        (((self.next_u64() >> 32) * u64::from(below)) >> 32) as u32
    }

    /// A number from 0 to 1, 1 left out, in 2^24 steps.
    #[expect(clippy::cast_precision_loss, reason = "24 bits fit")]
    pub fn unit(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / 16_777_216.0
    }
}
