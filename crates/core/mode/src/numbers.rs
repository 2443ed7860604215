//! A weapon's numbers in one shooter's hands: its own, raised by the stats it names.

use crate::{Stat, Tier, Weapon};
use std::collections::BTreeMap;

/// Rays of one pull at the most, whatever the stats say.
pub const PELLETS_MAX: u8 = 32;
/// Targets a ray goes on through at the most.
pub const PIERCE_MAX: u8 = 31;

/// What a shot is judged and dealt by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeaponNumbers {
    pub damage: f32,
    pub range_m: f32,
    pub shots_per_second: f32,
    /// 1 to [`PELLETS_MAX`].
    pub pellets: u8,
    pub spread_rad: f32,
    /// 0 to [`PIERCE_MAX`].
    pub pierce: u8,
    pub zone_damage: f32,
    pub speed_m_s: f32,
}

impl Weapon {
    /// The weapon's numbers by the shooter's stats. A stat the lookup does not know adds nothing, and
    /// so does a number the weapon names no stat for.
    ///
    /// Every number is finite and at least 0.
    #[must_use]
    pub fn numbers<'a>(&self, stat: impl Fn(&str) -> Option<&'a Stat>) -> WeaponNumbers {
        let raise = |number: f32, names: &[String]| {
            let laid = names.iter().filter_map(|name| stat(name)).fold(number, |n, s| s.lay_on(n));
            // Only infinite stats can make a NaN.
            if laid.is_nan() { 0.0 } else { laid.clamp(0.0, f32::MAX) }
        };
        let stats = &self.stats;
        WeaponNumbers {
            damage: raise(self.damage, &stats.damage),
            range_m: raise(self.range_m, &stats.range),
            shots_per_second: raise(self.shots_per_second, &stats.shots_per_second),
            pellets: count(raise(f32::from(self.pellets), &stats.pellets), 1, PELLETS_MAX),
            spread_rad: raise(self.spread_rad, &stats.spread),
            pierce: count(raise(f32::from(self.pierce), &stats.pierce), 0, PIERCE_MAX),
            zone_damage: raise(self.zone_damage, &stats.zone_damage),
            speed_m_s: raise(self.speed_m_s, &stats.speed),
        }
    }

    /// The weapon's numbers for a shooter without stats.
    #[must_use]
    pub fn base_numbers(&self) -> WeaponNumbers {
        self.numbers(|_| None)
    }
}

impl Stat {
    #[must_use]
    pub fn flat(amount: f32) -> Self {
        Self { flats: vec![amount], ..Self::default() }
    }

    /// 0.25 is a quarter more; percents add up.
    #[must_use]
    pub fn percent(share: f32) -> Self {
        Self { percents: vec![share], ..Self::default() }
    }

    /// 0.25 is a quarter more; mores multiply.
    #[must_use]
    pub fn more(share: f32) -> Self {
        Self { mores: vec![share], ..Self::default() }
    }

    /// `(number + base + flats) x (1 + sum of percents) x product of (1 + more)`.
    #[must_use]
    pub fn lay_on(&self, number: f32) -> f32 {
        let sum = number + self.base + self.flats.iter().sum::<f32>();
        let percents = 1.0 + self.percents.iter().sum::<f32>();
        self.mores.iter().fold(sum * percents, |number, more| number * (1.0 + more))
    }

    /// Adds another's base and modifiers to this stat's.
    pub fn add(&mut self, other: &Self) {
        self.base += other.base;
        self.flats.extend_from_slice(&other.flats);
        self.percents.extend_from_slice(&other.percents);
        self.mores.extend_from_slice(&other.mores);
    }
}

/// One shooter's stats by name. They live on the shooter, so they stay through a swap of weapons.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatSheet(BTreeMap<String, Stat>);

impl StatSheet {
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Stat> {
        self.0.get(name)
    }

    /// Every stat by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Stat)> {
        self.0.iter().map(|(name, stat)| (name.as_str(), stat))
    }

    /// Forgets a stat; what it had.
    pub fn remove(&mut self, name: &str) -> Option<Stat> {
        self.0.remove(name)
    }

    /// Lays a modifier on one stat.
    pub fn add(&mut self, name: &str, modifier: &Stat) {
        self.0.entry(name.to_owned()).or_default().add(modifier);
    }

    /// Lays everything a tier brings on the stats it names.
    pub fn add_tier(&mut self, tier: &Tier) {
        for (name, modifier) in &tier.modifiers {
            self.add(name, modifier);
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "held to u8 first")]
fn count(number: f32, min: u8, max: u8) -> u8 {
    // Held first, then rounded as `round` does, without a call.
    (f64::from(number.clamp(f32::from(min), f32::from(max))) + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(stats: &[(&str, Stat)]) -> StatSheet {
        let mut sheet = StatSheet::default();
        for (name, stat) in stats {
            sheet.add(name, stat);
        }
        sheet
    }

    fn rifle() -> Weapon {
        let mut rifle = Weapon { damage: 10.0, shots_per_second: 5.0, ..Weapon::default() };
        rifle.stats.damage = vec!["damage".into(), "gun_damage".into()];
        rifle.stats.pellets = vec!["pellets".into()];
        rifle.stats.pierce = vec!["pierce".into()];
        rifle
    }

    #[test]
    fn a_quarter_more_damage_raises_10_to_12_and_a_half() {
        let sheet = sheet(&[("damage", Stat::percent(0.25))]);
        assert_eq!(rifle().numbers(|name| sheet.get(name)).damage, 12.5);
    }

    #[test]
    fn base_and_flats_add_percents_add_up_and_mores_multiply() {
        let stat =
            Stat { base: 2.0, flats: vec![3.0], percents: vec![0.5, 0.5], mores: vec![0.5, -0.5] };
        assert_eq!(stat.lay_on(5.0), 10.0 * 2.0 * 1.5 * 0.5);
    }

    #[test]
    fn a_list_of_stats_is_laid_on_in_turn() {
        let sheet = sheet(&[("damage", Stat::percent(1.0)), ("gun_damage", Stat::flat(1.0))]);
        assert_eq!(rifle().numbers(|name| sheet.get(name)).damage, 21.0);
    }

    #[test]
    fn counts_are_rounded_and_a_pull_keeps_one_pellet() {
        let sheet = sheet(&[("pellets", Stat::flat(-9.0)), ("pierce", Stat::flat(1.5))]);
        let numbers = rifle().numbers(|name| sheet.get(name));
        assert_eq!((numbers.pellets, numbers.pierce), (1, 2));
    }

    #[test]
    fn no_number_falls_below_zero_or_stops_being_finite() {
        let low = sheet(&[("damage", Stat::flat(-50.0))]);
        assert_eq!(rifle().numbers(|name| low.get(name)).damage, 0.0);
        let odd = Stat { mores: vec![f32::INFINITY, 0.0], ..Stat::default() };
        let odd = sheet(&[("damage", odd), ("pellets", Stat::flat(f32::INFINITY))]);
        let numbers = rifle().numbers(|name| odd.get(name));
        assert!(numbers.damage.is_finite());
        assert_eq!(numbers.pellets, PELLETS_MAX);
    }

    #[test]
    fn a_number_that_names_no_stat_stays_its_own() {
        let sheet = sheet(&[("damage", Stat::percent(9.0)), ("rate", Stat::percent(9.0))]);
        assert_eq!(rifle().numbers(|name| sheet.get(name)).shots_per_second, 5.0);
    }
}
