//! Players of a set against a scripted server, over a seeded link under virtual time.

use bytes::Bytes;
use fairshot_client::core::{ClientEvent, EVENTS_QUEUED_MAX};
use fairshot_client::{ClientKey, ClientSet, Ended, Notice, Options, Phase, Pin, Rejoin, Seat};
use fairshot_transport::link::{Line, Link, Port};
use fairshot_transport::{
    CloseReason, ConnectionKey, Endpoint, Event, HandshakeLimits, Identity, Settings,
};
use fairshot_units::{EntityId, Life, PlayerId, RoomId, Tick};
use fairshot_wire::{CloseCode, Down, EventBatch, NameTable, StreamReader, Up, Welcome};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

const SERVER: &str = "10.0.0.1:7000";
const CLIENT: &str = "10.0.0.2:4000";
const STEP: Duration = Duration::from_micros(15_625);
const MODE: &str = include_str!("../../../../deploy/modes/arena.toml");

struct World {
    link: Link,
    now: Instant,
    server: Server,
    set: ClientSet<Port>,
    pin: Pin,
    notices: Vec<(ClientKey, Notice)>,
}

/// Welcomes everybody and keeps what they said.
struct Server {
    endpoint: Endpoint,
    port: Port,
    readers: BTreeMap<ConnectionKey, StreamReader>,
    tickets: Vec<Bytes>,
    said: Vec<Up>,
    datagrams: usize,
    rejoin_within_ms: u32,
}

fn address(text: &str) -> SocketAddr {
    text.parse().expect("an address")
}

