//! The catalogue and the loadout.

use super::bodies::unique_names;
use super::section::{Placed, Section};
use super::words::{describe, finite, nearest};
use super::{rules, source::Source};
use crate::reference::STAT;
use crate::{
    AmmoUse, Bots, Catalogue, DataValue, Grant, Judge, Rules, RulesOverlay, Stat, Tier, Weapon,
    WeaponKind, WeaponStats,
};
use fairshot_units::{SlotIndex, WeaponId};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(super) fn catalogue(
    root: &Section<'_>,
    mode_rules: &Rules,
    carries_over: [bool; SlotIndex::COUNT],
) -> Option<Catalogue> {
    let sections = root.tables("weapons");
    unique_names(&sections);
    unique_ids(&sections);
    let (mut weapons, overlays): (Vec<Weapon>, Vec<RulesOverlay>) =
        sections.iter().map(|section| weapon(section, mode_rules)).unzip();
    for (index, section) in sections.iter().enumerate() {
        let grants = self_grants(section, &weapons);
        weapons[index].self_grants = grants;
    }
    // Ids and names that stand twice are told above, so this fails only where the faults say why.
    Catalogue::with_overlays(weapons, overlays, carries_over).ok()
}

pub(super) fn loadout(root: &Section<'_>, weapons: &Catalogue) -> Vec<Grant> {
    let grant = |section: &Section<'_>| {
        let (name, at) = section.text_if_any("weapon")?;
        let path = section.path_of("weapon");
        let weapon = known(section.source, &at, &path, &name, weapons.weapons())?;
        Some(Grant { weapon, rounds: section.count_u16("rounds"), armed: section.flag("armed") })
    };
    root.tables("loadout").iter().filter_map(grant).collect()
}

pub(super) fn bots(root: &Section<'_>, weapons: &Catalogue) -> Bots {
    let Some(section) = root.table("bots") else { return Bots::default() };
    let (fill, seats) = (section.count_u16("fill"), root.count_u16("players_max"));
    if fill > seats {
        section.fault("fill", format!("at most the {seats} seats of a room"), fill.to_string());
    }
    let path = section.path_of("weapons");
    let weapon =
        |(name, at): &Placed<String>| known(section.source, at, &path, name, weapons.weapons());
    Bots {
        fill,
        weapons: section.names("weapons").iter().filter_map(weapon).collect(),
        reaction_s: section.number("reaction_s"),
        aim_error_rad: section.radians("aim_error_deg"),
        sight_m: section.number("sight_m"),
    }
}

fn weapon(section: &Section<'_>, mode_rules: &Rules) -> (Weapon, RulesOverlay) {
    let own = section.table("rules").map(|table| rules::overlay(&table)).unwrap_or_default();
    let kind = kind(section);
    let weapon = Weapon {
        id: WeaponId(section.count_u8("id")),
        name: section.text("name"),
        slot: SlotIndex::new(section.count_u8("slot")).unwrap_or_default(),
        kind,
        ammo: ammo(section, kind),
        clip_size: section.count_u16("clip_size"),
        damage: section.number("damage"),
        range_m: section.number("range_m"),
        shots_per_second: rate(section, kind),
        pellets: section.count_u8("pellets"),
        spread_rad: section.number("spread_rad"),
        pierce: section.count_u8("pierce"),
        zone_damage: section.number("zone_damage"),
        speed_m_s: section.number("speed_m_s"),
        gravity_m_s2: section.number("gravity_m_s2"),
        projectile_radius_m: section.number("projectile_radius_m"),
        blast_radius_m: section.number("blast_radius_m"),
        life_s: section.number("life_s"),
        judge: match section.choice("judge") {
            "client" => Judge::Client,
            _ => Judge::Room,
        },
        friendly_fire: section.flag_if_any("friendly_fire"),
        rules: mode_rules.with(&own),
        stats: section.table("stats").map(|table| stats(&table)).unwrap_or_default(),
        data: data(section),
        model: section.text("model"),
        self_grants: Vec::new(),
        tiers: section.tables("tiers").iter().map(tier).collect(),
    };
    (weapon, own)
}

fn kind(section: &Section<'_>) -> WeaponKind {
    match section.choice("kind") {
        "projectile" => WeaponKind::Projectile,
        "continuous" => WeaponKind::Continuous,
        "melee" => WeaponKind::Melee,
        "gadget" => WeaponKind::Gadget,
        _ => WeaponKind::Instant,
    }
}

fn ammo(section: &Section<'_>, kind: WeaponKind) -> AmmoUse {
    let fires = matches!(kind, WeaponKind::Instant | WeaponKind::Projectile);
    let ammo = match section.choice("ammo") {
        "none" => AmmoUse::None,
        "per_shot" => AmmoUse::PerShot,
        "while_held" => AmmoUse::WhileHeld,
        _ if fires => AmmoUse::PerShot,
        _ if kind == WeaponKind::Continuous => AmmoUse::WhileHeld,
        _ => AmmoUse::None,
    };
    if (ammo == AmmoUse::WhileHeld) != (kind == WeaponKind::Continuous) {
        let expected = "while_held for a continuous weapon, and for no other";
        section.fault("ammo", expected, describe_choice(section));
    }
    ammo
}

fn describe_choice(section: &Section<'_>) -> String {
    format!("ammo {:?} with kind {:?}", section.choice("ammo"), section.choice("kind"))
}

