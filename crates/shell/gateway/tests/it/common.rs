//! A gateway and clients of the bare transport on a simulated link under virtual time.

use bytes::Bytes;
use fairshot_gateway::{Gateway, Limits, SessionEvent, SessionId};
use fairshot_transport::link::{Line, Link, Port};
use fairshot_transport::{CloseReason, ConnectionKey, Endpoint, Event, Identity, Pin, Settings};
use fairshot_units::{MessageNumber, Tick};
use fairshot_wire::{
    CloseCode, Down, DownReader, EventBatch, Frame, Hello, PROTOCOL_VERSION, StreamReader, Up,
    UpDatagram, UpLimits,
};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

pub const SERVER: &str = "10.0.0.1:7000";
pub const STEP: Duration = Duration::from_micros(15_625);

pub struct House {
    pub link: Link,
    pub gateway: Gateway<Port>,
    pub now: Instant,
    pub pin: Pin,
    pub clients: Vec<Peer>,
    pub events: Vec<SessionEvent>,
    /// Sessions accepted, in the order of their hellos.
    pub sessions: Vec<SessionId>,
}

/// A scripted client.
pub struct Peer {
    pub endpoint: Endpoint,
    pub port: Port,
    pub key: ConnectionKey,
    pub connected: bool,
    pub closed: Option<CloseReason>,
    pub datagrams: Vec<Bytes>,
    pub down: Vec<Down>,
    /// The highest batch to acknowledge in datagrams.
    pub batch: u32,
    pub reads: bool,
    stream: StreamReader,
    reader: DownReader,
    number: u32,
}

pub fn address(number: u8) -> SocketAddr {
    (Ipv4Addr::new(10, 0, 1, number), 4000).into()
}

pub fn hello(ticket: &'static [u8]) -> Up {
    Up::Hello(Hello {
        version: PROTOCOL_VERSION,
        ticket: Bytes::from_static(ticket),
        traceparent: None,
    })
}

/// A message that stands for a welcome: the gateway does not look into it.
pub fn welcome() -> Bytes {
    Down::RespawnGrant { life: fairshot_units::Life(0) }.to_bytes()
}

pub fn batch(number: u32) -> Bytes {
    Down::Events(EventBatch { number, tick: Tick(number), events: Vec::new() }).to_bytes()
}

impl House {
    pub fn new(seed: u64, line: Line) -> Self {
        Self::with(seed, line, Limits::default())
    }

    pub fn with(seed: u64, line: Line, limits: Limits) -> Self {
        let identity = Identity::generate().expect("randomness");
        let link = Link::new(seed, line);
        let settings = Settings { seed: Some([7; 32]), ..Settings::default() };
        let endpoint = Endpoint::server(settings, &identity).expect("a server");
        let port = link.port(SERVER.parse().expect("an address"));
        Self {
            gateway: Gateway::new(endpoint, port, limits),
            now: Instant::now(),
            pin: identity.pin(),
            clients: Vec::new(),
            events: Vec::new(),
            sessions: Vec::new(),
            link,
        }
    }

    /// Adds a client that begins to connect; its place on the link is the `number`th.
    pub fn client(&mut self, number: u8) -> usize {
        self.client_at(number, address(number))
    }

    /// As [`House::client`], from that address.
    pub fn client_at(&mut self, number: u8, at: SocketAddr) -> usize {
        let mut endpoint =
            Endpoint::client(Settings { seed: Some([number; 32]), ..Settings::client() });
        let server = SERVER.parse().expect("an address");
        let key = endpoint.connect(self.now, server, self.pin).expect("begun");
        self.clients.push(Peer {
            endpoint,
            port: self.link.port(at),
            key,
            connected: false,
            closed: None,
            datagrams: Vec::new(),
            down: Vec::new(),
            batch: 0,
            reads: true,
            stream: StreamReader::down(),
            reader: DownReader::default(),
            number: 0,
        });
        self.clients.len() - 1
    }

    /// A client that has been accepted.
    pub fn player(&mut self, number: u8) -> (usize, SessionId) {
        self.player_at(number, address(number))
    }

