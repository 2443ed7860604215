//! Weapons' numbers raised by their shooter's stats, with the siege mode's real ones.

use crate::kit::{A, B, Range, V, W, at};
use fairshot_mode::{Ammunition, Mode, Stat, presets};
use fairshot_room::Event;
use fairshot_units::{EntityId, WeaponId};
use glam::Vec3;

const MUZZLE: Vec3 = Vec3::new(0.0, 1.0, 0.0);

/// The siege mode with its monsters and its ledger out of the way, and players who can be shot.
fn siege() -> Mode {
    let mut settings = presets::siege();
    settings.ammunition = Ammunition::Open;
    settings.friendly_fire = true;
    settings.teams.clear();
    // Players stand in for the monsters, weak spots and all.
    let weak = settings.monsters.iter().find(|monster| !monster.zones.is_empty());
    settings.body.zones = weak.expect("a monster with a weak spot").zones.clone();
    settings.monsters.clear();
    settings.arena.blocks.clear();
    settings.body.health = 1000.0;
    settings.players_max = 8;
    settings
}

fn weapon(name: &str) -> WeaponId {
    siege().weapons.named(name).expect("a weapon of the siege").id
}

/// A stat and what is laid on it.
type Card = (&'static str, fn() -> Stat);

fn range_with(stats: &'static [Card]) -> Range {
    let mut range = Range::new(siege(), 10);
    range.join(A, |_| Vec3::ZERO);
    for (behind, target) in [B, V, W].into_iter().enumerate() {
        range.join(target, move |_| Vec3::new(0.0, 0.0, -5.0 - 2.0 * behind as f32));
    }
    range.run_to(12);
    range.script.lock().expect("one thread").each = Some(Box::new(move |room| {
        if room.tick().0 == 13 {
            for (name, stat) in stats {
                room.stats_mut(A).expect("a player").add(name, &stat());
            }
        }
    }));
    range.run_to(13);
    range
}

fn shoot(range: &mut Range, name: &str) -> Vec<(EntityId, f32)> {
    let tick = range.room.tick_now().0;
    range.shot(A, weapon(name).0, at(tick), MUZZLE, MUZZLE + Vec3::NEG_Z);
    range
        .out
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Hit(hit) => Some((hit.target, hit.amount)),
            _ => None,
        })
        .collect()
}

#[test]
fn ten_damage_and_a_card_of_a_quarter_more_deal_twelve_and_a_half() {
    assert_eq!(shoot(&mut range_with(&[]), "blaster"), [(B, 10.0)]);
    let mut range = range_with(&[("damage", || Stat::percent(0.25))]);
    assert_eq!(shoot(&mut range, "blaster"), [(B, 12.5)]);
    // The same card raises every gun, each from its own base.
    range.run_to(100);
    let rail: Vec<f32> = shoot(&mut range, "rail").into_iter().map(|(_, amount)| amount).collect();
    assert_eq!(rail, [68.75; 3]);
}

#[test]
fn a_list_of_stats_is_laid_on_in_turn() {
    let mut range =
        range_with(&[("damage", || Stat::percent(0.5)), ("gun_damage", || Stat::more(-0.3))]);
    let hits = shoot(&mut range, "blaster");
    assert!((hits[0].1 - 10.5).abs() < 1e-4, "{hits:?}");
}

#[test]
fn the_scattergun_fires_five_pellets_and_a_tier_two_more() {
    let mut range = range_with(&[]);
    shoot(&mut range, "scattergun");
    assert_eq!(range.out.judgement.rays.len(), 5);
    let mut range = range_with(&[("gun_pellets", || Stat::flat(2.0))]);
    shoot(&mut range, "scattergun");
    assert_eq!(range.out.judgement.rays.len(), 7);
}

#[test]
fn a_lance_without_its_card_does_nothing_and_with_it_forty() {
    let mut range =
        range_with(&[("lance_damage", || Stat::flat(40.0)), ("lance_rate", || Stat::flat(0.75))]);
    let hits = shoot(&mut range, "lance");
    assert_eq!(hits.iter().map(|(_, amount)| *amount).collect::<Vec<_>>(), [40.0; 3]);
}

/// A shooter with the first so many of a weapon's own tiers.
fn with_tiers(name: &'static str, tiers: usize) -> Range {
    let mut range = range_with(&[]);
    let id = weapon(name);
    range.script.lock().expect("one thread").each = Some(Box::new(move |room| {
        if room.tick().0 == 14 {
            let tiers = room.mode().weapons.get(id).expect("a weapon").tiers[..tiers].to_vec();
            let sheet = room.stats_mut(A).expect("a player");
            tiers.iter().for_each(|tier| sheet.add_tier(tier));
        }
    }));
    range.run_to(14);
    range
}

#[test]
fn the_rails_pierce_grows_with_its_tiers() {
    for (tiers, pierce) in [(0, 4), (1, 8), (2, 16)] {
        let mut range = with_tiers("rail", tiers);
        for behind in 0..5_u16 {
            let place_m = Vec3::new(0.0, 0.0, -12.0 - f32::from(behind));
            range.join(EntityId(4 + behind.min(3)), move |_| place_m);
        }
        range.run_to(16);
        // Seven targets in a row: five are met without a tier, all of them with one.
        let hits = shoot(&mut range, "rail").len();
        assert_eq!(hits, 7.min(pierce + 1), "{tiers} tiers");
    }
}

#[test]
fn a_weak_spot_of_twice_the_damage_takes_three_times_with_the_rails_last_tier() {
    for (tiers, amount) in [(2, 110.0), (3, 165.0)] {
        let mut range = with_tiers("rail", tiers);
        let tick = range.room.tick_now().0;
        let head = siege().body.zones.first().expect("a weak spot").clone();
        assert_eq!(head.multiplier, 2.0);
        let fairshot_mode::ZoneShape::Sphere { at_m, .. } = head.shape else {
            panic!("a weak spot is a sphere")
        };
        let from = Vec3::new(0.0, at_m.y, 0.0);
        range.shot(A, weapon("rail").0, at(tick), from, from + Vec3::NEG_Z);
        let dealt = range.out.events.iter().find_map(|event| match event {
            Event::Hit(hit) => Some(hit.amount),
            _ => None,
        });
        assert_eq!(dealt, Some(amount));
    }
}
