//! Players that the room itself plays, where humans leave seats free.

use fairshot_units::WeaponId;

/// How a room fills up. Without `fill` it does not.
#[derive(Clone, Debug, PartialEq)]
pub struct Bots {
    /// Bots make up what is missing to so many players, 0 to the mode's seats. They play while a human is
    /// in the room, and give their place to the next one.
    pub fill: u16,
    /// The weapons they use of those they hold; empty is every one they can fire.
    pub weapons: Vec<WeaponId>,
    /// How long they see somebody before they fire, in seconds.
    pub reaction_s: f32,
    /// How far their aim lies off at the most, in radians.
    pub aim_error_rad: f32,
    /// How far they see, in metres.
    pub sight_m: f32,
}

impl Default for Bots {
    fn default() -> Self {
        Self {
            fill: 0,
            weapons: Vec::new(),
            reaction_s: 0.4,
            aim_error_rad: 3f32.to_radians(),
            sight_m: 60.0,
        }
    }
}
