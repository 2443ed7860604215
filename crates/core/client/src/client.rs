//! [`PlayerClient`]: one player's session, driven by a game loop.
//!
//! The driver, in any order and as often as it likes:
//! 1. gives what came: [`handle_datagram`](PlayerClient::handle_datagram), and while
//!    [`wants_stream`](PlayerClient::wants_stream), [`handle_stream`](PlayerClient::handle_stream);
//! 2. while [`frame_due`](PlayerClient::frame_due), makes a [`frame`](PlayerClient::frame), and after
//!    it [`fire`](PlayerClient::fire)s what the player fired;
//! 3. sends what there is: [`poll_datagram`](PlayerClient::poll_datagram) once after its frames, and
//!    [`poll_stream`](PlayerClient::poll_stream) until it gives nothing;
//! 4. takes events: [`poll_event`](PlayerClient::poll_event) until it gives nothing. While 512 wait,
//!    the stream is not read on, so the server's patience is the limit of a game loop's.

use crate::body::OwnBody;
use crate::event::EventQueue;
use crate::game::Game;
use crate::screen::Drawn;
use crate::settings::{Assets, GameSettings};
use crate::shots::OwnShot;
use crate::{CannotFire, ClientError, ClientEvent, Forgery, Liar, Stats};
use bytes::Bytes;
use fairshot_ledger::Inventory;
use fairshot_units::{EntityId, EntityState, Input, Life, MessageNumber, Tick, ViewStep, WeaponId};
use fairshot_wire::{
    DownReader, Event, GameCommand, Hello, PROTOCOL_VERSION, StreamReader, Up, Value,
};
use fairshot_world::MoverState;
use glam::Vec3;
use std::collections::VecDeque;
use std::sync::Arc;

/// What a session starts with.
#[derive(Clone, Debug, Default)]
pub struct ClientOptions {
    /// From the matchmaker, or from the last welcome.
    pub ticket: Bytes,
    /// A W3C `traceparent`.
    pub traceparent: Option<Arc<str>>,
    /// Another client's settings, used again where the welcome brings the same text.
    pub settings: Option<Arc<GameSettings>>,
    /// The game's files, where its modes name terrain or meshes.
    pub assets: Assets,
}

/// Messages up that may wait to be sent before commands are refused.
const STREAM_MESSAGES_MAX: usize = 256;

/// How far a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The hello is sent or waits to be; no welcome yet.
    Joining,
    Playing,
    /// The server said it closes, or the client said goodbye.
    Ended,
}

/// One pull of the trigger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fire {
    pub weapon: WeaponId,
    /// Of unit length; `None` is where the last frame looked.
    pub direction: Option<Vec3>,
}

/// One player's session. See the module's head for how it is driven.
#[derive(Debug)]
pub struct PlayerClient {
    pub(crate) state: State,
    pub(crate) known_settings: Option<Arc<GameSettings>>,
    pub(crate) assets: Assets,
    pub(crate) smooth: bool,
    pub(crate) game: Option<Game>,
    pub(crate) stream: StreamReader,
    pub(crate) down: DownReader,
    /// The rest of a batch whose events did not all fit the queue.
    pub(crate) staged: VecDeque<(Tick, Event)>,
    /// The batch all of whose events were handed on last.
    pub(crate) batch: u32,
    pub(crate) batch_staged: u32,
    pub(crate) events: EventQueue,
    pub(crate) stream_out: VecDeque<Bytes>,
    pub(crate) commands: u32,
    pub(crate) stats: Stats,
    pub(crate) forgery: Forgery,
    pub(crate) liar: Option<Box<dyn Liar>>,
}

impl PlayerClient {
    /// A session about to say hello.
    #[must_use]
    pub fn new(options: ClientOptions) -> Self {
        let ClientOptions { ticket, traceparent, settings, assets } = options;
        let hello = Up::Hello(Hello { version: PROTOCOL_VERSION, ticket, traceparent });
        Self {
            state: State::Joining,
            known_settings: settings,
            assets,
            smooth: false,
            game: None,
            stream: StreamReader::down(),
            down: DownReader::default(),
            staged: VecDeque::new(),
            batch: 0,
            batch_staged: 0,
            events: EventQueue::default(),
            stream_out: VecDeque::from([hello.to_bytes()]),
            commands: 0,
            stats: Stats::default(),
            forgery: Forgery::default(),
            liar: None,
        }
    }

    // ---- what came ----

    /// Takes a datagram. Snapshots that came twice, too late or without their base are counted, and
    /// so is anything else that cannot be read: a datagram never ends a session.
    pub fn handle_datagram(&mut self, bytes: &[u8], now_us: u64) {
        self.stats.datagrams_down += 1;
        self.stats.datagram_bytes_down += bytes.len() as u64;
        let Some(game) = &mut self.game else {
            *self.stats.snapshots_refused.entry("early").or_default() += 1;
            return;
        };
        if let Err(error) = game.take_snapshot(bytes, now_us, &mut self.stats) {
            *self.stats.snapshots_refused.entry(error.label()).or_default() += 1;
        }
    }

