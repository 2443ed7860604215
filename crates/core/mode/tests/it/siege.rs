//! A real game's guns: every number from its table, raised by its tiers and cards.

use fairshot_mode::{Stat, StatSheet, Weapon, WeaponNumbers, presets};
use std::collections::BTreeMap;

const TABLE: &str = include_str!("../../../../../deploy/modes/data/siege_weapons.csv");

fn gun(name: &str) -> Weapon {
    presets::siege().weapons.named(name).expect("a gun of the mode").clone()
}

/// The gun's numbers in the hands of an owner of so many of its tiers, with some cards.
fn numbers(name: &str, tiers: usize, cards: &[(&str, Stat)]) -> WeaponNumbers {
    let gun = gun(name);
    let mut sheet = StatSheet::default();
    gun.tiers.iter().take(tiers).for_each(|tier| sheet.add_tier(tier));
    cards.iter().for_each(|(stat, card)| sheet.add(stat, card));
    gun.numbers(|stat| sheet.get(stat))
}

fn snake(camel: &str) -> String {
    camel.chars().fold(String::new(), |mut out, c| {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
        out
    })
}

#[test]
fn every_gun_has_the_numbers_and_stats_of_its_row() {
    let mut seen = 0;
    let mut table = csv::Reader::from_reader(TABLE.as_bytes());
    for row in table.deserialize::<BTreeMap<String, String>>() {
        let row = row.expect("the table reads");
        let mode = presets::siege();
        let Some(gun) = mode.weapons.named(&row["weapon"]) else { continue };
        seen += 1;
        let expect = |column: &str, number: f32| {
            if let Ok(expected) = row[column].parse::<f32>() {
                assert!((number - expected).abs() < 1e-4, "{} {column}: {number}", gun.name);
            }
        };
        expect("damage", gun.damage);
        expect("range_m", gun.range_m);
        expect("shots_per_second", gun.shots_per_second);
        expect("interval_s", 1.0 / gun.shots_per_second);
        expect("pellets", f32::from(gun.pellets));
        expect("spread_rad", gun.spread_rad);
        expect("pierce", f32::from(gun.pierce));
        expect("speed_m_s", gun.speed_m_s);
        if row["game"] != "holdfast" {
            continue;
        }
        expect("life_s", gun.life_s);
        for part in row["stats"].split("; ") {
            let (number, names) = part.split_once("<-").expect("number<-stats");
            let names: Vec<String> = names.split('+').map(snake).collect();
            let named = match number {
                "damage" => &gun.stats.damage,
                "shotsPerSecond" => &gun.stats.shots_per_second,
                "pellets" => &gun.stats.pellets,
                "pierce" => &gun.stats.pierce,
                "zoneDamage" => &gun.stats.zone_damage,
                other => panic!("a number the mode does not name: {other}"),
            };
            assert_eq!(*named, names, "{} {number}", gun.name);
        }
    }
    assert_eq!(seen, 6);
}

#[test]
fn one_card_raises_every_gun_from_its_own_base() {
    let card = [("damage", Stat::percent(0.25))];
    assert_eq!(numbers("blaster", 0, &card).damage, 12.5);
    assert_eq!(numbers("rail", 0, &card).damage, 68.75);
    assert_eq!(numbers("blaster", 0, &[]).damage, 10.0);
}

#[test]
fn the_blasters_tiers_add_rate_then_a_weaker_pellet_then_pierce() {
    assert_eq!(numbers("blaster", 1, &[]).shots_per_second, 7.5);
    let two = numbers("blaster", 2, &[]);
    assert_eq!((two.pellets, two.shots_per_second), (2, 7.5));
    assert!((two.damage - 7.0).abs() < 1e-5);
    assert_eq!(numbers("blaster", 3, &[]).pierce, 2);
}

#[test]
fn the_scattergun_fires_five_pellets_and_seven_with_its_first_tier() {
    assert_eq!(numbers("scattergun", 0, &[]).pellets, 5);
    assert_eq!(numbers("scattergun", 1, &[]).pellets, 7);
    let more = numbers("scattergun", 3, &[("pellets", Stat::flat(1.0))]);
    assert_eq!(more.pellets, 8, "a card for every gun lies under the gun's own tier");
}

#[test]
fn the_rails_tiers_pierce_further_each() {
    let pierce: Vec<u8> = (0..=3).map(|tiers| numbers("rail", tiers, &[]).pierce).collect();
    assert_eq!(pierce, [4, 8, 16, 16]);
}

#[test]
fn a_weak_spot_takes_three_times_from_the_rails_last_tier() {
    let mode = presets::siege();
    let weak_spot = &mode.monsters[0].zones[0];
    let hit = |tiers| {
        let numbers = numbers("rail", tiers, &[]);
        numbers.damage * weak_spot.multiplier * numbers.zone_damage
    };
    assert_eq!((hit(0), hit(3)), (110.0, 165.0));
}

#[test]
fn the_lance_fires_once_its_card_is_taken() {
    assert_eq!(numbers("lance", 0, &[]).shots_per_second, 0.0);
    let carded = numbers("lance", 1, &[("damage", Stat::percent(0.5))]);
    assert_eq!((carded.damage, carded.shots_per_second, carded.pierce), (60.0, 0.75, 12));
}

#[test]
fn power_upgrades_add_up_on_the_guns_that_name_them() {
    let pulse = gun("pulse");
    let mut sheet = StatSheet::default();
    (0..3).for_each(|_| sheet.add_tier(&pulse.tiers[0]));
    assert_eq!(pulse.numbers(|stat| sheet.get(stat)).damage, 28.0 + 3.0 * 7.0);
}
