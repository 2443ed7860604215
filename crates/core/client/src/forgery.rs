//! What a modified client would do: for the cheats that the server is tried against.

use crate::PlayerClient;
use fairshot_units::{ViewStep, WeaponId};
use fairshot_wire::UpDatagram;
use glam::Vec3;
use std::fmt::Debug;

/// Lies a client tells. The default tells none.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Forgery {
    /// Fires as fast as it is asked to.
    pub any_rate: bool,
    /// Fires weapons the inventory does not have, and dry ones.
    pub any_weapon: bool,
    /// Fires while dead.
    pub any_state: bool,
    /// Fires whatever the line holds back.
    pub any_lateness: bool,
    /// Every frame and shot claims so many rounds are left.
    pub frozen_total: Option<u16>,
    /// Every frame says that this weapon is held.
    pub held: Option<WeaponId>,
    /// Shots leave from here, not from the eye.
    pub origin_m: Option<Vec3>,
    /// Shots name this step, not the one the screen showed.
    pub view: Option<ViewStep>,
}

/// Rewrites what a client is about to send: for lies that are in no word of an honest client's at all.
pub trait Liar: Debug + Send {
    /// Changes a datagram; `false` holds it back. What it would have said rides in the next one.
    fn rewrite(&mut self, up: &mut UpDatagram) -> bool;
}

impl PlayerClient {
    /// Tells lies from now on: for the cheats that a server is tried against.
    pub fn forge(&mut self, forgery: Forgery) {
        self.forgery = forgery;
    }

    /// Has every datagram rewritten from now on, for the same purpose.
    pub fn forge_with(&mut self, liar: Box<dyn Liar>) {
        self.liar = Some(liar);
    }
}
