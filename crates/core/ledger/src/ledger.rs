//! The server's side: commits commands, joins what the client reports, rules on each message once.

use crate::change::{Change, SlotChange, change_of};
use crate::history::{History, Place};
use crate::revisions::{Limits, Named, Revisions, Touched};
use crate::ruling::{Diverged, FrameOutcome, FrameRuling, Rounds, RuledBy, ShotRuling, Tally};
use crate::segment::Uses;
use crate::window::{Hearing, Window};
use crate::{CommandError, FrameReport, Inventory, ShotReport, SlotState};
use fairshot_mode::Catalogue;
use fairshot_units::{Life, Revision, Rule, SlotIndex, WeaponCommand, WeaponId};
use std::sync::Arc;

pub use crate::revisions::{DIVERGED_AFTER_MS, PENDING_COMMANDS_MAX, RETAINED_MS};

/// A message numbered further than this below the highest heard is too late to be judged.
pub const MESSAGE_WINDOW: u32 = crate::window::SPAN;

/// One player's inventory as the server knows it. Starts empty, at life 0 and revision 0.
///
/// Times are the caller's milliseconds on a clock that never goes back.
#[derive(Clone, Debug)]
pub struct Ledger {
    catalogue: Arc<Catalogue>,
    life: Life,
    window: Window,
    history: History,
    revisions: Revisions,
    observed_ms: Option<u64>,
    apply_failed: Option<Revision>,
    shots: Tally,
    frames: Tally,
}

/// A command that can apply, before its packet is queued. [`Ledger::commit`] makes it count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a plan moves nothing until it is committed"]
pub struct Planned {
    command: WeaponCommand,
    change: Change,
    commit: u32,
    revision: Revision,
}

impl Planned {
    /// The revision the command's packet carries.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    #[must_use]
    pub fn command(&self) -> &WeaponCommand {
        &self.command
    }
}

impl Ledger {
    #[must_use]
    pub fn new(catalogue: Arc<Catalogue>) -> Self {
        Self::with_limits(catalogue, Limits::default())
    }

    pub(crate) fn with_limits(catalogue: Arc<Catalogue>, limits: Limits) -> Self {
        Self {
            catalogue,
            life: Life::default(),
            window: Window::default(),
            history: History::new(),
            revisions: Revisions::new(limits),
            observed_ms: None,
            apply_failed: None,
            shots: Tally::default(),
            frames: Tally::default(),
        }
    }

    /// Works out what a command would do. Queue its packet, then [`commit`](Self::commit) the plan;
    /// where the queue is full, drop the plan, and nothing has moved.
    ///
    /// # Errors
    /// [`CommandError`]: the command can never apply, does not fit the inventory now, or
    /// [`PENDING_COMMANDS_MAX`] of them still wait for the client.
    pub fn plan(&self, command: &WeaponCommand, now_ms: u64) -> Result<Planned, CommandError> {
        let change = change_of(&self.catalogue, self.history.weapons(), command)?;
        if let Some(pending) = self.revisions.full(now_ms) {
            return Err(CommandError::Full { pending });
        }
        let commit = self.revisions.newest() + 1;
        Ok(Planned { command: *command, change, commit, revision: self.revisions.on_wire(commit) })
    }

    /// Makes a planned command count; its packet is on the player's ordered stream.
    ///
    /// # Panics
    /// Where another plan was committed since this one was made: its packet carries a revision that
    /// is taken, so the session is lost.
    pub fn commit(&mut self, planned: Planned, now_ms: u64) {
        assert!(
            planned.commit == self.revisions.newest() + 1,
            "a plan is committed before the next one is made"
        );
        self.forget_expired(now_ms);
        let Change { slots, arms } = planned.change;
        let (touched, left, uses) = match &slots {
            SlotChange::Nothing => (Touched::Nothing, WeaponId::FISTS, Uses::Nothing),
            SlotChange::Load(load) => {
                let uses = self.catalogue.get(load.weapon).map_or(Uses::Nothing, Uses::from);
                (Touched::Slot(load.slot), load.weapon, uses)
            }
            SlotChange::Empty { slot } => (Touched::Slot(*slot), WeaponId::FISTS, Uses::Nothing),
            SlotChange::EmptyAll => (Touched::All, WeaponId::FISTS, Uses::Nothing),
        };
        self.history.commit(&slots, uses, planned.commit);
        let (weapon, arms) = arms.map_or((left, false), |armed| (armed, true));
        self.revisions.commit(touched, weapon, arms, now_ms, &self.catalogue);
    }

