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

use crate::arms::Arms;
use crate::body::{OwnBody, Predictor};
use crate::clock::Clock;
use crate::event::EventQueue;
use crate::outbox::Outbox;
use crate::screen::{Drawn, Moment, Screen};
use crate::settings::GameSettings;
use crate::shots::{OwnShot, OwnShots, ShotFate};
use crate::trace::{Pull, Sight, look};
use crate::{CannotFire, ClientError, ClientEvent, Forgery, Stats};
use bytes::Bytes;
use fairshot_ledger::Inventory;
use fairshot_mode::{Judge, Weapon, WeaponKind};
use fairshot_units::{EntityId, EntityState, Input, Life, MessageNumber, Tick, ViewStep, WeaponId};
use fairshot_wire::snapshot::SnapshotReader;
use fairshot_wire::{
    DecodeError, Down, DownReader, Event, Frame, GameCommand, Hello, Named, PROTOCOL_VERSION, Shot,
    StreamReader, Up, Value, Welcome,
};
use fairshot_world::direction_of;
use glam::Vec3;
use std::collections::{BTreeMap, VecDeque};
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
}

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
    state: State,
    known_settings: Option<Arc<GameSettings>>,
    game: Option<Game>,
    stream: StreamReader,
    down: DownReader,
    /// The rest of a batch whose events did not all fit the queue.
    staged: VecDeque<(Tick, Event)>,
    /// The batch all of whose events were handed on last.
    batch: u32,
    batch_staged: u32,
    events: EventQueue,
    stream_out: VecDeque<Bytes>,
    commands: u32,
    stats: Stats,
    forgery: Forgery,
}

/// What exists once the room took the player in.
#[derive(Debug)]
struct Game {
    settings: Arc<GameSettings>,
    own: EntityId,
    reader: SnapshotReader,
    clock: Clock,
    screen: Screen,
    predictor: Predictor,
    arms: Arms,
    outbox: Outbox,
    shots: OwnShots,
    team: u8,
    /// The last frame made, and where it looked.
    frame: Option<(MessageNumber, Input)>,
    /// A datagram has something new to say.
    fresh: bool,
    last_fired_us: BTreeMap<WeaponId, u64>,
}

