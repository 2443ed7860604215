//! Shots kept so that an operator can be told why one was refused: each player's last sixteen, and the
//! room's refusals of the last ten minutes, 1,024 at the most.
//!
//! The room's history holds one second, so what stood where is kept with the shot. Of an accepted shot
//! that is two allocations at the most beside its own; names, rules and texts are made when asked.

use super::RoomActor;
use crate::modes::LoadedMode;
use fairshot_judge::{
    Judgement, Pass, Ray, Scene, Spared, Verdict, aimed, middle_m, passes, way_past,
};
use fairshot_mode::WeaponKind;
use fairshot_relay::ShotStamp;
use fairshot_room::Shot;
use fairshot_units::{EntityId, EntityKind, Life, PlayerId, Pose};
use glam::Vec3;
use std::collections::VecDeque;
use std::rc::Rc;

/// Shots kept of each player.
const SHOTS_KEPT: usize = 16;
/// Refusals kept of a room, and for how long.
const REFUSALS_KEPT: usize = 1024;
const REFUSALS_KEPT_MS: u64 = 600_000;
/// Shots of one tick whose targets are looked for; those of a flood beyond are kept without.
pub(super) const LOOKED_ROUND_MAX: usize = 64;

/// One judged shot with all that was measured.
#[derive(Clone, Debug)]
pub(crate) struct KeptShot {
    pub(crate) time_unix_ms: u64,
    pub(crate) landed_ms: u64,
    pub(crate) player: PlayerId,
    pub(crate) claimed_life: Life,
    pub(crate) origin_m: Vec3,
    pub(crate) direction: Vec3,
    pub(crate) stamp: Option<ShotStamp>,
    pub(crate) verdict: Verdict,
    /// One a pellet; of a refused shot the way its aim would have taken.
    pub(crate) rays: Box<[Ray]>,
    /// Those hit, in deal order, then those passed by, nearest first.
    pub(crate) targets: Box<[KeptTarget]>,
    /// The mode as it was: its rules may have changed since.
    pub(crate) loaded: Rc<LoadedMode>,
}

/// A target at the judged moment.
#[derive(Clone, Debug)]
pub(crate) struct KeptTarget {
    pub(crate) entity: EntityId,
    /// Who had the entity's seat; `None` for a monster.
    pub(crate) player: Option<PlayerId>,
    pub(crate) kind: EntityKind,
    pub(crate) stood: Pose,
    pub(crate) passed_m: f32,
    pub(crate) distance_m: f32,
    pub(crate) end: ShotEnd,
}

/// What a shot did to one target.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ShotEnd {
    Hit { zone: Option<u8>, amount: f32 },
    PassedBy,
    Spared(Spared),
}

impl KeptShot {
    pub(crate) fn is_refused(&self) -> bool {
        !self.verdict.outcome.is_accepted()
    }
}

/// Where shots are kept from: a tick that has just been run.
pub(super) struct Keeper<'a> {
    pub(super) scene: Scene<'a>,
    pub(super) judgement: &'a Judgement,
    pub(super) loaded: &'a Rc<LoadedMode>,
    pub(super) time_unix_ms: u64,
    pub(super) landed_ms: u64,
}

