//! The modes a process holds: checked settings, the text its clients get, the static world its rooms
//! share, and the game's own code laid over them.

use bytes::Bytes;
use fairshot_mode::{Catalogue, Mode};
use fairshot_relay::Names;
use fairshot_room::{Game, PlainGame};
use fairshot_world::StaticWorld;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Modes that differ in their number of monsters only, by that number.
type Variants = Vec<(u16, Weak<Mode>)>;

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
    /// The mode's recurring texts, shared by its rooms.
    pub(crate) names: Arc<Names>,
    game: GameFactory,
    /// This mode with other numbers of monsters, while a room has it.
    variants: Arc<Mutex<Variants>>,
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
            names: Arc::new(Names::of(&mode)),
            mode,
            game: Arc::new(|| Box::new(PlainGame)),
            variants: Arc::default(),
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
        Self {
            text: Bytes::from(mode.to_toml()),
            names: Arc::new(Names::of(&mode)),
            mode: Arc::new(mode),
            variants: Arc::default(),
            ..self.clone()
        }
    }

    /// The same mode with another number of monsters; rooms of the same number share it.
    #[must_use]
    pub fn with_monsters(&self, monsters: Option<u16>) -> Self {
        match monsters {
            // How many there are is nothing a client reads, so its text stays the shared one.
            Some(count) => Self { mode: self.variant(count), ..self.clone() },
            None => self.clone(),
        }
    }

    fn variant(&self, count: u16) -> Arc<Mode> {
        let mut variants = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        // What no room has any more is forgotten here, so rooms bound the list.
        variants.retain(|(_, mode)| mode.strong_count() > 0);
        let known = variants.iter().find(|(of, _)| *of == count);
        if let Some(mode) = known.and_then(|(_, mode)| mode.upgrade()) {
            return mode;
        }
        let mode = Arc::new(self.mode.with_monsters(count));
        variants.push((count, Arc::downgrade(&mode)));
        mode
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

#[cfg(test)]
mod tests {
    use super::*;
    use fairshot_mode::presets;

    #[test]
    fn rooms_with_the_same_number_of_monsters_share_one_mode_while_one_of_them_lives() {
        let loaded = LoadedMode::new(Arc::new(presets::arena()));
        let first = loaded.with_monsters(Some(7));
        let second = loaded.clone().with_monsters(Some(7));
        let other = loaded.with_monsters(Some(8));
        assert!(Arc::ptr_eq(&first.mode, &second.mode));
        assert!(!Arc::ptr_eq(&first.mode, &other.mode));
        drop((first, second));
        assert_eq!(*loaded.with_monsters(Some(7)).mode, presets::arena().with_monsters(7));
        assert_eq!(loaded.variants.lock().expect("no panic").len(), 2, "a dead one gives way");
    }

    #[test]
    fn other_rules_make_other_variants() {
        let loaded = LoadedMode::new(Arc::new(presets::arena()));
        let before = loaded.with_monsters(Some(7));
        let after = loaded.with_mode(presets::arena()).with_monsters(Some(7));
        assert!(!Arc::ptr_eq(&before.mode, &after.mode));
    }
}
