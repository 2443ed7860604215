//! A node's streams of heartbeats and refusals, there and back: first what was latest, then each as it
//! comes, from one bounded queue to the next; what a slow reader loses is counted.

use crate::control::{ControlError, Heartbeat, RefusedShot, Subscription};
use fairshot_proto::v1;
use fairshot_proto::v1::node_heartbeats_response::Item as HeartbeatItem;
use fairshot_proto::v1::node_refusals_response::Item as RefusalItem;
use futures::Stream;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;
use tonic::{Status, Streaming};

/// Items kept for a reader that falls behind.
const QUEUE_ITEMS: usize = 1_024;
/// For what was latest to arrive whole.
const BEGIN_DEADLINE: Duration = Duration::from_secs(2);
/// More rooms than any node has.
const LATEST_MAX: usize = 65_536;

pub(super) type Outgoing<M> = Pin<Box<dyn Stream<Item = Result<M, Status>> + Send>>;

/// One message of a stream, whatever it streams.
pub(super) trait Feed: Sized + Send + 'static {
    type Of: Clone + Send + Sync + 'static;
    fn item(of: Self::Of) -> Self;
    fn begun() -> Self;
    fn missed(items: u64) -> Self;
    fn read(self) -> Word<Self::Of>;
}

pub(super) enum Word<T> {
    Item(T),
    Begun,
    /// Lost on the way, or not to be read.
    Missed,
}

macro_rules! feed {
    ($message:ty, $of:ty, $oneof:ident, $item:ident) => {
        impl Feed for $message {
            type Of = $of;

            fn item(of: $of) -> Self {
                Self { item: Some($oneof::$item(of.into())) }
            }

            fn begun() -> Self {
                Self { item: Some($oneof::Begun(true)) }
            }

            fn missed(items: u64) -> Self {
                Self { item: Some($oneof::Missed(items)) }
            }

            fn read(self) -> Word<$of> {
                match self.item {
                    Some($oneof::$item(item)) => item.try_into().map_or(Word::Missed, Word::Item),
                    Some($oneof::Begun(_)) => Word::Begun,
                    Some($oneof::Missed(_)) | None => Word::Missed,
                }
            }
        }
    };
}

feed!(v1::NodeHeartbeatsResponse, Heartbeat, HeartbeatItem, Heartbeat);
feed!(v1::NodeRefusalsResponse, RefusedShot, RefusalItem, Refusal);

pub(super) async fn heartbeats(
    stream: Streaming<v1::NodeHeartbeatsResponse>,
) -> Result<Subscription<Heartbeat>, ControlError> {
    subscription(stream).await
}

pub(super) async fn refusals(
    stream: Streaming<v1::NodeRefusalsResponse>,
) -> Result<Subscription<RefusedShot>, ControlError> {
    subscription(stream).await
}

/// The subscription as messages.
pub(super) fn outgoing<M: Feed>(subscription: Subscription<M::Of>) -> Outgoing<M> {
    use futures::StreamExt;
    let latest = subscription.latest.into_iter().map(|item| Ok(M::item(item.as_ref().clone())));
    let live = futures::stream::unfold(subscription.live, |mut live| async {
        match live.recv().await {
            Ok(item) => Some((Ok(M::item(item.as_ref().clone())), live)),
            Err(RecvError::Lagged(items)) => Some((Ok(M::missed(items)), live)),
            Err(RecvError::Closed) => None,
        }
    });
    Box::pin(futures::stream::iter(latest.chain([Ok(M::begun())])).chain(live))
}

async fn subscription<M: Feed>(
    mut stream: Streaming<M>,
) -> Result<Subscription<M::Of>, ControlError> {
    let begin = async {
        let mut latest = Vec::new();
        while let Some(message) = stream.message().await? {
            match message.read() {
                Word::Item(item) if latest.len() < LATEST_MAX => latest.push(Arc::new(item)),
                Word::Begun => return Ok(latest),
                Word::Item(_) | Word::Missed => {}
            }
        }
        Err(ControlError::Unavailable("the stream ended before it began".into()))
    };
    let latest = timeout(BEGIN_DEADLINE, begin)
        .await
        .map_err(|_| ControlError::Unavailable("no answer in time".into()))??;
    let (sender, live) = broadcast::channel(QUEUE_ITEMS);
    tokio::spawn(async move {
        loop {
            tokio::select! {
                message = stream.message() => match message {
                    Ok(Some(message)) => {
                        if let Word::Item(item) = message.read()
                            && sender.send(Arc::new(item)).is_err()
                        {
                            return;
                        }
                    }
                    Ok(None) | Err(_) => return,
                },
                () = sender.closed() => return,
            }
        }
    });
    Ok(Subscription { latest, live })
}
