//! Lives: joining, leaving, the respawn grant and what it gives.

use crate::bots::Bot;
use crate::commands::CommandCredit;
use crate::core::Core;
use crate::game::Game;
use crate::player::Player;
use crate::{Event, GameRoom, InventoryOrder, LogRecord, TickOutput};
use fairshot_judge::ShooterRecord;
use fairshot_mode::{Ammunition, SpawnPoint, StatSheet};
use fairshot_units::{
    EntityId, EntityState, PlayerId, Pose, WeaponCommand, WeaponId, quantise_yaw,
};
use fairshot_world::BodyState;
use glam::Vec3;

/// A spawn point with nobody alive within this is free.
const FREE_WITHIN_M: f32 = 2.0;

pub(crate) fn join(
    core: &mut Core,
    game: &mut dyn Game,
    entity: EntityId,
    player: &PlayerId,
    team: Option<u8>,
    out: &mut TickOutput,
) {
    // A bot gives its seat to whoever comes for it.
    if core.player(entity).is_some_and(|player| player.bot.is_some()) {
        leave(core, game, entity, out);
    }
    join_as(core, game, entity, player, team, None, out);
}

/// Seats a player, or a bot; nobody where the seat is taken.
pub(crate) fn join_as(
    core: &mut Core,
    game: &mut dyn Game,
    entity: EntityId,
    player: &PlayerId,
    team: Option<u8>,
    bot: Option<Box<Bot>>,
    out: &mut TickOutput,
) {
    let seat = usize::from(entity.0);
    if !core.seats.get(seat).is_some_and(Option::is_none) {
        return;
    }
    let team = team.filter(|team| usize::from(*team) < core.mode.teams.len());
    core.teams[seat] = team.unwrap_or(EntityState::NO_TEAM);
    let command_credit = CommandCredit::full(&core.commands, core.mode.tick_hz, core.clock_ticks);
    core.seats[seat] = Some(Player {
        entity,
        id: player.clone(),
        team: core.teams[seat],
        life: core.lives[seat],
        first_life: core.lives[seat].next(),
        body: BodyState::default(),
        health: 0.0,
        alive: false,
        disarmed: false,
        teleported: true,
        held: WeaponId::FISTS,
        traits: 0,
        applied: None,
        credit_ticks: 0,
        silent_ticks: 0,
        frames_now: 0,
        counted: None,
        tick_began_m: Vec3::ZERO,
        died: None,
        respawn_ticks: 0,
        round_trip_s: None,
        record: ShooterRecord::default(),
        stats: StatSheet::default(),
        held_list: None,
        held_before: None,
        left: None,
        seen: crate::seen::Seen::default(),
        refusals: 0,
        command_credit,
        bot,
    });
    out.events.push(Event::Joined { entity, player: player.clone(), team });
    game.join(&mut GameRoom::new(core, out), entity);
    spawn(core, game, entity, out);
}

pub(crate) fn leave(core: &mut Core, game: &mut dyn Game, entity: EntityId, out: &mut TickOutput) {
    if core.player(entity).is_none() {
        return;
    }
    game.leave(&mut GameRoom::new(core, out), entity);
    let seat = usize::from(entity.0);
    if let Some(player) = core.seats[seat].take() {
        core.left_out(&player, &mut out.log);
    }
    core.teams[seat] = EntityState::NO_TEAM;
    out.events.push(Event::Left { entity });
}

/// Grants the respawns that are due.
pub(crate) fn respawn_due(core: &mut Core, game: &mut dyn Game, out: &mut TickOutput) {
    for seat in 0..core.seats.len() {
        let Some(player) = &mut core.seats[seat] else { continue };
        if player.alive {
            continue;
        }
        if player.respawn_ticks > 0 {
            player.respawn_ticks -= 1;
            continue;
        }
        let entity = player.entity;
        spawn(core, game, entity, out);
    }
}

/// Starts a player's next life: a place, full health, and the loadout's orders.
fn spawn(core: &mut Core, game: &mut dyn Game, entity: EntityId, out: &mut TickOutput) {
    let team = core.player(entity).and_then(Player::team_index);
    let (position_m, yaw_rad) = core.choose_spawn(entity, team);
    let life = core.next_life(entity);
    let mode = std::sync::Arc::clone(&core.mode);
    let health = mode.body.health;
    let Some(player) = core.player_mut(entity) else { return };
    player.life = life;
    player.body = BodyState::at(position_m, quantise_yaw(yaw_rad));
    player.tick_began_m = position_m;
    player.left = None;
    player.health = health;
    player.alive = true;
    player.teleported = true;
    player.held = WeaponId::FISTS;
    if let Some(bot) = &mut player.bot {
        bot.rise(&mode);
    } else {
        out.orders.push((entity, InventoryOrder::Respawn { life }));
    }
    if core.mode.ammunition == Ammunition::Ledger && !core.is_bot(entity) {
        for grant in &core.mode.loadout {
            let give = WeaponCommand::Give {
                weapon: grant.weapon,
                rounds: grant.rounds,
                set_as_current: grant.armed,
            };
            out.orders.push((entity, InventoryOrder::Command(give)));
        }
    }
    let at = out.events.len();
    game.spawn(&mut GameRoom::new(core, out), entity);
    // The game may have moved her; the event tells where she stands then, before what the game told.
    let pose = core.player(entity).map_or_else(Pose::default, |player| player.body.pose());
    out.events.insert(at.min(out.events.len()), Event::Spawned { entity, life, pose });
}

impl Core {
    /// A spawn point of her team, of anybody's where none serves it, by the room's seed: the first from
    /// a random one on with nobody near, else that random one.
    fn choose_spawn(&mut self, entity: EntityId, team: Option<u8>) -> (Vec3, f32) {
        let mode = std::sync::Arc::clone(&self.mode);
        let of_team = |spawn: &SpawnPoint| spawn.team.is_none() || spawn.team == team;
        let any = !mode.spawns.iter().any(of_team);
        let serves = |spawn: &SpawnPoint| any || of_team(spawn);
        let count = mode.spawns.iter().filter(|spawn| serves(spawn)).count();
        let first = self.rng.below(u32::try_from(count).unwrap_or(u32::MAX)) as usize;
        let from = |n: usize| mode.spawns.iter().filter(|spawn| serves(spawn)).nth(n % count);
        let is_free = |at_m: Vec3| {
            self.players()
                .filter(|other| other.alive && other.entity != entity)
                .all(|other| other.body.position_m.distance(at_m) > FREE_WITHIN_M)
        };
        let chosen = (0..count)
            .filter_map(|n| from(first + n))
            .find(|spawn| is_free(spawn.position_m))
            .or_else(|| if count > 0 { from(first) } else { None });
        chosen.map_or((Vec3::ZERO, 0.0), |spawn| (spawn.position_m, spawn.yaw_rad))
    }

    /// Logs how many of a player's refusals were not.
    pub(crate) fn left_out(&mut self, player: &Player, log: &mut Vec<LogRecord>) {
        let left_out = player.refusals.saturating_sub(crate::REFUSALS_LOGGED_MAX);
        if left_out > 0 {
            self.since.refusals_left_out += u64::from(left_out);
            log.push(LogRecord::RefusalsLeftOut {
                player: player.id.clone(),
                entity: player.entity,
                left_out,
            });
        }
    }
}
