//! What a packet does to the endpoint: goes to its connection, asks for one, or is answered.

use super::{Endpoint, index_of};
use crate::admission::Ruling;
use crate::connection::Connection;
use crate::event::ConnectionKey;
use crate::network::Arrival;
use quinn_proto::{ConnectionHandle, DatagramEvent, Incoming};
use std::time::Instant;

impl Endpoint {
    pub(super) fn handle(&mut self, now: Instant, arrival: Arrival) {
        self.counters.packets_in += 1;
        self.counters.bytes_in += arrival.bytes.len() as u64;
        let Arrival { from, to, congestion_mark, bytes } = arrival;
        let begin = self.answers.begin();
        let event = self.quinn.handle(now, from, to, congestion_mark, bytes, begin);
        match event {
            None => {}
            Some(DatagramEvent::ConnectionEvent(handle, event)) => {
                let index = index_of(handle);
                if let Some(connection) = self.connections[handle.0].as_deref_mut() {
                    connection.quinn.handle_event(event);
                    self.touch(index);
                }
            }
            Some(DatagramEvent::Response(transmit)) => self.answers.push(&transmit),
            Some(DatagramEvent::NewConnection(incoming)) => self.admit(now, incoming),
        }
    }

    fn admit(&mut self, now: Instant, incoming: Incoming) {
        let ruling = self.admission.rule(
            now,
            incoming.remote_address().ip(),
            incoming.remote_address_validated(),
            self.half_open_count,
            self.quinn.open_connections(),
        );
        let buffer = self.answers.begin();
        match ruling {
            Ruling::Accept => {
                self.counters.handshakes_begun += 1;
                match self.quinn.accept(incoming, now, buffer, None) {
                    Ok((handle, quinn)) => {
                        let key = self.adopt(handle, quinn);
                        self.half_open_count += 1;
                        let timeout = self.settings.handshakes.handshake_timeout;
                        self.half_open.push_back((now + timeout, key));
                        self.touch(key.index);
                    }
                    Err(error) => {
                        if let Some(transmit) = error.response {
                            self.answers.push(&transmit);
                        }
                    }
                }
            }
            Ruling::Retry => match self.quinn.retry(incoming, buffer) {
                Ok(transmit) => {
                    self.counters.retries_sent += 1;
                    self.answers.push(&transmit);
                }
                Err(error) => self.quinn.ignore(error.into_incoming()),
            },
            Ruling::TooMany => {
                self.counters.refused_address += 1;
                self.quinn.ignore(incoming);
            }
            Ruling::Full => {
                // No answer: a client in a crowd tries again in a moment, a flood gets nothing.
                self.counters.refused_full += 1;
                self.quinn.ignore(incoming);
            }
        }
    }

    pub(super) fn adopt(
        &mut self,
        handle: ConnectionHandle,
        quinn: quinn_proto::Connection,
    ) -> ConnectionKey {
        self.generation = self.generation.wrapping_add(1);
        let key = ConnectionKey { index: index_of(handle), generation: self.generation };
        if self.connections.len() <= handle.0 {
            self.connections.resize_with(handle.0 + 1, || None);
            self.timeouts.resize(handle.0 + 1, None);
        }
        self.connections[handle.0] = Some(Box::new(Connection::new(key, quinn)));
        key
    }
}