fn rate(section: &Section<'_>, kind: WeaponKind) -> f32 {
    if section.has("shots_per_second") && section.has("interval_s") {
        section.fault("interval_s", "shots_per_second or interval_s", "both");
    }
    let fires = matches!(kind, WeaponKind::Instant | WeaponKind::Projectile);
    section
        .number_if_any("shots_per_second")
        .or_else(|| section.number_if_any("interval_s").map(|interval_s| 1.0 / interval_s))
        .unwrap_or(if fires { 1.0 } else { 0.0 })
}

fn stats(section: &Section<'_>) -> WeaponStats {
    let names = |key| section.names(key).into_iter().map(|(name, _)| name).collect();
    WeaponStats {
        damage: names("damage"),
        range: names("range"),
        shots_per_second: names("shots_per_second"),
        pellets: names("pellets"),
        spread: names("spread"),
        pierce: names("pierce"),
        zone_damage: names("zone_damage"),
        speed: names("speed"),
    }
}

fn tier(section: &Section<'_>) -> Tier {
    let Some(table) = section.open("modifiers") else { return Tier::default() };
    let path = section.path_of("modifiers");
    let modifiers = table.iter().filter_map(|(name, value)| {
        let path = format!("{path}.{}", name.get_ref());
        let Some(inner) = value.get_ref().as_table() else {
            let expected = "a table such as { percent = 0.25 }".to_owned();
            section.source.fault(&value.span(), &path, expected, describe(value.get_ref()));
            return None;
        };
        let stat = Section::new(section.source, path, inner, value.span(), &STAT);
        Some((
            name.get_ref().to_string(),
            Stat {
                base: stat.number("base"),
                flats: stat.numbers("flat"),
                percents: stat.numbers("percent"),
                mores: stat.numbers("more"),
            },
        ))
    });
    Tier { modifiers: modifiers.collect() }
}

fn self_grants(section: &Section<'_>, weapons: &[Weapon]) -> Vec<WeaponId> {
    let path = section.path_of("self_grants");
    section
        .names("self_grants")
        .into_iter()
        .filter_map(|(name, at)| known(section.source, &at, &path, &name, weapons))
        .collect()
}

/// The weapon of that name, told where there is none.
fn known(
    source: &Source<'_>,
    at: &std::ops::Range<usize>,
    path: &str,
    name: &str,
    weapons: &[Weapon],
) -> Option<WeaponId> {
    let weapon = weapons.iter().find(|weapon| weapon.name == name);
    if weapon.is_none() {
        let expected = match nearest(name, weapons.iter().map(|w| w.name.as_str())) {
            Some(near) => format!("a weapon of the catalogue (did you mean {near:?}?)"),
            None => "a weapon of the catalogue".to_owned(),
        };
        source.fault(at, path, expected, format!("{name:?}"));
    }
    weapon.map(|weapon| weapon.id)
}

fn unique_ids(sections: &[Section<'_>]) {
    let mut lines: [Option<usize>; 256] = [None; 256];
    for section in sections.iter().filter(|section| section.has("id")) {
        let line = section.source.place(section.span_of("id").start).0;
        let id = section.count_u8("id");
        match lines[usize::from(id)] {
            Some(first) => {
                section.fault("id", "an id of its own", format!("{id}, the id in line {first}"));
            }
            None => lines[usize::from(id)] = Some(line),
        }
    }
}

fn data(section: &Section<'_>) -> Vec<(String, DataValue)> {
    const VALUES_MAX: usize = 32;
    const DEPTH_MAX: usize = 4;
    let Some(table) = section.open("data") else { return Vec::new() };
    let mut left = VALUES_MAX;
    record(table, DEPTH_MAX, &mut left).unwrap_or_else(|| {
        let expected = format!(
            "up to {VALUES_MAX} numbers, texts, flags, lists and tables, {DEPTH_MAX} deep, no date"
        );
        section.fault("data", expected, "something else");
        Vec::new()
    })
}

fn record(table: &DeTable<'_>, depth: usize, left: &mut usize) -> Option<Vec<(String, DataValue)>> {
    let depth = depth.checked_sub(1)?;
    table
        .iter()
        .map(|(name, value)| Some((name.get_ref().to_string(), value_of(value, depth, left)?)))
        .collect()
}

fn value_of(value: &Spanned<DeValue<'_>>, depth: usize, left: &mut usize) -> Option<DataValue> {
    *left = left.checked_sub(1)?;
    match value.get_ref() {
        DeValue::String(text) => Some(DataValue::Text(text.to_string())),
        number @ (DeValue::Integer(_) | DeValue::Float(_)) => {
            finite(number)?;
            let text = match number {
                DeValue::Float(float) => float.as_str(),
                DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str(),
                _ => return None,
            };
            text.parse().ok().map(DataValue::Number)
        }
        DeValue::Boolean(flag) => Some(DataValue::Flag(*flag)),
        DeValue::Datetime(_) => None,
        DeValue::Array(list) => {
            let depth = depth.checked_sub(1)?;
            let list: Option<Vec<_>> =
                list.iter().map(|item| value_of(item, depth, left)).collect();
            list.map(DataValue::List)
        }
        DeValue::Table(table) => record(table, depth, left).map(DataValue::Record),
    }
}
