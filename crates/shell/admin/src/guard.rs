//! What every call passes before any service sees it, health and reflection included: who calls, how
//! often, and how long it may take.

use crate::access::{Access, Caller, Credentials};
use crate::limits::Limits;
use fairshot_telemetry::metrics::{AdminOutcome, ProcessMetrics};
use futures::future::BoxFuture;
use http::{HeaderMap, Request, Response};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tonic::body::Body;
use tonic::transport::server::{TcpConnectInfo, TlsConnectInfo};
use tonic::{Code, Status};
use tower_layer::Layer;
use tower_service::Service;
use tracing::Instrument;

/// What all connections share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub access: Access,
    pub limits: Limits,
    pub metrics: ProcessMetrics,
    /// The longest a call may take until its answer, or its stream, begins.
    pub deadline: Duration,
}

#[derive(Clone, Debug)]
pub(crate) struct GuardLayer(pub Arc<Shared>);

impl<S> Layer<S> for GuardLayer {
    type Service = Guard<S>;

    fn layer(&self, inner: S) -> Guard<S> {
        Guard { inner, shared: Arc::clone(&self.0) }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Guard<S> {
    inner: S,
    shared: Arc<Shared>,
}

impl<S> Service<Request<Body>> for Guard<S>
where
    S: Service<Request<Body>, Response = Response<Body>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Send,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Response<Body>, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let shared = Arc::clone(&self.shared);
        let caller = match admit(&shared, &request) {
            Ok(caller) => caller,
            Err(status) => {
                shared.metrics.admin_call(outcome(status.code()));
                return Box::pin(std::future::ready(Ok(status.into_http())));
            }
        };
        let limit =
            deadline(request.headers()).map_or(shared.deadline, |asked| asked.min(shared.deadline));
        let method = request.uri().path().trim_start_matches('/').to_owned();
        let span = tracing::info_span!("admin", %method, caller = %caller.name);
        request.extensions_mut().insert(caller);
        // The clone that was polled ready does the call; the fresh one waits for the next.
        let fresh = self.inner.clone();
        let mut ready = std::mem::replace(&mut self.inner, fresh);
        let answered = async move {
            let result = tokio::time::timeout(limit, ready.call(request)).await;
            let response = result.unwrap_or_else(|_| {
                let words = format!("no answer within {} ms", limit.as_millis());
                Ok(Status::deadline_exceeded(words).into_http())
            })?;
            shared.metrics.admin_call(outcome(code_of(&response)));
            Ok(response)
        };
        Box::pin(answered.instrument(span))
    }
}

fn admit(shared: &Shared, request: &Request<Body>) -> Result<Caller, Status> {
    let tls = request.extensions().get::<TlsConnectInfo<TcpConnectInfo>>();
    let tcp = request.extensions().get::<TcpConnectInfo>().or(tls.map(TlsConnectInfo::get_ref));
    let peer = tcp.and_then(TcpConnectInfo::remote_addr);
    let certificates = tls.and_then(TlsConnectInfo::peer_certs);
    let shown = Credentials {
        token: bearer(request.headers()),
        certificate: certificates
            .as_ref()
            .and_then(|chain| chain.first())
            .map(|certificate| certificate.as_ref()),
        loopback: peer.is_some_and(|peer| peer.ip().to_canonical().is_loopback()),
    };
    let from = peer.map(|peer| peer.to_string()).unwrap_or_default();
    let Some(caller) = shared.access.admit(&shown, from.clone()) else {
        tracing::warn!(peer = %from, method = %request.uri().path(), "admin call without a valid token");
        return Err(Status::unauthenticated(
            "a valid bearer token or client certificate is needed",
        ));
    };
    shared.limits.take(&caller.name, Instant::now()).map_err(|wait_s| {
        let mut status = Status::resource_exhausted(format!(
            "{} calls too often; try again in {:.1} s",
            caller.name, wait_s
        ));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a short wait")]
        let wait_ms = (wait_s * 1000.0).ceil() as u64;
        status.metadata_mut().insert("grpc-retry-pushback-ms", wait_ms.into());
        status
    })?;
    Ok(caller)
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(http::header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

/// `grpc-timeout`: up to eight digits and a unit.
fn deadline(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get("grpc-timeout")?.to_str().ok()?;
    let (digits, unit) = value.split_at_checked(value.len().checked_sub(1)?)?;
    if digits.len() > 8 {
        return None;
    }
    let amount: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(amount * 3600)),
        "M" => Some(Duration::from_secs(amount * 60)),
        "S" => Some(Duration::from_secs(amount)),
        "m" => Some(Duration::from_millis(amount)),
        "u" => Some(Duration::from_micros(amount)),
        "n" => Some(Duration::from_nanos(amount)),
        _ => None,
    }
}

/// The code of an answer that is an error at once; a stream that began counts as `Ok`.
fn code_of(response: &Response<Body>) -> Code {
    response.headers().get("grpc-status").map_or(Code::Ok, |code| Code::from_bytes(code.as_bytes()))
}

pub(crate) fn outcome(code: Code) -> AdminOutcome {
    match code {
        Code::Ok => AdminOutcome::Ok,
        Code::InvalidArgument => AdminOutcome::InvalidArgument,
        Code::NotFound => AdminOutcome::NotFound,
        Code::AlreadyExists => AdminOutcome::AlreadyExists,
        Code::PermissionDenied => AdminOutcome::PermissionDenied,
        Code::ResourceExhausted => AdminOutcome::ResourceExhausted,
        Code::FailedPrecondition => AdminOutcome::FailedPrecondition,
        Code::Aborted => AdminOutcome::Aborted,
        Code::DeadlineExceeded => AdminOutcome::DeadlineExceeded,
        Code::Unavailable => AdminOutcome::Unavailable,
        Code::Unimplemented => AdminOutcome::Unimplemented,
        Code::Unauthenticated => AdminOutcome::Unauthenticated,
        _ => AdminOutcome::Internal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_is_read_in_every_unit_and_nonsense_is_none() {
        let read = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("grpc-timeout", text.parse().expect("a header"));
            deadline(&headers)
        };
        assert_eq!(read("2S"), Some(Duration::from_secs(2)));
        assert_eq!(read("250m"), Some(Duration::from_millis(250)));
        assert_eq!(read("99999999H"), Some(Duration::from_secs(99_999_999 * 3600)));
        for nonsense in ["", "S", "999999999S", "-1S", "1x", "é"] {
            let mut headers = HeaderMap::new();
            if let Ok(value) = nonsense.parse() {
                headers.insert("grpc-timeout", value);
            }
            assert_eq!(deadline(&headers), None, "{nonsense}");
        }
    }

    #[test]
    fn only_a_bearer_header_holds_a_token() {
        let read = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("authorization", text.parse().expect("a header"));
            bearer(&headers).map(str::to_owned)
        };
        assert_eq!(read("Bearer abc"), Some("abc".into()));
        assert_eq!(read("bearer abc"), Some("abc".into()));
        assert_eq!(read("Basic abc"), None);
        assert_eq!(read("abc"), None);
    }
}
