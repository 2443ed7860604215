//! `/metrics`, `/livez` and `/readyz` over plain HTTP, for Prometheus and whoever restarts processes.
//!
//! It asks for no token, so it tells nothing of a player: bind it to loopback or a private network.

use crate::health::Health;
use crate::log_limit::LogLimit;
use crate::metrics::{Metrics, ProcessMetrics};
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// What the page tells.
#[derive(Clone, Debug)]
pub struct Page {
    pub metrics: Metrics,
    pub process: ProcessMetrics,
    pub health: Health,
    /// Whose left-out lines are counted.
    pub log: Option<LogLimit>,
}

/// Connections at once; more wait in the listener's backlog.
const CONNECTIONS_MAX: usize = 64;
/// A request's head must come within this, and a connection without one is closed.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// How often samples are folded into buckets and the ready gauge is set.
const UPKEEP_EVERY: Duration = Duration::from_secs(5);

/// Serves the page on a bound listener until `stop` is done, and does the metrics' upkeep meanwhile.
///
/// # Errors
/// Only where the listener itself breaks; a connection that fails is dropped alone.
pub async fn serve_page(
    listener: TcpListener,
    page: Page,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let page = Arc::new(page);
    let free = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut upkeep = tokio::time::interval(UPKEEP_EVERY);
    upkeep.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    tokio::pin!(stop);
    loop {
        // The permit comes first: a wait that is broken off then loses no connection.
        let next = async {
            let permit = Arc::clone(&free).acquire_owned().await;
            (listener.accept().await, permit)
        };
        let (accepted, permit) = tokio::select! {
            () = &mut stop => return Ok(()),
            _ = upkeep.tick() => {
                keep_up(&page);
                continue;
            }
            next = next => next,
        };
        let socket = match accepted {
            Ok((socket, _)) => socket,
            // Out of descriptors, or a peer that was gone at once: the listener lives on.
            Err(error) => {
                tracing::warn!(%error, "metrics connection not accepted");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let page = Arc::clone(&page);
        tokio::spawn(async move {
            let answers = service_fn(move |request| {
                let response = answer(&page, &request);
                async move { Ok::<_, Infallible>(response) }
            });
            let served = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIMEOUT)
                .max_buf_size(16 * 1024)
                .serve_connection(TokioIo::new(socket), answers);
            if let Err(error) = served.await {
                tracing::debug!(%error, "metrics connection ended");
            }
            drop(permit);
        });
    }
}

fn keep_up(page: &Page) {
    page.metrics.run_upkeep();
    page.process.ready.set(f64::from(u8::from(page.health.ready(Instant::now()).is_ok())));
    let left_out = page.log.as_ref().map_or(0, LogLimit::take_left_out);
    if left_out > 0 {
        page.process.log_lines_dropped.increment(left_out);
        tracing::warn!(left_out, "log lines left out by the rate limit");
    }
}

fn answer(page: &Page, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return plain(StatusCode::METHOD_NOT_ALLOWED, "GET or HEAD\n".into());
    }
    let now = Instant::now();
    match request.uri().path() {
        "/metrics" => {
            keep_up(page);
            let mut response = plain(StatusCode::OK, page.metrics.render());
            let text = header::HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
            response.headers_mut().insert(header::CONTENT_TYPE, text);
            response
        }
        "/livez" => told(page.health.alive(now)),
        "/readyz" => told(page.health.ready(now)),
        "/" => plain(StatusCode::OK, "/metrics\n/livez\n/readyz\n".into()),
        _ => plain(
            StatusCode::NOT_FOUND,
            "not found: there are /metrics, /livez and /readyz\n".into(),
        ),
    }
}

fn told(health: Result<(), crate::health::NotReady>) -> Response<Full<Bytes>> {
    match health {
        Ok(()) => plain(StatusCode::OK, "ok\n".into()),
        Err(why) => plain(StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")),
    }
}

fn plain(status: StatusCode, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    let content = header::HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, content);
    response
}
