//! A room as bytes and back: the same inputs after a load give the same outputs as without it.
//!
//! What is left out is read by no tick: the refusals kept for operators. The mode, the static world and
//! the game's code are not in the bytes; they are given again at the load.

mod saved;
mod tokens;

use crate::core::Core;
use crate::game::Game;
use crate::{Room, RoomSetup};
use fairshot_units::Tick;
use fairshot_world::{History, LoadError, TargetShapes};
use saved::Saved;
use std::sync::Arc;

/// Bytes of a checkpoint at the most; more are not looked at.
pub const CHECKPOINT_BYTES_MAX: usize = 4 << 20;

/// Why bytes are no checkpoint of this room.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    #[error("a checkpoint of {0} bytes is over the limit")]
    Size(usize),
    #[error("the bytes are no checkpoint")]
    Bytes(#[source] postcard::Error),
    #[error("version {0} of a checkpoint is not known")]
    Version(u8),
    #[error("the checkpoint is of mode {found:?}, the room of {expected:?}")]
    Mode { found: String, expected: String },
    #[error("{0} of the checkpoint do not fit the mode")]
    Fit(&'static str),
    #[error("the history cannot be read")]
    History(#[source] LoadError),
    #[error("the game does not take its own state back")]
    Game,
}

impl CheckpointError {
    /// A short name that stays the same.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Size(_) => "size",
            Self::Bytes(_) => "bytes",
            Self::Version(_) => "version",
            Self::Mode { .. } => "mode",
            Self::Fit(_) => "fit",
            Self::History(_) => "history",
            Self::Game => "game",
        }
    }
}

const VERSION: u8 = 3;

impl Room {
    /// The room between two ticks, as bytes.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let saved = Saved::of(VERSION, &self.core, self.game.save());
        // Writing into memory fails for no value of these types.
        postcard::to_stdvec(&saved).unwrap_or_default()
    }

    /// A room from the bytes of another that was set up alike: same mode, world, doors and game.
    ///
    /// # Errors
    /// [`CheckpointError`] says what is wrong with the bytes; nothing is half loaded.
    pub fn load(
        setup: &RoomSetup,
        game: Box<dyn Game>,
        bytes: &[u8],
    ) -> Result<Self, CheckpointError> {
        if bytes.len() > CHECKPOINT_BYTES_MAX {
            return Err(CheckpointError::Size(bytes.len()));
        }
        let saved: Saved = postcard::from_bytes(bytes).map_err(CheckpointError::Bytes)?;
        if saved.version != VERSION {
            return Err(CheckpointError::Version(saved.version));
        }
        if saved.mode != setup.mode.name {
            let expected = setup.mode.name.clone();
            return Err(CheckpointError::Mode { found: saved.mode, expected });
        }
        let mut room = Self::new(setup, game);
        if !room.game.load(&saved.game) {
            return Err(CheckpointError::Game);
        }
        let names = room.names();
        room.core.take_back(saved, &names)?;
        Ok(room)
    }

    /// The last tick a checkpoint ran, without loading it.
    ///
    /// # Errors
    /// [`CheckpointError::Bytes`] where it is none.
    pub fn saved_tick(bytes: &[u8]) -> Result<Tick, CheckpointError> {
        let (saved, _): (saved::Head, _) =
            postcard::take_from_bytes(bytes).map_err(CheckpointError::Bytes)?;
        Ok(saved.tick)
    }

    /// The names a checkpoint may carry: the game's rules, and what its damage goes by.
    fn names(&self) -> Vec<&'static str> {
        let mut names = self.game.names();
        names.extend(self.core.judge.rule_names());
        names
    }
}

impl Core {
    fn take_back(&mut self, saved: Saved, names: &[&'static str]) -> Result<(), CheckpointError> {
        if saved.monsters.len() != self.monsters.len() {
            return Err(CheckpointError::Fit("monsters"));
        }
        if saved.seats.len() != self.seats.len() {
            return Err(CheckpointError::Fit("seats"));
        }
        if saved.lives.len() != self.lives.len() {
            return Err(CheckpointError::Fit("ids"));
        }
        let movers = self.movers.len();
        if (saved.movers.len(), saved.told.len()) != (movers, movers)
            || saved.mover_waits.len() != self.mover_waits.len()
        {
            return Err(CheckpointError::Fit("movers"));
        }
        let shapes = Arc::new(TargetShapes::new(&self.mode));
        self.history =
            History::load(&self.mode, shapes, &saved.history).map_err(CheckpointError::History)?;
        self.tick = saved.tick;
        self.clock_ticks = saved.clock_ticks;
        self.rng = crate::rng::Rng::new(saved.rng);
        self.lives = saved.lives;
        self.movers.load(&saved.movers);
        self.mover_waits = saved.mover_waits;
        self.told = saved.told;
        self.unheard.load(&saved.unheard, &self.movers);
        for (seat, saved) in saved.seats.into_iter().enumerate() {
            let player = saved.map(|saved| saved.into_player(seat, self, names)).transpose()?;
            self.teams[seat] =
                player.as_ref().map_or(fairshot_units::EntityState::NO_TEAM, |player| player.team);
            self.seats[seat] = player;
        }
        for (monster, saved) in self.monsters.iter_mut().zip(saved.monsters) {
            saved.put(monster);
        }
        self.projectiles.flying.clear();
        for saved in saved.flying {
            let projectile = saved.into_projectile(self)?;
            self.projectiles.flying.push(projectile);
        }
        for saved in saved.damage {
            let damage = saved.into_damage(names);
            self.queue_damage(damage);
        }
        self.since = saved.since.into_counts(names);
        self.total = saved.total.into_counts(names);
        Ok(())
    }
}
