//! What an accepted pull hit: its pellets fanned, each followed to what stops it.

use crate::named::hits_of_pellet;
use crate::{Ray, ShotCheck, ShotHit, Stop};
use fairshot_mode::Judge as JudgedBy;
use fairshot_units::{EntityId, EntityKind, Pose};
use fairshot_world::{Moment, Ray as WorldRay, TargetHits, turned_level_by};
use glam::Vec3;
use std::cell::RefCell;

/// Fans the pellets level with the ground and follows each to what stops it.
pub(crate) fn find_hits(check: &ShotCheck<'_>, rays: &mut Vec<Ray>, hits: &mut Vec<ShotHit>) {
    SCRATCH.with_borrow_mut(|scratch| scratch.find_hits(check, rays, hits));
}

thread_local! {
    /// One a thread, since a thread judges one shot at a time: it stays in the nearest cache, where one a
    /// room would not.
    static SCRATCH: RefCell<Scratch> = const { RefCell::new(Scratch::new()) };
}

/// A pull's rays, and what each met; nothing in it outlives a shot.
struct Scratch {
    rays: Vec<WorldRay>,
    targets: Vec<TargetHits>,
}

impl Scratch {
    const fn new() -> Self {
        Self { rays: Vec::new(), targets: Vec::new() }
    }

    fn find_hits(&mut self, check: &ShotCheck<'_>, rays: &mut Vec<Ray>, hits: &mut Vec<ShotHit>) {
        let (scene, numbers) = (&check.world, check.numbers);
        let shooter = check.shooter.id;
        let spare_allies = !scene.friendly_fire(check.weapon);
        let spares =
            |id: EntityId| id == shooter || (spare_allies && scene.are_allies(shooter, id));
        let moment = scene.history.moment(check.step).ok();
        let pellets = usize::from(numbers.pellets);
        if self.targets.len() < pellets {
            self.targets.resize_with(pellets, TargetHits::new);
        }
        self.fan(check);
        let trusted = check.weapon.judge == JudgedBy::Client;
        // Whom the pellets may meet is looked up first: what is read of them loads behind the walls.
        let near = moment.as_ref().filter(|_| !trusted).map(|moment| moment.near(&self.rays));
        scene.world.cut(&mut self.rays);
        if let (Some(moment), Some(near)) = (&moment, &near) {
            let targets = &mut self.targets[..pellets];
            moment.trace_near(near, &self.rays, numbers.pierce, spares, targets);
        }
        for (pellet, ray) in (0..numbers.pellets).zip(&self.rays) {
            let first = hits.len();
            if let Some(moment) = &moment {
                if trusted {
                    let named = WorldRay { range_m: numbers.range_m, ..*ray };
                    let scratch = &mut self.targets[0];
                    hits_of_pellet(check, moment, &named, pellet, spares, scratch, hits);
                } else {
                    let targets = &self.targets[usize::from(pellet)];
                    keep_hits(check, moment, pellet, targets, hits);
                }
            }
            let struck = &hits[first..];
            let spent = struck.len() > usize::from(numbers.pierce);
            let (end, stopped_by) = match struck.last() {
                Some(last) if spent => (last.distance_m, Stop::Target),
                _ if ray.range_m < numbers.range_m => (ray.range_m, Stop::World),
                _ => (ray.range_m, Stop::Range),
            };
            rays.push(Ray { pellet, end_m: ray.origin_m + ray.direction * end, stopped_by });
        }
    }

    /// The pellets' rays, each as far as the weapon reaches.
    fn fan(&mut self, check: &ShotCheck<'_>) {
        let numbers = check.numbers;
        let (origin_m, range_m) = (check.claim.origin_m, numbers.range_m);
        let aim = check.claim.direction.normalize_or(Vec3::NEG_Z);
        let straight = WorldRay { origin_m, direction: aim, range_m };
        self.rays.clear();
        self.rays.resize(usize::from(numbers.pellets), straight);
        let last = numbers.pellets.saturating_sub(1);
        let middle = f32::from(last) * 0.5;
        // A pellet to the right turns by as much as the one to the left, the other way.
        for pellet in 0..numbers.pellets / 2 {
            let (sin, cos) = ((middle - f32::from(pellet)) * numbers.spread_rad).sin_cos();
            self.rays[usize::from(pellet)].direction = turned_level_by(aim, -sin, cos);
            self.rays[usize::from(last - pellet)].direction = turned_level_by(aim, sin, cos);
        }
    }
}

fn keep_hits(
    check: &ShotCheck<'_>,
    moment: &Moment<'_>,
    pellet: u8,
    targets: &TargetHits,
    hits: &mut Vec<ShotHit>,
) {
    for hit in targets.as_slice() {
        // Only a zone's multiplier depends on what the target is.
        let kind = hit.zone.and_then(|_| {
            let kind = check.world.kind_of(hit.entity);
            kind.or_else(|| moment.place(hit.entity).ok().map(|past| past.kind))
        });
        hits.push(ShotHit {
            pellet,
            target: hit.entity,
            target_life: hit.life,
            stood: Pose::new(hit.pose.position_m, hit.pose.yaw_rad, hit.pose.pitch_rad),
            distance_m: hit.distance_m,
            zone: hit.zone,
            amount: amount_of(check, kind.unwrap_or(EntityKind::Player), hit.zone),
        });
    }
}

/// Damage x zone multiplier x zone damage; the body takes the damage as it is.
pub(crate) fn amount_of(check: &ShotCheck<'_>, kind: EntityKind, zone: Option<u8>) -> f32 {
    let zone = zone.and_then(|zone| check.world.history.shapes().zone(kind, zone));
    let factor = zone.map_or(1.0, |zone| zone.multiplier * check.numbers.zone_damage);
    check.numbers.damage * factor
}
