//! Room bots: players that the room itself plays. A bot decides from what a screen would show, the newest
//! poses sent, and goes on as everybody does: one frame a tick through the same movement, and shots that
//! meet the same rules. Nothing here moves a body or deals damage.

mod aim;
mod fill;
mod pouch;

pub(crate) use fill::fill;
pub(crate) use pouch::Pouch;

use crate::core::Core;
use crate::room::apply;
use crate::shots::{Burst, Move};
use crate::{Frame, RoomInput, Shot};
use aim::Sight;
use fairshot_judge::{Claim, LedgerRuling, NamedTarget, numbers_of};
use fairshot_mode::{Judge, Mode, Weapon, WeaponKind};
use fairshot_units::{
    EntityId, Input, MessageNumber, Tick, ViewStep, WeaponId, quantise_pitch, quantise_yaw, yaw_of,
};
use fairshot_world::{Brain, direction_of};
use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

/// What makes a player a bot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bot {
    pub brain: Brain,
    /// The rounds it has, where the mode counts them.
    pub pouch: Pouch,
    /// Whom it sees, and for how many ticks now.
    pub target: Option<EntityId>,
    pub seen_ticks: u32,
    /// The weapon in its hands.
    pub weapon: WeaponId,
}

/// A bot looks about every so many ticks, each at its own.
const LOOK_EVERY_TICKS: u32 = 8;
/// The share of its weapon's range it goes up to, and how near and how far that is at the most.
const STAND_SHARE: f32 = 0.4;
const STAND_M: (f32, f32) = (2.0, 15.0);

impl Bot {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            brain: Brain::new(seed),
            pouch: Pouch::default(),
            target: None,
            seen_ticks: 0,
            weapon: WeaponId::FISTS,
        }
    }

    /// A new life: what it has, and nobody in sight.
    pub(crate) fn rise(&mut self, mode: &Mode) {
        self.pouch = Pouch::of_loadout(mode);
        self.target = None;
        self.seen_ticks = 0;
        self.weapon = WeaponId::FISTS;
    }
}

/// Every bot's frame of this tick and what it fires, the shots into `shots`.
pub(crate) fn play(
    core: &mut Core,
    moves: &mut Vec<Move>,
    bursts: &mut Vec<Burst>,
    shots: &mut Vec<RoomInput>,
) {
    if !core.players().any(|player| player.bot.is_some()) {
        return;
    }
    for seat in 0..core.seats.len() {
        let Some(player) = core.seats[seat].as_mut().filter(|player| player.alive) else {
            continue;
        };
        // Taken out while it plays, so that it reads the room as anybody would.
        let Some(mut bot) = player.bot.take() else { continue };
        let entity = player.entity;
        play_one(core, entity, &mut bot, moves, bursts, shots);
        if let Some(player) = core.player_mut(entity) {
            player.bot = Some(bot);
        }
    }
}

fn play_one(
    core: &mut Core,
    entity: EntityId,
    bot: &mut Bot,
    moves: &mut Vec<Move>,
    bursts: &mut Vec<Burst>,
    shots: &mut Vec<RoomInput>,
) {
    let view = ViewStep::at(core.tick - 1);
    if core.tick.0.wrapping_add(u32::from(entity.0)).is_multiple_of(LOOK_EVERY_TICKS) {
        let before = bot.target;
        bot.target = aim::look(core, entity, view);
        if before != bot.target {
            bot.seen_ticks = 0;
        }
        bot.weapon = choose(core, entity, bot, view);
    }
    let sight = bot.target.and_then(|target| aim::see(core, entity, target, view));
    bot.seen_ticks = if sight.is_some() { bot.seen_ticks.saturating_add(1) } else { 0 };
    let Some(player) = core.player(entity) else { return };
    let weapon = core.mode.weapons.get(bot.weapon);
    let fires = sight.as_ref().zip(weapon).is_some_and(|(sight, weapon)| {
        bot.seen_ticks > core.ticks_of(core.mode.bots.reaction_s)
            && bot.pouch.lets(core.mode.ammunition, weapon)
            && sight.distance_m <= numbers_of(weapon, &player.stats).range_m
            && match weapon.kind {
                WeaponKind::Continuous => is_on_the_beat(weapon, core.tick, core.mode.tick_hz),
                _ => player.is_ready(weapon, core.tick, core.mode.tick_hz),
            }
    });
    let error_rad = core.mode.bots.aim_error_rad;
    let input = wish(core, entity, bot, sight.as_ref(), if fires { error_rad } else { 0.0 });
    let Some(player) = core.player(entity) else { return };
    let number = MessageNumber(player.applied.map_or(1, |applied| applied.0.wrapping_add(2)));
    let (life, kind) = (player.life, core.mode.weapons.get(bot.weapon).map(|weapon| weapon.kind));
    let streams = fires && kind == Some(WeaponKind::Continuous);
    let firing = streams.then_some(bot.weapon);
    let frame = Frame { entity, life, number, input, held: bot.weapon, firing };
    apply(core, &frame, Some(moves), bursts);
    if !fires {
        return;
    }
    if let Some(weapon) = core.mode.weapons.get(bot.weapon) {
        bot.pouch.spend(weapon);
    }
    if !streams && let Some(shot) = shot(core, &frame, view, bot.target) {
        shots.push(RoomInput::Shot(shot));
    }
}

