//! [`Room`]: one match. Inputs in, one tick, outputs out; the same inputs always give the same outputs.

use crate::core::Core;
use crate::game::Game;
use crate::heartbeat::Counts;
use crate::shots::{Burst, Move};
use crate::{
    Answer, Command, Frame, GameCommand, GameRoom, Heartbeat, Notice, OwnState, RoomInput,
    TickOutput, bots, commands, damage, monsters, movers, player, projectiles, shots, spawn,
};
use fairshot_judge::{Judge, ShooterRecord};
use fairshot_mode::{Mode, StatSheet, Weapon};
use fairshot_units::{
    EntityId, EntityKind, EntityState, Input, Life, PlayerId, RoomId, Rule, Tick, health_eighths,
};
use fairshot_world::{MoverState, StaticWorld, step_body};
use std::sync::Arc;

/// What a room is made of.
#[derive(Debug)]
pub struct RoomSetup {
    pub id: RoomId,
    pub mode: Arc<Mode>,
    /// Built from the mode's arena; rooms of one mode share it.
    pub world: Arc<StaticWorld>,
    /// Doors and lifts of the game's code; they come after those of the mode.
    pub movers: Vec<fairshot_mode::Block>,
    pub seed: u64,
    /// The tick before the first one.
    pub first_tick: Tick,
}

impl RoomSetup {
    /// A room of that mode from tick 0, with the mode's doors and lifts alone.
    #[must_use]
    pub fn new(id: RoomId, mode: Arc<Mode>, world: Arc<StaticWorld>, seed: u64) -> Self {
        Self { id, mode, world, movers: Vec::new(), seed, first_tick: Tick(0) }
    }
}

/// One match.
pub struct Room {
    pub(crate) core: Core,
    pub(crate) game: Box<dyn Game>,
    /// Scratch space of one tick.
    moves: Vec<Move>,
    bursts: Vec<Burst>,
    bot_shots: Vec<RoomInput>,
}

impl std::fmt::Debug for Room {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Room")
            .field("id", &self.core.id)
            .field("tick", &self.core.tick)
            .finish_non_exhaustive()
    }
}

impl Room {
    #[must_use]
    pub fn new(setup: &RoomSetup, game: Box<dyn Game>) -> Self {
        let judge = Judge::new(game.rules());
        let mut specs = game.commands();
        specs.truncate(commands::COMMANDS_MAX);
        let core = Core::new(setup, judge, specs);
        Self { core, game, moves: Vec::new(), bursts: Vec::new(), bot_shots: Vec::new() }
    }

    /// Runs one tick: the inputs in their order, the game's step, monsters and projectiles, the pose
    /// record, every shot's verdict, then damage, deaths and respawns.
    pub fn tick(&mut self, inputs: &[RoomInput], out: &mut TickOutput) {
        let core = &mut self.core;
        core.tick = core.tick.next();
        core.clock_ticks += 1;
        out.clear(core.tick);
        let shoots = begin(core, inputs);
        self.moves.clear();
        self.bursts.clear();
        for input in inputs {
            self.take(input, shoots, out);
        }
        self.bot_shots.clear();
        bots::fill(&mut self.core, self.game.as_mut(), out);
        bots::play(&mut self.core, &mut self.moves, &mut self.bursts, &mut self.bot_shots);
        idle(&mut self.core);
        let core = &mut self.core;
        movers::step(core, out);
        self.game.step(&mut GameRoom::new(core, out));
        monsters::step(core);
        record(core, out);
        projectiles::step(core, out);
        if shoots || !self.bursts.is_empty() || !self.bot_shots.is_empty() {
            let fired = inputs.iter().chain(&self.bot_shots);
            shots::judge_all(core, fired, &self.moves, &self.bursts, out);
        }
        damage::deal(core, self.game.as_mut(), out);
        spawn::respawn_due(core, self.game.as_mut(), out);
        own(core, out);
    }

