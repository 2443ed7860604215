//! How near a shot passed the targets of its judged moment: read after the verdict, to explain it, and
//! never a part of it.

use crate::{Claim, Ray, Scene, Stop, Verdict};
use fairshot_mode::{Mode, Weapon};
use fairshot_units::{EntityId, EntityKind, Pose};
use glam::Vec3;

/// Targets passed further off than this are not told of.
pub const PASSED_WITHIN_M: f32 = 5.0;
/// Targets told of one shot at the most, the nearest passes.
pub const PASSES_MAX: usize = 8;
/// How far a body may stand from its newer send at a moment between two: 16 ticks of a fast run.
const BLENDED_M: f32 = 3.0;

/// A target that a shot passed by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pass {
    pub target: EntityId,
    pub kind: EntityKind,
    /// Where it stood at the judged moment.
    pub stood: Pose,
    /// How near the line of the nearest ray came to the middle of its body, metres.
    pub passed_m: f32,
    /// How far along that line, metres.
    pub distance_m: f32,
    pub spared: Option<Spared>,
}

/// Why a target near a ray could take no harm of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spared {
    /// It has begun another life since.
    Life,
    Dead,
    Ally,
    /// The present static world stopped the ray before it.
    Wall,
    /// Another target stopped the ray before it.
    Target,
}

impl Spared {
    /// A short stable name: a closed list.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Life => "life",
            Self::Dead => "dead",
            Self::Ally => "ally",
            Self::Wall => "wall",
            Self::Target => "target",
        }
    }
}

/// The way a shot would have taken along its aim, for one that was refused and has no rays.
#[must_use]
pub fn aimed(scene: &Scene<'_>, claim: &Claim, weapon: &Weapon) -> Ray {
    let direction = claim.direction.normalize_or(Vec3::NEG_Z);
    let wall = scene.world.cast(claim.origin_m, direction, weapon.range_m);
    let (length_m, stopped_by) =
        wall.map_or((weapon.range_m, Stop::Range), |hit| (hit.distance_m, Stop::World));
    Ray { pellet: 0, end_m: claim.origin_m + direction * length_m, stopped_by }
}

/// The targets that rays passed within [`PASSED_WITHIN_M`] at the verdict's judged moment, nearest pass
/// first. Call it in the tick of the verdict: the history holds one second.
pub fn passes(
    scene: &Scene<'_>,
    claim: &Claim,
    verdict: &Verdict,
    weapon: &Weapon,
    rays: &[Ray],
    out: &mut Vec<Pass>,
) {
    out.clear();
    let Ok(moment) = scene.history.moment(verdict.judged) else { return };
    let spares_allies = !scene.friendly_fire(weapon);
    for state in moment.states() {
        let Some(up_m) = middle_m(scene.mode, state.kind) else { continue };
        let near = |feet_m: Vec3, within_m: f32| {
            let middle_m = feet_m + Vec3::Y * up_m;
            let ways = rays.iter().map(|ray| (way_past(claim, ray.end_m, middle_m), ray));
            ways.min_by(|(a, _), (b, _)| a.passed_m.total_cmp(&b.passed_m))
                .filter(|(way, _)| way.passed_m <= within_m)
        };
        let coarse = near(state.pose.position_m(), PASSED_WITHIN_M + BLENDED_M);
        if state.id == verdict.shooter || coarse.is_none() {
            continue;
        }
        let (stood, alive, same_life) = match moment.place(state.id) {
            Ok(past) => {
                let pose = past.pose;
                (Pose::new(pose.position_m, pose.yaw_rad, pose.pitch_rad), past.alive, true)
            }
            Err(_) => (state.pose, state.alive, false),
        };
        let Some((way, ray)) = near(stood.position_m(), PASSED_WITHIN_M) else { continue };
        let ended_before = way.distance_m - up_m > claim.origin_m.distance(ray.end_m);
        let spared = match ray.stopped_by {
            _ if !same_life => Some(Spared::Life),
            _ if !alive => Some(Spared::Dead),
            _ if spares_allies && scene.are_allies(verdict.shooter, state.id) => Some(Spared::Ally),
            Stop::World if ended_before => Some(Spared::Wall),
            Stop::Target if ended_before => Some(Spared::Target),
            _ => None,
        };
        let Way { passed_m, distance_m } = way;
        out.push(Pass { target: state.id, kind: state.kind, stood, passed_m, distance_m, spared });
    }
    out.sort_by(|a, b| a.passed_m.total_cmp(&b.passed_m));
    out.truncate(PASSES_MAX);
}

/// How a ray's line lies to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// The least distance between them, metres.
    pub passed_m: f32,
    /// Along the line from the shot's origin to there, metres.
    pub distance_m: f32,
}

/// How near the line of a ray passes a point. The line goes on behind the ray's end, so that a target
/// behind a wall is told by how far the aim was off.
#[must_use]
pub fn way_past(claim: &Claim, end_m: Vec3, point_m: Vec3) -> Way {
    let along = (end_m - claim.origin_m).try_normalize();
    let direction = along.unwrap_or_else(|| claim.direction.normalize_or(Vec3::NEG_Z));
    let to_m = point_m - claim.origin_m;
    let distance_m = to_m.dot(direction).max(0.0);
    Way { passed_m: to_m.distance(direction * distance_m), distance_m }
}

/// The middle of a body of that kind over its feet; `None` for what is no target.
#[must_use]
pub fn middle_m(mode: &Mode, kind: EntityKind) -> Option<f32> {
    match kind {
        EntityKind::Player => Some(mode.body.height_m * 0.5),
        EntityKind::Monster(index) => {
            mode.monsters.get(usize::from(index)).map(|monster| monster.height_m * 0.5)
        }
        EntityKind::Projectile(_) => None,
    }
}
