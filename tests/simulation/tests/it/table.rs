//! What many matches found, by the grade of their lines.

use fairshot_simulation::Findings;
use std::collections::BTreeMap;
use std::fmt;

#[derive(Debug, Default)]
pub struct Table {
    /// In the order they were first played.
    rows: Vec<(&'static str, u64, Findings)>,
}

impl Table {
    pub fn add(&mut self, grade: &'static str, player_seconds: u64, findings: Findings) {
        match self.rows.iter_mut().find(|(known, ..)| *known == grade) {
            Some((_, seconds, row)) => {
                *seconds += player_seconds;
                row.add(findings);
            }
            None => self.rows.push((grade, player_seconds, findings)),
        }
    }

    /// All grades in one.
    pub fn all(&self) -> Findings {
        let mut all = Findings::default();
        self.rows.iter().for_each(|(_, _, row)| all.add(row.clone()));
        all
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "grade | player-minutes | shots | accepted | refused by rule | unseen deaths | unanswered | \
             hits seen | dealt | alike | moved | silence s | held back s"
        )?;
        let seconds = self.rows.iter().map(|(_, seconds, _)| seconds).sum();
        let all = ("all", seconds, self.all());
        for (grade, seconds, row) in self.rows.iter().chain([&all]) {
            let mut by_rule: BTreeMap<&str, u64> = BTreeMap::new();
            for refused in &row.refused {
                *by_rule.entry(refused.rule.label()).or_default() += 1;
            }
            writeln!(
                f,
                "{grade} | {} | {} | {} | {by_rule:?} | {} | {} | {} | {} | {} | {} | {:.2} | {:.2}",
                seconds / 60,
                row.shots,
                row.accepted,
                row.unseen_deaths,
                row.unanswered,
                row.hits_seen,
                row.hits_dealt,
                row.hits_matched,
                row.shots_moved,
                row.stall_worst.silence.as_secs_f32(),
                row.stall_worst.held_back.as_secs_f32(),
            )?;
        }
        Ok(())
    }
}
