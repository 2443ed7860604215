//! Who may begin a handshake: a proof of address first, then a rate per address, then a cap.
//!
//! A retry costs one packet and no memory, so a flood from forged addresses leaves nothing behind.
//! Only an address that answers its retry reaches the rate, and only what passes the rate costs a
//! handshake (about 0.6 ms of CPU and some 40 KiB).

use crate::address_rate::{AddressLimit, AddressRate};
use std::net::IpAddr;
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

/// The handshakes of every address.
#[derive(Debug)]
pub(crate) struct Admission {
    limits: HandshakeLimits,
    rate: AddressRate,
}

impl Admission {
    pub(crate) fn new(limits: HandshakeLimits) -> Self {
        let rate = AddressRate::new(AddressLimit {
            burst: limits.address_burst,
            per_second: limits.address_per_second,
            addresses_max: limits.addresses_max,
        });
        Self { limits, rate }
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
        if self.rate.take(now, address) { Ruling::Accept } else { Ruling::TooMany }
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
        assert!(admission.rate.is_empty(), "forged addresses leave nothing behind");
        assert_eq!(admission.rule(now, [9, 9, 9, 9].into(), true, 0, 0), Ruling::Accept);
    }

    #[test]
    fn under_load_alone_an_address_must_prove_itself_where_the_policy_says_so() {
        let retry = RetryPolicy::UnderLoad { half_open: 5 };
        let limits = HandshakeLimits { retry, ..HandshakeLimits::default() };
        let (mut admission, now) = (Admission::new(limits), Instant::now());
        let from = [9, 9, 9, 9].into();
        assert_eq!(admission.rule(now, from, false, 4, 4), Ruling::Accept);
        assert_eq!(admission.rule(now, from, false, 5, 5), Ruling::Retry);
        assert_eq!(admission.rule(now, from, true, 5, 5), Ruling::Accept);
    }

    #[test]
    fn an_address_that_began_too_many_is_held_back() {
        let (mut admission, now) = (admission(), Instant::now());
        let mut rule = || admission.rule(now, [10, 0, 0, 1].into(), true, 0, 0);
        assert_eq!([rule(), rule(), rule()], [Ruling::Accept, Ruling::Accept, Ruling::TooMany]);
    }

    #[test]
    fn beyond_the_cap_of_half_open_handshakes_nobody_is_let_in() {
        let (mut admission, now) = (admission(), Instant::now());
        assert_eq!(admission.rule(now, [1, 1, 1, 1].into(), true, 10, 10), Ruling::Full);
        assert_eq!(admission.rule(now, [1, 1, 1, 1].into(), true, 0, 4096), Ruling::Full);
    }
}
