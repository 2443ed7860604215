//! What waits to go down one session's ordered stream: one order, three bounds.
//!
//! Event batches stay counted until the client says in a frame that it has read them, so a client
//! that reads bytes and does nothing with them is as slow as one that reads none. Weapon commands
//! and grants share their order but not their bound: a flood of events never refuses a command, and
//! a flood of commands never ends a session.

use bytes::Bytes;
use std::collections::VecDeque;

/// Batches that may be unacknowledged.
pub const BATCHES_MAX: usize = 256;
/// Their bytes.
pub const BATCH_BYTES_MAX: usize = 64 * 1024;
/// Weapon commands and grants that may wait for the path.
pub const COMMANDS_MAX: usize = 1024;
/// Answers to a game's own commands that may wait for the path.
pub const REPLIES_MAX: usize = 256;
/// Bytes handed to the transport ahead of what it can send.
const HANDED_BYTES_MAX: usize = 16 * 1024;

/// The next batch would pass what may wait unacknowledged; the session is being closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{batches} batches of {bytes} bytes wait unacknowledged")]
pub struct Slow {
    pub batches: usize,
    pub bytes: usize,
}

/// As many wait as may; nothing was queued, and nothing else happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Full {
    #[error("{max} wait already")]
    Full { max: usize },
    #[error("the session is gone")]
    Gone,
}

/// How much waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Depths {
    /// Batches queued and not yet acknowledged in a frame, and their bytes.
    pub batches: usize,
    pub batch_bytes: usize,
    /// Commands and grants not yet handed to the path.
    pub commands: usize,
    pub replies: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Batch,
    Command,
    Reply,
}

/// One session's queue.
#[derive(Debug, Default)]
pub(crate) struct DownQueue {
    waiting: VecDeque<(Kind, Bytes)>,
    commands: usize,
    replies: usize,
    /// Sizes of the batches not yet acknowledged, oldest first.
    unacknowledged: VecDeque<u32>,
    unacknowledged_bytes: usize,
    /// The number of the last batch queued; they count from 1.
    last_batch: u32,
}

impl DownQueue {
    /// The number the next batch will have.
    pub(crate) fn next_batch(&self) -> u32 {
        self.last_batch.wrapping_add(1)
    }

    pub(crate) fn push_batch(&mut self, bytes: Bytes) -> Result<(), Slow> {
        let size = bytes.len();
        if self.unacknowledged.len() >= BATCHES_MAX
            || self.unacknowledged_bytes + size > BATCH_BYTES_MAX
        {
            return Err(Slow {
                batches: self.unacknowledged.len(),
                bytes: self.unacknowledged_bytes,
            });
        }
        self.last_batch = self.next_batch();
        self.unacknowledged.push_back(u32::try_from(size).unwrap_or(u32::MAX));
        self.unacknowledged_bytes += size;
        self.waiting.push_back((Kind::Batch, bytes));
        Ok(())
    }

    pub(crate) fn check_command(&self) -> Result<(), Full> {
        if self.commands >= COMMANDS_MAX {
            return Err(Full::Full { max: COMMANDS_MAX });
        }
        Ok(())
    }

    pub(crate) fn push_command(&mut self, bytes: Bytes) -> Result<(), Full> {
        self.check_command()?;
        self.commands += 1;
        self.waiting.push_back((Kind::Command, bytes));
        Ok(())
    }

    pub(crate) fn push_reply(&mut self, bytes: Bytes) -> Result<(), Full> {
        if self.replies >= REPLIES_MAX {
            return Err(Full::Full { max: REPLIES_MAX });
        }
        self.replies += 1;
        self.waiting.push_back((Kind::Reply, bytes));
        Ok(())
    }

    /// Every batch up to that number was read. A number never given out acknowledges nothing.
    pub(crate) fn acknowledge(&mut self, batch: u32) {
        let behind = self.last_batch.wrapping_sub(batch) as usize;
        while self.unacknowledged.len() > behind {
            let size = self.unacknowledged.pop_front().unwrap_or(0);
            self.unacknowledged_bytes -= size as usize;
        }
    }

