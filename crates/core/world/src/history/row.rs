//! The columns of a row: a coarse place for the cull, the pose, and what else was sent.

use crate::shapes::{kind_of, shape_of};
use fairshot_mode::Bounds;
use fairshot_units::{
    EntityId, EntityState, Life, POSITION_STEPS_PER_M, Pose, WeaponId, quantise_m,
};

/// Sixteen entities of a row: their coarse places in one cache line, their poses in the next five. What a
/// trace reads of an entity lies right behind what the cull read of it.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Block {
    pub(super) xs: [i16; Self::WIDTH],
    pub(super) zs: [i16; Self::WIDTH],
    pub(super) poses: [PoseRow; Self::WIDTH],
}

impl Block {
    pub(super) const WIDTH: usize = 16;

    /// Nobody.
    pub(super) const EMPTY: Self = Self {
        xs: [NOWHERE; Self::WIDTH],
        zs: [NOWHERE; Self::WIDTH],
        poses: [PoseRow::ABSENT; Self::WIDTH],
    };
}

/// Where one entity was; what a shot's judge reads of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PoseRow {
    pub(super) pose: Pose,
    pub(super) life: u16,
    flags: u8,
    pub(super) shape: u8,
}

const PRESENT: u8 = 1;
const ALIVE: u8 = 2;
const TELEPORTED: u8 = 4;

impl PoseRow {
    pub(super) const ABSENT: Self =
        Self { pose: Pose { position: [0; 3], yaw: 0, pitch: 0 }, life: 0, flags: 0, shape: 0 };

    /// `None` for what is no target.
    pub(super) fn new(state: &EntityState) -> Option<Self> {
        let shape = shape_of(state.kind)?;
        Some(Self::of_parts(state.pose, state.life.0, shape, state.alive, state.teleported))
    }

    pub(super) fn of_parts(
        pose: Pose,
        life: u16,
        shape: u8,
        alive: bool,
        teleported: bool,
    ) -> Self {
        let alive = if alive { ALIVE } else { 0 };
        let teleported = if teleported { TELEPORTED } else { 0 };
        Self { pose, life, flags: PRESENT | alive | teleported, shape }
    }

    pub(super) fn present(self) -> bool {
        self.flags & PRESENT != 0
    }

    pub(super) fn alive(self) -> bool {
        self.flags & ALIVE != 0
    }

    /// Whether this pose may be drawn from that older one.
    pub(super) fn follows(self, older: Self) -> bool {
        older.present() && self.same_life(older) && self.flags & TELEPORTED == 0
    }

    pub(super) fn same_life(self, other: Self) -> bool {
        self.life == other.life && self.present() && other.present()
    }

    /// Whether both are of one life, and alive.
    #[inline(always)]
    pub(super) fn same_living(self, other: Self) -> bool {
        const BOTH: u8 = PRESENT | ALIVE;
        self.life == other.life && self.flags & other.flags & BOTH == BOTH
    }

    pub(super) fn teleported(self) -> bool {
        self.flags & TELEPORTED != 0
    }

    pub(super) fn mark_teleported(&mut self) {
        self.flags |= TELEPORTED;
    }
}

/// The rest of what was sent of an entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TraitsRow {
    pub(super) traits: u32,
    pub(super) health_eighths: u16,
    pub(super) held: u8,
    pub(super) team: u8,
}

impl TraitsRow {
    pub(super) fn new(state: &EntityState) -> Self {
        Self {
            traits: state.traits,
            health_eighths: state.health_eighths,
            held: state.held.0,
            team: state.team,
        }
    }
}

/// The two halves of a record, put together again.
pub(super) fn state(id: EntityId, pose: PoseRow, traits: TraitsRow) -> EntityState {
    EntityState {
        id,
        kind: kind_of(pose.shape),
        life: Life(pose.life),
        pose: pose.pose,
        health_eighths: traits.health_eighths,
        alive: pose.alive(),
        teleported: pose.teleported(),
        held: WeaponId(traits.held),
        team: traits.team,
        traits: traits.traits,
    }
}

/// The coarse grid the cull reads: 16 bits an axis over the arena, 1/256 m where that is enough.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    middle: [i32; 2],
    shift: u32,
}

/// Where the cull finds nobody.
pub(super) const NOWHERE: i16 = i16::MIN;

impl Grid {
    pub(super) fn new(bounds: &Bounds) -> Self {
        let low = [quantise_m(bounds.min_m.x), quantise_m(bounds.min_m.z)];
        let high = [quantise_m(bounds.max_m.x), quantise_m(bounds.max_m.z)];
        let middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
        let half = (high[0] - middle[0]).max(high[1] - middle[1]).max(1);
        let mut shift = 0;
        while half >> shift > 32_000 {
            shift += 1;
        }
        Self { middle, shift }
    }

    #[expect(clippy::cast_possible_truncation, reason = "held to 16 bits just before")]
    pub(super) fn place(self, position: [i32; 3]) -> (i16, i16) {
        // Places lie within 2^24 steps, and so do middles.
        let coarse = |steps: i32, middle: i32| {
            (steps.wrapping_sub(middle) >> self.shift).clamp(-32_700, 32_700) as i16
        };
        (coarse(position[0], self.middle[0]), coarse(position[2], self.middle[1]))
    }

    /// A place in metres, in coarse units.
    #[expect(clippy::cast_precision_loss, reason = "the middle lies within 2^24 steps")]
    pub(super) fn point(self, x_m: f32, z_m: f32) -> (f32, f32) {
        let scale = self.per_metre();
        let middle = |axis: usize| self.middle[axis] as f32 / POSITION_STEPS_PER_M;
        ((x_m - middle(0)) * scale, (z_m - middle(1)) * scale)
    }

    #[expect(clippy::cast_precision_loss, reason = "a power of two")]
    pub(super) fn per_metre(self) -> f32 {
        POSITION_STEPS_PER_M / (1u32 << self.shift) as f32
    }
}
