//! The machine over real sockets of this machine.

use fairshot_transport::link::{Impaired, Line};
use fairshot_transport::{Bytes, Endpoint, Event, Identity, Network, Settings, Socket};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

#[test]
fn an_echo_crosses_real_sockets() {
    for any in ["127.0.0.1:0", "[::1]:0"] {
        let any: SocketAddr = any.parse().expect("an address");
        let identity = Identity::generate().expect("randomness");
        let mut server = Endpoint::server(Settings::default(), &identity).expect("a server");
        let mut server_socket = Socket::bind(any).expect("a free port");
        let mut client = Endpoint::client(Settings::client());
        let mut client_socket = Socket::bind(any).expect("a free port");
        let address = server_socket.address();
        let key = client.connect(Instant::now(), address, identity.pin()).expect("begun");

        let (mut echoed, mut streamed) = (0, Vec::new());
        let deadline = Instant::now() + Duration::from_secs(10);
        while (echoed < 100 || streamed.len() < 5000) && Instant::now() < deadline {
            let now = Instant::now();
            server.receive(now, &mut server_socket);
            while let Some((from, event)) = server.poll() {
                match event {
                    Event::Datagram(bytes) => {
                        for _ in 0..3 {
                            server.send_datagram(from, bytes.clone()).expect("it fits");
                        }
                    }
                    Event::Readable => {
                        let mut read = Vec::new();
                        while server.read(from, &mut read, 1024) {}
                        server.write(from, read.into()).expect("room");
                    }
                    _ => {}
                }
            }
            server.flush(now, &mut server_socket);
            client.receive(now, &mut client_socket);
            while let Some((_, event)) = client.poll() {
                match event {
                    Event::Connected { .. } => {
                        client.write(key, vec![5; 5000].into()).expect("room");
                    }
                    Event::Datagram(bytes) => {
                        assert_eq!(bytes.len(), 1000);
                        echoed += 1;
                    }
                    Event::Readable => while client.read(key, &mut streamed, 1024) {},
                    Event::Closed(reason) => panic!("{reason}"),
                    Event::Finished => {}
                }
            }
            let _ = client.send_datagram(key, Bytes::from(vec![1; 1000]));
            client.flush(now, &mut client_socket);
        }
        assert!(echoed >= 100, "{echoed}");
        assert_eq!(streamed.len(), 5000);
        assert_eq!(server_socket.sent().packets_lost, 0);
    }
}

#[test]
fn a_bad_line_before_a_real_socket_delays_loses_and_still_carries_the_stream() {
    let any: SocketAddr = "127.0.0.1:0".parse().expect("an address");
    let identity = Identity::generate().expect("randomness");
    let mut server = Endpoint::server(Settings::default(), &identity).expect("a server");
    let mut server_socket = Socket::bind(any).expect("a free port");
    let address = server_socket.address();
    let line = Line {
        latency: Duration::from_millis(5),
        jitter: Duration::from_millis(5),
        loss: 0.1,
        ..Line::default()
    };
    let mut client_socket = Impaired::steady(Socket::bind(any).expect("a free port"), 7, line);
    let mut client = Endpoint::client(Settings::client());
    let key = client.connect(Instant::now(), address, identity.pin()).expect("begun");
    let (mut streamed, mut datagrams) = (Vec::new(), 0);
    let deadline = Instant::now() + Duration::from_secs(10);
    while (streamed.len() < 20_000 || datagrams < 20) && Instant::now() < deadline {
        let now = Instant::now();
        server.receive(now, &mut server_socket);
        while let Some((from, event)) = server.poll() {
            match event {
                Event::Datagram(bytes) => {
                    server.send_datagram(from, bytes).expect("it fits");
                }
                Event::Readable => {
                    let mut read = Vec::new();
                    while server.read(from, &mut read, 1024) {}
                    server.write(from, read.into()).expect("room");
                }
                _ => {}
            }
        }
        server.flush(now, &mut server_socket);
        client.receive(now, &mut client_socket);
        while let Some((_, event)) = client.poll() {
            match event {
                Event::Connected { .. } => {
                    client.write(key, vec![5; 20_000].into()).expect("room");
                }
                Event::Datagram(_) => datagrams += 1,
                Event::Readable => while client.read(key, &mut streamed, 1024) {},
                Event::Closed(reason) => panic!("{reason}"),
                Event::Finished => {}
            }
        }
        let _ = client.send_datagram(key, Bytes::from(vec![1; 100]));
        client.flush(now, &mut client_socket);
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(streamed, vec![5; 20_000]);
    let path = client.path(key).expect("open");
    assert!(path.round_trip_min >= Duration::from_millis(10), "{path:?}");
}
