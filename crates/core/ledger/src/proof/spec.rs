//! The rules again, as slowly and plainly as they can be written: everything heard is kept, and every
//! answer is worked out from all of it. The ledger must agree with this, and each rule can be dropped.

use super::armoury::armoury;
use super::books::Books;
use crate::change::{Change, Clip, Load, SlotChange, Weapons, change_of};
use crate::revisions::{Limits, RETAINED_MS, Touched, hand_after};
use crate::ruling::{FrameOutcome, FrameRuling, ShotRuling};
use crate::segment::Uses;
use crate::{FrameReport, Inventory, ShotReport, SlotState};
use fairshot_mode::Catalogue;
use fairshot_units::{Life, Revision, Rule, SlotIndex, WeaponCommand, WeaponId};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The rules that can be dropped, to show that the search notices.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) struct Rules {
    /// A shot is tested against the segments after its own too.
    pub(crate) covers_others: bool,
    /// Revisions before the newest are retained.
    pub(crate) retains: bool,
    /// Within a segment totals fall as numbers rise.
    pub(crate) falls: bool,
    /// A number heard before is a repeat.
    pub(crate) once: bool,
    /// Messages of another life touch nothing.
    pub(crate) lives: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self { covers_others: true, retains: true, falls: true, once: true, lives: true }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Spec {
    catalogue: Arc<Catalogue>,
    rules: Rules,
    limits: Limits,
    life: Life,
    commits: Vec<Commit>,
    /// The first commit that a message may name, and the newest that was.
    oldest: usize,
    echoed: usize,
    heard: BTreeSet<u32>,
    segments: Vec<Stretch>,
    received: u32,
}

#[derive(Clone, Debug, Hash)]
struct Commit {
    touched: Touched,
    weapon: WeaponId,
    armed: Option<WeaponId>,
    superseded_ms: Option<u64>,
    claims: BTreeMap<u32, WeaponId>,
}

#[derive(Clone, Debug, Hash)]
struct Stretch {
    load: Load,
    uses: Uses,
    start: usize,
    end: Option<usize>,
    totals: Vec<u16>,
    fired: u16,
    accepted: BTreeMap<u32, u16>,
    clips: BTreeMap<u32, u16>,
}

impl Books for Spec {
    type Rules = Rules;

    fn open(rules: &Rules, limits: Limits) -> Self {
        Self {
            catalogue: armoury(),
            rules: *rules,
            limits,
            life: Life::default(),
            commits: vec![Commit::start()],
            oldest: 0,
            echoed: 0,
            heard: BTreeSet::new(),
            segments: Vec::new(),
            received: 0,
        }
    }

    fn order(&mut self, command: &WeaponCommand, now_ms: u64) -> Option<Revision> {
        self.expire(now_ms);
        let Change { slots, arms } = change_of(&self.catalogue, &self.weapons(), command).ok()?;
        if self.commits.len() - 1 - self.oldest >= usize::from(self.limits.pending_max) {
            return None;
        }
        let at = self.commits.len();
        let (touched, weapon) = match slots {
            SlotChange::Nothing => (Touched::Nothing, WeaponId::FISTS),
            SlotChange::Load(load) => (Touched::Slot(load.slot), load.weapon),
            SlotChange::Empty { slot } => (Touched::Slot(slot), WeaponId::FISTS),
            SlotChange::EmptyAll => (Touched::All, WeaponId::FISTS),
        };
        for stretch in &mut self.segments {
            let ends = touched == Touched::All || touched == Touched::Slot(stretch.load.slot);
            if ends && stretch.end.is_none() {
                stretch.end = Some(at);
            }
        }
        if let SlotChange::Load(load) = slots {
            let uses = self.catalogue.get(load.weapon).map_or(Uses::Nothing, Uses::from);
            self.segments.push(Stretch::new(load, uses, at));
        }
        self.commits.push(Commit { touched, weapon, armed: arms, ..Commit::start() });
        Some(self.on_wire(at))
    }

    fn frame(&mut self, report: &FrameReport, now_ms: u64) -> FrameRuling {
        self.received += 1;
        self.expire(now_ms);
        let quiet = |outcome| FrameRuling { outcome, acts: None };
        let number = report.number.0;
        let Some(at) = self.named(report.rev) else { return quiet(FrameOutcome::Malformed) };
        if self.too_old(number) {
            return quiet(FrameOutcome::TooOld);
        }
        if !self.heard.insert(number) && self.rules.once {
            return quiet(FrameOutcome::Repeat);
        }
        if report.life != self.life && self.rules.lives {
            return quiet(FrameOutcome::Ignored(Rule::Armed));
        }
        if !self.is_retained(at) {
            return quiet(FrameOutcome::Ignored(Rule::Late));
        }
        self.echo(at, now_ms);
        let mut acts = None;
        if report.held == WeaponId::FISTS {
            self.commits[at].claims.insert(number, report.held);
        } else if let Some(segment) = self.segment_at(at, report.held) {
            let stretch = &mut self.segments[segment];
            stretch.totals.push(report.total);
            stretch.clips.insert(number, report.clip);
            if report.firing && stretch.uses == Uses::WhileHeld {
                let proves = self.segments[segment].fired < self.base(segment);
                self.segments[segment].fired += u16::from(proves);
                acts = (proves && self.is_covered_from(segment)).then_some(report.held);
            }
            self.commits[at].claims.insert(number, report.held);
        }
        FrameRuling { outcome: FrameOutcome::Joined, acts }
    }

    fn shot(&mut self, report: &ShotReport, now_ms: u64) -> ShotRuling {
        self.received += 1;
        self.expire(now_ms);
        let ShotReport { number, weapon, total, .. } = *report;
        let number = number.0;
        let Some(at) = self.named(report.rev) else { return ShotRuling::Malformed };
        let too_old = self.too_old(number);
        if !too_old && !self.heard.insert(number) && self.rules.once {
            return ShotRuling::Repeat;
        }
        if self.catalogue.get(weapon).is_none() {
            return self.refuse_unknown(report, at, too_old, now_ms);
        }
        if report.life != self.life && self.rules.lives {
            return ShotRuling::Refused(Rule::Armed);
        }
        if !self.is_retained(at) || too_old {
            return ShotRuling::Refused(Rule::Late);
        }
        self.echo(at, now_ms);
        let Some(segment) = self.segment_at(at, weapon) else {
            return ShotRuling::Refused(Rule::Held);
        };
        match self.segments[segment].uses {
            Uses::WhileHeld => return ShotRuling::Malformed,
            Uses::Nothing => {
                self.commits[at].claims.insert(number, weapon);
                return ShotRuling::Accepted;
            }
            Uses::OnePerShot => {}
        }
        self.commits[at].claims.insert(number, weapon);
        self.segments[segment].totals.push(total);
        let stretch = &self.segments[segment];
        let before = stretch.accepted.range(..number).next_back();
        let after = stretch.accepted.range(number..).next();
        let falls = before.is_none_or(|(_, above)| *above > total)
            && after.is_none_or(|(_, below)| *below < total);
        if (self.rules.falls && !falls) || total >= self.base(segment) {
            return ShotRuling::Refused(Rule::Ammo);
        }
        let had = self.segments[segment].accepted.insert(number, total);
        if self.is_covered_from(segment) {
            return ShotRuling::Accepted;
        }
        if had.is_none() {
            self.segments[segment].accepted.remove(&number);
        }
        ShotRuling::Refused(Rule::Ammo)
    }

    fn respawn(&mut self, life: Life) {
        self.life = life;
        self.segments.clear();
        let newest = self.commits.len() - 1;
        self.oldest = newest;
        self.commits[newest] = Commit::start();
    }

    fn inventory(&self) -> Inventory {
        let mut slots = [SlotState::default(); SlotIndex::COUNT];
        for (index, stretch) in self.segments.iter().enumerate() {
            if stretch.end.is_none() {
                let weapon = stretch.load.weapon;
                let clip_size = self.catalogue.get(weapon).map_or(0, |weapon| weapon.clip_size);
                let total = self.total(index);
                let clip = self.clip(index).min(total).min(clip_size);
                slots[stretch.load.slot.index()] = SlotState { weapon, total, clip };
            }
        }
        Inventory {
            life: self.life,
            revision: self.on_wire(self.commits.len() - 1),
            echoed: self.on_wire(self.echoed),
            held: self.held(),
            slots,
            observed_ms: None,
        }
    }

    fn tallies(&self) -> (u32, u32) {
        (self.received, self.received)
    }

    fn fingerprint(&self, now_ms: u64, hasher: &mut impl Hasher) {
        (self.life, self.oldest, self.echoed, &self.heard, &self.segments).hash(hasher);
        for commit in &self.commits {
            let age_ms = commit.superseded_ms.map(|since| (now_ms - since).min(RETAINED_MS + 1));
            Commit { superseded_ms: age_ms, ..commit.clone() }.hash(hasher);
        }
    }
}

impl Spec {
    fn on_wire(&self, commit: usize) -> Revision {
        Revision(commit as u16 & self.limits.revision_mask)
    }

    /// The newest commit of that name.
    fn named(&self, rev: Revision) -> Option<usize> {
        let span = usize::from(self.limits.revision_mask / 2);
        (0..self.commits.len()).rev().take(span + 1).find(|commit| self.on_wire(*commit) == rev)
    }

    fn is_retained(&self, commit: usize) -> bool {
        let newest = self.commits.len() - 1;
        commit >= self.oldest && (self.rules.retains || commit == newest)
    }

    fn too_old(&self, number: u32) -> bool {
        let highest = self.heard.last().copied().unwrap_or(0);
        highest.saturating_sub(number) > crate::window::SPAN
    }

    fn echo(&mut self, commit: usize, now_ms: u64) {
        for superseded in self.echoed..commit {
            self.commits[superseded].superseded_ms.get_or_insert(now_ms);
        }
        self.echoed = self.echoed.max(commit);
    }

    fn expire(&mut self, now_ms: u64) {
        let expired = |commit: &Commit| {
            commit.superseded_ms.is_some_and(|since| now_ms - since > RETAINED_MS)
        };
        while self.oldest + 1 < self.commits.len() && expired(&self.commits[self.oldest]) {
            self.oldest += 1;
        }
    }

    fn refuse_unknown(
        &mut self,
        report: &ShotReport,
        at: usize,
        too_old: bool,
        now_ms: u64,
    ) -> ShotRuling {
        if report.life == self.life && self.is_retained(at) && !too_old {
            self.echo(at, now_ms);
        }
        ShotRuling::Refused(Rule::Weapon)
    }

    fn weapons(&self) -> Weapons {
        let mut weapons = [WeaponId::FISTS; SlotIndex::COUNT];
        for stretch in self.segments.iter().filter(|stretch| stretch.end.is_none()) {
            weapons[stretch.load.slot.index()] = stretch.load.weapon;
        }
        weapons
    }

    fn segment_at(&self, at: usize, weapon: WeaponId) -> Option<usize> {
        self.segments.iter().position(|stretch| {
            let ended = stretch.end.is_some_and(|end| end <= at);
            stretch.load.weapon == weapon && stretch.start <= at && !ended
        })
    }

    fn before(&self, segment: usize) -> Option<usize> {
        let Stretch { load, start, .. } = &self.segments[segment];
        self.segments
            .iter()
            .position(|stretch| stretch.load.slot == load.slot && stretch.end == Some(*start))
    }

    fn base(&self, segment: usize) -> u16 {
        let load = &self.segments[segment].load;
        match self.before(segment).filter(|_| load.adds) {
            Some(before) => self.total(before).saturating_add(load.rounds),
            None => load.rounds,
        }
    }

    fn total(&self, segment: usize) -> u16 {
        let stretch = &self.segments[segment];
        let low = stretch.totals.iter().copied().min().unwrap_or(u16::MAX);
        low.min(self.base(segment).saturating_sub(stretch.fired))
    }

    fn clip(&self, segment: usize) -> u16 {
        let stretch = &self.segments[segment];
        match (stretch.clips.last_key_value(), stretch.load.clip) {
            (Some((_, clip)), _) => *clip,
            (None, Clip::Full) => u16::MAX,
            (None, Clip::Exactly(clip)) => clip,
            (None, Clip::Keep) => self.before(segment).map_or(0, |before| self.clip(before)),
        }
    }

    /// Whether this segment of a slot and those after it started with all the rounds accepted in them.
    fn is_covered_from(&self, segment: usize) -> bool {
        let Stretch { load, start, .. } = &self.segments[segment];
        self.segments.iter().enumerate().all(|(index, stretch)| {
            let tested = index == segment
                || (self.rules.covers_others
                    && stretch.load.slot == load.slot
                    && stretch.start > *start);
            let top = stretch.accepted.values().map(|total| u32::from(*total) + 1).max();
            let most = top.unwrap_or(0).max(u32::from(stretch.fired));
            !tested || most <= u32::from(self.base(index))
        })
    }

    fn held(&self) -> WeaponId {
        self.commits.iter().fold(WeaponId::FISTS, |held, commit| {
            let ordered = commit.armed.unwrap_or_else(|| {
                hand_after(held, commit.touched, commit.weapon, &self.catalogue)
            });
            commit.claims.last_key_value().map_or(ordered, |(_, claim)| *claim)
        })
    }
}

impl Commit {
    /// What a session, or a life, starts with: an empty hand, whatever was before.
    fn start() -> Self {
        Self {
            touched: Touched::All,
            weapon: WeaponId::FISTS,
            armed: None,
            superseded_ms: None,
            claims: BTreeMap::new(),
        }
    }
}

impl Stretch {
    fn new(load: Load, uses: Uses, start: usize) -> Self {
        Self {
            load,
            uses,
            start,
            end: None,
            totals: Vec::new(),
            fired: 0,
            accepted: BTreeMap::new(),
            clips: BTreeMap::new(),
        }
    }
}
