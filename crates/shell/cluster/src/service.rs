//! The players' matchmaking over gRPC: who asks, how often she may, what she is told.

mod convert;
mod limit;
mod status;

pub use limit::{JoinLimit, JoinLimiter};

use crate::auth::{Caller, PlayerAuth};
use crate::matchmaking::{Joined, MatchmakingError, Seater};
use convert::{create_request, join_request, join_response, list_filter, list_response};
use fairshot_proto::v1;
use fairshot_proto::v1::matchmaking_server::MatchmakingServer;
use fairshot_telemetry::traces::{TRACEPARENT, continue_from, traceparent_of};
use fairshot_units::{PlayerId, RoomId};
use status::{busy, status_of, too_often, unauthenticated};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tonic::{Request, Response, Status};
use tracing::{Instrument, Span};

/// Bounds of the service.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServiceSettings {
    /// Calls worked on at once; beyond that callers are told to come back.
    pub calls_max: usize,
    /// A call that takes longer ends as `UNAVAILABLE`.
    pub deadline: Duration,
    /// Calls of one address.
    pub limit: JoinLimit,
}

impl Default for ServiceSettings {
    fn default() -> Self {
        Self { calls_max: 512, deadline: Duration::from_secs(5), limit: JoinLimit::default() }
    }
}

/// Told of each call's end, for metrics: the call's name, its outcome's label, how long it took.
pub trait CallWatch: Send + Sync + 'static {
    fn ended(&self, call: &'static str, outcome: &'static str, took: Duration);
}

/// Nobody watches.
#[derive(Clone, Copy, Debug)]
pub struct NoWatch;

impl CallWatch for NoWatch {
    fn ended(&self, _call: &'static str, _outcome: &'static str, _took: Duration) {}
}

/// The gRPC service.
pub struct MatchmakingService {
    matchmaking: Arc<dyn Seater>,
    auth: PlayerAuth,
    calls: Semaphore,
    limiter: JoinLimiter,
    settings: ServiceSettings,
    watch: Box<dyn CallWatch>,
}

impl std::fmt::Debug for MatchmakingService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatchmakingService")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// No request is larger: ids, labels and a ticket.
const REQUEST_BYTES_MAX: usize = 64 * 1024;

impl MatchmakingService {
    #[must_use]
    pub fn new(
        matchmaking: Arc<dyn Seater>,
        auth: PlayerAuth,
        settings: ServiceSettings,
        watch: impl CallWatch,
    ) -> Self {
        Self {
            matchmaking,
            auth,
            calls: Semaphore::new(settings.calls_max),
            limiter: JoinLimiter::new(settings.limit),
            settings,
            watch: Box::new(watch),
        }
    }

    /// Ready to be added to a tonic server.
    #[must_use]
    pub fn into_server(self) -> MatchmakingServer<Self> {
        MatchmakingServer::new(self).max_decoding_message_size(REQUEST_BYTES_MAX)
    }

    /// Lets a call in, or says why not; then sees that it ends in time and is counted. It is one span,
    /// the child of its caller's where she sent a `traceparent`.
    async fn call<T, R>(
        &self,
        name: &'static str,
        request: Request<T>,
        work: impl AsyncFnOnce(Caller, Option<IpAddr>, T) -> Result<R, MatchmakingError>,
    ) -> Result<Response<R>, Status> {
        let began = tokio::time::Instant::now();
        let span = tracing::info_span!("matchmaking", call = name);
        let parent = request.metadata().get(TRACEPARENT).and_then(|value| value.to_str().ok());
        if let Some(parent) = parent {
            continue_from(&span, parent);
        }
        let address = request.remote_addr().map(|address| address.ip().to_canonical());
        let authorization =
            request.metadata().get("authorization").and_then(|value| value.to_str().ok());
        let (outcome, result) = match self.auth.caller(authorization) {
            Err(error) => ("unauthenticated", Err(unauthenticated(&error))),
            Ok(caller) => {
                let admitted = self.admitted(caller, address, request.into_inner(), work);
                admitted.instrument(span).await
            }
        };
        self.watch.ended(name, outcome, began.elapsed());
        result.map(Response::new)
    }