    /// As [`House::player`], from that address.
    pub fn player_at(&mut self, number: u8, at: SocketAddr) -> (usize, SessionId) {
        let client = self.client_at(number, at);
        let before = self.sessions.len();
        let mut said = false;
        for _ in 0..640 {
            self.step();
            if self.clients[client].connected && !said {
                said = true;
                self.clients[client].say(&hello(b"ticket"));
            }
            self.accept_all();
            if self.sessions.len() > before && !self.clients[client].down.is_empty() {
                self.clients[client].down.clear();
                return (client, self.sessions[before]);
            }
        }
        panic!("not accepted in ten seconds");
    }

    /// Accepts every session that asked.
    pub fn accept_all(&mut self) {
        for event in std::mem::take(&mut self.events) {
            match event {
                SessionEvent::Hello { session, .. } => {
                    let accepted =
                        self.gateway.accept(self.now, session, welcome(), UpLimits::default());
                    accepted.expect("it is there");
                    self.sessions.push(session);
                }
                other => self.events.push(other),
            }
        }
    }

    pub fn step(&mut self) {
        self.gateway.receive(self.now);
        self.events.extend(std::iter::from_fn(|| self.gateway.next_event()));
        self.gateway.flush(self.now);
        self.events.extend(std::iter::from_fn(|| self.gateway.next_event()));
        for client in &mut self.clients {
            client.step(self.now);
        }
        self.now += STEP;
    }

    pub fn steps(&mut self, count: usize) {
        for _ in 0..count {
            self.step();
        }
    }

    /// What sessions were told to have ended, in order.
    pub fn closed(&self) -> Vec<(SessionId, CloseCode)> {
        self.events
            .iter()
            .filter_map(|event| match event {
                SessionEvent::Closed { session, code } => Some((*session, *code)),
                _ => None,
            })
            .collect()
    }
}

impl Peer {
    pub fn step(&mut self, now: Instant) {
        self.endpoint.receive(now, &mut self.port);
        while let Some((_, event)) = self.endpoint.poll() {
            match event {
                Event::Connected { .. } => self.connected = true,
                Event::Datagram(bytes) => self.datagrams.push(bytes),
                Event::Readable | Event::Finished => self.read(),
                Event::Closed(reason) => {
                    self.read();
                    self.closed = Some(reason);
                }
            }
        }
        self.read();
        self.endpoint.flush(now, &mut self.port);
    }

    fn read(&mut self) {
        if !self.reads {
            return;
        }
        let mut bytes = Vec::new();
        while self.endpoint.read(self.key, &mut bytes, 4096) {}
        self.stream.push(&bytes);
        while let Some(message) = self.stream.next_message().expect("whole messages") {
            self.down.push(self.reader.read(message).expect("a message"));
        }
    }

    pub fn say(&mut self, up: &Up) {
        let _ = self.endpoint.write(self.key, up.to_bytes());
    }

    /// One tick's datagram: a frame, and the acknowledgement of [`Peer::batch`].
    pub fn frame(&mut self) {
        self.number += 1;
        let frame = Frame { number: MessageNumber(self.number), ..Frame::default() };
        let datagram = UpDatagram { batch: self.batch, frames: vec![frame], ..Default::default() };
        let mut bytes = Vec::new();
        datagram.encode(1000, &mut bytes);
        self.raw(bytes);
    }

    pub fn raw(&mut self, bytes: Vec<u8>) {
        let _ = self.endpoint.send_datagram(self.key, bytes.into());
    }

    /// The code and reason the server closed with.
    pub fn close_code(&self) -> Option<CloseCode> {
        match &self.closed {
            Some(CloseReason::Peer { code, .. }) => CloseCode::from_code(*code),
            _ => None,
        }
    }

    /// The code of the last message, if that was a closing one.
    pub fn closing(&self) -> Option<CloseCode> {
        match self.down.last() {
            Some(Down::Closing { code, .. }) => Some(*code),
            _ => None,
        }
    }

    /// Numbers of the batches read, in the order they came.
    pub fn batches(&self) -> Vec<u32> {
        self.down
            .iter()
            .filter_map(|down| match down {
                Down::Events(batch) => Some(batch.number),
                _ => None,
            })
            .collect()
    }

    /// Acknowledges everything read.
    pub fn acknowledge(&mut self) {
        self.batch = self.batches().last().copied().unwrap_or(self.batch);
    }
}
