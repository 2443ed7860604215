//! A player's hands: runs, strafes, jumps, and shoots what she sees on her own screen.

use crate::link::Rng;
use fairshot_client_core::{ClientEvent, Fire, PlayerClient};
use fairshot_units::{Buttons, EntityKind, Input, WeaponId, quantise_pitch, quantise_yaw};
use glam::Vec3;

pub struct Bot {
    pub client: PlayerClient,
    pub rng: Rng,
    /// Shoots with these, in turn.
    pub weapons: Vec<WeaponId>,
    pub shoots: bool,
    /// Its game loop runs.
    pub plays: bool,
    pub events: Vec<ClientEvent>,
    /// Its clock gains so many microseconds a second, and began at a time of its own.
    pub clock_gains_ppm: i64,
    /// Keep the events polled.
    pub keeps_events: bool,
    wish: (i8, i8),
    wait: u64,
}

impl Bot {
    pub fn new(client: PlayerClient, seed: u64, weapons: &[u8]) -> Self {
        Self {
            client,
            rng: Rng(seed),
            weapons: weapons.iter().map(|id| WeaponId(*id)).collect(),
            shoots: true,
            plays: true,
            clock_gains_ppm: 0,
            events: Vec::new(),
            keeps_events: false,
            wish: (127, 0),
            wait: 0,
        }
    }

    pub fn local_us(&self, room_us: u64) -> u64 {
        let gained = room_us.cast_signed() * self.clock_gains_ppm / 1_000_000;
        room_us.wrapping_add_signed(gained) + 77_777_777
    }

    /// Makes the frames due, and shoots in some.
    pub fn play(&mut self, now_us: u64) {
        while self.client.frame_due(now_us) {
            let (input, aims) = self.hands(now_us);
            self.client.frame(input, false, now_us);
            if aims && self.shoots && self.rng.chance(30) {
                let weapon = self.weapons[self.rng.below(self.weapons.len() as u64) as usize];
                let _ = self.client.fire(Fire { weapon, direction: None }, now_us);
            }
        }
        while let Some(event) = self.client.poll_event().unwrap() {
            if self.keeps_events {
                self.events.push(event);
            }
        }
    }

    fn hands(&mut self, now_us: u64) -> (Input, bool) {
        if self.wait == 0 {
            self.wait = 10 + self.rng.below(60);
            let axis = |rng: &mut Rng| [127, 0, -127][rng.below(3) as usize];
            self.wish = (axis(&mut self.rng), axis(&mut self.rng));
        }
        self.wait -= 1;
        let mut input = Input { forward: self.wish.0, right: self.wish.1, ..Input::default() };
        if self.rng.chance(2) {
            input.buttons = Buttons::JUMP;
        }
        let Some(body) = self.client.body() else { return (input, false) };
        let eye_m = body.state.position_m + Vec3::new(0.0, 1.6, 0.0);
        let target = self
            .client
            .drawn(now_us)
            .into_iter()
            .filter(|drawn| {
                drawn.state.alive && !matches!(drawn.state.kind, EntityKind::Projectile(_))
            })
            .min_by(|a, b| {
                let far = |at: Vec3| at.distance_squared(eye_m);
                far(a.pose.position_m).total_cmp(&far(b.pose.position_m))
            });
        let Some(target) = target else { return (input, false) };
        // Aims about its chest with an unsteady hand, so that some shots miss and some hit the head.
        let sway = |rng: &mut Rng| (rng.below(2001) as f32 / 1000.0 - 1.0) * 0.5;
        let at_m = target.pose.position_m
            + Vec3::new(sway(&mut self.rng), 1.2 + sway(&mut self.rng), sway(&mut self.rng));
        let way = (at_m - eye_m).normalize_or(Vec3::NEG_Z);
        input.yaw = quantise_yaw((-way.x).atan2(-way.z));
        input.pitch = quantise_pitch(way.y.asin());
        (input, true)
    }
}
