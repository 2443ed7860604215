//! Events as bytes. The low four bits of an event's first byte are its kind, the high four its flags.

use super::event::{Event, Hit, HitWeapon, Joined, Motion, Outcome, RefusedBy, ShotJudged, Strike};
use crate::bytes::{ByteReader, Put};
use crate::names::{NameReader, NameWriter};
use crate::value::TEXT_BYTES_MAX;
use crate::{DecodeError, Value};
use fairshot_units::{EntityId, EntityKind, Life, MessageNumber, Rule, WeaponId};
use glam::Vec3;
use std::sync::Arc;

const JOINED: u8 = 0;
const LEFT: u8 = 1;
const JUDGED: u8 = 2;
const HIT: u8 = 3;
const KILLED: u8 = 4;
const RESPAWNED: u8 = 5;
const REFUSED: u8 = 6;
const GAME: u8 = 7;
const LAUNCHED: u8 = 8;
const ENDED: u8 = 9;
const MOVER: u8 = 10;

const HAS_SOURCE: u8 = 0x10;
const HAS_ZONE: u8 = 0x20;
const HAS_DATA: u8 = 0x40;
/// The weapon is no catalogue number alone: a byte of its own says what it is.
const IS_ODD: u8 = 0x80;
const HAS_WEAPON: u8 = 0x20;
const IS_REFUSED: u8 = 0x10;
const IS_UNSEEN_DEATH: u8 = 0x10;

const ODD_NAMED: u8 = 0;
const ODD_MONSTER: u8 = 1;
/// A weapon of the catalogue after all, with the shot's number behind it.
const ODD_NUMBERED: u8 = 2;

/// Pellets of one pull.
pub(super) const ENDS_MAX: usize = 255;
/// Targets of one pull, over all of its pellets.
pub(super) const STRIKES_MAX: usize = 1024;
/// A rule of the game's, by name.
const GAME_RULE: u8 = u8::MAX;

pub(super) fn write(event: &Event, out: &mut Vec<u8>, names: &mut NameWriter<'_>) {
    match event {
        Event::Joined(joined) => write_joined(joined, out),
        Event::Left { entity } => {
            out.put_u8(LEFT);
            out.put_varint(entity.0.into());
        }
        Event::ShotJudged(judged) => write_judged(judged, out, names),
        Event::Hit(hit) => write_hit(hit, out, names),
        Event::Killed { target, life, source, weapon } => {
            let odd = !matches!(weapon, None | Some(HitWeapon::Catalogue(_)));
            out.put_u8(
                KILLED
                    | bit(source.is_some(), HAS_SOURCE)
                    | bit(weapon.is_some(), HAS_WEAPON)
                    | bit(odd, IS_ODD),
            );
            out.put_varint(target.0.into());
            out.put_u16(life.0);
            write_source(*source, out);
            if let Some(weapon) = weapon {
                write_weapon(weapon, None, out, names);
            }
        }
        Event::Respawned { entity, life, position_m } => {
            out.put_u8(RESPAWNED);
            out.put_varint(entity.0.into());
            out.put_u16(life.0);
            out.put_place(*position_m);
        }
        Event::ShotRefused { number, rule, reason, unseen_death } => {
            out.put_u8(REFUSED | bit(*unseen_death, IS_UNSEEN_DEATH));
            out.put_varint(number.0.into());
            write_rule(rule, out, names);
            NameWriter::plain().write(reason, out);
        }
        Event::Game { name, entity, value } => {
            out.put_u8(GAME | bit(entity.is_some(), HAS_SOURCE));
            names.write(name, out);
            write_source(*entity, out);
            let value = if value.is_sendable() { value } else { &Value::Flag(false) };
            value.write(out, names);
        }
        Event::Launched { projectile, shooter, weapon, number } => {
            out.put_u8(LAUNCHED);
            out.put_varint(projectile.0.into());
            out.put_varint(shooter.0.into());
            out.put_u8(weapon.0);
            out.put_varint(number.0.into());
        }
        Event::Mover { mover, centre_m, motion } => {
            out.put_u8(MOVER);
            out.put_varint((*mover).into());
            write_point(*centre_m, out);
            write_motion(motion, out);
        }
        Event::Ended { projectile, weapon, at_m, blast_radius_m } => {
            out.put_u8(ENDED);
            out.put_varint(projectile.0.into());
            out.put_u8(weapon.0);
            out.put_place(*at_m);
            write_amount(*blast_radius_m, out);
        }
    }
}

