//! A node's answers to the other processes of its cluster.

use super::ClusterToken;
use super::feed::{Outgoing, outgoing};
use super::host::{bad, host_status, members, promised_message, room, spec};
use crate::control::{
    BanSubject, CloseRoom, ControlError, CreateRoom, Drain, Kick, NodeControl, RuleKey,
};
use crate::host::RoomHost;
use fairshot_proto::v1;
use fairshot_proto::v1::node_command_weapon_request::Command;
use fairshot_proto::v1::node_server::NodeServer;
use fairshot_telemetry::traces::{TRACEPARENT, continue_from};
use fairshot_units::{MessageNumber, PlayerId, WeaponCommand, WeaponId};
use std::fmt;
use std::sync::Arc;
use tonic::service::interceptor::InterceptedService;
use tonic::{Request, Response, Status};
use tracing::{Instrument, Span};

/// Answers for one node.
#[derive(Clone)]
pub struct NodeService {
    host: Arc<dyn RoomHost>,
    control: Arc<dyn NodeControl>,
}

impl fmt::Debug for NodeService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NodeService").field("node", self.control.name()).finish_non_exhaustive()
    }
}

/// Requests are ids, labels, tickets and a ban.
const REQUEST_BYTES_MAX: usize = 64 * 1024;

type Answer<T> = Result<Response<T>, Status>;

impl NodeService {
    #[must_use]
    pub fn new(host: Arc<dyn RoomHost>, control: Arc<dyn NodeControl>) -> Self {
        Self { host, control }
    }

    /// Ready to be added to a tonic server; answers none but those who bring the token.
    pub fn into_server(
        self,
        token: &ClusterToken,
    ) -> InterceptedService<NodeServer<Self>, impl tonic::service::Interceptor + Clone + use<>>
    {
        let expected = format!("Bearer {}", token.0);
        let check = move |request: Request<()>| {
            let given = request.metadata().get("authorization").map(|value| value.as_bytes());
            match given {
                Some(given) if same(given, expected.as_bytes()) => Ok(request),
                _ => Err(Status::unauthenticated("the cluster's token is needed")),
            }
        };
        let server = NodeServer::new(self).max_decoding_message_size(REQUEST_BYTES_MAX);
        InterceptedService::new(server, check)
    }
}

/// Compares without telling by its duration where the first difference is.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |odd, (a, b)| odd | (a ^ b)) == 0
}

/// The span as the child of its caller's.
fn traced<T>(span: Span, request: &Request<T>) -> Span {
    let parent = request.metadata().get(TRACEPARENT).and_then(|value| value.to_str().ok());
    if let Some(parent) = parent {
        continue_from(&span, parent);
    }
    span
}

fn player(text: &str) -> Result<PlayerId, Status> {
    PlayerId::new(text).map_err(|_| bad("player"))
}

fn messages<T, M: From<T>>(values: Vec<T>) -> Vec<M> {
    values.into_iter().map(M::from).collect()
}

fn command(command: Option<Command>) -> Result<WeaponCommand, Status> {
    let weapon = |wide: u32| u8::try_from(wide).map(WeaponId).map_err(|_| bad("weapon"));
    let rounds = |wide: u32| u16::try_from(wide).map_err(|_| bad("rounds"));
    Ok(match command.ok_or_else(|| bad("command"))? {
        Command::Give(give) => WeaponCommand::Give {
            weapon: weapon(give.weapon)?,
            rounds: rounds(give.rounds)?,
            set_as_current: give.set_as_current,
        },
        Command::Take(taken) => WeaponCommand::Take { weapon: weapon(taken)? },
        Command::SetAmmo(set) => WeaponCommand::SetAmmo {
            weapon: weapon(set.weapon)?,
            total: rounds(set.total)?,
            clip: set.clip.map(rounds).transpose()?,
        },
        Command::Clear(_) => WeaponCommand::Clear,
        Command::SetArmed(armed) => WeaponCommand::SetArmed { weapon: weapon(armed)? },
    })
}

#[tonic::async_trait]
impl v1::node_server::Node for NodeService {
    type HeartbeatsStream = Outgoing<v1::NodeHeartbeatsResponse>;
    type RefusalsStream = Outgoing<v1::NodeRefusalsResponse>;

