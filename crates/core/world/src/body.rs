//! One tick of a player's body. The room steps it and the client predicts with the same function, so
//! the same inputs give the same bits on both sides.

use crate::scene::{Figure, Present};
use crate::walk::{self, Footing};
use fairshot_mode::{Body, Movement};
use fairshot_units::{Buttons, Input, Pose, quantise_position, yaw_of};
use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

/// A body between two ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyState {
    /// The middle of the feet.
    pub position_m: Vec3,
    pub velocity_m_s: Vec3,
    /// As in [`Input`].
    pub yaw: u16,
    pub pitch: i16,
    /// Whether it stands on something.
    pub grounded: bool,
}

impl BodyState {
    /// At rest at a place.
    #[must_use]
    pub fn at(position_m: Vec3, yaw: u16) -> Self {
        Self { position_m, yaw, ..Self::default() }
    }

    /// The pose as it is sent.
    #[must_use]
    #[inline]
    pub fn pose(&self) -> Pose {
        Pose { position: quantise_position(self.position_m), yaw: self.yaw, pitch: self.pitch }
    }
}

/// Steps a body by one tick of `dt_s` seconds. Deterministic to the bit in one binary.
///
/// `world` is a [`crate::StaticWorld`], or a [`Present`] where there are doors and lifts. A body never
/// enters a block and never leaves the bounds; speeds beyond what a tick can check are cut.
pub fn step_body<'a>(
    state: &mut BodyState,
    input: &Input,
    movement: &Movement,
    body: &Body,
    world: impl Into<Present<'a>>,
    dt_s: f32,
) {
    state.yaw = input.yaw;
    state.pitch = input.pitch.clamp(-16384, 16384);
    let wish = wish_m_s(input, movement.run_speed_m_s);
    let flat = Vec2::new(state.velocity_m_s.x, state.velocity_m_s.z);
    let flat = if state.grounded {
        approach(flat, wish, movement.acceleration_m_s2 * dt_s)
    } else if wish == Vec2::ZERO {
        flat
    } else {
        approach(flat, wish, movement.air_acceleration_m_s2 * dt_s)
    };
    let mut up = state.velocity_m_s.y;
    if state.grounded && input.buttons.holds(Buttons::JUMP) {
        up = movement.jump_speed_m_s;
        state.grounded = false;
    }
    state.velocity_m_s = Vec3::new(flat.x, up, flat.y);
    let figure = WalkerSize::of(body, movement).figure();
    walk::advance(
        state,
        &mut Footing::default(),
        &figure,
        movement.gravity_m_s2,
        world.into(),
        dt_s,
    );
}

/// Takes a body along with the door or lift it stands on, and out of the way of one that came into it.
/// Once a tick, right after [`crate::Movers::step`], whether or not the body is stepped in that tick: a
/// player whose inputs are late rides on with everybody else.
pub fn ride<'a>(state: &mut BodyState, size: WalkerSize, world: impl Into<Present<'a>>) {
    walk::ride(state, &size.figure(), world.into());
}

/// Whether a body can stand at a place: in no block and under no terrain.
pub fn has_room<'a>(feet_m: Vec3, size: WalkerSize, world: impl Into<Present<'a>>) -> bool {
    walk::has_room(feet_m, &size.figure(), world.into())
}

/// Steps a body that wants to go at a velocity over the ground, as monsters do: it gets there at once,
/// and turns to face the way it goes. `footing` is what its last step left behind, or none.
pub fn step_walker<'a>(
    state: &mut BodyState,
    footing: &mut Footing,
    wish_m_s: Vec2,
    size: WalkerSize,
    gravity_m_s2: f32,
    world: impl Into<Present<'a>>,
    dt_s: f32,
) {
    state.velocity_m_s.x = wish_m_s.x;
    state.velocity_m_s.z = wish_m_s.y;
    walk::advance(state, footing, &size.figure(), gravity_m_s2, world.into(), dt_s);
}

/// How big a walker is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WalkerSize {
    pub radius_m: f32,
    pub height_m: f32,
    /// The highest ledge it walks onto.
    pub step_height_m: f32,
}

impl WalkerSize {
    /// A player's.
    #[must_use]
    pub fn of(body: &Body, movement: &Movement) -> Self {
        let step_height_m = movement.step_height_m;
        Self { radius_m: body.radius_m, height_m: body.height_m, step_height_m }
    }

    fn figure(&self) -> Figure {
        Figure { radius_m: self.radius_m, height_m: self.height_m, step_m: self.step_height_m }
    }
}

/// The velocity over the ground (x, z) that an input asks for.
fn wish_m_s(input: &Input, speed_m_s: f32) -> Vec2 {
    let axis = |wish: i8| f32::from(wish.max(-127)) / 127.0;
    let (forward, right) = (axis(input.forward), axis(input.right));
    if forward == 0.0 && right == 0.0 {
        return Vec2::ZERO;
    }
    let (sin, cos) = yaw_of(input.yaw).sin_cos();
    let wish = Vec2::new(-sin, -cos) * forward + Vec2::new(cos, -sin) * right;
    // Forward and right at once is no faster than either.
    wish * (speed_m_s / wish.length().max(1.0))
}

fn approach(from: Vec2, to: Vec2, most: f32) -> Vec2 {
    let way = to - from;
    let length = way.length();
    if length <= most || length < 1e-6 { to } else { from + way * (most / length) }
}
