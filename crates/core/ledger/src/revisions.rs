//! The retained revisions: which commits a message may still name, and the weapon in hand.
//!
//! Commits are counted in 32 bits here and named on the wire by their low 16. A message names one of
//! the retained ones, so the rest of the number is known.

use fairshot_mode::Catalogue;
use fairshot_units::{Revision, SlotIndex, WeaponId};
use std::collections::VecDeque;

/// A commit is retained this long after the client first echoed a later one.
pub const RETAINED_MS: u64 = 1000;
/// A command unechoed for this long, while messages arrive, ends the session.
pub const DIVERGED_AFTER_MS: u64 = 10_000;
/// Commands that may wait for the client's echo.
pub const PENDING_COMMANDS_MAX: usize = 1024;
/// Silence counts as this much of the ten seconds at the most: a stalled path is no divergence.
const SILENCE_COUNTED_MS: u64 = 1000;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Revisions {
    /// The retained ones, oldest first; never empty.
    rows: VecDeque<Row>,
    newest: u32,
    /// The newest commit the client echoed.
    echoed: u32,
    /// The weapon in hand before the oldest row, and after the newest.
    held_before: WeaponId,
    held: WeaponId,
    limits: Limits,
    /// Milliseconds in which messages arrived, and when the last one did.
    heard_for_ms: u32,
    heard_at_ms: Option<u64>,
}

/// What a commit did to the hand, and what the client said of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Row {
    /// Of an unechoed commit: `heard_for_ms` as it was made. Of one superseded: when it was.
    at_ms: u32,
    claim_number: u32,
    order: Order,
    /// The weapon of the touched slot from here on, or the one that comes to hand.
    weapon: WeaponId,
    /// Stands where the order is marked so.
    claim: WeaponId,
}

/// What a commit touched, whether it arms, and whether a claim was heard of it, in a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Order(u8);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Touched {
    Nothing,
    Slot(SlotIndex),
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Limits {
    /// 65535 on the wire; the model check wraps sooner.
    pub(crate) revision_mask: u16,
    pub(crate) pending_max: u16,
}

impl Default for Limits {
    fn default() -> Self {
        Self { revision_mask: u16::MAX, pending_max: PENDING_COMMANDS_MAX as u16 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Retained(u32),
    Late,
    /// Never committed.
    Unknown,
}

impl Revisions {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            rows: VecDeque::from([Row::start(0)]),
            newest: 0,
            echoed: 0,
            held_before: WeaponId::FISTS,
            held: WeaponId::FISTS,
            limits,
            heard_for_ms: 0,
            heard_at_ms: None,
        }
    }

    pub(crate) fn newest(&self) -> u32 {
        self.newest
    }

    pub(crate) fn oldest(&self) -> u32 {
        self.newest - (self.rows.len() - 1) as u32
    }

    pub(crate) fn held(&self) -> WeaponId {
        self.held
    }

    pub(crate) fn on_wire(&self, commit: u32) -> Revision {
        Revision(commit as u16 & self.limits.revision_mask)
    }

    pub(crate) fn newest_on_wire(&self) -> Revision {
        self.on_wire(self.newest)
    }

    pub(crate) fn echoed_on_wire(&self) -> Revision {
        self.on_wire(self.echoed)
    }

    pub(crate) fn heard_at_ms(&self) -> Option<u64> {
        self.heard_at_ms
    }

    /// Commands that wait, once what has expired by `now_ms` is forgotten; `None` while there is room.
    pub(crate) fn full(&self, now_ms: u64) -> Option<usize> {
        let pending_max = usize::from(self.limits.pending_max);
        if self.rows.len() <= pending_max {
            return None;
        }
        let expired = self.expired(now_ms);
        let pending = self.rows.len() - 1 - expired;
        (pending >= pending_max).then_some(pending)
    }

    #[inline]
    pub(crate) fn locate(&self, rev: Revision) -> Named {
        let mask = self.limits.revision_mask;
        let behind = u32::from((self.newest as u16).wrapping_sub(rev.0) & mask);
        if (behind as usize) < self.rows.len() {
            Named::Retained(self.newest - behind)
        } else if behind <= self.newest && behind <= u32::from(mask / 2) {
            Named::Late
        } else {
            Named::Unknown
        }
    }

