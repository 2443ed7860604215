//! A one-way link in virtual time: latency, jitter (which reorders), loss, doubling, stalls.

use std::collections::BTreeMap;

/// splitmix64.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, below: u64) -> u64 {
        self.next() % below.max(1)
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Path {
    pub latency_us: u64,
    pub jitter_us: u64,
    pub loss_percent: u64,
    pub double_percent: u64,
}

pub struct Link {
    pub path: Path,
    /// Nothing is delivered before this; what is sent meanwhile comes then.
    pub stalled_until_us: u64,
    flying: BTreeMap<(u64, u64), Vec<u8>>,
    sent: u64,
    /// Where the ordered stream is: nothing on it overtakes.
    ordered_us: u64,
}

impl Link {
    pub fn new(path: Path) -> Self {
        Self { path, stalled_until_us: 0, flying: BTreeMap::new(), sent: 0, ordered_us: 0 }
    }

    pub fn send(&mut self, now_us: u64, bytes: Vec<u8>, rng: &mut Rng) {
        for _ in 0..1 + u64::from(rng.chance(self.path.double_percent)) {
            if !rng.chance(self.path.loss_percent) {
                let at = self.arrival(now_us, rng);
                self.put(at, bytes.clone());
            }
        }
    }

    /// Bytes of a stream: late where a datagram would be lost, never out of order.
    pub fn send_ordered(&mut self, now_us: u64, bytes: Vec<u8>, rng: &mut Rng) {
        let mut at = self.arrival(now_us, rng);
        while rng.chance(self.path.loss_percent) {
            at += 2 * self.path.latency_us + 10_000;
        }
        self.ordered_us = self.ordered_us.max(at);
        self.put(self.ordered_us, bytes);
    }

    pub fn arrived(&mut self, now_us: u64) -> Vec<Vec<u8>> {
        let later = self.flying.split_off(&(now_us + 1, 0));
        std::mem::replace(&mut self.flying, later).into_values().collect()
    }

    fn arrival(&self, now_us: u64, rng: &mut Rng) -> u64 {
        let at = now_us + self.path.latency_us + rng.below(self.path.jitter_us + 1);
        at.max(self.stalled_until_us)
    }

    fn put(&mut self, at: u64, bytes: Vec<u8>) {
        self.sent += 1;
        self.flying.insert((at, self.sent), bytes);
    }
}
