//! One player, for a game loop.

use crate::{ClientKey, ClientSet, ConnectError, Notice, Options, Phase, Seat};
use fairshot_client_core::{CannotFire, ClientEvent, Fire, PlayerClient};
use fairshot_transport::{Network, PathState, Settings, Socket};
use fairshot_units::{Input, MessageNumber};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};

/// One player's client. Each turn of the game loop: [`Client::poll`], [`Client::tick`] as often as it
/// is due, [`Client::fire`], [`Client::flush`].
#[derive(Debug)]
pub struct Client<N: Network = Socket> {
    set: ClientSet<N>,
    key: ClientKey,
}

/// Why a client could not be made.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("no socket can be bound")]
    Bind(#[from] io::Error),
    #[error(transparent)]
    Connect(#[from] ConnectError),
}

impl Client<Socket> {
    /// Takes a seat, on a socket of its own.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn connect(now: Instant, seat: Seat, options: Options) -> Result<Self, StartError> {
        let any: IpAddr = match seat.address {
            SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let socket = Socket::bind(SocketAddr::new(any, 0))?;
        Ok(Self::connect_on(socket, now, seat, options)?)
    }
}

impl<N: Network> Client<N> {
    /// Takes a seat over any network.
    ///
    /// # Errors
    /// [`ConnectError`].
    pub fn connect_on(
        network: N,
        now: Instant,
        seat: Seat,
        options: Options,
    ) -> Result<Self, ConnectError> {
        let mut set = ClientSet::on(network, Settings::client(), now);
        let key = set.connect(now, seat, options)?;
        Ok(Self { set, key })
    }

    /// Receives. Never blocks.
    pub fn poll(&mut self, now: Instant) -> Phase<'_> {
        self.set.receive(now);
        self.phase()
    }

    /// Sends what frames, shots and the stream have to say.
    pub fn flush(&mut self, now: Instant) {
        self.set.flush(now);
    }

    /// Makes a frame if one is due; call again until it gives nothing. `firing` holds the trigger of
    /// a continuous weapon.
    pub fn tick(&mut self, now: Instant, input: Input, firing: bool) -> Option<MessageNumber> {
        let now_us = self.set.micros(now);
        let session = self.set.session_mut(self.key)?;
        if !session.frame_due(now_us) {
            return None;
        }
        session.frame(input, firing, now_us)
    }

    /// Pulls the trigger, after a frame.
    ///
    /// # Errors
    /// [`CannotFire`]: nothing is spent or sent then.
    pub fn fire(&mut self, now: Instant, fire: Fire) -> Result<MessageNumber, CannotFire> {
        let now_us = self.set.micros(now);
        let session = self.set.session_mut(self.key).ok_or(CannotFire::NotPlaying)?;
        session.fire(fire, now_us)
    }

    /// The next event of the session.
    pub fn next_event(&mut self) -> Option<ClientEvent> {
        self.set.next_event(self.key)
    }

    /// The next notice about the connection.
    pub fn next_notice(&mut self) -> Option<Notice> {
        self.set.next_notice().map(|(_, notice)| notice)
    }

    #[must_use]
    pub fn phase(&self) -> Phase<'_> {
        self.set.phase(self.key).unwrap_or(Phase::Connecting)
    }

    /// How long the server has said nothing; see [`ClientSet::silent_for`].
    #[must_use]
    pub fn silent_for(&self, now: Instant) -> Option<Duration> {
        self.set.silent_for(now, self.key)
    }

    /// What the player sees and holds.
    #[must_use]
    pub fn session(&self) -> Option<&PlayerClient> {
        self.set.session(self.key)
    }

    /// The session itself, for what this face leaves out.
    pub fn session_mut(&mut self) -> Option<&mut PlayerClient> {
        self.set.session_mut(self.key)
    }

    /// Goes on in another seat; see [`ClientSet::take_seat`].
    ///
    /// # Errors
    /// [`ConnectError`].
    pub fn take_seat(&mut self, now: Instant, seat: Seat) -> Result<(), ConnectError> {
        self.set.take_seat(now, self.key, seat)
    }

    /// Says goodbye; keep polling and flushing until [`Notice::Ended`].
    pub fn leave(&mut self, now: Instant) {
        self.set.leave(now, self.key);
    }

    /// The time as the session counts it, in microseconds.
    #[must_use]
    pub fn micros(&self, now: Instant) -> u64 {
        self.set.micros(now)
    }

    pub fn path(&mut self) -> Option<PathState> {
        self.set.path(self.key)
    }

    /// The machine changed networks: tells the server where its player is now.
    pub fn rebound(&mut self) {
        self.set.rebound();
    }
}
