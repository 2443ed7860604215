//! The methods, each a line: what it reads, or what change it makes.

mod people;
mod reads;
mod rooms;
mod rules;
mod streams;
mod weapons;

use crate::access::{Caller, Role};
use crate::changes::{Change, Changes, require};
use fairshot_cluster::control::{ControlError, NodeSet};
use fairshot_proto::v1::{self, admin_server::Admin};
use fairshot_units::{PlayerId, RoomId};
use std::sync::Arc;
use streams::Streamed;
use tokio::sync::{Semaphore, watch};
use tonic::{Request, Response, Status};

/// The service over a set of nodes.
pub(crate) struct AdminService {
    nodes: Arc<dyn NodeSet>,
    changes: Changes,
    streams: Arc<Semaphore>,
    stopped: watch::Receiver<bool>,
}

type Answer<T> = Result<Response<T>, Status>;

impl AdminService {
    pub(crate) fn new(
        nodes: Arc<dyn NodeSet>,
        changes: Changes,
        streams_max: usize,
        stopped: watch::Receiver<bool>,
    ) -> Self {
        Self { nodes, changes, streams: Arc::new(Semaphore::new(streams_max)), stopped }
    }
}

/// The caller that the guard let in, and the message.
fn open<T>(request: Request<T>, role: Role) -> Result<(Caller, T), Status> {
    let caller = caller(&request)?;
    require(&caller, role)?;
    Ok((caller, request.into_inner()))
}

/// As [`open`], for a change: its role is checked where the denial is written down.
fn caller<T>(request: &Request<T>) -> Result<Caller, Status> {
    let caller = request.extensions().get::<Caller>().cloned();
    caller.ok_or_else(|| Status::unauthenticated("nobody let this call in"))
}

fn change(
    caller: Caller,
    method: &'static str,
    role: Role,
    request: serde_json::Value,
    dry_run: bool,
    request_id: String,
) -> Change {
    Change { caller, method, role, request, dry_run, request_id }
}

fn player_id(text: &str) -> Result<PlayerId, ControlError> {
    PlayerId::new(text).map_err(|error| ControlError::invalid("player", error))
}

fn room_id(text: &str) -> Result<RoomId, ControlError> {
    RoomId::new(text).map_err(|error| ControlError::invalid("room", error))
}

const REASON_BYTES_MAX: usize = 200;

fn reason(text: &str) -> Result<(), ControlError> {
    if text.len() > REASON_BYTES_MAX {
        return Err(ControlError::invalid(
            "reason",
            format!("at most {REASON_BYTES_MAX} bytes, this one has {}", text.len()),
        ));
    }
    match text.chars().find(|c| c.is_control()) {
        Some(odd) => Err(ControlError::invalid("reason", format!("it holds {odd:?}"))),
        None => Ok(()),
    }
}

#[tonic::async_trait]
impl Admin for AdminService {
    async fn list_nodes(
        &self,
        request: Request<v1::ListNodesRequest>,
    ) -> Answer<v1::ListNodesResponse> {
        open(request, Role::Viewer)?;
        Ok(Response::new(self.nodes_read().await?))
    }

    async fn list_rooms(
        &self,
        request: Request<v1::ListRoomsRequest>,
    ) -> Answer<v1::ListRoomsResponse> {
        let (_, request) = open(request, Role::Viewer)?;
        Ok(Response::new(self.rooms_read(&request).await?))
    }

    async fn list_players(
        &self,
        request: Request<v1::ListPlayersRequest>,
    ) -> Answer<v1::ListPlayersResponse> {
        let (_, request) = open(request, Role::Viewer)?;
        Ok(Response::new(self.players_read(&request).await?))
    }

    async fn list_weapons(
        &self,
        request: Request<v1::ListWeaponsRequest>,
    ) -> Answer<v1::ListWeaponsResponse> {
        let (_, request) = open(request, Role::Viewer)?;
        Ok(Response::new(self.weapons_read(&request.mode).await?))
    }

    async fn get_inventory(
        &self,
        request: Request<v1::GetInventoryRequest>,
    ) -> Answer<v1::GetInventoryResponse> {
        let (_, request) = open(request, Role::Viewer)?;
        Ok(Response::new(self.inventory_read(&request.player).await?))
    }

    async fn give_weapon(
        &self,
        request: Request<v1::GiveWeaponRequest>,
    ) -> Answer<v1::GiveWeaponResponse> {
        self.give(caller(&request)?, request.into_inner()).await
    }

