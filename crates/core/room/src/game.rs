//! [`Game`]: what a studio lays over a room, and [`GameRoom`], what it may read and do there.

use crate::core::Core;
use crate::damage::Damage;
use crate::{
    Answer, CommandSpec, Event, GameCommand, Hit, HitData, HitSource, InventoryOrder, TickOutput,
};
use fairshot_judge::{GameRule, Latency, Scene, ShooterRecord, numbers_of};
use fairshot_mode::{DataValue, Mode, StatSheet, WeaponNumbers};
use fairshot_units::{EntityId, Life, PlayerId, Tick, ViewStep, WeaponCommand, WeaponId};
use fairshot_world::{BodyState, PastPose, RewindError};
use glam::Vec3;
use std::fmt;
use std::sync::Arc;

/// A game's own code in a room. Every method has a default that does nothing.
///
/// Hooks are called inside the tick, in a fixed order: the inputs' `join`, `leave` and `command` as they
/// come, then `step`, then (after the last verdict) `hit` for each hit in deal order, `death` for each
/// death, and `spawn` for each respawn grant. A hook that panics retires its room; a rule that panics
/// refuses its one shot.
pub trait Game: Send {
    /// The game's own shot rules, asked for once.
    fn rules(&self) -> Vec<GameRule> {
        Vec::new()
    }
    /// The commands its clients may send, asked for once.
    fn commands(&self) -> Vec<CommandSpec> {
        Vec::new()
    }
    fn join(&mut self, _room: &mut GameRoom<'_>, _entity: EntityId) {}
    fn spawn(&mut self, _room: &mut GameRoom<'_>, _entity: EntityId) {}
    fn step(&mut self, _room: &mut GameRoom<'_>) {}
    fn hit(&mut self, _room: &mut GameRoom<'_>, _hit: &Hit) {}
    fn death(&mut self, _room: &mut GameRoom<'_>, _entity: EntityId, _killer: Option<EntityId>) {}
    /// Answers a command whose fields and rate were checked.
    fn command(&mut self, _room: &mut GameRoom<'_>, _command: &GameCommand<'_>) -> Answer {
        Answer::Accepted
    }
    fn leave(&mut self, _room: &mut GameRoom<'_>, _entity: EntityId) {}
    /// The names its own damage goes by, so that a checkpoint can carry damage not yet dealt.
    fn names(&self) -> Vec<&'static str> {
        Vec::new()
    }
    /// The game's own state, for a checkpoint.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }
    /// Takes back what `save` gave; `false` refuses the checkpoint.
    fn load(&mut self, saved: &[u8]) -> bool {
        saved.is_empty()
    }
}

/// A room with nothing laid over it.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainGame;

impl Game for PlainGame {}

/// The room as a game's hook sees it.
pub struct GameRoom<'a> {
    core: &'a mut Core,
    out: &'a mut TickOutput,
}

impl fmt::Debug for GameRoom<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameRoom").field("room", &self.core.id).finish_non_exhaustive()
    }
}

impl<'a> GameRoom<'a> {
    pub(crate) fn new(core: &'a mut Core, out: &'a mut TickOutput) -> Self {
        Self { core, out }
    }

    // Reading.

    #[must_use]
    pub fn tick(&self) -> Tick {
        self.core.tick
    }

    #[must_use]
    pub fn mode(&self) -> &Mode {
        &self.core.mode
    }

    /// Everything shots are judged against.
    #[must_use]
    pub fn scene(&self) -> Scene<'_> {
        self.core.scene()
    }

    /// The players in the room, by entity.
    pub fn players(&self) -> impl Iterator<Item = EntityId> + '_ {
        self.core.players().map(|player| player.entity)
    }

    /// Whether the room itself plays there.
    #[must_use]
    pub fn is_bot(&self, entity: EntityId) -> bool {
        self.core.is_bot(entity)
    }

