//! What the judge remembers of one shooter: her latency, her allowances, her last sixteen shots.

use crate::{Allowance, Latency, Pace};
use fairshot_units::{MessageNumber, Rule, Tick, ViewStep, WeaponId};
use fairshot_world::prefetch;
use serde::{Deserialize, Serialize};

/// Shots kept of one shooter.
pub const FIRED_SHOTS: usize = 16;

/// One shot as the next one's rules may read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FiredShot {
    pub number: MessageNumber,
    pub weapon: WeaponId,
    /// The moment the shot named.
    pub named: ViewStep,
    /// The moment it was judged at.
    pub judged: ViewStep,
    pub landed: Tick,
    pub refused: Option<Rule>,
}

/// Shots of one weapon since a pause long enough to fill its clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClipUse {
    pub fired: u32,
    /// The room's clock at the last of them.
    pub last_clock_ticks: u64,
}

/// Weapons whose allowances lie in the record itself.
const FEW: usize = 4;

/// One shooter, across her lives and until she leaves.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ShooterRecord {
    pub latency: Latency,
    /// One allowance per weapon fired; at most one for each of the 256 ids. Those of the first few weapons
    /// lie here, where a shot finds them without another step through memory.
    few: [(WeaponId, Allowance); FEW],
    few_used: u8,
    more: Vec<(WeaponId, Allowance)>,
    /// What was fired of each weapon's clip, where a game times reloads.
    clips: Vec<(WeaponId, ClipUse)>,
    /// A ring: `next` is where the next shot goes.
    fired: Vec<FiredShot>,
    next: usize,
}

impl ShooterRecord {
    /// Her last sixteen shots, oldest first.
    pub fn fired(&self) -> impl DoubleEndedIterator<Item = &FiredShot> {
        let (newer, older) = self.fired.split_at(self.next.min(self.fired.len()));
        older.iter().chain(newer)
    }

    /// Keeps a shot, and forgets the oldest of more than sixteen.
    pub fn keep(&mut self, shot: FiredShot) {
        if self.fired.len() < FIRED_SHOTS {
            // All at once, so that no later shot waits for the allocator.
            self.fired.reserve_exact(FIRED_SHOTS - self.fired.len());
            self.fired.push(shot);
            self.next = self.fired.len() % FIRED_SHOTS;
        } else {
            self.fired[self.next] = shot;
            self.next = (self.next + 1) % FIRED_SHOTS;
        }
    }

    /// Begins loading what a shot reads and writes of it.
    pub(crate) fn prefetch(&self) {
        self.fired.get(self.next).into_iter().for_each(prefetch);
    }

    /// The weapon's allowance as it stands now; one never fired is full.
    #[must_use]
    pub fn allowance(&self, weapon: WeaponId, pace: Pace, clock_ticks: u64) -> Allowance {
        match self.allowances().find(|(known, _)| *known == weapon) {
            Some((_, allowance)) => allowance.at(pace, clock_ticks),
            None => Allowance::full(pace, clock_ticks),
        }
    }

    /// Takes one shot from the weapon's allowance: for a shot that was accepted.
    pub fn take(&mut self, weapon: WeaponId, pace: Pace, clock_ticks: u64) {
        let left = self.allowance(weapon, pace, clock_ticks).less_a_shot(pace);
        let used = usize::from(self.few_used).min(FEW);
        let mut known = self.few[..used].iter_mut().chain(&mut self.more);
        match known.find(|(known, _)| *known == weapon) {
            Some((_, allowance)) => *allowance = left,
            None => self.keep_allowance(weapon, left),
        }
    }

    fn keep_allowance(&mut self, weapon: WeaponId, left: Allowance) {
        match self.few.get_mut(usize::from(self.few_used)) {
            Some(place) => {
                *place = (weapon, left);
                self.few_used += 1;
            }
            None => self.more.push((weapon, left)),
        }
    }

