//! Many players on one socket and one stepping loop.

use crate::player::{GOODBYE_WAIT, Link, Player};
use crate::{Ended, Seat};
use bytes::Bytes;
use fairshot_client_core::{ClientError, ClientEvent, GameSettings, PlayerClient, State};
use fairshot_transport::{
    ConnectionKey, Endpoint, Event, Network, PathState, SendCounters, Settings, Socket,
};
use fairshot_wire::CloseCode;
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

/// Stream bytes read for one player at a time.
const READ_BYTES: usize = 16 * 1024;
/// Notices kept for an owner that does not take them; beyond that the oldest go.
const NOTICES_MAX: usize = 65_536;

/// A player of one set. Never names another player after its own was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientKey {
    index: u32,
    generation: u32,
}

impl ClientKey {
    /// A small number, unique among the players of a set at one time: fit for a flat array.
    #[must_use]
    pub fn index(self) -> usize {
        self.index as usize
    }
}

/// Whether a player whose line broke comes back by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Rejoin {
    /// With the rejoin ticket of the last welcome, for as long as the seat is held.
    #[default]
    Automatic,
    Never,
}

/// How to take a seat.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub rejoin: Rejoin,
    /// Another player's settings, so that players of one mode share them.
    pub settings: Option<Arc<GameSettings>>,
    /// A W3C `traceparent`.
    pub traceparent: Option<Arc<str>>,
}

/// How far a player is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase<'a> {
    Connecting,
    /// Connected; the welcome has not come.
    Joining,
    Playing,
    /// Goodbye is said.
    Leaving,
    /// The line broke; the player comes back soon.
    Waiting,
    Ended(&'a Ended),
}

/// What happened to a player's connection, beside what its session's events tell.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// The line broke, and a new session with an empty inventory is being tried.
    Rejoining { after: Ended },
    /// The session is over for good.
    Ended(Ended),
}

/// Why a seat could not be taken.
#[derive(Debug, thiserror::Error)]
#[error("cannot connect to {address}")]
pub struct ConnectError {
    pub address: SocketAddr,
    #[source]
    pub source: fairshot_transport::ConnectError,
}

/// Players that share one endpoint. Step it: [`ClientSet::receive`], then frames and events of each
/// player, then [`ClientSet::flush`].
pub struct ClientSet<N: Network = Socket> {
    endpoint: Endpoint,
    network: N,
    epoch: Instant,
    players: Vec<Option<Box<Player>>>,
    generations: Vec<u32>,
    free: Vec<u32>,
    by_connection: Vec<Option<(ConnectionKey, u32)>>,
    /// Players whose session may have something to send.
    active: Vec<u32>,
    /// Players whose stream has unread bytes.
    readable: Vec<u32>,
    /// Players with a deadline: waiting to come back, or for the answer to a goodbye.
    timed: Vec<u32>,
    notices: VecDeque<(ClientKey, Notice)>,
    read: Vec<u8>,
    datagram: Vec<u8>,
}

impl ClientSet<Socket> {
    /// A set on a socket of its own; port 0 takes any. Some 64 players fit one socket's buffers well.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub fn bind(address: SocketAddr, now: Instant) -> io::Result<Self> {
        Ok(Self::on(Socket::bind(address)?, Settings::client(), now))
    }
}

impl<N: Network> ClientSet<N> {
    /// A set on any network; times are counted from `now`.
    #[must_use]
    pub fn on(network: N, settings: Settings, now: Instant) -> Self {
        Self {
            endpoint: Endpoint::client(settings),
            network,
            epoch: now,
            players: Vec::new(),
            generations: Vec::new(),
            free: Vec::new(),
            by_connection: Vec::new(),
            active: Vec::new(),
            readable: Vec::new(),
            timed: Vec::new(),
            notices: VecDeque::new(),
            read: Vec::new(),
            datagram: Vec::new(),
        }
    }

