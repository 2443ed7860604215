//! The matchmaker as an actor: joins reach it by message, and it asks nodes for rooms and seats.
//!
//! It answers many at once: each ask is a future of its own over the shared value, so one slow node holds
//! nobody else up. An ask brings the span it is part of, for the calls it makes.

use actix::{Actor, Addr, Context, Handler, Message, ResponseFuture};
use async_trait::async_trait;
use fairshot_cluster::matchmaking::{
    CreateRequest, JoinRequest, Joined, Matchmaking, MatchmakingError, RoomPage, Seater,
};
use fairshot_matchmaking::RoomFilter;
use fairshot_units::{PlayerId, RoomId};
use std::sync::Arc;
use tracing::{Instrument, Span};

/// Asks that wait for the actor to begin with them; one more is told to come back.
const MAILBOX: usize = 1024;

/// One per matchmaking process.
#[derive(Debug)]
pub struct MatchmakerActor {
    matchmaking: Arc<Matchmaking>,
}

impl Actor for MatchmakerActor {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        context.set_mailbox_capacity(MAILBOX);
    }
}

/// The actor's address, as the gRPC service holds it.
#[derive(Clone, Debug)]
pub struct Matchmaker {
    actor: Addr<MatchmakerActor>,
    matchmaking: Arc<Matchmaking>,
}

impl Matchmaker {
    /// Starts the actor on this thread's arbiter.
    #[must_use]
    pub fn start(matchmaking: Arc<Matchmaking>) -> Self {
        let actor = MatchmakerActor { matchmaking: matchmaking.clone() }.start();
        Self { actor, matchmaking }
    }

    async fn ask<M, T>(&self, message: M) -> Result<T, MatchmakingError>
    where
        M: Message<Result = Result<T, MatchmakingError>> + Send + 'static,
        T: Send + 'static,
        MatchmakerActor: Handler<M>,
    {
        match self.actor.send(message).await {
            Ok(answer) => answer,
            Err(error) => Err(MatchmakingError::Unavailable(error.to_string())),
        }
    }
}

#[derive(Debug, Message)]
#[rtype(result = "Result<Joined, MatchmakingError>")]
struct Join(JoinRequest, Span);

#[derive(Debug, Message)]
#[rtype(result = "Result<Joined, MatchmakingError>")]
struct Create(CreateRequest, Span);

#[derive(Debug, Message)]
#[rtype(result = "Result<bool, MatchmakingError>")]
struct Release {
    room: RoomId,
    ticket: Vec<u8>,
}

impl Handler<Join> for MatchmakerActor {
    type Result = ResponseFuture<Result<Joined, MatchmakingError>>;

    fn handle(&mut self, join: Join, _: &mut Self::Context) -> Self::Result {
        let matchmaking = self.matchmaking.clone();
        let Join(request, span) = join;
        Box::pin(async move { matchmaking.join(&request).await }.instrument(span))
    }
}

impl Handler<Create> for MatchmakerActor {
    type Result = ResponseFuture<Result<Joined, MatchmakingError>>;

    fn handle(&mut self, create: Create, _: &mut Self::Context) -> Self::Result {
        let matchmaking = self.matchmaking.clone();
        let Create(request, span) = create;
        Box::pin(async move { matchmaking.create(&request).await }.instrument(span))
    }
}

impl Handler<Release> for MatchmakerActor {
    type Result = ResponseFuture<Result<bool, MatchmakingError>>;

    fn handle(&mut self, release: Release, _: &mut Self::Context) -> Self::Result {
        let matchmaking = self.matchmaking.clone();
        Box::pin(async move { matchmaking.release(&release.room, &release.ticket).await })
    }
}

#[async_trait]
impl Seater for Matchmaker {
    async fn join(&self, request: JoinRequest) -> Result<Joined, MatchmakingError> {
        self.ask(Join(request, Span::current())).await
    }

    async fn create(&self, request: CreateRequest) -> Result<Joined, MatchmakingError> {
        self.ask(Create(request, Span::current())).await
    }

    async fn release(&self, room: RoomId, ticket: Vec<u8>) -> Result<bool, MatchmakingError> {
        self.ask(Release { room, ticket }).await
    }

    // Reading the view needs nobody's turn.
    fn list(&self, filter: &RoomFilter, after: Option<&RoomId>, page_size: usize) -> RoomPage {
        self.matchmaking.list(filter, after, page_size)
    }

    fn mint_player(&self) -> Result<PlayerId, MatchmakingError> {
        self.matchmaking.mint_player()
    }
}
