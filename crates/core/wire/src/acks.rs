//! Which numbered messages of a session arrived: kept by the server, told in every snapshot.

use fairshot_units::MessageNumber;

/// What the server heard: the highest number, and which of the 64 below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct MessageAcks {
    /// 0 where nothing was heard: numbers start at 1.
    pub highest: MessageNumber,
    /// Bit `i` is number `highest - 1 - i`.
    pub mask: u64,
}

impl MessageAcks {
    /// How far below the highest number a message can still be told apart.
    pub const WINDOW: u32 = 64;

    /// Whether a client may stop sending that message: it was heard, or is too old to be asked for.
    #[must_use]
    pub fn settles(&self, number: MessageNumber) -> bool {
        if number.0 > self.highest.0 {
            return false;
        }
        match self.highest.0 - number.0 {
            0 => true,
            back if back > Self::WINDOW => true,
            back => self.mask >> (back - 1) & 1 == 1,
        }
    }
}

/// Records arrivals; the server's half.
#[derive(Clone, Copy, Debug, Default)]
pub struct AckWindow {
    acks: MessageAcks,
}

impl AckWindow {
    /// Notes a message; false where it was heard before or lies below the window.
    ///
    /// Numbers too far ahead of what a session can have sent are the caller's to refuse: the window
    /// moves to whatever it is told.
    pub fn record(&mut self, number: MessageNumber) -> bool {
        let acks = &mut self.acks;
        if number.0 > acks.highest.0 {
            let ahead = number.0 - acks.highest.0;
            // The number heard highest before becomes bit `ahead - 1`; 0 is no number.
            let old = u64::from(acks.highest.0 != 0);
            acks.mask = match ahead {
                1..64 => acks.mask << ahead | old << (ahead - 1),
                64 => old << 63,
                _ => 0,
            };
            acks.highest = number;
            return true;
        }
        let back = acks.highest.0 - number.0;
        if back == 0 || back > MessageAcks::WINDOW || number.0 == 0 {
            return false;
        }
        let bit = 1 << (back - 1);
        let new = acks.mask & bit == 0;
        acks.mask |= bit;
        new
    }

    #[must_use]
    pub fn acks(&self) -> MessageAcks {
        self.acks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_gap_stays_open_until_it_is_heard() {
        let mut window = AckWindow::default();
        for number in [1, 2, 5] {
            assert!(window.record(MessageNumber(number)));
        }
        assert!(!window.record(MessageNumber(2)));
        assert!(!window.acks().settles(MessageNumber(3)));
        assert!(window.record(MessageNumber(3)));
        assert!(window.acks().settles(MessageNumber(3)));
        assert!(!window.acks().settles(MessageNumber(4)));
        assert!(!window.acks().settles(MessageNumber(6)));
    }

    proptest! {
        #[test]
        fn the_window_agrees_with_a_set(numbers in proptest::collection::vec(1u32..300, 1..200)) {
            let mut window = AckWindow::default();
            let mut set = BTreeSet::new();
            for number in numbers {
                let highest = set.last().copied().unwrap_or(0);
                let in_reach = number + MessageAcks::WINDOW >= highest;
                let new = set.insert(number) && in_reach;
                prop_assert_eq!(window.record(MessageNumber(number)), new);
                let highest = set.last().copied().unwrap_or(0);
                for asked in 1..highest + 5 {
                    let heard =
                        set.contains(&asked) || asked + MessageAcks::WINDOW < highest;
                    prop_assert_eq!(window.acks().settles(MessageNumber(asked)), heard);
                }
            }
        }
    }
}
