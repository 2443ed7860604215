//! The smallest game loop: joins a room, walks in a circle for ten seconds and fires now and then. Should its
//! node go away meanwhile, it goes on where the matchmaker sends it.
//!
//! `cargo run -p fairshot-client --example walk -- http://127.0.0.1:PORT MODE`, with the matchmaker's
//! address as the node prints it.

use fairshot_client::core::{ClientEvent, Fire};
use fairshot_client::{Client, JoinError, Matchmaker, Notice, Options, Phase, SILENCE_MAX, Seat};
use fairshot_units::Input;
use std::error::Error;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().ok_or("the matchmaker's address is missing")?;
    let mode = arguments.next().unwrap_or_else(|| "arena".into());

    // The game loop never waits for the matchmaker.
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let seat = runtime.block_on(find_seat(address.clone(), mode.clone()))?;
    println!("seat in {} at {}", seat.room_id, seat.address);

    let began = Instant::now();
    let mut client = Client::connect(began, seat, Options::default())?;
    let mut leaving = false;
    let mut asked: Option<JoinHandle<Result<Seat, JoinError>>> = None;
    loop {
        let now = Instant::now();
        let playing = client.poll(now) == Phase::Playing;
        while playing && client.tick(now, circle(now - began), false).is_some() {
            let held = client.session().map(|session| session.held());
            if let Some(weapon) = held {
                // A trigger that cannot be pulled now costs nothing: no round, no packet.
                let _ = client.fire(now, Fire { weapon, direction: None });
            }
        }
        while let Some(event) = client.next_event() {
            match event {
                ClientEvent::Welcomed(welcome) => println!("welcome, {}", welcome.player),
                ClientEvent::Marker { number, hits, .. } => {
                    println!("{number:?}: {} hits", hits.len())
                }
                ClientEvent::MarkerSettled { number, fate } => println!("{number:?}: {fate:?}"),
                _ => {}
            }
        }
        while let Some(notice) = client.next_notice() {
            println!("{notice:?}");
            match notice {
                // The node may be gone: the matchmaker knows where else to play.
                Notice::Unreachable if asked.is_none() => {
                    asked = Some(runtime.spawn(find_seat(address.clone(), mode.clone())));
                }
                Notice::Unreachable | Notice::Rejoining { .. } => {}
                Notice::Ended(_) => return Ok(()),
            }
        }
        if let Some(answer) = asked.take_if(|asked| asked.is_finished()) {
            // Heard of meanwhile, her own server is the better one.
            if client.silent_for(now).is_none_or(|silent| silent >= SILENCE_MAX) {
                client.take_seat(now, runtime.block_on(answer)??)?;
            }
        }
        if now - began > Duration::from_secs(10) && !leaving {
            leaving = true;
            client.leave(now);
        }
        client.flush(now);
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Asks until there is one, for a minute at the most.
async fn find_seat(address: String, mode: String) -> Result<Seat, JoinError> {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let asked = async { Matchmaker::connect(&address, None).await?.join(&mode).await };
        match asked.await {
            Err(error) if error.may_retry() && Instant::now() < until => {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            answer => return answer,
        }
    }
}

/// Forward, turning once in four seconds.
fn circle(since: Duration) -> Input {
    let turns = since.as_secs_f64() / 4.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a turn")]
    Input { forward: 127, yaw: (turns.fract() * 65536.0) as u16, ..Input::default() }
}
