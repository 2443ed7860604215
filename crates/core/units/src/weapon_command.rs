//! The server's commands to a player's inventory: the only things that add to it.

use crate::WeaponId;
use serde::{Deserialize, Serialize};

/// A change of a player's inventory that the server orders and both sides apply in one order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WeaponCommand {
    /// Adds rounds of a weapon; both sides compute `min(65535, total + rounds)`.
    Give { weapon: WeaponId, rounds: u16, set_as_current: bool },
    /// Removes a weapon and its rounds.
    Take { weapon: WeaponId },
    /// Sets the total of a weapon held; `clip` of `None` is 0xFFFF on the wire, "not set".
    SetAmmo { weapon: WeaponId, total: u16, clip: Option<u16> },
    /// Removes every weapon.
    Clear,
    /// Makes a weapon of the inventory (or fists) the held one.
    SetArmed { weapon: WeaponId },
}