    async fn take_weapon(
        &self,
        request: Request<v1::TakeWeaponRequest>,
    ) -> Answer<v1::TakeWeaponResponse> {
        self.take(caller(&request)?, request.into_inner()).await
    }

    async fn set_ammo(&self, request: Request<v1::SetAmmoRequest>) -> Answer<v1::SetAmmoResponse> {
        self.ammo(caller(&request)?, request.into_inner()).await
    }

    async fn clear_weapons(
        &self,
        request: Request<v1::ClearWeaponsRequest>,
    ) -> Answer<v1::ClearWeaponsResponse> {
        self.clear(caller(&request)?, request.into_inner()).await
    }

    async fn set_armed(
        &self,
        request: Request<v1::SetArmedRequest>,
    ) -> Answer<v1::SetArmedResponse> {
        self.arm(caller(&request)?, request.into_inner()).await
    }

    async fn kick(&self, request: Request<v1::KickRequest>) -> Answer<v1::KickResponse> {
        self.kick_player(caller(&request)?, request.into_inner()).await
    }

    async fn ban(&self, request: Request<v1::BanRequest>) -> Answer<v1::BanResponse> {
        self.ban_subject(caller(&request)?, request.into_inner()).await
    }

    async fn unban(&self, request: Request<v1::UnbanRequest>) -> Answer<v1::UnbanResponse> {
        self.unban_subject(caller(&request)?, request.into_inner()).await
    }

    async fn list_bans(
        &self,
        request: Request<v1::ListBansRequest>,
    ) -> Answer<v1::ListBansResponse> {
        let (_, request) = open(request, Role::Viewer)?;
        Ok(Response::new(self.bans_read(&request).await?))
    }

    async fn create_room(
        &self,
        request: Request<v1::CreateRoomRequest>,
    ) -> Answer<v1::CreateRoomResponse> {
        self.room_create(caller(&request)?, request.into_inner()).await
    }

    async fn close_room(
        &self,
        request: Request<v1::CloseRoomRequest>,
    ) -> Answer<v1::CloseRoomResponse> {
        self.room_close(caller(&request)?, request.into_inner()).await
    }

    async fn drain_node(
        &self,
        request: Request<v1::DrainNodeRequest>,
    ) -> Answer<v1::DrainNodeResponse> {
        self.node_drain(caller(&request)?, request.into_inner()).await
    }

    type StreamHeartbeatsStream = Streamed<v1::StreamHeartbeatsResponse>;

    async fn stream_heartbeats(
        &self,
        request: Request<v1::StreamHeartbeatsRequest>,
    ) -> Answer<Self::StreamHeartbeatsStream> {
        let (_, request) = open(request, Role::Viewer)?;
        Ok(Response::new(self.heartbeats_stream(request).await?))
    }

    type StreamRefusalsStream = Streamed<v1::StreamRefusalsResponse>;

    async fn stream_refusals(
        &self,
        request: Request<v1::StreamRefusalsRequest>,
    ) -> Answer<Self::StreamRefusalsStream> {
        let (_, request) = open(request, Role::Viewer)?;
        Ok(Response::new(self.refusals_stream(request).await?))
    }

    async fn list_shots(
        &self,
        request: Request<v1::ListShotsRequest>,
    ) -> Answer<v1::ListShotsResponse> {
        let (_, request) = open(request, Role::Viewer)?;
        Ok(Response::new(self.shots_read(&request).await?))
    }

    async fn explain_shot(
        &self,
        request: Request<v1::ExplainShotRequest>,
    ) -> Answer<v1::ExplainShotResponse> {
        let (_, request) = open(request, Role::Viewer)?;
        Ok(Response::new(self.shot_read(&request).await?))
    }

    async fn list_rules(
        &self,
        request: Request<v1::ListRulesRequest>,
    ) -> Answer<v1::ListRulesResponse> {
        let (_, request) = open(request, Role::Viewer)?;
        Ok(Response::new(self.rules_read(&request.mode).await?))
    }

    async fn set_rule(&self, request: Request<v1::SetRuleRequest>) -> Answer<v1::SetRuleResponse> {
        self.rule_set(caller(&request)?, request.into_inner()).await
    }

    async fn list_audit(
        &self,
        request: Request<v1::ListAuditRequest>,
    ) -> Answer<v1::ListAuditResponse> {
        let (_, request) = open(request, Role::Admin)?;
        Ok(Response::new(self.audit_read(&request)?))
    }
}
