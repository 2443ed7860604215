//! Who may begin a handshake: a proof of address first, then a rate per address, then a cap.
//!
//! A retry costs one packet and no memory, so a flood from forged addresses leaves nothing behind.
//! Only an address that answers its retry reaches the rate, and only what passes the rate costs a
//! handshake (about 0.6 ms of CPU and some 40 KiB).

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::time::{Duration, Instant};

/// When an address must prove that it receives what is sent to it, at the price of one round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryPolicy {
    Always,
    /// Only while this many handshakes or more are half open.
    UnderLoad {
        half_open: usize,
    },
    Never,
}

/// Bounds on handshakes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandshakeLimits {
    pub retry: RetryPolicy,
    /// Handshakes that may be unfinished at one time; more are passed over, and try again by themselves.
    pub half_open_max: usize,
    /// A handshake not finished by then is dropped.
    pub handshake_timeout: Duration,
    /// Handshakes one address may begin at once, and then this many a second. An IPv6 address
    /// counts as its /64. An address from this machine itself is never held back.
    pub address_burst: f32,
    pub address_per_second: f32,
    /// Addresses remembered; beyond them the oldest is forgotten.
    pub addresses_max: usize,
    /// Connections open at one time, closing ones included.
    pub connections_max: usize,
}

impl Default for HandshakeLimits {
    fn default() -> Self {
        Self {
            retry: RetryPolicy::Always,
            half_open_max: 1024,
            handshake_timeout: Duration::from_secs(5),
            address_burst: 32.0,
            address_per_second: 8.0,
            addresses_max: 4096,
            connections_max: 4096,
        }
    }
}

/// What to do with a first packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ruling {
    Accept,
    Retry,
    /// This address began too many.
    TooMany,
    Full,
}

/// Token buckets by address.
#[derive(Debug)]
pub(crate) struct Admission {
    limits: HandshakeLimits,
    buckets: BTreeMap<IpAddr, Bucket>,
    /// Addresses by when they were first seen, so that the table has a bound.
    order: VecDeque<IpAddr>,
}

#[derive(Debug)]
struct Bucket {
    tokens: f32,
    filled: Instant,
}

impl Admission {
    pub(crate) fn new(limits: HandshakeLimits) -> Self {
        Self { limits, buckets: BTreeMap::new(), order: VecDeque::new() }
    }

    pub(crate) fn rule(
        &mut self,
        now: Instant,
        address: IpAddr,
        validated: bool,
        half_open: usize,
        connections: usize,
    ) -> Ruling {
        let must_retry = match self.limits.retry {
            RetryPolicy::Always => true,
            RetryPolicy::UnderLoad { half_open: from } => half_open >= from,
            RetryPolicy::Never => false,
        };
        if must_retry && !validated {
            return Ruling::Retry;
        }
        if half_open >= self.limits.half_open_max || connections >= self.limits.connections_max {
            return Ruling::Full;
        }
        if self.take(now, network_of(address)) { Ruling::Accept } else { Ruling::TooMany }
    }

    fn take(&mut self, now: Instant, address: IpAddr) -> bool {
        if address.is_loopback() {
            return true;
        }
        let HandshakeLimits { address_burst, address_per_second, addresses_max, .. } = self.limits;
        if !self.buckets.contains_key(&address) {
            if self.order.len() >= addresses_max
                && let Some(oldest) = self.order.pop_front()
            {
                self.buckets.remove(&oldest);
            }
            self.order.push_back(address);
        }
        let bucket =
            self.buckets.entry(address).or_insert(Bucket { tokens: address_burst, filled: now });
        let since = now.saturating_duration_since(bucket.filled).as_secs_f32();
        bucket.tokens = (bucket.tokens + since * address_per_second).min(address_burst);
        bucket.filled = now;
        let allowed = bucket.tokens >= 1.0;
        if allowed {
            bucket.tokens -= 1.0;
        }
        allowed
    }
}

/// The unit one subscriber usually holds: an IPv4 address, or an IPv6 /64.
fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) if !v6.is_loopback() => {
            Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX)).into()
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admission() -> Admission {
        Admission::new(HandshakeLimits {
            address_burst: 2.0,
            address_per_second: 1.0,
            addresses_max: 2,
            half_open_max: 10,
            ..HandshakeLimits::default()
        })
    }

    #[test]
    fn an_address_must_prove_itself_before_it_is_counted() {
        let (mut admission, now) = (admission(), Instant::now());
        for _ in 0..100 {
            assert_eq!(admission.rule(now, [9, 9, 9, 9].into(), false, 0, 0), Ruling::Retry);
        }
        assert!(admission.buckets.is_empty(), "forged addresses leave nothing behind");
        assert_eq!(admission.rule(now, [9, 9, 9, 9].into(), true, 0, 0), Ruling::Accept);
    }

    #[test]
    fn one_address_is_held_to_its_rate_and_another_is_not() {
        let (mut admission, now) = (admission(), Instant::now());
        let mut rule = |seconds, address: &str| {
            let address = address.parse().expect("an address");
            admission.rule(now + Duration::from_secs(seconds), address, true, 0, 0)
        };
        assert_eq!(rule(0, "2001:db8::1"), Ruling::Accept);
        assert_eq!(rule(0, "2001:db8::2"), Ruling::Accept);
        assert_eq!(rule(0, "2001:db8::3"), Ruling::TooMany, "one /64 is one address");
        assert_eq!(rule(0, "10.0.0.1"), Ruling::Accept);
        assert_eq!(rule(1, "2001:db8::4"), Ruling::Accept);
        assert_eq!(rule(1, "2001:db8::4"), Ruling::TooMany);
    }

    #[test]
    fn the_table_of_addresses_has_a_bound() {
        let (mut admission, now) = (admission(), Instant::now());
        for last in 0..=255 {
            admission.rule(now, [10, 0, 0, last].into(), true, 0, 0);
        }
        assert_eq!(admission.buckets.len(), 2);
        assert_eq!(admission.order.len(), 2);
    }

    #[test]
    fn beyond_the_cap_of_half_open_handshakes_nobody_is_let_in() {
        let (mut admission, now) = (admission(), Instant::now());
        assert_eq!(admission.rule(now, [1, 1, 1, 1].into(), true, 10, 10), Ruling::Full);
        assert_eq!(admission.rule(now, [1, 1, 1, 1].into(), true, 0, 4096), Ruling::Full);
    }
}
