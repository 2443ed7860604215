//! How an upright body moves through the world: short steps, walls push it sideways, the ground lifts
//! it, and a step that would end inside something is not taken.

use crate::body::BodyState;
use crate::scene::{Figure, Present, Skin, Vicinity};
use glam::Vec3;

/// Where a body's last step left it clear of all that stands still. A memory that spares the next step of
/// the same body in the same world a look; with none it goes to the same place.
#[derive(Clone, Copy, Debug, Default)]
pub struct Footing(Option<Vec3>);

impl Footing {
    fn is_clear(self, feet_m: Vec3) -> bool {
        self.0 == Some(feet_m)
    }
}

// It says nothing of the body: two that stand alike are alike.
impl PartialEq for Footing {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A body is checked every half radius of its way, and this often a tick at the most: faster than 800
/// m/s (at a radius of 0.4 m and 64 ticks a second) is cut.
const CHECKS_MAX: f32 = 64.0;
/// Bodies are kept this far from walls, and feet count as this much narrower, so that standing beside
/// a wall is not standing on it.
const SKIN_M: f32 = 0.001;
/// Depths below this are arithmetic, not contact.
const DEPTH_MIN_M: f32 = 0.002;
/// How much a slope that can be stood on rises a metre, at the most.
const STEEPEST_RISE: f32 = 1.21;
/// How deep in the ground a body may be put and still be settled on it.
const ROOM_GIVE_M: f32 = 0.25;
/// Pushes out of corners take a few goes.
const PUSHES_MAX: u32 = 6;
/// How far round its way a body looks for what may stand in it. A push that goes further looks again.
const ROUND_M: f32 = 0.1;
/// Faster ways are checked step by step, wherever they lead.
const FREE_WAY_MAX_M: f32 = 2.0;

/// Moves a body by its velocity for `dt_s`, with gravity unless it stands on something.
pub(crate) fn advance(
    state: &mut BodyState,
    footing: &mut Footing,
    figure: &Figure,
    gravity_m_s2: f32,
    world: Present<'_>,
    dt_s: f32,
) {
    if !state.velocity_m_s.is_finite() {
        state.velocity_m_s = Vec3::ZERO;
    }
    if state.grounded {
        state.velocity_m_s.y = 0.0;
    } else {
        state.velocity_m_s.y -= gravity_m_s2 * dt_s;
    }
    let way = state.velocity_m_s * dt_s;
    let reach = (way.x * way.x + way.z * way.z).sqrt() + figure.radius_m;
    let open = |state: &mut BodyState, footing: &mut Footing| {
        let feet = state.position_m + Vec3::new(way.x, 0.0, way.z);
        fall(state, feet, way.y, figure, world.fixed.floor_m());
        let held = hold_in_bounds(state, figure, world);
        *footing = Footing((!held).then_some(state.position_m));
    };
    if world.is_roomy(state.position_m, reach) {
        return open(state, footing);
    }
    // All the way down: whatever is under the feet may hold them.
    let (low, high) = figure.bounds(state.position_m, ROUND_M);
    let (low, high) = (low - way.abs(), high + way.abs() + Vec3::Y * figure.step_m);
    let round = Vicinity::new(world, low.with_y(low.y.min(world.fixed.floor_m())), high);
    if reach < FREE_WAY_MAX_M && round.is_open() {
        return open(state, footing);
    }
    // What moves may have come into the body since.
    let still = world.movers.is_empty();
    if !still || !footing.is_clear(state.position_m) {
        free(state, figure, &round);
    }
    let check_m = (figure.radius_m * 0.5).max(0.01);
    let mut checks = 1.0;
    let mut part = way;
    if way.length_squared() > check_m * check_m {
        checks = checks_of(way.length() / check_m);
        part = (way / checks).clamp_length_max(check_m);
    }
    let mut clear = false;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 64")]
    for _ in 0..checks as u32 {
        let moving = state.velocity_m_s;
        // What was stopped on the way stays stopped for the rest of it.
        let keep = |part: f32, velocity: f32| if velocity == 0.0 { 0.0 } else { part };
        let part =
            Vec3::new(keep(part.x, moving.x), keep(part.y, moving.y), keep(part.z, moving.z));
        clear = step(state, part, figure, &round);
    }
    let held = hold_in_bounds(state, figure, world);
    *footing = Footing((clear && still && !held).then_some(state.position_m));
}

/// Takes a body along with what it stands on, and pushes it out of what came into it: once after each step
/// of the movers, whether the body itself is stepped in that tick or not.
pub(crate) fn ride(state: &mut BodyState, figure: &Figure, world: Present<'_>) {
    if !world.moves() {
        return;
    }
    if state.grounded {
        state.position_m += world.carried_m(state.position_m, figure.radius_m - SKIN_M);
    }
    free(state, figure, &around(state.position_m, figure, world));
    hold_in_bounds(state, figure, world);
}

/// Whether a body of that figure has room at a place, give or take what the first step settles.
pub(crate) fn has_room(feet: Vec3, figure: &Figure, world: Present<'_>) -> bool {
    let feet = feet + Vec3::Y * ROOM_GIVE_M;
    depth(feet, figure, &around(feet, figure, world)) <= DEPTH_MIN_M
}

/// What stands around a body that goes nowhere.
fn around<'a>(feet: Vec3, figure: &Figure, world: Present<'a>) -> Vicinity<'a> {
    let (low, high) = figure.bounds(feet, ROUND_M);
    Vicinity::new(world, low, high)
}

