//! Two endpoints on a simulated link under virtual time.

use fairshot_transport::link::{Line, Link, Port};
use fairshot_transport::{Bytes, ConnectionKey, Endpoint, Event, Identity, Pin, Settings};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

pub const SERVER: &str = "10.0.0.1:7000";
pub const CLIENT: &str = "10.0.0.2:4000";
pub const STEP: Duration = Duration::from_micros(15_625);

/// One endpoint, its place on the link, and what happened to it.
pub struct Side {
    pub endpoint: Endpoint,
    pub port: Port,
    pub events: Vec<(ConnectionKey, Event)>,
}

pub struct Pair {
    pub link: Link,
    pub now: Instant,
    pub server: Side,
    pub client: Side,
    pub pin: Pin,
}

pub fn address(text: &str) -> SocketAddr {
    text.parse().expect("an address")
}

impl Side {
    pub fn step(&mut self, now: Instant) {
        self.endpoint.receive(now, &mut self.port);
        while let Some(event) = self.endpoint.poll() {
            self.events.push(event);
        }
        self.endpoint.flush(now, &mut self.port);
        while let Some(event) = self.endpoint.poll() {
            self.events.push(event);
        }
    }

    pub fn connected(&self) -> Option<ConnectionKey> {
        self.events
            .iter()
            .find_map(|(key, event)| matches!(event, Event::Connected { .. }).then_some(*key))
    }

    pub fn datagrams(&mut self) -> Vec<Bytes> {
        let mut datagrams = Vec::new();
        self.events.retain(|(_, event)| {
            if let Event::Datagram(datagram) = event {
                datagrams.push(datagram.clone());
            }
            !matches!(event, Event::Datagram(_))
        });
        datagrams
    }
}

impl Pair {
    pub fn new(seed: u64, line: Line) -> Self {
        Self::with(seed, line, Settings::default(), Settings::client())
    }

    pub fn with(seed: u64, line: Line, server: Settings, client: Settings) -> Self {
        let identity = Identity::generate().expect("randomness");
        let link = Link::new(seed, line);
        let seeded = |settings: Settings, salt: u8| {
            let mut bytes = [salt; 32];
            bytes[..8].copy_from_slice(&seed.to_le_bytes());
            Settings { seed: Some(bytes), ..settings }
        };
        Self {
            server: Side {
                endpoint: Endpoint::server(seeded(server, 1), &identity).expect("a server"),
                port: link.port(address(SERVER)),
                events: Vec::new(),
            },
            client: Side {
                endpoint: Endpoint::client(seeded(client, 2)),
                port: link.port(address(CLIENT)),
                events: Vec::new(),
            },
            now: Instant::now(),
            link,
            pin: identity.pin(),
        }
    }

    pub fn step(&mut self) {
        self.server.step(self.now);
        self.client.step(self.now);
        self.now += STEP;
    }

    pub fn steps(&mut self, count: usize) {
        for _ in 0..count {
            self.step();
        }
    }

    /// Connects, says hello on the stream, and gives the client's and the server's key.
    pub fn connect(&mut self) -> (ConnectionKey, ConnectionKey) {
        let client = self
            .client
            .endpoint
            .connect(self.now, address(SERVER), self.pin)
            .expect("an address to connect to");
        let mut said = false;
        for _ in 0..640 {
            self.step();
            if self.client.connected().is_some() && !said {
                said = true;
                self.client.endpoint.write(client, Bytes::from_static(b"!")).expect("room");
            }
            let Some(server) = self.server.connected() else { continue };
            let mut hello = Vec::new();
            self.server.endpoint.read(server, &mut hello, 16);
            if hello == b"!" {
                return (client, server);
            }
        }
        panic!("no connection in ten seconds: {:?}", self.client.events);
    }
}
