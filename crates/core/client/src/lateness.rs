//! How much later than usual the room hears of this player.
//!
//! Every word of the room names its tick and the last frame it applied. The room's ticks and this player's
//! frames go by alike, so what lies between the two is her way up, and what it is over its least of late is
//! a queue or a stall. The room saves up input credit for 0.65 s of such frames and drops the oldest
//! beyond, so a body that ran on meanwhile is not where its player has it.

use fairshot_units::Tick;

/// The least is that of one or two such spans, in frames: a way that got longer for good is the usual one
/// after a while.
const SPAN_FRAMES: u32 = 640;

/// What is usual on the way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lateness {
    frames: u32,
    first: Option<Tick>,
    least: Option<i64>,
    least_before: Option<i64>,
    /// Frames on their way, up and back, that are not late.
    usual: Option<usize>,
}

impl Lateness {
    pub(crate) fn frame_made(&mut self) {
        self.frames += 1;
    }

    /// The room's word of that tick came: it had applied so many frames of all, and so many made by now
    /// are not in it.
    pub(crate) fn heard(&mut self, tick: Tick, applied: u32, unapplied: usize) {
        if self.frames >= SPAN_FRAMES {
            (self.frames, self.least_before) = (0, self.least.take());
        }
        let first = *self.first.get_or_insert(tick);
        let way = i64::from(tick.since(first)) - i64::from(applied);
        let span = self.least.map_or(way, |least| least.min(way));
        self.least = Some(span);
        let late = way - self.least_before.map_or(span, |before| before.min(span));
        self.usual = Some(unapplied.saturating_sub(usize::try_from(late).unwrap_or(0)));
    }

    /// How many of so many frames, not applied as far as is known, are late.
    pub(crate) fn late(&self, unapplied: usize) -> usize {
        self.usual.map_or(0, |usual| unapplied.saturating_sub(usual))
    }
}

#[cfg(test)]
mod tests {
    use super::{Lateness, Tick};

    /// A frame a tick; the room's word tells of the tick, and has applied all but so many of them.
    fn hear(lateness: &mut Lateness, ticks: std::ops::Range<u32>, behind: u32, way_back: usize) {
        for tick in ticks {
            lateness.frame_made();
            lateness.heard(Tick(tick), tick - behind, behind as usize + way_back);
        }
    }

    #[test]
    fn what_waits_beyond_the_usual_is_late() {
        let mut lateness = Lateness::default();
        assert_eq!(lateness.late(50), 0, "nothing is known yet");
        hear(&mut lateness, 100..200, 3, 4);
        assert_eq!(lateness.late(7), 0);
        assert_eq!(lateness.late(40), 33, "no word came since");
        hear(&mut lateness, 200..300, 30, 4);
        assert_eq!(lateness.late(34), 27, "a queue that stays is late still");
    }

    #[test]
    fn a_longer_way_back_is_not_late_and_a_way_up_that_stays_long_becomes_the_usual() {
        let mut lateness = Lateness::default();
        hear(&mut lateness, 100..200, 3, 4);
        hear(&mut lateness, 200..300, 3, 60);
        assert_eq!(lateness.late(63), 0);
        hear(&mut lateness, 300..2000, 30, 4);
        assert_eq!(lateness.late(34), 0);
    }
}
