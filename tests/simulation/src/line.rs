//! What one player's line is like at each moment of a match.

use fairshot_transport::link::{Grade, GradePlayer, Line};
use std::time::Duration;

/// Nothing is carried upward from then until then, counted from the beginning of the match; what was sent
/// meanwhile waits in the line's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    pub from: Duration,
    pub until: Duration,
}

/// A line over the time of a match: a grade or a steady line, with faults and stalls laid over it.
#[derive(Clone, Debug)]
pub struct Course {
    base: Base,
    /// Laid over the base's own.
    jitter: Duration,
    duplication: f64,
    packet_size_max: usize,
    holds: Vec<Hold>,
}

#[derive(Clone, Debug)]
enum Base {
    Steady(Line),
    Graded { up: Box<GradePlayer>, down: Box<GradePlayer> },
}

impl Course {
    /// The same all the time.
    #[must_use]
    pub fn steady(line: Line) -> Self {
        Self {
            base: Base::Steady(line),
            jitter: line.jitter,
            duplication: line.duplication,
            packet_size_max: line.packet_size_max,
            holds: Vec::new(),
        }
    }

    /// As a cellular connection changes, `ahead` steps in; with `reorders` a jump of the latency turns
    /// packets round.
    ///
    /// # Panics
    /// Where there is no grade of that name.
    #[must_use]
    pub fn graded(grade: &str, ahead: usize, reorders: bool) -> Self {
        let grade = Grade::named(grade).unwrap_or_else(|| panic!("no grade is called {grade}"));
        let player = || Box::new(GradePlayer::new(grade.clone(), ahead, reorders));
        Self {
            base: Base::Graded { up: player(), down: player() },
            ..Self::steady(Line::default())
        }
    }

    /// Each packet takes up to this much longer.
    #[must_use]
    pub fn jitter(self, jitter: Duration) -> Self {
        Self { jitter, ..self }
    }

    /// Parts of 1 that are delivered twice.
    #[must_use]
    pub fn duplication(self, duplication: f64) -> Self {
        Self { duplication, ..self }
    }

    /// Larger packets vanish.
    #[must_use]
    pub fn packet_size_max(self, packet_size_max: usize) -> Self {
        Self { packet_size_max, ..self }
    }

    #[must_use]
    pub fn hold(mut self, hold: Hold) -> Self {
        self.holds.push(hold);
        self
    }

    /// The line up and the line down. Ask with rising times.
    pub(crate) fn at(&mut self, since: Duration) -> (Line, Line) {
        let (mut up, mut down) = match &mut self.base {
            Base::Steady(line) => (*line, *line),
            Base::Graded { up, down } => (up.line(since), down.line(since)),
        };
        for line in [&mut up, &mut down] {
            line.jitter = self.jitter;
            line.duplication = self.duplication;
            line.packet_size_max = self.packet_size_max;
        }
        if self.holds.iter().any(|hold| (hold.from..hold.until).contains(&since)) {
            up.bytes_per_second = Some(0.0);
        }
        (up, down)
    }
}
