//! The machine: every connection of one port, driven by calls that carry the time.

mod answers;
mod intake;
mod upkeep;

use crate::admission::Admission;
use crate::certificate::{Identity, Pin, SERVER_NAME};
use crate::config::{ConfigError, Settings};
use crate::connection::Connection;
use crate::event::{CloseReason, ConnectionKey, Counters, Event, PathState, SendError, WriteError};
use crate::network::Network;
use answers::Answers;
use bytes::Bytes;
use quinn_proto::{ClientConfig, ConnectionHandle};
use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Configurations of pinned servers kept for the next connection to the same one.
const PINS_MAX: usize = 64;

/// Every connection of one UDP port, as a server, a client, or both.
#[derive(Debug)]
pub struct Endpoint {
    quinn: quinn_proto::Endpoint,
    settings: Settings,
    admission: Admission,
    connections: Vec<Option<Box<Connection>>>,
    /// When each connection next needs to be told the time, beside the connections so that a look
    /// over all of them stays in a few cache lines.
    timeouts: Vec<Option<Instant>>,
    /// No timeout lies before this.
    timeouts_from: Option<Instant>,
    generation: u32,
    events: VecDeque<(ConnectionKey, Event)>,
    /// Connections that something happened to since the last look.
    touched: Vec<u32>,
    /// Connections that have something to send.
    stirred: Vec<u32>,
    /// Established connections that only received: whatever they have to say (credit, repairs) rides
    /// on the next packet their owner sends, or goes by itself at the time noted here.
    lazy: VecDeque<(Instant, ConnectionKey)>,
    /// Connections whose datagrams the path holds back; each knows until when at most.
    held: Vec<ConnectionKey>,
    /// Packets the endpoint answers with by itself: retries, refusals, resets.
    answers: Answers,
    /// Handshakes under way on the server side, oldest first, with their deadlines.
    half_open: VecDeque<(Instant, ConnectionKey)>,
    half_open_count: usize,
    pins: BTreeMap<Pin, ClientConfig>,
    counters: Counters,
}

