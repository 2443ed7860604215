//! The machine: every connection of one port, driven by calls that carry the time.

use crate::admission::{Admission, Ruling};
use crate::certificate::{Identity, Pin, SERVER_NAME};
use crate::config::{ConfigError, Settings};
use crate::connection::Connection;
use crate::event::{CloseReason, ConnectionKey, Counters, Event, PathState, SendError, WriteError};
use crate::network::{Arrival, Departure, Network};
use bytes::Bytes;
use quinn_proto::{ClientConfig, ConnectionHandle, DatagramEvent, Incoming, Transmit};
use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a connection that only received waits for a packet to ride on: over one snapshot.
const LAZY_FOR: Duration = Duration::from_millis(40);
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
        let mut stirred = std::mem::take(&mut self.stirred);
        let mut left = 0;
        for at in 0..stirred.len() {
            let index = stirred[at];
            let Some(connection) = self.connections[index as usize].as_deref_mut() else {
                continue;
            };
            connection.lazy = false;
            connection.stirred = connection.flush(now, network);
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
        self.timeouts.iter().flatten().min().copied()
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

    fn handle(&mut self, now: Instant, arrival: Arrival) {
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
                self.counters.refused_full += 1;
                let transmit = self.quinn.refuse(incoming, buffer);
                self.answers.push(&transmit);
            }
        }
    }

    fn adopt(&mut self, handle: ConnectionHandle, quinn: quinn_proto::Connection) -> ConnectionKey {
        self.generation = self.generation.wrapping_add(1);
        let key = ConnectionKey { index: index_of(handle), generation: self.generation };
        if self.connections.len() <= handle.0 {
            self.connections.resize_with(handle.0 + 1, || None);
            self.timeouts.resize(handle.0 + 1, None);
        }
        self.connections[handle.0] = Some(Box::new(Connection::new(key, quinn)));
        key
    }

    fn serve_timers(&mut self, now: Instant) {
        if self.timeouts_from.is_none_or(|from| from > now) {
            return;
        }
        let mut from = None;
        for index in 0..self.timeouts.len() {
            let Some(timeout) = self.timeouts[index] else { continue };
            if timeout > now {
                from = Some(from.map_or(timeout, |from: Instant| from.min(timeout)));
                continue;
            }
            if let Some(connection) = self.connections[index].as_deref_mut() {
                connection.quinn.handle_timeout(now);
                connection.timer_fired = true;
                self.timeouts[index] = None;
                self.touch(u32::try_from(index).unwrap_or(u32::MAX));
            }
        }
        self.timeouts_from = from;
    }

    fn drop_late_handshakes(&mut self, now: Instant) {
        while let Some(&(deadline, key)) = self.half_open.front() {
            let under_way = self.get(key).is_some_and(|c| !c.connected && !c.over);
            if under_way && deadline > now {
                return;
            }
            self.half_open.pop_front();
            if under_way && let Some(connection) = self.get_mut(key) {
                connection.over = true;
                connection.quinn.close(now, 0u32.into(), Bytes::new());
                self.counters.handshakes_timed_out += 1;
                self.half_open_count -= 1;
                self.touch(key.index);
            }
        }
    }

    /// Looks at every touched connection: events out, endpoint business done, timers noted.
    fn collect(&mut self, now: Instant) {
        while let Some(index) = self.touched.pop() {
            let Some(connection) = self.connections[index as usize].as_deref_mut() else {
                continue;
            };
            connection.touched = false;
            let (was_connected, was_over) = (connection.connected, connection.over);
            let events_before = self.events.len();
            connection.collect(&mut self.events);
            let server = connection.quinn.side().is_server();
            let now_connected = connection.connected && !was_connected;
            let ended = connection.over && !was_over;
            if now_connected {
                self.counters.handshakes_done += 1;
            }
            if server && (now_connected || (ended && !was_connected)) {
                self.half_open_count = self.half_open_count.saturating_sub(1);
            }
            if server && ended && !connection.connected {
                // The owner never heard of it.
                self.events.truncate(events_before);
            }
            if connection.connected && !connection.over && !connection.timer_fired {
                if !connection.stirred && !connection.lazy {
                    connection.lazy = true;
                    self.lazy.push_back((now + LAZY_FOR, connection.key));
                }
            } else {
                connection.timer_fired = false;
                self.stir(index);
            }
            self.settle(index);
        }
    }

    fn stir_overdue(&mut self, now: Instant) {
        while let Some(&(due, key)) = self.lazy.front() {
            let waits = self.get(key).is_some_and(|connection| connection.lazy);
            if waits && due > now {
                return;
            }
            self.lazy.pop_front();
            if waits {
                self.stir(key.index);
            }
        }
    }

    /// Does a connection's business with the endpoint and notes when it wants the time next.
    fn settle(&mut self, index: u32) {
        let at = index as usize;
        let Some(connection) = self.connections[at].as_deref_mut() else { return };
        while let Some(event) = connection.quinn.poll_endpoint_events() {
            let drained = event.is_drained();
            let answer = self.quinn.handle_event(ConnectionHandle(at), event);
            if drained {
                self.connections[at] = None;
                self.timeouts[at] = None;
                return;
            }
            if let Some(answer) = answer {
                connection.quinn.handle_event(answer);
            }
        }
        // An established connection's timers wait for its next packet a little while.
        let slack = if connection.connected { self.settings.timer_slack } else { Duration::ZERO };
        let timeout = connection.quinn.poll_timeout().map(|timeout| timeout + slack);
        self.timeouts[at] = timeout;
        if let Some(timeout) = timeout {
            let from = self.timeouts_from.map_or(timeout, |from| from.min(timeout));
            self.timeouts_from = Some(from);
        }
    }

    fn touch(&mut self, index: u32) {
        if let Some(connection) = self.connections[index as usize].as_deref_mut()
            && !connection.touched
        {
            connection.touched = true;
            self.touched.push(index);
        }
    }

    fn stir(&mut self, index: u32) {
        if let Some(connection) = self.connections[index as usize].as_deref_mut()
            && !connection.stirred
        {
            connection.stirred = true;
            self.stirred.push(index);
        }
    }

    fn get(&self, key: ConnectionKey) -> Option<&Connection> {
        self.connections.get(key.index())?.as_deref().filter(|c| c.key == key)
    }

    fn get_mut(&mut self, key: ConnectionKey) -> Option<&mut Connection> {
        self.connections.get_mut(key.index())?.as_deref_mut().filter(|c| c.key == key)
    }
}

/// Packets that belong to no connection, kept in one buffer until the flush.
#[derive(Debug, Default)]
struct Answers {
    bytes: Vec<u8>,
    scratch: Vec<u8>,
    departures: Vec<(Departure, usize)>,
}

impl Answers {
    fn begin(&mut self) -> &mut Vec<u8> {
        self.scratch.clear();
        &mut self.scratch
    }

    fn push(&mut self, transmit: &Transmit) {
        let departure = Departure {
            to: transmit.destination,
            from: transmit.src_ip,
            congestion_mark: transmit.ecn,
            segment_size: transmit.segment_size,
        };
        self.bytes.extend_from_slice(&self.scratch[..transmit.size]);
        self.departures.push((departure, transmit.size));
    }

    fn depart(&mut self, now: Instant, network: &mut dyn Network) {
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

fn index_of(handle: ConnectionHandle) -> u32 {
    u32::try_from(handle.0).expect("a slab of connections is far smaller than 2^32")
}
