//! Weapons, their rules, stats and tiers, and the loadout.

use super::{IntoValue, degrees, number, table};
use crate::{
    AmmoUse, Catalogue, DataValue, Judge, Mode, RulesOverlay, Setting, Stat, Weapon, WeaponKind,
    WeaponStats,
};
use fairshot_units::{SlotIndex, WeaponId};
use toml::{Table, Value};

pub(super) fn catalogue(mode: &Mode) -> Value {
    let weapons = mode.weapons.weapons().iter().enumerate().map(|(index, weapon)| {
        let own = mode
            .weapons
            .overlay(index)
            .cloned()
            .unwrap_or_else(|| RulesOverlay::between(&mode.rules, &weapon.rules));
        one(weapon, &own, &mode.weapons)
    });
    weapons.collect::<Vec<_>>().into()
}

pub(super) fn loadout(mode: &Mode) -> Value {
    let grants = mode.loadout.iter().map(|grant| {
        table([
            ("weapon", name(&mode.weapons, grant.weapon).into()),
            ("rounds", grant.rounds.into_value()),
            ("armed", grant.armed.into()),
        ])
    });
    grants.collect::<Vec<_>>().into()
}

pub(super) fn bots(mode: &Mode) -> Value {
    let bots = &mode.bots;
    let weapons = bots.weapons.iter().map(|id| Value::from(name(&mode.weapons, *id)));
    table([
        ("fill", bots.fill.into_value()),
        ("weapons", weapons.collect::<Vec<_>>().into()),
        ("reaction_s", number(bots.reaction_s)),
        ("aim_error_deg", degrees(bots.aim_error_rad)),
        ("sight_m", number(bots.sight_m)),
    ])
}

pub(super) fn carries_over(weapons: &Catalogue) -> Value {
    let slots = (0..13_u8)
        .filter(|slot| SlotIndex::new(*slot).is_some_and(|slot| weapons.carries_over(slot)));
    slots.map(IntoValue::into_value).collect::<Vec<_>>().into()
}

pub(super) fn rules(overlay: &RulesOverlay) -> Value {
    let mut rules = Table::new();
    let flags = [
        ("armed", overlay.armed),
        ("held", overlay.held),
        ("ammo", overlay.ammo),
        ("cover", overlay.cover),
        ("range", overlay.range),
    ];
    rules.extend(flags.into_iter().filter_map(|(key, on)| Some((key.to_owned(), on?.into()))));
    let mut set = |key: &str, setting: Option<Setting<Value>>| match setting {
        None => {}
        Some(Setting::Off) => drop(rules.insert(key.to_owned(), false.into())),
        Some(Setting::On(value)) => drop(rules.insert(key.to_owned(), value)),
    };
    set("rate", overlay.rate.map(|rate| rate.map(|r| table([("stall_s", number(r.stall_s))]))));
    set("origin", overlay.origin.map(|rule| rule.map(|r| table([("metres", number(r.metres))]))));
    let rewind = overlay.rewind.map(|rewind| {
        rewind.map(|r| {
            let mut numbers = Table::new();
            numbers.insert("maximum_s".into(), number(r.maximum_s));
            numbers.insert("tolerance_s".into(), number(r.tolerance_s));
            let slack = r.transport_slack_s.map(|s| ("transport_slack_s".to_owned(), number(s)));
            numbers.extend(slack);
            numbers.into()
        })
    });
    set("rewind", rewind);
    let reload = overlay.reload.map(|reload| {
        reload.map(|r| table([("reload_s", number(r.reload_s)), ("stall_s", number(r.stall_s))]))
    });
    set("reload", reload);
    let game: Table = overlay.game.iter().map(|(name, on)| (name.clone(), (*on).into())).collect();
    rules.insert("game".into(), game.into());
    rules.into()
}

