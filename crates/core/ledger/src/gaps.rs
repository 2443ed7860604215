//! Shots still to come among those judged: what lets a late shot in, and no round in twice.
//!
//! Within a segment totals fall as numbers rise. So a shot numbered below the newest judged one is new
//! only where both its number and its total lie between two judged neighbours. An honest client
//! spends one round a shot, so neighbours without a lost shot between them leave no gap, and the list
//! is empty unless datagrams were lost or overtook each other.

use crate::segment::Segment;

/// Two gaps never share an end, and each needs a number not yet heard, so 1,024 numbers hold at most
/// half as many for a client whose revisions rise with its numbers.
pub(crate) const GAPS_MAX: usize = 512;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Gap {
    /// The start of its segment, which no other segment of this inventory shares.
    segment: u32,
    /// Numbers `from..before`.
    from: u32,
    before: u32,
    /// Totals between these two, both excluded.
    above: u16,
    below: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Gaps {
    list: Vec<Gap>,
}

/// Where a shot stands among those judged in its segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    First,
    Newest,
    InGap(usize),
}

impl Gaps {
    /// `None` where the shot claims a round that was judged, or breaks the order of those that were.
    #[inline]
    pub(crate) fn standing(&self, segment: &Segment, number: u32, total: u16) -> Option<Standing> {
        if !segment.has_shots() {
            return Some(Standing::First);
        }
        if number > segment.newest_shot {
            return (total < segment.lowest_shot).then_some(Standing::Newest);
        }
        let gap = self.list.iter().position(|gap| {
            gap.segment == segment.start
                && (gap.from..gap.before).contains(&number)
                && gap.below < total
                && total < gap.above
        })?;
        Some(Standing::InGap(gap))
    }

    /// Takes an accepted shot in. Gaps below `lowest_number` can no longer be filled.
    #[inline]
    pub(crate) fn accept(
        &mut self,
        segment: &mut Segment,
        standing: Standing,
        number: u32,
        total: u16,
        lowest_number: u32,
    ) {
        let key = segment.start;
        let gap = |from, before, above, below| Gap { segment: key, from, before, above, below };
        match standing {
            Standing::First => {
                self.push(gap(0, number, segment.base, total), lowest_number);
            }
            Standing::Newest => {
                let from = segment.newest_shot + 1;
                self.push(gap(from, number, segment.lowest_shot, total), lowest_number);
            }
            Standing::InGap(index) => {
                let old = self.list.swap_remove(index);
                self.push(gap(old.from, number, old.above, total), lowest_number);
                self.push(gap(number + 1, old.before, total, old.below), lowest_number);
                return;
            }
        }
        segment.newest_shot = number;
        segment.lowest_shot = total;
    }

    pub(crate) fn forget_segment(&mut self, start: u32) {
        self.list.retain(|gap| gap.segment != start);
        if self.list.capacity() > 16 && self.list.len() < self.list.capacity() / 4 {
            self.list.shrink_to(self.list.len() * 2);
        }
    }

    pub(crate) fn retained_bytes(&self) -> usize {
        self.list.capacity() * size_of::<Gap>()
    }

    fn push(&mut self, gap: Gap, lowest_number: u32) {
        let holds_a_round = gap.above.saturating_sub(gap.below) > 1;
        if !holds_a_round || gap.from >= gap.before || gap.before <= lowest_number {
            return;
        }
        if self.list.len() == self.list.capacity() {
            self.list.retain(|gap| gap.before > lowest_number);
        }
        if self.list.len() == GAPS_MAX {
            // Only a client that does not follow the protocol gets here. It loses its oldest gap, so a
            // shot that would have filled it is refused.
            let oldest = (0..GAPS_MAX).min_by_key(|index| self.list[*index].before).unwrap_or(0);
            self.list.swap_remove(oldest);
        }
        self.list.push(gap);
    }
}
