//! How a player's session ended.

use fairshot_client_core::ClientError;
use fairshot_transport::CloseReason;
use fairshot_wire::CloseCode;
use std::sync::Arc;

/// Why a session is over.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Ended {
    #[error("left")]
    Left,
    /// The server ended it, and says why.
    #[error("the server closed the session: {} ({reason})", code.label())]
    Closed { code: CloseCode, reason: Arc<str> },
    /// The line broke, or the server could not be reached.
    #[error("the connection was lost")]
    Lost(#[source] CloseReason),
    /// What the server sent could not be used.
    #[error("the session broke")]
    Broken(#[source] ClientError),
}

impl Ended {
    /// A short stable name, fit for a metric's label.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Closed { code, .. } => code.label(),
            Self::Lost(reason) => reason.label(),
            Self::Broken(error) => error.label(),
        }
    }

    /// Whether the seat may still be there: the rejoin ticket is worth a try.
    #[must_use]
    pub fn may_rejoin(&self) -> bool {
        match self {
            Self::Left => false,
            Self::Closed { code, .. } => code.may_rejoin(),
            Self::Lost(reason) => !matches!(reason, CloseReason::Certificate),
            Self::Broken(_) => true,
        }
    }

    pub(crate) fn from_close(reason: CloseReason) -> Self {
        match reason {
            CloseReason::Peer { code, reason } => match CloseCode::from_code(code) {
                Some(code) => {
                    let reason = String::from_utf8_lossy(&reason);
                    Self::Closed { code, reason: Arc::from(reason.as_ref()) }
                }
                None => Self::Lost(CloseReason::Peer { code, reason }),
            },
            other => Self::Lost(other),
        }
    }
}
