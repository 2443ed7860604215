//! What wakes a shard: one timer a thread, eight phases a tick at 64 Hz.
//!
//! The runtime's own timers are a millisecond coarse and burst after a stall. A timerfd read through
//! the reactor is not, and it says how many periods passed, so nothing is owed.

use std::io;
use std::time::Duration;

/// An eighth of a tick at 64 Hz, exactly: eight of them are 15,625,000 ns.
pub const PHASE: Duration = Duration::from_nanos(1_953_125);

/// Rooms are spread over this many phases of a tick, so that a shard's work comes in even portions.
pub const PHASES: u32 = 8;

/// Wakes its owner every [`PHASE`].
#[derive(Debug)]
pub struct PhaseTimer {
    #[cfg(target_os = "linux")]
    timer: tokio::io::unix::AsyncFd<std::os::fd::OwnedFd>,
    #[cfg(not(target_os = "linux"))]
    timer: tokio::time::Interval,
}

#[cfg(target_os = "linux")]
impl PhaseTimer {
    /// Starts the timer; must be called inside the runtime that will wait on it.
    ///
    /// # Errors
    /// The kernel's, where it has no descriptor left.
    pub fn start() -> io::Result<Self> {
        use rustix::time::{
            Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
            timerfd_settime,
        };
        let timer = timerfd_create(
            TimerfdClockId::Monotonic,
            TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC,
        )?;
        let period = Timespec { tv_sec: 0, tv_nsec: i64::from(PHASE.subsec_nanos()) };
        let every = Itimerspec { it_interval: period, it_value: period };
        timerfd_settime(&timer, TimerfdTimerFlags::empty(), &every)?;
        // SAFETY: the descriptor was made above, is owned by the `AsyncFd` from here on, and is closed
        // by nobody else.
        let timer =
            unsafe { tokio::io::unix::AsyncFd::register(timer) }.map_err(io::Error::from)?;
        Ok(Self { timer })
    }

    /// Waits for the next phase and returns how many have passed since the last wait, at least one.
    ///
    /// # Errors
    /// The kernel's; the timer is then of no more use.
    pub async fn next(&mut self) -> io::Result<u64> {
        loop {
            let mut ready = self.timer.readable().await?;
            let read = ready.try_io(|timer| {
                let mut count = [0; 8];
                rustix::io::read(timer.get_ref(), &mut count)?;
                Ok(u64::from_ne_bytes(count))
            });
            match read {
                Ok(count) => return count.map(|passed| passed.max(1)),
                Err(_not_yet) => {}
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl PhaseTimer {
    /// Starts the timer; must be called inside the runtime that will wait on it.
    ///
    /// # Errors
    /// None where the runtime's own timer serves.
    pub fn start() -> io::Result<Self> {
        let mut timer = tokio::time::interval(PHASE);
        timer.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        Ok(Self { timer })
    }

    /// Waits for the next phase.
    ///
    /// # Errors
    /// None where the runtime's own timer serves.
    pub async fn next(&mut self) -> io::Result<u64> {
        self.timer.tick().await;
        Ok(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[actix_rt::test]
    async fn sixty_four_phases_take_an_eighth_of_a_second() {
        let started = Instant::now();
        let mut timer = PhaseTimer::start().expect("a timer");
        let mut phases = 0;
        while phases < 64 {
            phases += timer.next().await.expect("a phase");
        }
        assert!(started.elapsed() >= PHASE * 64);
    }

    #[actix_rt::test]
    async fn a_stall_is_told_as_a_count_and_not_as_a_burst() {
        let mut timer = PhaseTimer::start().expect("a timer");
        let stalled = Instant::now();
        while stalled.elapsed() < PHASE * 20 {
            std::hint::spin_loop();
        }
        let passed = timer.next().await.expect("a phase");
        if cfg!(target_os = "linux") {
            assert!(passed >= 20, "{passed}");
        }
    }
}
