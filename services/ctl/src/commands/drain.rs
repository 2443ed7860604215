//! Draining a node, and watching it become empty.

use super::would;
use crate::args::Drain;
use crate::connect::Client;
use crate::error::Failure;
use crate::out::{Out, lasting};
use fairshot_proto::v1;
use std::time::Duration;
use tonic::Code;

/// How often a draining node is asked how far it is.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The node ends its rooms at the deadline; it is then given so long to be gone.
const LOOKS_AFTER_DEADLINE_MAX: u64 = 30;

pub(super) async fn drain(mut client: Client, drain: Drain, out: Out) -> Result<(), Failure> {
    let request = v1::DrainNodeRequest {
        node: drain.node,
        deadline_s: drain.deadline.as_secs(),
        dry_run: drain.how.dry_run,
        request_id: drain.how.request_id,
    };
    let done = client.drain_node(request).await?.into_inner();
    if out.json {
        out.json(&done)?;
    } else {
        out.line(&format!(
            "{}draining {}: {} rooms with {} players end within {}",
            would(done.dry_run),
            done.node,
            done.rooms,
            done.players,
            lasting(done.deadline_s)
        ))?;
    }
    if drain.wait { wait(client, &done.node, done.deadline_s, out).await } else { Ok(()) }
}

/// Tells what is left, whenever that changes, until nothing is.
async fn wait(mut client: Client, node: &str, deadline_s: u64, out: Out) -> Result<(), Failure> {
    let mut told = None;
    for _ in 0..deadline_s.saturating_add(LOOKS_AFTER_DEADLINE_MAX) {
        tokio::time::sleep(LOOK_EVERY).await;
        let nodes = match client.list_nodes(v1::ListNodesRequest {}).await {
            Ok(nodes) => nodes.into_inner().nodes,
            // The node itself was asked: it ends when it is empty.
            Err(status) if matches!(status.code(), Code::Unavailable | Code::Unknown) => Vec::new(),
            Err(status) => return Err(status.into()),
        };
        // A cluster's node ends when it is empty: then it is listed no more, or does not answer.
        let left = nodes.into_iter().find(|one| one.node == node && one.unreachable.is_empty());
        let Some(left) = left.filter(|left| left.rooms > 0) else {
            return if out.json { Ok(()) } else { out.line(&format!("{node} is empty or gone")) };
        };
        if told != Some((left.rooms, left.players)) {
            told = Some((left.rooms, left.players));
            if out.json {
                out.json(&left)?;
            } else {
                out.line(&format!(
                    "{} rooms with {} players left, {} to the deadline",
                    left.rooms,
                    left.players,
                    lasting(left.drains_in_s)
                ))?;
            }
        }
    }
    Err(Failure::Local(format!("{node} still has rooms after its deadline")))
}
