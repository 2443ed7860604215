//! The operators' calls to a node in another process.

use super::RemoteNode;
use super::ask::within;
use super::feed::{heartbeats, refusals};
use crate::control::{
    Ban, BanOutcome, BanSubject, CloseOutcome, CloseRoom, ControlError, CreateRoom, Drain,
    DrainOutcome, Heartbeat, InventoryView, Kick, KickOutcome, ModeRules, NodeControl, NodeInfo,
    NodeName, PlayerInfo, RefusedShot, RoomInfo, RuleKey, RuleValue, ShotRecord, Subscription,
    WeaponEntry, WeaponOutcome,
};
use async_trait::async_trait;
use fairshot_proto::v1;
use fairshot_proto::v1::node_command_weapon_request::Command;
use fairshot_units::{MessageNumber, PlayerId, Revision, RoomId, WeaponCommand};
use std::sync::Arc;

/// Messages read back, all or the first error.
fn read<T, M>(messages: Vec<M>) -> Result<Vec<T>, ControlError>
where
    T: TryFrom<M, Error = ControlError>,
{
    messages.into_iter().map(T::try_from).collect()
}

fn player(text: &str) -> Result<PlayerId, ControlError> {
    PlayerId::new(text).map_err(|error| ControlError::invalid("player", error))
}

fn room(text: &str) -> Result<RoomId, ControlError> {
    RoomId::new(text).map_err(|error| ControlError::invalid("room", error))
}

fn missing(field: &'static str) -> ControlError {
    ControlError::invalid(field, "missing")
}

#[async_trait]
impl NodeControl for RemoteNode {
    fn name(&self) -> &NodeName {
        &self.name
    }

    async fn node(&self) -> Result<NodeInfo, ControlError> {
        let mut client = self.client.clone();
        within(client.describe(v1::NodeDescribeRequest {})).await?.try_into()
    }

    async fn rooms(&self) -> Result<Vec<RoomInfo>, ControlError> {
        let mut client = self.client.clone();
        read(within(client.rooms(v1::NodeRoomsRequest {})).await?.rooms)
    }

    async fn players(&self, room: Option<&RoomId>) -> Result<Vec<PlayerInfo>, ControlError> {
        let room = room.map(ToString::to_string).unwrap_or_default();
        let mut client = self.client.clone();
        read(within(client.players(v1::NodePlayersRequest { room })).await?.players)
    }

    async fn weapons(&self, mode: &str) -> Result<Vec<WeaponEntry>, ControlError> {
        let mut client = self.client.clone();
        let request = v1::NodeWeaponsRequest { mode: mode.to_owned() };
        read(within(client.weapons(request)).await?.weapons)
    }

    async fn inventory(&self, player: &PlayerId) -> Result<InventoryView, ControlError> {
        let mut client = self.client.clone();
        let request = v1::NodeReadInventoryRequest { player: player.to_string() };
        within(client.read_inventory(request)).await?.try_into()
    }

    async fn weapon_command(
        &self,
        player: &PlayerId,
        command: WeaponCommand,
        dry_run: bool,
    ) -> Result<WeaponOutcome, ControlError> {
        let command = match command {
            WeaponCommand::Give { weapon, rounds, set_as_current } => Command::Give(v1::NodeGive {
                weapon: weapon.0.into(),
                rounds: rounds.into(),
                set_as_current,
            }),
            WeaponCommand::Take { weapon } => Command::Take(weapon.0.into()),
            WeaponCommand::SetAmmo { weapon, total, clip } => Command::SetAmmo(v1::NodeSetAmmo {
                weapon: weapon.0.into(),
                total: total.into(),
                clip: clip.map(u32::from),
            }),
            WeaponCommand::Clear => Command::Clear(true),
            WeaponCommand::SetArmed { weapon } => Command::SetArmed(weapon.0.into()),
        };
        let player = player.to_string();
        let request = v1::NodeCommandWeaponRequest { player, command: Some(command), dry_run };
        let mut client = self.client.clone();
        let answer = within(client.command_weapon(request)).await?;
        let revision = u16::try_from(answer.revision);
        Ok(WeaponOutcome {
            revision: revision.map(Revision).map_err(|_| missing("revision"))?,
            after: answer.after.ok_or_else(|| missing("after"))?.try_into()?,
        })
    }

    async fn kick(&self, kick: &Kick, dry_run: bool) -> Result<KickOutcome, ControlError> {
        let request = v1::NodeKickPlayerRequest {
            player: kick.player.to_string(),
            reason: kick.reason.clone(),
            dry_run,
        };
        let mut client = self.client.clone();
        let answer = within(client.kick_player(request)).await?;
        Ok(KickOutcome {
            player: player(&answer.player)?,
            room: room(&answer.room)?,
            node: NodeName::new(&answer.node),
        })
    }

