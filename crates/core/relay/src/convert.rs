//! The room's values as wire messages.

use fairshot_judge::{Outcome as Ruling, Ray, ShotHit, Verdict};
use fairshot_mode::{DataValue, HitZone, Mode};
use fairshot_room::{
    Answer, Command, Event, FieldValue, Hit, HitData, HitSource, Notice, OwnState, RoomInput, Shot,
    TickOutput,
};
use fairshot_units::{
    EntityId, EntityKind, EntityState, Life, PlayerId, Revision, WeaponId, health_eighths,
};
use fairshot_wire as wire;
use fairshot_wire::snapshot;
use fairshot_world::{Motion, MoverState};
use glam::Vec3;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A mode's recurring texts, made once.
#[derive(Debug)]
pub struct Names {
    player_zones: Vec<Arc<str>>,
    monsters: Vec<MonsterNames>,
    /// The data of the weapons that have any.
    weapon_data: BTreeMap<WeaponId, wire::Value>,
}

#[derive(Debug)]
struct MonsterNames {
    name: Arc<str>,
    zones: Vec<Arc<str>>,
}

impl Names {
    pub fn of(mode: &Mode) -> Self {
        let zones = |zones: &[HitZone]| zones.iter().map(|zone| Arc::from(&*zone.name)).collect();
        let with_data = mode.weapons.weapons().iter().filter(|weapon| !weapon.data.is_empty());
        let weapon_data = with_data.map(|weapon| (weapon.id, record(&weapon.data))).collect();
        Self {
            player_zones: zones(&mode.body.zones),
            monsters: mode
                .monsters
                .iter()
                .map(|monster| MonsterNames {
                    name: Arc::from(&*monster.name),
                    zones: zones(&monster.zones),
                })
                .collect(),
            weapon_data,
        }
    }

    pub fn zone(&self, kind: EntityKind, zone: Option<u8>) -> Option<Arc<str>> {
        let zones = match kind {
            EntityKind::Player => &self.player_zones,
            EntityKind::Monster(index) => &self.monsters.get(usize::from(index))?.zones,
            EntityKind::Projectile(_) => return None,
        };
        zones.get(usize::from(zone?)).cloned()
    }

    pub fn monster(&self, index: u8) -> Arc<str> {
        match self.monsters.get(usize::from(index)) {
            Some(monster) => monster.name.clone(),
            None => Arc::from("monster"),
        }
    }

    fn weapon_data(&self, weapon: WeaponId) -> Option<wire::Value> {
        self.weapon_data.get(&weapon).cloned()
    }
}

/// A player who is in the room, as a client that enters after her is told of her.
pub fn present(entity: EntityId, player: &PlayerId, life: Life, team: u8) -> wire::Event {
    wire::Event::Joined(wire::Joined {
        entity,
        kind: EntityKind::Player,
        life,
        team,
        name: Arc::from(player.as_str()),
    })
}

/// What a door or lift does, as clients move it too.
pub fn moved(mover: u16, state: MoverState) -> wire::Event {
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
    wire::Event::Mover { mover, centre_m: state.centre_m, motion }
}

/// One event for every client; `None` where the wire has no need of it.
pub fn event(event: &Event, out: &TickOutput, names: &Names) -> Option<wire::Event> {
    Some(match event {
        Event::Joined { entity, player, team } => {
            let own = out.own.iter().find(|own| own.entity == *entity);
            let life = own.map_or(Life(0), |own| own.life);
            present(*entity, player, life, team.unwrap_or(EntityState::NO_TEAM))
        }
        Event::Left { entity } => wire::Event::Left { entity: *entity },
        Event::Spawned { entity, life, pose } => {
            wire::Event::Respawned { entity: *entity, life: *life, position_m: pose.position_m() }
        }
        Event::ShotJudged { verdict } => {
            let verdict = out.judgement.verdicts.get(*verdict as usize)?;
            wire::Event::ShotJudged(judged(verdict, out, names))
        }
        Event::Hit(dealt) => wire::Event::Hit(hit(dealt, names)),
        Event::Died { entity, life, killer, weapon } => wire::Event::Killed {
            target: *entity,
            life: *life,
            source: *killer,
            weapon: Some(hit_weapon(*weapon, names)),
        },
        Event::Launched { projectile, shooter, weapon, number } => wire::Event::Launched {
            projectile: *projectile,
            shooter: *shooter,
            weapon: *weapon,
            number: *number,
        },
        Event::Ended { projectile, weapon, at_m, blast_radius_m } => wire::Event::Ended {
            projectile: *projectile,
            weapon: *weapon,
            at_m: *at_m,
            blast_radius_m: *blast_radius_m,
        },
        Event::Mover { mover, state } => moved(*mover, *state),
        Event::Game { name, entity, data } => wire::Event::Game {
            name: Arc::from(*name),
            entity: *entity,
            value: match data {
                HitData::Own(fields) => record(fields),
                HitData::None | HitData::OfWeapon => wire::Value::Record(Vec::new()),
            },
        },
    })
}

/// What one client alone is told on its event batch; an answer to a command goes its own way.
pub fn notice(notice: &Notice) -> Option<wire::Event> {
    match notice {
        Notice::ShotRefused { number, rule, reason, unseen_death, .. } => {
            Some(wire::Event::ShotRefused {
                number: *number,
                unseen_death: *unseen_death,
                rule: (*rule).into(),
                reason: Arc::from(reason.to_string()),
            })
        }
        Notice::CommandAnswered { .. } => None,
    }
}

