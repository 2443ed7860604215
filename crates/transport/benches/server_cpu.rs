//! Server CPU per player and second: 60 B in at 64 Hz, 400 B out at 32 Hz, over real sockets.
//!
//! The stepped endpoint and plain quinn as documented serve the same load from the same clients, one
//! after the other in one run, so that their ratio means something on a noisy machine. The figure is
//! the serving thread's own CPU time. `--players N` and `--seconds S` change the load.

use fairshot_transport::{
    Bytes, ConnectionKey, Endpoint, Event, Identity, Network, Pin, Settings, Socket,
};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What the services run on.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PHASE: Duration = Duration::from_nanos(1_953_125);
/// Parts of a tick that players are spread over.
static PHASES: AtomicU64 = AtomicU64::new(8);
const FRAME: &[u8] = &[3; 60];
const SNAPSHOT: &[u8] = &[4; 400];
const CLIENTS_PER_SOCKET: usize = 50;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |name: &str, default: u64| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1)).and_then(|n| n.parse().ok()).unwrap_or(default)
    };
    let (players, seconds) = (number("--players", 200), number("--seconds", 4));
    let runs = number("--runs", 3);
    PHASES.store(number("--phases", 8), Ordering::Relaxed);
    println!("{players} players, {seconds} s a run, {runs} runs; CPU of the server's thread");
    let mut stepped = Vec::new();
    let mut plain = Vec::new();
    for _ in 0..runs {
        stepped.push(measure("stepped", players, seconds, serve_stepped));
        plain.push(measure("plain quinn", players, seconds, serve_plain));
    }
    let (stepped, plain) = (median(stepped), median(plain));
    println!("median: stepped {stepped:.3} ms, plain quinn {plain:.3} ms a player and second");
    println!("ratio: {:.2}", stepped / plain);
}

struct Shared {
    stop: AtomicBool,
    measuring: AtomicBool,
    frames: AtomicU64,
}

type Serve = fn(Socket, Identity, &Shared) -> Duration;

fn measure(name: &str, players: u64, seconds: u64, serve: Serve) -> f64 {
    let identity = Identity::generate().expect("randomness");
    let pin = identity.pin();
    let socket = Socket::bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let address = socket.address();
    let shared = Arc::new(Shared {
        stop: AtomicBool::new(false),
        measuring: AtomicBool::new(false),
        frames: AtomicU64::new(0),
    });
    let server = {
        let shared = Arc::clone(&shared);
        let named = thread::Builder::new().name(name.replace(' ', "-"));
        named.spawn(move || serve(socket, identity, &shared)).expect("a thread")
    };
    let load = Load::start(players as usize, address, pin);
    let snapshots = load.run(Duration::from_secs(seconds), &shared);
    shared.stop.store(true, Ordering::Relaxed);
    let cpu = server.join().expect("the server ends");
    let per_player = cpu.as_secs_f64() * 1e3 / players as f64 / seconds as f64;
    let frames = shared.frames.load(Ordering::Relaxed);
    println!(
        "{name:12} {per_player:.3} ms a player and second; {:.1} frames and {:.1} snapshots a player and second",
        frames as f64 / players as f64 / seconds as f64,
        snapshots as f64 / players as f64 / seconds as f64,
    );
    per_player
}

/// The whole load on one thread: clients that share sockets, stepped each phase.
struct Load {
    groups: Vec<(Endpoint, Socket, Vec<ConnectionKey>)>,
}

impl Load {
    fn start(players: usize, server: SocketAddr, pin: Pin) -> Self {
        let mut groups = Vec::new();
        let mut left = players;
        while left > 0 {
            let count = left.min(CLIENTS_PER_SOCKET);
            left -= count;
            let socket = Socket::bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
            let mut endpoint = Endpoint::client(Settings::client());
            let keys = (0..count)
                .map(|_| endpoint.connect(Instant::now(), server, pin).expect("begun"))
                .collect();
            groups.push((endpoint, socket, keys));
        }
        let mut load = Self { groups };
        let mut connected = 0;
        let deadline = Instant::now() + Duration::from_secs(30);
        while connected < players {
            assert!(Instant::now() < deadline, "{connected} of {players} connected");
            for (endpoint, socket, _) in &mut load.groups {
                let now = Instant::now();
                endpoint.receive(now, socket);
                while let Some((_, event)) = endpoint.poll() {
                    connected += usize::from(matches!(event, Event::Connected { .. }));
                }
                endpoint.flush(now, socket);
            }
            thread::sleep(PHASE);
        }
        load
    }

    /// Plays a second unmeasured and then for `long`; gives the snapshots received in that time.
    fn run(mut self, long: Duration, shared: &Shared) -> u64 {
        let begin = Instant::now() + Duration::from_secs(1);
        let end = begin + long;
        let mut snapshots = 0;
        let phases = PHASES.load(Ordering::Relaxed);
        for phase in 0u64.. {
            let now = Instant::now();
            let measuring = now >= begin && now < end;
            shared.measuring.store(measuring, Ordering::Relaxed);
            if now >= end {
                return snapshots;
            }
            for (endpoint, socket, keys) in &mut self.groups {
                endpoint.receive(now, socket);
                while let Some((_, event)) = endpoint.poll() {
                    let snapshot = matches!(event, Event::Datagram(_));
                    snapshots += u64::from(measuring && snapshot);
                }
                for key in keys.iter().filter(|key| key.index() as u64 % phases == phase % phases) {
                    endpoint.send_datagram(*key, Bytes::from_static(FRAME)).expect("connected");
                }
                endpoint.flush(now, socket);
            }
            sleep_until(begin - Duration::from_secs(1), (phase + 1) * 8 / phases);
        }
        snapshots
    }
}

