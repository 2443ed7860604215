//! The game's settings as the welcome brings them, with what is built from them once.

use crate::ClientError;
use bytes::Bytes;
use fairshot_mode::{Catalogue, Mode};
use fairshot_world::{StaticWorld, TargetShapes};
use std::fmt;
use std::sync::Arc;

/// Gives the bytes of a file that a mode names, terrain or a mesh, or why there are none; the number is
/// how many there may be.
#[derive(Clone)]
pub struct Assets(Arc<ReadAsset>);

/// Reads one file of the game's assets.
pub type ReadAsset = dyn Fn(&str, u64) -> Result<Vec<u8>, String> + Send + Sync;

impl Assets {
    pub fn new(
        read: impl Fn(&str, u64) -> Result<Vec<u8>, String> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(read))
    }
}

impl Default for Assets {
    /// None at all: enough for arenas of boxes.
    fn default() -> Self {
        Self::new(|_, _| Err("the client was given no assets".to_owned()))
    }
}

impl fmt::Debug for Assets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Assets")
    }
}

/// A mode and the world built from it. Clients of one process share it: hand one client's to the next.
#[derive(Debug)]
pub struct GameSettings {
    pub mode: Mode,
    pub catalogue: Arc<Catalogue>,
    pub world: StaticWorld,
    pub shapes: TargetShapes,
    text: Bytes,
}

impl GameSettings {
    /// # Errors
    /// [`ClientError::Mode`] where the text is no mode, or a file it names is not among the assets.
    pub fn parse(text: &Bytes, assets: &Assets) -> Result<Self, ClientError> {
        let utf8 =
            std::str::from_utf8(text).map_err(|error| ClientError::Mode(error.to_string()))?;
        let mode =
            Mode::parse("welcome", utf8).map_err(|errors| ClientError::Mode(errors.to_string()))?;
        let world = StaticWorld::of_arena(&mode.arena, |file, most| (assets.0)(file, most))
            .map_err(|error| ClientError::Mode(error.to_string()))?;
        Ok(Self {
            catalogue: Arc::new(mode.weapons.clone()),
            world,
            shapes: TargetShapes::new(&mode),
            mode,
            text: text.clone(),
        })
    }

    /// Whether these were read from that very text.
    #[must_use]
    pub fn is_of(&self, text: &Bytes) -> bool {
        self.text == text
    }
}
