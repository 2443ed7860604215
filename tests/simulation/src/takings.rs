//! What a player got out of a match: what a cheat would have more of.

use fairshot_judge::Outcome;
use fairshot_room::{Event, TickOutput};
use fairshot_units::{EntityId, Life, WeaponId};
use glam::Vec3;
use std::collections::BTreeMap;

/// What one player got out of a match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Takings {
    pub damage: f64,
    pub hits: u64,
    /// Projectiles that flew.
    pub launched: u64,
    /// Accepted shots, by the life and the weapon they were of.
    pub accepted: BTreeMap<(Life, WeaponId), u64>,
    /// How far her legs took her over the ground.
    pub way_m: f64,
    pub deaths: u64,
    stood: Option<(Life, Vec3)>,
}

impl Takings {
    /// Accepted shots of every life and weapon.
    #[must_use]
    pub fn shots(&self) -> u64 {
        self.accepted.values().sum()
    }

    pub(crate) fn note_all(all: &mut Vec<Self>, out: &TickOutput) {
        if all.len() < out.own.len() {
            all.resize(out.own.len(), Self::default());
        }
        for verdict in &out.judgement.verdicts {
            let place = (verdict.shooter_life, verdict.weapon);
            if let (Outcome::Accepted, Some(hers)) = (&verdict.outcome, of(all, verdict.shooter)) {
                *hers.accepted.entry(place).or_default() += 1;
            }
        }
        for event in &out.events {
            match event {
                Event::Hit(hit) => {
                    if let Some(hers) = hit.source.and_then(|source| of(all, source)) {
                        hers.damage += f64::from(hit.amount);
                        hers.hits += 1;
                    }
                }
                Event::Launched { shooter, .. } => {
                    of(all, *shooter).into_iter().for_each(|hers| hers.launched += 1);
                }
                Event::Died { entity, .. } => {
                    of(all, *entity).into_iter().for_each(|hers| hers.deaths += 1);
                }
                _ => {}
            }
        }
        for own in &out.own {
            let Some(hers) = of(all, own.entity) else { continue };
            let walked = hers.stood.filter(|(life, _)| *life == own.life && !own.teleported);
            if let Some((_, before_m)) = walked {
                let way_m = own.position_m - before_m;
                hers.way_m += f64::from(way_m.x.hypot(way_m.z));
            }
            hers.stood = Some((own.life, own.position_m));
        }
    }
}

fn of(all: &mut [Takings], entity: EntityId) -> Option<&mut Takings> {
    all.get_mut(usize::from(entity.0))
}
