//! Keeps the view up to date: lists everything, then watches from that revision on; whenever that breaks
//! (a cut line, a restart, a compaction past what was watched), from the beginning.

use super::client::{Client, pb};
use super::keys::Keys;
use super::{Shared, apply};
use crate::directory::{DirectoryError, View, ViewState};
use futures::FutureExt;
use pb::event::EventType;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::time::{MissedTickBehavior, interval, sleep};
use tonic::Streaming;

/// Waits between attempts, doubled from the first to the last.
const RETRY_MIN: Duration = Duration::from_millis(100);
const RETRY_MAX: Duration = Duration::from_secs(2);
/// How often a quorum is asked for a sign of life.
const PROBE_EVERY: Duration = Duration::from_secs(1);
/// One missed beat says nothing; the second in a row makes the view stale.
const PROBES_MISSED_MAX: u32 = 2;

/// Runs for ever; also after a panic in what it supervises.
pub(super) async fn follow(client: Client, keys: Keys, shared: Arc<Shared>) {
    let mut wait = RETRY_MIN;
    loop {
        let began = Instant::now();
        let attempt = AssertUnwindSafe(follow_once(&client, &keys, &shared)).catch_unwind().await;
        let stale = ViewState::Stale { since: Instant::now() };
        if shared.view.state() != ViewState::Empty {
            shared.view.set_state(stale);
        }
        match attempt {
            Ok(Err(error)) => tracing::warn!(error = %error, "the directory is not followed"),
            Ok(Ok(())) => tracing::info!("the directory's watch ended"),
            Err(_) => tracing::error!("following the directory panicked"),
        }
        // What held for a while begins anew at once.
        wait = if began.elapsed() > RETRY_MAX { RETRY_MIN } else { (wait * 2).min(RETRY_MAX) };
        sleep(wait).await;
    }
}

async fn follow_once(client: &Client, keys: &Keys, shared: &Shared) -> Result<(), DirectoryError> {
    let (kvs, revision) = client.all(keys.prefix()).await?;
    let mut fresh = View::default();
    for kv in &kvs {
        apply::put(&mut fresh, keys, kv);
    }
    shared.view.write(|view| {
        *view = fresh;
        shared.applied.store(revision, Ordering::Relaxed);
    });
    let mut changes = client.watch(keys.prefix(), revision + 1).await?;
    shared.view.set_state(ViewState::Live);
    let mut probes = interval(PROBE_EVERY);
    probes.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut missed = 0;
    loop {
        tokio::select! {
            change = next(&mut changes) => {
                let Some(change) = change? else { return Ok(()) };
                take(&change, keys, shared);
            }
            _ = probes.tick() => {
                missed = match client.probe(&keys.probe()).await {
                    // An etcd that lost its disk counts anew: a watch from the old count on would
                    // wait in silence until it is reached again.
                    Ok(revision) if revision < shared.applied.load(Ordering::Relaxed) => {
                        return Err(DirectoryError::Unavailable(format!(
                            "etcd is back at revision {revision}: everything is read again"
                        )));
                    }
                    Ok(_) => 0,
                    Err(error) if missed + 1 >= PROBES_MISSED_MAX => return Err(error),
                    Err(_) => missed + 1,
                };
            }
        }
    }
}

/// The next change; none at the end of the watch, whatever ended it.
async fn next(
    changes: &mut Streaming<pb::WatchResponse>,
) -> Result<Option<pb::WatchResponse>, DirectoryError> {
    let message = changes.message().await;
    let change = message.map_err(|status| DirectoryError::Unavailable(status.to_string()))?;
    match change {
        Some(change) if change.canceled => Err(DirectoryError::Unavailable(format!(
            "the watch was cancelled: {} (compacted up to {})",
            change.cancel_reason, change.compact_revision
        ))),
        change => Ok(change),
    }
}

fn take(change: &pb::WatchResponse, keys: &Keys, shared: &Shared) {
    let revision = change.header.as_ref().map_or(0, |header| header.revision);
    if change.events.is_empty() {
        return;
    }
    shared.view.write(|view| {
        for event in &change.events {
            let Some(kv) = &event.kv else { continue };
            match event.r#type() {
                EventType::Put => apply::put(view, keys, kv),
                EventType::Delete => apply::delete(view, keys, &kv.key),
            }
        }
        shared.applied.fetch_max(revision, Ordering::Relaxed);
    });
}
