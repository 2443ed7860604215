//! Streams of heartbeats and refusals, over all nodes there are and come.

use super::AdminService;
use crate::nodes::{Node, named, within};
use crate::server::wait_for;
use fairshot_cluster::control::{ControlError, Heartbeat, NodeSet, RefusedShot, Subscription};
use fairshot_proto::v1;
use futures::future::BoxFuture;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::task::JoinSet;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

pub(crate) type Streamed<T> = ReceiverStream<Result<T, Status>>;

/// Items waiting for a slow reader; behind them the nodes' own bounded queues lose the oldest, and
/// the reader is told how many.
const WAITING_MAX: usize = 256;
/// How often it is looked whether a node has come.
const LOOK_EVERY: Duration = Duration::from_secs(5);

impl AdminService {
    pub(super) async fn heartbeats_stream(
        &self,
        request: v1::StreamHeartbeatsRequest,
    ) -> Result<Streamed<v1::StreamHeartbeatsResponse>, Status> {
        let feed = Feed {
            nodes: Arc::clone(&self.nodes),
            only: request.node,
            subscribe: Arc::new(|node: Node| Box::pin(async move { node.heartbeats().await })),
        };
        let (room, mode) = (request.room, request.mode);
        let keep = move |beat: &Heartbeat| {
            (room.is_empty() || beat.room.as_str() == room)
                && (mode.is_empty() || beat.mode == mode)
        };
        let of_item = |item: Item<Heartbeat>| v1::StreamHeartbeatsResponse {
            item: Some(match item {
                Item::Of(beat) => {
                    v1::stream_heartbeats_response::Item::Heartbeat(beat.as_ref().clone().into())
                }
                Item::Missed(count) => v1::stream_heartbeats_response::Item::Missed(count),
            }),
        };
        // A heartbeat sent between a node's list of the newest and its live ones comes in both.
        let number = |beat: &Heartbeat| Some((beat.room.to_string(), beat.number));
        self.stream(feed, keep, number, of_item, request.latest_only)
    }

    pub(super) async fn refusals_stream(
        &self,
        request: v1::StreamRefusalsRequest,
    ) -> Result<Streamed<v1::StreamRefusalsResponse>, Status> {
        let feed = Feed {
            nodes: Arc::clone(&self.nodes),
            only: request.node,
            subscribe: Arc::new(|node: Node| Box::pin(async move { node.refusals().await })),
        };
        let (room, mode, player, rule) = (request.room, request.mode, request.player, request.rule);
        let keep = move |shot: &RefusedShot| {
            let fits = |wanted: &str, is: &str| wanted.is_empty() || wanted == is;
            fits(&room, shot.room.as_str())
                && fits(&mode, &shot.mode)
                && fits(&player, shot.player.as_str())
                && fits(&rule, &shot.rule)
        };
        let of_item = |item: Item<RefusedShot>| v1::StreamRefusalsResponse {
            item: Some(match item {
                Item::Of(shot) => {
                    v1::stream_refusals_response::Item::Refusal(shot.as_ref().clone().into())
                }
                Item::Missed(count) => v1::stream_refusals_response::Item::Missed(count),
            }),
        };
        self.stream(feed, keep, |_| None, of_item, false)
    }

    fn stream<T: Send + Sync + 'static, R: Send + 'static>(
        &self,
        feed: Feed<T>,
        keep: impl Fn(&T) -> bool + Send + Sync + 'static,
        number: impl Fn(&T) -> Option<(String, u64)> + Send + Sync + 'static,
        of_item: impl Fn(Item<T>) -> R + Send + Sync + 'static,
        latest_only: bool,
    ) -> Result<Streamed<R>, Status> {
        // A node that is named and not there is an error now, not an endless silence.
        named(self.nodes.as_ref(), &feed.only)?;
        let permit = Arc::clone(&self.streams).try_acquire_owned().map_err(|_| {
            Status::resource_exhausted("too many streams are open; close one or try later")
        })?;
        let (to, items) = mpsc::channel(WAITING_MAX);
        let reader = Arc::new(Reader { keep, number, of_item, to, latest_only });
        let stopped = self.stopped.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = follow(feed, Arc::clone(&reader), permit) => {}
                () = reader.to.closed() => {}
                () = wait_for(stopped) => {}
            }
        });
        Ok(ReceiverStream::new(items))
    }
}

