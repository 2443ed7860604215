//! What exists once the room took the player in: snapshots into the clock, the body and the screen;
//! frames and shots out.

use crate::arms::Arms;
use crate::body::Predictor;
use crate::clock::Clock;
use crate::doors::Doors;
use crate::outbox::Outbox;
use crate::screen::{Moment, Screen};
use crate::settings::GameSettings;
use crate::shots::{OwnShot, OwnShots, ShotFate};
use crate::trace::{Pull, Sight, look};
use crate::{CannotFire, Fire, Forgery, Stats};
use fairshot_mode::{Judge, Weapon, WeaponKind};
use fairshot_units::{EntityId, EntityState, Input, MessageNumber, ViewStep, WeaponId};
use fairshot_wire::snapshot::SnapshotReader;
use fairshot_wire::{DecodeError, Frame, Named, Shot, Welcome};
use fairshot_world::{Present, direction_of};
use glam::Vec3;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Of what a rule lets pass, so much is used where the line may add to it.
const RULE_PART: f32 = 0.95;

/// What exists once the room took the player in.
#[derive(Debug)]
pub(crate) struct Game {
    pub(crate) settings: Arc<GameSettings>,
    pub(crate) own: EntityId,
    pub(crate) reader: SnapshotReader,
    pub(crate) clock: Clock,
    pub(crate) screen: Screen,
    pub(crate) predictor: Predictor,
    pub(crate) doors: Doors,
    pub(crate) arms: Arms,
    pub(crate) outbox: Outbox,
    pub(crate) shots: OwnShots,
    pub(crate) team: u8,
    /// The last frame made, and where it looked.
    pub(crate) frame: Option<(MessageNumber, Input)>,
    /// A datagram has something new to say.
    pub(crate) fresh: bool,
    pub(crate) last_fired_us: BTreeMap<WeaponId, u64>,
}

impl Game {
    pub(crate) fn new(welcome: &Welcome, settings: Arc<GameSettings>, smooth: bool) -> Self {
        let mode = &settings.mode;
        Self {
            own: welcome.entity,
            reader: SnapshotReader::new(welcome.entity, welcome.tick),
            clock: Clock::new(
                welcome.tick,
                welcome.tick_hz,
                welcome.snapshot_every,
                mode.interpolation_delay_max_s,
            ),
            screen: Screen::new(welcome.snapshot_every, smooth),
            predictor: Predictor::new(welcome.life),
            doors: Doors::new(&settings, welcome.tick),
            arms: Arms::new(Arc::clone(&settings.catalogue), mode.ammunition),
            outbox: Outbox::default(),
            shots: OwnShots::default(),
            team: EntityState::NO_TEAM,
            frame: None,
            fresh: false,
            last_fired_us: BTreeMap::new(),
            settings,
        }
    }

    pub(crate) fn take_snapshot(
        &mut self,
        bytes: &[u8],
        now_us: u64,
        stats: &mut Stats,
    ) -> Result<(), DecodeError> {
        let newest = self.screen.newest();
        let snapshot = self.reader.read(bytes)?;
        stats.snapshots += 1;
        stats.snapshots_partial += u64::from(!snapshot.complete);
        self.clock.arrived(snapshot.tick, now_us);
        self.outbox.settle(&snapshot.acks);
        if newest.is_none_or(|newest| snapshot.tick.since(newest) > 0) {
            let movers = self.doors.after(snapshot.tick);
            let reconciled = self.predictor.reconcile(&snapshot.own, &self.settings, movers);
            self.predictor.heard(snapshot.tick);
            stats.corrections += u64::from(reconciled.off_m > 0.0);
            stats.correction_m_max = stats.correction_m_max.max(reconciled.off_m);
            stats.deaths += u64::from(reconciled.died);
            stats.respawns += u64::from(reconciled.respawned);
        }
        self.screen.insert(snapshot);
        Ok(())
    }

    pub(crate) fn moment(&self, now_us: u64) -> Option<Moment> {
        let wanted = match self.clock.view(now_us) {
            Some(view) => view,
            None => ViewStep::at(self.screen.newest()?),
        };
        self.screen.moment(wanted)
    }

    pub(crate) fn make_frame(
        &mut self,
        input: Input,
        firing: bool,
        now_us: u64,
        forgery: &Forgery,
    ) -> Option<MessageNumber> {
        self.clock.frame(now_us);
        let view = self.moment(now_us)?.step;
        self.screen.trim(view);
        let alive = self.predictor.body().is_some_and(|body| body.alive);
        let report = self.arms.frame(firing && alive);
        let input = Input { pitch: input.pitch.clamp(-16384, 16384), ..input };
        self.outbox.push_frame(Frame {
            number: report.number,
            life: report.life,
            revision: report.rev,
            input,
            view,
            held: forgery.held.unwrap_or(report.held),
            total: forgery.frozen_total.unwrap_or(report.total),
            clip: report.clip,
            firing: report.firing,
        });
        self.predictor.step(report.number, report.life, input, &self.settings);
        self.frame = Some((report.number, input));
        self.fresh = true;
        Some(report.number)
    }

