//! The modes a process holds: checked settings, the text its clients get, the static world its rooms
//! share, and the game's own code laid over them.

use bytes::Bytes;
use fairshot_mode::{Catalogue, Mode};
use fairshot_room::{Game, PlainGame};
use fairshot_world::StaticWorld;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Makes the game of one room.
pub type GameFactory = Arc<dyn Fn() -> Box<dyn Game> + Send + Sync>;

/// One mode, ready to open rooms of.
#[derive(Clone)]
pub struct LoadedMode {
    pub mode: Arc<Mode>,
    /// The TOML text, sent to every client in its welcome.
    pub text: Bytes,
    pub world: Arc<StaticWorld>,
    /// The mode's weapons, shared by every inventory.
    pub catalogue: Arc<Catalogue>,
    game: GameFactory,
}

impl LoadedMode {
    /// A mode that a parser or [`Mode::check`] held to its ranges, in a world of its blocks alone.
    #[must_use]
    pub fn new(mode: Arc<Mode>) -> Self {
        let world = Arc::new(StaticWorld::build(&mode.arena));
        Self::with_world(mode, world)
    }

    /// A mode whose arena names terrain or meshes, with the world made of them.
    #[must_use]
    pub fn with_world(mode: Arc<Mode>, world: Arc<StaticWorld>) -> Self {
        Self {
            world,
            catalogue: Arc::new(mode.weapons.clone()),
            text: Bytes::from(mode.to_toml()),
            mode,
            game: Arc::new(|| Box::new(PlainGame)),
        }
    }

    /// The same mode with a game's own code in each of its rooms.
    #[must_use]
    pub fn with_game(mut self, game: GameFactory) -> Self {
        self.game = game;
        self
    }

    /// The same mode under other rules; clients that join from now on read these.
    #[must_use]
    pub fn with_mode(&self, mode: Mode) -> Self {
        let text = Bytes::from(mode.to_toml());
        Self { mode: Arc::new(mode), text, ..self.clone() }
    }

    /// The same mode with another number of monsters.
    #[must_use]
    pub fn with_monsters(&self, monsters: Option<u16>) -> Self {
        match monsters {
            // How many there are is nothing a client reads, so its text stays the shared one.
            Some(count) => Self { mode: Arc::new(self.mode.with_monsters(count)), ..self.clone() },
            None => self.clone(),
        }
    }

    #[must_use]
    pub fn new_game(&self) -> Box<dyn Game> {
        (self.game)()
    }
}

impl fmt::Debug for LoadedMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedMode").field("mode", &self.mode.name).finish_non_exhaustive()
    }
}

/// Every mode of a process, by name.
#[derive(Clone, Debug, Default)]
pub struct Modes(BTreeMap<String, LoadedMode>);

impl Modes {
    /// Adds a mode; one of the same name gives way.
    pub fn insert(&mut self, mode: LoadedMode) {
        self.0.insert(mode.mode.name.clone(), mode);
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&LoadedMode> {
        self.0.get(name)
    }

    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    pub fn iter(&self) -> impl Iterator<Item = &LoadedMode> {
        self.0.values()
    }
}
