//! What a ledger holds: under 1 KiB at rest, under 64 KiB whatever is sent.

use crate::driver::*;
use crate::weapons::*;
use fairshot_units::{Revision, WeaponCommand};

const OWNED: [fairshot_units::WeaponId; 6] = [DEAGLE, SAWNOFF, UZI, M4, SNIPER, FLAMES];

#[test]
fn a_player_at_rest_holds_less_than_a_kibibyte() {
    let mut server = Server::new();
    server.settle(&OWNED.map(|weapon| give(weapon, 500)));
    let mut total = 500;
    for step in 0..2000_u32 {
        server.now_ms += 16;
        server.frame(6, M4, total, 30);
        if step % 10 == 0 {
            total -= 1;
            server.shot(6, M4, total);
        }
    }
    assert_eq!(server.total(M4), Some(300));
    let bytes = server.ledger.memory_bytes();
    println!("at rest: {bytes} bytes");
    assert!(bytes < 1024, "{bytes} bytes");
}

#[test]
fn the_worst_a_server_and_a_forger_can_do_holds_less_than_64_kibibytes() {
    let mut server = worst();
    let bytes = server.ledger.memory_bytes();
    println!("worst: {bytes} bytes");
    assert!(bytes < 64 * 1024, "{bytes} bytes");
    // And it is given back as the storm ends.
    server.now_ms += 10;
    let newest = server.ledger.revision();
    server.frame(newest.0, FISTS, 0, 0);
    server.now_ms += 1001;
    server.frame(newest.0, FISTS, 0, 0);
    let bytes = server.ledger.memory_bytes();
    println!("after the storm: {bytes} bytes");
    assert!(bytes < 12 * 1024, "{bytes} bytes");
}

/// All 1,024 revisions pending, every slot's segments retained, and a gap before every shot.
fn worst() -> Server {
    let mut server = Server::new();
    let mut weapons = OWNED.iter().cycle();
    let fills = [KNIFE, GRENADE, SPRAYCAN, DETONATOR];
    server.settle(&fills.map(|weapon| give(weapon, 9)));
    server.now_ms += 1001;
    while server.order(give(*weapons.next().expect("a cycle"), 60)).is_ok() {}
    assert_eq!(server.ledger.revision(), Revision(4 + 1024));
    for rev in 5..1029 {
        let weapon = OWNED[usize::from(rev - 5) % OWNED.len()];
        // Numbers go up by two or three, and rounds are left out: a gap each.
        server.number();
        server.number();
        server.shot(rev, weapon, 30);
    }
    server.order(WeaponCommand::Clear).expect_err("it is full");
    server
}
