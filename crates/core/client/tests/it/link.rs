//! A one-way link in virtual time: latency, jitter (which reorders), loss, doubling, stalls.

use std::collections::BTreeMap;

/// splitmix64.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, below: u64) -> u64 {
        self.next() % below.max(1)
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Path {
    pub latency_us: u64,
    pub jitter_us: u64,
    pub loss_percent: u64,
    pub double_percent: u64,
}

pub struct Link {
    pub path: Path,
    /// Nothing is delivered before this; what is sent meanwhile comes then.
    pub stalled_until_us: u64,
    flying: BTreeMap<(u64, u64), Vec<u8>>,
    sent: u64,
    /// Where the ordered stream is: nothing on it overtakes.
    ordered_us: u64,
    grade: Option<Grade>,
}

/// A grade of `cellular_grades.csv` as it is played.
#[derive(Clone)]
pub struct Grade {
    steps: Vec<Step>,
    /// When the next lossy step begins.
    lossy_us: u64,
}

#[derive(Clone, Copy)]
struct Step {
    round_trip_us: u64,
    gap_us: u64,
    loss_percent: u64,
}

const STEP_US: u64 = 70_000;

impl Grade {
    pub fn named(name: &str) -> Self {
        let number = |text: &str| text.parse::<f64>().unwrap();
        let steps: Vec<Step> = include_str!("../data/cellular_grades.csv")
            .lines()
            .map(|line| line.split(',').collect::<Vec<_>>())
            .filter(|row| row[0] == name)
            .map(|row| Step {
                round_trip_us: (number(row[2]) * 1e3) as u64,
                gap_us: (number(row[4]) * 1e6) as u64,
                loss_percent: number(row[5]) as u64,
            })
            .collect();
        assert_eq!(steps.len(), 200, "{name}");
        Self { lossy_us: steps[0].gap_us, steps }
    }

    fn step(&self, now_us: u64) -> Step {
        self.steps[(now_us / STEP_US) as usize % self.steps.len()]
    }

    fn loses(&mut self, now_us: u64, rng: &mut Rng) -> bool {
        if now_us >= self.lossy_us + STEP_US {
            self.lossy_us = now_us + self.step(now_us).gap_us;
        }
        now_us >= self.lossy_us && rng.chance(self.step(now_us).loss_percent)
    }
}

impl Link {
    pub fn new(path: Path) -> Self {
        Self {
            path,
            stalled_until_us: 0,
            flying: BTreeMap::new(),
            sent: 0,
            ordered_us: 0,
            grade: None,
        }
    }

    pub fn play(&mut self, grade: Grade) {
        self.grade = Some(grade);
    }

    pub fn send(&mut self, now_us: u64, bytes: Vec<u8>, rng: &mut Rng) {
        for _ in 0..1 + u64::from(rng.chance(self.path.double_percent)) {
            if !self.loses(now_us, rng) {
                let at = self.arrival(now_us, rng);
                self.put(at, bytes.clone());
            }
        }
    }

    /// Bytes of a stream: late where a datagram would be lost, never out of order.
    pub fn send_ordered(&mut self, now_us: u64, bytes: Vec<u8>, rng: &mut Rng) {
        let mut at = self.arrival(now_us, rng);
        while self.loses(now_us, rng) {
            at += 2 * self.path.latency_us + 10_000;
        }
        self.ordered_us = self.ordered_us.max(at);
        self.put(self.ordered_us, bytes);
    }

    pub fn arrived(&mut self, now_us: u64) -> Vec<Vec<u8>> {
        let later = self.flying.split_off(&(now_us + 1, 0));
        std::mem::replace(&mut self.flying, later).into_values().collect()
    }

    fn loses(&mut self, now_us: u64, rng: &mut Rng) -> bool {
        let graded = self.grade.as_mut().is_some_and(|grade| grade.loses(now_us, rng));
        graded || rng.chance(self.path.loss_percent)
    }

    fn arrival(&self, now_us: u64, rng: &mut Rng) -> u64 {
        let latency_us = match &self.grade {
            Some(grade) => grade.step(now_us).round_trip_us / 2,
            None => self.path.latency_us,
        };
        let at = now_us + latency_us + rng.below(self.path.jitter_us + 1);
        at.max(self.stalled_until_us)
    }

    fn put(&mut self, at: u64, bytes: Vec<u8>) {
        self.sent += 1;
        self.flying.insert((at, self.sent), bytes);
    }
}