    /// A message has arrived, whatever it says: the clock of unechoed commands moves on.
    #[inline]
    pub(crate) fn hear(&mut self, now_ms: u64) {
        self.heard_for_ms = self.heard_for(now_ms);
        self.heard_at_ms = Some(now_ms);
    }

    /// The client has applied commit `at`.
    #[inline]
    pub(crate) fn echo(&mut self, at: u32, now_ms: u64) {
        if at <= self.echoed {
            return;
        }
        let oldest = self.oldest();
        for superseded in self.echoed.max(oldest)..at {
            self.rows[(superseded - oldest) as usize].at_ms = now_ms as u32;
        }
        self.echoed = at;
    }

    /// Forgets what is no longer retained; true where anything was.
    #[inline]
    pub(crate) fn expire(&mut self, now_ms: u64, catalogue: &Catalogue) -> bool {
        if self.rows.len() == 1 {
            return false;
        }
        let expired = self.expired(now_ms);
        for row in self.rows.drain(..expired) {
            self.held_before = row.replay(self.held_before, catalogue);
        }
        if self.rows.capacity() > 32 && self.rows.len() < self.rows.capacity() / 4 {
            self.rows.shrink_to(self.rows.len() * 2);
        }
        expired > 0
    }

    pub(crate) fn commit(
        &mut self,
        touched: Touched,
        weapon: WeaponId,
        arms: bool,
        now_ms: u64,
        catalogue: &Catalogue,
    ) {
        let order = Order::new(touched, arms);
        let row = Row { order, weapon, ..Row::start(self.heard_for(now_ms)) };
        self.held = row.replay(self.held, catalogue);
        let capacity = self.rows.capacity();
        if self.rows.len() == capacity {
            let most = usize::from(self.limits.pending_max) + 1;
            self.rows.reserve_exact(capacity.clamp(4, most.saturating_sub(capacity).max(4)));
        }
        self.rows.push_back(row);
        self.newest += 1;
    }

    /// The client says `weapon`, which commit `at` had, was in hand. The highest number is believed.
    #[inline]
    pub(crate) fn claim(&mut self, at: u32, number: u32, weapon: WeaponId, catalogue: &Catalogue) {
        let index = (at - self.oldest()) as usize;
        let row = &mut self.rows[index];
        if number < row.claim_number {
            return;
        }
        let changes = !row.order.is_claimed() || row.claim != weapon;
        row.order.mark_claimed();
        row.claim = weapon;
        row.claim_number = number;
        if changes {
            self.replay(catalogue);
        }
    }

    /// The next life: nothing in hand, and no commit before the newest can be named.
    pub(crate) fn clear(&mut self) {
        let oldest = self.oldest();
        let first_unechoed = (self.echoed + 1).clamp(oldest, self.newest);
        let at_ms = self.rows[(first_unechoed - oldest) as usize].at_ms;
        self.rows = VecDeque::from([Row::start(at_ms)]);
        self.held_before = WeaponId::FISTS;
        self.held = WeaponId::FISTS;
    }

    /// The oldest commit that stayed unechoed too long.
    #[inline]
    pub(crate) fn unechoed(&self) -> Option<u32> {
        if self.echoed == self.newest {
            return None;
        }
        let oldest = self.oldest();
        let first = (self.echoed + 1).max(oldest);
        let since = self.rows[(first - oldest) as usize].at_ms;
        let waited_ms = self.heard_for_ms.wrapping_sub(since);
        // Made since the last message, a command's clock has not begun.
        let began = waited_ms <= u32::MAX / 2;
        (began && u64::from(waited_ms) >= DIVERGED_AFTER_MS).then_some(first)
    }

