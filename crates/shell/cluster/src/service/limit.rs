//! How often one address may ask.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// A burst, and how fast it fills up again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JoinLimit {
    pub burst: f64,
    pub per_second: f64,
}

impl Default for JoinLimit {
    /// A lan party or a university behind one address stays below this, and so does a load test.
    fn default() -> Self {
        Self { burst: 2_000.0, per_second: 200.0 }
    }
}

/// One bucket an address (an IPv6 network of 64 bits counts as one), of a bounded number: when they
/// are all in use, those filled up are forgotten, and if none is, newcomers are turned away.
#[derive(Debug)]
pub struct JoinLimiter {
    limit: JoinLimit,
    buckets: Mutex<HashMap<IpAddr, (f64, Instant)>>,
}

const BUCKETS_MAX: usize = 65_536;

impl JoinLimiter {
    #[must_use]
    pub fn new(limit: JoinLimit) -> Self {
        Self { limit, buckets: Mutex::default() }
    }

    /// Takes one call of an address.
    ///
    /// # Errors
    /// How long to wait, if there is none to take.
    pub fn take(&self, address: IpAddr) -> Result<(), Duration> {
        let now = Instant::now();
        let key = network(address);
        let JoinLimit { burst, per_second } = self.limit;
        let level = |(left, at): (f64, Instant)| {
            (left + now.saturating_duration_since(at).as_secs_f64() * per_second).min(burst)
        };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= BUCKETS_MAX && !buckets.contains_key(&key) {
            buckets.retain(|_, bucket| level(*bucket) < burst);
            if buckets.len() >= BUCKETS_MAX {
                return Err(Duration::from_secs(1));
            }
        }
        let bucket = buckets.entry(key).or_insert((burst, now));
        let left = level(*bucket);
        if left < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - left) / per_second.max(0.001)));
        }
        *bucket = (left - 1.0, now);
        Ok(())
    }
}

fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_burst_is_let_through_and_then_so_many_a_second() {
        let limiter = JoinLimiter::new(JoinLimit { burst: 2.0, per_second: 4.0 });
        let address: IpAddr = "192.0.2.1".parse().expect("an address");
        assert!(limiter.take(address).is_ok() && limiter.take(address).is_ok());
        assert_eq!(limiter.take(address), Err(Duration::from_millis(250)));
        assert!(limiter.take("192.0.2.2".parse().expect("an address")).is_ok());
        tokio::time::advance(Duration::from_millis(250)).await;
        assert!(limiter.take(address).is_ok() && limiter.take(address).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn one_ipv6_network_is_one_address() {
        let limiter = JoinLimiter::new(JoinLimit { burst: 1.0, per_second: 1.0 });
        assert!(limiter.take("2001:db8::1".parse().expect("an address")).is_ok());
        assert!(limiter.take("2001:db8::2".parse().expect("an address")).is_err());
        assert!(limiter.take("2001:db8:0:1::1".parse().expect("an address")).is_ok());
    }
}
