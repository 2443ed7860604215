//! Writing a row: once a tick, after movement and before any shot of the tick is judged.

use super::History;
use super::row::{Block, PoseRow, TraitsRow};
use crate::shapes::shape_of;
use fairshot_units::{EntityState, POSITION_STEPS_PER_M, Tick};

impl History {
    /// Records a tick: every entity of the room as it is sent. Projectiles are no targets and are
    /// left out. Ticks come one after the other; a tick that does not follow the newest starts the
    /// history afresh.
    pub fn record(&mut self, tick: Tick, states: &[EntityState]) {
        let follows = self.newest_tick().is_some_and(|newest| newest.next() == tick);
        if !follows {
            self.clear();
        }
        let used = states
            .iter()
            .filter(|state| shape_of(state.kind).is_some())
            .map(|state| usize::from(state.id.0) + 1)
            .filter(|used| *used <= Self::ENTITIES_MAX)
            .max()
            .unwrap_or(0);
        if used > self.width() {
            self.widen(used);
        }
        let snapshot = !follows || self.is_snapshot_tick(tick);
        let row = if snapshot { self.snapshot_row_next() } else { self.ring + self.since_snapshot };
        self.write(row, states);
        self.ticks[row] = tick;
        if follows {
            let drawn_from = if snapshot {
                // What happened since the snapshot before is part of this one: nothing may be drawn
                // across it.
                for tail in self.ring..self.ring + self.since_snapshot {
                    self.carry_teleports(tail, row);
                }
                self.newest
            } else {
                self.newest_row()
            };
            self.note_moves(drawn_from, row);
        }
        if snapshot {
            self.note_snapshot(row, tick);
        } else {
            self.since_snapshot += 1;
        }
    }

    /// Forgets everything, as at the start of a match.
    pub fn clear(&mut self) {
        self.newest = 0;
        self.snapshots = 0;
        self.since_snapshot = 0;
        self.even = 0;
        self.moved_max_m = [0.0; 2];
    }

    pub(super) fn note_snapshot(&mut self, row: usize, tick: Tick) {
        let apart = tick.since(self.newest_tick).cast_unsigned();
        let even = self.snapshots > 0 && apart == self.snapshot_every;
        self.even = if even { (self.even + 1).min(self.ring) } else { 1 };
        self.newest = row;
        self.newest_tick = tick;
        self.snapshots = (self.snapshots + 1).min(self.ring);
        self.since_snapshot = 0;
        if row == 0 {
            // A whole ring ago is forgotten one ring later.
            self.moved_max_m = [0.0, self.moved_max_m[0]];
        }
    }

    /// Keeps the bound of how far anybody moves between two rows that are blended.
    #[expect(clippy::cast_precision_loss, reason = "only a bound, and rounded up below")]
    pub(super) fn note_moves(&mut self, older: usize, newer: usize) {
        let mut moved2 = 0.0f32;
        for (older, newer) in self.row(older).iter().zip(self.row(newer)) {
            for (older, newer) in older.poses.iter().zip(&newer.poses) {
                if newer.follows(*older) {
                    let axis = |i: usize| {
                        newer.pose.position[i].wrapping_sub(older.pose.position[i]) as f32
                    };
                    moved2 = moved2.max(axis(0) * axis(0) + axis(2) * axis(2));
                }
            }
        }
        let moved_m = moved2.sqrt() * (1.001 / POSITION_STEPS_PER_M);
        self.moved_max_m[0] = self.moved_max_m[0].max(moved_m);
    }

    fn snapshot_row_next(&self) -> usize {
        if self.snapshots == 0 || self.newest + 1 == self.ring { 0 } else { self.newest + 1 }
    }

    fn write(&mut self, row: usize, states: &[EntityState]) {
        let width = self.width();
        let blocks = &mut self.blocks[row * self.row_blocks..][..self.row_blocks];
        let traits = &mut self.traits[row * width..][..width];
        blocks.fill(Block::EMPTY);
        for state in states {
            let id = usize::from(state.id.0);
            let Some(pose) = PoseRow::new(state).filter(|_| id < width) else { continue };
            let Some(shape) = self.shapes.get(pose.shape) else { continue };
            self.reach_max_m = self.reach_max_m.max(shape.reach_m);
            let block = &mut blocks[id / Block::WIDTH];
            let lane = id % Block::WIDTH;
            (block.xs[lane], block.zs[lane]) = self.grid.place(state.pose.position);
            block.poses[lane] = pose;
            traits[id] = TraitsRow::new(state);
        }
    }

    fn carry_teleports(&mut self, from: usize, to: usize) {
        for block in 0..self.row_blocks {
            let older = self.blocks[from * self.row_blocks + block].poses;
            let newer = &mut self.blocks[to * self.row_blocks + block].poses;
            for (older, newer) in older.iter().zip(newer) {
                if older.teleported() && newer.same_life(*older) {
                    newer.mark_teleported();
                }
            }
        }
    }

    /// Makes room for more ids; every row keeps what it holds.
    pub(super) fn widen(&mut self, used: usize) {
        let rows = self.ticks.len();
        let (old, new) = (self.row_blocks, used.div_ceil(Block::WIDTH).max(self.row_blocks));
        let mut blocks = vec![Block::EMPTY; rows * new];
        let mut traits = vec![TraitsRow::default(); rows * new * Block::WIDTH];
        for row in 0..rows {
            blocks[row * new..][..old].copy_from_slice(&self.blocks[row * old..][..old]);
            let (from, to) = (row * old * Block::WIDTH, row * new * Block::WIDTH);
            let width = old * Block::WIDTH;
            traits[to..][..width].copy_from_slice(&self.traits[from..][..width]);
        }
        self.row_blocks = new;
        self.blocks = blocks;
        self.traits = traits;
    }
}
