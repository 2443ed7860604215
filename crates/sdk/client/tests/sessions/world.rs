//! A scripted server and a set of players, over a seeded link under virtual time.

use bytes::Bytes;
use fairshot_client::core::ClientEvent;
use fairshot_client::{ClientKey, ClientSet, Notice, Options, Phase, Pin, Seat};
use fairshot_transport::link::{Line, Link, Port};
use fairshot_transport::{ConnectionKey, Endpoint, Event, HandshakeLimits, Identity, Settings};
use fairshot_units::{EntityId, Life, PlayerId, RoomId, Tick};
use fairshot_wire::{CloseCode, Down, NameTable, StreamReader, Up, Welcome};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

const SERVER: &str = "10.0.0.1:7000";
const CLIENT: &str = "10.0.0.2:4000";
const STEP: Duration = Duration::from_micros(15_625);
const MODE: &str = include_str!("../../../../../deploy/modes/arena.toml");

pub struct World {
    pub link: Link,
    pub now: Instant,
    pub server: Server,
    pub set: ClientSet<Port>,
    pub pin: Pin,
    pub notices: Vec<(ClientKey, Notice)>,
}

/// Welcomes everybody and keeps what they said.
pub struct Server {
    pub endpoint: Endpoint,
    pub port: Port,
    pub readers: BTreeMap<ConnectionKey, StreamReader>,
    pub tickets: Vec<Bytes>,
    pub said: Vec<Up>,
    pub rejoin_within_ms: u32,
    /// Says a word four times a second.
    pub speaks: bool,
    steps: u32,
}

pub fn address(text: &str) -> SocketAddr {
    text.parse().expect("an address")
}

impl Server {
    pub fn step(&mut self, now: Instant) {
        self.endpoint.receive(now, &mut self.port);
        while let Some((key, event)) = self.endpoint.poll() {
            match event {
                Event::Connected { .. } => {
                    self.readers.insert(key, StreamReader::up());
                }
                Event::Datagram(_) => {}
                Event::Readable => self.read(key),
                Event::Closed(_) => {
                    self.readers.remove(&key);
                }
                Event::Finished => {}
            }
        }
        self.steps += 1;
        if self.speaks && self.steps.is_multiple_of(16) {
            for key in self.readers.keys() {
                // What a path that is held back does not take is missed by nobody.
                let _ = self.endpoint.send_datagram(*key, Bytes::from_static(b"a word"));
            }
        }
        self.endpoint.flush(now, &mut self.port);
    }

    fn read(&mut self, key: ConnectionKey) {
        let mut bytes = Vec::new();
        while self.endpoint.read(key, &mut bytes, 4096) {}
        let Some(reader) = self.readers.get_mut(&key) else { return };
        reader.push(&bytes);
        let mut messages = Vec::new();
        while let Some(message) = reader.next_message().expect("whole messages") {
            messages.push(Up::decode(message).expect("a message"));
        }
        for message in messages {
            match &message {
                Up::Hello(hello) => {
                    self.tickets.push(hello.ticket.clone());
                    self.welcome(key);
                }
                Up::Goodbye => self.endpoint.close(key, CloseCode::Goodbye.code(), b"goodbye"),
                _ => {}
            }
            self.said.push(message);
        }
    }

    fn welcome(&mut self, key: ConnectionKey) {
        let welcome = Welcome {
            entity: EntityId(1),
            life: Life(0),
            player: PlayerId::new("ann").expect("an id"),
            room: RoomId::new("room").expect("an id"),
            tick: Tick(100),
            tick_hz: 64,
            snapshot_every: 2,
            rejoin_within_ms: self.rejoin_within_ms,
            rejoin_ticket: format!("rejoin-{}", self.tickets.len()).into(),
            mode_name: Arc::from("arena"),
            mode: Bytes::from_static(MODE.as_bytes()),
            table: NameTable::default(),
        };
        let bytes = Down::Welcome(Box::new(welcome)).to_bytes();
        self.endpoint.write(key, bytes).expect("room");
    }

    pub fn only(&self) -> ConnectionKey {
        *self.readers.keys().last().expect("a connection")
    }
}

impl World {
    pub fn new(seed: u64, line: Line) -> Self {
        let link = Link::new(seed, line);
        let now = Instant::now();
        let identity = Identity::generate().expect("randomness");
        let handshakes = HandshakeLimits { address_burst: 100.0, ..HandshakeLimits::default() };
        let settings =
            |salt| Settings { seed: Some([salt; 32]), handshakes, ..Settings::default() };
        let server = Server {
            endpoint: Endpoint::server(settings(1), &identity).expect("a server"),
            port: link.port(address(SERVER)),
            readers: BTreeMap::new(),
            tickets: Vec::new(),
            said: Vec::new(),
            rejoin_within_ms: 30_000,
            speaks: false,
            steps: 0,
        };
        let client = Settings { seed: Some([2; 32]), ..Settings::client() };
        let set = ClientSet::on(link.port(address(CLIENT)), client, now);
        Self { link, now, server, set, pin: identity.pin(), notices: Vec::new() }
    }

    pub fn connect(&mut self, ticket: &'static [u8], options: Options) -> ClientKey {
        let seat = self.seat(ticket);
        self.set.connect(self.now, seat, options).expect("begun")
    }

    pub fn seat(&self, ticket: &'static [u8]) -> Seat {
        Seat {
            address: address(SERVER),
            certificate_sha256: self.pin,
            ticket: Bytes::from_static(ticket),
            room_id: "room".into(),
            player_id: "ann".into(),
            traceparent: None,
        }
    }

    pub fn step(&mut self) {
        self.set.receive(self.now);
        self.set.flush(self.now);
        self.server.step(self.now);
        self.notices.extend(std::iter::from_fn(|| self.set.next_notice()));
        self.now += STEP;
    }

    pub fn steps(&mut self, count: usize) {
        for _ in 0..count {
            self.step();
        }
    }

    pub fn until_playing(&mut self, key: ClientKey) {
        for _ in 0..640 {
            self.step();
            if self.set.phase(key) == Some(Phase::Playing) {
                let event = self.set.next_event(key);
                assert!(matches!(event, Some(ClientEvent::Welcomed(_))), "{event:?}");
                return;
            }
        }
        panic!("not playing after ten seconds: {:?}", self.set.phase(key));
    }
}

pub fn near() -> Line {
    Line { latency: Duration::from_millis(10), ..Line::default() }
}
