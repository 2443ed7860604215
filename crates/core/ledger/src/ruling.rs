//! What the ledger says of one message, and its count of them all.

use fairshot_units::{Revision, Rule, WeaponId};

/// What became of a shot's report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShotRuling {
    /// The round was the player's to fire. Whatever the judge then says, it is spent.
    Accepted,
    /// This number was heard before: drop it silently, the first hearing had its ruling.
    Repeat,
    /// `weapon`, `armed`, `late`, `held` or `ammo`.
    Refused(Rule),
    /// No message of the protocol: a revision not yet committed, or a shot of a continuous weapon.
    Malformed,
}

/// What a report is ruled by: the ledger as it stands, and the segment its revision names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RuledBy {
    /// The newest committed revision.
    pub revision: Revision,
    pub echoed: Revision,
    pub held: WeaponId,
    /// `None` where that revision held no such weapon, or is no longer retained.
    pub rounds: Option<Rounds>,
}

/// One weapon's rounds in the stretch between two commands that touched them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rounds {
    /// At the start of the stretch.
    pub base: u16,
    /// The least heard since.
    pub low: u16,
    /// One over the highest total after an accepted shot, 0 without one; of a continuous weapon the
    /// frames that proved a round.
    pub top: u16,
}

/// What became of a frame's report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameRuling {
    pub outcome: FrameOutcome,
    /// The continuous weapon this frame proved a round of: it acts now, and only now.
    pub acts: Option<WeaponId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameOutcome {
    /// First heard, and its report counted.
    Joined,
    /// First heard, but its report touches nothing: `armed` (another life) or `late` (its revision is
    /// no longer retained).
    Ignored(Rule),
    /// This number was heard before.
    Repeat,
    /// So old that nobody knows whether it was heard before.
    TooOld,
    /// A revision not yet committed.
    Malformed,
}

impl FrameRuling {
    /// Whether this is the first hearing of the frame, so that its input counts.
    #[must_use]
    pub fn is_new(self) -> bool {
        matches!(self.outcome, FrameOutcome::Joined | FrameOutcome::Ignored(_))
    }
}

/// Why the session must end as `diverged`: the client's inventory is no longer the server's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Diverged {
    /// The client said that this revision did not apply.
    ApplyFailed { rev: Revision },
    /// This revision stayed unechoed for ten seconds in which messages kept arriving.
    Unechoed { rev: Revision },
}

impl Diverged {
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::ApplyFailed { .. } => "apply_failed",
            Self::Unechoed { .. } => "unechoed",
        }
    }
}

/// Counts of one kind of message: `received = accepted + repeats + refused + malformed`, always
/// (modulo 2^32).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Tally {
    pub received: u32,
    pub accepted: u32,
    pub repeats: u32,
    pub malformed: u32,
    pub weapon: u32,
    pub armed: u32,
    pub late: u32,
    pub held: u32,
    pub ammo: u32,
}

impl Tally {
    /// Refused by any rule.
    #[must_use]
    pub fn refused(&self) -> u32 {
        [self.weapon, self.armed, self.late, self.held, self.ammo]
            .into_iter()
            .fold(0, u32::wrapping_add)
    }

    pub(crate) fn shot(&mut self, ruling: ShotRuling) {
        count(&mut self.received);
        match ruling {
            ShotRuling::Accepted => count(&mut self.accepted),
            ShotRuling::Repeat => count(&mut self.repeats),
            ShotRuling::Malformed => count(&mut self.malformed),
            ShotRuling::Refused(rule) => self.refuse(rule),
        }
    }

    pub(crate) fn frame(&mut self, outcome: FrameOutcome) {
        count(&mut self.received);
        match outcome {
            FrameOutcome::Joined => count(&mut self.accepted),
            FrameOutcome::Repeat => count(&mut self.repeats),
            FrameOutcome::Malformed => count(&mut self.malformed),
            FrameOutcome::TooOld => count(&mut self.late),
            FrameOutcome::Ignored(rule) => self.refuse(rule),
        }
    }

    fn refuse(&mut self, rule: Rule) {
        count(match rule {
            Rule::Weapon => &mut self.weapon,
            Rule::Armed => &mut self.armed,
            Rule::Late => &mut self.late,
            Rule::Held => &mut self.held,
            // The ledger refuses by these five rules only.
            _ => &mut self.ammo,
        });
    }
}

fn count(counter: &mut u32) {
    *counter = counter.wrapping_add(1);
}