    /// Whether the stream may be read on: false while events wait for the game loop.
    #[must_use]
    pub fn wants_stream(&self) -> bool {
        !self.events.is_full() && self.staged.is_empty()
    }

    /// Takes bytes of the ordered stream.
    ///
    /// # Errors
    /// [`ClientError`]: the session is over, close the connection.
    pub fn handle_stream(&mut self, bytes: &[u8]) -> Result<(), ClientError> {
        self.stats.stream_bytes_down += bytes.len() as u64;
        self.stream.push(bytes);
        self.read_on()
    }

    // ---- frames and shots ----

    /// Whether the next frame is due. Make at most one frame for each time this says so.
    #[must_use]
    pub fn frame_due(&self, now_us: u64) -> bool {
        self.next_frame_us().is_some_and(|due| due <= now_us)
    }

    /// When the next frame is due; `None` before the first snapshot.
    #[must_use]
    pub fn next_frame_us(&self) -> Option<u64> {
        self.game.as_ref().filter(|_| self.state == State::Playing)?.clock.due_us()
    }

    /// Makes a frame: one tick of input. `firing` holds the trigger of a continuous weapon in hand.
    /// `None` before the first snapshot.
    pub fn frame(&mut self, input: Input, firing: bool, now_us: u64) -> Option<MessageNumber> {
        let game = self.game.as_mut().filter(|_| self.state == State::Playing)?;
        game.clock.due_us()?;
        self.stats.frames += 1;
        let number = game.make_frame(input, firing, now_us, &self.forgery);
        self.stats.frames_given_up = game.outbox.frames_given_up;
        number
    }

    /// Pulls the trigger, after a frame: the shot leaves from where that frame put the body.
    ///
    /// # Errors
    /// [`CannotFire`]; nothing is spent or sent then.
    pub fn fire(&mut self, fire: Fire, now_us: u64) -> Result<MessageNumber, CannotFire> {
        let game = self.game.as_mut().filter(|_| self.state == State::Playing);
        let game = game.ok_or(CannotFire::NotPlaying)?;
        let shot = game.pull(fire, now_us, &self.forgery)?;
        let number = shot.number;
        game.shots.fired(shot, &mut self.stats, &mut self.events);
        Ok(number)
    }

    /// Brings a weapon to hand; false where it is not owned.
    pub fn arm(&mut self, weapon: WeaponId) -> bool {
        self.game.as_mut().is_some_and(|game| game.arms.arm(weapon))
    }

    /// Fills the held weapon's clip.
    pub fn reload(&mut self) {
        if let Some(game) = &mut self.game {
            game.arms.reload();
        }
    }

    /// Spends up to so many rounds of the held continuous weapon; how many went.
    pub fn burn(&mut self, rounds: u16) -> u16 {
        self.game.as_mut().map_or(0, |game| game.arms.burn(rounds))
    }

    /// Sends a game's own command; the reply names the number returned. `None` where nothing is drawn
    /// yet, the value passes the wire's caps, or 256 messages wait to be sent.
    pub fn command(&mut self, name: &str, value: Value, now_us: u64) -> Option<u32> {
        let view = self.view(now_us)?;
        if !value.is_sendable() || self.stream_out.len() >= STREAM_MESSAGES_MAX {
            return None;
        }
        self.commands = self.commands.wrapping_add(1);
        let number = self.commands;
        let command = GameCommand { number, name: Arc::from(name), view, value };
        self.send(&Up::GameCommand(command));
        Some(number)
    }

    /// Leaves: nothing is sent after the goodbye.
    pub fn leave(&mut self) {
        if self.state != State::Ended {
            self.send(&Up::Goodbye);
            self.state = State::Ended;
        }
    }

    // ---- what to send ----

    /// Appends the datagram to send, at most `limit_bytes`; false where there is nothing new to say.
    pub fn poll_datagram(&mut self, limit_bytes: usize, out: &mut Vec<u8>) -> bool {
        let Some(game) = self.game.as_mut().filter(|_| self.state == State::Playing) else {
            return false;
        };
        if !std::mem::take(&mut game.fresh) {
            return false;
        }
        let start = out.len();
        let (ack, liar) = (game.reader.ack(), &mut self.liar);
        if !game.outbox.write(ack, self.batch, limit_bytes, liar, out) {
            return false;
        }
        self.stats.datagrams_up += 1;
        self.stats.datagram_bytes_up += (out.len() - start) as u64;
        true
    }

    /// The next bytes for the ordered stream.
    pub fn poll_stream(&mut self) -> Option<Bytes> {
        let bytes = self.stream_out.pop_front()?;
        self.stats.stream_bytes_up += bytes.len() as u64;
        Some(bytes)
    }