    /// Adds a player that takes this seat.
    ///
    /// # Errors
    /// [`ConnectError`] when the address can never be reached.
    pub fn connect(
        &mut self,
        now: Instant,
        seat: Seat,
        options: Options,
    ) -> Result<ClientKey, ConnectError> {
        let connection = self.begin(now, &seat)?;
        let Options { rejoin, settings, traceparent } = options;
        let player = Box::new(Player::new(seat, rejoin, settings, traceparent, connection));
        let index = self.free.pop().unwrap_or_else(|| {
            self.players.push(None);
            self.generations.push(0);
            u32::try_from(self.players.len() - 1).unwrap_or(u32::MAX)
        });
        let at = index as usize;
        self.players[at] = Some(player);
        self.generations[at] = self.generations[at].wrapping_add(1);
        self.name(connection, index);
        Ok(ClientKey { index, generation: self.generations[at] })
    }

    /// Drains the socket and gives every player what came for it.
    pub fn receive(&mut self, now: Instant) {
        self.endpoint.receive(now, &mut self.network);
        self.take_events(now);
        self.read_streams();
        self.serve_deadlines(now);
    }

    /// Sends what the players have to say.
    pub fn flush(&mut self, now: Instant) {
        let mut active = std::mem::take(&mut self.active);
        for index in active.drain(..) {
            self.send_for(index);
        }
        active.append(&mut self.active);
        self.active = active;
        self.endpoint.flush(now, &mut self.network);
        self.take_events(now);
    }

    /// A player's session, to look at.
    #[must_use]
    pub fn session(&self, key: ClientKey) -> Option<&PlayerClient> {
        Some(&self.get(key)?.session)
    }

    /// A player's session, to make frames and fire with. Take events with
    /// [`ClientSet::next_event`] instead, which learns the way back from them.
    pub fn session_mut(&mut self, key: ClientKey) -> Option<&mut PlayerClient> {
        self.activate(key);
        Some(&mut self.get_mut(key)?.session)
    }

    /// The next event of a player's session.
    pub fn next_event(&mut self, key: ClientKey) -> Option<ClientEvent> {
        let player = self.get_mut(key)?;
        match player.session.poll_event() {
            Ok(None) => None,
            Ok(Some(event)) => {
                player.note(&event);
                // Room in the queue may let the stream go on, and the batch be acknowledged.
                if player.session.events_waiting() == 0 {
                    self.activate(key);
                }
                Some(event)
            }
            Err(error) => {
                self.break_off(key.index, error);
                None
            }
        }
    }

    /// The next notice about any player.
    pub fn next_notice(&mut self) -> Option<(ClientKey, Notice)> {
        self.notices.pop_front()
    }

