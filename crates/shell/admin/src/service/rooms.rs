//! Opening and closing rooms, draining nodes.

use super::{AdminService, Answer, change, reason, room_id};
use crate::access::{Caller, Role};
use crate::nodes::{Node, first_that_knows, named, within};
use fairshot_cluster::control::{
    CloseRoom, ControlError, CreateRoom, Drain, NodeInfo, NodeSet, RoomInfo,
};
use fairshot_proto::v1;
use futures::future::join_all;
use serde_json::json;
use std::sync::Arc;

const DRAIN_S_MAX: u64 = 86_400;

impl AdminService {
    pub(super) async fn room_create(
        &self,
        caller: Caller,
        request: v1::CreateRoomRequest,
    ) -> Answer<v1::CreateRoomResponse> {
        let nodes = self.nodes.clone();
        let words = json!({
            "mode": request.mode,
            "room": request.room,
            "node": request.node,
            "seed": request.seed,
        });
        let dry_run = request.dry_run;
        let change =
            change(caller, "CreateRoom", Role::Operator, words, dry_run, request.request_id);
        let work = async move {
            let room = match request.room.as_str() {
                "" => None,
                text => Some(room_id(text)?),
            };
            let create = CreateRoom { mode: request.mode, room, seed: request.seed };
            let info = open_on_best(&nodes, &request.node, &create, dry_run).await?;
            if !dry_run {
                nodes.shown(&info).await?;
            }
            Ok(v1::CreateRoomResponse { room: Some(info.into()), ..Default::default() })
        };
        self.changes.run(change, work).await
    }

    pub(super) async fn room_close(
        &self,
        caller: Caller,
        request: v1::CloseRoomRequest,
    ) -> Answer<v1::CloseRoomResponse> {
        let nodes = self.nodes.clone();
        let words = json!({ "room": request.room, "reason": request.reason });
        let dry_run = request.dry_run;
        let change =
            change(caller, "CloseRoom", Role::Operator, words, dry_run, request.request_id);
        let work = async move {
            reason(&request.reason)?;
            let close = &CloseRoom { room: room_id(&request.room)?, reason: request.reason };
            let outcome = first_that_knows(nodes.as_ref(), |node| async move {
                node.close_room(close, dry_run).await
            })
            .await?;
            Ok(v1::CloseRoomResponse {
                room: outcome.room.into(),
                node: outcome.node.into(),
                players: outcome.players,
                ..Default::default()
            })
        };
        self.changes.run(change, work).await
    }

    pub(super) async fn node_drain(
        &self,
        caller: Caller,
        request: v1::DrainNodeRequest,
    ) -> Answer<v1::DrainNodeResponse> {
        let nodes = self.nodes.clone();
        let words = json!({ "node": request.node, "deadlineS": request.deadline_s });
        let dry_run = request.dry_run;
        let change = change(caller, "DrainNode", Role::Admin, words, dry_run, request.request_id);
        let work = async move {
            if request.deadline_s > DRAIN_S_MAX {
                return Err(ControlError::invalid(
                    "deadline_s",
                    format!("expected 0 to {DRAIN_S_MAX}, found {}", request.deadline_s),
                ));
            }
            if request.node.is_empty() {
                return Err(ControlError::invalid("node", "a node has to be named"));
            }
            let drain = Drain { deadline_s: request.deadline_s };
            let node = named(nodes.as_ref(), &request.node)?.into_iter().next();
            let node = node.ok_or_else(|| ControlError::not_found("node", &request.node))?;
            let outcome = within(node.drain(&drain, dry_run)).await?;
            Ok(v1::DrainNodeResponse {
                node: outcome.node.into(),
                rooms: outcome.rooms,
                players: outcome.players,
                deadline_s: outcome.deadline_s,
                ..Default::default()
            })
        };
        self.changes.run(change, work).await
    }
}

/// Opens a room on the node with the most headroom that takes it: placement goes by measured headroom,
/// then by players.
async fn open_on_best(
    nodes: &Arc<dyn NodeSet>,
    only: &str,
    create: &CreateRoom,
    dry_run: bool,
) -> Result<RoomInfo, ControlError> {
    let asked = named(nodes.as_ref(), only)?.into_iter().map(|node| async move {
        let info = within(node.node()).await;
        (node, info)
    });
    let mut fits: Vec<(Node, NodeInfo)> = Vec::new();
    let mut why = ControlError::not_found("mode", &create.mode);
    for (node, info) in join_all(asked).await {
        match info {
            Err(error) => why = error,
            Ok(info) if !info.modes.contains(&create.mode) => {}
            Ok(info) => fits.push((node, info)),
        }
    }
    fits.sort_by(|(_, a), (_, b)| {
        headroom(b).total_cmp(&headroom(a)).then_with(|| a.players.cmp(&b.players))
    });
    for (node, _) in fits {
        match within(node.create_room(create, dry_run)).await {
            // The next may have what this one lacks.
            Err(
                error @ (ControlError::ResourceExhausted(_) | ControlError::FailedPrecondition(_)),
            ) => why = error,
            answer => return answer,
        }
    }
    Err(why)
}

fn headroom(node: &NodeInfo) -> f32 {
    node.shards.iter().map(|shard| shard.tick_headroom).fold(0.0, f32::max)
}
