//! Why a command failed, in one line, and the exit code it ends with.

use std::io;
use tonic::{Code, Status};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{}", refusal(.0))]
    Server(Box<Status>),
    #[error("{address} is not reached: {reason}")]
    Unreached { address: String, reason: String },
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Local(String),
    #[error("output: {0}")]
    Write(#[from] io::Error),
}

impl Failure {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Server(status) => match status.code() {
                Code::Unauthenticated | Code::PermissionDenied => 4,
                // Cancelled is what the library calls an answer that did not come in time.
                Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled => 3,
                _ => 1,
            },
            Self::Unreached { .. } => 3,
            Self::Usage(_) => 2,
            Self::Local(_) | Self::Write(_) => 1,
        }
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Self::Server(Box::new(status))
    }
}

fn refusal(status: &Status) -> String {
    if status.code() == Code::Cancelled {
        return "no answer in time (--timeout TIME)".to_owned();
    }
    let words = match status.message() {
        "" => format!("{:?}", status.code()),
        words => words.to_owned(),
    };
    let help = match status.code() {
        Code::Unauthenticated => " (--token-file FILE, or a context that names one)",
        Code::Unimplemented => " (the server is older than this command)",
        _ => "",
    };
    format!("{words}{help}")
}
