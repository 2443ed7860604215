//! Which entities go first when not all fit: the near, the ones in view, and those that waited.

use fairshot_units::{EntityKind, EntityState, Pose};

/// Where a player is and looks, for choosing what she is sent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Viewer {
    pub pose: Pose,
}

/// Snapshots an entity may go unsent before it goes first whatever it is: a quarter of a second at
/// 32 a second, so that everything is seen twice in each half second while it all fits in eight.
const OVERDUE_SNAPSHOTS: u32 = 8;
/// Distance in metres at which an entity weighs half of what it does close by.
const HALF_WEIGHT_M: f32 = 16.0;
/// Cosine of half the angle that counts as in view: 60 degrees.
const IN_VIEW_COSINE: f32 = 0.5;

impl Viewer {
    /// Higher goes first. `waited` is snapshots since the entity last went to this player.
    pub(super) fn rank(&self, state: &EntityState, waited: u32) -> u64 {
        if waited >= OVERDUE_SNAPSHOTS {
            return 1 << 48 | u64::from(waited);
        }
        u64::from(waited + 1) * u64::from(self.weight(state))
    }

    /// 1 to 512.
    fn weight(&self, state: &EntityState) -> u32 {
        let way_m = state.pose.position_m() - self.pose.position_m();
        let distance_m = way_m.length();
        let (sine, cosine) = self.pose.yaw_rad().sin_cos();
        let along_m = -way_m.x * sine - way_m.z * cosine;
        let mut weight = 128.0 * HALF_WEIGHT_M / (HALF_WEIGHT_M + distance_m);
        if along_m >= IN_VIEW_COSINE * distance_m {
            weight *= 2.0;
        }
        if state.kind == EntityKind::Player {
            weight *= 2.0;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 512")]
        let whole = weight as u32;
        whole.clamp(1, 512)
    }
}