impl Server {
    fn step(&mut self, now: Instant) {
        self.endpoint.receive(now, &mut self.port);
        while let Some((key, event)) = self.endpoint.poll() {
            match event {
                Event::Connected { .. } => {
                    self.readers.insert(key, StreamReader::up());
                }
                Event::Datagram(_) => self.datagrams += 1,
                Event::Readable => self.read(key),
                Event::Closed(_) => {
                    self.readers.remove(&key);
                }
                Event::Finished => {}
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

    fn only(&self) -> ConnectionKey {
        *self.readers.keys().last().expect("a connection")
    }
}

impl World {
    fn new(seed: u64, line: Line) -> Self {
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
            datagrams: 0,
            rejoin_within_ms: 30_000,
        };
        let client = Settings { seed: Some([2; 32]), ..Settings::client() };
        let set = ClientSet::on(link.port(address(CLIENT)), client, now);
        Self { link, now, server, set, pin: identity.pin(), notices: Vec::new() }
    }

    fn connect(&mut self, ticket: &'static [u8], options: Options) -> ClientKey {
        let seat = Seat {
            address: address(SERVER),
            certificate_sha256: self.pin,
            ticket: Bytes::from_static(ticket),
            room_id: "room".into(),
            player_id: "ann".into(),
            traceparent: None,
        };
        self.set.connect(self.now, seat, options).expect("begun")
    }

    fn step(&mut self) {
        self.set.receive(self.now);
        self.set.flush(self.now);
        self.server.step(self.now);
        self.notices.extend(std::iter::from_fn(|| self.set.next_notice()));
        self.now += STEP;
    }

    fn steps(&mut self, count: usize) {
        for _ in 0..count {
            self.step();
        }
    }

    fn until_playing(&mut self, key: ClientKey) {
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

fn near() -> Line {
    Line { latency: Duration::from_millis(10), ..Line::default() }
}

#[test]
fn a_player_joins_with_the_ticket_of_its_seat() {
    let mut world = World::new(1, near());
    let key = world.connect(b"ticket-7", Options::default());
    assert_eq!(world.set.phase(key), Some(Phase::Connecting));
    world.until_playing(key);
    assert_eq!(world.server.tickets, [Bytes::from_static(b"ticket-7")]);
    let session = world.set.session(key).expect("there");
    assert_eq!(session.entity(), Some(EntityId(1)));
}

#[test]
fn players_on_one_socket_each_get_what_is_theirs() {
    let mut world = World::new(2, near());
    let keys: Vec<_> = (0..64).map(|_| world.connect(b"t", Options::default())).collect();
    world.steps(64);
    let connections: Vec<_> = world.server.readers.keys().copied().collect();
    assert_eq!(connections.len(), 64);
    for (number, connection) in connections.iter().enumerate() {
        let life = Life(u16::try_from(number).expect("small"));
        let grant = Down::RespawnGrant { life }.to_bytes();
        world.server.endpoint.write(*connection, grant).expect("room");
    }
    world.steps(8);
    let mut lives = Vec::new();
    for key in keys {
        while let Some(event) = world.set.next_event(key) {
            if let ClientEvent::Granted { life } = event {
                lives.push(life);
            }
        }
    }
    lives.sort_unstable();
    assert_eq!(lives, (0..64).map(Life).collect::<Vec<_>>());
}

#[test]
fn a_broken_line_is_come_back_from_with_the_rejoin_ticket() {
    let mut world = World::new(3, near());
    let key = world.connect(b"first", Options::default());
    world.until_playing(key);
    let dead = Line { loss: 1.0, ..near() };
    world.link.set_line(dead);
    // The idle time, counted from the last ping that went out.
    world.steps(64 * 14);
    assert_eq!(
        world.notices,
        [(key, Notice::Rejoining { after: Ended::Lost(CloseReason::TimedOut) })]
    );
    world.link.set_line(near());
    world.until_playing(key);
    assert_eq!(world.server.tickets.last(), Some(&Bytes::from_static(b"rejoin-1")));
    // And once more, with the ticket of the second welcome.
    let connection = world.server.only();
    world.server.endpoint.close(connection, CloseCode::Slow.code(), b"slow");
    world.steps(2);
    world.until_playing(key);
    assert_eq!(world.server.tickets.last(), Some(&Bytes::from_static(b"rejoin-2")));
    assert_eq!(world.server.tickets.len(), 3);
}

#[test]
fn coming_back_is_given_up_when_the_seat_is_no_longer_held() {
    let mut world = World::new(4, near());
    world.server.rejoin_within_ms = 12_000;
    let key = world.connect(b"first", Options::default());
    world.until_playing(key);
    world.link.set_line(Line { loss: 1.0, ..near() });
    world.steps(64 * 60);
    assert!(matches!(world.set.phase(key), Some(Phase::Ended(Ended::Lost(_)))));
    let last = world.notices.last().expect("told");
    assert!(matches!(last, (_, Notice::Ended(Ended::Lost(_)))), "{last:?}");
}

#[test]
fn a_kick_is_told_and_not_come_back_from() {
    let mut world = World::new(5, near());
    let key = world.connect(b"first", Options::default());
    world.until_playing(key);
    let connection = world.server.only();
    let closing = Down::Closing { code: CloseCode::Kicked, reason: Arc::from("out") };
    world.server.endpoint.write(connection, closing.to_bytes()).expect("room");
    world.server.endpoint.close(connection, CloseCode::Kicked.code(), b"out");
    world.steps(64 * 5);
    let kicked = Ended::Closed { code: CloseCode::Kicked, reason: Arc::from("out") };
    assert_eq!(world.notices, [(key, Notice::Ended(kicked))]);
    let event = world.set.next_event(key);
    assert!(matches!(event, Some(ClientEvent::Closing { code: CloseCode::Kicked, .. })));
    assert_eq!(world.server.tickets.len(), 1);
}

#[test]
fn a_server_with_another_certificate_gets_no_ticket() {
    let mut world = World::new(6, near());
    world.pin.0[0] ^= 1;
    let key = world.connect(b"secret", Options::default());
    world.steps(64);
    assert_eq!(world.notices, [(key, Notice::Ended(Ended::Lost(CloseReason::Certificate)))]);
    assert!(world.server.tickets.is_empty());
}

#[test]
fn a_goodbye_arrives_over_a_bad_line() {
    for seed in 0..4 {
        let bad = Line { loss: 0.3, jitter: Duration::from_millis(30), ..near() };
        let mut world = World::new(10 + seed, bad);
        let key = world.connect(b"t", Options::default());
        world.until_playing(key);
        world.set.leave(world.now, key);
        world.steps(64 * 5);
        assert_eq!(world.notices, [(key, Notice::Ended(Ended::Left))]);
        assert!(world.server.said.contains(&Up::Goodbye), "seed {seed}");
    }
}

#[test]
fn a_game_loop_that_takes_no_events_holds_the_stream_back_and_loses_nothing() {
    let mut world = World::new(7, near());
    let key = world.connect(b"t", Options::default());
    world.until_playing(key);
    let connection = world.server.only();
    let event = fairshot_wire::Event::Left { entity: EntityId(9) };
    let mut written = 0u32;
    for number in 1..=3000u32 {
        let events = vec![event.clone(); 8];
        let batch = Down::Events(EventBatch { number, tick: Tick(number), events });
        if world.server.endpoint.write(connection, batch.to_bytes()).is_err() {
            break;
        }
        written = number;
        world.step();
    }
    let waiting = world.set.session(key).expect("there").events_waiting();
    assert!(waiting <= EVENTS_QUEUED_MAX + 8, "{waiting}");
    let mut taken = 0;
    for _ in 0..4000 {
        while let Some(event) = world.set.next_event(key) {
            taken += u32::from(matches!(event, ClientEvent::Room { .. }));
        }
        world.step();
    }
    assert_eq!(taken, written * 8);
    assert!(world.notices.is_empty(), "{:?}", world.notices);
}

#[test]
fn a_player_that_never_wants_to_come_back_does_not() {
    let mut world = World::new(8, near());
    let options = Options { rejoin: Rejoin::Never, ..Options::default() };
    let key = world.connect(b"t", options);
    world.until_playing(key);
    let connection = world.server.only();
    world.server.endpoint.close(connection, CloseCode::Idle.code(), b"idle");
    world.steps(64);
    assert_eq!(world.server.tickets.len(), 1);
    assert!(matches!(world.set.phase(key), Some(Phase::Ended(_))));
    world.set.remove(key);
    assert_eq!(world.set.phase(key), None);
    let again = world.connect(b"t", Options::default());
    assert_ne!(again, key, "an old key never names a new player");
    assert!(world.set.session(key).is_none());
}
