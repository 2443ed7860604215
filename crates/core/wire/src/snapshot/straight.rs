//! The straight way: the client knows everything of both snapshots it acknowledged, and everything
//! goes in. Nearly every snapshot of a room that fits its datagrams is one; it is the server's most
//! frequent work, so it looks at nothing but poses where nothing else changed.

use super::layout::{Changes, Off, Sums, Widths, write_delta, write_moved, write_whole};
use super::predict::{Ahead, predict};
use super::ring::{SentStates, Seq, Slot};
use crate::bits::BitWriter;
use fairshot_units::Pose;

/// One player's straight snapshot.
pub(super) struct Straight<'a> {
    pub(super) states: &'a SentStates,
    pub(super) now: &'a Slot,
    pub(super) newer: &'a Slot,
    pub(super) older: Option<&'a Slot>,
    pub(super) own: usize,
    pub(super) widths: Widths,
}

impl Straight<'_> {
    /// Writes every entity up to `span`; gives up once that passed `limit_bits`.
    pub(super) fn write(
        &self,
        bits: &mut BitWriter<'_>,
        span: usize,
        limit_bits: usize,
    ) -> Option<Sums> {
        let mut sums = Sums::default();
        let ahead = self.older.map_or(Ahead::new(0, 1), |older| {
            Ahead::new(
                self.now.tick.since(self.newer.tick).unsigned_abs(),
                self.newer.tick.since(older.tick).unsigned_abs(),
            )
        });
        for word in 0..span.div_ceil(64) {
            let lane = Lane::new(self, word, ahead);
            for bit in 0..(span - word * 64).min(64) {
                let id = word * 64 + bit;
                if id != self.own {
                    self.write_one(bits, &lane, id, bit, &mut sums);
                }
            }
            if bits.bits_written() > limit_bits {
                return None;
            }
        }
        Some(sums)
    }

    #[inline]
    fn write_one(
        &self,
        bits: &mut BitWriter<'_>,
        lane: &Lane,
        id: usize,
        bit: usize,
        sums: &mut Sums,
    ) {
        if lane.steady >> bit & 1 == 0 {
            self.write_odd(bits, lane, id, bit, sums);
            return;
        }
        let now = pose(self.now, id);
        let off = Off::between(self.predicted(lane, id, bit), now);
        if off.is_zero() {
            bits.put(0, 1);
            return;
        }
        sums.add(off, off.y | off.pitch != 0);
        write_moved(bits, off, self.widths);
    }

    /// Where the client thinks it is.
    #[inline]
    fn predicted(&self, lane: &Lane, id: usize, bit: usize) -> Pose {
        let newer = pose(self.newer, id);
        match self.older {
            Some(older) if lane.linear >> bit & 1 == 1 => {
                predict(newer, pose(older, id), lane.ahead, lane.turning >> bit & 1 == 1)
            }
            _ => newer,
        }
    }

    /// An entity that came, went, or changed in more than its pose.
    #[cold]
    fn write_odd(
        &self,
        bits: &mut BitWriter<'_>,
        lane: &Lane,
        id: usize,
        bit: usize,
        sums: &mut Sums,
    ) {
        let known = self.newer.has(id);
        let current = self.states.current(id).filter(|_| self.now.has(id));
        let Some(current) = current else {
            bits.flag(known);
            if known {
                bits.put(0b00, 2);
            }
            return;
        };
        if !known || current.born > self.newer.seq {
            bits.flag(true);
            if known {
                bits.put(0b10, 2);
            }
            write_whole(bits, &current.state, self.now.tick.since(current.broke_tick));
            return;
        }
        let off = Off::between(self.predicted(lane, id, bit), current.state.pose);
        let changes = Changes::since(self.newer.seq, current, self.now.tick);
        sums.add(off, true);
        bits.put(0b11, 2);
        write_delta(bits, off, changes, &current.state, self.widths);
    }
}

/// Sixty-four entities at once, one bit each.
struct Lane {
    /// There now and then, and nothing but the pose changed.
    steady: u64,
    /// Predicted on a line, not where it stood.
    linear: u64,
    turning: u64,
    ahead: Ahead,
}

impl Lane {
    fn new(straight: &Straight<'_>, word: usize, ahead: Ahead) -> Self {
        let at = |words: &[u64]| words.get(word).copied().unwrap_or(0);
        let (newer, states) = (straight.newer, straight.states);
        let changed = states.changed().get(word * 64..).unwrap_or_default();
        let mut same = 0;
        for (bit, seq) in changed.iter().take(64).enumerate() {
            same |= u64::from(*seq <= newer.seq) << bit;
        }
        let linear = straight.older.map_or(0, |older| {
            at(&older.present) & !broke_between(states, word, older.seq, newer.seq)
        });
        Self {
            steady: at(&newer.present) & at(&straight.now.present) & same,
            linear,
            turning: at(states.turning()),
            ahead,
        }
    }
}

/// Entities whose motion broke after `older` and up to `newer`.
fn broke_between(states: &SentStates, word: usize, older: Seq, newer: Seq) -> u64 {
    (older + 1..=newer)
        .map(|seq| {
            states.slot(seq).map_or(u64::MAX, |slot| slot.broke.get(word).copied().unwrap_or(0))
        })
        .fold(0, std::ops::BitOr::bitor)
}

#[inline]
fn pose(slot: &Slot, id: usize) -> Pose {
    slot.poses.get(id).copied().unwrap_or_default()
}
