//! The narrow face between the machine and whatever carries its packets.

use bytes::BytesMut;
use quinn_proto::EcnCodepoint;
use std::net::{IpAddr, SocketAddr};
use std::time::Instant;

/// One packet that came in.
#[derive(Debug)]
pub struct Arrival {
    pub from: SocketAddr,
    /// The local address it was sent to, where the carrier knows.
    pub to: Option<IpAddr>,
    pub congestion_mark: Option<EcnCodepoint>,
    pub bytes: BytesMut,
}

/// Where one written buffer goes. With `segment_size` it holds several packets of that size, the
/// last of which may be shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    pub to: SocketAddr,
    pub from: Option<IpAddr>,
    pub congestion_mark: Option<EcnCodepoint>,
    pub segment_size: Option<usize>,
}

/// Carries packets. Never blocks; what it cannot carry is lost, as on any network.
pub trait Network {
    /// Hands over packets that have arrived by `now`, at most `packets_max` and a batch.
    fn receive(&mut self, now: Instant, packets_max: usize, take: &mut dyn FnMut(Arrival));

    /// An empty buffer to write the next departure into.
    fn buffer(&mut self) -> &mut Vec<u8>;

    /// The buffer handed out last is to go; it may wait for [`Network::send`].
    fn commit(&mut self, now: Instant, departure: Departure);

    /// Sends whatever was committed and has not gone yet.
    fn send(&mut self, now: Instant);

    /// How many packets one buffer may hold.
    fn segments_max(&self) -> usize {
        1
    }

    /// Whether packets are never fragmented on the way, so that path discovery means something.
    fn may_discover_path(&self) -> bool {
        true
    }

    /// What went out since the carrier was made.
    fn sent(&self) -> SendCounters;
}

impl<N: Network + ?Sized> Network for Box<N> {
    fn receive(&mut self, now: Instant, packets_max: usize, take: &mut dyn FnMut(Arrival)) {
        (**self).receive(now, packets_max, take);
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        (**self).buffer()
    }

    fn commit(&mut self, now: Instant, departure: Departure) {
        (**self).commit(now, departure);
    }

    fn send(&mut self, now: Instant) {
        (**self).send(now);
    }

    fn segments_max(&self) -> usize {
        (**self).segments_max()
    }

    fn may_discover_path(&self) -> bool {
        (**self).may_discover_path()
    }

    fn sent(&self) -> SendCounters {
        (**self).sent()
    }
}

/// What a carrier has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SendCounters {
    pub packets: u64,
    pub bytes: u64,
    /// System calls, where the carrier makes any.
    pub calls: u64,
    /// Packets the carrier would not take: lost, as on any network.
    pub packets_lost: u64,
}

impl Departure {
    /// How many packets a buffer of `bytes` is.
    #[must_use]
    pub fn packets(&self, bytes: usize) -> usize {
        self.segment_size.map_or(1, |size| bytes.div_ceil(size.max(1)))
    }
}
