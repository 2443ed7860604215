//! One call: the token and the trace on it, a deadline around it.

use super::{CALL_DEADLINE, ClusterToken};
use fairshot_telemetry::traces::{TRACEPARENT, traceparent_of};
use std::future::Future;
use tokio::time::timeout;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::{Request, Response, Status};
use tracing::Span;

/// Puts the cluster's token on every call, and the trace it is part of.
#[derive(Clone)]
pub struct TokenCarrier(MetadataValue<Ascii>);

impl TokenCarrier {
    pub(super) fn new(token: &ClusterToken) -> Result<Self, String> {
        let mut value = MetadataValue::try_from(format!("Bearer {}", token.0))
            .map_err(|error| error.to_string())?;
        value.set_sensitive(true);
        Ok(Self(value))
    }
}

impl Interceptor for TokenCarrier {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        request.metadata_mut().insert("authorization", self.0.clone());
        let traceparent = traceparent_of(&Span::current()).and_then(|text| text.parse().ok());
        if let Some(traceparent) = traceparent {
            request.metadata_mut().insert(TRACEPARENT, traceparent);
        }
        Ok(request)
    }
}

pub(super) async fn within<T>(
    call: impl Future<Output = Result<Response<T>, Status>>,
) -> Result<T, Status> {
    match timeout(CALL_DEADLINE, call).await {
        Ok(answer) => answer.map(Response::into_inner),
        Err(_) => Err(Status::unavailable("no answer in time")),
    }
}
