//! What a modified client would do: for the cheats that the server is tried against.

use fairshot_units::{ViewStep, WeaponId};
use glam::Vec3;

/// Lies a client tells. The default tells none.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Forgery {
    /// Fires as fast as it is asked to.
    pub any_rate: bool,
    /// Fires weapons the inventory does not have, and dry ones.
    pub any_weapon: bool,
    /// Fires while dead.
    pub any_state: bool,
    /// Every frame and shot claims so many rounds are left.
    pub frozen_total: Option<u16>,
    /// Every frame says that this weapon is held.
    pub held: Option<WeaponId>,
    /// Shots leave from here, not from the eye.
    pub origin_m: Option<Vec3>,
    /// Shots name this step, not the one the screen showed.
    pub view: Option<ViewStep>,
}
