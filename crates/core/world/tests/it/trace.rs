//! The culled, blocked, fanned trace finds what a look at everybody in doubles finds.

use crate::common::{ghoul, history, mode, player};
use fairshot_mode::ZoneShape;
use fairshot_units::{EntityId, EntityKind, EntityState, Tick, ViewStep};
use fairshot_world::{History, Ray, TargetHits, turned_level};
use glam::{DVec3, Vec3};
use proptest::prelude::*;

const RADIUS_M: f64 = 0.4;
const HEIGHT_M: f64 = 1.8;

/// A crowd of players and monsters who run, jump back and forth, die and come again.
fn crowd() -> impl Strategy<Value = Vec<(Vec3, Vec3, u8)>> {
    let place = (-30f32..30.0, 0f32..2.0, -30f32..30.0).prop_map(Vec3::from);
    let speed = (-0.4f32..0.4, -0.02f32..0.02, -0.4f32..0.4).prop_map(Vec3::from);
    prop::collection::vec((place, speed, any::<u8>()), 1..90)
}

fn recorded(every: u16, crowd: &[(Vec3, Vec3, u8)]) -> History {
    let mut history = history(&mode(every, 0.4, Vec::new()));
    for tick in 0..80u16 {
        let state = |(id, (place, speed, odd)): (u16, &(Vec3, Vec3, u8))| {
            let mut state = player(id, 1, *place + *speed * f32::from(tick));
            if odd % 2 == 1 {
                state.kind = EntityKind::Monster(0);
            }
            state.pose.yaw = u16::from(*odd) << 8;
            state.alive = odd % 11 != 0 || tick % 16 < 9;
            state.teleported = odd % 13 == 0 && tick % 7 == 0;
            if odd % 17 == 0 && tick > 70 {
                state.life.0 = 2;
            }
            (odd % 19 != 0 || tick % 5 != 0).then_some(state)
        };
        let row: Vec<EntityState> = (0..).zip(crowd).filter_map(state).collect();
        history.record(Tick(1000 + u32::from(tick)), &row);
    }
    history
}

/// How near a ray comes to a segment, and how far along; in doubles, by halving.
fn nearest(ray: &Ray, a: DVec3, b: DVec3) -> f64 {
    let (origin, direction) = (ray.origin_m.as_dvec3(), ray.direction.as_dvec3());
    let apart = |s: f64| {
        let on = a + (b - a) * s;
        let t = (on - origin).dot(direction).clamp(0.0, f64::from(ray.range_m));
        on.distance(origin + direction * t)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let (third, rest) = ((2.0 * low + high) / 3.0, (low + 2.0 * high) / 3.0);
        if apart(third) < apart(rest) { high = rest } else { low = third }
    }
    apart((low + high) / 2.0)
}

/// How deep the ray goes into body or zones of an entity where a screen showed it; negative misses.
fn depth(history: &History, id: u16, at: ViewStep, ray: &Ray) -> Option<f64> {
    let past = history.past(EntityId(id), at).ok().filter(|past| past.alive)?;
    let now = history.past(EntityId(id), ViewStep::at(history.newest_tick()?)).ok()?;
    let feet = past.pose.position_m.as_dvec3();
    let (radius, height, zones) = match past.kind {
        EntityKind::Player => (RADIUS_M, HEIGHT_M, Vec::new()),
        _ => (f64::from(ghoul().radius_m), f64::from(ghoul().height_m), ghoul().zones),
    };
    let axis = |y: f64| feet + DVec3::Y * y;
    let mut deepest = radius - nearest(ray, axis(radius), axis(height - radius));
    for zone in zones {
        let ZoneShape::Sphere { at_m, radius_m } = zone.shape else { continue };
        let (sin, cos) = f64::from(past.pose.yaw_rad).sin_cos();
        let at = at_m.as_dvec3();
        let at = DVec3::new(at.x * cos + at.z * sin, at.y, at.z * cos - at.x * sin) + feet;
        deepest = deepest.max(f64::from(radius_m) - nearest(ray, at, at + DVec3::Y * 1e-9));
    }
    now.alive.then_some(deepest)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_fan_meets_whom_each_ray_meets_and_each_ray_whom_a_plain_look_finds(
        crowd in crowd(), every in 1..5u16, back in 0f64..63.0, seen in 0..90usize,
        origin in (-30f32..30.0, 0.2f32..3.0, -30f32..30.0), spread in 0f32..0.3,
        range in 1f32..80.0, straight_down in any::<bool>(),
    ) {
        let history = recorded(every, &crowd);
        let at = ViewStep::at(Tick(1079)).back(back);
        let moment = history.moment(at).unwrap();
        let origin_m = Vec3::from(origin);
        let mark = crowd[seen % crowd.len()].0 + Vec3::Y;
        let aimed = (mark - origin_m).normalize_or(Vec3::X);
        let direction = if straight_down && seen == 0 { Vec3::NEG_Y } else { aimed };
        let rays = [-1.0, 0.0, 1.0].map(|pellet| {
            Ray { origin_m, direction: turned_level(direction, pellet * spread), range_m: range }
        });
        let spares = |entity: EntityId| entity.0 % 7 == 3;
        let mut fan = [(); 3].map(|()| TargetHits::new());
        moment.trace_fan(&rays, 31, spares, &mut fan);
        let mut single = TargetHits::new();
        for (ray, fan) in rays.iter().zip(&fan) {
            moment.trace(ray, 31, spares, &mut single);
            prop_assert_eq!(&single, fan);
            let hits = single.as_slice();
            prop_assert!(hits.is_sorted_by(|a, b| a.distance_m <= b.distance_m));
            for id in 0..u16::try_from(crowd.len()).unwrap() {
                let hit = hits.iter().any(|hit| hit.entity.0 == id);
                let depth = depth(&history, id, at, ray).unwrap_or(-1.0);
                let depth = if spares(EntityId(id)) { -1.0 } else { depth };
                // Hits beyond the most are left out; grazes may fall either way.
                let full = hits.len() == TargetHits::MAX;
                prop_assert!(depth < 2e-3 || hit || full, "missed {id}, {depth} deep");
                prop_assert!(depth > -2e-3 || !hit, "hit {id} from {depth}");
            }
        }
    }
}