    // ---- what happened ----

    /// The next event. Taking one lets the stream go on.
    ///
    /// # Errors
    /// [`ClientError`]: what the stream brought next could not be read.
    pub fn poll_event(&mut self) -> Result<Option<ClientEvent>, ClientError> {
        let event = self.events.pop();
        if event.is_some() {
            self.read_on()?;
        }
        Ok(event)
    }

    /// Events that wait for [`poll_event`](Self::poll_event), those of a batch read but not yet
    /// queued among them.
    #[must_use]
    pub fn events_waiting(&self) -> usize {
        self.events.len() + self.staged.len()
    }

    // ---- what the player sees ----

    #[must_use]
    pub fn state(&self) -> State {
        self.state
    }

    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The game's files, as given at the start.
    #[must_use]
    pub fn assets(&self) -> &Assets {
        &self.assets
    }

    /// The game's settings, once welcomed.
    #[must_use]
    pub fn settings(&self) -> Option<&Arc<GameSettings>> {
        self.game.as_ref().map(|game| &game.settings)
    }

    #[must_use]
    pub fn entity(&self) -> Option<EntityId> {
        self.game.as_ref().map(|game| game.own)
    }

    /// The step the screen shows: what a shot fired now names.
    #[must_use]
    pub fn view(&self, now_us: u64) -> Option<ViewStep> {
        self.game.as_ref()?.moment(now_us).map(|moment| moment.step)
    }

    /// Every other entity as the screen shows it now, by rising id.
    #[must_use]
    pub fn drawn(&self, now_us: u64) -> Vec<Drawn> {
        let Some(game) = &self.game else { return Vec::new() };
        game.moment(now_us).map_or_else(Vec::new, |at| game.screen.draw(&at))
    }

    /// The newest states that came, ahead of what the screen shows.
    #[must_use]
    pub fn newest_states(&self) -> &[EntityState] {
        self.game.as_ref().map_or(&[], |game| game.screen.newest_states())
    }

    #[must_use]
    pub fn newest_tick(&self) -> Option<Tick> {
        self.game.as_ref()?.screen.newest()
    }

    /// The mode's doors and lifts, where they stand as the last frame's input reaches the room: what the
    /// body is stepped against, and what shots meet.
    pub fn movers(&self) -> impl Iterator<Item = MoverState> + '_ {
        let movers = self.game.as_ref().map(|game| game.predictor.movers());
        movers.into_iter().flat_map(|movers| (0..movers.len()).filter_map(|at| movers.get(at)))
    }

    /// The player's own body, once the room has said where it is.
    #[must_use]
    pub fn body(&self) -> Option<&OwnBody> {
        self.game.as_ref()?.predictor.body()
    }

    /// The weapon in hand.
    #[must_use]
    pub fn held(&self) -> WeaponId {
        self.game.as_ref().map_or(WeaponId::FISTS, |game| game.arms.held())
    }

    /// Rounds left of a weapon; `None` where it is not held.
    #[must_use]
    pub fn rounds(&self, weapon: WeaponId) -> Option<u16> {
        self.game.as_ref()?.arms.total(weapon)
    }

    /// The life the client is in: the last grant taken from the stream.
    #[must_use]
    pub fn life(&self) -> Option<Life> {
        self.game.as_ref().map(|game| game.arms.life())
    }

    /// The inventory as the client has it.
    #[must_use]
    pub fn inventory(&self) -> Option<Inventory> {
        self.game.as_ref().map(|game| game.arms.inventory())
    }

    /// How far behind the newest the screen is drawn, in microseconds.
    #[must_use]
    pub fn interpolation_delay_us(&self) -> Option<u64> {
        self.game.as_ref().map(|game| game.clock.delay_us())
    }

    /// Shots that wait for their verdict.
    #[must_use]
    pub fn shots_waiting(&self) -> usize {
        self.game.as_ref().map_or(0, |game| game.shots.waiting())
    }

    /// The last sixteen shots the room ruled on, with their fates.
    #[must_use]
    pub fn last_shots(&self) -> &[OwnShot] {
        self.game.as_ref().map_or(&[], |game| game.shots.last())
    }

    /// Frames and shots the server has not acknowledged.
    #[must_use]
    pub fn unacknowledged(&self) -> (usize, usize) {
        self.game
            .as_ref()
            .map_or((0, 0), |game| (game.outbox.frames_waiting(), game.outbox.shots().len()))
    }

    /// Whether to draw on across lost snapshots instead of standing: smoother to look at, and judged at
    /// what the room sent, which may then be a little beside what was drawn. Off at first.
    pub fn draw_smoothly(&mut self, smooth: bool) {
        self.smooth = smooth;
        if let Some(game) = &mut self.game {
            game.screen.draw_smoothly(smooth);
        }
    }
}
