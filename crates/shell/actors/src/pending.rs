//! How many messages of this step still wait in a mailbox of the shard's actors.
//!
//! The shard sends on what it received, lets its actors run, ticks its rooms and flushes what they
//! said. It moves on once nothing waits any more, so that a datagram is in the tick it came before.

use std::cell::Cell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

/// Yields between two phases of a step at the most; what waits longer is taken in the next step.
const YIELDS_MAX: u32 = 256;

/// One count shared by a shard and its actors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending(Rc<Cell<usize>>);

impl Pending {
    /// A message was put in a mailbox.
    pub(crate) fn sent(&self) {
        self.0.set(self.0.get() + 1);
    }

    /// A message was taken out of it.
    pub(crate) fn handled(&self) {
        self.0.set(self.0.get().saturating_sub(1));
    }

    /// Lets the actors run until nothing waits. A message that died with its actor is forgotten.
    pub(crate) async fn settle(&self) {
        for _ in 0..YIELDS_MAX {
            if self.0.get() == 0 {
                return;
            }
            give_way().await;
        }
        self.0.set(0);
    }
}

/// Lets every task run that is ready now. Unlike the runtime's own yield it does not ask the reactor
/// for news first, which would cost a system call each time, a thousand and more a second.
async fn give_way() {
    let mut gave = false;
    poll_fn(|context| {
        if gave {
            return Poll::Ready(());
        }
        gave = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
