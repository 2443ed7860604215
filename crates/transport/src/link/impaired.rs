//! A bad line before a real network: what leaves and what comes in waits, thins out and turns round.

use super::lane::{Lane, Luck};
use super::{GradePlayer, Line};
use crate::network::{Arrival, Departure, Network, SendCounters};
use bytes::BytesMut;
use quinn_proto::EcnCodepoint;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

/// Puts one line, both directions of it, between an endpoint and its network. Step it often: packets
/// leave and come in only when it is asked.
pub struct Impaired<N: Network> {
    inner: N,
    lines: Lines,
    began: Option<Instant>,
    luck: Luck,
    up: Lane<(Departure, Vec<u8>)>,
    down: Lane<Came>,
    buffer: Vec<u8>,
}

enum Lines {
    Steady(Line),
    Grade(Box<GradePlayer>),
}

#[derive(Clone)]
struct Came {
    from: SocketAddr,
    to: Option<IpAddr>,
    mark: Option<EcnCodepoint>,
    bytes: BytesMut,
}

impl<N: Network> Impaired<N> {
    /// A line that stays as it is.
    #[must_use]
    pub fn steady(inner: N, seed: u64, line: Line) -> Self {
        Self::new(inner, seed, Lines::Steady(line))
    }

    /// A line that changes as the grade does.
    #[must_use]
    pub fn graded(inner: N, seed: u64, player: GradePlayer) -> Self {
        Self::new(inner, seed, Lines::Grade(Box::new(player)))
    }

    fn new(inner: N, seed: u64, lines: Lines) -> Self {
        Self {
            inner,
            lines,
            began: None,
            luck: Luck::new(seed),
            up: Lane::default(),
            down: Lane::default(),
            buffer: Vec::new(),
        }
    }

    /// The network behind the line.
    #[must_use]
    pub fn inner(&self) -> &N {
        &self.inner
    }

    fn line(&mut self, now: Instant) -> Line {
        let since = now.saturating_duration_since(*self.began.get_or_insert(now));
        match &mut self.lines {
            Lines::Steady(line) => *line,
            Lines::Grade(player) => player.line(since.max(Duration::ZERO)),
        }
    }

    fn let_go(&mut self, now: Instant, line: &Line) {
        while let Some((departure, bytes)) = self.up.pop(now, line, &mut self.luck) {
            self.inner.buffer().extend_from_slice(&bytes);
            self.inner.commit(now, departure);
        }
        self.inner.send(now);
    }
}

impl<N: Network> Network for Impaired<N> {
    fn receive(&mut self, now: Instant, packets_max: usize, take: &mut dyn FnMut(Arrival)) {
        let line = self.line(now);
        self.let_go(now, &line);
        let Self { inner, down, luck, .. } = self;
        inner.receive(now, packets_max, &mut |arrival| {
            let Arrival { from, to, congestion_mark, bytes } = arrival;
            let size = bytes.len();
            down.push(now, &line, luck, size, Came { from, to, mark: congestion_mark, bytes });
        });
        for _ in 0..packets_max {
            let Some(came) = down.pop(now, &line, luck) else { return };
            let Came { from, to, mark, bytes } = came;
            take(Arrival { from, to, congestion_mark: mark, bytes });
        }
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        self.buffer.clear();
        &mut self.buffer
    }

    fn commit(&mut self, now: Instant, departure: Departure) {
        let line = self.line(now);
        let size = departure.segment_size.unwrap_or(self.buffer.len()).max(1);
        let alone = Departure { segment_size: None, ..departure };
        for packet in self.buffer.chunks(size) {
            let item = (alone, packet.to_vec());
            self.up.push(now, &line, &mut self.luck, packet.len(), item);
        }
    }

    fn send(&mut self, now: Instant) {
        let line = self.line(now);
        self.let_go(now, &line);
    }

    fn sent(&self) -> SendCounters {
        self.inner.sent()
    }
}

impl<N: Network> fmt::Debug for Impaired<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Impaired").finish_non_exhaustive()
    }
}