    /// What was counted since the last heartbeat and since the room began; counts start anew. Log lines
    /// on what was left out go to `log`.
    pub fn heartbeat(&mut self, log: &mut Vec<crate::LogRecord>) -> Heartbeat {
        let core = &mut self.core;
        for seat in 0..core.seats.len() {
            if let Some(player) = core.seats[seat].take() {
                core.left_out(&player, log);
                core.seats[seat] = Some(player::Player { refusals: 0, ..player });
            }
        }
        core.total.add(&core.since);
        Heartbeat {
            tick: core.tick,
            players: count(core.players().filter(|player| player.bot.is_none()).count()),
            bots: count(core.players().filter(|player| player.bot.is_some()).count()),
            monsters: count(core.monsters.iter().filter(|monster| monster.alive).count()),
            since: std::mem::take(&mut core.since),
            total: core.total.clone(),
        }
    }

    #[must_use]
    pub fn id(&self) -> &RoomId {
        &self.core.id
    }

    #[must_use]
    pub fn mode(&self) -> &Arc<Mode> {
        &self.core.mode
    }

    /// The last tick run.
    #[must_use]
    pub fn tick_now(&self) -> Tick {
        self.core.tick
    }

    /// Counts since the room began, those since the last heartbeat included.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = self.core.total.clone();
        counts.add(&self.core.since);
        counts
    }

    /// Who sits where, bots among them.
    pub fn players(&self) -> impl Iterator<Item = (EntityId, &PlayerId)> {
        self.core.players().map(|player| (player.entity, &player.id))
    }

    /// Whether the room itself plays there.
    #[must_use]
    pub fn is_bot(&self, entity: EntityId) -> bool {
        self.core.is_bot(entity)
    }

    #[must_use]
    pub fn life(&self, entity: EntityId) -> Option<Life> {
        self.core.player(entity).map(|player| player.life)
    }

    /// A player's latency, allowances and last sixteen shots.
    #[must_use]
    pub fn record(&self, entity: EntityId) -> Option<&ShooterRecord> {
        self.core.player(entity).map(|player| &player.record)
    }

    #[must_use]
    pub fn stats(&self, entity: EntityId) -> Option<&StatSheet> {
        self.core.player(entity).map(|player| &player.stats)
    }

    /// Everything shots are judged against, to read the past by.
    #[must_use]
    pub fn scene(&self) -> fairshot_judge::Scene<'_> {
        self.core.scene()
    }

    /// Where the doors and lifts stand and what they do, those of the mode first.
    pub fn movers(&self) -> impl ExactSizeIterator<Item = MoverState> {
        self.core.movers.save().into_iter()
    }

    /// Every rule a shot of this weapon may meet, in the order they run, and whether it is turned on.
    pub fn rules_of<'a>(&'a self, weapon: &'a Weapon) -> impl Iterator<Item = (Rule, bool)> + 'a {
        self.core.judge.rules_of(weapon)
    }

    /// Changes the rules of the mode and of its weapons while the room runs: a mode with other rules but
    /// the same arena, bodies, monsters and seats. `false` where it is another game.
    pub fn replace_rules(&mut self, mode: Arc<Mode>) -> bool {
        let old = &self.core.mode;
        let same = old.tick_hz == mode.tick_hz
            && old.snapshot_every_ticks == mode.snapshot_every_ticks
            && old.players_max == mode.players_max
            && old.arena == mode.arena
            && old.body == mode.body
            && old.monsters == mode.monsters
            && old.ammunition == mode.ammunition;
        if same {
            self.core.mode = mode;
        }
        same
    }

    fn take(&mut self, input: &RoomInput, shoots: bool, out: &mut TickOutput) {
        let (core, game) = (&mut self.core, self.game.as_mut());
        match input {
            RoomInput::Frame(frame) => {
                apply(core, frame, shoots.then_some(&mut self.moves), &mut self.bursts);
            }
            RoomInput::Join { entity, player, team } => {
                spawn::join(core, game, *entity, player, *team, out);
            }
            RoomInput::Leave { entity } => spawn::leave(core, game, *entity, out),
            RoomInput::Command(command) => answer(core, game, command, out),
            RoomInput::Path { entity, round_trip_ms } => {
                if let Some(player) = core.player_mut(*entity) {
                    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a path")]
                    let seconds = *round_trip_ms as f32 / 1000.0;
                    player.round_trip_s = Some(seconds);
                }
            }
            RoomInput::Inventory { entity, held } => {
                if let Some(player) = core.player_mut(*entity) {
                    player.held = *held;
                }
            }
            RoomInput::TicksDropped { .. } | RoomInput::Shot(_) | RoomInput::Malformed { .. } => {}
        }
    }
}

