//! What one connected player costs the server at rest, counted by the allocator itself.

mod common;

use common::House;
use fairshot_transport::link::Line;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Counts what is freed as the gateway is dropped: everything it held.
struct Counting;

static COUNTS: AtomicBool = AtomicBool::new(false);
static BYTES: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to the system's allocator as it came; counting touches no memory of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if COUNTS.load(Ordering::Relaxed) {
            BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        }
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
                client.say(&common::hello(b"ticket"));
            }
            client.frame();
            client.step(house.now);
            client.datagrams.clear();
        }
        house.now += common::STEP;
    }
    assert_eq!(sessions.len(), usize::from(PLAYERS));
    let House { gateway, .. } = house;
    COUNTS.store(true, Ordering::Relaxed);
    drop(gateway);
    COUNTS.store(false, Ordering::Relaxed);
    let each = BYTES.load(Ordering::Relaxed) / usize::from(PLAYERS);
    println!("{:.1} KiB a player", each as f64 / 1024.0);
    assert!((8 * 1024..64 * 1024).contains(&each), "{each} bytes a player");
}
