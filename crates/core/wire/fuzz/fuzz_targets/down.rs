//! The stream down: cut into messages and read, the table of texts growing as it goes.
#![no_main]

use fairshot_wire::{DownReader, StreamReader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (mut cutter, mut reader) = (StreamReader::down(), DownReader::default());
    for piece in bytes.chunks(61) {
        cutter.push(piece);
        loop {
            match cutter.next_message() {
                Ok(Some(message)) => drop(reader.read(message)),
                Ok(None) => break,
                Err(_) => return,
            }
        }
    }
});
