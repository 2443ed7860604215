//! The room's parts as a checkpoint carries them.

use super::CheckpointError;
use super::tokens::{Token, record_of, tokens_of};
use crate::bots::Bot;
use crate::commands::CommandCredit;
use crate::core::Core;
use crate::damage::Damage;
use crate::heartbeat::Counts;
use crate::monsters::Monster;
use crate::player::Player;
use crate::projectiles::Projectile;
use crate::seen::Seen;
use crate::{HitData, HitSource};
use fairshot_judge::{Allowance, ClipUse, FiredShot, Latency, ShooterRecord};
use fairshot_mode::{Stat, StatSheet, WeaponNumbers};
use fairshot_units::{EntityId, Life, MessageNumber, PlayerId, Rule, Tick, ViewStep, WeaponId};
use fairshot_world::{BodyState, Brain, Motion, MoverState, Projectile as Body, UnheardState};
use glam::Vec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What stands first, to be read without the rest.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Head {
    pub version: u8,
    pub mode: String,
    pub tick: Tick,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Saved {
    pub version: u8,
    pub mode: String,
    pub tick: Tick,
    pub clock_ticks: u64,
    pub rng: u64,
    pub lives: Vec<Life>,
    pub movers: Vec<MoverState>,
    pub mover_waits: Vec<u32>,
    pub told: Vec<Motion>,
    pub unheard: Vec<UnheardState>,
    pub seats: Vec<Option<SavedPlayer>>,
    pub monsters: Vec<SavedMonster>,
    pub flying: Vec<SavedProjectile>,
    pub damage: Vec<SavedDamage>,
    pub since: SavedCounts,
    pub total: SavedCounts,
    pub history: Vec<u8>,
    pub game: Vec<u8>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SavedPlayer {
    id: PlayerId,
    team: u8,
    life: Life,
    first_life: Life,
    body: BodyState,
    health: f32,
    alive: bool,
    disarmed: bool,
    teleported: bool,
    held: WeaponId,
    traits: u32,
    applied: Option<MessageNumber>,
    credit_ticks: u32,
    silent_ticks: u32,
    died: Option<Tick>,
    respawn_ticks: u32,
    round_trip_s: Option<f32>,
    latency: Latency,
    allowances: Vec<(WeaponId, Allowance)>,
    clips: Vec<(WeaponId, ClipUse)>,
    fired: Vec<SavedShot>,
    stats: Vec<(String, SavedStat)>,
    held_list: Option<Vec<WeaponId>>,
    held_before: Option<(Option<Vec<WeaponId>>, Tick)>,
    left: Option<(Vec3, Tick)>,
    seen: (Option<u32>, Vec<u64>),
    refusals: u32,
    command_credit: Vec<Allowance>,
    bot: Option<Box<Bot>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedShot {
    number: MessageNumber,
    weapon: WeaponId,
    named: ViewStep,
    judged: ViewStep,
    landed: Tick,
    refused: Option<String>,
}

/// Base, flats, percents and mores.
type SavedStat = (f32, Vec<f32>, Vec<f32>, Vec<f32>);

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SavedMonster {
    life: Life,
    body: BodyState,
    brain: Brain,
    health: f32,
    alive: bool,
    teleported: bool,
    traits: u32,
    strike_ticks: u32,
    respawn_ticks: u32,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SavedProjectile {
    entity: EntityId,
    life: Life,
    shooter: EntityId,
    number: MessageNumber,
    weapon: WeaponId,
    /// Damage, range, rate, spread, zone damage, speed; pellets and pierce.
    numbers: ([f32; 6], [u8; 2]),
    body: Body,
    fresh: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SavedDamage {
    target: EntityId,
    target_life: Life,
    source: Option<EntityId>,
    weapon: SavedSource,
    number: Option<MessageNumber>,
    zone: Option<u8>,
    amount: f32,
    data: SavedData,
}

#[derive(Debug, Serialize, Deserialize)]
enum SavedSource {
    Weapon(WeaponId),
    Monster(u8),
    Game(String),
}

#[derive(Debug, Serialize, Deserialize)]
enum SavedData {
    None,
    OfWeapon,
    Own(Vec<Token>),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SavedCounts {
    refused: Vec<(String, u64)>,
    /// Judged, accepted, unseen deaths, hits, deaths, frames dropped, ticks dropped, left out.
    counts: [u64; 8],
}

impl Saved {
    pub(super) fn of(version: u8, core: &Core, game: Vec<u8>) -> Self {
        let flying = core.projectiles.flying.iter().map(SavedProjectile::of).collect();
        Self {
            version,
            mode: core.mode.name.clone(),
            tick: core.tick,
            clock_ticks: core.clock_ticks,
            rng: core.rng.0,
            lives: core.lives.clone(),
            movers: core.movers.save(),
            mover_waits: core.mover_waits.clone(),
            told: core.told.clone(),
            unheard: core.unheard.save(),
            seats: core.seats.iter().map(|seat| seat.as_ref().map(SavedPlayer::of)).collect(),
            monsters: core.monsters.iter().map(SavedMonster::of).collect(),
            flying,
            damage: core.damage.iter().map(SavedDamage::of).collect(),
            since: SavedCounts::of(&core.since),
            total: SavedCounts::of(&core.total),
            history: core.history.save(),
            game,
        }
    }
}

impl SavedPlayer {
    fn of(player: &Player) -> Self {
        let stat = |stat: &Stat| {
            (stat.base, stat.flats.clone(), stat.percents.clone(), stat.mores.clone())
        };
        Self {
            id: player.id.clone(),
            team: player.team,
            life: player.life,
            first_life: player.first_life,
            body: player.body,
            health: player.health,
            alive: player.alive,
            disarmed: player.disarmed,
            teleported: player.teleported,
            held: player.held,
            traits: player.traits,
            applied: player.applied,
            credit_ticks: player.credit_ticks,
            silent_ticks: player.silent_ticks,
            died: player.died,
            respawn_ticks: player.respawn_ticks,
            round_trip_s: player.round_trip_s,
            latency: player.record.latency,
            allowances: player.record.allowances().copied().collect(),
            clips: player.record.clips().to_vec(),
            fired: player.record.fired().map(SavedShot::of).collect(),
            stats: player.stats.iter().map(|(name, s)| (name.to_owned(), stat(s))).collect(),
            held_list: player.held_list.clone(),
            held_before: player.held_before.clone(),
            left: player.left,
            seen: (player.seen.highest, player.seen.bits.to_vec()),
            refusals: player.refusals,
            command_credit: player.command_credit.0.clone(),
            bot: player.bot.clone(),
        }
    }

    pub(super) fn into_player(
        self,
        seat: usize,
        core: &Core,
        names: &[&'static str],
    ) -> Result<Player, CheckpointError> {
        let entity = u16::try_from(seat).map_err(|_| CheckpointError::Fit("seats"))?;
        if !self.latency.is_sound() {
            return Err(CheckpointError::Fit("latency samples"));
        }
        if self.command_credit.len() != core.commands.len() {
            return Err(CheckpointError::Fit("commands"));
        }
        let bits =
            self.seen.1.try_into().map_err(|_| CheckpointError::Fit("shot numbers heard"))?;
        let mut stats = StatSheet::default();
        for (name, (base, flats, percents, mores)) in self.stats {
            stats.add(&name, &Stat { base, flats, percents, mores });
        }
        let fired = self.fired.into_iter().map(|shot| shot.into_shot(names));
        Ok(Player {
            entity: EntityId(entity),
            id: self.id,
            team: self.team,
            life: self.life,
            first_life: self.first_life,
            body: sound(self.body)?,
            health: self.health,
            alive: self.alive,
            disarmed: self.disarmed,
            teleported: self.teleported,
            held: self.held,
            traits: self.traits,
            applied: self.applied,
            credit_ticks: self.credit_ticks,
            silent_ticks: self.silent_ticks,
            frames_now: 0,
            counted: self.applied,
            tick_began_m: self.body.position_m,
            died: self.died,
            respawn_ticks: self.respawn_ticks,
            round_trip_s: self.round_trip_s,
            record: ShooterRecord::of_parts(self.latency, self.allowances, self.clips, fired),
            stats,
            held_list: self.held_list,
            held_before: self.held_before,
            left: self.left,
            seen: Seen { highest: self.seen.0, bits },
            refusals: self.refusals,
            command_credit: CommandCredit(self.command_credit),
            bot: self.bot,
        })
    }
}

impl SavedShot {
    fn of(shot: &FiredShot) -> Self {
        Self {
            number: shot.number,
            weapon: shot.weapon,
            named: shot.named,
            judged: shot.judged,
            landed: shot.landed,
            refused: shot.refused.map(|rule| rule.label().to_owned()),
        }
    }

    fn into_shot(self, names: &[&'static str]) -> FiredShot {
        FiredShot {
            number: self.number,
            weapon: self.weapon,
            named: self.named,
            judged: self.judged,
            landed: self.landed,
            refused: self.refused.and_then(|label| rule_of(&label, names)),
        }
    }
}

impl SavedMonster {
    fn of(monster: &Monster) -> Self {
        Self {
            life: monster.life,
            body: monster.body,
            brain: monster.brain,
            health: monster.health,
            alive: monster.alive,
            teleported: monster.teleported,
            traits: monster.traits,
            strike_ticks: monster.strike_ticks,
            respawn_ticks: monster.respawn_ticks,
        }
    }

    pub(super) fn put(self, monster: &mut Monster) {
        monster.life = self.life;
        monster.body = self.body;
        monster.brain = self.brain;
        monster.health = self.health;
        monster.alive = self.alive;
        monster.teleported = self.teleported;
        monster.traits = self.traits;
        monster.strike_ticks = self.strike_ticks;
        monster.respawn_ticks = self.respawn_ticks;
    }
}

impl SavedProjectile {
    fn of(projectile: &Projectile) -> Self {
        let n = &projectile.numbers;
        Self {
            entity: projectile.entity,
            life: projectile.life,
            shooter: projectile.shooter,
            number: projectile.number,
            weapon: projectile.weapon,
            numbers: (
                [n.damage, n.range_m, n.shots_per_second, n.spread_rad, n.zone_damage, n.speed_m_s],
                [n.pellets, n.pierce],
            ),
            body: projectile.body,
            fresh: projectile.fresh,
        }
    }

    pub(super) fn into_projectile(self, core: &Core) -> Result<Projectile, CheckpointError> {
        if !core.projectiles.holds(self.entity) {
            return Err(CheckpointError::Fit("projectiles"));
        }
        let [damage, range_m, shots_per_second, spread_rad, zone_damage, speed_m_s] =
            self.numbers.0;
        let [pellets, pierce] = self.numbers.1;
        Ok(Projectile {
            entity: self.entity,
            life: self.life,
            shooter: self.shooter,
            number: self.number,
            weapon: self.weapon,
            numbers: WeaponNumbers {
                damage,
                range_m,
                shots_per_second,
                pellets,
                spread_rad,
                pierce,
                zone_damage,
                speed_m_s,
            },
            body: self.body,
            fresh: self.fresh,
        })
    }
}

impl SavedDamage {
    fn of(damage: &Damage) -> Self {
        Self {
            target: damage.target,
            target_life: damage.target_life,
            source: damage.source,
            weapon: match damage.weapon {
                HitSource::Weapon(weapon) => SavedSource::Weapon(weapon),
                HitSource::Monster(kind) => SavedSource::Monster(kind),
                HitSource::Game(name) => SavedSource::Game(name.to_owned()),
            },
            number: damage.number,
            zone: damage.zone,
            amount: damage.amount,
            data: match &damage.data {
                HitData::None => SavedData::None,
                HitData::OfWeapon => SavedData::OfWeapon,
                HitData::Own(record) => SavedData::Own(tokens_of(record)),
            },
        }
    }

    pub(super) fn into_damage(self, names: &[&'static str]) -> Damage {
        Damage {
            target: self.target,
            target_life: self.target_life,
            source: self.source,
            weapon: match self.weapon {
                SavedSource::Weapon(weapon) => HitSource::Weapon(weapon),
                SavedSource::Monster(kind) => HitSource::Monster(kind),
                SavedSource::Game(name) => HitSource::Game(known(&name, names).unwrap_or("game")),
            },
            number: self.number,
            zone: self.zone,
            amount: self.amount,
            data: match self.data {
                SavedData::None => HitData::None,
                SavedData::OfWeapon => HitData::OfWeapon,
                SavedData::Own(tokens) => HitData::Own(Arc::new(record_of(tokens))),
            },
        }
    }
}

impl SavedCounts {
    fn of(counts: &Counts) -> Self {
        Self {
            refused: counts
                .refused
                .iter()
                .map(|(rule, count)| (rule.label().to_owned(), *count))
                .collect(),
            counts: [
                counts.shots_judged,
                counts.shots_accepted,
                counts.unseen_deaths,
                counts.hits,
                counts.deaths,
                counts.frames_dropped,
                counts.ticks_dropped,
                counts.refusals_left_out,
            ],
        }
    }

    pub(super) fn into_counts(self, names: &[&'static str]) -> Counts {
        let [judged, accepted, unseen, hits, deaths, frames, ticks, left_out] = self.counts;
        let rule = |(label, count): (String, u64)| Some((rule_of(&label, names)?, count));
        Counts {
            shots_judged: judged,
            shots_accepted: accepted,
            refused: self.refused.into_iter().filter_map(rule).collect(),
            unseen_deaths: unseen,
            hits,
            deaths,
            frames_dropped: frames,
            ticks_dropped: ticks,
            refusals_left_out: left_out,
        }
    }
}

fn rule_of(label: &str, names: &[&'static str]) -> Option<Rule> {
    Rule::built_in(label).or_else(|| known(label, names).map(Rule::Game))
}

fn known(name: &str, names: &[&'static str]) -> Option<&'static str> {
    names.iter().copied().find(|known| *known == name)
}

fn sound(body: BodyState) -> Result<BodyState, CheckpointError> {
    let finite = |v: Vec3| v.is_finite();
    if finite(body.position_m) && finite(body.velocity_m_s) {
        Ok(body)
    } else {
        Err(CheckpointError::Fit("bodies"))
    }
}
