//! What a bot sees: enemies alive, near enough, with nothing between.

use crate::core::Core;
use fairshot_mode::WeaponNumbers;
use fairshot_units::{EntityId, EntityKind, ViewStep};
use fairshot_world::{Ray, TargetHits, turned_level};
use glam::Vec3;

/// Somebody in sight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    /// From the bot's eye to the middle of its target.
    pub towards: Vec3,
    pub distance_m: f32,
}

/// The nearest of these many are looked at.
const LOOKED_AT_MAX: usize = 4;

/// The nearest enemy in sight.
pub(super) fn look(core: &Core, entity: EntityId, view: ViewStep) -> Option<EntityId> {
    let feet_m = core.player(entity)?.body.position_m;
    let mut nearest = [(f32::MAX, entity); LOOKED_AT_MAX];
    enemies(core, entity, |enemy, at_m| {
        let mut found = (feet_m.distance_squared(at_m), enemy);
        for place in &mut nearest {
            if found.0 < place.0 {
                std::mem::swap(place, &mut found);
            }
        }
    });
    let found = nearest.into_iter().filter(|(_, enemy)| *enemy != entity);
    found.map(|(_, enemy)| enemy).find(|enemy| see(core, entity, *enemy, view).is_some())
}

/// How a bot sees a target at the moment its screen shows.
pub(super) fn see(
    core: &Core,
    entity: EntityId,
    target: EntityId,
    view: ViewStep,
) -> Option<Sight> {
    let eye_m = core.player(entity)?.body.position_m + Vec3::Y * core.mode.body.eye_height_m;
    let past = core.history.past(target, view).ok().filter(|past| past.alive)?;
    let height_m = match past.kind {
        EntityKind::Monster(kind) => core.mode.monsters.get(usize::from(kind))?.height_m,
        _ => core.mode.body.height_m,
    };
    let middle_m = past.pose.position_m + Vec3::Y * (height_m * 0.5);
    let towards = middle_m - eye_m;
    let distance_m = towards.length();
    let world = fairshot_world::Present::new(&core.world, &core.movers);
    (distance_m <= core.mode.bots.sight_m && world.is_clear(eye_m, middle_m))
        .then_some(Sight { towards, distance_m })
}

/// Where every enemy stands, for the way to go.
pub(super) fn enemies_m(core: &Core, entity: EntityId, out: &mut Vec<Vec3>) {
    out.clear();
    enemies(core, entity, |_, at_m| out.push(at_m));
}

/// The pellets of a pull that strike a target on the bot's own screen.
pub(super) fn struck(
    core: &Core,
    target: EntityId,
    view: ViewStep,
    origin_m: Vec3,
    aim: Vec3,
    numbers: WeaponNumbers,
) -> impl Iterator<Item = u8> {
    let moment = core.history.moment(view).ok();
    let middle = f32::from(numbers.pellets.saturating_sub(1)) * 0.5;
    (0..numbers.pellets).filter(move |pellet| {
        let turn = (f32::from(*pellet) - middle) * numbers.spread_rad;
        let ray = Ray { origin_m, direction: turned_level(aim, turn), range_m: numbers.range_m };
        let mut hits = TargetHits::new();
        moment.as_ref().is_some_and(|moment| {
            moment.trace(&ray, 0, |id| id != target, &mut hits);
            !hits.as_slice().is_empty()
        })
    })
}

/// Everybody alive whom it would harm: players who are no allies of it (in a free-for-all all of them),
/// and every monster.
fn enemies(core: &Core, entity: EntityId, mut each: impl FnMut(EntityId, Vec3)) {
    let scene = core.scene();
    let free_for_all = core.mode.teams.is_empty() && core.mode.friendly_fire;
    for other in core.players().filter(|other| other.alive && other.entity != entity) {
        if free_for_all || !scene.are_allies(entity, other.entity) {
            each(other.entity, other.body.position_m);
        }
    }
    for monster in core.monsters.iter().filter(|monster| monster.alive) {
        each(monster.entity, monster.body.position_m);
    }
}