    /// The monsters of the room, standing or fallen.
    pub fn monsters(&self) -> impl Iterator<Item = EntityId> + '_ {
        self.core.monsters.iter().map(|monster| monster.entity)
    }

    #[must_use]
    pub fn player_id(&self, entity: EntityId) -> Option<&PlayerId> {
        self.core.player(entity).map(|player| &player.id)
    }

    /// A player's or monster's body as it is now.
    #[must_use]
    pub fn body(&self, entity: EntityId) -> Option<&BodyState> {
        match self.core.monster_index(entity) {
            Some(index) => Some(&self.core.monsters[index].body),
            None => self.core.player(entity).map(|player| &player.body),
        }
    }

    #[must_use]
    pub fn life(&self, entity: EntityId) -> Option<Life> {
        self.core.life(entity)
    }

    #[must_use]
    pub fn health(&self, entity: EntityId) -> Option<f32> {
        match self.core.monster_index(entity) {
            Some(index) => Some(self.core.monsters[index].health),
            None => self.core.player(entity).map(|player| player.health),
        }
    }

    #[must_use]
    pub fn is_alive(&self, entity: EntityId) -> bool {
        match self.core.monster_index(entity) {
            Some(index) => self.core.monsters[index].alive,
            None => self.core.player(entity).is_some_and(|player| player.alive),
        }
    }

    #[must_use]
    pub fn team(&self, entity: EntityId) -> Option<u8> {
        self.core.player(entity).and_then(crate::player::Player::team_index)
    }

    #[must_use]
    pub fn latency(&self, entity: EntityId) -> Option<&Latency> {
        self.core.player(entity).map(|player| &player.record.latency)
    }

    /// Her latency, allowances and last sixteen shots.
    #[must_use]
    pub fn record(&self, entity: EntityId) -> Option<&ShooterRecord> {
        self.core.player(entity).map(|player| &player.record)
    }

    #[must_use]
    pub fn stats(&self, entity: EntityId) -> Option<&StatSheet> {
        self.core.player(entity).map(|player| &player.stats)
    }

    /// A weapon's numbers in a player's hands.
    #[must_use]
    pub fn numbers(&self, entity: EntityId, weapon: WeaponId) -> Option<WeaponNumbers> {
        let weapon = self.core.mode.weapons.get(weapon)?;
        Some(numbers_of(weapon, self.stats(entity)?))
    }

    /// A number below `below` from the room's seed.
    pub fn random(&mut self, below: u32) -> u32 {
        self.core.rng.below(below)
    }

    // The past, for a game's own weapon.

    /// Holds a step a player's command named to her measured latency and a second back, as the rewind
    /// rule of the mode holds a shot's.
    #[must_use]
    pub fn rewind_step(&self, entity: EntityId, named: ViewStep) -> ViewStep {
        let rule = self.core.mode.rules.rewind.unwrap_or_default();
        let scene = self.core.scene();
        match self.core.player(entity) {
            Some(player) => {
                let height_m = self.core.mode.body.height_m;
                let now = crate::shots::shooter_now(player, player.body.position_m, height_m);
                let shooter = now.with(&player.record);
                fairshot_judge::rewind_step(&scene, &shooter, rule, named).0
            }
            None => ViewStep::at(self.core.tick),
        }
    }

    /// Where an entity stood at a step within the last second.
    ///
    /// # Errors
    /// [`RewindError`] says why there is nothing to read.
    pub fn read_past_place(&self, entity: EntityId, at: ViewStep) -> Result<PastPose, RewindError> {
        self.core.history.past(entity, self.core.readable(at))
    }

    /// Where many stood at one step, for less than one read after another.
    ///
    /// # Errors
    /// [`RewindError`] where the step itself lies outside the last second.
    pub fn read_past_places(
        &self,
        at: ViewStep,
        entities: impl IntoIterator<Item = EntityId>,
        read: impl FnMut(EntityId, PastPose),
    ) -> Result<(), RewindError> {
        fairshot_judge::read_past_places(&self.core.scene(), self.core.readable(at), entities, read)
    }

    /// Adds a command of the game's own weapon to the player's latency.
    pub fn measure_latency(&mut self, entity: EntityId, named: ViewStep) {
        let (landed, hz) = (self.core.tick, self.core.mode.tick_hz);
        if let Some(player) = self.core.player_mut(entity) {
            fairshot_judge::measure_latency(landed, hz, &mut player.record, named);
        }
    }

    // Acting.

    /// Deals health after the last verdict of this tick (of the next, from a hook that runs later).
    /// Nothing is dealt to who is not here; `false` says so.
    pub fn deal_damage(&mut self, target: EntityId, dealt: Dealt) -> bool {
        let Some(target_life) = self.life(target) else { return false };
        self.core.queue_damage(Damage {
            target,
            target_life,
            source: dealt.source,
            weapon: HitSource::Game(dealt.weapon),
            number: None,
            zone: dealt.zone,
            amount: dealt.amount,
            data: dealt.data.map_or(HitData::None, HitData::Own),
        })
    }

    /// Adds health up to `most`; nothing for the fallen.
    pub fn heal(&mut self, entity: EntityId, amount: f32, most: f32) {
        if !amount.is_finite() || amount <= 0.0 || !self.is_alive(entity) {
            return;
        }
        let health = match self.core.monster_index(entity) {
            Some(index) => Some(&mut self.core.monsters[index].health),
            None => self.core.player_mut(entity).map(|player| &mut player.health),
        };
        if let Some(health) = health {
            *health = (*health + amount).min(most).max(*health);
        }
    }

    /// Moves a body, as walking would: clients draw the way between.
    pub fn move_to(&mut self, entity: EntityId, position_m: Vec3) {
        self.place(entity, position_m, false);
    }

    /// Puts a body somewhere at once: nothing is drawn or judged between.
    pub fn teleport(&mut self, entity: EntityId, position_m: Vec3) {
        self.place(entity, position_m, true);
    }

    /// Takes her arms or gives them back: a stun, a safe zone.
    pub fn disarm(&mut self, entity: EntityId, disarmed: bool) {
        if let Some(player) = self.core.player_mut(entity) {
            player.disarmed = disarmed;
        }
    }

    /// The weapons she may fire where the mode counts no rounds; `None` is every one, an empty list none.
    pub fn set_held(&mut self, entity: EntityId, weapons: Option<&[WeaponId]>) {
        let tick = self.core.tick;
        if let Some(player) = self.core.player_mut(entity)
            && player.held_list.as_deref() != weapons
        {
            let before = std::mem::replace(&mut player.held_list, weapons.map(<[_]>::to_vec));
            player.held_before = Some((before, tick));
        }
    }

    /// Her stats, to change.
    pub fn stats_mut(&mut self, entity: EntityId) -> Option<&mut StatSheet> {
        self.core.player_mut(entity).map(|player| &mut player.stats)
    }

    /// The game's own trait of an entity: streamed with it and rewound with it.
    pub fn set_traits(&mut self, entity: EntityId, traits: u32) {
        match self.core.monster_index(entity) {
            Some(index) => self.core.monsters[index].traits = traits,
            None => {
                if let Some(player) = self.core.player_mut(entity) {
                    player.traits = traits;
                }
            }
        }
    }

    /// Orders a change of her inventory. A bot has none: what it carries changes at once.
    pub fn order(&mut self, entity: EntityId, command: WeaponCommand) {
        let mode = Arc::clone(&self.core.mode);
        let Some(player) = self.core.player_mut(entity) else { return };
        if let Some(bot) = &mut player.bot {
            bot.pouch.apply(&mode, command);
        } else {
            self.out.orders.push((entity, InventoryOrder::Command(command)));
        }
    }

    /// Tells every client something of the game's own, in order with the room's events.
    pub fn tell(
        &mut self,
        name: &'static str,
        entity: Option<EntityId>,
        data: Option<Arc<Vec<(String, DataValue)>>>,
    ) {
        let data = data.map_or(HitData::None, HitData::Own);
        self.out.events.push(Event::Game { name, entity, data });
    }

    /// The room's doors and lifts, to move.
    pub fn movers(&mut self) -> &mut fairshot_world::Movers {
        &mut self.core.movers
    }

    fn place(&mut self, entity: EntityId, position_m: Vec3, teleported: bool) {
        if !position_m.is_finite() {
            return;
        }
        let tick = self.core.tick;
        let bounds = &self.core.mode.arena.bounds;
        let position_m = position_m.clamp(bounds.min_m, bounds.max_m);
        if let Some(index) = self.core.monster_index(entity) {
            let monster = &mut self.core.monsters[index];
            monster.body.position_m = position_m;
            monster.teleported |= teleported;
        } else if let Some(player) = self.core.player_mut(entity) {
            if teleported {
                player.left = Some((player.body.position_m, tick));
                player.tick_began_m = position_m;
            }
            player.body.position_m = position_m;
            player.teleported |= teleported;
        }
    }
}

/// Damage of a game's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Dealt {
    pub amount: f32,
    pub source: Option<EntityId>,
    /// The name its hits carry.
    pub weapon: &'static str,
    pub zone: Option<u8>,
    pub data: Option<Arc<Vec<(String, DataValue)>>>,
}
