//! A shooting range: a room whose bodies stand where a script puts them, and a trigger.

use fairshot_judge::{Claim, LedgerRuling, NamedTarget, ShotHit, Verdict};
use fairshot_mode::{
    Ammunition, Arena, Block, Body, Bounds, Catalogue, Mode, Movement, Rules, SpawnPoint, Weapon,
};
use fairshot_room::{Frame, Game, GameRoom, Room, RoomInput, RoomSetup, Shot, TickOutput};
use fairshot_units::{
    EntityId, Input, Life, MessageNumber, PlayerId, RoomId, SlotIndex, Tick, ViewStep, WeaponId,
};
use fairshot_world::StaticWorld;
use glam::Vec3;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Where a body stands at a tick.
pub type Path = Box<dyn Fn(u32) -> Vec3 + Send>;

/// What a test does in the game's step.
pub type Hook = Box<dyn FnMut(&mut GameRoom<'_>) + Send>;

#[derive(Default)]
pub struct Script {
    pub paths: BTreeMap<EntityId, Path>,
    /// Latency samples to add at the next step: who, and how many ticks.
    pub samples: Vec<(EntityId, u32)>,
    /// Run once a tick.
    pub each: Option<Hook>,
}

pub struct Scripted(pub Arc<Mutex<Script>>);

impl Game for Scripted {
    fn spawn(&mut self, room: &mut GameRoom<'_>, entity: EntityId) {
        let script = self.0.lock().expect("one thread");
        if let Some(path) = script.paths.get(&entity) {
            room.teleport(entity, path(room.tick().0 + 1));
        }
    }

    fn step(&mut self, room: &mut GameRoom<'_>) {
        let mut script = self.0.lock().expect("one thread");
        let tick = room.tick();
        for (entity, path) in &script.paths {
            room.move_to(*entity, path(tick.0));
        }
        for (entity, ticks) in std::mem::take(&mut script.samples) {
            room.measure_latency(entity, ViewStep::at(tick - ticks));
        }
        if let Some(each) = &mut script.each {
            each(room);
        }
    }
}

pub struct Range {
    pub room: Room,
    pub out: TickOutput,
    pub script: Arc<Mutex<Script>>,
    queue: Vec<RoomInput>,
    number: u32,
}

/// A 200 m square without blocks, open ammunition, one player's health 30, no spawn delay.
pub fn mode(weapons: Vec<Weapon>) -> Mode {
    Mode {
        name: "range".to_owned(),
        tick_hz: 64,
        snapshot_every_ticks: 1,
        players_max: 8,
        ammunition: Ammunition::Open,
        arena: Arena {
            bounds: Bounds {
                min_m: Vec3::new(-100.0, -1.0, -100.0),
                max_m: Vec3::new(100.0, 50.0, 100.0),
            },
            ..Arena::default()
        },
        teams: Vec::new(),
        friendly_fire: true,
        spawns: vec![SpawnPoint { position_m: Vec3::ZERO, yaw_rad: 0.0, team: None }],
        respawn_delay_s: 0.0,
        body: Body { health: 30.0, ..Body::default() },
        movement: Movement::default(),
        monsters: Vec::new(),
        weapons: Catalogue::new(weapons, [false; SlotIndex::COUNT]).expect("a catalogue"),
        loadout: Vec::new(),
        rules: Rules::default(),
        bots: fairshot_mode::Bots::default(),
        interpolation_delay_max_s: 0.1,
    }
}

/// An instant weapon of 10 damage, 90 m and 20 shots a second.
pub fn gun(id: u8) -> Weapon {
    Weapon {
        id: WeaponId(id),
        name: format!("gun{id}"),
        damage: 10.0,
        range_m: 90.0,
        shots_per_second: 20.0,
        ..Weapon::default()
    }
}

pub fn wall(centre_m: Vec3, half_m: Vec3) -> Block {
    Block { centre_m, half_m, yaw_rad: 0.0 }
}

pub fn at(tick: u32) -> ViewStep {
    ViewStep::at(Tick(tick))
}

pub fn step(steps: f64) -> ViewStep {
    fairshot_judge::view_step_of(steps).expect("a step")
}

pub const A: EntityId = EntityId(0);
pub const B: EntityId = EntityId(1);
pub const V: EntityId = EntityId(2);
pub const W: EntityId = EntityId(3);

impl Range {
    /// A room whose first tick is `first`.
    pub fn new(mode: Mode, first: u32) -> Self {
        Self::with_movers(mode, first, Vec::new())
    }

    pub fn with_movers(mode: Mode, first: u32, movers: Vec<Block>) -> Self {
        let script = Arc::new(Mutex::new(Script::default()));
        let world = Arc::new(StaticWorld::build(&mode.arena));
        let mut setup =
            RoomSetup::new(RoomId::new("range").expect("an id"), Arc::new(mode), world, 7);
        setup.first_tick = Tick(first) - 1;
        setup.movers = movers;
        let room = Room::new(&setup, Box::new(Scripted(Arc::clone(&script))));
        Self { room, out: TickOutput::default(), script, queue: Vec::new(), number: 0 }
    }

    /// Lets a player join in the next tick and stand where the path says.
    pub fn join(&mut self, entity: EntityId, path: impl Fn(u32) -> Vec3 + Send + 'static) {
        self.walk(entity, path);
        let player = PlayerId::new(&format!("player{}", entity.0)).expect("an id");
        self.queue.push(RoomInput::Join { entity, player, team: None });
    }

    pub fn join_team(&mut self, entity: EntityId, team: u8, place_m: Vec3) {
        self.join(entity, move |_| place_m);
        if let Some(RoomInput::Join { team: joined, .. }) = self.queue.last_mut() {
            *joined = Some(team);
        }
    }

    pub fn walk(&mut self, entity: EntityId, path: impl Fn(u32) -> Vec3 + Send + 'static) {
        self.script.lock().expect("one thread").paths.insert(entity, Box::new(path));
    }

    pub fn input(&mut self, input: RoomInput) {
        self.queue.push(input);
    }

    /// Gives a shooter eight latency samples of that many ticks, in the next tick.
    pub fn usual_latency(&mut self, entity: EntityId, ticks: u32) {
        let mut script = self.script.lock().expect("one thread");
        script.samples.extend(std::iter::repeat_n((entity, ticks), 8));
    }

    /// Runs up to and with that tick.
    pub fn run_to(&mut self, tick: u32) {
        while self.room.tick_now() != Tick(tick) {
            self.tick();
        }
    }

    pub fn tick(&mut self) -> &TickOutput {
        let inputs = std::mem::take(&mut self.queue);
        self.room.tick(&inputs, &mut self.out);
        &self.out
    }

    pub fn frame(&mut self, entity: EntityId, input: Input) -> MessageNumber {
        self.number += 1;
        let number = MessageNumber(self.number);
        let life = self.room.life(entity).unwrap_or_default();
        self.queue.push(RoomInput::Frame(Frame {
            entity,
            life,
            number,
            input,
            held: WeaponId::FISTS,
            firing: None,
        }));
        number
    }

    /// Fires in the next tick; gives the shot's number.
    pub fn fire(
        &mut self,
        entity: EntityId,
        weapon: u8,
        view: ViewStep,
        from_m: Vec3,
        aim_m: Vec3,
    ) -> u32 {
        self.fire_named(entity, weapon, view, from_m, aim_m, Vec::new())
    }

    pub fn fire_named(
        &mut self,
        entity: EntityId,
        weapon: u8,
        view: ViewStep,
        from_m: Vec3,
        aim_m: Vec3,
        names: Vec<NamedTarget>,
    ) -> u32 {
        self.number += 1;
        let life = self.room.life(entity).unwrap_or_default();
        self.push_shot(
            entity,
            life,
            LedgerRuling::Accepted,
            Claim {
                number: MessageNumber(self.number),
                weapon: WeaponId(weapon),
                view,
                origin_m: from_m,
                direction: (aim_m - from_m).normalize_or(Vec3::NEG_Z),
                names,
            },
        );
        self.number
    }

    pub fn push_shot(&mut self, entity: EntityId, life: Life, ruling: LedgerRuling, claim: Claim) {
        let frame = MessageNumber(claim.number.0.saturating_sub(1));
        self.queue.push(RoomInput::Shot(Shot { entity, life, claim, ruling, frame }));
    }

    /// Fires in the next tick, runs it and gives the verdict.
    pub fn shot(
        &mut self,
        entity: EntityId,
        weapon: u8,
        view: ViewStep,
        from_m: Vec3,
        aim_m: Vec3,
    ) -> Verdict {
        self.fire(entity, weapon, view, from_m, aim_m);
        self.tick();
        self.out.judgement.verdicts.last().expect("a verdict").clone()
    }

    pub fn verdicts(&self) -> &[Verdict] {
        &self.out.judgement.verdicts
    }

    pub fn hits_of(&self, verdict: &Verdict) -> &[ShotHit] {
        self.out.judgement.hits_of(verdict)
    }

    /// Whom the last verdict of the tick hit.
    pub fn last_hit(&self) -> Option<EntityId> {
        let verdict = self.verdicts().last().expect("a verdict");
        self.hits_of(verdict).first().map(|hit| hit.target)
    }

    pub fn health(&self, entity: EntityId) -> f32 {
        self.out.own.iter().find(|own| own.entity == entity).expect("a player").health
    }
}