enum Item<T> {
    Of(Arc<T>),
    Missed(u64),
}

type Subscribe<T> =
    Arc<dyn Fn(Node) -> BoxFuture<'static, Result<Subscription<T>, ControlError>> + Send + Sync>;

/// Where items come from.
struct Feed<T> {
    nodes: Arc<dyn NodeSet>,
    /// One node's only; empty for all.
    only: String,
    subscribe: Subscribe<T>,
}

/// Where they go.
struct Reader<K, N, O, R> {
    keep: K,
    number: N,
    of_item: O,
    to: mpsc::Sender<Result<R, Status>>,
    latest_only: bool,
}

/// Follows each node with a task of its own, and looks for nodes that came or came back.
async fn follow<T, K, N, O, R>(
    feed: Feed<T>,
    reader: Arc<Reader<K, N, O, R>>,
    _permit: OwnedSemaphorePermit,
) where
    T: Send + Sync + 'static,
    K: Fn(&T) -> bool + Send + Sync + 'static,
    N: Fn(&T) -> Option<(String, u64)> + Send + Sync + 'static,
    O: Fn(Item<T>) -> R + Send + Sync + 'static,
    R: Send + 'static,
{
    let mut followed = BTreeSet::new();
    let mut tasks = JoinSet::new();
    loop {
        for node in named(feed.nodes.as_ref(), &feed.only).unwrap_or_default() {
            let name = node.name().clone();
            if !followed.insert(name.clone()) {
                continue;
            }
            let (subscribe, reader) = (Arc::clone(&feed.subscribe), Arc::clone(&reader));
            tasks.spawn(async move {
                follow_one(node, subscribe, &reader).await;
                name
            });
        }
        if reader.latest_only {
            while tasks.join_next().await.is_some() {}
            return;
        }
        let next_look = tokio::time::sleep(LOOK_EVERY);
        tokio::pin!(next_look);
        loop {
            tokio::select! {
                () = &mut next_look => break,
                Some(ended) = tasks.join_next() => {
                    // It went or broke off; it is followed again once it answers.
                    ended.map(|name| followed.remove(&name)).ok();
                }
            }
        }
    }
}

async fn follow_one<T, K, N, O, R>(node: Node, subscribe: Subscribe<T>, reader: &Reader<K, N, O, R>)
where
    K: Fn(&T) -> bool,
    N: Fn(&T) -> Option<(String, u64)>,
    O: Fn(Item<T>) -> R,
{
    let name = node.name().clone();
    let mut subscription = match within(subscribe(node)).await {
        Ok(subscription) => subscription,
        Err(error) => {
            tracing::warn!(node = %name, %error, "node not followed");
            return;
        }
    };
    let mut newest: BTreeMap<String, u64> = BTreeMap::new();
    for item in std::mem::take(&mut subscription.latest) {
        if let Some((key, number)) = (reader.number)(&item) {
            newest.insert(key, number);
        }
        if (reader.keep)(&item) && !reader.send(Item::Of(item)).await {
            return;
        }
    }
    if reader.latest_only {
        return;
    }
    loop {
        match subscription.live.recv().await {
            Ok(item) => {
                let known = (reader.number)(&item)
                    .is_some_and(|(key, number)| newest.get(&key).is_some_and(|n| number <= *n));
                if !known && (reader.keep)(&item) && !reader.send(Item::Of(item)).await {
                    return;
                }
            }
            Err(RecvError::Lagged(count)) => {
                if !reader.send(Item::Missed(count)).await {
                    return;
                }
            }
            Err(RecvError::Closed) => return,
        }
    }
}

impl<K, N, O, R> Reader<K, N, O, R> {
    /// False where nobody reads any more.
    async fn send<T>(&self, item: Item<T>) -> bool
    where
        O: Fn(Item<T>) -> R,
    {
        self.to.send(Ok((self.of_item)(item))).await.is_ok()
    }
}
