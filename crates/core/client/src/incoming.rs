//! The stream as it comes: messages while the event queue has room, a batch acknowledged once all of
//! its events went to the queue.

use crate::client::{PlayerClient, State};
use crate::game::Game;
use crate::settings::GameSettings;
use crate::{ClientError, ClientEvent};
use fairshot_units::Tick;
use fairshot_wire::{Down, Event, Up, Welcome};
use std::sync::Arc;

impl PlayerClient {
    pub(crate) fn send(&mut self, up: &Up) {
        if self.state != State::Ended {
            self.stream_out.push_back(up.to_bytes());
        }
    }

    /// Reads messages while the queue has room.
    pub(crate) fn read_on(&mut self) -> Result<(), ClientError> {
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
            _ => Arc::new(GameSettings::parse(&welcome.mode, &self.assets)?),
        };
        self.game = Some(Game::new(&welcome, settings, self.smooth));
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
            Event::Mover { mover, centre_m, motion } => {
                game.doors.told(tick, *mover, crate::doors::state_of(*centre_m, motion));
            }
            _ => {}
        }
        self.events.push(ClientEvent::Room { tick, event });
    }
}
