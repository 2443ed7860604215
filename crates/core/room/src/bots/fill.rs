//! How many bots there are, and in which teams: they make up what humans leave free, and the teams of
//! both together stay even as far as bots can make them.

use super::Bot;
use crate::core::Core;
use crate::game::Game;
use crate::player::Player;
use crate::{TickOutput, spawn};
use fairshot_units::{EntityId, EntityState, PlayerId};

/// Lets bots join and leave until there are as many as the mode wants, then evens out the teams.
pub(crate) fn fill(core: &mut Core, game: &mut dyn Game, out: &mut TickOutput) {
    let bots = core.players().filter(|player| player.bot.is_some()).count();
    let most = usize::from(core.mode.bots.fill).min(core.seats.len());
    if bots == 0 && most == 0 {
        return;
    }
    let humans = core.players().count() - bots;
    let wanted = if humans == 0 { 0 } else { most.saturating_sub(humans) };
    for _ in wanted..bots {
        if let Some(bot) = bot_of(core, fullest(core)) {
            spawn::leave(core, game, bot, out);
        }
    }
    for _ in bots..wanted {
        let team = emptiest(core);
        join(core, game, team, out);
    }
    // Each move makes two teams more even, so there are fewer than seats.
    for _ in 0..core.seats.len() {
        let (Some(full), Some(empty)) = (fullest(core), emptiest(core)) else { return };
        let moves = size(core, full) >= size(core, empty) + 2;
        let Some(bot) = bot_of(core, Some(full)).filter(|_| moves) else { return };
        spawn::leave(core, game, bot, out);
        join(core, game, Some(empty), out);
    }
}

/// A bot takes the highest free seat: humans are given the low ones.
fn join(core: &mut Core, game: &mut dyn Game, team: Option<u8>, out: &mut TickOutput) {
    let Some(seat) = core.seats.iter().rposition(Option::is_none) else { return };
    let Ok(seat) = u16::try_from(seat) else { return };
    let Ok(id) = PlayerId::new(&format!("bot:{seat}")) else { return };
    let bot = Bot::new(core.rng.next_u64());
    spawn::join_as(core, game, EntityId(seat), &id, team, Some(Box::new(bot)), out);
}

/// The bot in the highest seat of a team; of any where there are no teams.
fn bot_of(core: &Core, team: Option<u8>) -> Option<EntityId> {
    let of_team = |player: &&Player| player.bot.is_some() && player.team_index() == team;
    core.seats.iter().rev().flatten().find(of_team).map(|player| player.entity)
}

fn size(core: &Core, team: u8) -> usize {
    core.players().filter(|player| player.team == team).count()
}

/// The team with the most players among those with a bot.
fn fullest(core: &Core) -> Option<u8> {
    teams(core).filter(|team| bot_of(core, Some(*team)).is_some()).max_by_key(|t| size(core, *t))
}

fn emptiest(core: &Core) -> Option<u8> {
    teams(core).min_by_key(|team| size(core, *team))
}

fn teams(core: &Core) -> impl Iterator<Item = u8> {
    (0..EntityState::NO_TEAM).take(core.mode.teams.len())
}
