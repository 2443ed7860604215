//! Many matches at once: each on a thread of its own, for none of them knows another.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Plays every job on as many threads as the machine has cores, and gives what came out in the order of
/// the jobs, whatever order they ended in.
///
/// # Panics
/// Where a match panics.
pub fn play_all<J: Sync, T: Send>(jobs: &[J], play: impl Fn(&J) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut played = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(at) else { return played };
            played.push((at, play(job)));
        }
    };
    let mut played: Vec<(usize, T)> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().flat_map(|thread| thread.join().expect("no match panics")).collect()
    });
    played.sort_unstable_by_key(|(at, _)| *at);
    played.into_iter().map(|(_, played)| played).collect()
}

#[cfg(test)]
mod tests {
    use super::play_all;

    #[test]
    fn what_came_out_is_in_the_order_of_the_jobs() {
        let jobs: Vec<u64> = (0..100).collect();
        let doubled: Vec<u64> = jobs.iter().map(|job| job * 2).collect();
        assert_eq!(play_all(&jobs, |job| job * 2), doubled);
        assert_eq!(play_all(&[0u8; 0], |job| *job), [0u8; 0]);
    }
}
