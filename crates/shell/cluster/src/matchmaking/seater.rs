//! Matchmaking as its gRPC service needs it, so that an actor may stand in front of the value.

use super::{CreateRequest, JoinRequest, Joined, Matchmaking, MatchmakingError, RoomPage};
use async_trait::async_trait;
use fairshot_matchmaking::RoomFilter;
use fairshot_units::{PlayerId, RoomId};

/// Seats players: [`Matchmaking`] itself, or whoever it was given to.
#[async_trait]
pub trait Seater: Send + Sync {
    /// See [`Matchmaking::join`].
    async fn join(&self, request: JoinRequest) -> Result<Joined, MatchmakingError>;

    /// See [`Matchmaking::create`].
    async fn create(&self, request: CreateRequest) -> Result<Joined, MatchmakingError>;

    /// See [`Matchmaking::release`].
    async fn release(&self, room: RoomId, ticket: Vec<u8>) -> Result<bool, MatchmakingError>;

    /// See [`Matchmaking::list`].
    fn list(&self, filter: &RoomFilter, after: Option<&RoomId>, page_size: usize) -> RoomPage;

    /// See [`Matchmaking::mint_player`].
    ///
    /// # Errors
    /// Where the system has no random bytes.
    fn mint_player(&self) -> Result<PlayerId, MatchmakingError>;
}

#[async_trait]
impl Seater for Matchmaking {
    async fn join(&self, request: JoinRequest) -> Result<Joined, MatchmakingError> {
        Self::join(self, &request).await
    }

    async fn create(&self, request: CreateRequest) -> Result<Joined, MatchmakingError> {
        Self::create(self, &request).await
    }

    async fn release(&self, room: RoomId, ticket: Vec<u8>) -> Result<bool, MatchmakingError> {
        Self::release(self, &room, &ticket).await
    }

    fn list(&self, filter: &RoomFilter, after: Option<&RoomId>, page_size: usize) -> RoomPage {
        Self::list(self, filter, after, page_size)
    }

    fn mint_player(&self) -> Result<PlayerId, MatchmakingError> {
        Self::mint_player(self)
    }
}
