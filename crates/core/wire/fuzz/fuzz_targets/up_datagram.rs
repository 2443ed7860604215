//! Datagrams up: no bytes may panic or pass the caps, and what was read reads the same again.
#![no_main]

use fairshot_wire::{FRAMES_MAX, SHOTS_MAX, UpDatagram, UpLimits};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut malformed = Vec::new();
    let Ok(datagram) = UpDatagram::decode(bytes, &UpLimits::default(), &mut malformed) else {
        return;
    };
    assert!(datagram.frames.len() <= FRAMES_MAX);
    assert!(datagram.shots.len() + malformed.len() <= SHOTS_MAX);
    let mut again = Vec::new();
    datagram.encode(usize::MAX, &mut again);
    let read = UpDatagram::decode(&again, &UpLimits::default(), &mut malformed);
    assert_eq!(read.as_ref(), Ok(&datagram));
});