    async fn open_room(
        &self,
        request: Request<v1::NodeOpenRoomRequest>,
    ) -> Answer<v1::NodePromised> {
        let span = traced(tracing::info_span!("open_room"), &request);
        let (spec, members) = spec(request.into_inner())?;
        let promised = self.host.open_room(&spec, &members).instrument(span).await;
        Ok(Response::new(promised_message(promised.map_err(|error| host_status(&error))?)))
    }

    async fn reserve_seats(
        &self,
        request: Request<v1::NodeReserveSeatsRequest>,
    ) -> Answer<v1::NodePromised> {
        let span = traced(tracing::info_span!("reserve_seats"), &request);
        let request = request.into_inner();
        let shard = u16::try_from(request.shard).map_err(|_| bad("shard"))?;
        let (room, members) = (room(&request.room)?, members(&request.members)?);
        let promised = self.host.reserve(shard, &room, &members).instrument(span).await;
        Ok(Response::new(promised_message(promised.map_err(|error| host_status(&error))?)))
    }

    async fn release_seat(
        &self,
        request: Request<v1::NodeReleaseSeatRequest>,
    ) -> Answer<v1::NodeReleaseSeatResponse> {
        let request = request.into_inner();
        let shard = u16::try_from(request.shard).map_err(|_| bad("shard"))?;
        let released = self.host.release(shard, &room(&request.room)?, &request.ticket).await;
        let released = released.map_err(|error| host_status(&error))?;
        Ok(Response::new(v1::NodeReleaseSeatResponse { released }))
    }

    async fn describe(&self, _: Request<v1::NodeDescribeRequest>) -> Answer<v1::NodeInfo> {
        Ok(Response::new(self.control.node().await?.into()))
    }

    async fn rooms(&self, _: Request<v1::NodeRoomsRequest>) -> Answer<v1::NodeRoomsResponse> {
        let rooms = messages(self.control.rooms().await?);
        Ok(Response::new(v1::NodeRoomsResponse { rooms }))
    }

    async fn players(
        &self,
        request: Request<v1::NodePlayersRequest>,
    ) -> Answer<v1::NodePlayersResponse> {
        let of = match request.into_inner().room.as_str() {
            "" => None,
            text => Some(room(text)?),
        };
        let players = messages(self.control.players(of.as_ref()).await?);
        Ok(Response::new(v1::NodePlayersResponse { players }))
    }

    async fn weapons(
        &self,
        request: Request<v1::NodeWeaponsRequest>,
    ) -> Answer<v1::NodeWeaponsResponse> {
        let weapons = messages(self.control.weapons(&request.into_inner().mode).await?);
        Ok(Response::new(v1::NodeWeaponsResponse { weapons }))
    }

    async fn read_inventory(
        &self,
        request: Request<v1::NodeReadInventoryRequest>,
    ) -> Answer<v1::Inventory> {
        let player = player(&request.into_inner().player)?;
        Ok(Response::new(self.control.inventory(&player).await?.into()))
    }

    async fn command_weapon(
        &self,
        request: Request<v1::NodeCommandWeaponRequest>,
    ) -> Answer<v1::NodeCommandWeaponResponse> {
        let request = request.into_inner();
        let (player, command) = (player(&request.player)?, command(request.command)?);
        let outcome = self.control.weapon_command(&player, command, request.dry_run).await?;
        Ok(Response::new(v1::NodeCommandWeaponResponse {
            revision: outcome.revision.0.into(),
            after: Some(outcome.after.into()),
        }))
    }

    async fn kick_player(
        &self,
        request: Request<v1::NodeKickPlayerRequest>,
    ) -> Answer<v1::NodeKickPlayerResponse> {
        let request = request.into_inner();
        let kick = Kick { player: player(&request.player)?, reason: request.reason };
        let outcome = self.control.kick(&kick, request.dry_run).await?;
        Ok(Response::new(v1::NodeKickPlayerResponse {
            player: outcome.player.into(),
            room: outcome.room.into(),
            node: outcome.node.into(),
        }))
    }

