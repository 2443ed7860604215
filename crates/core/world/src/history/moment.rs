//! A view step found in the history: the two rows around it, looked up once for many reads.

use super::row::{PoseRow, state};
use super::{History, PastPose, blend};
use fairshot_units::{EntityId, EntityState, Life, Tick, ViewStep};

/// Why a past moment, or an entity at it, cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RewindError {
    #[error("the step lies after the newest tick")]
    Future,
    #[error("the step lies more than a second before the newest tick")]
    Expired,
    #[error("nothing of that life was recorded at the step")]
    Unavailable,
}

impl RewindError {
    /// A short name that stays the same.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Future => "future",
            Self::Expired => "expired",
            Self::Unavailable => "unavailable",
        }
    }
}

/// A view step's place in the history. Reads of many entities share one.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    pub(super) history: &'a History,
    pub(super) older: usize,
    pub(super) newer: usize,
    /// How far from the older row to the newer one, 0 where they are the same.
    pub(super) fraction: f32,
    pub(super) present: usize,
}

impl History {
    /// Finds a view step. Starts loading what a trace there reads, so ask for it before other work.
    ///
    /// # Errors
    /// [`RewindError`]: the step lies ahead of the newest tick, more than a second behind it, or
    /// before anything was recorded.
    pub fn moment(&self, at: ViewStep) -> Result<Moment<'_>, RewindError> {
        let newest = self.newest_tick().ok_or(RewindError::Unavailable)?;
        let back = newest.since(at.tick);
        if back < 0 || (back == 0 && at.fraction > 0) {
            return Err(RewindError::Future);
        }
        if back.cast_unsigned() > self.tick_hz {
            return Err(RewindError::Expired);
        }
        let found = self.rows_round(at).ok_or(RewindError::Unavailable)?;
        let present = self.newest_row();
        let Rows { older, newer, fraction } = found;
        let moment = Moment { history: self, older, newer, fraction, present };
        moment.prefetch();
        Ok(moment)
    }

    /// The newest tick itself: the present, for what is not rewound.
    ///
    /// # Errors
    /// [`RewindError::Unavailable`] before the first record.
    pub fn present(&self) -> Result<Moment<'_>, RewindError> {
        self.moment(ViewStep::at(self.newest_tick().ok_or(RewindError::Unavailable)?))
    }

    /// The rows of the ticks around a step that is neither ahead nor expired.
    fn rows_round(&self, at: ViewStep) -> Option<Rows> {
        let part = at.fraction_f32();
        let since = at.tick.since(self.newest_tick);
        if since >= 0 {
            // Ticks after the newest snapshot stand as they are.
            let row = |tick: usize| if tick == 0 { self.newest } else { self.ring + tick - 1 };
            let tick = usize::try_from(since).ok()?;
            let newer = row(tick + usize::from(at.fraction > 0));
            return Some(Rows { older: row(tick), newer, fraction: part });
        }
        let back = since.unsigned_abs().div_ceil(self.snapshot_every);
        let (back, past, span) = if (back as usize) < self.even {
            (back as usize, back * self.snapshot_every - since.unsigned_abs(), self.snapshot_every)
        } else {
            // Round the counter's wrap and before the second snapshot the ticks themselves decide.
            let tick = |back: usize| self.ticks[self.snapshot_row(back)];
            let back = (1..self.snapshots).find(|back| at.tick.since(tick(*back)) >= 0)?;
            let older = tick(back);
            let since = |tick: Tick| tick.since(older).unsigned_abs();
            (back, since(at.tick), since(tick(back - 1)))
        };
        let older = self.snapshot_row(back);
        if past == 0 && at.fraction == 0 {
            return Some(Rows { older, newer: older, fraction: 0.0 });
        }
        #[expect(clippy::cast_precision_loss, reason = "at most 16 ticks")]
        let fraction = (past as f32 + part) / span as f32;
        Some(Rows { older, newer: self.snapshot_row(back - 1), fraction })
    }
}

/// Two rows and the way between them.
struct Rows {
    older: usize,
    newer: usize,
    fraction: f32,
}

impl Moment<'_> {
    /// An entity as a screen showed it at this moment.
    ///
    /// # Errors
    /// [`RewindError::Unavailable`] where the entity is not in the room now, or its present life was
    /// not there then.
    pub fn place(&self, entity: EntityId) -> Result<PastPose, RewindError> {
        let id = usize::from(entity.0);
        let (older, newer) = self.seen(id).ok_or(RewindError::Unavailable)?;
        let history = self.history;
        let sent = state(entity, newer.pose, history.traits(newer.row, id));
        Ok(PastPose {
            pose: blend(older.pose.pose, newer.pose.pose, self.blend_of(older, newer)),
            kind: sent.kind,
            life: sent.life,
            alive: sent.alive,
            health_eighths: sent.health_eighths,
            held: sent.held,
            team: sent.team,
            traits: sent.traits,
        })
    }

    /// The entity's life now, where it is in the room.
    #[must_use]
    pub fn life_now(&self, entity: EntityId) -> Option<Life> {
        let row = self.pose(self.present, usize::from(entity.0));
        row.present().then_some(Life(row.life))
    }

    /// Every entity of the newest send at or after this moment, in id order.
    pub fn states(&self) -> impl Iterator<Item = EntityState> + '_ {
        let (history, row) = (self.history, self.newer);
        (0..history.width()).filter_map(move |id| {
            let pose = self.pose(row, id);
            let entity = EntityId(u16::try_from(id).ok()?);
            pose.present().then(|| state(entity, pose, history.traits(row, id)))
        })
    }

    /// The tick of the newer of the two sends.
    #[must_use]
    pub fn newer_tick(&self) -> Tick {
        self.history.ticks[self.newer]
    }

    /// The two poses between which the entity is drawn; both the same where nothing is blended.
    /// `None` where its present life was not there.
    #[inline]
    pub(super) fn seen(&self, id: usize) -> Option<(Sent, Sent)> {
        let older = Sent { row: self.older, pose: self.pose(self.older, id) };
        let newer = Sent { row: self.newer, pose: self.pose(self.newer, id) };
        let (older, newer) = if newer.pose.follows(older.pose) {
            (older, newer)
        } else {
            let nearer = if self.nearer() == self.older { older } else { newer };
            (nearer, nearer)
        };
        let now = self.pose(self.present, id);
        newer.pose.same_life(now).then_some((older, newer))
    }

    /// The row a screen stood closer to.
    pub(super) fn nearer(&self) -> usize {
        if self.fraction < 0.5 { self.older } else { self.newer }
    }

    pub(super) fn blend_of(&self, older: Sent, newer: Sent) -> f32 {
        if older.row == newer.row { 0.0 } else { self.fraction }
    }

    #[inline]
    pub(super) fn pose(&self, row: usize, id: usize) -> PoseRow {
        self.history.pose(row, id)
    }
}

/// One row's pose of an entity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) row: usize,
    pub(super) pose: PoseRow,
}
