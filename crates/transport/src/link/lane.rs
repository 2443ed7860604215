//! One direction of a line: a queue before a bottleneck, then the way, with its luck.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// One direction of a line between two places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    pub latency: Duration,
    /// Each packet takes up to this much longer, evenly spread.
    pub jitter: Duration,
    /// Whether a packet may arrive before one sent earlier.
    pub reorders: bool,
    /// Parts of 1: packets lost, and packets delivered twice.
    pub loss: f64,
    pub duplication: f64,
    /// Bytes a second the line carries; `None` is no limit.
    pub bytes_per_second: Option<f64>,
    /// Bytes that may wait for the line; more are lost.
    pub queue_bytes_max: usize,
    /// Largest UDP payload; larger ones vanish.
    pub packet_size_max: usize,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            latency: Duration::ZERO,
            jitter: Duration::ZERO,
            reorders: true,
            loss: 0.0,
            duplication: 0.0,
            bytes_per_second: None,
            queue_bytes_max: 64 * 1024,
            packet_size_max: 1472,
        }
    }
}

/// SplitMix64: small, seeded, and the same everywhere.
#[derive(Clone, Debug)]
pub(crate) struct Luck(u64);

impl Luck {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number in [0, 1).
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    fn fraction(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        (mixed >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Packets on one direction, in their queue and on their way.
#[derive(Debug)]
pub(crate) struct Lane<T> {
    queue: VecDeque<(usize, T)>,
    queue_bytes: usize,
    /// Bytes of the first waiting packet that the line has carried already.
    carried: f64,
    served: Option<Instant>,
    last_arrival: Option<Instant>,
    flying: BTreeMap<(Instant, u64), T>,
    number: u64,
}

impl<T> Default for Lane<T> {
    fn default() -> Self {
        Self {
            queue: VecDeque::new(),
            queue_bytes: 0,
            carried: 0.0,
            served: None,
            last_arrival: None,
            flying: BTreeMap::new(),
            number: 0,
        }
    }
}

impl<T: Clone> Lane<T> {
    pub(crate) fn push(
        &mut self,
        now: Instant,
        line: &Line,
        luck: &mut Luck,
        size: usize,
        item: T,
    ) {
        // Drawn for every packet, so that one lost does not change the fate of the next.
        let (lost, doubled) = (luck.fraction() < line.loss, luck.fraction() < line.duplication);
        if lost || size > line.packet_size_max {
            return;
        }
        self.serve(now, line, luck);
        // What a thin line still holds goes first.
        if line.bytes_per_second.is_none() && self.queue.is_empty() {
            return self.fly(now, line, luck, doubled, item);
        }
        if self.queue_bytes + size <= line.queue_bytes_max {
            self.queue_bytes += size;
            self.queue.push_back((size, item));
        }
    }

    /// The next packet that has arrived.
    pub(crate) fn pop(&mut self, now: Instant, line: &Line, luck: &mut Luck) -> Option<T> {
        self.arrived(now, line, luck)?;
        self.flying.pop_first().map(|(_, item)| item)
    }

    /// When the next packet arrived, if one has.
    pub(crate) fn arrived(
        &mut self,
        now: Instant,
        line: &Line,
        luck: &mut Luck,
    ) -> Option<Instant> {
        self.serve(now, line, luck);
        self.flying.keys().next().map(|key| key.0).filter(|arrival| *arrival <= now)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.flying.is_empty()
    }

    /// When the next packet arrives of those past the queue.
    pub(crate) fn next_arrival(&self) -> Option<Instant> {
        self.flying.keys().next().map(|key| key.0)
    }

    /// Lets the line carry what it could since it was last asked, at the rate it has now.
    fn serve(&mut self, now: Instant, line: &Line, luck: &mut Luck) {
        let since = self.served.map_or(Duration::ZERO, |at| now.saturating_duration_since(at));
        self.served = Some(now);
        if self.queue.is_empty() {
            self.carried = 0.0;
            return;
        }
        self.carried = match line.bytes_per_second {
            Some(rate) => self.carried + rate * since.as_secs_f64(),
            None => f64::INFINITY,
        };
        #[expect(clippy::cast_precision_loss, reason = "a packet's size")]
        while let Some((size, _)) = self.queue.front()
            && self.carried >= *size as f64
        {
            self.carried -= *size as f64;
            self.queue_bytes -= size;
            if let Some((_, item)) = self.queue.pop_front() {
                self.fly(now, line, luck, false, item);
            }
        }
    }

    fn fly(&mut self, now: Instant, line: &Line, luck: &mut Luck, doubled: bool, item: T) {
        for _ in 0..=usize::from(doubled) {
            let mut arrival = now + line.latency + line.jitter.mul_f64(luck.fraction());
            if !line.reorders {
                arrival = self.last_arrival.map_or(arrival, |last| arrival.max(last));
                self.last_arrival = Some(arrival);
            }
            self.number += 1;
            self.flying.insert((arrival, self.number), item.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thin_line_carries_its_rate_and_loses_what_its_queue_cannot_hold() {
        let line = Line { bytes_per_second: Some(1000.0), queue_bytes_max: 500, ..Line::default() };
        let (mut lane, mut luck) = (Lane::default(), Luck::new(1));
        let start = Instant::now();
        for number in 0..10 {
            lane.push(start, &line, &mut luck, 100, number);
        }
        let mut came = Vec::new();
        for ms in (0..2000).step_by(10) {
            let now = start + Duration::from_millis(ms);
            while let Some(number) = lane.pop(now, &line, &mut luck) {
                came.push((number, ms));
            }
        }
        assert_eq!(came, [(0, 100), (1, 200), (2, 300), (3, 400), (4, 500)]);
        assert!(lane.is_empty());
    }

    #[test]
    fn a_line_that_carried_nothing_gives_back_all_it_held_once_it_has_no_limit_again() {
        let held = Line { bytes_per_second: Some(0.0), ..Line::default() };
        let (mut lane, mut luck) = (Lane::default(), Luck::new(1));
        let start = Instant::now();
        for number in 0..3 {
            lane.push(start, &held, &mut luck, 100, number);
        }
        let later = start + Duration::from_secs(1);
        assert_eq!(lane.pop(later, &held, &mut luck), None);
        let free = Line::default();
        let came: Vec<i32> = std::iter::from_fn(|| lane.pop(later, &free, &mut luck)).collect();
        assert_eq!(came, [0, 1, 2]);
        lane.push(later, &free, &mut luck, 100, 3);
        assert_eq!(lane.pop(later, &free, &mut luck), Some(3));
    }

    #[test]
    fn a_line_that_keeps_its_order_keeps_it_when_it_gets_shorter() {
        let (mut lane, mut luck) = (Lane::default(), Luck::new(1));
        let start = Instant::now();
        let long = Line { latency: Duration::from_millis(300), reorders: false, ..Line::default() };
        let short = Line { latency: Duration::from_millis(20), ..long };
        lane.push(start, &long, &mut luck, 10, 1);
        lane.push(start, &short, &mut luck, 10, 2);
        let late = start + Duration::from_secs(1);
        assert_eq!(lane.pop(start + Duration::from_millis(299), &short, &mut luck), None);
        assert_eq!(lane.pop(late, &short, &mut luck), Some(1));
        assert_eq!(lane.pop(late, &short, &mut luck), Some(2));
    }
}
