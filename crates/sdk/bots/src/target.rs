//! Whom a bot shoots at: what its own screen shows, near and in the clear; a cheat's may be behind a wall.

use fairshot_client_core::{Drawn, GameSettings};
use fairshot_units::{EntityKind, EntityState};
use glam::Vec3;

/// Where a bot aims: so high over the feet, as a part of the body's height.
const AIM_HEIGHT: f32 = 0.6;

/// Someone to shoot at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Target {
    pub(crate) at_m: Vec3,
    pub(crate) distance_m: f32,
}

/// The nearest enemy within reach that no wall hides, or one does; allies and the dead are none.
pub(crate) fn nearest(
    drawn: &[Drawn],
    eye_m: Vec3,
    team: u8,
    distance_m: std::ops::Range<f32>,
    hidden: bool,
    settings: &GameSettings,
) -> Option<Target> {
    let mode = &settings.mode;
    let mut found: Option<Target> = None;
    for shown in drawn {
        let state = &shown.state;
        let height_m = match state.kind {
            EntityKind::Player => mode.body.height_m,
            EntityKind::Monster(index) => match mode.monsters.get(usize::from(index)) {
                Some(monster) => monster.height_m,
                None => continue,
            },
            EntityKind::Projectile(_) => continue,
        };
        let is_ally = team != EntityState::NO_TEAM && state.team == team;
        if !state.alive || is_ally {
            continue;
        }
        let at_m = shown.pose.position_m + Vec3::Y * height_m * AIM_HEIGHT;
        let away_m = at_m.distance(eye_m);
        let is_nearer = found.is_none_or(|best| away_m < best.distance_m);
        let is_wanted = || settings.world.is_clear(eye_m, at_m) != hidden;
        if distance_m.contains(&away_m) && is_nearer && is_wanted() {
            found = Some(Target { at_m, distance_m: away_m });
        }
    }
    found
}