    pub(crate) fn pull(
        &mut self,
        fire: Fire,
        now_us: u64,
        forgery: &Forgery,
    ) -> Result<OwnShot, CannotFire> {
        let (frame, input) = self.frame.ok_or(CannotFire::NotPlaying)?;
        let moment = self.moment(now_us).ok_or(CannotFire::NotPlaying)?;
        let body = *self.predictor.body().ok_or(CannotFire::NotPlaying)?;
        // The grant may be on its way still: until it is taken, a shot would be of the old life.
        let lives = body.alive && body.life == self.arms.life();
        if !lives && !forgery.any_state {
            return Err(CannotFire::Dead);
        }
        let settings = Arc::clone(&self.settings);
        let weapon = settings.catalogue.get(fire.weapon);
        let weapon = weapon.ok_or(CannotFire::Unknown(fire.weapon))?;
        self.check_trigger(weapon, now_us, forgery)?;
        if !forgery.any_lateness && self.would_be_refused(weapon) {
            return Err(CannotFire::HeldBack);
        }
        let report = if forgery.any_weapon {
            self.arms.fire_anyway(fire.weapon)
        } else {
            self.arms.fire(fire.weapon).ok_or(CannotFire::Ammo)?
        };
        self.last_fired_us.insert(fire.weapon, now_us);

        let eye = Vec3::new(0.0, settings.mode.body.eye_height_m, 0.0);
        let origin_m = forgery.origin_m.unwrap_or(body.state.position_m + eye);
        let direction = fire.direction.unwrap_or_else(|| direction_of(input.yaw, input.pitch));
        let pull = Pull { shooter: self.own, team: self.team, weapon, origin_m, direction };
        let sight = if weapon.kind == WeaponKind::Instant {
            let world = Present::new(&settings.world, self.predictor.movers());
            look(&self.screen, &moment, &settings, world, &pull)
        } else {
            Sight::default()
        };
        let seen = sight.hits(|hit| self.screen.lives_on(hit.target, hit.life));
        let names = if weapon.judge == Judge::Client {
            seen.iter().map(|hit| Named { pellet: hit.pellet, target: hit.target }).collect()
        } else {
            Vec::new()
        };
        let view = forgery.view.unwrap_or(moment.step);
        self.outbox.push_shot(Shot {
            number: report.number,
            life: report.life,
            revision: report.rev,
            weapon: fire.weapon,
            total: forgery.frozen_total.unwrap_or(report.total),
            frame,
            view,
            origin_m,
            direction,
            names,
        });
        self.fresh = true;
        Ok(OwnShot {
            number: report.number,
            weapon: fire.weapon,
            view,
            seen,
            fate: ShotFate::Waiting,
            sight,
        })
    }

    /// Whether a shot that leaves now might be refused for nothing but the line: it stalls, and if it goes on
    /// to, the room will drop the frames that it holds back. Then the shot is judged with the body where
    /// it stood before them, and lands together with those fired since.
    fn would_be_refused(&self, weapon: &Weapon) -> bool {
        let Some(late) = self.predictor.held_back() else { return false };
        let size = &self.settings.mode.body;
        let eye_over_middle_m = Vec3::Y * (size.eye_height_m - size.height_m * 0.5).abs();
        let rules = &weapon.rules;
        let off_m = (late.way_m + eye_over_middle_m).length();
        let is_far = |limit_m: f32| off_m > limit_m * RULE_PART;
        if rules.origin.is_some_and(|origin| is_far(origin.metres)) {
            return true;
        }
        let Some(rate) = rules.rate else { return false };
        let hers = self.outbox.shots().iter().filter(|shot| shot.weapon == weapon.id);
        let waiting = hers.filter(|shot| shot.number > late.since).count();
        let hz = f32::from(self.settings.mode.tick_hz.max(1));
        #[expect(clippy::cast_precision_loss, reason = "frames and shots of a few seconds")]
        let (late_s, waiting) = (late.frames as f32 / hz, waiting as f32);
        let allowance = (weapon.shots_per_second * rate.stall_s + 1.0).max(2.0);
        late_s > rate.stall_s * RULE_PART && waiting + 1.0 > allowance.floor()
    }

    fn check_trigger(
        &self,
        weapon: &Weapon,
        now_us: u64,
        forgery: &Forgery,
    ) -> Result<(), CannotFire> {
        if !matches!(weapon.kind, WeaponKind::Instant | WeaponKind::Projectile) {
            return Err(CannotFire::Kind(weapon.id));
        }
        if !self.outbox.has_room_for_a_shot() {
            return Err(CannotFire::Unanswered);
        }
        if forgery.any_rate {
            return Ok(());
        }
        let Some(last_us) = self.last_fired_us.get(&weapon.id) else { return Ok(()) };
        let since_s = std::time::Duration::from_micros(now_us.saturating_sub(*last_us));
        if since_s.as_secs_f32() * weapon.shots_per_second < 1.0 {
            return Err(CannotFire::Rate);
        }
        Ok(())
    }
}
