//! Dealing health after the last verdict of a tick, in order; deaths after the last of it.

use crate::core::Core;
use crate::game::Game;
use crate::{Event, GameRoom, Hit, HitData, HitSource, TickOutput};
use fairshot_units::{EntityId, EntityKind, Life, MessageNumber};

/// Health to be dealt.
#[derive(Clone, Debug, PartialEq)]
pub struct Damage {
    pub target: EntityId,
    /// The life it is meant for; another one is not touched.
    pub target_life: Life,
    pub source: Option<EntityId>,
    pub weapon: HitSource,
    pub number: Option<MessageNumber>,
    pub zone: Option<u8>,
    /// Not below 0; what is no number deals nothing.
    pub amount: f32,
    pub data: HitData,
}

/// A game that answers hits with damage is heard this often in one tick; the rest waits for the next.
const ROUNDS_MAX: usize = 8;
/// Damage waiting at the most; more is not taken.
pub(crate) const DAMAGE_MAX: usize = 4096;

/// A death of this tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Death {
    entity: EntityId,
    life: Life,
    killer: Option<EntityId>,
    weapon: HitSource,
}

/// Deals everything queued, tells the game of each hit in deal order, then of the deaths.
pub(crate) fn deal(core: &mut Core, game: &mut dyn Game, out: &mut TickOutput) {
    let mut deaths = std::mem::take(&mut core.deaths);
    deaths.clear();
    for _ in 0..ROUNDS_MAX {
        if core.damage.is_empty() {
            break;
        }
        let mut queue = std::mem::take(&mut core.damage);
        for damage in queue.drain(..) {
            let Some(hit) = core.deal_one(damage, &mut deaths) else { continue };
            out.events.push(Event::Hit(hit.clone()));
            core.since.hits += 1;
            game.hit(&mut GameRoom::new(core, out), &hit);
        }
        if core.damage.is_empty() {
            core.damage = queue;
        }
    }
    for death in &deaths {
        core.die(*death, out);
        game.death(&mut GameRoom::new(core, out), death.entity, death.killer);
    }
    core.deaths = deaths;
}

impl Core {
    /// Queues health to be dealt; `false` where too much waits already.
    pub(crate) fn queue_damage(&mut self, damage: Damage) -> bool {
        let room = self.damage.len() < DAMAGE_MAX;
        if room {
            self.damage.push(damage);
        }
        room
    }

    /// Deals one hit: `None` where the target is gone, down since before this tick's damage, in
    /// another life, or dealt no number. A target that fell to an earlier hit of this tick is still
    /// hit, so that every pellet of it is told.
    fn deal_one(&mut self, damage: Damage, deaths: &mut Vec<Death>) -> Option<Hit> {
        let (life, alive, kind, health) = self.body_mut(damage.target)?;
        // A NaN is no amount either.
        let is_amount = damage.amount >= 0.0;
        if life != damage.target_life || !alive || !is_amount {
            return None;
        }
        let before = *health;
        *health = (before - damage.amount).max(0.0);
        if before > 0.0 && *health <= 0.0 {
            deaths.push(Death {
                entity: damage.target,
                life,
                killer: damage.source,
                weapon: damage.weapon,
            });
        }
        Some(Hit {
            target: damage.target,
            target_life: life,
            target_kind: kind,
            source: damage.source,
            weapon: damage.weapon,
            number: damage.number,
            zone: damage.zone,
            amount: damage.amount,
            data: damage.data,
        })
    }

    fn body_mut(&mut self, entity: EntityId) -> Option<(Life, bool, EntityKind, &mut f32)> {
        if let Some(index) = self.monster_index(entity) {
            let monster = &mut self.monsters[index];
            let kind = EntityKind::Monster(monster.kind);
            return Some((monster.life, monster.alive, kind, &mut monster.health));
        }
        let player = self.player_mut(entity)?;
        Some((player.life, player.alive, EntityKind::Player, &mut player.health))
    }

    fn die(&mut self, death: Death, out: &mut TickOutput) {
        let tick = self.tick;
        if let Some(index) = self.monster_index(death.entity) {
            let delay = self.mode.monsters[usize::from(self.monsters[index].kind)].respawn_delay_s;
            let ticks = self.ticks_of(delay);
            self.monsters[index].fall(ticks);
        } else {
            let ticks = self.ticks_of(self.mode.respawn_delay_s);
            let Some(player) = self.player_mut(death.entity) else { return };
            player.alive = false;
            player.died = Some(tick);
            player.respawn_ticks = ticks;
        }
        self.since.deaths += 1;
        out.events.push(Event::Died {
            entity: death.entity,
            life: death.life,
            killer: death.killer,
            weapon: death.weapon,
        });
    }
}
