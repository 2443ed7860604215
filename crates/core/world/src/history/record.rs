//! Writing a row: once a tick, after movement and before any shot of the tick is judged.

use super::History;
use super::row::{Block, PoseRow, TraitsRow};
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
        let snapshot = !follows || self.is_snapshot_tick(tick);
        let row = if snapshot { self.snapshot_row_next() } else { self.ring + self.since_snapshot };
        let used = self.write(row, states);
        if used > self.width() {
            self.widen(used);
            self.write(row, states);
        }
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
        let mut moved = 0;
        for (older, newer) in self.row(older).iter().zip(self.row(newer)) {
            for (older, newer) in older.poses.iter().zip(&newer.poses) {
                let axis = |i: usize| newer.pose.position[i].abs_diff(older.pose.position[i]);
                let most = axis(0).max(axis(2));
                moved = moved.max(if newer.follows(*older) { most } else { 0 });
            }
        }
        // The longer axis' way, both ways at once.
        let moved_m = moved as f32 * (1.001 * std::f32::consts::SQRT_2 / POSITION_STEPS_PER_M);
        self.moved_max_m[0] = self.moved_max_m[0].max(moved_m);
    }

    fn snapshot_row_next(&self) -> usize {
        if self.snapshots == 0 || self.newest + 1 == self.ring { 0 } else { self.newest + 1 }
    }

    /// Writes those whose ids the row has a place for. Returns how many places all of them take.
    fn write(&mut self, row: usize, states: &[EntityState]) -> usize {
        let width = self.width();
        let blocks = &mut self.blocks[row * self.row_blocks..][..self.row_blocks];
        let traits = &mut self.traits[row * width..][..width];
        let mut used = 0;
        blocks.fill(Block::EMPTY);
        for state in states {
            let id = usize::from(state.id.0);
            let Some(pose) = PoseRow::new(state) else { continue };
            if id < Self::ENTITIES_MAX {
                used = used.max(id + 1);
            }
            let Some(block) = blocks.get_mut(id / Block::WIDTH) else { continue };
            let Some(shape) = self.shapes.get(pose.shape) else { continue };
            if shape.reach_m > self.reach_max_m {
                self.reach_max_m = shape.reach_m;
            }
            let lane = id % Block::WIDTH;
            (block.xs[lane], block.zs[lane]) = self.grid.place(state.pose.position);
            block.poses[lane] = pose;
            traits[id] = TraitsRow::new(state);
        }
        used
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
