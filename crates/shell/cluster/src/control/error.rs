//! Why a control call failed, in words that map one to one to gRPC status codes.

use tonic::{Code, Status};

/// Why a control call failed. Nothing changed, unless the variant says otherwise.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ControlError {
    /// `what` is the kind of thing (`player`, `room`, `mode`, `node`, `shot`, `ban`).
    #[error("no {what} `{name}`")]
    NotFound { what: &'static str, name: String },
    #[error("{field}: {reason}")]
    InvalidArgument { field: &'static str, reason: String },
    #[error("{0}")]
    FailedPrecondition(String),
    #[error("{what} `{name}` exists already")]
    AlreadyExists { what: &'static str, name: String },
    /// A bounded queue or a capacity is full; trying later may help.
    #[error("{0}")]
    ResourceExhausted(String),
    /// The node, shard or directory does not answer; trying again may help. A mutating call may have
    /// been done.
    #[error("{0}")]
    Unavailable(String),
    /// Another node took over what this one owned (its fencing epoch is old).
    #[error("{0}")]
    Aborted(String),
    #[error("not offered here: {0}")]
    Unimplemented(String),
    #[error("internal: {0}")]
    Internal(String),
}

impl ControlError {
    #[must_use]
    pub fn not_found(what: &'static str, name: impl ToString) -> Self {
        Self::NotFound { what, name: name.to_string() }
    }

    #[must_use]
    pub fn invalid(field: &'static str, reason: impl ToString) -> Self {
        Self::InvalidArgument { field, reason: reason.to_string() }
    }

    /// Short and stable: a log's and a metric's word for it.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "not_found",
            Self::InvalidArgument { .. } => "invalid_argument",
            Self::FailedPrecondition(_) => "failed_precondition",
            Self::AlreadyExists { .. } => "already_exists",
            Self::ResourceExhausted(_) => "resource_exhausted",
            Self::Unavailable(_) => "unavailable",
            Self::Aborted(_) => "aborted",
            Self::Unimplemented(_) => "unimplemented",
            Self::Internal(_) => "internal",
        }
    }

    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::NotFound { .. } => Code::NotFound,
            Self::InvalidArgument { .. } => Code::InvalidArgument,
            Self::FailedPrecondition(_) => Code::FailedPrecondition,
            Self::AlreadyExists { .. } => Code::AlreadyExists,
            Self::ResourceExhausted(_) => Code::ResourceExhausted,
            Self::Unavailable(_) => Code::Unavailable,
            Self::Aborted(_) => Code::Aborted,
            Self::Unimplemented(_) => Code::Unimplemented,
            Self::Internal(_) => Code::Internal,
        }
    }
}

impl From<ControlError> for Status {
    fn from(error: ControlError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

/// A status that came back from another node. `NotFound` keeps its words: the kind is read from
/// them, so that a search over nodes goes on where one of them lacks the player.
impl From<Status> for ControlError {
    fn from(status: Status) -> Self {
        let words = status.message().to_owned();
        match status.code() {
            Code::NotFound => not_found_from(words),
            Code::InvalidArgument | Code::OutOfRange => invalid_from(words),
            Code::FailedPrecondition => Self::FailedPrecondition(words),
            Code::AlreadyExists => Self::AlreadyExists { what: "name", name: words },
            Code::ResourceExhausted => Self::ResourceExhausted(words),
            Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled => {
                Self::Unavailable(words)
            }
            Code::Aborted => Self::Aborted(words),
            Code::Unimplemented => Self::Unimplemented(words),
            Code::Ok
            | Code::Unknown
            | Code::PermissionDenied
            | Code::Internal
            | Code::DataLoss
            | Code::Unauthenticated => Self::Internal(words),
        }
    }
}

const KINDS: [&str; 7] = ["player", "room", "mode", "node", "shot", "ban", "weapon"];

fn not_found_from(words: String) -> ControlError {
    let parsed = KINDS.into_iter().find_map(|what| {
        let name = words.strip_prefix("no ")?.strip_prefix(what)?.strip_prefix(" `")?;
        Some((what, name.strip_suffix('`')?.to_owned()))
    });
    match parsed {
        Some((what, name)) => ControlError::NotFound { what, name },
        None => ControlError::NotFound { what: "name", name: words },
    }
}

const FIELDS: [&str; 8] = ["weapon", "rounds", "total", "clip", "mode", "room", "value", "player"];

fn invalid_from(words: String) -> ControlError {
    let parsed = FIELDS
        .into_iter()
        .find_map(|field| Some((field, words.strip_prefix(field)?.strip_prefix(": ")?.to_owned())));
    match parsed {
        Some((field, reason)) => ControlError::InvalidArgument { field, reason },
        None => ControlError::InvalidArgument { field: "request", reason: words },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_survives_the_way_over_grpc() {
        for error in [
            ControlError::not_found("player", "alice"),
            ControlError::invalid("clip", "over the total"),
            ControlError::FailedPrecondition("not owned".into()),
            ControlError::ResourceExhausted("queue full".into()),
            ControlError::Unavailable("no answer".into()),
            ControlError::Aborted("epoch 3 is old".into()),
        ] {
            assert_eq!(ControlError::from(Status::from(error.clone())), error);
        }
    }
}