pub fn reply(answer: &Answer) -> wire::GameReply {
    match answer {
        Answer::Accepted => wire::GameReply::Accepted(None),
        Answer::Refused(name) => wire::GameReply::Refused(Arc::from(*name)),
    }
}

pub fn own_state(own: &OwnState, revision: Revision, traits: u32) -> snapshot::OwnState {
    snapshot::OwnState {
        applied: own.applied,
        position_m: own.position_m,
        velocity_m_s: own.velocity_m_s,
        grounded: own.grounded,
        life: own.life,
        revision,
        health_eighths: health_eighths(own.health),
        alive: own.alive,
        traits,
    }
}

/// A client's command; a value that is no record is a single field named `value`.
pub fn command(entity: EntityId, command: wire::GameCommand) -> Command {
    let mut fields = Vec::new();
    match command.value {
        wire::Value::Record(record) => {
            for (name, value) in record {
                fields.extend(field(&value).map(|value| (name.to_string(), value)));
            }
        }
        other => fields.extend(field(&other).map(|value| ("value".to_owned(), value))),
    }
    Command { entity, number: command.number, name: command.name.to_string(), fields }
}

/// A list or a record is no field of a command; leaving it out makes the field missing, which the
/// room refuses as `field`.
fn field(value: &wire::Value) -> Option<FieldValue> {
    match value {
        wire::Value::Flag(flag) => Some(FieldValue::Flag(*flag)),
        wire::Value::Number(number) => Some(FieldValue::Number(*number)),
        wire::Value::Text(text) => Some(FieldValue::Text(text.to_string())),
        wire::Value::List(_) | wire::Value::Record(_) => None,
    }
}

/// The shot among a tick's inputs that a verdict rules on.
pub fn shot_of<'a>(inputs: &'a [RoomInput], verdict: &Verdict) -> Option<&'a Shot> {
    inputs.iter().find_map(|input| match input {
        RoomInput::Shot(shot)
            if shot.entity == verdict.shooter && shot.claim.number == verdict.number =>
        {
            Some(shot)
        }
        _ => None,
    })
}

fn judged(verdict: &Verdict, out: &TickOutput, names: &Names) -> wire::ShotJudged {
    let outcome = match &verdict.outcome {
        Ruling::Refused { rule, .. } => wire::Outcome::Refused((*rule).into()),
        Ruling::Accepted => {
            let rays = out.judgement.rays_of(verdict);
            let hits = out.judgement.hits_of(verdict);
            let origin_m = verdict.origin_m;
            wire::Outcome::Accepted {
                origin_m,
                ends_m: rays.iter().map(|ray| ray.end_m).collect(),
                hits: hits
                    .iter()
                    .map(|hit| wire::Strike {
                        target: hit.target,
                        pellet: hit.pellet,
                        zone: kind_of(out, hit.target).and_then(|kind| names.zone(kind, hit.zone)),
                        at_m: struck_at(origin_m, rays, hit),
                    })
                    .collect(),
            }
        }
    };
    wire::ShotJudged {
        shooter: verdict.shooter,
        number: verdict.number,
        weapon: verdict.weapon,
        outcome,
    }
}

/// Where a pellet met its target: so far along its ray.
fn struck_at(origin_m: Vec3, rays: &[Ray], hit: &ShotHit) -> Vec3 {
    match rays.iter().find(|ray| ray.pellet == hit.pellet) {
        Some(ray) => origin_m + (ray.end_m - origin_m).normalize_or_zero() * hit.distance_m,
        None => hit.stood.position_m(),
    }
}

fn kind_of(out: &TickOutput, entity: EntityId) -> Option<EntityKind> {
    out.entities.iter().find(|state| state.id == entity).map(|state| state.kind)
}

fn hit(hit: &Hit, names: &Names) -> wire::Hit {
    let data = match (&hit.data, hit.weapon) {
        (HitData::Own(fields), _) => Some(record(fields)),
        (HitData::OfWeapon, HitSource::Weapon(weapon)) => names.weapon_data(weapon),
        (HitData::OfWeapon | HitData::None, _) => None,
    };
    wire::Hit {
        target: hit.target,
        source: hit.source,
        number: hit.number,
        weapon: hit_weapon(hit.weapon, names),
        amount: hit.amount,
        zone: names.zone(hit.target_kind, hit.zone),
        data,
    }
}

fn hit_weapon(source: HitSource, names: &Names) -> wire::HitWeapon {
    match source {
        HitSource::Weapon(weapon) => wire::HitWeapon::Catalogue(weapon),
        HitSource::Monster(index) => wire::HitWeapon::Named(names.monster(index)),
        HitSource::Game(name) => wire::HitWeapon::Named(Arc::from(name)),
    }
}

fn record(fields: &[(String, DataValue)]) -> wire::Value {
    wire::Value::Record(
        fields.iter().map(|(name, data)| (Arc::from(name.as_str()), value(data))).collect(),
    )
}

fn value(data: &DataValue) -> wire::Value {
    match data {
        DataValue::Number(number) => wire::Value::Number(*number),
        DataValue::Text(text) => wire::Value::Text(Arc::from(text.as_str())),
        DataValue::Flag(flag) => wire::Value::Flag(*flag),
        DataValue::List(items) => wire::Value::List(items.iter().map(value).collect()),
        DataValue::Record(fields) => record(fields),
    }
}
