//! A seeded network in the process: latency, jitter, reorder, loss, duplication, rate and size.
//!
//! Endpoints meet here under virtual time, so a test of ten bad seconds takes milliseconds and plays
//! the same again from its seed. Nothing in here reads a clock.

use crate::network::{Arrival, Departure, Network, SendCounters};
use bytes::BytesMut;
use quinn_proto::EcnCodepoint;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// One direction of a line between two places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    pub latency: Duration,
    /// Each packet takes up to this much longer, evenly spread.
    pub jitter: Duration,
    /// Whether jitter may put a packet before one sent earlier.
    pub reorders: bool,
    /// Parts of 1: packets lost, and packets delivered twice.
    pub loss: f64,
    pub duplication: f64,
    /// Bytes a second the line carries; `None` is no limit.
    pub bytes_per_second: Option<f64>,
    /// Bytes that may wait for the line; more are lost.
    pub queue_bytes_max: usize,
    /// Largest UDP payload; larger ones vanish.
    pub packet_size_max: usize,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            latency: Duration::ZERO,
            jitter: Duration::ZERO,
            reorders: true,
            loss: 0.0,
            duplication: 0.0,
            bytes_per_second: None,
            queue_bytes_max: 64 * 1024,
            packet_size_max: 1472,
        }
    }
}

/// The network: every port of it, every packet on its way.
#[derive(Clone, Debug)]
pub struct Link {
    shared: Rc<RefCell<Shared>>,
}

/// One address on a [`Link`], as an endpoint's [`Network`].
#[derive(Debug)]
pub struct Port {
    shared: Rc<RefCell<Shared>>,
    address: SocketAddr,
    buffer: Vec<u8>,
    counters: SendCounters,
}

#[derive(Debug)]
struct Shared {
    random: u64,
    line: Line,
    /// Lines that differ from the common one, by who sends and who receives.
    lines: BTreeMap<(SocketAddr, SocketAddr), Line>,
    /// What senders are seen as, where a translator changed their address.
    seen_as: BTreeMap<SocketAddr, SocketAddr>,
    /// When each direction's line is free again.
    free_at: BTreeMap<(SocketAddr, SocketAddr), Instant>,
    last_arrival: BTreeMap<(SocketAddr, SocketAddr), Instant>,
    /// By receiver, then by time and a running number.
    flying: BTreeMap<SocketAddr, BTreeMap<(Instant, u64), Packet>>,
    number: u64,
    recorder: Option<Vec<Recorded>>,
}

#[derive(Debug)]
struct Packet {
    from: SocketAddr,
    mark: Option<EcnCodepoint>,
    bytes: Vec<u8>,
}

/// A packet as it was sent, for a test that plays it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    pub from: SocketAddr,
    pub to: SocketAddr,
    pub bytes: Vec<u8>,
}

impl Link {
    #[must_use]
    pub fn new(seed: u64, line: Line) -> Self {
        Self {
            shared: Rc::new(RefCell::new(Shared {
                random: seed,
                line,
                lines: BTreeMap::new(),
                seen_as: BTreeMap::new(),
                free_at: BTreeMap::new(),
                last_arrival: BTreeMap::new(),
                flying: BTreeMap::new(),
                number: 0,
                recorder: None,
            })),
        }
    }

    /// A place on the network.
    #[must_use]
    pub fn port(&self, address: SocketAddr) -> Port {
        Port {
            shared: Rc::clone(&self.shared),
            address,
            buffer: Vec::new(),
            counters: SendCounters::default(),
        }
    }

    /// Changes the line that every pair without one of its own has.
    pub fn set_line(&self, line: Line) {
        self.shared.borrow_mut().line = line;
    }

    /// Gives one direction between two places a line of its own.
    pub fn set_line_between(&self, from: SocketAddr, to: SocketAddr, line: Line) {
        self.shared.borrow_mut().lines.insert((from, to), line);
    }

    /// From now on packets of `from` come from `seen`, and packets to `seen` reach `from`: what a
    /// phone does when it changes networks.
    pub fn translate(&self, from: SocketAddr, seen: SocketAddr) {
        let mut shared = self.shared.borrow_mut();
        shared.seen_as.retain(|_, as_seen| *as_seen != seen);
        shared.seen_as.insert(from, seen);
    }

    /// Keeps every packet sent from now on; gives what was kept so far.
    pub fn record(&self) -> Vec<Recorded> {
        self.shared.borrow_mut().recorder.replace(Vec::new()).unwrap_or_default()
    }

