//! Client-judged hits: the client names targets, the room keeps those it can stand behind.

use crate::{Claim, NamedTarget, ShotCheck, ShotHit};
use fairshot_mode::WeaponNumbers;
use fairshot_units::{EntityId, Pose};
use fairshot_world::{Moment, Ray, TargetHits};

/// The names a claim's pellets may make at all: of pellets the weapon has, in the claim's order.
pub(crate) fn of_its_pellets(
    claim: &Claim,
    numbers: WeaponNumbers,
) -> impl Iterator<Item = NamedTarget> + '_ {
    claim.names.iter().copied().filter(move |name| name.pellet < numbers.pellets)
}

/// Deals with one pellet's names: each target held, unspared, seen alive on her screen and alive now
/// counts once, up to the first and `pierce` more; the others are skipped.
pub(crate) fn hits_of_pellet(
    check: &ShotCheck<'_>,
    moment: &Moment<'_>,
    ray: &Ray,
    pellet: u8,
    spares: impl Fn(EntityId) -> bool,
    scratch: &mut TargetHits,
    hits: &mut Vec<ShotHit>,
) {
    let first = hits.len();
    let most = usize::from(check.numbers.pierce) + 1;
    let Ok(present) = check.world.history.present() else { return };
    for name in of_its_pellets(check.claim, check.numbers).filter(|name| name.pellet == pellet) {
        if hits.len() - first >= most {
            return;
        }
        let target = name.target;
        if spares(target) || hits[first..].iter().any(|hit| hit.target == target) {
            continue;
        }
        let Ok(past) = moment.place(target) else { continue };
        if !past.alive || !present.place(target).is_ok_and(|now| now.alive) {
            continue;
        }
        // The room judges the zone itself: a name is a target, never an amount.
        moment.trace(ray, 0, |id| id != target, scratch);
        let met = scratch.as_slice().first();
        let zone = met.and_then(|hit| hit.zone);
        hits.push(ShotHit {
            pellet,
            target,
            target_life: past.life,
            stood: Pose::new(past.pose.position_m, past.pose.yaw_rad, past.pose.pitch_rad),
            distance_m: met
                .map_or(past.pose.position_m.distance(ray.origin_m), |hit| hit.distance_m),
            zone,
            amount: crate::amount_of(check, past.kind, zone),
        });
    }
}
