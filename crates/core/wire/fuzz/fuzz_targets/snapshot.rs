//! Snapshots: a row of datagrams, each behind its length, so that later ones build on earlier ones.
#![no_main]

use fairshot_units::{EntityId, Tick};
use fairshot_wire::snapshot::{ENTITIES_MAX, SnapshotReader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut reader = SnapshotReader::new(EntityId(0), Tick(1000));
    let mut rest = bytes;
    while let Some((length, after)) = rest.split_first() {
        let length = usize::from(*length).min(after.len());
        let (datagram, after) = after.split_at(length);
        if let Ok(snapshot) = reader.read(datagram) {
            assert!(snapshot.states.len() <= ENTITIES_MAX);
            assert!(snapshot.own.position_m.is_finite());
        }
        rest = after;
    }
});