    /// Puts a packet on the network as if `from` had sent it.
    pub fn inject(&self, now: Instant, from: SocketAddr, to: SocketAddr, bytes: &[u8]) {
        self.shared.borrow_mut().fly(now, from, to, None, bytes);
    }

    /// When the next packet arrives anywhere.
    #[must_use]
    pub fn next_arrival(&self) -> Option<Instant> {
        let shared = self.shared.borrow();
        shared.flying.values().filter_map(|queue| queue.keys().next()).map(|key| key.0).min()
    }
}

impl Port {
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Network for Port {
    fn receive(&mut self, now: Instant, packets_max: usize, take: &mut dyn FnMut(Arrival)) {
        for _ in 0..packets_max {
            let packet = self.shared.borrow_mut().land(now, self.address);
            let Some(packet) = packet else { return };
            take(Arrival {
                from: packet.from,
                to: None,
                congestion_mark: packet.mark,
                bytes: BytesMut::from(packet.bytes.as_slice()),
            });
        }
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        self.buffer.clear();
        &mut self.buffer
    }

    fn commit(&mut self, now: Instant, departure: Departure) {
        let size = departure.segment_size.unwrap_or(self.buffer.len()).max(1);
        let mut shared = self.shared.borrow_mut();
        for packet in self.buffer.chunks(size) {
            self.counters.packets += 1;
            self.counters.bytes += packet.len() as u64;
            let from = shared.seen_as.get(&self.address).copied().unwrap_or(self.address);
            if let Some(recorder) = &mut shared.recorder {
                recorder.push(Recorded { from, to: departure.to, bytes: packet.to_vec() });
            }
            shared.fly(now, from, departure.to, departure.congestion_mark, packet);
        }
    }

    fn send(&mut self, _now: Instant) {
        self.counters.calls += 1;
    }

    fn sent(&self) -> SendCounters {
        self.counters
    }
}

impl Shared {
    fn fly(
        &mut self,
        now: Instant,
        from: SocketAddr,
        to: SocketAddr,
        mark: Option<EcnCodepoint>,
        bytes: &[u8],
    ) {
        let line = self.lines.get(&(from, to)).copied().unwrap_or(self.line);
        // Drawn for every packet, so that one lost does not change the fate of the next.
        let (lost, doubled) = (self.chance(line.loss), self.chance(line.duplication));
        if lost || bytes.len() > line.packet_size_max {
            return;
        }
        let Some(sent) = self.through_queue(now, from, to, line, bytes.len()) else { return };
        let receiver = self
            .seen_as
            .iter()
            .find_map(|(behind, seen)| (*seen == to).then_some(*behind))
            .unwrap_or(to);
        for _ in 0..=usize::from(doubled) {
            let mut arrival = sent + line.latency + line.jitter.mul_f64(self.fraction());
            if !line.reorders {
                let last = self.last_arrival.entry((from, to)).or_insert(arrival);
                arrival = arrival.max(*last);
                *last = arrival;
            }
            self.number += 1;
            let packet = Packet { from, mark, bytes: bytes.to_vec() };
            self.flying.entry(receiver).or_default().insert((arrival, self.number), packet);
        }
    }

    /// When a packet has passed a line of limited rate; `None` when too many wait already.
    fn through_queue(
        &mut self,
        now: Instant,
        from: SocketAddr,
        to: SocketAddr,
        line: Line,
        bytes: usize,
    ) -> Option<Instant> {
        let Some(rate) = line.bytes_per_second.filter(|rate| *rate > 0.0) else { return Some(now) };
        let free_at = self.free_at.entry((from, to)).or_insert(now);
        let wait = free_at.saturating_duration_since(now);
        if wait.as_secs_f64() * rate > line.queue_bytes_max as f64 {
            return None;
        }
        *free_at = now + wait + Duration::from_secs_f64(bytes as f64 / rate);
        Some(*free_at)
    }

    fn land(&mut self, now: Instant, at: SocketAddr) -> Option<Packet> {
        let queue = self.flying.get_mut(&at)?;
        let (key, _) = queue.first_key_value()?;
        if key.0 > now {
            return None;
        }
        queue.pop_first().map(|(_, packet)| packet)
    }

    fn chance(&mut self, part: f64) -> bool {
        self.fraction() < part
    }

    /// The next number in [0, 1): SplitMix64.
    fn fraction(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        (mixed >> 11) as f64 / (1u64 << 53) as f64
    }
}
