//! Packets that belong to no connection: retries, refusals, resets.

use crate::network::{Departure, Network};
use quinn_proto::Transmit;
use std::time::Instant;

/// Packets that belong to no connection, kept in one buffer until the flush.
#[derive(Debug, Default)]
pub(super) struct Answers {
    bytes: Vec<u8>,
    scratch: Vec<u8>,
    departures: Vec<(Departure, usize)>,
}

impl Answers {
    pub(super) fn begin(&mut self) -> &mut Vec<u8> {
        self.scratch.clear();
        &mut self.scratch
    }

    pub(super) fn push(&mut self, transmit: &Transmit) {
        let departure = Departure {
            to: transmit.destination,
            from: transmit.src_ip,
            congestion_mark: transmit.ecn,
            segment_size: transmit.segment_size,
        };
        self.bytes.extend_from_slice(&self.scratch[..transmit.size]);
        self.departures.push((departure, transmit.size));
    }

    pub(super) fn depart(&mut self, now: Instant, network: &mut dyn Network) {
        let mut rest = self.bytes.as_slice();
        for (departure, size) in self.departures.drain(..) {
            let (packet, after) = rest.split_at(size);
            rest = after;
            network.buffer().extend_from_slice(packet);
            network.commit(now, departure);
        }
        self.bytes.clear();
    }
}
