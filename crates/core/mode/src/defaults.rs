//! The values a mode's file need not give, for modes built in code: the same ones the reference names.

use crate::{AmmoUse, Body, Judge, Monster, Movement, Rules, Weapon, WeaponKind, WeaponStats};
use fairshot_units::{SlotIndex, WeaponId};

impl Default for Body {
    fn default() -> Self {
        Self { radius_m: 0.4, height_m: 1.8, eye_height_m: 1.6, health: 100.0, zones: Vec::new() }
    }
}

impl Default for Movement {
    fn default() -> Self {
        Self {
            run_speed_m_s: 5.0,
            acceleration_m_s2: 60.0,
            air_acceleration_m_s2: 12.0,
            jump_speed_m_s: 5.5,
            gravity_m_s2: 15.0,
            step_height_m: 0.35,
        }
    }
}

impl Default for Monster {
    fn default() -> Self {
        Self {
            name: "monster".to_owned(),
            count: 1,
            health: 30.0,
            radius_m: 0.4,
            height_m: 1.8,
            speed_m_s: 2.5,
            reach_m: 1.5,
            damage: 5.0,
            strikes_per_second: 1.0,
            respawn_delay_s: 3.0,
            zones: Vec::new(),
        }
    }
}

/// An instant weapon of number 1 with one pellet, one shot a second and no damage: for `..` syntax.
impl Default for Weapon {
    fn default() -> Self {
        Self {
            id: WeaponId(1),
            name: "weapon".to_owned(),
            slot: SlotIndex::default(),
            kind: WeaponKind::Instant,
            ammo: AmmoUse::PerShot,
            clip_size: 0,
            damage: 0.0,
            range_m: 100.0,
            shots_per_second: 1.0,
            pellets: 1,
            spread_rad: 0.0,
            pierce: 0,
            zone_damage: 1.0,
            speed_m_s: 20.0,
            gravity_m_s2: 0.0,
            projectile_radius_m: 0.1,
            blast_radius_m: 0.0,
            life_s: 5.0,
            judge: Judge::Room,
            friendly_fire: None,
            rules: Rules::default(),
            stats: WeaponStats::default(),
            data: Vec::new(),
            model: String::new(),
            self_grants: Vec::new(),
            tiers: Vec::new(),
        }
    }
}