impl PlayerClient {
    /// A session about to say hello.
    #[must_use]
    pub fn new(options: ClientOptions) -> Self {
        let ClientOptions { ticket, traceparent, settings } = options;
        let hello = Up::Hello(Hello { version: PROTOCOL_VERSION, ticket, traceparent });
        Self {
            state: State::Joining,
            known_settings: settings,
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

    /// Sends a game's own command; the reply names the number returned.
    pub fn command(&mut self, name: &str, value: Value, now_us: u64) -> Option<u32> {
        let view = self.view(now_us)?;
        if !value.is_sendable() {
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
        game.outbox.write(game.reader.ack(), self.batch, limit_bytes, out);
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
        game.moment(now_us).map_or_else(Vec::new, |at| game.screen.draw(&at).collect())
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

    /// Tells lies from now on: for the cheats that a server is tried against.
    pub fn forge(&mut self, forgery: Forgery) {
        self.forgery = forgery;
    }

    // ---- inside ----

    fn send(&mut self, up: &Up) {
        if self.state != State::Ended {
            self.stream_out.push_back(up.to_bytes());
        }
    }

    /// Reads messages while the queue has room.
    fn read_on(&mut self) -> Result<(), ClientError> {
        loop {
            while let Some((tick, event)) = self.staged.pop_front_if(|_| !self.events.is_full()) {
                self.take_event(tick, event);
            }
            if !self.staged.is_empty() || self.events.is_full() {
                return Ok(());
            }
            self.acknowledge_staged();
            let message = self.stream.next_message().map_err(ClientError::Message)?;
            let Some(message) = message else { return Ok(()) };
            let down = self.down.read(message).map_err(ClientError::Message)?;
            self.take_message(down)?;
        }
    }

    fn acknowledge_staged(&mut self) {
        if self.batch != self.batch_staged {
            self.batch = self.batch_staged;
            if let Some(game) = &mut self.game {
                game.fresh = true;
            }
        }
    }

    fn take_message(&mut self, down: Down) -> Result<(), ClientError> {
        if let Down::Closing { code, reason } = down {
            self.events.push(ClientEvent::Closing { code, reason });
            self.state = State::Ended;
            return Ok(());
        }
        if let Down::Welcome(welcome) = down {
            return self.take_welcome(welcome);
        }
        let game = self.game.as_mut().ok_or(ClientError::Welcome)?;
        match down {
            Down::Command { revision, command } => {
                if game.arms.apply(revision, &command).is_ok() {
                    self.events.push(ClientEvent::Commanded { revision, command });
                } else {
                    self.events.push(ClientEvent::Diverged { revision });
                    self.send(&Up::ApplyFailed { revision });
                }
            }
            Down::RespawnGrant { life } => {
                game.arms.take_grant(life);
                self.events.push(ClientEvent::Granted { life });
            }
            Down::Events(batch) => {
                let due = self.batch_staged.wrapping_add(1);
                if batch.number != due {
                    return Err(ClientError::Batch { due, got: batch.number });
                }
                self.stats.batches += 1;
                self.stats.events += batch.events.len() as u64;
                self.batch_staged = batch.number;
                self.staged.extend(batch.events.into_iter().map(|event| (batch.tick, event)));
            }
            Down::GameReply { number, reply } => {
                self.events.push(ClientEvent::Reply { number, reply });
            }
            Down::Welcome(_) | Down::Closing { .. } => {}
        }
        Ok(())
    }

    fn take_welcome(&mut self, welcome: Box<Welcome>) -> Result<(), ClientError> {
        if self.game.is_some() {
            return Err(ClientError::Welcome);
        }
        let settings = match self.known_settings.take() {
            Some(known) if known.is_of(&welcome.mode) => known,
            _ => Arc::new(GameSettings::parse(&welcome.mode)?),
        };
        self.game = Some(Game::new(&welcome, settings));
        if self.state == State::Joining {
            self.state = State::Playing;
        }
        self.events.push(ClientEvent::Welcomed(welcome));
        Ok(())
    }

    fn take_event(&mut self, tick: Tick, event: Event) {
        let Some(game) = &mut self.game else { return };
        match &event {
            Event::ShotJudged(judged) if judged.shooter == game.own => {
                game.shots.judged(judged, tick, &mut self.stats, &mut self.events);
            }
            Event::ShotRefused { number, unseen_death, .. } => {
                game.shots.explained(*number, *unseen_death, &mut self.stats);
            }
            Event::Killed { target, life, source, .. } => {
                self.stats.kills += u64::from(*source == Some(game.own));
                game.shots.fell(*target, *life, tick);
            }
            Event::Joined(joined) if joined.entity == game.own => game.team = joined.team,
            _ => {}
        }
        self.events.push(ClientEvent::Room { tick, event });
    }
}

impl Game {
    fn new(welcome: &Welcome, settings: Arc<GameSettings>) -> Self {
        let mode = &settings.mode;
        Self {
            own: welcome.entity,
            reader: SnapshotReader::new(welcome.entity, welcome.tick),
            clock: Clock::new(
                welcome.tick,
                welcome.tick_hz,
                welcome.snapshot_every,
                mode.interpolation_delay_max_s,
            ),
            screen: Screen::new(welcome.snapshot_every),
            predictor: Predictor::new(welcome.life),
            arms: Arms::new(Arc::clone(&settings.catalogue), mode.ammunition),
            outbox: Outbox::default(),
            shots: OwnShots::default(),
            team: EntityState::NO_TEAM,
            frame: None,
            fresh: false,
            last_fired_us: BTreeMap::new(),
            settings,
        }
    }

    fn take_snapshot(
        &mut self,
        bytes: &[u8],
        now_us: u64,
        stats: &mut Stats,
    ) -> Result<(), DecodeError> {
        let newest = self.screen.newest();
        let snapshot = self.reader.read(bytes)?;
        stats.snapshots += 1;
        stats.snapshots_partial += u64::from(!snapshot.complete);
        self.clock.arrived(snapshot.tick, now_us);
        self.outbox.settle(&snapshot.acks);
        if newest.is_none_or(|newest| snapshot.tick.since(newest) > 0) {
            let reconciled = self.predictor.reconcile(&snapshot.own, &self.settings);
            stats.corrections += u64::from(reconciled.off_m > 0.0);
            stats.correction_m_max = stats.correction_m_max.max(reconciled.off_m);
            stats.deaths += u64::from(reconciled.died);
            stats.respawns += u64::from(reconciled.respawned);
        }
        self.screen.insert(snapshot);
        Ok(())
    }

    fn moment(&self, now_us: u64) -> Option<Moment> {
        let wanted = match self.clock.view(now_us) {
            Some(view) => view,
            None => ViewStep::at(self.screen.newest()?),
        };
        self.screen.moment(wanted)
    }

    fn make_frame(
        &mut self,
        input: Input,
        firing: bool,
        now_us: u64,
        forgery: &Forgery,
    ) -> Option<MessageNumber> {
        self.clock.frame(now_us);
        let view = self.moment(now_us)?.step;
        self.screen.trim(view);
        let alive = self.predictor.body().is_some_and(|body| body.alive);
        let report = self.arms.frame(firing && alive);
        let input = Input { pitch: input.pitch.clamp(-16384, 16384), ..input };
        self.outbox.push_frame(Frame {
            number: report.number,
            life: report.life,
            revision: report.rev,
            input,
            view,
            held: forgery.held.unwrap_or(report.held),
            total: forgery.frozen_total.unwrap_or(report.total),
            clip: report.clip,
            firing: report.firing,
        });
        self.predictor.step(report.number, report.life, input, &self.settings);
        self.frame = Some((report.number, input));
        self.fresh = true;
        Some(report.number)
    }

    fn pull(&mut self, fire: Fire, now_us: u64, forgery: &Forgery) -> Result<OwnShot, CannotFire> {
        let (frame, input) = self.frame.ok_or(CannotFire::NotPlaying)?;
        let moment = self.moment(now_us).ok_or(CannotFire::NotPlaying)?;
        let body = *self.predictor.body().ok_or(CannotFire::NotPlaying)?;
        // The grant may be on its way still: until it is taken, a shot would be of the old life.
        let lives = body.alive && body.life == self.arms.life();
        if !lives && !forgery.any_state {
            return Err(CannotFire::Dead);
        }
        let settings = Arc::clone(&self.settings);
        let weapon = settings.catalogue.get(fire.weapon);
        let weapon = weapon.ok_or(CannotFire::Unknown(fire.weapon))?;
        self.check_trigger(weapon, now_us, forgery)?;
        let report = if forgery.any_weapon {
            self.arms.fire_anyway(fire.weapon)
        } else {
            self.arms.fire(fire.weapon).ok_or(CannotFire::Ammo)?
        };
        self.last_fired_us.insert(fire.weapon, now_us);

        let eye = Vec3::new(0.0, settings.mode.body.eye_height_m, 0.0);
        let origin_m = forgery.origin_m.unwrap_or(body.state.position_m + eye);
        let direction = fire.direction.unwrap_or_else(|| direction_of(input.yaw, input.pitch));
        let pull = Pull { shooter: self.own, team: self.team, weapon, origin_m, direction };
        let sight = if weapon.kind == WeaponKind::Instant {
            look(&self.screen, &moment, &settings, &pull)
        } else {
            Sight::default()
        };
        let seen = sight.hits(|hit| self.screen.lives_on(hit.target, hit.life));
        let names = if weapon.judge == Judge::Client {
            seen.iter().map(|hit| Named { pellet: hit.pellet, target: hit.target }).collect()
        } else {
            Vec::new()
        };
        let view = forgery.view.unwrap_or(moment.step);
        self.outbox.push_shot(Shot {
            number: report.number,
            life: report.life,
            revision: report.rev,
            weapon: fire.weapon,
            total: forgery.frozen_total.unwrap_or(report.total),
            frame,
            view,
            origin_m,
            direction,
            names,
        });
        self.fresh = true;
        Ok(OwnShot {
            number: report.number,
            weapon: fire.weapon,
            view,
            seen,
            fate: ShotFate::Waiting,
            sight,
        })
    }

    fn check_trigger(
        &self,
        weapon: &Weapon,
        now_us: u64,
        forgery: &Forgery,
    ) -> Result<(), CannotFire> {
        if !matches!(weapon.kind, WeaponKind::Instant | WeaponKind::Projectile) {
            return Err(CannotFire::Kind(weapon.id));
        }
        if !self.outbox.has_room_for_a_shot() {
            return Err(CannotFire::Unanswered);
        }
        if forgery.any_rate {
            return Ok(());
        }
        let Some(last_us) = self.last_fired_us.get(&weapon.id) else { return Ok(()) };
        let since_s = std::time::Duration::from_micros(now_us.saturating_sub(*last_us));
        if since_s.as_secs_f32() * weapon.shots_per_second < 1.0 {
            return Err(CannotFire::Rate);
        }
        Ok(())
    }
}

impl PlayerClient {
    /// The life the client is in: the last grant taken from the stream.
    #[must_use]
    pub fn life(&self) -> Option<Life> {
        self.game.as_ref().map(|game| game.arms.life())
    }
}
