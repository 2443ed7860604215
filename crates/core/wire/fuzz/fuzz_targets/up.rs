//! The stream up: cut into messages and read.
#![no_main]

use fairshot_wire::{StreamReader, Up};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut cutter = StreamReader::up();
    for piece in bytes.chunks(61) {
        cutter.push(piece);
        loop {
            match cutter.next_message() {
                Ok(Some(message)) => drop(Up::decode(message)),
                Ok(None) => break,
                Err(_) => return,
            }
        }
    }
});