pub(super) fn read(
    bytes: &mut ByteReader<'_>,
    names: &mut NameReader<'_>,
) -> Result<Event, DecodeError> {
    let first = bytes.take_u8()?;
    match first & 0x0F {
        JOINED => read_joined(bytes).map(Event::Joined),
        LEFT => Ok(Event::Left { entity: read_entity(bytes)? }),
        JUDGED => read_judged(first, bytes, names).map(Event::ShotJudged),
        HIT => read_hit(first, bytes, names).map(Event::Hit),
        KILLED => Ok(Event::Killed {
            target: read_entity(bytes)?,
            life: Life(bytes.take_u16()?),
            source: read_source(first, bytes)?,
            weapon: match first & HAS_WEAPON {
                0 => None,
                _ => Some(read_weapon(first, bytes, names)?.0),
            },
        }),
        RESPAWNED => Ok(Event::Respawned {
            entity: read_entity(bytes)?,
            life: Life(bytes.take_u16()?),
            position_m: bytes.take_place()?,
        }),
        REFUSED => Ok(Event::ShotRefused {
            number: MessageNumber(bytes.take_varint_u32()?),
            rule: read_rule(bytes, names)?,
            reason: NameReader::plain().read(bytes)?,
            unseen_death: first & IS_UNSEEN_DEATH != 0,
        }),
        LAUNCHED => Ok(Event::Launched {
            projectile: read_entity(bytes)?,
            shooter: read_entity(bytes)?,
            weapon: WeaponId(bytes.take_u8()?),
            number: MessageNumber(bytes.take_varint_u32()?),
        }),
        ENDED => Ok(Event::Ended {
            projectile: read_entity(bytes)?,
            weapon: WeaponId(bytes.take_u8()?),
            at_m: bytes.take_place()?,
            blast_radius_m: read_amount(bytes)?,
        }),
        MOVER => Ok(Event::Mover {
            mover: bytes.take_varint_u16()?,
            centre_m: bytes.take_vec3()?,
            motion: read_motion(bytes)?,
        }),
        GAME => {
            let name = names.read(bytes)?;
            let entity = read_source(first, bytes)?;
            Ok(Event::Game { name, entity, value: Value::read(bytes, names)? })
        }
        unknown => Err(DecodeError::Kind(unknown)),
    }
}

/// Three f32, exactly: clients move a mover by the same arithmetic as the room.
fn write_point(point_m: Vec3, out: &mut Vec<u8>) {
    point_m.to_array().into_iter().for_each(|number| out.put_f32(number));
}

fn write_motion(motion: &Motion, out: &mut Vec<u8>) {
    match motion {
        Motion::Rest => out.put_u8(0),
        Motion::Gone => out.put_u8(1),
        Motion::Towards { to_m, speed_m_s } => {
            out.put_u8(2);
            write_point(*to_m, out);
            out.put_f32(*speed_m_s);
        }
        Motion::Between { from_m, to_m, speed_m_s } => {
            out.put_u8(3);
            write_point(*from_m, out);
            write_point(*to_m, out);
            out.put_f32(*speed_m_s);
        }
    }
}

fn read_motion(bytes: &mut ByteReader<'_>) -> Result<Motion, DecodeError> {
    Ok(match bytes.take_u8()? {
        0 => Motion::Rest,
        1 => Motion::Gone,
        2 => Motion::Towards { to_m: bytes.take_vec3()?, speed_m_s: bytes.take_f32()? },
        3 => Motion::Between {
            from_m: bytes.take_vec3()?,
            to_m: bytes.take_vec3()?,
            speed_m_s: bytes.take_f32()?,
        },
        unknown => return Err(DecodeError::Kind(unknown)),
    })
}

fn bit(set: bool, mask: u8) -> u8 {
    if set { mask } else { 0 }
}

fn write_joined(joined: &Joined, out: &mut Vec<u8>) {
    out.put_u8(JOINED);
    out.put_varint(joined.entity.0.into());
    let (kind, index) = match joined.kind {
        EntityKind::Player => (0, 0),
        EntityKind::Monster(index) => (1, index),
        EntityKind::Projectile(weapon) => (2, weapon.0),
    };
    out.put_u8(kind);
    out.put_u8(index);
    out.put_u16(joined.life.0);
    out.put_u8(joined.team);
    out.put_block(joined.name.as_bytes());
}

