//! Many players on one socket and one stepping loop.

mod pump;
mod unreachable;

pub use unreachable::SILENCE_MAX;

use crate::player::{GOODBYE_WAIT, Link, Player};
use crate::{Ended, Seat};
use fairshot_client_core::{Assets, ClientEvent, GameSettings, PlayerClient, State};
use fairshot_transport::{
    ConnectionKey, Endpoint, Network, PathState, SendCounters, Settings, Socket,
};
use fairshot_wire::CloseCode;
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

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
    /// With the rejoin ticket of the last welcome, for as long as the seat is held. Whether its server is
    /// still there is told meanwhile: see [`Notice::Unreachable`].
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
    /// The game's files, where its modes name terrain or meshes.
    pub assets: Assets,
    /// A W3C `traceparent`; `None` sends the seat's.
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
    /// The server has said nothing for [`SILENCE_MAX`], or takes nobody back: it may be gone. Told once until
    /// it is heard of again. A game asks its matchmaker now, which knows where rooms are, and goes on with
    /// [`ClientSet::take_seat`]; until then her own seat is tried for as long as it is held.
    Unreachable,
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
    /// When it is next looked whose server is silent.
    silence_due: Instant,
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
            silence_due: now,
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
        let player = Box::new(Player::new(now, seat, options, connection));
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
        self.look_for_silence(now);
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

    /// How long the server has said nothing on an open connection, for a game with a patience of its own;
    /// [`Notice::Unreachable`] is told after [`SILENCE_MAX`], long before QUIC gives up.
    #[must_use]
    pub fn silent_for(&self, now: Instant, key: ClientKey) -> Option<Duration> {
        let player = self.get(key)?;
        let heard_at = player.heard_at.filter(|_| matches!(player.link, Link::Open(_)))?;
        Some(now.saturating_duration_since(heard_at))
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