    /// What goes to the transport now, while it has less than its share waiting.
    pub(crate) fn next_to_hand(&mut self, handed_bytes: usize) -> Option<Bytes> {
        if handed_bytes >= HANDED_BYTES_MAX {
            return None;
        }
        self.pop()
    }

    pub(crate) fn pop(&mut self) -> Option<Bytes> {
        let (kind, bytes) = self.waiting.pop_front()?;
        match kind {
            Kind::Batch => {}
            Kind::Command => self.commands -= 1,
            Kind::Reply => self.replies -= 1,
        }
        Some(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(crate) fn depths(&self) -> Depths {
        Depths {
            batches: self.unacknowledged.len(),
            batch_bytes: self.unacknowledged_bytes,
            commands: self.commands,
            replies: self.replies,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_257th_unacknowledged_batch_is_slow_and_an_acknowledgement_makes_room() {
        let mut queue = DownQueue::default();
        for _ in 0..BATCHES_MAX {
            queue.push_batch(Bytes::from_static(b"batch")).expect("room");
        }
        let slow = queue.push_batch(Bytes::from_static(b"batch"));
        assert_eq!(slow, Err(Slow { batches: 256, bytes: 1280 }));
        while queue.pop().is_some() {}
        assert_eq!(queue.depths().batches, 256, "sending a batch acknowledges nothing");
        queue.acknowledge(200);
        assert_eq!(queue.depths().batches, 56);
        queue.acknowledge(100);
        assert_eq!(queue.depths().batches, 56, "an older number takes nothing back");
        queue.acknowledge(999);
        assert_eq!(queue.depths().batches, 56, "a number never given out acknowledges nothing");
        queue.acknowledge(256);
        assert_eq!(queue.depths(), Depths::default());
    }

    #[test]
    fn bytes_bound_batches_too() {
        let mut queue = DownQueue::default();
        queue.push_batch(vec![0; BATCH_BYTES_MAX].into()).expect("exactly the bound");
        assert!(queue.push_batch(Bytes::from_static(b"x")).is_err());
    }

    #[test]
    fn a_full_command_queue_refuses_the_next_and_events_still_pass() {
        let mut queue = DownQueue::default();
        for _ in 0..COMMANDS_MAX {
            queue.push_command(Bytes::from_static(b"give")).expect("room");
        }
        let full = queue.push_command(Bytes::from_static(b"give"));
        assert_eq!(full, Err(Full::Full { max: COMMANDS_MAX }));
        assert_eq!(queue.depths().commands, COMMANDS_MAX);
        queue.push_batch(Bytes::from_static(b"batch")).expect("a bound of its own");
        queue.pop();
        queue.push_command(Bytes::from_static(b"give")).expect("room again");
    }

    #[test]
    fn everything_leaves_in_the_order_it_came() {
        let mut queue = DownQueue::default();
        queue.push_command(Bytes::from_static(b"1")).expect("room");
        queue.push_batch(Bytes::from_static(b"2")).expect("room");
        queue.push_reply(Bytes::from_static(b"3")).expect("room");
        queue.push_command(Bytes::from_static(b"4")).expect("room");
        let order: Vec<Bytes> = std::iter::from_fn(|| queue.next_to_hand(0)).collect();
        assert_eq!(order.concat(), b"1234");
        assert_eq!(queue.next_to_hand(HANDED_BYTES_MAX), None);
    }

    #[test]
    fn batch_numbers_wrap_without_losing_count() {
        let mut queue = DownQueue { last_batch: u32::MAX - 1, ..DownQueue::default() };
        for _ in 0..4 {
            queue.push_batch(Bytes::from_static(b"x")).expect("room");
        }
        assert_eq!(queue.last_batch, 2);
        queue.acknowledge(u32::MAX);
        assert_eq!(queue.depths().batches, 3);
        queue.acknowledge(2);
        assert_eq!(queue.depths().batches, 0);
    }
}
