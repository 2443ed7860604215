//! Reads the server's metrics page: how late its ticks began.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

const METRIC: &str = "fairshot_tick_lateness_seconds_bucket{";
const PAGE_BYTES_MAX: u64 = 32 * 1024 * 1024;
const READ_MAX: Duration = Duration::from_secs(3);

/// Ticks counted by how late they began: by a bucket's upper bound in microseconds, all of them up to
/// that bound.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lateness(BTreeMap<u64, u64>);

impl Lateness {
    /// Reads the page once; `None` where nobody answers.
    pub(crate) fn read(address: SocketAddr) -> Option<Self> {
        let mut stream = TcpStream::connect_timeout(&address, READ_MAX).ok()?;
        stream.set_read_timeout(Some(READ_MAX)).ok()?;
        let request =
            format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).ok()?;
        let mut page = Vec::new();
        stream.take(PAGE_BYTES_MAX).read_to_end(&mut page).ok()?;
        Some(Self::parse(&String::from_utf8_lossy(&page)))
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "bounds of buckets"
    )]
    fn parse(page: &str) -> Self {
        let mut buckets = BTreeMap::new();
        for line in page.lines().filter(|line| line.starts_with(METRIC)) {
            let Some(bound) = line.split("le=\"").nth(1).and_then(|rest| rest.split('"').next())
            else {
                continue;
            };
            let bound_us = match bound.parse::<f64>() {
                Ok(seconds) if seconds.is_finite() => (seconds * 1e6).round() as u64,
                _ => u64::MAX,
            };
            let count = line.rsplit(' ').next().and_then(|count| count.parse::<f64>().ok());
            *buckets.entry(bound_us).or_default() += count.unwrap_or(0.0) as u64;
        }
        Self(buckets)
    }

    /// The lateness in milliseconds that this part of the ticks since `before` stayed under, linear
    /// within its bucket; `None` without a tick.
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a figure")]
    pub(crate) fn percentile_ms(&self, before: &Self, part: f64) -> Option<f64> {
        let counts: Vec<(u64, u64)> = self
            .0
            .iter()
            .map(|(bound, count)| {
                (*bound, count.saturating_sub(before.0.get(bound).copied().unwrap_or(0)))
            })
            .collect();
        let total = counts.last()?.1;
        if total == 0 {
            return None;
        }
        let wanted = total as f64 * part;
        let (mut below_us, mut below) = (0, 0);
        for (bound_us, count) in counts {
            if count as f64 >= wanted {
                if bound_us == u64::MAX {
                    return Some(below_us as f64 / 1000.0);
                }
                let share = (wanted - below as f64) / ((count - below).max(1) as f64);
                return Some((below_us as f64 + share * (bound_us - below_us) as f64) / 1000.0);
            }
            (below_us, below) = (bound_us, count);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_lies_within_its_bucket_and_counts_only_what_came_since() {
        let page = |ticks: [u64; 3]| {
            Lateness::parse(&format!(
                "# HELP x\n{METRIC}shard=\"0\",le=\"0.001\"}} {}\n{METRIC}shard=\"0\",le=\"0.002\"}} {}\n\
                 {METRIC}shard=\"0\",le=\"+Inf\"}} {}\n",
                ticks[0], ticks[1], ticks[2]
            ))
        };
        let before = page([1000, 1000, 1000]);
        let after = page([1090, 1100, 1100]);
        let p50 = after.percentile_ms(&before, 0.5).expect("ticks came");
        assert!((0.5..0.6).contains(&p50), "{p50}");
        let p99 = after.percentile_ms(&before, 0.99).expect("ticks came");
        assert!((1.8..=2.0).contains(&p99), "{p99}");
        assert_eq!(before.percentile_ms(&before, 0.5), None);
    }
}
