//! Nine grades of a cellular connection, as recorded figures, and a player of them.

use super::Line;
use std::sync::Arc;
use std::time::Duration;

const TABLE: &str = include_str!("../../data/cellular_grades.csv");
/// How long one step lasts.
const STEP: Duration = Duration::from_millis(70);
const QUEUE_BYTES: usize = 64 * 1024;

/// One grade: 200 steps, played in a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Grade {
    steps: Arc<[Step]>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Step {
    round_trip: Duration,
    bytes_per_second: f64,
    /// Without loss before the next lossy step; `None` is never.
    gap: Option<Duration>,
    loss: f64,
}

impl Grade {
    /// Every grade's name, the best of each family first.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in rows() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The grade of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let steps: Arc<[Step]> =
            rows().filter(|(grade, _)| *grade == name).map(|(_, step)| step).collect();
        (!steps.is_empty()).then_some(Self { steps })
    }
}

/// Plays a grade as both directions of one line.
#[derive(Clone, Debug)]
pub struct GradePlayer {
    grade: Grade,
    /// Steps ahead, so that many players of one grade do not stall together.
    ahead: usize,
    reorders: bool,
    /// When the next lossy step begins, and how much it loses.
    lossy_from: Option<(Duration, f64)>,
    gap_taken: bool,
}

impl GradePlayer {
    /// Begins `ahead` steps in. With `reorders` a jump of the latency may turn packets round.
    #[must_use]
    pub fn new(grade: Grade, ahead: usize, reorders: bool) -> Self {
        Self { grade, ahead, reorders, lossy_from: None, gap_taken: false }
    }

    /// The line `since` the beginning; ask with rising times, at least every 35 ms.
    pub fn line(&mut self, since: Duration) -> Line {
        let step = self.step(since);
        if !self.gap_taken {
            self.gap_taken = true;
            self.lossy_from = step.gap.map(|gap| (since + gap, step.loss));
        }
        let mut loss = 0.0;
        if let Some((from, part)) = self.lossy_from
            && since >= from
        {
            if since < from + STEP {
                loss = part;
            } else {
                self.lossy_from = step.gap.map(|gap| (since + gap, step.loss));
            }
        }
        Line {
            latency: step.round_trip / 2,
            reorders: self.reorders,
            loss,
            bytes_per_second: Some(step.bytes_per_second),
            queue_bytes_max: QUEUE_BYTES,
            ..Line::default()
        }
    }

    fn step(&self, since: Duration) -> Step {
        let played = usize::try_from(since.as_millis() / STEP.as_millis()).unwrap_or(0);
        self.grade.steps[(played + self.ahead) % self.grade.steps.len()]
    }
}

/// The table's rows; a broken one would be left out, and the tests count them.
fn rows() -> impl Iterator<Item = (&'static str, Step)> {
    TABLE.lines().skip(1).filter_map(|row| {
        let mut fields = row.split(',');
        let grade = fields.next()?;
        let mut number = || fields.next()?.trim().parse::<f64>().ok();
        let (_, round_trip_ms, kbit_s, gap_s, loss) =
            (number()?, number()?, number()?, number()?, number()?);
        Some((
            grade,
            Step {
                round_trip: Duration::from_secs_f64(round_trip_ms / 1e3),
                bytes_per_second: kbit_s * 1e3 / 8.0,
                gap: (gap_s < 99_999.0).then(|| Duration::from_secs_f64(gap_s)),
                loss: loss / 100.0,
            },
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_nine_grades_of_two_hundred_steps() {
        let names = Grade::names();
        assert_eq!(names.len(), 9);
        for name in names {
            assert_eq!(Grade::named(name).map(|grade| grade.steps.len()), Some(200), "{name}");
        }
        assert_eq!(Grade::named("tin-cans"), None);
    }

    #[test]
    fn a_grade_is_lossy_for_single_steps_after_its_gaps_and_comes_round_again() {
        let grade = Grade::named("experience_based-verypoor").expect("a grade");
        let mut player = GradePlayer::new(grade.clone(), 0, true);
        let mut lossy = 0;
        let first = player.line(Duration::ZERO);
        assert_eq!(first.loss, 0.0);
        for ms in (5..14_000u64).step_by(5) {
            lossy += u32::from(player.line(Duration::from_millis(ms)).loss > 0.0);
        }
        // A step is 14 looks long; gaps of 0.07 to 6.8 s lie between.
        assert!((200..1400).contains(&lossy), "{lossy}");
        let again = player.line(Duration::from_millis(14_000));
        assert_eq!(
            (again.latency, again.bytes_per_second),
            (first.latency, first.bytes_per_second)
        );
        let noloss = Grade::named("experience_based-noloss").expect("a grade");
        let mut player = GradePlayer::new(noloss, 7, false);
        assert!((0..500).all(|at| player.line(Duration::from_millis(at * 33)).loss == 0.0));
    }
}