/// As many checks as a way has parts, the last of which may be short: rounded up without the call that
/// `ceil` is where a processor's baseline has no instruction for it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "held to 1 to 64")]
fn checks_of(parts: f32) -> f32 {
    let held = parts.clamp(1.0, CHECKS_MAX);
    let whole = f32::from(held as u8);
    if held > whole { whole + 1.0 } else { whole }
}

/// One short step; whether it surely ended clear of everything.
fn step(state: &mut BodyState, part: Vec3, figure: &Figure, round: &Vicinity<'_>) -> bool {
    let from = *state;
    let flat = Vec3::new(part.x, 0.0, part.z);
    // In the air only what a slope rises within the step is stepped onto.
    let lift_m = if state.grounded { figure.step_m } else { flat.length() * STEEPEST_RISE };
    let (feet, stands) = beside_walls(state, state.position_m + flat, lift_m, figure, round);
    let support_m = stands.support_m;
    fall(state, feet, part.y, figure, support_m);
    if from.grounded && !state.grounded {
        // Walked off an edge: the fall begins with the next tick.
        state.velocity_m_s.y = 0.0;
    }
    // On level ground that is where it was looked at.
    let level = state.position_m == feet;
    let deep = if level { stands.deepest_m } else { depth(state.position_m, figure, round) };
    if deep <= DEPTH_MIN_M {
        return true;
    }
    if part.y > 0.0 {
        // Against a roof: go on below it.
        let below = Vec3::new(state.position_m.x, feet.y.max(support_m), state.position_m.z);
        if depth(below, figure, round) <= DEPTH_MIN_M {
            state.position_m = below;
            state.velocity_m_s.y = 0.0;
            return true;
        }
    }
    // On a slope too steep to stand on, or at something over a step: slide along it where that helps.
    let (beside, stands) = beside_walls(state, state.position_m, 0.0, figure, round);
    state.position_m = beside;
    let allowed = depth(from.position_m, figure, round).max(DEPTH_MIN_M);
    if stands.deepest_m <= allowed {
        return stands.deepest_m <= DEPTH_MIN_M;
    }
    // Nowhere to slide: up and down alone, then not at all.
    let support_m = standing(from.position_m, lift_m, figure, round).support_m;
    *state = BodyState { velocity_m_s: from.velocity_m_s, ..from };
    fall(state, from.position_m, part.y, figure, support_m);
    if depth(state.position_m, figure, round) > allowed {
        *state = from;
        // Wedged between slopes is as good as standing: a jump may free it.
        state.grounded |= part.y < 0.0;
        state.velocity_m_s.y = 0.0;
    }
    state.velocity_m_s.x = 0.0;
    state.velocity_m_s.z = 0.0;
    false
}

/// Goes up or down by `rise_m` at a place over something of that height, or stays on it.
fn fall(state: &mut BodyState, feet: Vec3, rise_m: f32, figure: &Figure, support_m: f32) {
    state.position_m = feet;
    if state.grounded {
        if support_m >= feet.y - figure.step_m.max(SKIN_M) {
            state.position_m.y = support_m;
        } else {
            state.grounded = false;
        }
        return;
    }
    state.position_m.y += rise_m;
    if state.position_m.y <= support_m {
        state.position_m.y = support_m;
        if rise_m <= 0.0 {
            state.velocity_m_s.y = 0.0;
            state.grounded = true;
        }
    }
}

/// How a body stands at a place: found in one look at what is round it.
struct Standing {
    /// The way out of the deepest of what it cannot step onto; zero where it is in none.
    push: Vec3,
    /// How deep it lies in anything.
    deepest_m: f32,
    /// The height of the highest thing under it that it may step onto.
    support_m: f32,
}

