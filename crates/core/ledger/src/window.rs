//! Which message numbers were heard, over the last 1,024 below the highest.

use fairshot_units::MessageNumber;

/// How far below the highest number heard a message may still be new.
pub(crate) const SPAN: u32 = 1024;
const WORDS: usize = (SPAN / 64) as usize;

/// The highest number heard, and one bit for each of the `SPAN` numbers below it. The highest needs no
/// bit, so its place holds the one exactly `SPAN` below.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Window {
    highest: Option<u32>,
    heard: [u64; WORDS],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hearing {
    New,
    Repeat,
    TooOld,
}

impl Window {
    /// Marks a number as heard, and says whether it was before.
    #[inline]
    pub(crate) fn hear(&mut self, number: MessageNumber) -> Hearing {
        let number = number.0;
        let Some(highest) = self.highest else {
            self.highest = Some(number);
            return Hearing::New;
        };
        if number > highest {
            self.advance(highest, number);
            return Hearing::New;
        }
        let behind = highest - number;
        if behind == 0 {
            return Hearing::Repeat;
        }
        if behind > SPAN {
            return Hearing::TooOld;
        }
        let (word, bit) = place(number);
        if self.heard[word] & bit != 0 {
            return Hearing::Repeat;
        }
        self.heard[word] |= bit;
        Hearing::New
    }

    /// The lowest number that may still be new.
    pub(crate) fn lowest(&self) -> u32 {
        self.highest.unwrap_or(0).saturating_sub(SPAN)
    }

    fn advance(&mut self, highest: u32, number: u32) {
        let step = number - highest;
        if step > SPAN {
            self.heard = [0; WORDS];
        } else {
            for skipped in highest + 1..number {
                let (word, bit) = place(skipped);
                self.heard[word] &= !bit;
            }
            let (word, bit) = place(highest);
            self.heard[word] |= bit;
        }
        self.highest = Some(number);
    }
}

fn place(number: u32) -> (usize, u64) {
    let index = number % SPAN;
    ((index / 64) as usize, 1 << (index % 64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_number_is_new_once_and_too_old_past_1024_below_the_highest() {
        let mut window = Window::default();
        assert_eq!(window.hear(MessageNumber(5000)), Hearing::New);
        assert_eq!(window.hear(MessageNumber(5000)), Hearing::Repeat);
        assert_eq!(window.hear(MessageNumber(3976)), Hearing::New);
        assert_eq!(window.hear(MessageNumber(3976)), Hearing::Repeat);
        assert_eq!(window.hear(MessageNumber(3975)), Hearing::TooOld);
        assert_eq!(window.hear(MessageNumber(u32::MAX)), Hearing::New);
        assert_eq!(window.hear(MessageNumber(5000)), Hearing::TooOld);
    }

    #[test]
    fn the_window_agrees_with_a_set_of_everything_heard() {
        let mut window = Window::default();
        let mut heard = BTreeSet::new();
        let mut random = 1u32;
        let mut highest = 0;
        for _ in 0..200_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let jump = if random >> 28 == 0 { (random >> 8) % 2600 } else { (random >> 8) % 40 };
            let number = (highest + 20_u32).saturating_sub(jump);
            let expected = if !heard.is_empty() && highest.saturating_sub(number) > SPAN {
                Hearing::TooOld
            } else if heard.contains(&number) {
                Hearing::Repeat
            } else {
                Hearing::New
            };
            assert_eq!(window.hear(MessageNumber(number)), expected, "{number} under {highest}");
            if expected == Hearing::New {
                heard.insert(number);
                highest = highest.max(number);
            }
        }
    }
}
