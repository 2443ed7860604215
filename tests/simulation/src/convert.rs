//! The room's events as the wire's.

use fairshot_judge::Outcome as Ruled;
use fairshot_mode::{DataValue, Mode};
use fairshot_room::{Event as RoomEvent, HitData, HitSource, Notice, TickOutput};
use fairshot_units::{EntityId, EntityKind, EntityState, Life};
use fairshot_wire as wire;
use fairshot_wire::{Event, Hit, HitWeapon, Joined, Outcome, ShotJudged, Strike, Value};
use fairshot_world::{Motion, MoverState};
use std::sync::Arc;

/// One event for every client; `None` where no client has need of it.
pub(crate) fn event(event: &RoomEvent, out: &TickOutput, mode: &Mode) -> Option<Event> {
    Some(match event {
        RoomEvent::Joined { entity, player, team } => Event::Joined(Joined {
            entity: *entity,
            kind: EntityKind::Player,
            life: Life(0),
            team: team.unwrap_or(EntityState::NO_TEAM),
            name: Arc::from(player.as_str()),
        }),
        RoomEvent::Left { entity } => Event::Left { entity: *entity },
        RoomEvent::Spawned { entity, life, pose } => {
            Event::Respawned { entity: *entity, life: *life, position_m: pose.position_m() }
        }
        RoomEvent::ShotJudged { verdict } => judged(*verdict as usize, out, mode),
        RoomEvent::Hit(hit) => Event::Hit(Hit {
            target: hit.target,
            source: hit.source,
            weapon: hit_weapon(hit.weapon),
            number: hit.number,
            amount: hit.amount,
            zone: zone_name(mode, hit.target_kind, hit.zone),
            data: match &hit.data {
                HitData::Own(fields) => Some(record(fields)),
                HitData::None | HitData::OfWeapon => None,
            },
        }),
        RoomEvent::Died { entity, life, killer, weapon } => Event::Killed {
            target: *entity,
            life: *life,
            source: *killer,
            weapon: Some(hit_weapon(*weapon)),
        },
        RoomEvent::Launched { projectile, shooter, weapon, number } => Event::Launched {
            projectile: *projectile,
            shooter: *shooter,
            weapon: *weapon,
            number: *number,
        },
        RoomEvent::Ended { projectile, weapon, at_m, blast_radius_m } => Event::Ended {
            projectile: *projectile,
            weapon: *weapon,
            at_m: *at_m,
            blast_radius_m: *blast_radius_m,
        },
        RoomEvent::Mover { mover, state } => moved(*mover, *state),
        RoomEvent::Game { .. } => return None,
    })
}

/// What a door or lift does.
pub(crate) fn moved(mover: u16, state: MoverState) -> Event {
    let motion = match state.motion {
        Motion::Rest => wire::Motion::Rest,
        Motion::Gone => wire::Motion::Gone,
        Motion::Towards { centre_m, speed_m_s } => {
            wire::Motion::Towards { to_m: centre_m, speed_m_s }
        }
        Motion::Between { from_m, to_m, speed_m_s } => {
            wire::Motion::Between { from_m, to_m, speed_m_s }
        }
    };
    Event::Mover { mover, centre_m: state.centre_m, motion }
}

/// What one client alone is told.
pub(crate) fn notice(notice: &Notice) -> Option<Event> {
    match notice {
        Notice::ShotRefused { number, rule, reason, unseen_death, .. } => {
            Some(Event::ShotRefused {
                number: *number,
                rule: (*rule).into(),
                reason: Arc::from(reason.to_string()),
                unseen_death: *unseen_death,
            })
        }
        Notice::CommandAnswered { .. } => None,
    }
}

fn judged(verdict: usize, out: &TickOutput, mode: &Mode) -> Event {
    let judgement = &out.judgement;
    let verdict = &judgement.verdicts[verdict];
    let rays = judgement.rays_of(verdict);
    let kind_of = |id: EntityId| {
        let row = out.entities.iter().find(|row| row.id == id);
        row.map_or(EntityKind::Player, |row| row.kind)
    };
    let outcome = match &verdict.outcome {
        Ruled::Refused { rule, .. } => Outcome::Refused((*rule).into()),
        Ruled::Accepted => Outcome::Accepted {
            origin_m: rays.first().map_or(glam::Vec3::ZERO, |ray| ray.end_m),
            ends_m: rays.iter().map(|ray| ray.end_m).collect(),
            hits: judgement
                .hits_of(verdict)
                .iter()
                .map(|hit| Strike {
                    target: hit.target,
                    pellet: hit.pellet,
                    zone: zone_name(mode, kind_of(hit.target), hit.zone),
                    at_m: hit.stood.position_m(),
                })
                .collect(),
        },
    };
    Event::ShotJudged(ShotJudged {
        shooter: verdict.shooter,
        number: verdict.number,
        weapon: verdict.weapon,
        outcome,
    })
}

fn zone_name(mode: &Mode, kind: EntityKind, zone: Option<u8>) -> Option<Arc<str>> {
    let zones = match kind {
        EntityKind::Player => &mode.body.zones,
        EntityKind::Monster(index) => &mode.monsters[usize::from(index)].zones,
        EntityKind::Projectile(_) => return None,
    };
    zone.map(|zone| Arc::from(zones[usize::from(zone)].name.as_str()))
}

fn hit_weapon(source: HitSource) -> HitWeapon {
    match source {
        HitSource::Weapon(id) => HitWeapon::Catalogue(id),
        HitSource::Monster(index) => HitWeapon::Monster(index),
        HitSource::Game(name) => HitWeapon::Named(Arc::from(name)),
    }
}

fn record(fields: &[(String, DataValue)]) -> Value {
    let fields = fields.iter().filter_map(|(key, value)| {
        let value = match value {
            DataValue::Number(number) => Value::Number(*number),
            DataValue::Text(text) => Value::Text(Arc::from(text.as_str())),
            DataValue::Flag(_) | DataValue::List(_) | DataValue::Record(_) => return None,
        };
        Some((Arc::from(key.as_str()), value))
    });
    Value::Record(fields.collect())
}