/// Opens a tick: input credit, and how many frames of each player lie in it. Whether anybody shoots.
fn begin(core: &mut Core, inputs: &[RoomInput]) -> bool {
    let mut shoots = false;
    let mut dropped = 0;
    let most = player::credit_ticks_max(core.mode.tick_hz);
    for player in core.seats.iter_mut().flatten() {
        player.frames_now = 0;
        player.counted = player.applied;
        player.tick_began_m = player.body.position_m;
    }
    for input in inputs {
        match input {
            RoomInput::Frame(frame) => {
                if let Some(player) = core.player_mut(frame.entity)
                    && player.counted.is_none_or(|counted| frame.number > counted)
                {
                    player.counted = Some(frame.number);
                    player.frames_now += 1;
                }
            }
            RoomInput::Shot(_) | RoomInput::Malformed { .. } => shoots = true,
            RoomInput::TicksDropped { ticks } => dropped += ticks,
            _ => {}
        }
    }
    core.clock_ticks += u64::from(dropped);
    core.since.ticks_dropped += u64::from(dropped);
    for player in core.seats.iter_mut().flatten() {
        let credit = player.credit_ticks.saturating_add(1).saturating_add(dropped);
        player.credit_ticks = credit.min(most);
        player.silent_ticks = if player.frames_now == 0 && player.bot.is_none() {
            player.silent_ticks.saturating_add(1)
        } else {
            0
        };
    }
    shoots
}

/// Applies one frame once, in the order of the numbers; frames beyond the credit are dropped, the oldest
/// first, and count as heard.
pub(crate) fn apply(
    core: &mut Core,
    frame: &Frame,
    moves: Option<&mut Vec<Move>>,
    bursts: &mut Vec<Burst>,
) {
    let mode = &core.mode;
    let world = fairshot_world::Present::new(&core.world, &core.movers);
    let Some(player) = core.seats.get_mut(usize::from(frame.entity.0)).and_then(Option::as_mut)
    else {
        return;
    };
    if player.applied.is_some_and(|applied| frame.number <= applied) {
        return;
    }
    player.applied = Some(frame.number);
    let surplus = player.credit_ticks == 0 || player.frames_now > player.credit_ticks;
    player.frames_now = player.frames_now.saturating_sub(1);
    if surplus {
        core.since.frames_dropped += 1;
        return;
    }
    player.credit_ticks = player.credit_ticks.saturating_sub(1);
    if !player.alive || frame.life != player.life {
        return;
    }
    player.held = frame.held;
    let dt_s = 1.0 / f32::from(mode.tick_hz.max(1));
    step_body(&mut player.body, &frame.input, &mode.movement, &mode.body, world, dt_s);
    if let Some(moves) = moves {
        let feet_m = player.body.position_m;
        moves.push(Move { entity: frame.entity, number: frame.number, feet_m });
    }
    if let Some(weapon) = frame.firing {
        let (entity, number, input) = (frame.entity, frame.number, frame.input);
        bursts.push(Burst { entity, weapon, number, input });
    }
}