    /// Joins a frame's report.
    pub fn frame(&mut self, report: &FrameReport, now_ms: u64) -> FrameRuling {
        let ruling = self.rule_frame(report, now_ms);
        self.frames.frame(ruling.outcome);
        ruling
    }

    /// Joins a shot's report and rules on it. An accepted shot goes on to the judge.
    pub fn shot(&mut self, report: &ShotReport, now_ms: u64) -> ShotRuling {
        let ruling = self.rule_shot(report, now_ms);
        self.shots.shot(ruling);
        ruling
    }

    /// Starts the next life with an empty store and no new revision. Call it as the respawn grant is
    /// queued on the player's stream.
    pub fn respawn(&mut self, life: Life) {
        self.life = life;
        self.history.clear();
        self.revisions.clear();
    }

    /// The client says that a command did not apply: the session is to end as diverged.
    pub fn apply_failed(&mut self, rev: Revision) -> Diverged {
        self.apply_failed = Some(rev);
        Diverged::ApplyFailed { rev }
    }

    /// Whether the session must end, as of the last message.
    #[must_use]
    #[inline]
    pub fn liveness(&self) -> Option<Diverged> {
        if let Some(rev) = self.apply_failed {
            return Some(Diverged::ApplyFailed { rev });
        }
        let commit = self.revisions.unechoed()?;
        Some(Diverged::Unechoed { rev: self.revisions.on_wire(commit) })
    }

    /// The inventory as it stands.
    #[must_use]
    pub fn inventory(&self) -> Inventory {
        let mut slots = [SlotState::default(); SlotIndex::COUNT];
        for (state, segment) in slots.iter_mut().zip(self.history.newest()) {
            let clip_size = self.catalogue.get(segment.weapon).map_or(0, |weapon| weapon.clip_size);
            *state = SlotState {
                weapon: segment.weapon,
                total: segment.total(),
                clip: segment.clip().min(clip_size),
            };
        }
        Inventory {
            life: self.life,
            revision: self.revision(),
            echoed: self.revisions.echoed_on_wire(),
            held: self.held(),
            slots,
            observed_ms: self.observed_ms,
        }
    }

    /// What a report of that revision and weapon is ruled by, for an explanation: ask for it right after
    /// the ruling, for later reports move it.
    #[must_use]
    pub fn ruled_by(&self, rev: Revision, weapon: WeaponId) -> RuledBy {
        let place = match self.revisions.locate(rev) {
            Named::Retained(at) if weapon != WeaponId::FISTS => self.history.place(at, weapon),
            _ => None,
        };
        let segment = place.map(|place| self.history.segment(place));
        RuledBy {
            revision: self.revision(),
            echoed: self.revisions.echoed_on_wire(),
            held: self.held(),
            rounds: segment.map(|segment| Rounds {
                base: segment.base,
                low: segment.low(),
                top: segment.top(),
            }),
        }
    }

    #[must_use]
    pub fn life(&self) -> Life {
        self.life
    }

