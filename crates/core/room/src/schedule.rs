//! When ticks are due: a bounded catch-up after a stall, and the rest dropped and counted.

/// Ticks run at once after a stall at the most.
pub const CATCH_UP_TICKS_MAX: u32 = 16;

/// Which ticks of a fixed rate are due, told the time as an argument.
///
/// A tick is due every `1/hz` from the start. After a stall at most sixteen run at once and the rest
/// are dropped for good: the schedule goes on from now, so no debt is left that later ticks would pay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TickSchedule {
    tick_hz: u64,
    /// Time of tick `due` is `start_ns + due x 1e9 / hz`: no rounding adds up.
    start_ns: u64,
    due: u64,
}

/// What to do at one wake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Due {
    /// Ticks to run now.
    pub run: u32,
    /// Ticks dropped: hand them to the room as `RoomInput::TicksDropped`.
    pub dropped: u32,
}

const NS_PER_S: u64 = 1_000_000_000;

impl TickSchedule {
    /// The first tick is due one tick after `start_ns`.
    #[must_use]
    pub fn new(tick_hz: u16, start_ns: u64) -> Self {
        Self { tick_hz: u64::from(tick_hz.max(1)), start_ns, due: 1 }
    }

    /// The ticks due at `now_ns`. A clock that went back makes none due.
    pub fn wake(&mut self, now_ns: u64) -> Due {
        let elapsed = u128::from(now_ns.saturating_sub(self.start_ns));
        let passed = elapsed * u128::from(self.tick_hz) / u128::from(NS_PER_S);
        let passed = u64::try_from(passed).unwrap_or(u64::MAX);
        let owed = (passed + 1).saturating_sub(self.due);
        self.due += owed;
        let run = owed.min(u64::from(CATCH_UP_TICKS_MAX));
        Due {
            run: u32::try_from(run).unwrap_or(CATCH_UP_TICKS_MAX),
            dropped: u32::try_from(owed - run).unwrap_or(u32::MAX),
        }
    }

    /// When the next tick is due.
    #[must_use]
    pub fn next_ns(&self) -> u64 {
        let after = u128::from(self.due) * u128::from(NS_PER_S);
        let after = after.div_ceil(u128::from(self.tick_hz));
        self.start_ns.saturating_add(u64::try_from(after).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK_NS: u64 = 15_625_000;

    #[test]
    fn r24_after_a_stall_of_two_seconds_sixteen_ticks_run_and_112_are_dropped() {
        let mut schedule = TickSchedule::new(64, 0);
        assert_eq!(schedule.wake(TICK_NS), Due { run: 1, dropped: 0 });
        let stalled = schedule.wake(TICK_NS + 2 * NS_PER_S);
        assert_eq!(stalled, Due { run: 16, dropped: 112 });
        let mut per_second = [0; 5];
        let mut now = TICK_NS + 2 * NS_PER_S;
        let end = now + 5 * NS_PER_S;
        while schedule.next_ns() <= end {
            let second = (schedule.next_ns() - now) / NS_PER_S;
            let due = schedule.wake(schedule.next_ns());
            assert_eq!(due.dropped, 0);
            per_second[usize::try_from(second).unwrap_or(4).min(4)] += due.run;
        }
        assert!(per_second.iter().all(|ticks| (63..=65).contains(ticks)), "{per_second:?}");
        assert!(per_second.iter().sum::<u32>() <= 320 + 16 + 1);
        now = end;
        assert_eq!(schedule.wake(now).run, 0);
    }

    #[test]
    fn r24_a_load_above_budget_slows_the_room_and_piles_nothing_up() {
        let mut schedule = TickSchedule::new(64, 0);
        // Every tick takes 25 ms for 10 s: 40 ticks a second could run, 64 are asked for.
        let mut now = 0;
        let mut dropped = 0;
        while now < 10 * NS_PER_S {
            now = now.max(schedule.next_ns());
            let due = schedule.wake(now);
            assert!(due.run <= CATCH_UP_TICKS_MAX);
            dropped += due.dropped;
            now += u64::from(due.run) * 25_000_000;
        }
        assert!(dropped > 0);
        // The load ends: at most one catch-up, then exactly one tick at a time.
        let backlog = schedule.wake(now);
        assert!(backlog.run <= CATCH_UP_TICKS_MAX);
        for _ in 0..64 {
            now = schedule.next_ns();
            assert_eq!(schedule.wake(now), Due { run: 1, dropped: 0 });
        }
    }

    #[test]
    fn a_clock_that_jumps_back_makes_no_tick_due_twice() {
        let mut schedule = TickSchedule::new(64, 1000);
        assert_eq!(schedule.wake(1000 + 10 * TICK_NS).run, 10);
        assert_eq!(schedule.wake(500), Due::default());
        assert_eq!(schedule.wake(1000 + 11 * TICK_NS).run, 1);
    }

    #[test]
    fn a_rate_that_divides_no_second_drifts_nowhere() {
        let mut schedule = TickSchedule::new(60, 0);
        let mut run = 0;
        while schedule.next_ns() <= 100 * NS_PER_S {
            run += schedule.wake(schedule.next_ns()).run;
        }
        assert_eq!(run, 6000);
    }
}