/// One tick of input: towards the nearest enemy, at whom it sees or else the way it goes.
fn wish(
    core: &mut Core,
    entity: EntityId,
    bot: &mut Bot,
    sight: Option<&Sight>,
    error_rad: f32,
) -> Input {
    let speed_m_s = core.mode.movement.run_speed_m_s;
    let stand_m = match (sight, core.mode.weapons.get(bot.weapon)) {
        (Some(_), Some(weapon)) => (weapon.range_m * STAND_SHARE).clamp(STAND_M.0, STAND_M.1),
        _ => STAND_M.0,
    };
    let mut prey_m = std::mem::take(&mut core.prey_m);
    aim::enemies_m(core, entity, &mut prey_m);
    let Some(player) = core.player(entity) else { return Input::default() };
    // The mind turns a body of its own: where this one looks is the aim's to say.
    let mut body = player.body;
    let way = bot.brain.think(&mut body, &prey_m, speed_m_s, stand_m);
    let aim = sight.map(|sight| sight.towards);
    core.prey_m = prey_m;
    let (yaw, pitch) = match aim {
        None => (body.yaw, 0),
        Some(towards) => {
            let mut off = || (core.rng.unit() * 2.0 - 1.0) * error_rad;
            let flat = Vec2::new(towards.x, towards.z).length();
            let yaw_rad = (-towards.x).atan2(-towards.z) + off();
            (quantise_yaw(yaw_rad), quantise_pitch(towards.y.atan2(flat) + off()))
        }
    };
    let (sin, cos) = yaw_of(yaw).sin_cos();
    let share = if speed_m_s > 0.0 { way / speed_m_s } else { Vec2::ZERO };
    #[expect(clippy::cast_possible_truncation, reason = "held to a byte's range first")]
    let axis = |along: Vec2| (share.dot(along) * 127.0).round().clamp(-127.0, 127.0) as i8;
    Input {
        forward: axis(Vec2::new(-sin, -cos)),
        right: axis(Vec2::new(cos, -sin)),
        yaw,
        pitch,
        ..Input::default()
    }
}

/// Whether a continuous weapon's fire comes to another round in this tick.
fn is_on_the_beat(weapon: &Weapon, tick: Tick, tick_hz: u16) -> bool {
    let rounds = |tick: u32| {
        (f64::from(tick) * f64::from(weapon.shots_per_second) / f64::from(tick_hz.max(1))).floor()
    };
    rounds(tick.0) > rounds(tick.0.wrapping_sub(1))
}

/// The shot of a frame, as a client would claim it.
fn shot(core: &Core, frame: &Frame, view: ViewStep, target: Option<EntityId>) -> Option<Shot> {
    let player = core.player(frame.entity)?;
    let weapon = core.mode.weapons.get(frame.held)?;
    let origin_m = player.body.position_m + Vec3::Y * core.mode.body.eye_height_m;
    let direction = direction_of(frame.input.yaw, frame.input.pitch);
    let numbers = numbers_of(weapon, &player.stats);
    let names = match (weapon.judge, target) {
        (Judge::Client, Some(target)) => {
            aim::struck(core, target, view, origin_m, direction, numbers)
                .map(|pellet| NamedTarget { pellet, target })
                .collect()
        }
        _ => Vec::new(),
    };
    let number = MessageNumber(frame.number.0.wrapping_add(1));
    let claim = Claim { number, weapon: frame.held, view, origin_m, direction, names };
    let ruling = LedgerRuling::Accepted;
    Some(Shot { entity: frame.entity, life: frame.life, claim, ruling, frame: frame.number })
}

/// The weapon to have in hand: the one that does the most a second at the target's distance, else the one
/// that reaches furthest.
fn choose(core: &Core, entity: EntityId, bot: &Bot, view: ViewStep) -> WeaponId {
    let Some(player) = core.player(entity) else { return bot.weapon };
    let distance_m = bot
        .target
        .and_then(|target| aim::see(core, entity, target, view))
        .map_or(f32::MAX, |sight| sight.distance_m);
    let worth = |weapon: &Weapon| {
        let numbers = numbers_of(weapon, &player.stats);
        let a_second = numbers.damage * f32::from(numbers.pellets) * numbers.shots_per_second;
        let reaches = numbers.range_m >= distance_m;
        (reaches, if reaches { a_second } else { numbers.range_m })
    };
    let used = &core.mode.bots.weapons;
    let usable = core.mode.weapons.weapons().iter().filter(|weapon| {
        let fires = matches!(
            weapon.kind,
            WeaponKind::Instant | WeaponKind::Projectile | WeaponKind::Continuous
        );
        fires
            && (used.is_empty() || used.contains(&weapon.id))
            && player.holds(weapon.id)
            && bot.pouch.lets(core.mode.ammunition, weapon)
    });
    let best = usable.max_by(|a, b| {
        let ((a_reaches, a), (b_reaches, b)) = (worth(a), worth(b));
        a_reaches.cmp(&b_reaches).then(a.total_cmp(&b))
    });
    best.map_or(WeaponId::FISTS, |weapon| weapon.id)
}