/// Why a client's connection was not begun.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("cannot connect")]
    Quinn(#[from] quinn_proto::ConnectError),
    #[error("cannot set up the client's TLS")]
    Config(#[from] ConfigError),
    #[error("{connections} connections are open already")]
    Full { connections: usize },
}

impl Endpoint {
    /// An endpoint that accepts connections and shows `identity`.
    ///
    /// # Errors
    /// When the TLS library refuses the identity.
    pub fn server(settings: Settings, identity: &Identity) -> Result<Self, ConfigError> {
        let server = settings.server_config(identity)?;
        Ok(Self::new(settings, Some(server)))
    }

    /// An endpoint that only connects out, to any number of servers.
    #[must_use]
    pub fn client(settings: Settings) -> Self {
        Self::new(settings, None)
    }

    fn new(settings: Settings, server: Option<quinn_proto::ServerConfig>) -> Self {
        let config = Arc::new(settings.endpoint_config());
        Self {
            quinn: quinn_proto::Endpoint::new(config, server.map(Arc::new), true, None),
            admission: Admission::new(settings.handshakes),
            settings,
            connections: Vec::new(),
            timeouts: Vec::new(),
            timeouts_from: None,
            generation: 0,
            events: VecDeque::new(),
            touched: Vec::new(),
            stirred: Vec::new(),
            lazy: VecDeque::new(),
            held: Vec::new(),
            answers: Answers::default(),
            half_open: VecDeque::new(),
            half_open_count: 0,
            pins: BTreeMap::new(),
            counters: Counters::default(),
        }
    }

    /// Begins a connection to the server that shows the pinned certificate. [`Event::Connected`] or
    /// [`Event::Closed`] follows.
    ///
    /// # Errors
    /// When the address can never be reached, or as many connections as allowed are open.
    pub fn connect(
        &mut self,
        now: Instant,
        address: SocketAddr,
        pin: Pin,
    ) -> Result<ConnectionKey, ConnectError> {
        let connections = self.quinn.open_connections();
        if connections >= self.settings.handshakes.connections_max {
            return Err(ConnectError::Full { connections });
        }
        let config = match self.pins.get(&pin) {
            Some(config) => config.clone(),
            None => {
                if self.pins.len() >= PINS_MAX {
                    self.pins.clear();
                }
                let config = self.settings.client_config(pin)?;
                self.pins.insert(pin, config.clone());
                config
            }
        };
        let (handle, quinn) = self.quinn.connect(now, config, address, SERVER_NAME)?;
        self.counters.handshakes_begun += 1;
        let key = self.adopt(handle, quinn);
        self.stir(key.index);
        Ok(key)
    }

    /// Drains the network and serves every timer due; then [`Endpoint::poll`] has what happened.
    pub fn receive(&mut self, now: Instant, network: &mut dyn Network) {
        let packets_max = self.settings.packets_per_receive_max;
        network.receive(now, packets_max, &mut |arrival| self.handle(now, arrival));
        self.serve_timers(now);
        self.drop_late_handshakes(now);
        self.collect(now);
    }

    /// The next thing that happened.
    pub fn poll(&mut self) -> Option<(ConnectionKey, Event)> {
        self.events.pop_front()
    }

    /// Sends everything due: queued datagrams, stream bytes, acknowledgements, farewells.
    pub fn flush(&mut self, now: Instant, network: &mut dyn Network) {
        self.answers.depart(now, network);
        self.stir_overdue(now);
        self.stir_held(now);
        let mut stirred = std::mem::take(&mut self.stirred);
        let mut left = 0;
        for at in 0..stirred.len() {
            let index = stirred[at];
            let Some(connection) = self.connections[index as usize].as_deref_mut() else {
                continue;
            };
            connection.lazy_until = None;
            connection.stirred = connection.flush(now, network);
            if connection.note_held(now) {
                self.held.push(connection.key);
            }
            if connection.stirred {
                stirred[left] = index;
                left += 1;
            }
            self.settle(index);
        }
        stirred.truncate(left);
        stirred.append(&mut self.stirred);
        self.stirred = stirred;
        network.send(now);
        self.collect(now);
    }

    /// When [`Endpoint::receive`] should be called at the latest, for an owner without a tick.
    #[must_use]
    pub fn timeout(&self) -> Option<Instant> {
        let held = self.held.iter().filter_map(|key| self.get(*key)?.held_until);
        self.timeouts.iter().flatten().copied().chain(held).min()
    }

    /// Queues a datagram, unreliable and unordered, for the next flush. When the path holds older
    /// ones back and 16 KiB of them wait, the oldest make room: the newest matter in a game.
    ///
    /// # Errors
    /// [`SendError::TooLarge`] when the path takes less than that now; nothing was queued.
    pub fn send_datagram(&mut self, key: ConnectionKey, datagram: Bytes) -> Result<(), SendError> {
        let connection = self.get_mut(key).ok_or(SendError::NotConnected)?;
        connection.send_datagram(datagram)?;
        self.stir(key.index);
        Ok(())
    }

    /// Largest datagram the connection's path takes now; 0 while there is none.
    pub fn datagram_size_max(&mut self, key: ConnectionKey) -> usize {
        self.get_mut(key).map_or(0, Connection::datagram_size_max)
    }

    /// Whether an earlier datagram still waits because the path holds it back: what is sent now goes
    /// after it. An owner that wants only its newest to go keeps it until this is false.
    pub fn datagrams_held(&mut self, key: ConnectionKey) -> bool {
        self.get_mut(key).is_some_and(Connection::datagrams_held)
    }

    /// Queues bytes on the ordered stream.
    ///
    /// # Errors
    /// [`WriteError::Full`] when the bound of waiting bytes would be passed; nothing was queued.
    pub fn write(&mut self, key: ConnectionKey, bytes: Bytes) -> Result<(), WriteError> {
        let pending_max = self.settings.stream_pending_bytes_max;
        let connection = self.get_mut(key).ok_or(WriteError::NotConnected)?;
        connection.write(bytes, pending_max)?;
        self.stir(key.index);
        Ok(())
    }

    /// Stream bytes written and not yet taken by QUIC, because the peer or the path holds them back.
    #[must_use]
    pub fn pending_bytes(&self, key: ConnectionKey) -> usize {
        self.get(key).map_or(0, Connection::pending_bytes)
    }

    /// Appends bytes of the ordered stream to `into`, at most `bytes_max`. True when more may wait:
    /// call again later, since [`Event::Readable`] tells only of new bytes. Bytes left unread hold
    /// the peer back once they fill the stream's window.
    pub fn read(&mut self, key: ConnectionKey, into: &mut Vec<u8>, bytes_max: usize) -> bool {
        let Some(connection) = self.get_mut(key) else { return false };
        let (more, event) = connection.read(into, bytes_max);
        if let Some(event) = event {
            self.events.push_back((key, event));
        }
        self.stir(key.index);
        more
    }

    /// Ends a connection: what was written before goes out first, once, then the code and reason.
    /// [`Event::Closed`] follows with [`CloseReason::Local`].
    pub fn close(&mut self, key: ConnectionKey, code: u32, reason: &[u8]) {
        let Some(connection) = self.get_mut(key) else { return };
        if connection.close(code, Bytes::copy_from_slice(reason)) {
            self.events
                .push_back((key, Event::Closed(CloseReason::Local { code: u64::from(code) })));
            self.stir(key.index);
        }
    }

    /// Figures of the connection's path.
    pub fn path(&mut self, key: ConnectionKey) -> Option<PathState> {
        self.get_mut(key).map(Connection::path)
    }

    /// Where the peer is now: the address its last validated packets came from.
    #[must_use]
    pub fn remote_address(&self, key: ConnectionKey) -> Option<SocketAddr> {
        self.get(key).map(|connection| connection.quinn.remote_address())
    }

    /// The smoothed round trip alone, cheaper than [`Endpoint::path`].
    #[must_use]
    pub fn round_trip(&self, key: ConnectionKey) -> Option<Duration> {
        self.get(key).map(Connection::round_trip)
    }

    /// A client's own address changed (another network, another socket): tells every server.
    pub fn rebound(&mut self) {
        for index in 0..self.connections.len() {
            if let Some(connection) = self.connections[index].as_deref_mut() {
                connection.quinn.local_address_changed();
                self.stir(u32::try_from(index).unwrap_or(u32::MAX));
            }
        }
    }

    /// Connections open, those that are saying goodbye included.
    #[must_use]
    pub fn open_connections(&self) -> usize {
        self.quinn.open_connections()
    }

    /// Handshakes under way on the server side.
    #[must_use]
    pub fn half_open(&self) -> usize {
        self.half_open_count
    }

    /// Whether every farewell has been sent: a closing owner may drop the socket now.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.stirred.is_empty() && self.connections.iter().flatten().all(|c| c.over)
    }

    #[must_use]
    pub fn counters(&self) -> Counters {
        self.counters
    }

    fn get(&self, key: ConnectionKey) -> Option<&Connection> {
        self.connections.get(key.index())?.as_deref().filter(|c| c.key == key)
    }

    fn get_mut(&mut self, key: ConnectionKey) -> Option<&mut Connection> {
        self.connections.get_mut(key.index())?.as_deref_mut().filter(|c| c.key == key)
    }
}

fn index_of(handle: ConnectionHandle) -> u32 {
    u32::try_from(handle.0).expect("a slab of connections is far smaller than 2^32")
}
