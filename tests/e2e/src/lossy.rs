//! A socket that loses, doubles and reorders what passes it, by a seed.

use fairshot_transport::{Arrival, BytesMut, Departure, Network, SendCounters, Socket};
use std::time::{Duration, Instant};

/// What happens to packets, each way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Faults {
    /// Parts of all packets, 0 to 1.
    pub lost: f32,
    pub doubled: f32,
    /// Held back for up to `late` while others pass.
    pub reordered: f32,
    pub late: Duration,
}

impl Faults {
    /// Nothing happens to them.
    pub const NONE: Self = Self { lost: 0.0, doubled: 0.0, reordered: 0.0, late: Duration::ZERO };
}

/// A real socket with faults.
#[derive(Debug)]
pub struct Lossy {
    socket: Socket,
    faults: Faults,
    chance: u64,
    buffer: Vec<u8>,
    leaving: Vec<(Instant, Vec<u8>, Departure)>,
    arriving: Vec<(Instant, Arrival)>,
}

impl Lossy {
    /// `seed` decides which packets are hit.
    #[must_use]
    pub fn new(socket: Socket, faults: Faults, seed: u64) -> Self {
        Self {
            socket,
            faults,
            chance: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            buffer: Vec::new(),
            leaving: Vec::new(),
            arriving: Vec::new(),
        }
    }

    pub fn set_faults(&mut self, faults: Faults) {
        self.faults = faults;
    }

    fn unit(&mut self) -> f32 {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        f32::from(u16::try_from(self.chance >> 48).unwrap_or(0)) / 65536.0
    }

    /// When each copy of a packet goes on: none, one or two of them.
    fn fates(&mut self, now: Instant) -> Vec<Instant> {
        if self.unit() < self.faults.lost {
            return Vec::new();
        }
        let copies = if self.unit() < self.faults.doubled { 2 } else { 1 };
        (0..copies)
            .map(|_| {
                if self.unit() < self.faults.reordered {
                    now + self.faults.late.mul_f32(self.unit())
                } else {
                    now
                }
            })
            .collect()
    }
}

impl Network for Lossy {
    fn receive(&mut self, now: Instant, packets_max: usize, take: &mut dyn FnMut(Arrival)) {
        let mut came = Vec::new();
        self.socket.receive(now, packets_max, &mut |arrival| came.push(arrival));
        for arrival in came {
            for due in self.fates(now) {
                let bytes = BytesMut::from(&arrival.bytes[..]);
                self.arriving.push((due, Arrival { bytes, ..arrival }));
            }
        }
        let mut index = 0;
        while index < self.arriving.len() {
            if self.arriving[index].0 <= now {
                take(self.arriving.swap_remove(index).1);
            } else {
                index += 1;
            }
        }
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        self.buffer.clear();
        &mut self.buffer
    }

    fn commit(&mut self, now: Instant, departure: Departure) {
        let bytes = std::mem::take(&mut self.buffer);
        for due in self.fates(now) {
            self.leaving.push((due, bytes.clone(), departure));
        }
    }

    fn send(&mut self, now: Instant) {
        let (due, later): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.leaving).into_iter().partition(|(due, ..)| *due <= now);
        self.leaving = later;
        for (_, bytes, departure) in due {
            self.socket.buffer().extend_from_slice(&bytes);
            self.socket.commit(now, departure);
        }
        self.socket.send(now);
    }

    fn sent(&self) -> SendCounters {
        self.socket.sent()
    }
}
