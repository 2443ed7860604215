//! What is read: nodes, rooms, players, inventories, shots, the audit log.

use super::{AdminService, player_id, room_id};
use crate::names::missed;
use crate::nodes::{ask_all, first_that_knows};
use crate::pages::page;
use fairshot_audit::Entry;
use fairshot_cluster::control::{ControlError, NodeName, ShotVerdict};
use fairshot_proto::v1;
use fairshot_units::MessageNumber;
use tonic::Status;

impl AdminService {
    pub(super) async fn nodes_read(&self) -> Result<v1::ListNodesResponse, ControlError> {
        let asked = ask_all(self.nodes.as_ref(), "", |node| async move {
            Ok(match node.node().await {
                Ok(info) => v1::NodeInfo::from(info),
                Err(error) => v1::NodeInfo {
                    node: node.name().to_string(),
                    unreachable: error.to_string(),
                    ..Default::default()
                },
            })
        })
        .await?;
        let silent = asked.missing.into_iter().map(|name| v1::NodeInfo {
            node: name.into(),
            unreachable: "no answer in time".into(),
            ..Default::default()
        });
        let mut nodes: Vec<_> = asked.answers.into_iter().chain(silent).collect();
        nodes.sort_by(|a, b| a.node.cmp(&b.node));
        Ok(v1::ListNodesResponse { nodes })
    }

    pub(super) async fn rooms_read(
        &self,
        request: &v1::ListRoomsRequest,
    ) -> Result<v1::ListRoomsResponse, ControlError> {
        let asked =
            ask_all(self.nodes.as_ref(), &request.node, |node| async move { node.rooms().await })
                .await?;
        let rooms = asked.answers.into_iter().flatten();
        let rooms = rooms.filter(|room| request.mode.is_empty() || room.mode == request.mode);
        let page = page(
            rooms.collect(),
            |room| room.room.to_string(),
            request.page_size,
            &request.page_token,
        );
        Ok(v1::ListRoomsResponse {
            rooms: page.items.into_iter().map(Into::into).collect(),
            next_page_token: page.next,
            total: page.total,
            nodes_missing: names(asked.missing),
        })
    }

    pub(super) async fn players_read(
        &self,
        request: &v1::ListPlayersRequest,
    ) -> Result<v1::ListPlayersResponse, ControlError> {
        let room = match request.room.as_str() {
            "" => None,
            text => Some(room_id(text)?),
        };
        let asked = ask_all(self.nodes.as_ref(), &request.node, |node| {
            let room = room.clone();
            async move {
                match node.players(room.as_ref()).await {
                    Err(ControlError::NotFound { .. }) => Ok(None),
                    players => players.map(Some),
                }
            }
        })
        .await?;
        let found: Vec<_> = asked.answers.into_iter().flatten().collect();
        if let (Some(room), [], []) = (&room, found.as_slice(), asked.missing.as_slice()) {
            return Err(ControlError::not_found("room", room));
        }
        let players = found.into_iter().flatten().filter(|player| {
            (request.mode.is_empty() || player.mode == request.mode)
                && (request.player.is_empty() || player.player.as_str() == request.player)
        });
        let page = page(
            players.collect(),
            |player| player.player.to_string(),
            request.page_size,
            &request.page_token,
        );
        Ok(v1::ListPlayersResponse {
            players: page.items.into_iter().map(Into::into).collect(),
            next_page_token: page.next,
            total: page.total,
            nodes_missing: names(asked.missing),
        })
    }

    pub(super) async fn weapons_read(
        &self,
        mode: &str,
    ) -> Result<v1::ListWeaponsResponse, ControlError> {
        let found =
            first_that_knows(self.nodes.as_ref(), |node| async move { node.weapons(mode).await })
                .await;
        let mut weapons = match found {
            Err(ControlError::NotFound { .. }) => return Err(self.no_mode(mode).await),
            found => found?,
        };
        weapons.sort_by_key(|weapon| weapon.id);
        Ok(v1::ListWeaponsResponse { weapons: weapons.into_iter().map(Into::into).collect() })
    }

