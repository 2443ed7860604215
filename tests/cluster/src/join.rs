//! Asking for seats.

use crate::Args;
use crate::figures::Event;
use fairshot_proto::v1::matchmaking_client::MatchmakingClient;
use fairshot_proto::v1::{JoinRequest, JoinResponse, ListRequest};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tokio::time::{interval, timeout};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};
use tonic_types::StatusExt;

/// The replicas, and whose turn it is.
pub(crate) struct Matchmakers {
    channels: Vec<Channel>,
    next: AtomicUsize,
    mode: String,
    deadline: Duration,
}

/// A seat on its way to the players' thread.
pub(crate) struct Seated {
    pub(crate) answer: JoinResponse,
    pub(crate) asked_at: Instant,
    /// When the session before this one ended, for a player who came back.
    pub(crate) lost_at: Option<Instant>,
}

impl Matchmakers {
    pub(crate) fn new(args: &Args) -> Self {
        let channels = args.connect.iter().filter_map(|address| {
            let endpoint = Endpoint::from_shared(format!("http://{address}")).ok()?;
            Some(endpoint.connect_timeout(Duration::from_secs(1)).tcp_nodelay(true))
        });
        Self {
            // A lazy channel needs the runtime when it is first used, not now.
            channels: channels.map(|endpoint| endpoint.connect_lazy()).collect(),
            next: AtomicUsize::new(0),
            mode: args.mode.clone(),
            deadline: Duration::from_secs_f64(args.deadline),
        }
    }

    /// One join: at the next replica, and at the others while one cannot be reached.
    pub(crate) async fn join(&self) -> Result<JoinResponse, Status> {
        let mut last = Status::unavailable("no matchmaker is named");
        for _ in 0..self.channels.len() {
            let turn = self.next.fetch_add(1, Ordering::Relaxed) % self.channels.len();
            let mut client = MatchmakingClient::new(self.channels[turn].clone());
            let request = JoinRequest { mode: self.mode.clone(), ..JoinRequest::default() };
            match timeout(self.deadline, client.join(request)).await {
                Ok(Ok(answer)) => return Ok(answer.into_inner()),
                Ok(Err(status)) => {
                    // A replica that answers has said its word; one that cannot be reached has not.
                    let answered = status.get_details_retry_info().is_some();
                    last = status;
                    if answered || last.code() != Code::Unavailable {
                        break;
                    }
                }
                Err(_) => last = Status::deadline_exceeded("no answer in time"),
            }
        }
        Err(last)
    }
}

/// Every join of the run, at its rate; a slow answer holds up none of the others.
pub(crate) async fn ask_all(
    args: Args,
    matchmakers: std::sync::Arc<Matchmakers>,
    seats: Option<mpsc::Sender<Seated>>,
    events: mpsc::Sender<Event>,
) {
    let mut turns = interval(Duration::from_secs_f64(1.0 / args.rate.max(0.01)));
    let mut asked = Vec::new();
    for _ in 0..args.joins {
        turns.tick().await;
        let (matchmakers, seats, events) = (matchmakers.clone(), seats.clone(), events.clone());
        asked.push(tokio::spawn(async move {
            ask_once(&matchmakers, seats.as_ref(), &events, None).await;
        }));
    }
    for one in asked {
        let _ = one.await;
    }
}

/// One join, told and passed on; false if it was refused.
pub(crate) async fn ask_once(
    matchmakers: &Matchmakers,
    seats: Option<&mpsc::Sender<Seated>>,
    events: &mpsc::Sender<Event>,
    lost_at: Option<Instant>,
) -> bool {
    let asked_at = Instant::now();
    match matchmakers.join().await {
        Ok(answer) => {
            let _ = events.send(Event::seated(&answer, asked_at));
            if let Some(seats) = seats {
                let _ = seats.send(Seated { answer, asked_at, lost_at });
            }
            true
        }
        Err(status) => {
            let retry = status.get_details_retry_info().and_then(|info| info.retry_delay);
            let _ = events.send(Event::Refused {
                code: format!("{:?}", status.code()),
                words: status.message().to_owned(),
                retry,
            });
            false
        }
    }
}

/// The rooms that the first matchmaker lists, page by page.
pub(crate) async fn list(args: &Args) -> Value {
    let address = args.connect.first().cloned().unwrap_or_default();
    let listed = async {
        let mut client = MatchmakingClient::connect(format!("http://{address}"))
            .await
            .map_err(|error| Status::unavailable(error.to_string()))?;
        let began = Instant::now();
        let (mut rooms, mut page_token) = (Vec::new(), String::new());
        loop {
            let request = ListRequest {
                mode: args.mode.clone(),
                page_size: 1_000,
                page_token,
                ..ListRequest::default()
            };
            let page = client.list(request).await?.into_inner();
            rooms.extend(page.rooms.into_iter().map(|room| room.room_id));
            page_token = page.next_page_token;
            if page_token.is_empty() {
                return Ok::<_, Status>((rooms, began.elapsed()));
            }
        }
    };
    match listed.await {
        Ok((rooms, took)) => json!({ "rooms": rooms, "ms": took.as_secs_f64() * 1_000.0 }),
        Err(status) => json!({ "error": status.message() }),
    }
}
