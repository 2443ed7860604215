//! A weapon's numbers as one shooter has them: its own base, raised by her stats.

use fairshot_mode::{Stat, Weapon};

/// One weapon's numbers in one shooter's hands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeaponNumbers {
    pub damage: f32,
    pub range_m: f32,
    pub shots_per_second: f32,
    /// At least 1, at most 32.
    pub pellets: u8,
    pub spread_rad: f32,
    /// At most 31.
    pub pierce: u8,
    pub zone_damage: f32,
    pub speed_m_s: f32,
}

/// Rays of one pull at the most.
pub const PELLETS_MAX: u8 = 32;
/// Targets a ray goes on through at the most.
pub const PIERCE_MAX: u8 = 31;

/// A shooter's stats by name. One she lacks adds nothing.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Stats {
    list: Vec<(String, Stat)>,
}

/// Stats one shooter may have at the most; more are not taken.
const STATS_MAX: usize = 256;

impl Stats {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Stat> {
        let at = self.list.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
        Some(&self.list[at].1)
    }

    /// Every stat by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Stat)> {
        self.list.iter().map(|(name, stat)| (name.as_str(), stat))
    }

    /// Sets a stat; `false` where she has 256 already.
    pub fn set(&mut self, name: &str, stat: Stat) -> bool {
        match self.entry(name) {
            Some(entry) => {
                *entry = stat;
                true
            }
            None => false,
        }
    }

    /// Lays modifiers on a stat: bases add up, lists grow. `false` where she has 256 already.
    pub fn lay(&mut self, name: &str, modifiers: &Stat) -> bool {
        let Some(stat) = self.entry(name) else { return false };
        stat.base += modifiers.base;
        stat.flats.extend_from_slice(&modifiers.flats);
        stat.percents.extend_from_slice(&modifiers.percents);
        stat.mores.extend_from_slice(&modifiers.mores);
        true
    }

    fn entry(&mut self, name: &str) -> Option<&mut Stat> {
        match self.list.binary_search_by(|(known, _)| known.as_str().cmp(name)) {
            Ok(at) => Some(&mut self.list[at].1),
            Err(_) if self.list.len() >= STATS_MAX => None,
            Err(at) => {
                self.list.insert(at, (name.to_owned(), Stat::default()));
                Some(&mut self.list[at].1)
            }
        }
    }
}

impl WeaponNumbers {
    /// The weapon's numbers with the shooter's stats laid on, list by list in turn.
    #[must_use]
    pub fn of(weapon: &Weapon, stats: &Stats) -> Self {
        let named = &weapon.stats;
        Self {
            damage: raised(weapon.damage, &named.damage, stats),
            range_m: raised(weapon.range_m, &named.range, stats),
            shots_per_second: raised(weapon.shots_per_second, &named.shots_per_second, stats),
            pellets: count(f32::from(weapon.pellets), &named.pellets, stats, 1, PELLETS_MAX),
            spread_rad: raised(weapon.spread_rad, &named.spread, stats),
            pierce: count(f32::from(weapon.pierce), &named.pierce, stats, 0, PIERCE_MAX),
            zone_damage: raised(weapon.zone_damage, &named.zone_damage, stats),
            speed_m_s: raised(weapon.speed_m_s, &named.speed, stats),
        }
    }
}

/// `(number + base + flats) x (1 + sum of percents) x product of (1 + more)` for each stat in turn;
/// nothing below zero, and what is no number is 0.
fn raised(number: f32, names: &[String], stats: &Stats) -> f32 {
    let mut value = number;
    if !stats.is_empty() {
        for stat in names.iter().filter_map(|name| stats.get(name)) {
            let added = value + stat.base + stat.flats.iter().sum::<f32>();
            let percents = 1.0 + stat.percents.iter().sum::<f32>();
            let mores: f32 = stat.mores.iter().map(|more| 1.0 + more).product();
            value = added * percents * mores;
        }
    }
    if value.is_finite() { value.max(0.0) } else { 0.0 }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "held to u8 first")]
fn count(number: f32, names: &[String], stats: &Stats, least: u8, most: u8) -> u8 {
    raised(number, names, stats).round().clamp(f32::from(least), f32::from(most)) as u8
}