fn read_joined(bytes: &mut ByteReader<'_>) -> Result<Joined, DecodeError> {
    Ok(Joined {
        entity: read_entity(bytes)?,
        kind: match (bytes.take_u8()?, bytes.take_u8()?) {
            (0, _) => EntityKind::Player,
            (1, index) => EntityKind::Monster(index),
            (2, weapon) => EntityKind::Projectile(WeaponId(weapon)),
            (unknown, _) => return Err(DecodeError::Kind(unknown)),
        },
        life: Life(bytes.take_u16()?),
        team: bytes.take_u8()?,
        name: Arc::from(bytes.take_text("name", TEXT_BYTES_MAX)?),
    })
}

fn write_judged(judged: &ShotJudged, out: &mut Vec<u8>, names: &mut NameWriter<'_>) {
    let refused = matches!(judged.outcome, Outcome::Refused(_));
    out.put_u8(JUDGED | bit(refused, IS_REFUSED));
    out.put_varint(judged.shooter.0.into());
    out.put_varint(judged.number.0.into());
    out.put_u8(judged.weapon.0);
    match &judged.outcome {
        Outcome::Refused(rule) => write_rule(rule, out, names),
        Outcome::Accepted { origin_m, ends_m, hits } => {
            let ends = &ends_m[..ends_m.len().min(ENDS_MAX)];
            let hits = &hits[..hits.len().min(STRIKES_MAX)];
            out.put_place(*origin_m);
            out.put_varint(ends.len() as u64);
            for end in ends {
                out.put_place(*end);
            }
            out.put_varint(hits.len() as u64);
            for hit in hits {
                out.put_varint(u64::from(hit.target.0) << 1 | u64::from(hit.zone.is_some()));
                out.put_u8(hit.pellet);
                if let Some(zone) = &hit.zone {
                    names.write(zone, out);
                }
                out.put_place(hit.at_m);
            }
        }
    }
}

fn read_judged(
    first: u8,
    bytes: &mut ByteReader<'_>,
    names: &mut NameReader<'_>,
) -> Result<ShotJudged, DecodeError> {
    let shooter = read_entity(bytes)?;
    let number = MessageNumber(bytes.take_varint_u32()?);
    let weapon = WeaponId(bytes.take_u8()?);
    if first & IS_REFUSED != 0 {
        let outcome = Outcome::Refused(read_rule(bytes, names)?);
        return Ok(ShotJudged { shooter, number, weapon, outcome });
    }
    let origin_m = bytes.take_place()?;
    let mut ends_m = Vec::with_capacity(bytes.take_count("ray ends", ENDS_MAX)?);
    for _ in 0..ends_m.capacity().min(ENDS_MAX) {
        ends_m.push(bytes.take_place()?);
    }
    let count = bytes.take_count("strikes", STRIKES_MAX)?;
    let mut hits = Vec::with_capacity(count);
    for _ in 0..count {
        let target = bytes.take_varint()?;
        let entity = u16::try_from(target >> 1).map_err(|_| DecodeError::Range("entity"))?;
        let pellet = bytes.take_u8()?;
        let zone = if target & 1 == 1 { Some(names.read(bytes)?) } else { None };
        hits.push(Strike { target: EntityId(entity), pellet, zone, at_m: bytes.take_place()? });
    }
    Ok(ShotJudged {
        shooter,
        number,
        weapon,
        outcome: Outcome::Accepted { origin_m, ends_m, hits },
    })
}

fn write_hit(hit: &Hit, out: &mut Vec<u8>, names: &mut NameWriter<'_>) {
    let data = hit.data.as_ref().filter(|data| data.is_sendable());
    let odd = hit.number.is_some() || !matches!(hit.weapon, HitWeapon::Catalogue(_));
    out.put_u8(
        HIT | bit(hit.source.is_some(), HAS_SOURCE)
            | bit(hit.zone.is_some(), HAS_ZONE)
            | bit(data.is_some(), HAS_DATA)
            | bit(odd, IS_ODD),
    );
    out.put_varint(hit.target.0.into());
    write_source(hit.source, out);
    write_weapon(&hit.weapon, hit.number, out, names);
    write_amount(hit.amount, out);
    if let Some(zone) = &hit.zone {
        names.write(zone, out);
    }
    if let Some(data) = data {
        names.write_record(data, out);
    }
}

fn read_hit(
    first: u8,
    bytes: &mut ByteReader<'_>,
    names: &mut NameReader<'_>,
) -> Result<Hit, DecodeError> {
    let target = read_entity(bytes)?;
    let source = read_source(first, bytes)?;
    let (weapon, number) = read_weapon(first, bytes, names)?;
    Ok(Hit {
        target,
        source,
        weapon,
        number,
        amount: read_amount(bytes)?,
        zone: if first & HAS_ZONE == 0 { None } else { Some(names.read(bytes)?) },
        data: if first & HAS_DATA == 0 { None } else { Some(names.read_record(bytes)?) },
    })
}