fn serve_stepped(mut socket: Socket, identity: Identity, shared: &Shared) -> Duration {
    let mut endpoint = Endpoint::server(Settings::default(), &identity).expect("a server");
    let mut keys: Vec<Option<ConnectionKey>> = Vec::new();
    let start = Instant::now();
    let phases = PHASES.load(Ordering::Relaxed);
    let mut cpu = CpuMeter::default();
    for phase in 0u64.. {
        if shared.stop.load(Ordering::Relaxed) {
            break;
        }
        let measuring = shared.measuring.load(Ordering::Relaxed);
        cpu.turn(measuring);
        let now = Instant::now();
        endpoint.receive(now, &mut socket);
        while let Some((key, event)) = endpoint.poll() {
            match event {
                Event::Connected { .. } => {
                    if keys.len() <= key.index() {
                        keys.resize(key.index() + 1, None);
                    }
                    keys[key.index()] = Some(key);
                }
                Event::Datagram(bytes) => {
                    std::hint::black_box(&bytes);
                    if measuring {
                        shared.frames.fetch_add(1, Ordering::Relaxed);
                    }
                }
                _ => {}
            }
        }
        // Every other tick, in the phase the player's room has.
        if (phase / phases).is_multiple_of(2) {
            let at = (phase % phases) as usize;
            for key in keys.iter().skip(at).step_by(phases as usize).flatten() {
                let _ = endpoint.send_datagram(*key, Bytes::from_static(SNAPSHOT));
            }
        }
        endpoint.flush(now, &mut socket);
        sleep_until(start, (phase + 1) * 8 / phases);
    }
    let sent = socket.sent();
    eprintln!(
        "  packets in {}, out {}, send calls {}, lost {}",
        endpoint.counters().packets_in,
        sent.packets,
        sent.calls,
        sent.packets_lost
    );
    cpu.turn(false);
    cpu.total
}

/// quinn as its documentation shows it: a task per connection reads, a timer sends.
fn serve_plain(socket: Socket, identity: Identity, shared: &Shared) -> Duration {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, async {
        let (certificate, key) = identity.into_parts();
        let mut tls = quinn::rustls::ServerConfig::builder_with_provider(Arc::new(
            quinn::rustls::crypto::ring::default_provider(),
        ))
        .with_protocol_versions(&[&quinn::rustls::version::TLS13])
        .expect("TLS 1.3")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("a certificate");
        tls.alpn_protocols = vec![fairshot_transport::ALPN.to_vec()];
        let crypto = quinn::crypto::rustls::QuicServerConfig::try_from(tls).expect("a suite");
        let config = quinn::ServerConfig::with_crypto(Arc::new(crypto));
        let udp = socket.udp().try_clone().expect("a socket");
        let endpoint = quinn::Endpoint::new(
            quinn::EndpointConfig::default(),
            Some(config),
            udp,
            Arc::new(quinn::TokioRuntime),
        )
        .expect("an endpoint");
        let connections = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
        let accepted = std::rc::Rc::clone(&connections);
        let frames = std::rc::Rc::new(std::cell::Cell::new(0u64));
        let counted = std::rc::Rc::clone(&frames);
        tokio::task::spawn_local(async move {
            while let Some(incoming) = endpoint.accept().await {
                let (accepted, counted) =
                    (std::rc::Rc::clone(&accepted), std::rc::Rc::clone(&counted));
                tokio::task::spawn_local(async move {
                    let Ok(connection) = incoming.await else { return };
                    accepted.borrow_mut().push(connection.clone());
                    while let Ok(bytes) = connection.read_datagram().await {
                        std::hint::black_box(&bytes);
                        counted.set(counted.get() + 1);
                    }
                });
            }
        });
        let mut ticks = tokio::time::interval(Duration::from_micros(31_250));
        let mut cpu = CpuMeter::default();
        let mut was_measuring = false;
        let mut frames_before = 0;
        while !shared.stop.load(Ordering::Relaxed) {
            ticks.tick().await;
            let measuring = shared.measuring.load(Ordering::Relaxed);
            if measuring && !was_measuring {
                frames_before = frames.get();
            }
            if measuring {
                shared.frames.store(frames.get() - frames_before, Ordering::Relaxed);
            }
            was_measuring = measuring;
            cpu.turn(measuring);
            for connection in connections.borrow().iter() {
                let connection: &quinn::Connection = connection;
                let _ = connection.send_datagram(Bytes::from_static(SNAPSHOT));
            }
        }
        cpu.turn(false);
        cpu.total
    })
}

/// Adds up this thread's CPU time while a measurement is on.
#[derive(Default)]
struct CpuMeter {
    began: Option<Duration>,
    total: Duration,
}

impl CpuMeter {
    fn turn(&mut self, measuring: bool) {
        match (self.began, measuring) {
            (None, true) => self.began = Some(thread_cpu()),
            (Some(began), false) => {
                self.total += thread_cpu() - began;
                self.began = None;
            }
            _ => {}
        }
    }
}

fn thread_cpu() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the call to write to.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn sleep_until(start: Instant, phase: u64) {
    let due = start + PHASE * u32::try_from(phase).unwrap_or(u32::MAX);
    if let Some(left) = due.checked_duration_since(Instant::now()) {
        thread::sleep(left);
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
