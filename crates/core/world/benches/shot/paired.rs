//! Two ways to do the same work, timed in turns in one run: what a busy machine does to one it does to
//! the other, so their ratio holds where neither figure does.

use rustix::time::{ClockId, clock_gettime};

/// Turns of each; odd, so that one is the middle.
const TURNS: usize = 61;

/// Prints the middle time of each over `count` calls a turn, and the middle of the turns' ratios.
pub fn paired(name: &str, count: u32, mut ours: impl FnMut(), mut plain: impl FnMut()) {
    let mut turns = [(0.0, 0.0); TURNS];
    // One turn more than counts, which warms both up.
    for turn in std::iter::once(None).chain((0..TURNS).map(Some)) {
        let times = (timed(count, &mut ours), timed(count, &mut plain));
        if let Some(turn) = turn {
            turns[turn] = times;
        }
    }
    let middle = |of: fn(&(f64, f64)) -> f64| {
        let mut all = turns.map(|turn| of(&turn));
        all.sort_unstable_by(f64::total_cmp);
        all[TURNS / 2]
    };
    println!(
        "{name}: {:.3} us, plain {:.3} us, {:.1} times as fast (middles of {TURNS} turns)",
        middle(|turn| turn.0),
        middle(|turn| turn.1),
        middle(|turn| turn.1 / turn.0),
    );
}

/// Microseconds of this thread's own time a call.
fn timed(count: u32, run: &mut impl FnMut()) -> f64 {
    let began = now_us();
    for _ in 0..count {
        run();
    }
    (now_us() - began) / f64::from(count)
}

#[expect(clippy::cast_precision_loss, reason = "a bench's times are far below 2^53")]
fn now_us() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 * 1e6 + now.tv_nsec as f64 / 1e3
}
