//! The memory that makes a ticket good once, no longer and no larger than tickets live.

use crate::Nonce;
use std::collections::{BTreeMap, BTreeSet};

/// Nonces of the tickets used and not yet run out. A ticket that ran out is refused for that reason,
/// so its nonce need not be remembered.
#[derive(Debug)]
pub struct UsedTickets {
    expiry_by_nonce: BTreeMap<Nonce, u64>,
    by_expiry: BTreeSet<(u64, Nonce)>,
    entries_max: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UsedError {
    #[error("the ticket was used before")]
    Used,
    #[error("{entries_max} used tickets are remembered already")]
    Full { entries_max: usize },
}

impl UsedTickets {
    /// Remembers at most `entries_max` nonces; while that many live, no further ticket is taken.
    #[must_use]
    pub fn new(entries_max: usize) -> Self {
        Self { expiry_by_nonce: BTreeMap::new(), by_expiry: BTreeSet::new(), entries_max }
    }

    /// Notes the use of a ticket that runs out at `expiry_ms`.
    ///
    /// # Errors
    /// [`UsedError::Used`] if it was used before; [`UsedError::Full`] if the memory is.
    pub fn note(&mut self, nonce: Nonce, expiry_ms: u64, now_ms: u64) -> Result<(), UsedError> {
        self.forget_until(now_ms);
        if self.expiry_by_nonce.contains_key(&nonce) {
            return Err(UsedError::Used);
        }
        if self.expiry_by_nonce.len() >= self.entries_max {
            return Err(UsedError::Full { entries_max: self.entries_max });
        }
        self.expiry_by_nonce.insert(nonce, expiry_ms);
        self.by_expiry.insert((expiry_ms, nonce));
        Ok(())
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.expiry_by_nonce.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.expiry_by_nonce.is_empty()
    }

    fn forget_until(&mut self, now_ms: u64) {
        while let Some((expiry_ms, nonce)) = self.by_expiry.first().copied() {
            if expiry_ms > now_ms {
                break;
            }
            self.by_expiry.pop_first();
            self.expiry_by_nonce.remove(&nonce);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nonce(n: u8) -> Nonce {
        Nonce([n; 16])
    }

    #[test]
    fn a_ticket_is_good_once() {
        let mut used = UsedTickets::new(8);
        assert_eq!(used.note(nonce(1), 100, 0), Ok(()));
        assert_eq!(used.note(nonce(1), 100, 99), Err(UsedError::Used));
    }

    #[test]
    fn the_memory_ends_with_the_tickets() {
        let mut used = UsedTickets::new(2);
        for round in 0..1_000u64 {
            let nonce = Nonce(u128::from(round).to_le_bytes());
            assert_eq!(used.note(nonce, round * 10 + 15, round * 10), Ok(()));
            assert!(used.len() <= 2);
        }
    }

    #[test]
    fn a_full_memory_takes_no_ticket_rather_than_one_twice() {
        let mut used = UsedTickets::new(1);
        assert_eq!(used.note(nonce(1), 100, 0), Ok(()));
        assert_eq!(used.note(nonce(2), 100, 0), Err(UsedError::Full { entries_max: 1 }));
        assert_eq!(used.note(nonce(2), 200, 100), Ok(()));
    }
}
