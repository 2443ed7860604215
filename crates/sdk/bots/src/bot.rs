//! One player's head: looks at its screen, moves, aims, fires.

use crate::chance::Chance;
use crate::cheat::Cheat;
use crate::target::{self, Target};
use fairshot_client_core::{Fire, Forgery, PlayerClient};
use fairshot_mode::{Weapon, WeaponKind};
use fairshot_units::{Buttons, EntityState, Input, WeaponId, quantise_pitch, quantise_yaw};
use glam::Vec3;

/// Whether a bot fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    Fighting,
    /// Moves about and fires nothing.
    Peaceful,
    /// Stands still and fires nothing.
    Silent,
}

/// A player without hands. See the crate's head.
#[derive(Clone, Debug)]
pub struct Bot {
    chance: Chance,
    cheat: Option<Cheat>,
    lying: bool,
    heading_rad: f32,
    turn_in_frames: u32,
    strafe: i8,
    strafe_in_frames: u32,
    frames: u64,
    fire_at_frame: u64,
    target: Option<Target>,
}

/// Frames made in one turn at the most; a client that fell further behind lets the rest go.
const FRAMES_PER_TURN_MAX: u32 = 4;
/// A bot nearer to its target than this backs off, and further than that it closes in.
const NEAR_M: f32 = 5.0;
const FAR_M: f32 = 14.0;
/// Aiming is that good: metres off at the target, at the most.
const AIM_OFF_M: f32 = 0.12;
/// Beside its target stands a cheat that far.
const BESIDE_M: f32 = 1.2;
/// And it does so only where that is clearly further than any body may be off.
const TELEPORT_MIN_M: f32 = 6.0;
/// From past a wall fires a cheat that far before its eye, which the origin's rule lets pass.
const PAST_COVER_M: f32 = 2.0;
/// A cheat that fires too fast pulls the trigger every third frame.
const RAPID_FRAMES: u64 = 3;

impl Bot {
    #[must_use]
    pub fn new(seed: u64, cheat: Option<Cheat>) -> Self {
        let mut chance = Chance::new(seed);
        let heading_rad = chance.between(0.0, std::f32::consts::TAU);
        Self {
            chance,
            cheat,
            lying: false,
            heading_rad,
            turn_in_frames: 0,
            strafe: 0,
            strafe_in_frames: 0,
            frames: 0,
            fire_at_frame: 0,
            target: None,
        }
    }

    #[must_use]
    pub fn cheat(&self) -> Option<Cheat> {
        self.cheat
    }

    /// Makes the frames that are due and fires as it sees fit.
    pub fn play(&mut self, client: &mut PlayerClient, mood: Mood, now_us: u64) {
        self.begin_lying(client);
        for _ in 0..FRAMES_PER_TURN_MAX {
            if !client.frame_due(now_us) {
                return;
            }
            self.frames += 1;
            self.look(client, mood, now_us);
            let input = self.input(client, mood);
            if client.frame(input, false, now_us).is_none() {
                return;
            }
            if self.cheat == Some(Cheat::Speed) {
                client.frame(input, false, now_us);
            }
            if mood == Mood::Fighting && self.frames >= self.fire_at_frame {
                self.shoot(client, now_us);
            }
        }
    }

    fn begin_lying(&mut self, client: &mut PlayerClient) {
        let Some(cheat) = self.cheat.filter(|_| !self.lying) else { return };
        let Some(settings) = client.settings().cloned() else { return };
        client.forge(cheat.forgery());
        if let Some(liar) = cheat.liar(&settings) {
            client.forge_with(liar);
        }
        self.lying = true;
    }

    /// Looks for a target every few frames; what it sees stands on its own screen.
    fn look(&mut self, client: &PlayerClient, mood: Mood, now_us: u64) {
        if mood != Mood::Fighting || !self.frames.is_multiple_of(2) {
            return;
        }
        let (Some(settings), Some(body)) = (client.settings(), client.body()) else { return };
        let Some(weapon) = self.weapon(client) else {
            self.target = None;
            return;
        };
        let eye_m = body.state.position_m + Vec3::Y * settings.mode.body.eye_height_m;
        let nearest_m =
            if self.cheat == Some(Cheat::TeleportOrigin) { TELEPORT_MIN_M } else { 0.5 };
        let team = client
            .newest_states()
            .iter()
            .find(|state| Some(state.id) == client.entity())
            .map_or(EntityState::NO_TEAM, |state| state.team);
        let within_m = nearest_m..weapon.range_m * 0.9;
        let hidden = self.cheat.is_some_and(Cheat::wants_hidden);
        let drawn = client.drawn(now_us);
        self.target = target::nearest(&drawn, eye_m, team, within_m, hidden, settings);
    }

