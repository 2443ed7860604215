//! A room's state without its game: what the parts of a tick share.

use crate::damage::{Damage, Death};
use crate::heartbeat::Counts;
use crate::monsters::Monster;
use crate::player::Player;
use crate::projectiles::Projectiles;
use crate::rng::Rng;
use crate::{CommandSpec, RoomSetup};
use fairshot_judge::{Judge, Judgement, Scene};
use fairshot_mode::Mode;
use fairshot_units::{EntityId, EntityState, Life, RoomId, Tick, ViewStep};
use fairshot_world::{History, Motion, Movers, Present, StaticWorld, TargetShapes, Unheard};
use std::sync::Arc;

/// See the module's head.
#[derive(Debug)]
pub(crate) struct Core {
    pub id: RoomId,
    pub mode: Arc<Mode>,
    pub world: Arc<StaticWorld>,
    pub movers: Movers,
    /// Ticks each mover of the mode still stays at its end.
    pub mover_waits: Vec<u32>,
    /// What clients take each mover to be doing.
    pub told: Vec<Motion>,
    /// The movers as clients have them that have not heard of it yet.
    pub unheard: Unheard,
    pub history: History,
    pub judge: Judge,
    pub commands: Vec<CommandSpec>,
    pub rng: Rng,
    pub tick: Tick,
    /// Ticks since the room began, those its driver dropped included.
    pub clock_ticks: u64,
    /// By entity id, below the mode's `players_max`.
    pub seats: Vec<Option<Player>>,
    pub monsters: Vec<Monster>,
    pub projectiles: Projectiles,
    /// The last life of each entity id.
    pub lives: Vec<Life>,
    /// The team of each entity id.
    pub teams: Vec<u8>,
    /// Health to be dealt after the last verdict, in order.
    pub damage: Vec<Damage>,
    /// Scratch space: the deaths of a tick.
    pub deaths: Vec<Death>,
    pub since: Counts,
    pub total: Counts,
    /// Set for a tick of `step_with_rewind`: shots leave from the shooter's eye and name their step.
    pub driven: bool,
    /// Scratch space: where the players stand, for the monsters.
    pub prey_m: Vec<glam::Vec3>,
    /// Scratch space for continuous weapons.
    pub bursts: Judgement,
}

impl Core {
    pub(crate) fn new(setup: &RoomSetup, judge: Judge, commands: Vec<CommandSpec>) -> Self {
        let mode = Arc::clone(&setup.mode);
        let shapes = Arc::new(TargetShapes::new(&mode));
        let mut rng = Rng::new(setup.seed);
        let monsters = crate::monsters::populate(&mode, &setup.world, &mut rng);
        let blocks = mode.arena.movers.iter().map(|mover| mover.block);
        let blocks: Vec<_> = blocks.chain(setup.movers.iter().copied()).collect();
        let ways = mode.arena.movers.iter().map(|mover| mover.way.map_or(0.0, |way| way.wait_s));
        let mover_waits = ways.map(|wait_s| ticks_of(wait_s, mode.tick_hz)).collect();
        let projectiles = Projectiles::new(usize::from(mode.players_max) + monsters.len());
        let ids = projectiles.ids_end();
        let mut lives = vec![Life(0); ids];
        for monster in &monsters {
            lives[usize::from(monster.entity.0)] = monster.life;
        }
        Self {
            id: setup.id.clone(),
            world: Arc::clone(&setup.world),
            movers: Movers::new(&blocks),
            mover_waits,
            told: vec![Motion::Rest; blocks.len()],
            unheard: Unheard::default(),
            history: History::new(&mode, shapes),
            judge,
            commands,
            rng,
            tick: setup.first_tick,
            clock_ticks: 0,
            seats: (0..mode.players_max).map(|_| None).collect(),
            monsters,
            projectiles,
            lives,
            teams: vec![EntityState::NO_TEAM; ids],
            damage: Vec::new(),
            deaths: Vec::new(),
            since: Counts::default(),
            total: Counts::default(),
            driven: false,
            prey_m: Vec::new(),
            bursts: Judgement::default(),
            mode,
        }
    }

    /// What this tick's shots are judged against; the tick's poses are recorded by then.
    pub(crate) fn scene(&self) -> Scene<'_> {
        Scene {
            world: Present::new(&self.world, &self.movers),
            unheard: &self.unheard,
            history: &self.history,
            mode: &self.mode,
            teams: &self.teams,
            landed: self.tick,
            clock_ticks: self.clock_ticks,
        }
    }

    pub(crate) fn player(&self, entity: EntityId) -> Option<&Player> {
        self.seats.get(usize::from(entity.0))?.as_ref()
    }

    pub(crate) fn player_mut(&mut self, entity: EntityId) -> Option<&mut Player> {
        self.seats.get_mut(usize::from(entity.0))?.as_mut()
    }

    pub(crate) fn players(&self) -> impl Iterator<Item = &Player> {
        self.seats.iter().flatten()
    }

    /// Whether the room itself plays there.
    pub(crate) fn is_bot(&self, entity: EntityId) -> bool {
        self.player(entity).is_some_and(|player| player.bot.is_some())
    }

    /// Index into `monsters`, where the id is a monster's.
    pub(crate) fn monster_index(&self, entity: EntityId) -> Option<usize> {
        let index = usize::from(entity.0).checked_sub(self.seats.len())?;
        (index < self.monsters.len()).then_some(index)
    }

    /// A player's or monster's life.
    pub(crate) fn life(&self, entity: EntityId) -> Option<Life> {
        match self.monster_index(entity) {
            Some(index) => Some(self.monsters[index].life),
            None => self.player(entity).map(|player| player.life),
        }
    }

    /// The next life of an entity id.
    pub(crate) fn next_life(&mut self, entity: EntityId) -> Life {
        match self.lives.get_mut(usize::from(entity.0)) {
            Some(life) => {
                *life = life.next();
                *life
            }
            None => Life(0),
        }
    }

    /// A step held to what is recorded by now: within a tick, its own pose comes after its inputs.
    pub(crate) fn readable(&self, at: ViewStep) -> ViewStep {
        match self.history.newest_tick() {
            Some(newest)
                if at.since(ViewStep::at(newest)) > 0.0 && at.tick.since(self.tick) <= 0 =>
            {
                ViewStep::at(newest)
            }
            _ => at,
        }
    }

    /// Seconds as ticks, rounded up.
    pub(crate) fn ticks_of(&self, seconds: f32) -> u32 {
        ticks_of(seconds, self.mode.tick_hz)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "held to u32 first")]
fn ticks_of(seconds: f32, tick_hz: u16) -> u32 {
    let ticks = (f64::from(seconds) * f64::from(tick_hz)).ceil();
    ticks.clamp(0.0, f64::from(u32::MAX)) as u32
}
