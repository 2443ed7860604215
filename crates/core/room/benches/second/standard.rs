//! The standard room and what its players do.

use fairshot_judge::{Claim, LedgerRuling};
use fairshot_mode::{
    Arena, Block, Bounds, Catalogue, HitZone, Mode, Monster, SpawnPoint, Weapon, ZoneShape, presets,
};
use fairshot_room::{Frame, PlainGame, Room, RoomInput, RoomSetup, Shot, TickOutput};
use fairshot_units::{
    EntityId, Input, Life, MessageNumber, PlayerId, RoomId, SlotIndex, ViewStep, WeaponId,
};
use fairshot_world::StaticWorld;
use glam::Vec3;
use std::sync::{Arc, OnceLock};

pub struct Standard {
    pub room: Room,
    setup: RoomSetup,
    out: TickOutput,
    inputs: Vec<RoomInput>,
    lives: [Life; 4],
    tick: u32,
}

/// Ticks between two shots of one player: 1.5 a second.
pub const SHOT_TICKS: u32 = 43;

impl Standard {
    pub fn new(seed: u64) -> Self {
        let (mode, world) = shared().clone();
        let setup = RoomSetup::new(RoomId::new("standard").expect("an id"), mode, world, seed);
        let mut standard = Self {
            room: Room::new(&setup, Box::new(PlainGame)),
            setup,
            out: TickOutput::default(),
            inputs: Vec::new(),
            lives: [Life(0); 4],
            tick: 0,
        };
        for who in 0..4 {
            let player = PlayerId::new(&format!("p{who}")).expect("an id");
            let entity = EntityId(who);
            standard.inputs.push(RoomInput::Join { entity, player, team: None });
        }
        for _ in 0..80 {
            standard.tick();
        }
        standard
    }

    pub fn load(&self, saved: &[u8]) -> bool {
        Room::load(&self.setup, Box::new(PlainGame), saved).is_ok()
    }

    /// One tick with a frame of each player and the shots that are due.
    pub fn tick(&mut self) -> &TickOutput {
        self.tick += 1;
        for who in 0..4_u16 {
            let entity = EntityId(who);
            let life = self.lives[usize::from(who)];
            #[expect(clippy::cast_possible_truncation, reason = "a yaw wraps")]
            let yaw = (self.tick as u16).wrapping_mul(97).wrapping_add(who * 9000);
            let number = MessageNumber(self.tick * 2);
            self.inputs.push(RoomInput::Frame(Frame {
                entity,
                life,
                number,
                input: Input { forward: 127, yaw, ..Input::default() },
                held: WeaponId(1),
                firing: None,
            }));
            if (self.tick + u32::from(who) * 11).is_multiple_of(SHOT_TICKS) {
                self.shoot(entity, life, number);
            }
        }
        self.room.tick(&self.inputs, &mut self.out);
        self.inputs.clear();
        for own in &self.out.own {
            self.lives[usize::from(own.entity.0)] = own.life;
        }
        &self.out
    }

    /// At a monster, where it stood six and a half ticks ago on the shooter's screen.
    fn shoot(&mut self, entity: EntityId, life: Life, frame: MessageNumber) {
        let Some(own) = self.out.own.iter().find(|own| own.entity == entity) else { return };
        let mark = 4 + self.tick as usize * 7 % 40;
        let Some(target) = self.out.entities.get(mark) else { return };
        let origin_m = own.position_m + Vec3::Y * 1.6;
        let aim_m = target.pose.position_m() + Vec3::Y * 1.2;
        self.inputs.push(RoomInput::Shot(Shot {
            entity,
            life,
            claim: Claim {
                number: MessageNumber(frame.0 + 1),
                weapon: WeaponId(1),
                view: ViewStep::at(self.out.tick.next()).back(6.5),
                origin_m,
                direction: (aim_m - origin_m).normalize_or(Vec3::NEG_Z),
                names: Vec::new(),
            },
            ruling: LedgerRuling::Accepted,
            frame,
        }));
    }
}

/// What the baseline's room is made of too.
pub fn mode_of_the_room() -> &'static Mode {
    &shared().0
}

fn shared() -> &'static (Arc<Mode>, Arc<StaticWorld>) {
    static SHARED: OnceLock<(Arc<Mode>, Arc<StaticWorld>)> = OnceLock::new();
    SHARED.get_or_init(|| {
        let mode = mode();
        let world = StaticWorld::build(&mode.arena);
        (Arc::new(mode), Arc::new(world))
    })
}

fn mode() -> Mode {
    let head = |y| HitZone {
        name: "head".into(),
        multiplier: 2.0,
        shape: ZoneShape::Sphere { at_m: Vec3::new(0.0, y, -0.1), radius_m: 0.25 },
    };
    let blocks = (0..50u8).map(|number| {
        let n = f32::from(number);
        Block {
            centre_m: Vec3::new((n * 37.0) % 100.0 - 50.0, 1.25, (n * 61.0) % 97.0 - 48.0),
            half_m: Vec3::new(0.5 + n % 3.0, 1.25, 0.5 + n % 4.0 * 0.6),
            yaw_rad: if number % 3 == 0 { n * 0.37 } else { 0.0 },
        }
    });
    let mut mode = presets::arena();
    mode.players_max = 4;
    mode.friendly_fire = false;
    mode.arena = Arena {
        bounds: Bounds { min_m: Vec3::new(-60.0, 0.0, -60.0), max_m: Vec3::new(60.0, 30.0, 60.0) },
        blocks: blocks.collect(),
        ..Arena::default()
    };
    mode.spawns = (0..8u8)
        .map(|n| SpawnPoint {
            position_m: Vec3::new(f32::from(n) * 12.0 - 42.0, 0.0, 55.0),
            yaw_rad: 0.0,
            team: None,
        })
        .collect();
    mode.body.zones = vec![head(1.6)];
    mode.monsters = vec![Monster {
        name: "ghoul".into(),
        count: 40,
        health: 30.0,
        zones: vec![head(1.45)],
        ..Monster::default()
    }];
    let scattergun = Weapon {
        id: WeaponId(1),
        name: "scattergun".to_owned(),
        damage: 10.0,
        range_m: 60.0,
        shots_per_second: 2.0,
        pellets: 3,
        spread_rad: 0.06,
        pierce: 1,
        ..Weapon::default()
    };
    mode.weapons = Catalogue::new(vec![scattergun], [false; SlotIndex::COUNT]).expect("one weapon");
    mode.loadout.clear();
    mode
}
