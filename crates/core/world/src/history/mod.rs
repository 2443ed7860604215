//! One second of what was sent: every target's pose and traits, tick by tick, in flat arrays.
//!
//! Clients draw between two snapshots, so only the rows of snapshot ticks are kept for the whole
//! second; the ticks since the newest snapshot stand as they are until the next one. Reading never
//! changes anything, and nothing here is a copy of the room's state: a row is what went out.

mod bytes;
mod cull;
mod moment;
mod near;
mod pose;
mod record;
mod row;
mod save;
mod trace;

pub use moment::{Moment, RewindError};
pub use near::Near;
pub use pose::{DrawnPose, PastPose, blend};
pub use save::LoadError;
pub use trace::{Ray, TargetHit, TargetHits};

use crate::TargetShapes;
use fairshot_mode::Mode;
use fairshot_units::{EntityId, Tick, ViewStep};
use row::{Block, Grid, PoseRow, TraitsRow};
use std::sync::Arc;

/// A room's second of poses. See the module's head.
#[derive(Clone, Debug)]
pub struct History {
    shapes: Arc<TargetShapes>,
    grid: Grid,
    tick_hz: u32,
    snapshot_every: u32,
    /// Blocks of a row, sixteen entity ids each.
    row_blocks: usize,
    /// Rows of snapshot ticks, a ring; behind them the rows of the ticks since the newest snapshot.
    ring: usize,
    /// The ring row of the newest snapshot and its tick, and how many the ring holds. A lookup works out
    /// its rows from these alone.
    newest: usize,
    newest_tick: Tick,
    snapshots: usize,
    since_snapshot: usize,
    /// How many of the newest snapshots lie `snapshot_every` apart: all of them, save round the wrap.
    even: usize,
    /// Whatever a body or a zone reaches from its axis, and whatever a body moves over the ground between
    /// two rows that are blended: bounds for the cull, renewed as the ring goes round.
    reach_max_m: f32,
    moved_max_m: [f32; 2],
    blocks: Vec<Block>,
    ticks: Vec<Tick>,
    traits: Vec<TraitsRow>,
}

impl History {
    /// Entities with an id from here on are not recorded, and so never hit.
    pub const ENTITIES_MAX: usize = 4096;

    /// An empty history for rooms of that mode; `shapes` come from the same mode.
    ///
    /// Numbers of the mode beyond what it promises (1 to 128 ticks a second, a snapshot every 1 to
    /// 16) are held to it.
    #[must_use]
    pub fn new(mode: &Mode, shapes: Arc<TargetShapes>) -> Self {
        let tick_hz = u32::from(mode.tick_hz.clamp(1, 128));
        let snapshot_every = u32::from(mode.snapshot_every_ticks.clamp(1, 16));
        // A second back may fall between two snapshots, and the step itself may be a fraction.
        let ring = tick_hz.div_ceil(snapshot_every) as usize + 2;
        let rows = ring + snapshot_every as usize - 1;
        Self {
            shapes,
            grid: Grid::new(&mode.arena.bounds),
            tick_hz,
            snapshot_every,
            row_blocks: 0,
            ring,
            newest: 0,
            newest_tick: Tick(0),
            snapshots: 0,
            since_snapshot: 0,
            even: 0,
            reach_max_m: 0.0,
            moved_max_m: [0.0; 2],
            blocks: Vec::new(),
            ticks: vec![Tick(0); rows],
            traits: Vec::new(),
        }
    }

    /// The shapes its targets are judged by.
    #[must_use]
    pub fn shapes(&self) -> &TargetShapes {
        &self.shapes
    }

    /// Whether that tick's poses go out: every `snapshot_every_ticks`th tick, and the one at the wrap.
    #[must_use]
    pub fn is_snapshot_tick(&self, tick: Tick) -> bool {
        tick.0.is_multiple_of(self.snapshot_every)
    }

    /// The newest tick recorded.
    #[must_use]
    pub fn newest_tick(&self) -> Option<Tick> {
        #[expect(clippy::cast_possible_truncation, reason = "at most 15")]
        (self.snapshots > 0).then(|| self.newest_tick + self.since_snapshot as u32)
    }

    /// Where a target stood at a view step, exactly as a client drew it.
    ///
    /// # Errors
    /// [`RewindError`]: the step lies ahead, more than a second back, or the target's present life was
    /// not recorded there.
    pub fn past(&self, entity: EntityId, at: ViewStep) -> Result<PastPose, RewindError> {
        self.moment(at)?.place(entity)
    }

    /// Bytes of memory it holds.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + self.ticks.capacity() * size_of::<Tick>()
            + self.blocks.capacity() * size_of::<Block>()
            + self.traits.capacity() * size_of::<TraitsRow>()
    }

    fn newest_row(&self) -> usize {
        if self.since_snapshot == 0 { self.newest } else { self.ring + self.since_snapshot - 1 }
    }

    /// The ring row `back` snapshots before the newest.
    fn snapshot_row(&self, back: usize) -> usize {
        let row = self.newest + self.ring - back;
        if row >= self.ring { row - self.ring } else { row }
    }

    /// The blocks of a row.
    #[inline]
    fn row(&self, row: usize) -> &[Block] {
        &self.blocks[row * self.row_blocks..][..self.row_blocks]
    }

    /// Ids a row has a place for.
    fn width(&self) -> usize {
        self.row_blocks * Block::WIDTH
    }

    #[inline]
    fn pose(&self, row: usize, id: usize) -> PoseRow {
        let block = self.row(row).get(id / Block::WIDTH);
        block.map_or(PoseRow::ABSENT, |block| block.poses[id % Block::WIDTH])
    }

    /// The traits of an entity that the row holds.
    fn traits(&self, row: usize, id: usize) -> TraitsRow {
        self.traits[row * self.width() + id]
    }
}
