//! What one connected player costs the server at rest, counted by the allocator itself.

use crate::common::House;
use fairshot_transport::link::Line;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what one thread frees as it drops a gateway: everything that held. Tests beside it run on threads of
/// their own and are not counted.
struct Counting;

thread_local! {
    /// The bytes freed since counting began; `None` counts nothing.
    static FREED_BYTES: Cell<Option<usize>> = const { Cell::new(None) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to the system's allocator as it came; counting touches no memory of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // A thread that is ending has none any more.
        let _ = FREED_BYTES.try_with(|freed| {
            freed.set(freed.get().map(|bytes| bytes + layout.size()));
        });
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[test]
fn a_player_at_rest_costs_less_than_64_kib() {
    const PLAYERS: u8 = 50;
    let mut house = House::new(1, Line::default());
    let mut sessions = Vec::new();
    for number in 1..=PLAYERS {
        house.client(number);
    }
    let mut said = vec![false; usize::from(PLAYERS)];
    for tick in 0..64 * 10u32 {
        house.gateway.receive(house.now);
        house.events.extend(std::iter::from_fn(|| house.gateway.next_event()));
        house.accept_all();
        for event in house.events.drain(..) {
            drop(event);
        }
        sessions.clone_from(&house.sessions);
        if tick % 2 == 0 {
            for session in &sessions {
                house.gateway.send_snapshot(*session, vec![1; 400].into());
            }
        }
        house.gateway.flush(house.now);
        for (client, said) in house.clients.iter_mut().zip(&mut said) {
            if client.connected && !*said {
                *said = true;
                client.say(&crate::common::hello(b"ticket"));
            }
            client.frame();
            client.step(house.now);
            client.datagrams.clear();
        }
        house.now += crate::common::STEP;
    }
    assert_eq!(sessions.len(), usize::from(PLAYERS));
    let House { gateway, .. } = house;
    FREED_BYTES.set(Some(0));
    drop(gateway);
    let each = FREED_BYTES.take().unwrap_or(0) / usize::from(PLAYERS);
    println!("{:.1} KiB a player", each as f64 / 1024.0);
    assert!((8 * 1024..64 * 1024).contains(&each), "{each} bytes a player");
}
