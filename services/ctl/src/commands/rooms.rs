//! Opening and closing rooms.

use super::would;
use crate::args::RoomsAction;
use crate::connect::Client;
use crate::error::Failure;
use crate::out::Out;
use fairshot_proto::v1;

pub(super) async fn act(mut client: Client, action: RoomsAction, out: Out) -> Result<(), Failure> {
    match action {
        RoomsAction::Create { mode, room, node, seed, how } => {
            let request = v1::CreateRoomRequest {
                mode,
                room: room.unwrap_or_default(),
                node: node.unwrap_or_default(),
                seed,
                dry_run: how.dry_run,
                request_id: how.request_id,
            };
            let done = client.create_room(request).await?.into_inner();
            if out.json {
                return out.json(&done);
            }
            let would = would(done.dry_run);
            let room = done.room.unwrap_or_default();
            out.line(&format!("{would}opened {} ({}) on {}", room.room, room.mode, room.node))
        }
        RoomsAction::Close { room, reason, how } => {
            let request = v1::CloseRoomRequest {
                room,
                reason,
                dry_run: how.dry_run,
                request_id: how.request_id,
            };
            let done = client.close_room(request).await?.into_inner();
            if out.json {
                return out.json(&done);
            }
            let would = would(done.dry_run);
            out.line(&format!(
                "{would}closed {} on {}, {} players sent away",
                done.room, done.node, done.players
            ))
        }
    }
}