    /// How far a player is; `None` once it was removed.
    #[must_use]
    pub fn phase(&self, key: ClientKey) -> Option<Phase<'_>> {
        let player = self.get(key)?;
        Some(match &player.link {
            Link::Connecting(_) => Phase::Connecting,
            Link::Open(_) if player.session.state() == State::Joining => Phase::Joining,
            Link::Open(_) => Phase::Playing,
            Link::Leaving(..) => Phase::Leaving,
            Link::Waiting(_) => Phase::Waiting,
            Link::Ended(ended) => Phase::Ended(ended),
        })
    }

    /// Says goodbye; [`Notice::Ended`] follows.
    pub fn leave(&mut self, now: Instant, key: ClientKey) {
        let Some(player) = self.get_mut(key) else { return };
        match player.link {
            Link::Open(connection) => {
                player.session.leave();
                player.link = Link::Leaving(connection, now + GOODBYE_WAIT);
                self.timed.push(key.index);
                self.activate(key);
            }
            Link::Connecting(connection) => {
                self.endpoint.close(connection, CloseCode::Goodbye.code(), b"");
                self.end(key.index, Ended::Left);
            }
            Link::Waiting(_) => self.end(key.index, Ended::Left),
            Link::Leaving(..) | Link::Ended(_) => {}
        }
    }

    /// Forgets a player at once; its connection, if any, is closed without a goodbye.
    pub fn remove(&mut self, key: ClientKey) {
        let Some(player) = self.get(key) else { return };
        if let Some(connection) = player.connection() {
            self.endpoint.close(connection, CloseCode::Goodbye.code(), b"");
        }
        self.players[key.index()] = None;
        self.free.push(key.index);
    }

    /// Every player of the set.
    pub fn keys(&self) -> impl Iterator<Item = ClientKey> + '_ {
        self.players.iter().enumerate().filter(|(_, player)| player.is_some()).map(|(at, _)| {
            ClientKey {
                index: u32::try_from(at).unwrap_or(u32::MAX),
                generation: self.generations[at],
            }
        })
    }

    /// The time as sessions count it: microseconds since the set was made.
    #[must_use]
    pub fn micros(&self, now: Instant) -> u64 {
        let since = now.saturating_duration_since(self.epoch).as_micros();
        u64::try_from(since).unwrap_or(u64::MAX)
    }

    /// Figures of a player's path.
    pub fn path(&mut self, key: ClientKey) -> Option<PathState> {
        let connection = self.get(key)?.connection()?;
        self.endpoint.path(connection)
    }

    /// When [`ClientSet::receive`] should be called at the latest.
    #[must_use]
    pub fn timeout(&self) -> Option<Instant> {
        self.endpoint.timeout()
    }

    /// The machine changed networks: tells every server where its players are now.
    pub fn rebound(&mut self) {
        self.endpoint.rebound();
    }

    /// Packets and bytes received.
    #[must_use]
    pub fn received(&self) -> fairshot_transport::Counters {
        self.endpoint.counters()
    }

    /// Packets and bytes sent.
    #[must_use]
    pub fn sent(&self) -> SendCounters {
        self.network.sent()
    }

    #[must_use]
    pub fn network(&self) -> &N {
        &self.network
    }

    /// Whether every farewell has been sent.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.endpoint.is_quiet()
    }

    fn begin(&mut self, now: Instant, seat: &Seat) -> Result<ConnectionKey, ConnectError> {
        let Seat { address, certificate_sha256, .. } = *seat;
        self.endpoint
            .connect(now, address, certificate_sha256)
            .map_err(|source| ConnectError { address, source })
    }

    fn name(&mut self, connection: ConnectionKey, index: u32) {
        if self.by_connection.len() <= connection.index() {
            self.by_connection.resize(connection.index() + 1, None);
        }
        self.by_connection[connection.index()] = Some((connection, index));
    }

    fn take_events(&mut self, now: Instant) {
        while let Some((connection, event)) = self.endpoint.poll() {
            let named = self.by_connection.get(connection.index()).copied().flatten();
            let Some((_, index)) = named.filter(|(named, _)| *named == connection) else {
                continue;
            };
            let now_us = self.micros(now);
            let Some(player) = self.players[index as usize].as_deref_mut() else { continue };
            if player.connection() != Some(connection) {
                continue;
            }
            match event {
                Event::Connected { .. } => {
                    player.link = Link::Open(connection);
                    self.activate_index(index);
                }
                Event::Datagram(bytes) => {
                    player.session.handle_datagram(&bytes, now_us);
                }
                Event::Readable => {
                    player.unread = true;
                    self.list_readable(index);
                }
                Event::Finished => {}
                Event::Closed(reason) => {
                    // What came just before the close is read first: it may say why.
                    self.read_stream(index);
                    let ended = Ended::from_close(reason);
                    self.lost(now, index, ended);
                }
            }
        }
    }

    fn read_streams(&mut self) {
        let mut readable = std::mem::take(&mut self.readable);
        readable.retain(|index| self.read_stream(*index));
        readable.append(&mut self.readable);
        self.readable = readable;
    }

    /// Reads what a player's session wants; true while some is left unread.
    fn read_stream(&mut self, index: u32) -> bool {
        loop {
            let Some(player) = self.players[index as usize].as_deref_mut() else { return false };
            let Some(connection) = player.connection().filter(|_| player.unread) else {
                player.readable_listed = false;
                return false;
            };
            if !player.session.wants_stream() {
                return true;
            }
            self.read.clear();
            player.unread = self.endpoint.read(connection, &mut self.read, READ_BYTES);
            let taken = player.session.handle_stream(&self.read);
            self.activate_index(index);
            if let Err(error) = taken {
                self.break_off(index, error);
            }
        }
    }

    fn send_for(&mut self, index: u32) {
        let Some(player) = self.players[index as usize].as_deref_mut() else { return };
        player.active = false;
        let (Link::Open(connection) | Link::Leaving(connection, _)) = player.link else { return };
        while let Some(bytes) = player.session.poll_stream() {
            if self.endpoint.write(connection, bytes).is_err() {
                break;
            }
        }
        let limit = self.endpoint.datagram_size_max(connection);
        self.datagram.clear();
        if limit > 0 && player.session.poll_datagram(limit, &mut self.datagram) {
            let datagram = Bytes::copy_from_slice(&self.datagram);
            if let Err(error) = self.endpoint.send_datagram(connection, datagram) {
                tracing::debug!(%error, "a datagram was not sent");
            }
        }
    }

    fn serve_deadlines(&mut self, now: Instant) {
        let mut timed = std::mem::take(&mut self.timed);
        timed.retain(|index| self.serve_deadline(now, *index));
        timed.append(&mut self.timed);
        self.timed = timed;
    }

    /// Does what was due for one player; true while a deadline lies ahead.
    fn serve_deadline(&mut self, now: Instant, index: u32) -> bool {
        let Some(player) = self.players[index as usize].as_deref_mut() else { return false };
        match player.link {
            Link::Leaving(connection, due) if due <= now => {
                self.endpoint.close(connection, CloseCode::Goodbye.code(), b"");
                false
            }
            Link::Waiting(due) if due <= now => {
                player.restart();
                let seat = player.seat.clone();
                match self.begin(now, &seat) {
                    Ok(connection) => {
                        if let Some(player) = self.players[index as usize].as_deref_mut() {
                            player.link = Link::Connecting(connection);
                        }
                        self.name(connection, index);
                    }
                    Err(error) => {
                        tracing::debug!(%error, "cannot come back");
                        let reason = fairshot_transport::CloseReason::Refused;
                        self.end(index, Ended::Lost(reason));
                    }
                }
                false
            }
            Link::Leaving(..) | Link::Waiting(_) => true,
            Link::Connecting(_) | Link::Open(_) | Link::Ended(_) => false,
        }
    }

    fn lost(&mut self, now: Instant, index: u32, ended: Ended) {
        let Some(player) = self.players[index as usize].as_deref_mut() else { return };
        match player.after(now, ended.clone()) {
            Link::Ended(ended) => self.end(index, ended),
            link => {
                player.link = link;
                self.timed.push(index);
                self.notify(index, Notice::Rejoining { after: ended });
            }
        }
    }

    fn break_off(&mut self, index: u32, error: ClientError) {
        let Some(player) = self.players[index as usize].as_deref_mut() else { return };
        if let Some(connection) = player.connection() {
            let label = error.label().as_bytes();
            self.endpoint.close(connection, CloseCode::Protocol.code(), label);
        }
        self.end(index, Ended::Broken(error));
    }

    fn end(&mut self, index: u32, ended: Ended) {
        if let Some(player) = self.players[index as usize].as_deref_mut() {
            player.link = Link::Ended(ended.clone());
            self.notify(index, Notice::Ended(ended));
        }
    }

    fn notify(&mut self, index: u32, notice: Notice) {
        if self.notices.len() >= NOTICES_MAX {
            self.notices.pop_front();
        }
        let key = ClientKey { index, generation: self.generations[index as usize] };
        self.notices.push_back((key, notice));
    }

    fn activate(&mut self, key: ClientKey) {
        if self.get(key).is_some() {
            self.activate_index(key.index);
        }
    }

    fn activate_index(&mut self, index: u32) {
        if let Some(player) = self.players[index as usize].as_deref_mut()
            && !player.active
        {
            player.active = true;
            self.active.push(index);
        }
    }

    fn list_readable(&mut self, index: u32) {
        if let Some(player) = self.players[index as usize].as_deref_mut()
            && !player.readable_listed
        {
            player.readable_listed = true;
            self.readable.push(index);
        }
    }

    fn get(&self, key: ClientKey) -> Option<&Player> {
        let at = key.index();
        self.players.get(at)?.as_deref().filter(|_| self.generations[at] == key.generation)
    }

    fn get_mut(&mut self, key: ClientKey) -> Option<&mut Player> {
        let at = key.index();
        self.players.get_mut(at)?.as_deref_mut().filter(|_| self.generations[at] == key.generation)
    }
}

impl<N: Network> std::fmt::Debug for ClientSet<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientSet").field("players", &self.players.len()).finish_non_exhaustive()
    }
}
