//! Writing a row: once a tick, after movement and before any shot of the tick is judged.

use super::History;
use super::row::{Head, NOWHERE, PoseRow, TraitsRow};
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
            .map(|state| usize::from(state.id.0) + 1)
            .filter(|used| *used <= Self::ENTITIES_MAX)
            .max()
            .unwrap_or(0);
        if used > self.width {
            self.widen(used);
        }
        let before = follows.then(|| self.newest_row());
        let snapshot = !follows || self.is_snapshot_tick(tick);
        let row = if snapshot { self.snapshot_row_next() } else { self.ring + self.since_snapshot };
        self.write(row, tick, states, used);
        // What happened since the snapshot before is part of this one: nothing may be drawn across it.
        let drawn_from = if snapshot && follows {
            for tail in self.ring..self.ring + self.since_snapshot {
                self.carry_teleports(tail, row);
            }
            Some(self.newest)
        } else {
            before
        };
        if let Some(older) = drawn_from {
            self.heads[row].moved_max_m = self.moved_max_m(older, row);
        }
        if snapshot {
            self.newest = row;
            self.newest_tick = tick;
            self.snapshots = (self.snapshots + 1).min(self.ring);
            self.since_snapshot = 0;
        } else {
            self.since_snapshot += 1;
        }
    }

    /// Forgets everything, as at the start of a match.
    pub fn clear(&mut self) {
        self.newest = 0;
        self.snapshots = 0;
        self.since_snapshot = 0;
    }

    fn snapshot_row_next(&self) -> usize {
        if self.snapshots == 0 || self.newest + 1 == self.ring { 0 } else { self.newest + 1 }
    }

    fn write(&mut self, row: usize, tick: Tick, states: &[EntityState], used: usize) {
        let width = self.width;
        let (xs, zs) = self.coarse[row * 2 * width..][..2 * width].split_at_mut(width);
        let poses = &mut self.poses[row * width..][..width];
        let traits = &mut self.traits[row * width..][..width];
        // A row as wide as the one it replaces is mostly written over; the gaps are emptied here.
        let cleared = used.max(self.heads[row].used()).min(width);
        xs[..cleared].fill(NOWHERE);
        zs[..cleared].fill(NOWHERE);
        poses[..cleared].fill(PoseRow::ABSENT);
        let mut reach_max_m = 0.0f32;
        for state in states {
            let id = usize::from(state.id.0);
            let Some(pose) = PoseRow::new(state).filter(|_| id < width) else { continue };
            (xs[id], zs[id]) = self.grid.place(state.pose.position);
            poses[id] = pose;
            traits[id] = TraitsRow::new(state);
            if let Some(shape) = self.shapes.get(pose.shape) {
                reach_max_m = reach_max_m.max(shape.reach_m);
            }
        }
        self.heads[row] = Head::new(tick, used, reach_max_m);
    }

    fn carry_teleports(&mut self, from: usize, to: usize) {
        for id in 0..self.heads[from].used().min(self.heads[to].used()) {
            let older = self.poses[from * self.width + id];
            let newer = &mut self.poses[to * self.width + id];
            if older.teleported() && newer.same_life(older) {
                newer.mark_teleported();
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "only a bound, and rounded up below")]
    pub(super) fn moved_max_m(&self, older: usize, newer: usize) -> f32 {
        let used = self.heads[older].used().min(self.heads[newer].used());
        let older = &self.poses[older * self.width..][..used];
        let newer = &self.poses[newer * self.width..][..used];
        let mut moved2 = 0.0f32;
        for (older, newer) in older.iter().zip(newer) {
            if newer.follows(*older) {
                let axis =
                    |i: usize| newer.pose.position[i].wrapping_sub(older.pose.position[i]) as f32;
                moved2 = moved2.max(axis(0) * axis(0) + axis(2) * axis(2));
            }
        }
        moved2.sqrt() * (1.001 / POSITION_STEPS_PER_M)
    }

    /// Makes room for more ids; every row keeps what it holds.
    pub(super) fn widen(&mut self, used: usize) {
        let old = self.width;
        let new = used.next_multiple_of(8).max(old);
        let rows = self.heads.len();
        let mut coarse = vec![NOWHERE; rows * 2 * new];
        let mut poses = vec![PoseRow::ABSENT; rows * new];
        let mut traits = vec![TraitsRow::default(); rows * new];
        for row in 0..rows {
            for half in [2 * row, 2 * row + 1] {
                coarse[half * new..][..old].copy_from_slice(&self.coarse[half * old..][..old]);
            }
            poses[row * new..][..old].copy_from_slice(&self.poses[row * old..][..old]);
            traits[row * new..][..old].copy_from_slice(&self.traits[row * old..][..old]);
        }
        self.width = new;
        self.coarse = coarse;
        self.poses = poses;
        self.traits = traits;
    }
}
