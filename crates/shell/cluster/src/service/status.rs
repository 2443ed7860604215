//! gRPC statuses that say whether and when asking again may help.

use crate::auth::AuthError;
use crate::matchmaking::MatchmakingError;
use std::time::Duration;
use tonic::metadata::MetadataValue;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

pub(super) fn status_of(error: &MatchmakingError) -> Status {
    with_retry(error.code(), &error.to_string(), error.retry_after())
}

pub(super) fn unauthenticated(error: &AuthError) -> Status {
    Status::unauthenticated(error.to_string())
}

pub(super) fn too_often(wait: Duration) -> Status {
    let words = "this address asks too often";
    with_retry(Code::ResourceExhausted, words, Some(wait.max(Duration::from_millis(50))))
}

pub(super) fn busy() -> Status {
    let words = "the matchmaker has all the calls it works on at once";
    with_retry(Code::ResourceExhausted, words, Some(Duration::from_millis(500)))
}

fn with_retry(code: Code, words: &str, after: Option<Duration>) -> Status {
    let Some(after) = after else { return Status::new(code, words) };
    let details = ErrorDetails::with_retry_info(Some(after));
    let mut status = Status::with_error_details(code, words, details);
    // What gRPC libraries heed by themselves.
    status
        .metadata_mut()
        .insert("grpc-retry-pushback-ms", MetadataValue::from(after.as_millis() as u64));
    status
}
