//! A rate for each address, so that one of them cannot crowd out the rest.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::time::Instant;

/// How much one address may do. An IPv6 address counts as its /64, the unit one subscriber usually holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AddressLimit {
    /// At once, and then this much a second.
    pub burst: f32,
    pub per_second: f32,
    /// Addresses remembered; beyond them the oldest is forgotten.
    pub addresses_max: usize,
}

/// Token buckets by address. An address of this machine itself is never held back.
#[derive(Debug)]
pub struct AddressRate {
    limit: AddressLimit,
    buckets: BTreeMap<IpAddr, Bucket>,
    /// Addresses by when they were first seen, so that the table has a bound.
    order: VecDeque<IpAddr>,
}

#[derive(Debug)]
struct Bucket {
    tokens: f32,
    filled: Instant,
}

impl AddressRate {
    #[must_use]
    pub fn new(limit: AddressLimit) -> Self {
        Self { limit, buckets: BTreeMap::new(), order: VecDeque::new() }
    }

    /// Whether the address may do one more thing now; it counts if so.
    pub fn take(&mut self, now: Instant, address: IpAddr) -> bool {
        let address = network_of(address);
        if address.is_loopback() {
            return true;
        }
        let AddressLimit { burst, per_second, addresses_max } = self.limit;
        if !self.buckets.contains_key(&address) {
            if self.order.len() >= addresses_max
                && let Some(oldest) = self.order.pop_front()
            {
                self.buckets.remove(&oldest);
            }
            self.order.push_back(address);
        }
        let bucket = self.buckets.entry(address).or_insert(Bucket { tokens: burst, filled: now });
        let since = now.saturating_duration_since(bucket.filled).as_secs_f32();
        bucket.tokens = (bucket.tokens + since * per_second).min(burst);
        bucket.filled = now;
        let allowed = bucket.tokens >= 1.0;
        if allowed {
            bucket.tokens -= 1.0;
        }
        allowed
    }

    /// Addresses remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.buckets.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }
}

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
    use std::time::Duration;

    fn rate() -> AddressRate {
        AddressRate::new(AddressLimit { burst: 2.0, per_second: 1.0, addresses_max: 2 })
    }

    #[test]
    fn one_address_is_held_to_its_rate_and_another_is_not() {
        let (mut rate, now) = (rate(), Instant::now());
        let mut take = |seconds, address: &str| {
            rate.take(now + Duration::from_secs(seconds), address.parse().expect("an address"))
        };
        assert!(take(0, "2001:db8::1"));
        assert!(take(0, "2001:db8::2"));
        assert!(!take(0, "2001:db8::3"), "one /64 is one address");
        assert!(take(0, "10.0.0.1"));
        assert!(take(0, "::ffff:10.0.0.1"), "an address written as IPv6 is the same address");
        assert!(!take(0, "10.0.0.1"));
        assert!(take(1, "2001:db8::4"));
        assert!(!take(1, "2001:db8::4"));
    }

    #[test]
    fn this_machine_itself_is_not_held_back() {
        let (mut rate, now) = (rate(), Instant::now());
        assert!((0..100).all(|_| rate.take(now, [127, 0, 0, 1].into())));
        assert!(rate.is_empty());
    }

    #[test]
    fn the_table_of_addresses_has_a_bound() {
        let (mut rate, now) = (rate(), Instant::now());
        for last in 0..=255 {
            rate.take(now, [10, 0, 0, last].into());
        }
        assert_eq!(rate.len(), 2);
        assert_eq!(rate.order.len(), 2);
    }
}