/// A player silent for longer than her credit could ever cover falls and stands still: the body is
/// stepped without a wish, on the credit of that tick.
fn idle(core: &mut Core) {
    let mode = &core.mode;
    let world = fairshot_world::Present::new(&core.world, &core.movers);
    let dt_s = 1.0 / f32::from(mode.tick_hz.max(1));
    let silent_most = player::credit_ticks_max(mode.tick_hz);
    for player in core.seats.iter_mut().flatten() {
        if player.alive && player.silent_ticks > silent_most {
            let still =
                Input { yaw: player.body.yaw, pitch: player.body.pitch, ..Input::default() };
            step_body(&mut player.body, &still, &mode.movement, &mode.body, world, dt_s);
        }
    }
}

fn answer(core: &mut Core, game: &mut dyn Game, command: &Command, out: &mut TickOutput) {
    let (tick_hz, clock_ticks) = (core.mode.tick_hz, core.clock_ticks);
    let place = core.commands.iter().position(|spec| spec.name == command.name);
    let specs = std::mem::take(&mut core.commands);
    let answer = match (core.player_mut(command.entity), place) {
        (None, _) => None,
        (Some(_), None) => Some(Answer::Refused("unknown")),
        (Some(player), Some(place)) => {
            let spec = &specs[place];
            if !player.command_credit.take(place, spec, tick_hz, clock_ticks) {
                Some(Answer::Refused("rate"))
            } else if !spec.takes(&command.fields) {
                Some(Answer::Refused("field"))
            } else {
                let checked = GameCommand {
                    entity: command.entity,
                    name: spec.name,
                    fields: &command.fields,
                };
                let answer = game.command(&mut GameRoom::new(core, out), &checked);
                Some(commands::declared(spec, answer))
            }
        }
    };
    core.commands = specs;
    if let Some(answer) = answer {
        let notice = Notice::CommandAnswered { number: command.number, answer };
        out.notices.push((command.entity, notice));
    }
}

/// Writes this tick's poses, into the history and the snapshot alike.
fn record(core: &mut Core, out: &mut TickOutput) {
    out.snapshot_due = core.history.is_snapshot_tick(core.tick);
    for player in core.seats.iter_mut().flatten() {
        out.entities.push(EntityState {
            id: player.entity,
            kind: EntityKind::Player,
            life: player.life,
            pose: player.body.pose(),
            health_eighths: health_eighths(player.health),
            alive: player.alive,
            teleported: player.teleported,
            held: player.held,
            team: player.team,
            traits: player.traits,
        });
        // Kept until a snapshot has carried it.
        player.teleported &= !out.snapshot_due;
    }
    out.entities.extend(core.monsters.iter_mut().map(|monster| {
        let teleported = monster.teleported;
        monster.teleported &= !out.snapshot_due;
        EntityState {
            id: monster.entity,
            kind: EntityKind::Monster(monster.kind),
            life: monster.life,
            pose: monster.body.pose(),
            health_eighths: health_eighths(monster.health),
            alive: monster.alive,
            teleported,
            held: fairshot_units::WeaponId::FISTS,
            team: EntityState::NO_TEAM,
            traits: monster.traits,
        }
    }));
    for projectile in &mut core.projectiles.flying {
        out.entities.push(projectiles::state_of(projectile));
        projectile.fresh &= !out.snapshot_due;
    }
    core.history.record(core.tick, &out.entities);
}

fn own(core: &Core, out: &mut TickOutput) {
    for player in core.players() {
        out.own.push(OwnState {
            entity: player.entity,
            life: player.life,
            alive: player.alive,
            applied: player.applied.unwrap_or_default(),
            position_m: player.body.position_m,
            velocity_m_s: player.body.velocity_m_s,
            grounded: player.body.grounded,
            health: player.health,
            teleported: player.teleported,
        });
    }
}

fn count(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}
