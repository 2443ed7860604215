//! `san_andreas.toml` from the weapon table: every holdable weapon, each number from a column.
//!
//! What the table does not hold (how a thrown body flies, how pellets spread) is chosen here and
//! named in the file's head.

use std::collections::BTreeMap;
use std::fmt::Write;

const TABLE: &str = include_str!("../../../../../deploy/modes/data/gta_sa_weapons.csv");
const HEAD: &str = include_str!("san_andreas_head.toml");

/// Health a point of the raw damage column takes, where the table has no other number.
const HEALTH_PER_RAW_DAMAGE: f64 = 0.33;
/// The satchel charge, and the detonator that the game hands whoever throws one.
const SATCHEL_CHARGE: u32 = 39;
const DETONATOR: u32 = 40;

type Row = BTreeMap<String, String>;

/// The whole file.
pub fn generate() -> Result<String, csv::Error> {
    let rows: Vec<Row> =
        csv::Reader::from_reader(TABLE.as_bytes()).deserialize().collect::<Result<_, _>>()?;
    let detonator = rows.iter().find(|row| number(row, "weapon_id") == Some(f64::from(DETONATOR)));
    let detonator = detonator.map_or("", |row| &row["name"]);
    let mut text = HEAD.to_owned();
    // The game's own projectiles are never held: the table gives them no slot.
    for row in rows.iter().filter(|row| number(row, "slot").is_some_and(|slot| slot >= 0.0)) {
        write_weapon(&mut text, row, detonator);
    }
    Ok(text)
}

fn write_weapon(text: &mut String, row: &Row, detonator: &str) {
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "{key} = {value}");
    };
    line("\n[[weapons]]\nname", format!("{:?}", row["name"]));
    line("id", row["weapon_id"].clone());
    line("slot", row["slot"].clone());
    let kind = kind(row);
    line("kind", format!("{kind:?}"));
    let ammo = ammo(row);
    line("ammo", format!("{ammo:?}"));
    let clip = largest(row, &["clip_poor", "clip_std", "clip_pro"]);
    if let Some(clip) = clip.filter(|clip| *clip > 0.0 && ammo != "none") {
        line("clip_size", clip.to_string());
    }
    if let Some(damage) = damage(row).filter(|damage| *damage > 0.0) {
        line("damage", decimal(damage));
    }
    let ranges = ["range_m_poor", "range_m_std", "range_m_pro", "wc_range_m", "omp_range_m"];
    if let Some(range_m) = largest(row, &ranges) {
        line("range_m", decimal(range_m));
    }
    let interval_ms = number(row, "wc_min_interval_ms").or_else(|| number(row, "omp_shoot_ms"));
    if let Some(interval_ms) = interval_ms.filter(|ms| *ms > 0.0) {
        line("interval_s", decimal(interval_ms / 1000.0));
    }
    if let Some(pellets) = number(row, "pellets_max") {
        line("pellets", pellets.to_string());
        line("spread_rad", "0.02".to_owned());
    }
    for (key, value) in flight(row) {
        line(key, decimal(value));
    }
    if kind == "projectile" {
        line("model", format!("{:?}", row["dat_name"].to_ascii_lowercase()));
    }
    if number(row, "weapon_id") == Some(f64::from(SATCHEL_CHARGE)) {
        line("self_grants", format!("{detonator:?}"));
    }
}

fn kind(row: &Row) -> &'static str {
    if row["fire_type"] == "MELEE" {
        return "melee";
    }
    match row["class"].as_str() {
        "bullet" => "instant",
        "thrown" | "rocket" => "projectile",
        "continuous" => "continuous",
        _ => "gadget",
    }
}

fn ammo(row: &Row) -> &'static str {
    match row["ammo_use"].as_str() {
        "per_shot" | "per_throw" | "per_launch" | "per_photo" => "per_shot",
        "while_held" => "while_held",
        _ => "none",
    }
}

/// Health a hit takes: as measured a hit, or the cap of a blast; a plain multiplier says nothing, so
/// there the raw column speaks.
fn damage(row: &Row) -> Option<f64> {
    let measured = number(row, "mp_damage_hp")?;
    if row["mp_damage_kind"] == "per_hit" || measured > 1.0 {
        return Some(measured);
    }
    largest(row, &["dat_damage_poor", "dat_damage_std", "dat_damage_pro"])
        .map(|raw| raw * HEALTH_PER_RAW_DAMAGE)
}

/// How a thrown or launched body flies: not in the table.
fn flight(row: &Row) -> Vec<(&'static str, f64)> {
    let blast_m = if number(row, "mp_damage_hp").is_some_and(|hp| hp > 1.0) { 6.0 } else { 3.0 };
    match row["class"].as_str() {
        "thrown" => vec![
            ("speed_m_s", 18.0),
            ("gravity_m_s2", 9.8),
            ("blast_radius_m", blast_m),
            ("life_s", 3.0),
        ],
        "rocket" => vec![("speed_m_s", 30.0), ("blast_radius_m", blast_m), ("life_s", 3.0)],
        _ => Vec::new(),
    }
}

fn largest(row: &Row, columns: &[&str]) -> Option<f64> {
    columns.iter().filter_map(|column| number(row, column)).reduce(f64::max)
}

fn number(row: &Row, column: &str) -> Option<f64> {
    row[column].parse().ok()
}

/// At most four places, without trailing zeros, always with a point.
fn decimal(number: f64) -> String {
    let text = format!("{number:.4}");
    let text = text.trim_end_matches('0');
    if text.ends_with('.') { format!("{text}0") } else { text.to_owned() }
}
