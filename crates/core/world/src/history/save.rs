//! A history as bytes, for a checkpoint: each row against what the rows before it foretell.
//!
//! A body that keeps its way costs a byte or two a row. Loading reads any bytes at all: what is no
//! history is an error, and memory stays within what the mode needs.

use super::History;
use super::bytes::{Reader, Writer, unzigzag_short, zigzag};
use super::row::{Block, PoseRow, TraitsRow};
use crate::TargetShapes;
use fairshot_mode::Mode;
use fairshot_units::Tick;
use std::sync::Arc;

/// Why bytes are no history of this mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    #[error("the history ends early, at byte {at}")]
    Short { at: usize },
    #[error("version {0} of a history is not known")]
    Version(u8),
    #[error("the history was saved at {tick_hz} ticks a second and every {snapshot_every}th sent")]
    Mode { tick_hz: u32, snapshot_every: u32 },
    #[error("{what} of the history is {value}")]
    Range { what: &'static str, value: u32 },
    #[error("{0} bytes follow the history")]
    Long(usize),
}

impl LoadError {
    /// A short name that stays the same.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Short { .. } => "short",
            Self::Version(_) => "version",
            Self::Mode { .. } => "mode",
            Self::Range { .. } => "range",
            Self::Long(_) => "long",
        }
    }
}

const VERSION: u8 = 1;

// One byte a record says what follows it.
const PRESENT: u8 = 1;
const ALIVE: u8 = 2;
const TELEPORTED: u8 = 4;
const LIFE: u8 = 8;
const PLACE: u8 = 16;
const YAW: u8 = 32;
const PITCH: u8 = 64;
const TRAITS: u8 = 128;

impl History {
    /// The whole history as bytes.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let mut out = Writer(Vec::with_capacity(16 + self.ticks.len() * self.width() * 4));
        out.0.push(VERSION);
        out.number(self.tick_hz);
        out.number(self.snapshot_every);
        out.number(count(self.snapshots));
        out.number(count(self.since_snapshot));
        let mut past = Foretold::new(self.width());
        let mut before: Option<Tick> = None;
        for row in self.rows_in_order() {
            let tick = self.ticks[row];
            out.number(before.map_or(tick.0, |before| tick.0.wrapping_sub(before.0)));
            before = Some(tick);
            let poses = || self.row(row).iter().flat_map(|block| block.poses);
            let used = self.width()
                - poses().rev().position(|pose| pose.present()).unwrap_or(self.width());
            out.number(count(used));
            for (id, pose) in poses().take(used).enumerate() {
                past.write(id, pose, self.traits(row, id), &mut out);
            }
            past.end_row(used);
        }
        out.0
    }

    /// A history from bytes that [`History::save`] wrote under the same mode.
    ///
    /// # Errors
    /// [`LoadError`] says what is wrong with the bytes.
    pub fn load(mode: &Mode, shapes: Arc<TargetShapes>, bytes: &[u8]) -> Result<Self, LoadError> {
        let mut history = Self::new(mode, shapes);
        let mut bytes = Reader { bytes, at: 0 };
        let version = bytes.byte()?;
        if version != VERSION {
            return Err(LoadError::Version(version));
        }
        let (tick_hz, snapshot_every) = (bytes.number()?, bytes.number()?);
        if (tick_hz, snapshot_every) != (history.tick_hz, history.snapshot_every) {
            return Err(LoadError::Mode { tick_hz, snapshot_every });
        }
        let snapshots = bytes.count("the number of snapshots", history.ring)?;
        let tail_max = if snapshots == 0 { 0 } else { history.ticks.len() - history.ring };
        let since_snapshot = bytes.count("the number of ticks since", tail_max)?;
        let mut past = Foretold::new(0);
        let mut before: Option<Tick> = None;
        for number in 0..snapshots + since_snapshot {
            let tail = number.checked_sub(snapshots);
            let row = tail.map_or(number, |tail| history.ring + tail);
            let apart_max = if tail.is_some() { 1 } else { history.snapshot_every };
            let tick = bytes.number()?;
            if before.is_some() && !(1..=apart_max).contains(&tick) {
                return Err(LoadError::Range { what: "a tick", value: tick });
            }
            let tick = Tick(before.map_or(tick, |before| before.0.wrapping_add(tick)));
            let used = bytes.count("the number of ids", Self::ENTITIES_MAX)?;
            history.load_row(row, used, &mut past, &mut bytes)?;
            history.ticks[row] = tick;
            if number > 0 {
                // The rows lie in order, save that the first of the ticks follows the last snapshot.
                let older = if tail == Some(0) { snapshots - 1 } else { row - 1 };
                history.note_moves(older, row);
            }
            if tail.is_none() {
                history.note_snapshot(row, tick);
            }
            before = Some(tick);
        }
        history.since_snapshot = since_snapshot;
        match bytes.bytes.len() - bytes.at {
            0 => Ok(history),
            left => Err(LoadError::Long(left)),
        }
    }

    fn load_row(
        &mut self,
        row: usize,
        used: usize,
        past: &mut Foretold,
        bytes: &mut Reader<'_>,
    ) -> Result<(), LoadError> {
        if used > self.width() {
            self.widen(used);
            past.widen(self.width());
        }
        for id in 0..used {
            let (pose, traits) = past.read(id, bytes)?;
            if !pose.present() {
                continue;
            }
            let shape = self.shapes.get(pose.shape).ok_or(LoadError::Range {
                what: "the kind of a target",
                value: pose.shape.into(),
            })?;
            self.reach_max_m = self.reach_max_m.max(shape.reach_m);
            let block = &mut self.blocks[row * self.row_blocks + id / Block::WIDTH];
            let lane = id % Block::WIDTH;
            (block.xs[lane], block.zs[lane]) = self.grid.place(pose.pose.position);
            block.poses[lane] = pose;
            let width = self.width();
            self.traits[row * width + id] = traits;
        }
        past.end_row(used);
        Ok(())
    }

    /// Snapshots from the oldest to the newest, then the ticks since.
    fn rows_in_order(&self) -> impl Iterator<Item = usize> + '_ {
        let snapshots = (0..self.snapshots).rev().map(|back| self.snapshot_row(back));
        snapshots.chain((0..self.since_snapshot).map(|tail| self.ring + tail))
    }
}

