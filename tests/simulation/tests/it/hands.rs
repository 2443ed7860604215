//! A player who fires every weapon she has in turn, with an unsteady hand, and jumps and strafes at whim.

use fairshot_bots::Mood;
use fairshot_client_core::{Fire, PlayerClient};
use fairshot_simulation::Hands;
use fairshot_units::{Buttons, EntityKind, Input, WeaponId, quantise_pitch, quantise_yaw};
use glam::Vec3;

pub struct Unsteady {
    luck: u64,
    weapons: Vec<WeaponId>,
    wish: (i8, i8),
    wait: u64,
}

impl Unsteady {
    pub fn new(seed: u64, weapons: &[u8]) -> Self {
        let weapons = weapons.iter().map(|id| WeaponId(*id)).collect();
        Self { luck: seed, weapons, wish: (127, 0), wait: 0 }
    }

    /// SplitMix64.
    fn below(&mut self, below: u64) -> u64 {
        self.luck = self.luck.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.luck;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % below
    }

    fn sway(&mut self) -> f32 {
        (self.below(2001) as f32 / 1000.0 - 1.0) * 0.5
    }

    fn input(&mut self, client: &PlayerClient, now_us: u64) -> (Input, bool) {
        if self.wait == 0 {
            self.wait = 10 + self.below(60);
            let mut axis = || [127, 0, -127][self.below(3) as usize];
            self.wish = (axis(), axis());
        }
        self.wait -= 1;
        let mut input = Input { forward: self.wish.0, right: self.wish.1, ..Input::default() };
        if self.below(100) < 2 {
            input.buttons = Buttons::JUMP;
        }
        let Some(body) = client.body() else { return (input, false) };
        let eye_m = body.state.position_m + Vec3::new(0.0, 1.6, 0.0);
        let far = |at_m: Vec3| at_m.distance_squared(eye_m);
        let target = client
            .drawn(now_us)
            .into_iter()
            .filter(|drawn| drawn.state.alive)
            .filter(|drawn| !matches!(drawn.state.kind, EntityKind::Projectile(_)))
            .min_by(|a, b| far(a.pose.position_m).total_cmp(&far(b.pose.position_m)));
        let Some(target) = target else { return (input, false) };
        // About its chest, so that some shots miss and some hit the head.
        let chest_m = target.pose.position_m + Vec3::new(0.0, 1.2, 0.0);
        let at_m = chest_m + Vec3::new(self.sway(), self.sway(), self.sway());
        let way = (at_m - eye_m).normalize_or(Vec3::NEG_Z);
        input.yaw = quantise_yaw((-way.x).atan2(-way.z));
        input.pitch = quantise_pitch(way.y.asin());
        (input, true)
    }
}

impl Hands for Unsteady {
    fn play(&mut self, client: &mut PlayerClient, mood: Mood, now_us: u64) {
        while client.frame_due(now_us) {
            let (input, aims) = self.input(client, now_us);
            client.frame(input, false, now_us);
            if aims && mood == Mood::Fighting && self.below(100) < 30 {
                let at = self.below(self.weapons.len() as u64) as usize;
                let weapon = self.weapons[at];
                // Not every weapon of the list is loaded, ready or hers.
                let _ = client.fire(Fire { weapon, direction: None }, now_us);
            }
        }
    }
}
