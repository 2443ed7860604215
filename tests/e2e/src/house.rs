//! The server under test, and players stepped beside it.

use fairshot_client::{
    ClientKey, ClientSet, Matchmaker, Notice, Options, Phase, Rejoin, Seat, Wish,
};
use fairshot_client_core::{ClientEvent, PlayerClient};
use fairshot_process::Standalone;
use fairshot_proto::v1::CreateRequest;
use fairshot_settings::{Program, load_from};
use fairshot_transport::{Network, Settings, Socket};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

const PROGRAM: Program =
    Program { name: "fairshot", about: "under test", version: env!("CARGO_PKG_VERSION") };

/// A turn of the players' loop.
const TURN: Duration = Duration::from_millis(2);

/// A standalone server on free ports.
#[derive(Debug)]
pub struct House {
    pub server: Standalone,
    _files: tempfile::TempDir,
}

impl House {
    /// Starts one with two shards and these modes beside the compiled-in ones.
    ///
    /// # Panics
    /// Where it does not start: the test is over then.
    pub async fn open(modes: &[&str]) -> Self {
        Self::open_with(modes, &[]).await
    }

    /// As [`House::open`], with more flags.
    ///
    /// # Panics
    /// Where it does not start.
    pub async fn open_with(modes: &[&str], more: &[&str]) -> Self {
        let files = tempfile::tempdir().expect("a folder");
        for (index, text) in modes.iter().enumerate() {
            std::fs::write(files.path().join(format!("{index}.toml")), text).expect("a mode file");
        }
        let folder = files.path().to_str().expect("a path in UTF-8").to_owned();
        let flags = [
            "fairshot",
            "--players-port=0",
            "--node-shards=2",
            "--join-address=127.0.0.1:0",
            "--admin-address=127.0.0.1:0",
            "--metrics-address=127.0.0.1:0",
            &format!("--modes-dir={folder}"),
        ]
        .map(OsString::from);
        let flags = flags.into_iter().chain(more.iter().map(OsString::from));
        let settings = load_from(&PROGRAM, flags, &BTreeMap::new()).expect("good settings");
        let server = Standalone::start(settings, None).await.expect("a server");
        Self { server, _files: files }
    }

    /// Seats for so many players in a new room of a mode.
    ///
    /// # Panics
    /// Where there are none.
    pub async fn seats(&self, mode: &str, players: u16, monsters: u16) -> Vec<Seat> {
        let uri = format!("http://{}", self.server.join_address());
        let mut matchmaker = Matchmaker::connect(&uri, None).await.expect("a matchmaker");
        let wish = CreateRequest {
            mode: mode.to_owned(),
            party_size: players.into(),
            seats_max: players.into(),
            monsters: Some(monsters.into()),
            ..CreateRequest::default()
        };
        matchmaker.ask(Wish::Create(wish)).await.expect("seats")
    }

    /// Ends the server; its threads are gone afterwards.
    pub async fn close(self) {
        self.server.stop().await;
    }
}

/// Players of one set, with the events they heard.
pub struct Players<N: Network = Socket> {
    pub set: ClientSet<N>,
    pub keys: Vec<ClientKey>,
    pub heard: Vec<Vec<ClientEvent>>,
    pub notices: Vec<(ClientKey, Notice)>,
}

impl<N: Network> std::fmt::Debug for Players<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Players").field("keys", &self.keys).finish_non_exhaustive()
    }
}

impl Players<Socket> {
    /// Players on one plain socket.
    ///
    /// # Panics
    /// Where no socket can be bound.
    #[must_use]
    pub fn plain() -> Self {
        Self::on(any_socket())
    }
}

/// A socket on a free port.
///
/// # Panics
/// Where none can be bound.
#[must_use]
pub fn any_socket() -> Socket {
    Socket::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).expect("a socket")
}

impl<N: Network> Players<N> {
    #[must_use]
    pub fn on(network: N) -> Self {
        let set = ClientSet::on(network, Settings::client(), Instant::now());
        Self { set, keys: Vec::new(), heard: Vec::new(), notices: Vec::new() }
    }

    /// Takes seats; the players are connected some turns later.
    ///
    /// # Panics
    /// Where a seat's address is none.
    pub fn sit(&mut self, seats: Vec<Seat>) {
        for seat in seats {
            let options = Options { rejoin: Rejoin::Never, ..Options::default() };
            self.keys.push(self.set.connect(Instant::now(), seat, options).expect("a connection"));
            self.heard.push(Vec::new());
        }
    }

    #[must_use]
    pub fn session(&self, player: usize) -> &PlayerClient {
        self.set.session(self.keys[player]).expect("the player is of this set")
    }

    /// Steps everybody until `done`, calling `act` for each player whose frame is due.
    ///
    /// # Panics
    /// Where that takes longer than `within`.
    pub async fn play(
        &mut self,
        what: &str,
        within: Duration,
        mut act: impl FnMut(usize, &mut PlayerClient, u64),
        mut done: impl FnMut(&Self) -> bool,
    ) {
        let until = Instant::now() + within;
        loop {
            let now = Instant::now();
            self.set.receive(now);
            let now_us = self.set.micros(now);
            for (index, key) in self.keys.iter().enumerate() {
                while let Some(event) = self.set.next_event(*key) {
                    self.heard[index].push(event);
                }
                let due = self.set.session(*key).is_some_and(|session| session.frame_due(now_us));
                if due && let Some(session) = self.set.session_mut(*key) {
                    act(index, session, now_us);
                }
            }
            while let Some(notice) = self.set.next_notice() {
                self.notices.push(notice);
            }
            self.set.flush(now);
            if done(self) {
                return;
            }
            assert!(now < until, "{what}: not within {within:?}");
            tokio::time::sleep(TURN).await;
        }
    }

    /// Whether everybody plays and has a body.
    #[must_use]
    pub fn all_in(&self) -> bool {
        self.all_in_but(&[])
    }

    /// Whether everybody but these plays and has a body.
    #[must_use]
    pub fn all_in_but(&self, out: &[usize]) -> bool {
        self.keys.iter().enumerate().filter(|(index, _)| !out.contains(index)).all(|(_, key)| {
            matches!(self.set.phase(*key), Some(Phase::Playing))
                && self.set.session(*key).is_some_and(|s| s.body().is_some_and(|b| b.alive))
        })
    }
}
