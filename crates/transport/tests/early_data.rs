//! A client that saves sessions and sends early data, quinn as it comes, gets neither from a server.

use fairshot_transport::{ALPN, Endpoint, Event, Identity, Settings, Socket};
use quinn::rustls;
use rustls::pki_types::{CertificateDer, ServerName};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn trusting(certificate: CertificateDer<'static>) -> quinn::ClientConfig {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate).expect("a certificate");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("TLS 1.3")
        .with_root_certificates(roots)
        .with_no_client_auth();
    tls.enable_early_data = true;
    tls.alpn_protocols = vec![ALPN.to_vec()];
    let crypto = quinn::crypto::rustls::QuicClientConfig::try_from(tls).expect("a suite");
    quinn::ClientConfig::new(Arc::new(crypto))
}

#[test]
fn r21_a_client_that_comes_again_has_no_saved_session_to_send_early_data_with() {
    let identity = Identity::generate().expect("randomness");
    let (certificate, _) = identity.clone().into_parts();
    let mut socket = Socket::bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let address = socket.address();
    let stop = Arc::new(AtomicBool::new(false));
    let server = {
        let stop = Arc::clone(&stop);
        std::thread::spawn(move || {
            let mut endpoint = Endpoint::server(Settings::default(), &identity).expect("a server");
            let (mut connected, mut datagrams) = (0, 0);
            let end = Instant::now() + Duration::from_secs(20);
            while !stop.load(Ordering::Relaxed) && Instant::now() < end {
                let now = Instant::now();
                endpoint.receive(now, &mut socket);
                while let Some((_, event)) = endpoint.poll() {
                    connected += usize::from(matches!(event, Event::Connected { .. }));
                    datagrams += usize::from(matches!(event, Event::Datagram(_)));
                }
                endpoint.flush(now, &mut socket);
                std::thread::sleep(Duration::from_millis(1));
            }
            (connected, datagrams)
        })
    };
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let any = "127.0.0.1:0".parse().expect("an address");
        let endpoint = quinn::Endpoint::client(any).expect("a client");
        let config = trusting(certificate);
        for _ in 0..2 {
            assert!(ServerName::try_from("fairshot").is_ok());
            let connecting =
                endpoint.connect_with(config.clone(), address, "fairshot").expect("begun");
            // Early data needs a session that the server gave out; it gives none.
            let connecting = connecting.into_0rtt().err().expect("nothing may be sent early");
            let connection = connecting.await.expect("a handshake");
            connection.send_datagram(vec![1; 60].into()).expect("room");
            // Long enough for a session ticket to have come.
            connection.send_datagram_wait(vec![1; 60].into()).await.expect("room");
            tokio::time::timeout(Duration::from_millis(300), connection.closed()).await.ok();
            // The server offers one stream of both ways and none of one way.
            assert!(connection.open_bi().await.is_ok());
            let second =
                tokio::time::timeout(Duration::from_millis(50), connection.open_bi()).await;
            assert!(second.is_err(), "a second stream must wait for ever");
            let one_way =
                tokio::time::timeout(Duration::from_millis(50), connection.open_uni()).await;
            assert!(one_way.is_err(), "a stream of one way must wait for ever");
            connection.close(0u32.into(), b"");
        }
        endpoint.wait_idle().await;
    });
    stop.store(true, Ordering::Relaxed);
    assert_eq!(server.join().expect("the server ends"), (2, 4));
}
