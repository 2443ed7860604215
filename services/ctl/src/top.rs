//! `top`: a live view of rooms, with what is refused in them by rule.

mod draw;
mod model;

use crate::connect::Client;
use crate::error::Failure;
use fairshot_proto::v1::{self, stream_heartbeats_response};
use model::{Key, Model};
use ratatui::Terminal;
use ratatui::backend::{Backend, TermionBackend};
use std::io::{self, IsTerminal};
use std::time::Duration;
use termion::event::Key as Pressed;
use termion::input::TermRead;
use termion::raw::IntoRawMode;
use termion::screen::IntoAlternateScreen;
use tokio::sync::mpsc;
use tonic::Streaming;

/// How often the view is drawn where nothing happens: ages go on.
const DRAW_EVERY: Duration = Duration::from_millis(500);
const KEYS_WAITING_MAX: usize = 64;

pub(crate) async fn run(mut client: Client) -> Result<(), Failure> {
    if !std::io::stdout().is_terminal() {
        return Err(Failure::Usage(
            "top needs a terminal; for scripts there is heartbeats --json".into(),
        ));
    }
    let request = v1::StreamHeartbeatsRequest::default();
    let stream = client.stream_heartbeats(request).await?.into_inner();
    // Dropped at whatever end, the two give the terminal back as it was.
    let screen = io::stdout().into_raw_mode()?.into_alternate_screen()?;
    let mut terminal = Terminal::new(TermionBackend::new(screen))?;
    terminal.hide_cursor()?;
    let ended = show(&mut terminal, stream, keys()).await;
    terminal.show_cursor()?;
    ended
}

async fn show<B: Backend<Error = io::Error>>(
    terminal: &mut Terminal<B>,
    mut stream: Streaming<v1::StreamHeartbeatsResponse>,
    mut keys: mpsc::Receiver<Key>,
) -> Result<(), Failure> {
    let mut model = Model::default();
    let mut redraw = tokio::time::interval(DRAW_EVERY);
    let mut connected = true;
    loop {
        terminal.draw(|frame| draw::draw(frame, &model))?;
        tokio::select! {
            response = stream.message(), if connected => match response {
                Ok(Some(response)) => match response.item {
                    Some(stream_heartbeats_response::Item::Heartbeat(beat)) => model.take(beat),
                    Some(stream_heartbeats_response::Item::Missed(count)) => model.missed(count),
                    None => {}
                },
                Ok(None) => {
                    connected = false;
                    model.gone("the server stopped; q leaves");
                }
                Err(status) => {
                    connected = false;
                    model.gone(&format!("{}; q leaves", status.message()));
                }
            },
            key = keys.recv() => match key {
                Some(Key::Quit) | None => return Ok(()),
                Some(key) => model.key(key),
            },
            _ = redraw.tick() => {}
        }
    }
}

/// Keys come from a thread of their own, since reading the terminal blocks.
fn keys() -> mpsc::Receiver<Key> {
    let (to, keys) = mpsc::channel(KEYS_WAITING_MAX);
    std::thread::spawn(move || {
        for pressed in io::stdin().keys().map_while(Result::ok) {
            let key = match pressed {
                Pressed::Char('q') | Pressed::Esc | Pressed::Ctrl('c') => Key::Quit,
                Pressed::Up | Pressed::Char('k') => Key::Up,
                Pressed::Down | Pressed::Char('j') => Key::Down,
                Pressed::Char('s') => Key::Sort,
                Pressed::Char('a') => Key::All,
                _ => continue,
            };
            if to.blocking_send(key).is_err() {
                return;
            }
        }
    });
    keys
}
