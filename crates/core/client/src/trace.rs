//! What a shot hits on the shooter's own screen: the same shapes, the same rays and the same order as
//! the room's, at the step the screen shows.

use crate::screen::{Drawn, Moment, Screen};
use crate::settings::GameSettings;
use fairshot_mode::{Weapon, WeaponNumbers};
use fairshot_units::{EntityId, EntityKind, EntityState, Life};
use fairshot_world::{Present, Ray};
use glam::{Quat, Vec3};
use std::sync::Arc;

/// One pellet's hit as the shooter's own screen shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenHit {
    pub pellet: u8,
    pub target: EntityId,
    /// `None` for the body.
    pub zone: Option<Arc<str>>,
    pub at_m: Vec3,
    /// As [`Drawn::exact`].
    pub exact: bool,
    /// The target's life as drawn.
    pub life: Life,
}

/// What one pull crosses on the own screen: more than it hits, since those in front may be dead by
/// the time it lands.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct Sight {
    /// In pellet order, the nearest first.
    crossed: Vec<SeenHit>,
    hits_a_pellet: usize,
}

impl Sight {
    /// What it hits where only those count whom `stands` says.
    pub(crate) fn hits(&self, stands: impl Fn(&SeenHit) -> bool) -> Vec<SeenHit> {
        let mut hits: Vec<SeenHit> = Vec::new();
        let (mut pellet, mut struck) = (0, 0);
        for crossed in self.crossed.iter().filter(|crossed| stands(crossed)) {
            if crossed.pellet != pellet {
                (pellet, struck) = (crossed.pellet, 0);
            }
            if struck < self.hits_a_pellet {
                struck += 1;
                hits.push(crossed.clone());
            }
        }
        hits
    }
}

/// Who shoots what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pull<'a> {
    pub(crate) shooter: EntityId,
    pub(crate) team: u8,
    pub(crate) weapon: &'a Weapon,
    pub(crate) origin_m: Vec3,
    pub(crate) direction: Vec3,
}

/// Targets looked at behind those a pellet hits.
const BEHIND_MAX: usize = 8;

pub(crate) fn look(
    screen: &Screen,
    moment: &Moment,
    settings: &GameSettings,
    world: Present<'_>,
    pull: &Pull<'_>,
) -> Sight {
    let numbers = pull.weapon.base_numbers();
    let mut targets = screen.draw(moment);
    targets.retain(|drawn| is_target(drawn, settings, pull));
    let hits_a_pellet = usize::from(numbers.pierce) + 1;
    let mut crossed = Vec::new();
    let direction = pull.direction.normalize_or(Vec3::NEG_Z);
    for pellet in 0..numbers.pellets {
        let direction = fanned(direction, pellet, &numbers);
        let wall = world.cast(pull.origin_m, direction, numbers.range_m);
        let range_m = wall.map_or(numbers.range_m, |hit| hit.distance_m);
        let ray = Ray { origin_m: pull.origin_m, direction, range_m };
        follow(&ray, pellet, hits_a_pellet + BEHIND_MAX, &targets, settings, &mut crossed);
    }
    Sight { crossed, hits_a_pellet }
}

/// The nearest targets on a ray; of two at one distance the lower id comes first.
fn follow(
    ray: &Ray,
    pellet: u8,
    most: usize,
    targets: &[Drawn],
    settings: &GameSettings,
    crossed: &mut Vec<SeenHit>,
) {
    let mut met: Vec<(f32, &Drawn, Option<u8>)> = targets
        .iter()
        .filter_map(|drawn| {
            let (distance_m, zone) = settings.shapes.meets(drawn.state.kind, &drawn.pose, ray)?;
            Some((distance_m, drawn, zone))
        })
        .collect();
    met.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.state.id.cmp(&b.1.state.id)));
    for (distance_m, drawn, zone) in met.into_iter().take(most) {
        let zone = zone.and_then(|zone| settings.shapes.zone(drawn.state.kind, zone));
        crossed.push(SeenHit {
            pellet,
            target: drawn.state.id,
            zone: zone.map(|zone| Arc::from(zone.name.as_str())),
            at_m: ray.origin_m + ray.direction * distance_m,
            exact: drawn.exact,
            life: drawn.state.life,
        });
    }
}

fn fanned(direction: Vec3, pellet: u8, numbers: &WeaponNumbers) -> Vec3 {
    let middle = f32::from(numbers.pellets - 1) * 0.5;
    let turn = (f32::from(pellet) - middle) * numbers.spread_rad;
    if turn == 0.0 { direction } else { Quat::from_rotation_y(turn) * direction }
}

fn is_target(drawn: &Drawn, settings: &GameSettings, pull: &Pull<'_>) -> bool {
    let state = &drawn.state;
    let spares_allies = !pull.weapon.friendly_fire.unwrap_or(settings.mode.friendly_fire);
    state.id != pull.shooter
        && state.alive
        && !(spares_allies && is_ally(state, settings, pull.team))
}

fn is_ally(state: &EntityState, settings: &GameSettings, team: u8) -> bool {
    state.kind == EntityKind::Player
        && (settings.mode.teams.is_empty() || (state.team == team && team != EntityState::NO_TEAM))
}
