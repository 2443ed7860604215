//! A UDP socket that receives and sends in batches and never blocks.

use crate::network::{Arrival, Departure, Network, SendCounters};
use bytes::BytesMut;
use quinn_udp::{BATCH_SIZE, RecvMeta, UdpSockRef, UdpSocketState};
use std::fmt;
use std::io::{self, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::time::Instant;

/// Asked of the kernel; it gives what it allows. A burst is a whole shard's snapshots.
const SOCKET_BUFFER_BYTES: usize = 4 * 1024 * 1024;
/// Buffers filled before one system call sends them all.
pub(crate) const SEND_BATCH: usize = 64;
/// Packets to one peer in one buffer. More is rare, and buffers should stay small.
const SEGMENTS_MAX: usize = 8;
/// The largest packet of ours.
const PACKET_SIZE_MAX: usize = 1500;
/// A buffer that grew beyond this is not kept between two batches.
const BUFFER_KEPT_MAX: usize = 2 * PACKET_SIZE_MAX;
/// The largest packet that may come in; a larger one is cut short and so fails its seal.
const RECEIVED_SIZE: usize = 2048;
/// Memory that small packets share. Small, because one packet kept keeps all of it.
const ARENA_BYTES: usize = 4096;
const ARENA_PACKET_MAX: usize = 512;

/// A bound UDP socket with its receive and send batches.
pub struct Socket {
    socket: UdpSocket,
    state: UdpSocketState,
    address: SocketAddr,
    received: Vec<u8>,
    /// Small packets share its memory, which saves two allocations each.
    arena: BytesMut,
    buffers: Vec<Vec<u8>>,
    departures: Vec<Departure>,
    /// A wildcard address needs the source named in each packet; any other is its own source.
    names_source: bool,
    #[cfg(target_os = "linux")]
    batch: crate::sendmmsg::Batch,
    counters: SendCounters,
}

impl Socket {
    /// Binds `address`; port 0 takes any.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = UdpSocket::bind(address)?;
        let reference = UdpSockRef::from(&socket);
        let state = UdpSocketState::new(UdpSockRef::from(&socket))?;
        // Smaller buffers than asked for are no error, only more loss in a burst.
        let _ = state.set_recv_buffer_size(UdpSockRef::from(&socket), SOCKET_BUFFER_BYTES);
        let _ = state.set_send_buffer_size(reference, SOCKET_BUFFER_BYTES);
        let address = socket.local_addr()?;
        without_receive_extras(&socket);
        Ok(Self {
            names_source: address.ip().is_unspecified(),
            address,
            received: vec![0; RECEIVED_SIZE * BATCH_SIZE],
            arena: BytesMut::new(),
            buffers: (0..SEND_BATCH).map(|_| Vec::new()).collect(),
            departures: Vec::with_capacity(SEND_BATCH),
            #[cfg(target_os = "linux")]
            batch: crate::sendmmsg::Batch::new(),
            counters: SendCounters::default(),
            socket,
            state,
        })
    }

    /// The bound address, with the port the system chose.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The socket itself, for an owner that waits for readiness.
    #[must_use]
    pub fn udp(&self) -> &UdpSocket {
        &self.socket
    }

    fn receive_batch(&mut self, take: &mut dyn FnMut(Arrival)) -> io::Result<(usize, bool)> {
        let mut metas = [RecvMeta::default(); BATCH_SIZE];
        let mut chunks = self.received.chunks_exact_mut(RECEIVED_SIZE);
        let mut slices: [IoSliceMut<'_>; BATCH_SIZE] = std::array::from_fn(|_| {
            IoSliceMut::new(chunks.next().expect("one buffer for each message of a batch"))
        });
        let filled = self.state.recv(UdpSockRef::from(&self.socket), &mut slices, &mut metas)?;
        let mut packets = 0;
        for (meta, slice) in metas.iter().zip(&slices).take(filled) {
            let bytes = &slice[..meta.len.min(slice.len())];
            for packet in bytes.chunks(meta.stride.max(1)) {
                packets += 1;
                take(Arrival {
                    from: meta.addr,
                    to: meta.dst_ip,
                    congestion_mark: meta
                        .ecn
                        .and_then(|mark| quinn_proto::EcnCodepoint::from_bits(mark as u8)),
                    bytes: copy(&mut self.arena, packet),
                });
            }
        }
        Ok((packets, filled < BATCH_SIZE))
    }

    fn send_one(&mut self, at: usize) {
        let (departure, contents) = (&self.departures[at], self.buffers[at].as_slice());
        let packets = departure.packets(contents.len()) as u64;
        let transmit = quinn_udp::Transmit {
            destination: departure.to,
            ecn: departure
                .congestion_mark
                .and_then(|mark| quinn_udp::EcnCodepoint::from_bits(mark as u8)),
            contents,
            segment_size: departure.segment_size,
            src_ip: departure.from.filter(|_| self.names_source),
        };
        self.counters.calls += 1;
        if self.state.try_send(UdpSockRef::from(&self.socket), &transmit).is_err() {
            self.counters.packets_lost += packets;
        }
    }

    #[cfg(target_os = "linux")]
    fn send_all(&mut self) {
        let mut at = 0;
        while at < self.departures.len() {
            self.counters.calls += 1;
            let sent = self.batch.send(
                &self.socket,
                &self.buffers[at..self.departures.len()],
                &self.departures[at..],
                self.names_source,
            );
            match sent {
                Ok(count) => at += count.max(1),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let lost = self.departures[at..].iter().zip(&self.buffers[at..]);
                    self.counters.packets_lost +=
                        lost.map(|(d, b)| d.packets(b.len()) as u64).sum::<u64>();
                    return;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // One message the kernel will not take: quinn's own path knows the old kernels.
                Err(_) => {
                    self.send_one(at);
                    at += 1;
                }
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn send_all(&mut self) {
        for at in 0..self.departures.len() {
            self.send_one(at);
        }
    }
}

/// A packet's own bytes: cut from the arena when small.
fn copy(arena: &mut BytesMut, packet: &[u8]) -> BytesMut {
    if packet.len() > ARENA_PACKET_MAX {
        return BytesMut::from(packet);
    }
    if arena.capacity() < packet.len() {
        // Takes the same memory again when every packet cut from it is gone, as is usual.
        arena.reserve(ARENA_BYTES);
    }
    arena.extend_from_slice(packet);
    arena.split()
}

/// Turns off what quinn-udp turns on and a server of many small peers pays for and never uses:
/// merged receiving (it helps one fast sender) and a timestamp with every packet.
#[cfg(target_os = "linux")]
fn without_receive_extras(socket: &UdpSocket) {
    crate::sendmmsg::turn_off(socket, libc::SOL_UDP, libc::UDP_GRO);
    crate::sendmmsg::turn_off(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS);
}

#[cfg(not(target_os = "linux"))]
fn without_receive_extras(_socket: &UdpSocket) {}

impl Network for Socket {
    fn receive(&mut self, _now: Instant, packets_max: usize, take: &mut dyn FnMut(Arrival)) {
        let mut packets = 0;
        // An error here tells of one earlier packet (an ICMP answer), so a few are stepped over.
        let mut errors_left = 8;
        while packets < packets_max {
            match self.receive_batch(take) {
                Ok((_, true)) => return,
                Ok((count, false)) => packets += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) if errors_left > 0 => errors_left -= 1,
                Err(_) => return,
            }
        }
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        let buffer = &mut self.buffers[self.departures.len()];
        buffer.clear();
        buffer.reserve(PACKET_SIZE_MAX);
        buffer
    }

    fn commit(&mut self, now: Instant, departure: Departure) {
        let bytes = self.buffers[self.departures.len()].len();
        self.counters.packets += departure.packets(bytes) as u64;
        self.counters.bytes += bytes as u64;
        self.departures.push(departure);
        if self.departures.len() == SEND_BATCH {
            self.send(now);
        }
    }

    fn send(&mut self, _now: Instant) {
        self.send_all();
        for buffer in &mut self.buffers[..self.departures.len()] {
            // A welcome fills several packets; every buffer comes to carry one some day, and would keep
            // the room for it.
            if buffer.capacity() > BUFFER_KEPT_MAX {
                *buffer = Vec::new();
            }
        }
        self.departures.clear();
    }

    fn segments_max(&self) -> usize {
        self.state.max_gso_segments().min(SEGMENTS_MAX)
    }

    fn may_discover_path(&self) -> bool {
        !self.state.may_fragment()
    }

    fn sent(&self) -> SendCounters {
        self.counters
    }
}

impl fmt::Debug for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Socket").field("address", &self.address).finish_non_exhaustive()
    }
}