fn read_entity(bytes: &mut ByteReader<'_>) -> Result<EntityId, DecodeError> {
    Ok(EntityId(bytes.take_varint_u16()?))
}

fn write_source(source: Option<EntityId>, out: &mut Vec<u8>) {
    if let Some(source) = source {
        out.put_varint(source.0.into());
    }
}

fn read_source(first: u8, bytes: &mut ByteReader<'_>) -> Result<Option<EntityId>, DecodeError> {
    if first & HAS_SOURCE == 0 { Ok(None) } else { read_entity(bytes).map(Some) }
}

/// A number is told with a weapon of the catalogue only.
fn write_weapon(
    weapon: &HitWeapon,
    number: Option<MessageNumber>,
    out: &mut Vec<u8>,
    names: &mut NameWriter<'_>,
) {
    match (weapon, number) {
        (HitWeapon::Catalogue(id), None) => out.put_u8(id.0),
        (HitWeapon::Catalogue(id), Some(number)) => {
            out.put_u8(ODD_NUMBERED);
            out.put_u8(id.0);
            out.put_varint(number.0.into());
        }
        (HitWeapon::Monster(index), _) => {
            out.put_u8(ODD_MONSTER);
            out.put_u8(*index);
        }
        (HitWeapon::Named(name), _) => {
            out.put_u8(ODD_NAMED);
            names.write(name, out);
        }
    }
}

fn read_weapon(
    first: u8,
    bytes: &mut ByteReader<'_>,
    names: &mut NameReader<'_>,
) -> Result<(HitWeapon, Option<MessageNumber>), DecodeError> {
    let kind = bytes.take_u8()?;
    if first & IS_ODD == 0 {
        return Ok((HitWeapon::Catalogue(WeaponId(kind)), None));
    }
    match kind {
        ODD_NAMED => Ok((HitWeapon::Named(names.read(bytes)?), None)),
        ODD_MONSTER => Ok((HitWeapon::Monster(bytes.take_u8()?), None)),
        ODD_NUMBERED => {
            let weapon = HitWeapon::Catalogue(WeaponId(bytes.take_u8()?));
            Ok((weapon, Some(MessageNumber(bytes.take_varint_u32()?))))
        }
        unknown => Err(DecodeError::Kind(unknown)),
    }
}

pub(super) fn write_rule(rule: &RefusedBy, out: &mut Vec<u8>, names: &mut NameWriter<'_>) {
    match rule {
        RefusedBy::BuiltIn(Rule::Game(name)) => write_game_rule(&Arc::from(*name), out, names),
        RefusedBy::Game(name) => write_game_rule(name, out, names),
        RefusedBy::BuiltIn(rule) => {
            let code = Rule::BUILT_IN.iter().position(|known| known == rule).unwrap_or(0);
            out.put_u8(code.to_le_bytes()[0]);
        }
    }
}

fn write_game_rule(name: &Arc<str>, out: &mut Vec<u8>, names: &mut NameWriter<'_>) {
    out.put_u8(GAME_RULE);
    names.write(name, out);
}

pub(super) fn read_rule(
    bytes: &mut ByteReader<'_>,
    names: &mut NameReader<'_>,
) -> Result<RefusedBy, DecodeError> {
    let code = bytes.take_u8()?;
    if code == GAME_RULE {
        return Ok(RefusedBy::Game(names.read(bytes)?));
    }
    let rule = Rule::BUILT_IN.get(usize::from(code)).ok_or(DecodeError::Kind(code))?;
    Ok(RefusedBy::BuiltIn(*rule))
}

/// Eighths where that is exact, doubled; else 1 and the number in 32 bits.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked by the way back"
)]
fn write_amount(amount: f32, out: &mut Vec<u8>) {
    let eighths = (amount * 8.0) as u32;
    #[expect(clippy::cast_precision_loss, reason = "below 2^24")]
    let back = eighths as f32 / 8.0;
    if eighths < 1 << 24 && back.to_bits() == amount.to_bits() {
        out.put_varint(u64::from(eighths) << 1);
    } else {
        out.put_varint(1);
        out.put_f32(amount);
    }
}

fn read_amount(bytes: &mut ByteReader<'_>) -> Result<f32, DecodeError> {
    let code = bytes.take_varint_u32()?;
    if code & 1 == 1 {
        return bytes.take_f32();
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "exact below 2^24; above it a peer's own rounding"
    )]
    Ok((code >> 1) as f32 / 8.0)
}