    pub(crate) fn retained_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Row>()
    }

    /// All but the clock of unechoed commands, on which no ruling depends.
    #[cfg(test)]
    pub(crate) fn fingerprint(&self, now_ms: u64, hasher: &mut impl std::hash::Hasher) {
        use std::hash::Hash;
        (self.newest, self.echoed, self.held_before, self.held).hash(hasher);
        let superseded = self.echoed.saturating_sub(self.oldest()) as usize;
        for (index, row) in self.rows.iter().enumerate() {
            let age_ms = (now_ms as u32).wrapping_sub(row.at_ms).min(RETAINED_MS as u32 + 1);
            Row { at_ms: if index < superseded { age_ms } else { 0 }, ..*row }.hash(hasher);
        }
    }

    fn heard_for(&self, now_ms: u64) -> u32 {
        let silence_ms = self.heard_at_ms.map_or(0, |last| now_ms.saturating_sub(last));
        self.heard_for_ms.wrapping_add(silence_ms.min(SILENCE_COUNTED_MS) as u32)
    }

    fn expired(&self, now_ms: u64) -> usize {
        let superseded = self.echoed.saturating_sub(self.oldest()) as usize;
        let superseded = superseded.min(self.rows.len() - 1);
        // Wrapping: a row is looked at far more often than every 49 days.
        self.rows
            .iter()
            .take(superseded)
            .take_while(|row| u64::from((now_ms as u32).wrapping_sub(row.at_ms)) > RETAINED_MS)
            .count()
    }

    fn replay(&mut self, catalogue: &Catalogue) {
        let rows = self.rows.iter();
        self.held = rows.fold(self.held_before, |held, row| row.replay(held, catalogue));
    }
}

impl Row {
    fn start(at_ms: u32) -> Self {
        let order = Order::new(Touched::Nothing, false);
        Self { at_ms, claim_number: 0, order, weapon: WeaponId::FISTS, claim: WeaponId::FISTS }
    }

    /// The command, then the claim.
    fn replay(&self, held: WeaponId, catalogue: &Catalogue) -> WeaponId {
        if self.order.is_claimed() {
            self.claim
        } else if self.order.arms() {
            self.weapon
        } else {
            hand_after(held, self.order.touched(), self.weapon, catalogue)
        }
    }
}

impl Order {
    const ALL: u8 = 14;
    const NOTHING: u8 = 15;
    const TOUCHED: u8 = 15;
    const ARMS: u8 = 16;
    const CLAIMED: u8 = 32;

    fn new(touched: Touched, arms: bool) -> Self {
        let touched = match touched {
            Touched::Nothing => Self::NOTHING,
            Touched::All => Self::ALL,
            Touched::Slot(slot) => u8::from(slot),
        };
        Self(touched | if arms { Self::ARMS } else { 0 })
    }

    fn touched(self) -> Touched {
        match self.0 & Self::TOUCHED {
            Self::ALL => Touched::All,
            touched => SlotIndex::new(touched).map_or(Touched::Nothing, Touched::Slot),
        }
    }

    fn arms(self) -> bool {
        self.0 & Self::ARMS != 0
    }

    fn is_claimed(self) -> bool {
        self.0 & Self::CLAIMED != 0
    }

    fn mark_claimed(&mut self) {
        self.0 |= Self::CLAIMED;
    }
}

/// The hand stays at its slot: it holds whatever weapon comes there, and nothing where none is left.
pub(crate) fn hand_after(
    held: WeaponId,
    touched: Touched,
    weapon: WeaponId,
    catalogue: &Catalogue,
) -> WeaponId {
    let in_hand = || catalogue.get(held).map(|weapon| weapon.slot);
    match touched {
        Touched::Nothing => held,
        Touched::All => WeaponId::FISTS,
        Touched::Slot(slot) if held != WeaponId::FISTS && in_hand() == Some(slot) => weapon,
        Touched::Slot(_) => held,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_reads_back_from_its_byte() {
        let slots = (0..=255).filter_map(SlotIndex::new).map(Touched::Slot);
        for touched in slots.chain([Touched::Nothing, Touched::All]) {
            for arms in [false, true] {
                let mut order = Order::new(touched, arms);
                assert_eq!((order.touched(), order.arms()), (touched, arms));
                assert!(!order.is_claimed());
                order.mark_claimed();
                assert_eq!((order.touched(), order.arms()), (touched, arms));
                assert!(order.is_claimed());
            }
        }
        assert_eq!(size_of::<Row>(), 12);
    }
}