impl Keeper<'_> {
    /// `look_round`: whether to look for the targets it passed. `scratch` is used again.
    pub(super) fn keep(
        &self,
        player: &PlayerId,
        verdict: &Verdict,
        shot: &Shot,
        stamp: Option<ShotStamp>,
        players: impl Fn(EntityId) -> Option<PlayerId>,
        scratch: Option<&mut Vec<Pass>>,
    ) -> KeptShot {
        let claim = &shot.claim;
        let mode = self.scene.mode;
        let weapon = mode.weapons.get(verdict.weapon);
        let instant = weapon.filter(|weapon| weapon.kind == WeaponKind::Instant);
        let rays: Box<[Ray]> = match instant {
            Some(weapon) if !verdict.outcome.is_accepted() && scratch.is_some() => {
                Box::new([aimed(&self.scene, claim, weapon)])
            }
            _ => self.judgement.rays_of(verdict).into(),
        };
        let hits = self.judgement.hits_of(verdict);
        let mut none = Vec::new();
        let near = scratch.unwrap_or(&mut none);
        near.clear();
        if let Some(weapon) = instant.filter(|_| !rays.is_empty()) {
            passes(&self.scene, claim, verdict, weapon, &rays, near);
            near.retain(|pass| !hits.iter().any(|hit| hit.target == pass.target));
        }
        let mut targets = Vec::with_capacity(hits.len() + near.len());
        for hit in hits {
            let kind = self.scene.kind_of(hit.target).unwrap_or(EntityKind::Player);
            let middle = hit.stood.position_m() + Vec3::Y * middle_m(mode, kind).unwrap_or(0.0);
            let ray = rays.iter().find(|ray| ray.pellet == hit.pellet);
            let way = ray.map(|ray| way_past(claim, ray.end_m, middle));
            targets.push(KeptTarget {
                entity: hit.target,
                player: players(hit.target),
                kind,
                stood: hit.stood,
                passed_m: way.map_or(0.0, |way| way.passed_m),
                distance_m: hit.distance_m,
                end: ShotEnd::Hit { zone: hit.zone, amount: hit.amount },
            });
        }
        targets.extend(near.iter().map(|pass| KeptTarget {
            entity: pass.target,
            player: players(pass.target),
            kind: pass.kind,
            stood: pass.stood,
            passed_m: pass.passed_m,
            distance_m: pass.distance_m,
            end: pass.spared.map_or(ShotEnd::PassedBy, ShotEnd::Spared),
        }));
        KeptShot {
            time_unix_ms: self.time_unix_ms,
            landed_ms: self.landed_ms,
            player: player.clone(),
            claimed_life: shot.life,
            origin_m: claim.origin_m,
            direction: claim.direction,
            stamp,
            verdict: verdict.clone(),
            rays,
            targets: targets.into_boxed_slice(),
            loaded: self.loaded.clone(),
        }
    }
}

/// A player's last sixteen.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptShots(VecDeque<Rc<KeptShot>>);

impl KeptShots {
    pub(crate) fn keep(&mut self, shot: Rc<KeptShot>) {
        if self.0.len() >= SHOTS_KEPT {
            self.0.pop_front();
        }
        self.0.push_back(shot);
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Rc<KeptShot>> {
        self.0.iter()
    }
}

/// A room's refusals.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptRefusals(VecDeque<Rc<KeptShot>>);

impl KeptRefusals {
    pub(crate) fn keep(&mut self, shot: Rc<KeptShot>) {
        let oldest_ms = shot.landed_ms.saturating_sub(REFUSALS_KEPT_MS);
        while self.0.len() >= REFUSALS_KEPT
            || self.0.front().is_some_and(|first| first.landed_ms < oldest_ms)
        {
            self.0.pop_front();
        }
        self.0.push_back(shot);
    }

    pub(crate) fn of<'a>(
        &'a self,
        player: &'a PlayerId,
    ) -> impl DoubleEndedIterator<Item = &'a Rc<KeptShot>> {
        self.0.iter().filter(move |shot| shot.player == *player)
    }
}

impl RoomActor {
    /// Keeps each verdict of the last tick to be explained.
    pub(super) fn keep_verdicts(&mut self, unix_ms: u64) {
        let judgement = &self.out.judgement;
        let keeper = Keeper {
            scene: self.room.scene(),
            judgement,
            loaded: &self.loaded,
            time_unix_ms: unix_ms,
            landed_ms: self.clock.now_ms(),
        };
        for (index, verdict) in judgement.verdicts.iter().enumerate() {
            let shooter = usize::from(verdict.shooter.0);
            let Some(shot) = fairshot_relay::shot_of(&self.inbox, verdict) else { continue };
            let Some(Some(link)) = self.links.get(shooter) else { continue };
            let stamp = self
                .stamps
                .iter()
                .find(|stamp| stamp.entity == verdict.shooter && stamp.number == verdict.number);
            let scratch = (index < LOOKED_ROUND_MAX).then_some(&mut self.passes);
            let player_of = |entity: EntityId| {
                let link = self.links.get(usize::from(entity.0))?.as_ref()?;
                Some(link.player.clone())
            };
            let kept = keeper.keep(&link.player, verdict, shot, stamp.copied(), player_of, scratch);
            let kept = Rc::new(kept);
            if kept.is_refused() {
                self.refusals.keep(kept.clone());
            }
            if let Some(Some(link)) = self.links.get_mut(shooter) {
                link.shots.keep(kept);
            }
        }
        self.stamps.clear();
    }
}