    async fn put_ban(
        &self,
        request: Request<v1::NodePutBanRequest>,
    ) -> Answer<v1::NodePutBanResponse> {
        let request = request.into_inner();
        let ban = request.ban.ok_or_else(|| bad("ban"))?.try_into()?;
        let outcome = self.control.ban(&ban, request.dry_run).await?;
        Ok(Response::new(v1::NodePutBanResponse {
            ban: Some(outcome.ban.into()),
            players_kicked: outcome.players_kicked.into_iter().map(String::from).collect(),
        }))
    }

    async fn lift_ban(&self, request: Request<v1::NodeLiftBanRequest>) -> Answer<v1::Ban> {
        let request = request.into_inner();
        let subject: BanSubject = request.subject.parse().map_err(|_| bad("subject"))?;
        Ok(Response::new(self.control.unban(&subject, request.dry_run).await?.into()))
    }

    async fn bans(&self, _: Request<v1::NodeBansRequest>) -> Answer<v1::NodeBansResponse> {
        Ok(Response::new(v1::NodeBansResponse { bans: messages(self.control.bans().await?) }))
    }

    async fn make_room(&self, request: Request<v1::NodeMakeRoomRequest>) -> Answer<v1::RoomInfo> {
        let request = request.into_inner();
        let name = match request.room.as_str() {
            "" => None,
            text => Some(room(text)?),
        };
        let create = CreateRoom { mode: request.mode, room: name, seed: request.seed };
        Ok(Response::new(self.control.create_room(&create, request.dry_run).await?.into()))
    }

    async fn end_room(
        &self,
        request: Request<v1::NodeEndRoomRequest>,
    ) -> Answer<v1::NodeEndRoomResponse> {
        let request = request.into_inner();
        let close = CloseRoom { room: room(&request.room)?, reason: request.reason };
        let outcome = self.control.close_room(&close, request.dry_run).await?;
        Ok(Response::new(v1::NodeEndRoomResponse {
            room: outcome.room.into(),
            node: outcome.node.into(),
            players: outcome.players,
        }))
    }

    async fn drain(&self, request: Request<v1::NodeDrainRequest>) -> Answer<v1::NodeDrainResponse> {
        let request = request.into_inner();
        let drain = Drain { deadline_s: request.deadline_s };
        let outcome = self.control.drain(&drain, request.dry_run).await?;
        Ok(Response::new(v1::NodeDrainResponse {
            node: outcome.node.into(),
            rooms: outcome.rooms,
            players: outcome.players,
            deadline_s: outcome.deadline_s,
        }))
    }

    async fn heartbeats(
        &self,
        _: Request<v1::NodeHeartbeatsRequest>,
    ) -> Answer<Self::HeartbeatsStream> {
        Ok(Response::new(outgoing(self.control.heartbeats().await?)))
    }

    async fn refusals(&self, _: Request<v1::NodeRefusalsRequest>) -> Answer<Self::RefusalsStream> {
        Ok(Response::new(outgoing(self.control.refusals().await?)))
    }

    async fn shots(&self, request: Request<v1::NodeShotsRequest>) -> Answer<v1::NodeShotsResponse> {
        let player = player(&request.into_inner().player)?;
        let shots = self.control.shots(&player).await?;
        let shots = shots.into_iter().map(|shot| shot.as_ref().clone().into()).collect();
        Ok(Response::new(v1::NodeShotsResponse { shots }))
    }

    async fn explain(&self, request: Request<v1::NodeExplainRequest>) -> Answer<v1::ShotRecord> {
        let request = request.into_inner();
        let player = player(&request.player)?;
        let shot = self.control.explain(&player, MessageNumber(request.number)).await?;
        Ok(Response::new(shot.as_ref().clone().into()))
    }

    async fn rules(&self, _: Request<v1::NodeRulesRequest>) -> Answer<v1::NodeRulesResponse> {
        Ok(Response::new(v1::NodeRulesResponse { modes: messages(self.control.rules().await?) }))
    }

    async fn put_rule(&self, request: Request<v1::NodePutRuleRequest>) -> Answer<v1::ModeRules> {
        let request = request.into_inner();
        let key: RuleKey = request
            .key
            .parse()
            .map_err(|error| Status::from(ControlError::invalid("key", error)))?;
        let value = request.value.map(TryInto::try_into).transpose()?;
        let rules = self.control.set_rule(&request.mode, key, value, request.dry_run).await?;
        Ok(Response::new(rules.into()))
    }
}
