//! Holds each line of code that logs to a rate, so that one that is hit by every datagram neither
//! fills the disk nor hides the others. What was left out is counted, never silent.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tracing::callsite::Identifier;
use tracing::level_filters::LevelFilter;
use tracing::{Event, Metadata};
use tracing_subscriber::layer::{Context, Filter};

/// A filter of log lines. A clone shares its counts.
#[derive(Clone, Debug)]
pub struct LogLimit {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    burst: f64,
    per_second: f64,
    left_out: AtomicU64,
    /// By line of code: as many as the program has.
    lines: Mutex<HashMap<Identifier, Bucket>>,
}

#[derive(Debug)]
struct Bucket {
    lines: f64,
    filled: Instant,
}

impl LogLimit {
    /// Each line of code may log `burst` times at once and `per_second` times a second.
    #[must_use]
    pub fn new(burst: u32, per_second: u32) -> Self {
        Self {
            shared: Arc::new(Shared {
                burst: f64::from(burst),
                per_second: f64::from(per_second),
                left_out: AtomicU64::new(0),
                lines: Mutex::default(),
            }),
        }
    }

    /// Log lines left out since this was last asked.
    #[must_use]
    pub fn take_left_out(&self) -> u64 {
        self.shared.left_out.swap(0, Ordering::Relaxed)
    }

    fn allows(&self, line: Identifier, now: Instant) -> bool {
        let mut lines = self.shared.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = lines.entry(line).or_insert(Bucket { lines: self.shared.burst, filled: now });
        let passed_s = now.saturating_duration_since(bucket.filled).as_secs_f64();
        bucket.lines = (bucket.lines + passed_s * self.shared.per_second).min(self.shared.burst);
        bucket.filled = now;
        if bucket.lines < 1.0 {
            self.shared.left_out.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        bucket.lines -= 1.0;
        true
    }
}

impl<S> Filter<S> for LogLimit {
    fn enabled(&self, _: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        true
    }

    fn event_enabled(&self, event: &Event<'_>, _: &Context<'_, S>) -> bool {
        self.allows(event.metadata().callsite(), Instant::now())
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::TRACE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use tracing_subscriber::fmt::MakeWriter;
    use tracing_subscriber::layer::SubscriberExt;
    use tracing_subscriber::{Layer, Registry, fmt};

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("is not poisoned").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl<'a> MakeWriter<'a> for Lines {
        type Writer = Self;
        fn make_writer(&'a self) -> Self {
            self.clone()
        }
    }

    #[test]
    fn a_noisy_line_is_held_and_counted_and_a_quiet_one_is_not() {
        let (lines, limit) = (Lines::default(), LogLimit::new(5, 1));
        let layer = fmt::layer().with_writer(lines.clone()).with_filter(limit.clone());
        tracing::subscriber::with_default(Registry::default().with(layer), || {
            for _ in 0..1_000 {
                tracing::warn!("a bad datagram");
            }
            tracing::warn!("a room panicked");
        });
        let text = String::from_utf8(lines.0.lock().expect("is not poisoned").clone());
        let text = text.expect("is text");
        assert_eq!(text.matches("a bad datagram").count(), 5, "{text}");
        assert_eq!(text.matches("a room panicked").count(), 1);
        assert_eq!(limit.take_left_out(), 995);
        assert_eq!(limit.take_left_out(), 0);
    }
}
