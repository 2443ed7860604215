//! A catalogue with the numbers, slots and clips of the cases: real ones, so that slot numbers and
//! weapon numbers overlap as they do in the game.

use fairshot_mode::{AmmoUse, Catalogue, Weapon, WeaponKind};
use fairshot_units::{SlotIndex, WeaponId};
use std::sync::Arc;

pub const FISTS: WeaponId = WeaponId::FISTS;
pub const KNIFE: WeaponId = WeaponId(4);
pub const GRENADE: WeaponId = WeaponId(16);
pub const MOLOTOV: WeaponId = WeaponId(18);
pub const COLT: WeaponId = WeaponId(22);
pub const DEAGLE: WeaponId = WeaponId(24);
pub const SAWNOFF: WeaponId = WeaponId(26);
pub const SPAS: WeaponId = WeaponId(27);
pub const UZI: WeaponId = WeaponId(28);
pub const TEC9: WeaponId = WeaponId(32);
pub const AK: WeaponId = WeaponId(30);
pub const M4: WeaponId = WeaponId(31);
pub const COUNTRY_RIFLE: WeaponId = WeaponId(33);
pub const SNIPER: WeaponId = WeaponId(34);
pub const ROCKETS: WeaponId = WeaponId(35);
pub const FLAMES: WeaponId = WeaponId(37);
pub const SATCHEL: WeaponId = WeaponId(39);
pub const DETONATOR: WeaponId = WeaponId(40);
pub const SPRAYCAN: WeaponId = WeaponId(41);

/// Number, slot, kind, use, clip size.
const TABLE: &[(u8, u8, WeaponKind, AmmoUse, u16)] = {
    use AmmoUse::{None, PerShot, WhileHeld};
    use WeaponKind::{Continuous, Gadget, Instant, Melee, Projectile};
    &[
        (0, 0, Melee, None, 0),
        (1, 0, Melee, None, 0),
        (2, 1, Melee, None, 0),
        (4, 1, Melee, None, 0),
        (5, 1, Melee, None, 0),
        (16, 8, Projectile, PerShot, 0),
        (18, 8, Projectile, PerShot, 0),
        (22, 2, Instant, PerShot, 17),
        (24, 2, Instant, PerShot, 7),
        (25, 3, Instant, PerShot, 1),
        (26, 3, Instant, PerShot, 2),
        (27, 3, Instant, PerShot, 7),
        (28, 4, Instant, PerShot, 50),
        (29, 4, Instant, PerShot, 30),
        (32, 4, Instant, PerShot, 50),
        (30, 5, Instant, PerShot, 30),
        (31, 5, Instant, PerShot, 50),
        (33, 6, Instant, PerShot, 1),
        (34, 6, Instant, PerShot, 1),
        (35, 7, Projectile, PerShot, 1),
        (37, 7, Continuous, WhileHeld, 500),
        (38, 7, Instant, PerShot, 500),
        (39, 8, Projectile, PerShot, 1),
        (40, 12, Gadget, None, 0),
        (41, 9, Continuous, WhileHeld, 500),
        (42, 9, Continuous, WhileHeld, 500),
        (46, 11, Gadget, None, 0),
    ]
};

/// Slots 3, 4 and 5 share rounds; the satchel hands its thrower a detonator unless told not to.
pub fn catalogue() -> Arc<Catalogue> {
    let weapons = TABLE
        .iter()
        .map(|(id, slot, kind, ammo, clip_size)| Weapon {
            id: WeaponId(*id),
            name: format!("weapon {id}"),
            slot: SlotIndex::new(*slot).expect("the table has slots 0 to 12"),
            kind: *kind,
            ammo: *ammo,
            clip_size: *clip_size,
            self_grants: if *id == SATCHEL.0 { vec![DETONATOR] } else { Vec::new() },
            ..Weapon::default()
        })
        .collect();
    let shares = std::array::from_fn(|slot| (3..=5).contains(&slot));
    Arc::new(Catalogue::new(weapons, shares).expect("the table has each weapon once"))
}
