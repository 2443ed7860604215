//! The page over a real socket.

use fairshot_telemetry::health::Health;
use fairshot_telemetry::metrics::{Metrics, ModeMetrics, ProcessMetrics};
use fairshot_telemetry::{Page, serve_page};
use fairshot_units::Rule;
use std::net::SocketAddr;
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

async fn serve() -> (SocketAddr, Metrics, Health) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = listener.local_addr().expect("has an address");
    let metrics = Metrics::new();
    let health = Health::new(Instant::now());
    let page = Page {
        metrics: metrics.clone(),
        process: ProcessMetrics::new(&metrics, "0"),
        health: health.clone(),
        log: None,
    };
    tokio::spawn(serve_page(listener, page, std::future::pending()));
    (address, metrics, health)
}

async fn ask(address: SocketAddr, line: &str) -> String {
    let mut socket = TcpStream::connect(address).await.expect("connects");
    let request = format!("{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).await.expect("writes");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.expect("reads");
    answer
}

#[tokio::test]
async fn the_page_tells_counters_and_health() {
    let (address, metrics, health) = serve().await;
    ModeMetrics::new(&metrics, "arena").refuse(Rule::Rate, 12);
    let page = ask(address, "GET /metrics").await;
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    assert!(page.contains("content-type: text/plain; version=0.0.4"), "{page}");
    assert!(page.contains("fairshot_shots_refused_total{mode=\"arena\",rule=\"rate\"} 12"));
    assert!(page.contains("fairshot_ready 0\n"));

    assert!(ask(address, "GET /livez").await.starts_with("HTTP/1.1 200"));
    assert!(ask(address, "GET /readyz").await.starts_with("HTTP/1.1 503"));
    health.set_started();
    assert!(ask(address, "GET /readyz").await.starts_with("HTTP/1.1 200"));
    health.set_draining(true);
    let draining = ask(address, "GET /readyz").await;
    assert!(draining.starts_with("HTTP/1.1 503") && draining.ends_with("draining\n"), "{draining}");
}

#[tokio::test]
async fn what_is_not_there_or_not_read_is_refused() {
    let (address, _, _) = serve().await;
    assert!(ask(address, "GET /secrets").await.starts_with("HTTP/1.1 404"));
    assert!(ask(address, "POST /metrics").await.starts_with("HTTP/1.1 405"));
    assert!(ask(address, "HEAD /livez").await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn connections_that_say_nothing_leave_the_page_to_others() {
    let (address, _, _) = serve().await;
    let mut silent = Vec::new();
    for _ in 0..60 {
        silent.push(TcpStream::connect(address).await.expect("connects"));
    }
    assert!(ask(address, "GET /livez").await.starts_with("HTTP/1.1 200"));
}