    async fn admitted<T, R>(
        &self,
        caller: Caller,
        address: Option<IpAddr>,
        request: T,
        work: impl AsyncFnOnce(Caller, Option<IpAddr>, T) -> Result<R, MatchmakingError>,
    ) -> (&'static str, Result<R, Status>) {
        if let Some(address) = address
            && let Err(wait) = self.limiter.take(address)
        {
            return ("too_often", Err(too_often(wait)));
        }
        let Ok(_permit) = self.calls.try_acquire() else {
            return ("busy", Err(busy()));
        };
        match timeout(self.settings.deadline, work(caller, address, request)).await {
            Ok(Ok(answer)) => ("ok", Ok(answer)),
            Ok(Err(error)) => (error.label(), Err(status_of(&error))),
            Err(_) => {
                let error = MatchmakingError::Unavailable("it took too long".into());
                ("deadline", Err(status_of(&error)))
            }
        }
    }

    /// Who is to be seated: the caller, the party she speaks for, or newly minted ids.
    fn members(
        &self,
        caller: Caller,
        party: &[String],
        party_size: u32,
    ) -> Result<Vec<PlayerId>, MatchmakingError> {
        match caller {
            Caller::Backend(_) => {
                let ids = party.iter().map(|id| PlayerId::new(id));
                ids.collect::<Result<_, _>>()
                    .map_err(|error| MatchmakingError::invalid("party", error))
            }
            _ if !party.is_empty() => Err(MatchmakingError::invalid(
                "party",
                "only a backend's token names players; without tokens use party_size",
            )),
            Caller::Player(player) if party_size <= 1 => Ok(vec![player]),
            Caller::Player(_) => {
                Err(MatchmakingError::invalid("party_size", "a player's token seats her alone"))
            }
            Caller::Anyone => {
                // A number of thousands is refused by the party's bound; mint none of them.
                let size = party_size.clamp(1, 65);
                (0..size).map(|_| self.matchmaking.mint_player()).collect()
            }
        }
    }
}

#[tonic::async_trait]
impl v1::matchmaking_server::Matchmaking for MatchmakingService {
    async fn join(
        &self,
        request: Request<v1::JoinRequest>,
    ) -> Result<Response<v1::JoinResponse>, Status> {
        let work = async |caller, address, request: v1::JoinRequest| {
            let members = self.members(caller, &request.party, request.party_size)?;
            let request = join_request(request, members, address)?;
            self.matchmaking.join(request).await.map(seated)
        };
        self.call("join", request, work).await
    }

    async fn create(
        &self,
        request: Request<v1::CreateRequest>,
    ) -> Result<Response<v1::JoinResponse>, Status> {
        let work = async |caller, address, request: v1::CreateRequest| {
            let members = self.members(caller, &request.party, request.party_size)?;
            let request = create_request(request, members, address)?;
            self.matchmaking.create(request).await.map(seated)
        };
        self.call("create", request, work).await
    }

    async fn list(
        &self,
        request: Request<v1::ListRequest>,
    ) -> Result<Response<v1::ListResponse>, Status> {
        let work = async |_, _, request: v1::ListRequest| {
            let (filter, after, page_size) = list_filter(request)?;
            Ok(list_response(&self.matchmaking.list(&filter, after.as_ref(), page_size)))
        };
        self.call("list", request, work).await
    }

    async fn release(
        &self,
        request: Request<v1::ReleaseRequest>,
    ) -> Result<Response<v1::ReleaseResponse>, Status> {
        let work = async |_, _, request: v1::ReleaseRequest| {
            let room = RoomId::new(&request.room_id)
                .map_err(|error| MatchmakingError::invalid("room_id", error))?;
            let released = self.matchmaking.release(room, request.ticket).await?;
            Ok(v1::ReleaseResponse { released })
        };
        self.call("release", request, work).await
    }
}

fn seated(joined: Joined) -> v1::JoinResponse {
    tracing::debug!(room = %joined.room, node = %joined.node, seats = joined.seats.len(), "seated");
    let traceparent = traceparent_of(&Span::current()).unwrap_or_default();
    v1::JoinResponse { traceparent, ..join_response(joined) }
}