/// What the rows so far foretell of the next one.
struct Foretold {
    entities: Vec<Known>,
}

#[derive(Clone, Copy, Default)]
struct Known {
    pose: PoseRow,
    traits: TraitsRow,
    /// Its last move, which it will make again.
    moved: [i32; 3],
}

impl Foretold {
    fn new(width: usize) -> Self {
        Self { entities: vec![Known::default(); width] }
    }

    fn widen(&mut self, width: usize) {
        self.entities.resize(width, Known::default());
    }

    /// Who is beyond a row's ids is not in it.
    fn end_row(&mut self, used: usize) {
        for known in self.entities.iter_mut().skip(used) {
            *known = Known::default();
        }
    }

    fn write(&mut self, id: usize, pose: PoseRow, traits: TraitsRow, out: &mut Writer) {
        let known = &mut self.entities[id];
        if !pose.present() {
            out.0.push(0);
            *known = Known::default();
            return;
        }
        let fresh = !pose.same_life(known.pose) || pose.shape != known.pose.shape;
        if fresh {
            *known = Known::default();
        }
        let place: [i32; 3] = std::array::from_fn(|axis| {
            let foretold = known.pose.pose.position[axis].wrapping_add(known.moved[axis]);
            pose.pose.position[axis].wrapping_sub(foretold)
        });
        let yaw = pose.pose.yaw.wrapping_sub(known.pose.pose.yaw);
        let pitch = pose.pose.pitch.wrapping_sub(known.pose.pose.pitch);
        let mut says = PRESENT;
        for (bit, holds) in [
            (ALIVE, pose.alive()),
            (TELEPORTED, pose.teleported()),
            (LIFE, fresh),
            (PLACE, place != [0; 3]),
            (YAW, yaw != 0),
            (PITCH, pitch != 0),
            (TRAITS, traits != known.traits),
        ] {
            says |= if holds { bit } else { 0 };
        }
        out.0.push(says);
        if fresh {
            out.number(pose.life.into());
            out.0.push(pose.shape);
        }
        if says & PLACE != 0 {
            out.place(place);
        }
        if says & YAW != 0 {
            out.number(zigzag(yaw.cast_signed().into()));
        }
        if says & PITCH != 0 {
            out.number(zigzag(pitch.into()));
        }
        if says & TRAITS != 0 {
            out.number(traits.traits ^ known.traits.traits);
            out.number((traits.health_eighths ^ known.traits.health_eighths).into());
            out.0.extend([traits.held, traits.team]);
        }
        known.learn(pose, traits);
    }

    fn read(
        &mut self,
        id: usize,
        bytes: &mut Reader<'_>,
    ) -> Result<(PoseRow, TraitsRow), LoadError> {
        let known = &mut self.entities[id];
        let says = bytes.byte()?;
        if says & PRESENT == 0 {
            *known = Known::default();
            return Ok((PoseRow::ABSENT, TraitsRow::default()));
        }
        let (mut life, mut shape) = (known.pose.life, known.pose.shape);
        if says & LIFE != 0 {
            *known = Known::default();
            life = bytes.short("a life")?;
            shape = bytes.byte()?;
        }
        let off = if says & PLACE != 0 { bytes.place()? } else { [0; 3] };
        let mut pose = known.pose.pose;
        for (axis, off) in off.into_iter().enumerate() {
            let foretold = pose.position[axis].wrapping_add(known.moved[axis]);
            pose.position[axis] = foretold.wrapping_add(off);
        }
        if says & YAW != 0 {
            pose.yaw = pose.yaw.wrapping_add(bytes.short("a yaw").map(unzigzag_short)?);
        }
        if says & PITCH != 0 {
            let turned = bytes.short("a pitch").map(unzigzag_short)?;
            pose.pitch = pose.pitch.wrapping_add(turned.cast_signed());
        }
        let mut traits = known.traits;
        if says & TRAITS != 0 {
            traits.traits ^= bytes.number()?;
            traits.health_eighths ^= bytes.short("a health")?;
            traits.held = bytes.byte()?;
            traits.team = bytes.byte()?;
        }
        let pose = PoseRow::of_parts(pose, life, shape, says & ALIVE != 0, says & TELEPORTED != 0);
        known.learn(pose, traits);
        Ok((pose, traits))
    }
}

impl Known {
    fn learn(&mut self, pose: PoseRow, traits: TraitsRow) {
        if self.pose.present() {
            for axis in 0..3 {
                let before = self.pose.pose.position[axis];
                self.moved[axis] = pose.pose.position[axis].wrapping_sub(before);
            }
        }
        self.pose = pose;
        self.traits = traits;
    }
}

fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
