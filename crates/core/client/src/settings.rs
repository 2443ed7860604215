//! The game's settings as the welcome brings them, with what is built from them once.

use crate::ClientError;
use bytes::Bytes;
use fairshot_mode::{Catalogue, Mode};
use fairshot_world::{StaticWorld, TargetShapes};
use std::sync::Arc;

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
    /// [`ClientError::Mode`] where the text is no mode.
    pub fn parse(text: &Bytes) -> Result<Self, ClientError> {
        let utf8 =
            std::str::from_utf8(text).map_err(|error| ClientError::Mode(error.to_string()))?;
        let mode =
            Mode::parse("welcome", utf8).map_err(|errors| ClientError::Mode(errors.to_string()))?;
        Ok(Self {
            catalogue: Arc::new(mode.weapons.clone()),
            world: StaticWorld::build(&mode.arena),
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