    /// The newest committed revision.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revisions.newest_on_wire()
    }

    /// The weapon in hand, as far as was heard.
    #[must_use]
    pub fn held(&self) -> WeaponId {
        self.revisions.held()
    }

    /// Rounds left of a weapon owned; `None` where it is not.
    #[must_use]
    pub fn total(&self, weapon: WeaponId) -> Option<u16> {
        let slot = self.history.weapons().iter().position(|there| *there == weapon)?;
        (weapon != WeaponId::FISTS).then(|| self.history.newest()[slot].total())
    }

    /// When any message last arrived, counted or not.
    #[must_use]
    pub fn heard_ms(&self) -> Option<u64> {
        self.revisions.heard_at_ms()
    }

    #[must_use]
    pub fn shot_tally(&self) -> &Tally {
        &self.shots
    }

    #[must_use]
    pub fn frame_tally(&self) -> &Tally {
        &self.frames
    }

    /// Bytes this ledger holds, itself included and the shared catalogue not.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.history.retained_bytes() + self.revisions.retained_bytes()
    }

    /// What later rulings depend on, for telling states of a model check apart.
    #[cfg(test)]
    pub(crate) fn fingerprint(&self, now_ms: u64, hasher: &mut impl std::hash::Hasher) {
        use std::hash::Hash;
        (self.life, &self.window, &self.history).hash(hasher);
        self.revisions.fingerprint(now_ms, hasher);
    }

    #[inline]
    fn rule_frame(&mut self, report: &FrameReport, now_ms: u64) -> FrameRuling {
        let quiet = |outcome| FrameRuling { outcome, acts: None };
        self.arrive(now_ms);
        let named = self.revisions.locate(report.rev);
        if named == Named::Unknown {
            return quiet(FrameOutcome::Malformed);
        }
        match self.window.hear(report.number) {
            Hearing::New => {}
            Hearing::Repeat => return quiet(FrameOutcome::Repeat),
            Hearing::TooOld => return quiet(FrameOutcome::TooOld),
        }
        if report.life != self.life {
            return quiet(FrameOutcome::Ignored(Rule::Armed));
        }
        let Named::Retained(at) = named else {
            return quiet(FrameOutcome::Ignored(Rule::Late));
        };
        self.observe(at, now_ms);
        let mut acts = None;
        if report.held == WeaponId::FISTS {
            self.revisions.claim(at, report.number.0, report.held, &self.catalogue);
        } else if let Some(place) = self.history.place(at, report.held) {
            let FrameReport { number, total, clip, firing, .. } = *report;
            let proved = self.history.join_frame(place, number.0, total, clip, firing);
            acts = proved.then_some(report.held);
            self.revisions.claim(at, number.0, report.held, &self.catalogue);
        }
        FrameRuling { outcome: FrameOutcome::Joined, acts }
    }

    #[inline]
    fn rule_shot(&mut self, report: &ShotReport, now_ms: u64) -> ShotRuling {
        self.arrive(now_ms);
        let named = self.revisions.locate(report.rev);
        if named == Named::Unknown {
            return ShotRuling::Malformed;
        }
        let hearing = self.window.hear(report.number);
        if hearing == Hearing::Repeat {
            return ShotRuling::Repeat;
        }
        if report.life != self.life {
            return self.refuse(report.weapon, Rule::Armed);
        }
        let Named::Retained(at) = named else { return self.refuse(report.weapon, Rule::Late) };
        if hearing == Hearing::TooOld {
            return self.refuse(report.weapon, Rule::Late);
        }
        self.observe(at, now_ms);
        let number = report.number.0;
        let ruling = match self.place_of(at, report.weapon) {
            None => return self.refuse(report.weapon, Rule::Held),
            Some((_, Uses::WhileHeld)) => return ShotRuling::Malformed,
            Some((_, Uses::Nothing)) => ShotRuling::Accepted,
            Some((place, Uses::OnePerShot)) => {
                let lowest = self.window.lowest();
                match self.history.join_shot(place, number, report.total, lowest) {
                    true => ShotRuling::Accepted,
                    false => ShotRuling::Refused(Rule::Ammo),
                }
            }
        };
        self.revisions.claim(at, number, report.weapon, &self.catalogue);
        ruling
    }

    #[inline]
    fn place_of(&self, at: u32, weapon: WeaponId) -> Option<(Place, Uses)> {
        if weapon == WeaponId::FISTS {
            // Nobody is without fists, and nothing is counted of them.
            return self.catalogue.get(weapon).map(|_| (Place::Newest(0), Uses::Nothing));
        }
        let place = self.history.place(at, weapon)?;
        Some((place, self.history.uses(place)))
    }

    fn refuse(&self, weapon: WeaponId, rule: Rule) -> ShotRuling {
        // A weapon the world does not hold comes before every other rule.
        match self.catalogue.get(weapon) {
            Some(_) => ShotRuling::Refused(rule),
            None => ShotRuling::Refused(Rule::Weapon),
        }
    }

    #[inline]
    fn arrive(&mut self, now_ms: u64) {
        self.forget_expired(now_ms);
        self.revisions.hear(now_ms);
    }

    #[inline]
    fn observe(&mut self, at: u32, now_ms: u64) {
        self.observed_ms = Some(now_ms);
        self.revisions.echo(at, now_ms);
    }

    #[inline]
    fn forget_expired(&mut self, now_ms: u64) {
        if self.revisions.expire(now_ms, &self.catalogue) {
            self.history.forget_before(self.revisions.oldest());
        }
    }
}
