//! A player's latency, measured from her shots: how far behind the room her screen is.

use serde::{Deserialize, Serialize};

/// Samples kept: the last eight shots that reached the rewind rule.
pub const SAMPLES: usize = 8;

/// The last eight samples, each the step at landing minus the step the shot named, held to [0, 1 s].
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Latency {
    samples_s: [f32; SAMPLES],
    taken: u8,
    next: u8,
}

impl Latency {
    /// Adds a sample in seconds; it is held to [0, 1] and a NaN counts as 0.
    pub fn add(&mut self, seconds: f32) {
        let held = if seconds.is_nan() { 0.0 } else { seconds.clamp(0.0, 1.0) };
        self.samples_s[usize::from(self.next) % SAMPLES] = held;
        self.next = (self.next + 1) % SAMPLES as u8;
        self.taken = (self.taken + 1).min(SAMPLES as u8);
    }

    /// The samples held, oldest first.
    pub fn samples_s(&self) -> impl Iterator<Item = f32> + '_ {
        let taken = usize::from(self.taken).min(SAMPLES);
        let first = (usize::from(self.next) + SAMPLES - taken) % SAMPLES;
        (0..taken).map(move |i| self.samples_s[(first + i) % SAMPLES])
    }

    /// How many samples it holds, eight at the most.
    #[must_use]
    pub fn samples(&self) -> u8 {
        self.taken.min(SAMPLES as u8)
    }

    /// Whether it could have come of samples: what a checkpoint's bytes are held to.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        usize::from(self.taken) <= SAMPLES
            && usize::from(self.next) < SAMPLES
            && self.samples_s.iter().all(|sample| (0.0..=1.0).contains(sample))
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.taken == 0
    }

    /// The middle of the samples in seconds (the mean of the middle two where even); `None` with none.
    #[must_use]
    pub fn middle_s(&self) -> Option<f32> {
        let taken = usize::from(self.taken).min(SAMPLES);
        if taken == 0 {
            return None;
        }
        let sorted = sorted(&self.samples_s, taken);
        Some((sorted[(taken - 1) / 2] + sorted[taken / 2]) * 0.5)
    }

    /// The samples' mean distance from their middle, in seconds; 0 with none.
    #[must_use]
    pub fn jitter_s(&self) -> f32 {
        self.middle_s().map_or(0.0, |middle| self.spread_round(middle))
    }

    /// The samples' mean distance from a place, in seconds.
    pub(crate) fn spread_round(&self, middle_s: f32) -> f32 {
        let taken = usize::from(self.taken).min(SAMPLES);
        // Their order is nothing to a sum, and the ring fills from the front.
        let sum: f32 = self.samples_s[..taken].iter().map(|sample| (sample - middle_s).abs()).sum();
        sum / f32::from(self.taken.max(1))
    }
}

/// The first `taken` samples in order, whatever lies behind them after. A network of exchanges: it takes
/// no branch that a processor could guess wrong.
fn sorted(samples_s: &[f32; SAMPLES], taken: usize) -> [f32; SAMPLES] {
    // No sample is negative, so their bits are in the order of their numbers.
    let key = |at: usize| {
        let bits = samples_s[at].to_bits().cast_signed();
        if at < taken { bits } else { i32::MAX }
    };
    let keys: [i32; SAMPLES] = std::array::from_fn(key);
    let [a, b, c, d, e, f, g, h] = keys;
    let ((a, c), (b, d), (e, g), (f, h)) = (sort(a, c), sort(b, d), sort(e, g), sort(f, h));
    let ((a, e), (b, f), (c, g), (d, h)) = (sort(a, e), sort(b, f), sort(c, g), sort(d, h));
    let ((a, b), (c, d), (e, f), (g, h)) = (sort(a, b), sort(c, d), sort(e, f), sort(g, h));
    let ((c, e), (d, f)) = (sort(c, e), sort(d, f));
    let ((b, e), (d, g)) = (sort(b, e), sort(d, g));
    let ((b, c), (d, e), (f, g)) = (sort(b, c), sort(d, e), sort(f, g));
    [a, b, c, d, e, f, g, h].map(|key| f32::from_bits(key.cast_unsigned()))
}

fn sort(a: i32, b: i32) -> (i32, i32) {
    (a.min(b), a.max(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn samples_are_sorted_however_they_came(
            samples in prop::array::uniform8(0_f32..=1.0), taken in 0..=SAMPLES,
        ) {
            let mut plain = samples;
            plain[..taken].sort_unstable_by(f32::total_cmp);
            prop_assert_eq!(&sorted(&samples, taken)[..taken], &plain[..taken]);
        }
    }

    fn latency_of(samples: &[f32]) -> Latency {
        let mut latency = Latency::default();
        samples.iter().for_each(|sample| latency.add(*sample));
        latency
    }

    #[test]
    fn no_shot_is_no_latency() {
        assert_eq!(Latency::default().middle_s(), None);
        assert_eq!(Latency::default().jitter_s(), 0.0);
    }

    #[test]
    fn the_middle_is_of_the_last_eight_and_one_odd_sample_does_not_move_it() {
        let latency = latency_of(&[0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.5]);
        assert_eq!(latency.samples_s().count(), 8);
        assert_eq!(latency.middle_s(), Some(0.1));
        assert!((latency.jitter_s() - 0.05).abs() < 1e-6);
        assert_eq!(latency.samples_s().last(), Some(0.5));
    }

    #[test]
    fn a_sample_is_held_between_nothing_and_a_second() {
        let latency = latency_of(&[-3.0, f32::NAN, 7.0]);
        assert_eq!(latency.samples_s().collect::<Vec<_>>(), [0.0, 0.0, 1.0]);
    }
}
