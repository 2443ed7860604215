//! Where an entity should be by now: on the straight line through two places both sides know.

use fairshot_units::Pose;

/// How far along the way between two known snapshots the present lies, in 65536ths of that way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ahead(i64);

impl Ahead {
    /// `since_ticks` after the newer place, which is `way_ticks` (at least 1) after the older one.
    pub(super) fn new(since_ticks: u32, way_ticks: u32) -> Self {
        Self((i64::from(since_ticks) << 16) / i64::from(way_ticks.max(1)))
    }

    #[inline]
    fn of(self, way: i64) -> i64 {
        (way * self.0 + 0x8000) >> 16
    }
}

/// Where the line from `older` through `newer` leads. Only a player's turn goes on as it went: what
/// else moves faces the way it goes and turns in steps.
#[inline]
pub(super) fn predict(newer: Pose, older: Pose, ahead: Ahead, turns: bool) -> Pose {
    let mut position = newer.position;
    for (axis, older) in position.iter_mut().zip(older.position) {
        let there = i64::from(*axis) + ahead.of(i64::from(*axis) - i64::from(older));
        *axis = i32::try_from(there).unwrap_or(*axis);
    }
    if !turns {
        return Pose { position, ..newer };
    }
    let turned = newer.yaw.wrapping_sub(older.yaw).cast_signed();
    let raised = newer.pitch.wrapping_sub(older.pitch);
    Pose {
        position,
        yaw: newer.yaw.wrapping_add(low_16(ahead.of(i64::from(turned)))),
        pitch: newer.pitch.wrapping_add(low_16(ahead.of(i64::from(raised))).cast_signed()),
    }
}

#[inline]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "turns wrap")]
fn low_16(value: i64) -> u16 {
    value as u16
}