    async fn ban(&self, ban: &Ban, dry_run: bool) -> Result<BanOutcome, ControlError> {
        let request = v1::NodePutBanRequest { ban: Some(ban.clone().into()), dry_run };
        let mut client = self.client.clone();
        let answer = within(client.put_ban(request)).await?;
        let kicked = answer.players_kicked.iter().map(|text| player(text));
        Ok(BanOutcome {
            ban: answer.ban.ok_or_else(|| missing("ban"))?.try_into()?,
            players_kicked: kicked.collect::<Result<_, _>>()?,
        })
    }

    async fn unban(&self, subject: &BanSubject, dry_run: bool) -> Result<Ban, ControlError> {
        let request = v1::NodeLiftBanRequest { subject: subject.to_string(), dry_run };
        let mut client = self.client.clone();
        within(client.lift_ban(request)).await?.try_into()
    }

    async fn bans(&self) -> Result<Vec<Ban>, ControlError> {
        let mut client = self.client.clone();
        read(within(client.bans(v1::NodeBansRequest {})).await?.bans)
    }

    async fn create_room(
        &self,
        room: &CreateRoom,
        dry_run: bool,
    ) -> Result<RoomInfo, ControlError> {
        let request = v1::NodeMakeRoomRequest {
            mode: room.mode.clone(),
            room: room.room.as_ref().map(ToString::to_string).unwrap_or_default(),
            seed: room.seed,
            dry_run,
        };
        let mut client = self.client.clone();
        within(client.make_room(request)).await?.try_into()
    }

    async fn close_room(
        &self,
        close: &CloseRoom,
        dry_run: bool,
    ) -> Result<CloseOutcome, ControlError> {
        let request = v1::NodeEndRoomRequest {
            room: close.room.to_string(),
            reason: close.reason.clone(),
            dry_run,
        };
        let mut client = self.client.clone();
        let answer = within(client.end_room(request)).await?;
        Ok(CloseOutcome {
            room: room(&answer.room)?,
            node: NodeName::new(&answer.node),
            players: answer.players,
        })
    }

    async fn drain(&self, drain: &Drain, dry_run: bool) -> Result<DrainOutcome, ControlError> {
        let mut client = self.client.clone();
        let request = v1::NodeDrainRequest { deadline_s: drain.deadline_s, dry_run };
        let answer = within(client.drain(request)).await?;
        Ok(DrainOutcome {
            node: NodeName::new(&answer.node),
            rooms: answer.rooms,
            players: answer.players,
            deadline_s: answer.deadline_s,
        })
    }

    async fn heartbeats(&self) -> Result<Subscription<Heartbeat>, ControlError> {
        let mut client = self.client.clone();
        heartbeats(within(client.heartbeats(v1::NodeHeartbeatsRequest {})).await?).await
    }

    async fn refusals(&self) -> Result<Subscription<RefusedShot>, ControlError> {
        let mut client = self.client.clone();
        refusals(within(client.refusals(v1::NodeRefusalsRequest {})).await?).await
    }

    async fn shots(&self, player: &PlayerId) -> Result<Vec<Arc<ShotRecord>>, ControlError> {
        let mut client = self.client.clone();
        let request = v1::NodeShotsRequest { player: player.to_string() };
        let shots: Vec<ShotRecord> = read(within(client.shots(request)).await?.shots)?;
        Ok(shots.into_iter().map(Arc::new).collect())
    }

    async fn explain(
        &self,
        player: &PlayerId,
        number: MessageNumber,
    ) -> Result<Arc<ShotRecord>, ControlError> {
        let mut client = self.client.clone();
        let request = v1::NodeExplainRequest { player: player.to_string(), number: number.0 };
        within(client.explain(request)).await?.try_into().map(Arc::new)
    }

    async fn rules(&self) -> Result<Vec<ModeRules>, ControlError> {
        let mut client = self.client.clone();
        read(within(client.rules(v1::NodeRulesRequest {})).await?.modes)
    }

    async fn set_rule(
        &self,
        mode: &str,
        key: RuleKey,
        value: Option<RuleValue>,
        dry_run: bool,
    ) -> Result<ModeRules, ControlError> {
        let request = v1::NodePutRuleRequest {
            mode: mode.to_owned(),
            key: key.to_string(),
            value: value.map(Into::into),
            dry_run,
        };
        let mut client = self.client.clone();
        within(client.put_rule(request)).await?.try_into()
    }
}
