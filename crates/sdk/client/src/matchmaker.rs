//! Asking a matchmaker for seats, over gRPC.

use crate::{Seat, SeatError};
use fairshot_proto::v1::matchmaking_client::MatchmakingClient;
use fairshot_proto::v1::{CreateRequest, JoinRequest, JoinResponse};
use std::time::Duration;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};

/// What to ask for.
#[derive(Clone, Debug)]
pub enum Wish {
    /// Seats in a room that fits, or in a new one.
    Join(JoinRequest),
    /// Seats in a new room.
    Create(CreateRequest),
}

/// A connection to a matchmaker.
#[derive(Clone, Debug)]
pub struct Matchmaker {
    service: MatchmakingClient<Channel>,
    token: Option<MetadataValue<Ascii>>,
    traceparent: Option<MetadataValue<Ascii>>,
}

/// Why there is no seat.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    #[error("`{0}` is no address of a matchmaker")]
    Address(String),
    #[error("the token holds characters that no header may")]
    Token,
    #[error("the matchmaker cannot be reached")]
    Unreachable(#[source] tonic::transport::Error),
    /// The status says why; see [`JoinError::may_retry`].
    #[error("the matchmaker refused: {}", .0.message())]
    Refused(#[source] Box<Status>),
    #[error("the matchmaker's answer cannot be used")]
    Answer(#[from] SeatError),
}

impl JoinError {
    /// Whether asking the same again later may help.
    #[must_use]
    pub fn may_retry(&self) -> bool {
        match self {
            Self::Unreachable(_) => true,
            Self::Refused(status) => matches!(
                status.code(),
                Code::Unavailable | Code::ResourceExhausted | Code::DeadlineExceeded
            ),
            Self::Address(_) | Self::Token | Self::Answer(_) => false,
        }
    }
}

impl Matchmaker {
    /// Connects to `http://host:port`, or `https://` where it has TLS. `token` is the bearer token of
    /// a player or a studio's backend; `None` where matchmakers run open.
    ///
    /// # Errors
    /// [`JoinError`]: the address, the token, or nobody there.
    pub async fn connect(address: &str, token: Option<&str>) -> Result<Self, JoinError> {
        let endpoint = Endpoint::from_shared(address.to_owned())
            .map_err(|_| JoinError::Address(address.to_owned()))?
            .connect_timeout(Duration::from_secs(5))
            .timeout(Duration::from_secs(10))
            .tcp_nodelay(true);
        let token = token
            .map(|token| format!("Bearer {token}").parse())
            .transpose()
            .map_err(|_| JoinError::Token)?;
        let channel = endpoint.connect().await.map_err(JoinError::Unreachable)?;
        Ok(Self { service: MatchmakingClient::new(channel), token, traceparent: None })
    }

    /// Asks as a part of this trace, a W3C `traceparent`; what is none is left out.
    #[must_use]
    pub fn within(mut self, traceparent: &str) -> Self {
        self.traceparent = traceparent.parse().ok();
        self
    }

    /// One seat in a room of that mode.
    ///
    /// # Errors
    /// [`JoinError`].
    pub async fn join(&mut self, mode: &str) -> Result<Seat, JoinError> {
        let wish = JoinRequest { mode: mode.to_owned(), ..JoinRequest::default() };
        let seats = self.ask(Wish::Join(wish)).await?;
        seats.into_iter().next().ok_or(JoinError::Answer(SeatError::None))
    }

    /// A seat for every member of the wish, all in one room.
    ///
    /// # Errors
    /// [`JoinError`].
    pub async fn ask(&mut self, wish: Wish) -> Result<Vec<Seat>, JoinError> {
        let answer = match wish {
            Wish::Join(wish) => {
                let request = self.request(wish);
                self.service.join(request).await
            }
            Wish::Create(wish) => {
                let request = self.request(wish);
                self.service.create(request).await
            }
        };
        let answer: JoinResponse =
            answer.map_err(|status| JoinError::Refused(Box::new(status)))?.into_inner();
        // Looking a name up may block, so not on the runtime's own thread.
        let seats = tokio::task::spawn_blocking(move || Seat::all_of(answer)).await;
        Ok(seats.unwrap_or(Err(SeatError::None))?)
    }

    fn request<T>(&self, wish: T) -> Request<T> {
        let mut request = Request::new(wish);
        let headers = [("authorization", &self.token), ("traceparent", &self.traceparent)];
        for (name, value) in headers {
            if let Some(value) = value {
                request.metadata_mut().insert(name, value.clone());
            }
        }
        request
    }
}
