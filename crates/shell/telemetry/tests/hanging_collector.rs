//! Alone in its binary, since the log of a process is installed once: a collector that takes
//! connections and never answers slows nothing that makes spans, and not the end of the process.

use fairshot_telemetry::{LogSettings, TraceSettings, install};
use std::net::TcpListener;
use std::time::{Duration, Instant};

#[test]
fn a_collector_that_hangs_slows_no_tick_and_no_stop() {
    // Its backlog takes the connection; nobody ever reads from it.
    let collector = TcpListener::bind("127.0.0.1:0").expect("binds");
    let endpoint = format!("http://{}", collector.local_addr().expect("has an address"));
    let log = LogSettings { filter: "info".into(), json: true };
    let traces = TraceSettings {
        otlp_endpoint: Some(endpoint),
        service: "fairshot".into(),
        version: "0".into(),
        instance: "test".into(),
    };
    let installed = install(&log, &traces).expect("installs");
    // Ten times what the queue holds, over longer than the exporter's first attempt.
    let mut slowest = Duration::ZERO;
    let begun = Instant::now();
    for tick in 0..20_480_u32 {
        let before = Instant::now();
        let span = tracing::info_span!("tick", tick);
        span.in_scope(|| tracing::info_span!("rooms").in_scope(|| ()));
        drop(span);
        slowest = slowest.max(before.elapsed());
    }
    let made = begun.elapsed();
    // A blocked export would take its 3 s timeout; a busy machine may still take a slice of time.
    assert!(slowest < Duration::from_secs(1), "one tick took {slowest:?}");
    assert!(made < Duration::from_secs(5), "{made:?}");
    let stopping = Instant::now();
    drop(installed);
    assert!(stopping.elapsed() < Duration::from_secs(4), "{:?}", stopping.elapsed());
}
