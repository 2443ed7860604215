//! A seeded network in the process: latency, jitter, reorder, loss, duplication, rate and size.
//!
//! Endpoints meet on a [`Link`] under virtual time, so a test of ten bad seconds takes milliseconds and
//! plays the same again from its seed. [`Impaired`] puts the same bad line before a real socket, and a
//! [`GradePlayer`] changes either as a cellular connection changes. Nothing in here reads a clock.

mod grade;
mod impaired;
mod lane;

pub use grade::{Grade, GradePlayer};
pub use impaired::Impaired;
pub use lane::Line;

use crate::network::{Arrival, Departure, Network, SendCounters};
use bytes::BytesMut;
use lane::{Lane, Luck};
use quinn_proto::EcnCodepoint;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::rc::Rc;
use std::time::Instant;

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
    luck: Luck,
    line: Line,
    /// Lines that differ from the common one, by who sends and who receives.
    lines: BTreeMap<(SocketAddr, SocketAddr), Line>,
    /// What senders are seen as, where a translator changed their address.
    seen_as: BTreeMap<SocketAddr, SocketAddr>,
    /// By who receives, then by who sends and to which address.
    lanes: BTreeMap<(SocketAddr, SocketAddr, SocketAddr), Lane<Packet>>,
    recorder: Option<Vec<Recorded>>,
}

#[derive(Clone, Debug)]
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
                luck: Luck::new(seed),
                line,
                lines: BTreeMap::new(),
                seen_as: BTreeMap::new(),
                lanes: BTreeMap::new(),
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
        let packet = Packet { from, mark: None, bytes: bytes.to_vec() };
        self.shared.borrow_mut().push(now, to, packet);
    }

    /// When the next packet arrives anywhere, of those that wait in no queue.
    #[must_use]
    pub fn next_arrival(&self) -> Option<Instant> {
        self.shared.borrow().lanes.values().filter_map(Lane::next_arrival).min()
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
            let packet = self.shared.borrow_mut().pop(now, self.address);
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
        let from = shared.seen_as.get(&self.address).copied().unwrap_or(self.address);
        for bytes in self.buffer.chunks(size) {
            self.counters.packets += 1;
            self.counters.bytes += bytes.len() as u64;
            if let Some(recorder) = &mut shared.recorder {
                recorder.push(Recorded { from, to: departure.to, bytes: bytes.to_vec() });
            }
            let packet = Packet { from, mark: departure.congestion_mark, bytes: bytes.to_vec() };
            shared.push(now, departure.to, packet);
        }
    }

    fn send(&mut self, _now: Instant) {
        self.counters.calls += 1;
    }

    fn sent(&self) -> SendCounters {
        self.counters
    }
}

/// Every lane of one receiver lies between these two.
const FIRST: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);
const LAST: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V6(Ipv6Addr::from_bits(u128::MAX)), u16::MAX);

impl Shared {
    fn push(&mut self, now: Instant, to: SocketAddr, packet: Packet) {
        let line = self.line_of(packet.from, to);
        let receiver = self
            .seen_as
            .iter()
            .find_map(|(behind, seen)| (*seen == to).then_some(*behind))
            .unwrap_or(to);
        let lane = self.lanes.entry((receiver, packet.from, to)).or_default();
        lane.push(now, &line, &mut self.luck, packet.bytes.len(), packet);
    }

    /// The packet for `at` that arrived first.
    fn pop(&mut self, now: Instant, at: SocketAddr) -> Option<Packet> {
        let Self { luck, line, lines, lanes, .. } = self;
        let line_of = |from: SocketAddr, to: SocketAddr| *lines.get(&(from, to)).unwrap_or(line);
        let first = lanes
            .range_mut((at, FIRST, FIRST)..=(at, LAST, LAST))
            .filter_map(|(key, lane)| {
                let arrival = lane.arrived(now, &line_of(key.1, key.2), luck)?;
                Some((arrival, *key))
            })
            .min()?;
        let key = first.1;
        let lane = lanes.get_mut(&key)?;
        let packet = lane.pop(now, &line_of(key.1, key.2), luck);
        if lane.is_empty() && line_of(key.1, key.2).bytes_per_second.is_none() {
            lanes.remove(&key);
        }
        packet
    }

    fn line_of(&self, from: SocketAddr, to: SocketAddr) -> Line {
        *self.lines.get(&(from, to)).unwrap_or(&self.line)
    }
}
