//! Heartbeats and refusals as they come, until enough came, the server stops, or Ctrl-C.

use crate::args::Only;
use crate::connect::Client;
use crate::error::Failure;
use crate::out::{Out, by_rule, moment};
use fairshot_proto::v1::{self, stream_heartbeats_response, stream_refusals_response};
use tonic::{Code, Status, Streaming};

pub(super) async fn heartbeats(
    mut client: Client,
    only: Only,
    once: bool,
    count: Option<u64>,
    out: Out,
) -> Result<(), Failure> {
    let request = v1::StreamHeartbeatsRequest {
        room: only.room.unwrap_or_default(),
        mode: only.mode.unwrap_or_default(),
        node: only.node.unwrap_or_default(),
        latest_only: once,
    };
    let stream = client.stream_heartbeats(request).await?.into_inner();
    let mut left = count.unwrap_or(u64::MAX);
    if !out.json {
        out.line(HEARTBEAT_HEAD)?;
    }
    each(stream, |response| {
        match response.item {
            Some(stream_heartbeats_response::Item::Heartbeat(beat)) => {
                show_heartbeat(beat, out)?;
                left = left.saturating_sub(1);
            }
            Some(stream_heartbeats_response::Item::Missed(count)) => missed(count, "heartbeats"),
            None => {}
        }
        Ok(left > 0)
    })
    .await
}

/// Which refusals.
pub(super) struct Wanted {
    pub only: Only,
    pub player: Option<String>,
    pub rule: Option<String>,
    pub count: Option<u64>,
}

pub(super) async fn refusals(mut client: Client, wanted: Wanted, out: Out) -> Result<(), Failure> {
    let request = v1::StreamRefusalsRequest {
        room: wanted.only.room.unwrap_or_default(),
        mode: wanted.only.mode.unwrap_or_default(),
        node: wanted.only.node.unwrap_or_default(),
        player: wanted.player.unwrap_or_default(),
        rule: wanted.rule.unwrap_or_default(),
    };
    let stream = client.stream_refusals(request).await?.into_inner();
    let mut left = wanted.count.unwrap_or(u64::MAX);
    each(stream, |response| {
        match response.item {
            Some(stream_refusals_response::Item::Refusal(shot)) => {
                show_refusal(&shot, out)?;
                left = left.saturating_sub(1);
            }
            Some(stream_refusals_response::Item::Missed(count)) => missed(count, "refusals"),
            None => {}
        }
        Ok(left > 0)
    })
    .await
}

/// Reads a stream until it ends, `more` says that it is enough, or Ctrl-C: none of which is an error.
/// Neither is a server that goes away after the stream began: it has no more to say.
async fn each<T>(
    mut stream: Streaming<T>,
    mut more: impl FnMut(T) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let stop = tokio::signal::ctrl_c();
    tokio::pin!(stop);
    loop {
        let next = tokio::select! {
            next = stream.message() => next,
            _ = &mut stop => return Ok(()),
        };
        match next {
            Ok(Some(item)) => {
                if !more(item)? {
                    return Ok(());
                }
            }
            Ok(None) => return Ok(()),
            Err(status) if went_away(&status) => {
                eprintln!("the server went away");
                return Ok(());
            }
            Err(status) => return Err(status.into()),
        }
    }
}

fn went_away(status: &Status) -> bool {
    matches!(status.code(), Code::Unavailable | Code::Unknown | Code::Cancelled | Code::Internal)
}

fn missed(count: u64, what: &str) {
    eprintln!("warning: {count} {what} missed, this reader was slow");
}

const HEARTBEAT_HEAD: &str =
    "ROOM                  MODE          PLAYERS  TICK US p50/p99   LATE  JUDGED    HITS  REFUSED";

fn show_heartbeat(beat: v1::Heartbeat, out: Out) -> Result<(), Failure> {
    if out.json {
        return out.json(&beat);
    }
    let last = if beat.last { "  closed" } else { "" };
    out.line(&format!(
        "{:<20}  {:<12}  {:>7}  {:>15}  {:>5}  {:>6}  {:>6}  {}{last}",
        beat.room,
        beat.mode,
        beat.players,
        format!("{}/{}", beat.tick_time_us_p50, beat.tick_time_us_p99),
        beat.late_ticks,
        beat.shots_judged,
        beat.hits,
        by_rule(&beat.refused_shots),
    ))
}

fn show_refusal(shot: &v1::RefusedShot, out: Out) -> Result<(), Failure> {
    if out.json {
        return out.json(shot);
    }
    let unseen = if shot.unseen_death { " (had not seen her death)" } else { "" };
    out.line(&format!(
        "{}  {}  {}  shot {}  {}  {}: {}{unseen}",
        moment(shot.time_unix_ms),
        shot.room,
        shot.player,
        shot.number,
        shot.weapon_name,
        shot.rule,
        shot.reason,
    ))
}