fn standing(feet: Vec3, lift_m: f32, figure: &Figure, round: &Vicinity<'_>) -> Standing {
    let floor_m = round.world().fixed.floor_m();
    let skin = Skin { radius_m: figure.radius_m, sole_m: figure.radius_m - SKIN_M };
    let mut found = Standing { push: Vec3::ZERO, deepest_m: 0.0, support_m: floor_m };
    let mut deepest_wall_m = 0.0f32;
    let (low, high) = figure.bounds(feet, 0.0);
    let low = low.with_y(low.y.min(floor_m));
    let high = high.with_y(high.y.max(feet.y + lift_m + figure.radius_m));
    round.near(low, high, |obstacle| {
        let Some(stand) = obstacle.stand(feet, figure, skin) else { return };
        if let Some(height_m) = stand.support_m.filter(|height| *height <= feet.y + lift_m + SKIN_M)
        {
            found.support_m = found.support_m.max(height_m);
        }
        let Some(touch) = stand.touch else { return };
        found.deepest_m = found.deepest_m.max(touch.depth_m);
        if touch.depth_m <= deepest_wall_m.max(DEPTH_MIN_M * 0.5)
            || !obstacle.is_wall(feet, lift_m + SKIN_M, skin.sole_m)
        {
            return;
        }
        let flat = Vec3::new(touch.normal.x, 0.0, touch.normal.z);
        let length = flat.length();
        if length > 0.05 {
            deepest_wall_m = touch.depth_m;
            found.push = flat / length * (touch.depth_m / length).min(figure.radius_m)
                + flat / length * SKIN_M;
        }
    });
    found
}

/// Pushes a body sideways out of what it cannot step onto, and takes the speed into it away. Where it is
/// then, and how it stands there.
fn beside_walls(
    state: &mut BodyState,
    mut feet: Vec3,
    lift_m: f32,
    figure: &Figure,
    round: &Vicinity<'_>,
) -> (Vec3, Standing) {
    let mut here = standing(feet, lift_m, figure, round);
    for _ in 0..PUSHES_MAX {
        let push = here.push;
        if push == Vec3::ZERO {
            break;
        }
        feet += push;
        let normal = push.normalize();
        let into = state.velocity_m_s.dot(normal).min(0.0);
        state.velocity_m_s -= normal * into;
        here = standing(feet, lift_m, figure, round);
    }
    (feet, here)
}

/// Pushes a body out of what came into it: a door that closed, a lift that rose.
fn free(state: &mut BodyState, figure: &Figure, round: &Vicinity<'_>) {
    for _ in 0..PUSHES_MAX {
        let feet = state.position_m;
        let (low, high) = figure.bounds(feet, 0.0);
        let mut deepest = DEPTH_MIN_M;
        let mut push = Vec3::ZERO;
        round.near(low, high, |obstacle| {
            if obstacle.is_apart(feet, figure) {
                return;
            }
            let touch = obstacle.touch(feet, figure);
            if touch.depth_m > deepest {
                deepest = touch.depth_m;
                push = touch.normal * (touch.depth_m + SKIN_M);
            }
        });
        if push == Vec3::ZERO {
            return;
        }
        state.position_m += push;
        state.position_m.y = state.position_m.y.max(round.world().fixed.floor_m());
    }
}

/// How deep a body lies in anything.
fn depth(feet: Vec3, figure: &Figure, round: &Vicinity<'_>) -> f32 {
    let (low, high) = figure.bounds(feet, 0.0);
    let mut deepest = 0.0f32;
    round.near(low, high, |obstacle| {
        if !obstacle.is_apart(feet, figure) {
            deepest = deepest.max(obstacle.touch(feet, figure).depth_m);
        }
    });
    deepest
}

/// Whether it had to be held.
fn hold_in_bounds(state: &mut BodyState, figure: &Figure, world: Present<'_>) -> bool {
    let bounds = world.fixed.bounds();
    let side = Vec3::new(figure.radius_m, 0.0, figure.radius_m);
    let floor_m = world.fixed.floor_m();
    let low = (bounds.min_m + side).with_y(floor_m);
    let high = (bounds.max_m - side).with_y(bounds.max_m.y - figure.height_m).max(low);
    let held = state.position_m.clamp(low, high);
    if held == state.position_m {
        return false;
    }
    // A place that is no number is the middle of the arena's floor.
    let held = if held.is_nan() { ((low + high) * 0.5).with_y(floor_m) } else { held };
    for axis in 0..3 {
        if held[axis] != state.position_m[axis] {
            state.velocity_m_s[axis] = 0.0;
        }
    }
    state.position_m = held;
    true
}