    /// What was fired of a weapon's clip; `None` where no game times reloads, or nothing was.
    #[must_use]
    pub fn clip(&self, weapon: WeaponId) -> Option<ClipUse> {
        self.clips.iter().find(|(known, _)| *known == weapon).map(|(_, clip)| *clip)
    }

    /// Counts a shot into its weapon's clip; after a pause of so many ticks the clip is a new one.
    pub(crate) fn fire_of_clip(&mut self, weapon: WeaponId, pause_ticks: u64, clock_ticks: u64) {
        let fired = match self.clip(weapon) {
            Some(clip) if clock_ticks.saturating_sub(clip.last_clock_ticks) < pause_ticks => {
                clip.fired.saturating_add(1)
            }
            _ => 1,
        };
        let clip = ClipUse { fired, last_clock_ticks: clock_ticks };
        match self.clips.iter_mut().find(|(known, _)| *known == weapon) {
            Some((_, known)) => *known = clip,
            None => self.clips.push((weapon, clip)),
        }
    }

    /// Every clip kept, for a checkpoint.
    #[must_use]
    pub fn clips(&self) -> &[(WeaponId, ClipUse)] {
        &self.clips
    }

    /// Every allowance kept, in the order their weapons were first fired.
    pub fn allowances(&self) -> impl Iterator<Item = &(WeaponId, Allowance)> {
        self.few[..usize::from(self.few_used).min(FEW)].iter().chain(&self.more)
    }

    /// The record of its parts, from a checkpoint. `fired` is oldest first; the last sixteen stay.
    #[must_use]
    pub fn of_parts(
        latency: Latency,
        allowances: Vec<(WeaponId, Allowance)>,
        clips: Vec<(WeaponId, ClipUse)>,
        fired: impl IntoIterator<Item = FiredShot>,
    ) -> Self {
        let mut record = Self { latency, clips, ..Self::default() };
        for (weapon, allowance) in allowances {
            record.keep_allowance(weapon, allowance);
        }
        fired.into_iter().for_each(|shot| record.keep(shot));
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shot(number: u32) -> FiredShot {
        FiredShot {
            number: MessageNumber(number),
            weapon: WeaponId(31),
            named: ViewStep::at(Tick(number)),
            judged: ViewStep::at(Tick(number)),
            landed: Tick(number),
            refused: None,
        }
    }

    #[test]
    fn the_last_sixteen_shots_are_kept_oldest_first() {
        let mut record = ShooterRecord::default();
        for number in 1..=40 {
            record.keep(shot(number));
            let kept: Vec<u32> = record.fired().map(|fired| fired.number.0).collect();
            let first = number.saturating_sub(15).max(1);
            assert_eq!(kept, (first..=number).collect::<Vec<_>>());
        }
    }

    #[test]
    fn allowances_are_kept_of_however_many_weapons_and_through_a_checkpoint() {
        let pace = Pace::new(4.0, 0.65, 64);
        let mut record = ShooterRecord::default();
        for weapon in 0..9 {
            for _ in 0..=weapon % 3 {
                record.take(WeaponId(weapon), pace, 100);
            }
        }
        let kept: Vec<_> = record.allowances().copied().collect();
        assert_eq!(kept.len(), 9);
        for (weapon, shots) in [(0, 2.6), (4, 1.6), (8, 0.6)] {
            let left = record.allowance(WeaponId(weapon), pace, 100).shots(pace);
            assert!((left - shots).abs() < 1e-4, "{weapon}: {left}");
        }
        let again = ShooterRecord::of_parts(record.latency, kept, Vec::new(), []);
        assert_eq!(again, record);
    }

    #[test]
    fn r12_two_weapons_fired_in_turn_each_at_its_own_rate_are_never_refused() {
        let pace = Pace::new(4.0, 0.65, 64);
        let mut record = ShooterRecord::default();
        for shot in 0..80_u64 {
            let weapon = WeaponId(30 + (shot % 2) as u8);
            assert!(record.allowance(weapon, pace, shot * 8).covers_a_shot(pace));
            record.take(weapon, pace, shot * 8);
        }
    }
}