fn one(weapon: &Weapon, own: &RulesOverlay, weapons: &Catalogue) -> Value {
    let mut entry = Table::new();
    let mut put = |key: &str, value: Value| drop(entry.insert(key.to_owned(), value));
    put("name", weapon.name.as_str().into());
    put("id", weapon.id.0.into_value());
    put("slot", u8::from(weapon.slot).into_value());
    put("kind", kind(weapon.kind).into());
    put("ammo", ammo(weapon.ammo).into());
    put("clip_size", weapon.clip_size.into_value());
    put("damage", number(weapon.damage));
    put("range_m", number(weapon.range_m));
    put("shots_per_second", number(weapon.shots_per_second));
    put("pellets", weapon.pellets.into_value());
    put("spread_rad", number(weapon.spread_rad));
    put("pierce", weapon.pierce.into_value());
    put("zone_damage", number(weapon.zone_damage));
    put("speed_m_s", number(weapon.speed_m_s));
    put("gravity_m_s2", number(weapon.gravity_m_s2));
    put("projectile_radius_m", number(weapon.projectile_radius_m));
    put("blast_radius_m", number(weapon.blast_radius_m));
    put("life_s", number(weapon.life_s));
    let judge = if weapon.judge == Judge::Client { "client" } else { "room" };
    put("judge", judge.into());
    if let Some(friendly_fire) = weapon.friendly_fire {
        put("friendly_fire", friendly_fire.into());
    }
    put("rules", rules(own));
    put("stats", stats(&weapon.stats));
    put("data", record(&weapon.data));
    if !weapon.model.is_empty() {
        put("model", weapon.model.as_str().into());
    }
    let grants = weapon.self_grants.iter().map(|id| Value::from(name(weapons, *id)));
    put("self_grants", grants.collect::<Vec<_>>().into());
    let tiers = weapon.tiers.iter().map(|tier| {
        let modifiers = tier.modifiers.iter().map(|(name, by)| (name.clone(), stat(by)));
        table([("modifiers", modifiers.collect::<Table>().into())])
    });
    put("tiers", tiers.collect::<Vec<_>>().into());
    entry.into()
}

/// A weapon's name; an id without a weapon is written as no name of any.
fn name(weapons: &Catalogue, id: WeaponId) -> String {
    weapons.get(id).map_or_else(|| format!("weapon {}", id.0), |weapon| weapon.name.clone())
}

fn kind(kind: WeaponKind) -> &'static str {
    match kind {
        WeaponKind::Instant => "instant",
        WeaponKind::Projectile => "projectile",
        WeaponKind::Continuous => "continuous",
        WeaponKind::Melee => "melee",
        WeaponKind::Gadget => "gadget",
    }
}

fn ammo(ammo: AmmoUse) -> &'static str {
    match ammo {
        AmmoUse::None => "none",
        AmmoUse::PerShot => "per_shot",
        AmmoUse::WhileHeld => "while_held",
    }
}

fn stats(stats: &WeaponStats) -> Value {
    table([
        ("damage", stats.damage.clone().into()),
        ("range", stats.range.clone().into()),
        ("shots_per_second", stats.shots_per_second.clone().into()),
        ("pellets", stats.pellets.clone().into()),
        ("spread", stats.spread.clone().into()),
        ("pierce", stats.pierce.clone().into()),
        ("zone_damage", stats.zone_damage.clone().into()),
        ("speed", stats.speed.clone().into()),
    ])
}

fn stat(stat: &Stat) -> Value {
    let numbers = |list: &[f32]| list.iter().copied().map(number).collect::<Vec<_>>().into();
    table([
        ("base", number(stat.base)),
        ("flat", numbers(&stat.flats)),
        ("percent", numbers(&stat.percents)),
        ("more", numbers(&stat.mores)),
    ])
}

fn record(data: &[(String, DataValue)]) -> Value {
    data.iter().map(|(key, value)| (key.clone(), data_value(value))).collect::<Table>().into()
}

fn data_value(value: &DataValue) -> Value {
    match value {
        DataValue::Number(number) => Value::Float(*number),
        DataValue::Text(text) => text.as_str().into(),
        DataValue::Flag(flag) => (*flag).into(),
        DataValue::List(list) => list.iter().map(data_value).collect::<Vec<_>>().into(),
        DataValue::Record(record_of) => record(record_of),
    }
}