    fn input(&mut self, client: &PlayerClient, mood: Mood) -> Input {
        let Some(body) = client.body() else { return Input::default() };
        if mood == Mood::Silent {
            return Input { yaw: body.state.yaw, pitch: body.state.pitch, ..Input::default() };
        }
        if self.strafe_in_frames == 0 {
            self.strafe_in_frames = 20 + (self.chance.unit() * 60.0) as u32;
            self.strafe = if self.chance.one_in(2) { 127 } else { -127 };
        }
        self.strafe_in_frames -= 1;
        let mut buttons = Buttons::default();
        if self.chance.one_in(180) {
            buttons = buttons.with(Buttons::JUMP);
        }
        if let Some(target) = self.target {
            let to = target.at_m - body.state.position_m;
            let yaw_rad = (-to.x).atan2(-to.z);
            let forward = match target.distance_m {
                near if near < NEAR_M => -90,
                far if far > FAR_M => 127,
                _ => 30,
            };
            self.heading_rad = yaw_rad;
            return Input {
                forward,
                right: self.strafe,
                buttons,
                yaw: quantise_yaw(yaw_rad),
                pitch: quantise_pitch(to.y.atan2(to.x.hypot(to.z))),
            };
        }
        if self.turn_in_frames == 0 {
            self.turn_in_frames = 30 + (self.chance.unit() * 120.0) as u32;
            self.heading_rad += self.chance.between(-1.8, 1.8);
        }
        self.turn_in_frames -= 1;
        Input {
            forward: 127,
            right: self.strafe / 3,
            buttons,
            yaw: quantise_yaw(self.heading_rad),
            pitch: 0,
        }
    }

    fn shoot(&mut self, client: &mut PlayerClient, now_us: u64) {
        let (Some(target), Some(body)) = (self.target, client.body()) else { return };
        if !body.alive && self.cheat != Some(Cheat::DeadFire) {
            return;
        }
        let Some(settings) = client.settings().cloned() else { return };
        let eye_height_m = settings.mode.body.eye_height_m;
        let feet_m = body.state.position_m;
        let Some(weapon) = self.weapon(client) else { return };
        let (id, rate) = (weapon.id, weapon.shots_per_second);
        let mut origin_m = feet_m + Vec3::Y * eye_height_m;
        let towards = (target.at_m - origin_m).normalize_or_zero();
        let elsewhere_m = match self.cheat {
            Some(Cheat::TeleportOrigin) => Some(target.at_m - towards * BESIDE_M),
            Some(Cheat::OriginPastCover) => Some(origin_m + towards * PAST_COVER_M),
            _ => None,
        };
        if let Some(elsewhere_m) = elsewhere_m {
            origin_m = elsewhere_m;
            client.forge(Forgery { origin_m: Some(origin_m), ..Forgery::default() });
        }
        let off = Vec3::new(
            self.chance.between(-AIM_OFF_M, AIM_OFF_M),
            self.chance.between(-AIM_OFF_M, AIM_OFF_M),
            self.chance.between(-AIM_OFF_M, AIM_OFF_M),
        );
        let Some(direction) = (target.at_m + off - origin_m).try_normalize() else { return };
        if client.fire(Fire { weapon: id, direction: Some(direction) }, now_us).is_ok() {
            self.fire_at_frame = self.frames + self.pause_frames(rate);
        }
    }

    /// Frames until the next shot: the weapon's own pace, a little slower at whim.
    fn pause_frames(&mut self, shots_per_second: f32) -> u64 {
        if matches!(self.cheat, Some(Cheat::RapidFire | Cheat::SwappedRapidFire)) {
            return RAPID_FRAMES;
        }
        let frames = 64.0 / shots_per_second.max(0.1);
        (frames * self.chance.between(1.02, 1.2)).ceil() as u64
    }

    /// The weapon to fire: the one in hand if it fires at once, else the first such weapon owned.
    fn weapon<'a>(&self, client: &'a PlayerClient) -> Option<&'a Weapon> {
        let settings = client.settings()?;
        let weapons = &settings.mode.weapons;
        if self.cheat == Some(Cheat::Unowned) {
            return weapons.get(Cheat::unowned_weapon(settings)?);
        }
        let fires = |id: WeaponId| {
            let weapon = weapons.get(id)?;
            let loaded = client.rounds(id).is_some_and(|rounds| rounds > 0);
            (weapon.kind == WeaponKind::Instant && loaded).then_some(weapon)
        };
        if self.cheat == Some(Cheat::SwappedRapidFire) {
            let all: Vec<_> = weapons.weapons().iter().filter_map(|w| fires(w.id)).collect();
            let turn = usize::try_from(self.frames).unwrap_or(0).checked_rem(all.len())?;
            return Some(all[turn]);
        }
        fires(client.held())
            .or_else(|| weapons.weapons().iter().find_map(|weapon| fires(weapon.id)))
    }
}
