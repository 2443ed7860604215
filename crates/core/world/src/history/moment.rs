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
        let (older, newer) = self.rows_round(at).ok_or(RewindError::Unavailable)?;
        let fraction = if older == newer {
            0.0
        } else {
            let from = ViewStep::at(self.heads[older].tick);
            let span = self.heads[newer].tick.since(from.tick);
            #[expect(clippy::cast_possible_truncation, reason = "within 0 to 1")]
            let fraction = (at.since(from) / f64::from(span)) as f32;
            fraction
        };
        let moment = Moment { history: self, older, newer, fraction, present: self.newest_row() };
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
    fn rows_round(&self, at: ViewStep) -> Option<(usize, usize)> {
        let since = at.tick.since(self.newest_tick);
        if since >= 0 {
            // Ticks after the newest snapshot stand as they are.
            let row = |tick: usize| if tick == 0 { self.newest } else { self.ring + tick - 1 };
            let tick = usize::try_from(since).ok()?;
            return Some((row(tick), row(tick + usize::from(at.fraction > 0))));
        }
        // How many snapshots back if all lie evenly, which only the counter's wrap and the first
        // record break; the ticks found decide.
        let back = since.unsigned_abs().div_ceil(self.snapshot_every) as usize;
        let even = back < self.snapshots && self.holds(back, at);
        let back =
            if even { back } else { (1..self.snapshots).find(|back| self.holds(*back, at))? };
        let older = self.snapshot_row(back);
        if self.heads[older].tick == at.tick && at.fraction == 0 {
            return Some((older, older));
        }
        Some((older, self.snapshot_row(back - 1)))
    }

    /// Whether the step lies at the snapshot `back` before the newest, or between it and the next.
    fn holds(&self, back: usize, at: ViewStep) -> bool {
        let tick = |back: usize| self.heads[self.snapshot_row(back)].tick;
        at.tick.since(tick(back)) >= 0 && at.tick.since(tick(back - 1)) < 0
    }
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
        let traits = history.traits[newer.row * history.width + id];
        let sent = state(entity, newer.pose, traits);
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
        (0..history.heads[row].used()).filter_map(move |id| {
            let pose = self.pose(row, id);
            let entity = EntityId(u16::try_from(id).ok()?);
            pose.present().then(|| state(entity, pose, history.traits[row * history.width + id]))
        })
    }

    /// The tick of the newer of the two sends.
    #[must_use]
    pub fn newer_tick(&self) -> Tick {
        self.history.heads[self.newer].tick
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
        if id >= self.history.heads[row].used() {
            return PoseRow::ABSENT;
        }
        self.history.poses[row * self.history.width + id]
    }
}

/// One row's pose of an entity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) row: usize,
    pub(super) pose: PoseRow,
}
