//! What wakes a shard: one timer a thread, at the phases of a tick that its rooms are due in.
//!
//! The runtime's own timers are a millisecond coarse. A timerfd is not. It is set anew for each wake, so
//! a stall leaves no burst, and a phase without a room costs nothing.

use std::io;
use std::time::{Duration, Instant};

/// An eighth of a tick at 64 Hz, exactly: eight of them are 15,625,000 ns.
pub const PHASE: Duration = Duration::from_nanos(1_953_125);

/// Rooms are spread over this many phases of a tick, so that a shard's work comes in even portions.
pub const PHASES: u32 = 8;

/// Wakes its owner at moments it names: one timer a thread.
#[derive(Debug)]
pub struct PhaseTimer {
    #[cfg(target_os = "linux")]
    timer: tokio::io::unix::AsyncFd<std::os::fd::OwnedFd>,
}

#[cfg(target_os = "linux")]
impl PhaseTimer {
    /// Opens the timer; must be called inside the runtime that will wait on it.
    ///
    /// # Errors
    /// The kernel's, where it has no descriptor left.
    pub fn start() -> io::Result<Self> {
        use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};
        let timer = timerfd_create(
            TimerfdClockId::Monotonic,
            TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC,
        )?;
        // SAFETY: the descriptor was made above, is owned by the `AsyncFd` from here on, and is closed
        // by nobody else.
        let timer =
            unsafe { tokio::io::unix::AsyncFd::register(timer) }.map_err(io::Error::from)?;
        Ok(Self { timer })
    }

    /// Waits until `deadline`; where it has passed, only until every other task had its turn. May be
    /// dropped and called again.
    ///
    /// # Errors
    /// The kernel's; the timer is then of no more use.
    pub async fn wait_until(&mut self, deadline: Instant) -> io::Result<()> {
        use rustix::time::{Itimerspec, TimerfdTimerFlags, Timespec, timerfd_settime};
        if deadline <= Instant::now() {
            tokio::task::yield_now().await;
        }
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            let once = Itimerspec {
                it_interval: Timespec { tv_sec: 0, tv_nsec: 0 },
                it_value: Timespec {
                    tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
                    tv_nsec: left.subsec_nanos().into(),
                },
            };
            // Setting it also takes back an expiry that nobody read, so none is ever read.
            timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &once)?;
            self.timer.readable().await?.clear_ready();
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl PhaseTimer {
    /// Opens the timer.
    ///
    /// # Errors
    /// None where the runtime's own timer serves.
    pub fn start() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Waits until `deadline`.
    ///
    /// # Errors
    /// None where the runtime's own timer serves.
    pub async fn wait_until(&mut self, deadline: Instant) -> io::Result<()> {
        tokio::task::yield_now().await;
        tokio::time::sleep_until(deadline.into()).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix_rt::test]
    async fn a_wait_ends_at_its_deadline_and_not_before() {
        let mut timer = PhaseTimer::start().expect("a timer");
        for _ in 0..8 {
            let deadline = Instant::now() + PHASE;
            timer.wait_until(deadline).await.expect("a phase");
            assert!(Instant::now() >= deadline);
        }
    }

    #[actix_rt::test]
    async fn a_wait_that_was_given_up_disturbs_no_later_one() {
        let mut timer = PhaseTimer::start().expect("a timer");
        {
            let given_up = timer.wait_until(Instant::now() + PHASE);
            let mut given_up = std::pin::pin!(given_up);
            let waker = std::task::Waker::noop();
            let first = given_up.as_mut().poll(&mut std::task::Context::from_waker(waker));
            assert!(first.is_pending());
        }
        let deadline = Instant::now() + PHASE * 3;
        timer.wait_until(deadline).await.expect("a phase");
        assert!(Instant::now() >= deadline);
    }

    #[actix_rt::test]
    async fn a_deadline_that_has_passed_is_waited_for_no_more() {
        let mut timer = PhaseTimer::start().expect("a timer");
        let began = Instant::now();
        timer.wait_until(began).await.expect("at once");
    }
}
