//! Shot numbers heard, where no inventory sorts out repeats: a mode that counts no rounds.

use fairshot_units::MessageNumber;

/// Numbers looked back; a shot further behind the highest heard is late.
pub(crate) const WINDOW: u32 = 1024;
const WORDS: usize = WINDOW as usize / 64;

/// The numbers heard within the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Seen {
    pub(crate) highest: Option<u32>,
    pub(crate) bits: [u64; WORDS],
}

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    First,
    Repeat,
    Late,
}

impl Seen {
    pub(crate) fn hear(&mut self, number: MessageNumber) -> Heard {
        let number = number.0;
        let highest = self.highest.unwrap_or(number);
        if number > highest {
            // Numbers skipped over have not been heard: their places held ones now out of the window.
            for skipped in
                (1..=(number - highest).min(WINDOW)).map(|back| highest.wrapping_add(back))
            {
                self.bits[word(skipped)] &= !bit(skipped);
            }
        } else if highest - number >= WINDOW {
            return Heard::Late;
        } else if self.highest.is_some() && self.bits[word(number)] & bit(number) != 0 {
            return Heard::Repeat;
        }
        self.bits[word(number)] |= bit(number);
        self.highest = Some(highest.max(number));
        Heard::First
    }
}

fn word(number: u32) -> usize {
    (number % WINDOW) as usize / 64
}

fn bit(number: u32) -> u64 {
    1 << (number % 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_heard_once_in_any_order_and_late_beyond_the_window() {
        let mut seen = Seen::default();
        for (number, heard) in [
            (10, Heard::First),
            (9, Heard::First),
            (10, Heard::Repeat),
            (2000, Heard::First),
            (1999, Heard::First),
            (976, Heard::Late),
            (977, Heard::First),
            (977, Heard::Repeat),
            (u32::MAX, Heard::First),
            (2000, Heard::Late),
        ] {
            assert_eq!(seen.hear(MessageNumber(number)), heard, "{number}");
        }
    }
}