    pub(super) async fn inventory_read(
        &self,
        player: &str,
    ) -> Result<v1::GetInventoryResponse, ControlError> {
        let player = &player_id(player)?;
        let view =
            first_that_knows(
                self.nodes.as_ref(),
                |node| async move { node.inventory(player).await },
            )
            .await?;
        Ok(v1::GetInventoryResponse { inventory: Some(view.into()) })
    }

    pub(super) async fn shots_read(
        &self,
        request: &v1::ListShotsRequest,
    ) -> Result<v1::ListShotsResponse, ControlError> {
        let player = &player_id(&request.player)?;
        let shots =
            first_that_knows(self.nodes.as_ref(), |node| async move { node.shots(player).await })
                .await?;
        let shots = shots.iter().filter(|shot| {
            !request.refused_only || matches!(shot.verdict, ShotVerdict::Refused { .. })
        });
        Ok(v1::ListShotsResponse {
            shots: shots.map(|shot| shot.as_ref().clone().into()).collect(),
        })
    }

    pub(super) async fn shot_read(
        &self,
        request: &v1::ExplainShotRequest,
    ) -> Result<v1::ExplainShotResponse, ControlError> {
        let player = &player_id(&request.player)?;
        let number = MessageNumber(request.number);
        let shot = first_that_knows(self.nodes.as_ref(), |node| async move {
            node.explain(player, number).await
        })
        .await?;
        Ok(v1::ExplainShotResponse { shot: Some(shot.as_ref().clone().into()) })
    }

    pub(super) fn audit_read(
        &self,
        request: &v1::ListAuditRequest,
    ) -> Result<v1::ListAuditResponse, Status> {
        let audit = self.changes.audit().ok_or_else(|| {
            Status::failed_precondition(
                "this process keeps no audit log: admin.audit_file is not set",
            )
        })?;
        let entries = audit.recent().into_iter().filter(|(entry, _)| {
            (request.caller.is_empty() || entry.caller == request.caller)
                && (request.method.is_empty() || entry.method == request.method)
        });
        // Newest first: the key falls as the sequence rises, with as many digits as a u64 has.
        let page = page(
            entries.collect(),
            |(entry, _)| format!("{:020}", u64::MAX - entry.sequence),
            request.page_size,
            &request.page_token,
        );
        Ok(v1::ListAuditResponse {
            entries: page.items.into_iter().map(audit_entry).collect(),
            next_page_token: page.next,
        })
    }

    /// `NotFound` with the mode that may have been meant.
    pub(super) async fn no_mode(&self, typed: &str) -> ControlError {
        let asked = ask_all(self.nodes.as_ref(), "", |node| async move { node.node().await }).await;
        let nodes = asked.map(|asked| asked.answers).unwrap_or_default();
        let modes = nodes.iter().flat_map(|node| node.modes.iter().map(String::as_str));
        match missed("mode", typed, modes).split_once("; ") {
            Some((_, question)) => ControlError::not_found(
                "mode",
                format!("{typed}`; {}", question.trim_end_matches('`')),
            ),
            None => ControlError::not_found("mode", typed),
        }
    }
}

fn names(nodes: Vec<NodeName>) -> Vec<String> {
    nodes.into_iter().map(String::from).collect()
}

fn audit_entry((entry, hash): (Entry, String)) -> v1::AuditEntry {
    v1::AuditEntry {
        sequence: entry.sequence,
        time_unix_ms: entry.time_unix_ms,
        outcome: entry.outcome.label().to_owned(),
        caller: entry.caller,
        role: entry.role,
        peer: entry.peer,
        method: entry.method,
        request: entry.request.to_string(),
        request_id: entry.request_id,
        dry_run: entry.dry_run,
        detail: entry.detail,
        hash,
    }
}
