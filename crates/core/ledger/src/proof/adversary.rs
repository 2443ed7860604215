//! A server that orders what it likes, and a client that sends anything at all: no message it can think
//! of gets a round accepted that was not granted.

use super::books::Books;
use super::honest::only_lowers;
use crate::revisions::{Limits, RETAINED_MS};
use crate::ruling::ShotRuling;
use crate::{FrameReport, ShotReport};
use fairshot_units::{Life, MessageNumber, Revision, WeaponCommand, WeaponId};
use stateright::{Model, Property};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// How far the search goes. Slots share nothing but message numbers, so it looks at one slot.
#[derive(Clone, Debug)]
pub(crate) struct Attack<B: Books> {
    pub(crate) rules: B::Rules,
    /// All of one slot; the server may order them in any order, up to `orders` of them.
    pub(crate) palette: Vec<WeaponCommand>,
    pub(crate) weapons: Vec<WeaponId>,
    pub(crate) totals: Vec<u16>,
    pub(crate) orders: usize,
    pub(crate) messages: usize,
    pub(crate) lapses: usize,
    pub(crate) respawns: usize,
    pub(crate) continuous: bool,
}

const SMALL: Limits = Limits { revision_mask: 7, pending_max: 3 };

#[derive(Clone, Debug)]
pub(crate) struct State<B> {
    server: B,
    /// Rounds of every give and every set, whatever was taken away again.
    granted: u32,
    /// Shots accepted, and frames that made a continuous weapon act.
    accepted: u32,
    /// The rounds judged: the command that began their segment, and the total they left.
    judged: BTreeSet<(usize, u16)>,
    numbers: BTreeSet<u32>,
    orders: usize,
    lapses: usize,
    respawns: usize,
    fault: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    Order(WeaponCommand),
    Respawn,
    Lapse,
    Send(Forged),
}

/// One message, of the newest revision or some before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Forged {
    shot: bool,
    firing: bool,
    life: u16,
    rev: usize,
    number: u32,
    weapon: WeaponId,
    total: u16,
}

impl<B: Books> Model for Attack<B> {
    type State = State<B>;
    type Action = Step;

    fn init_states(&self) -> Vec<State<B>> {
        vec![State {
            server: B::open(&self.rules, SMALL),
            granted: 0,
            accepted: 0,
            judged: BTreeSet::new(),
            numbers: BTreeSet::new(),
            orders: 0,
            lapses: 0,
            respawns: 0,
            fault: None,
        }]
    }

    fn actions(&self, state: &State<B>, actions: &mut Vec<Step>) {
        if state.orders < self.orders {
            actions.extend(self.palette.iter().copied().map(Step::Order));
        }
        if state.respawns < self.respawns {
            actions.push(Step::Respawn);
        }
        if state.lapses < self.lapses {
            actions.push(Step::Lapse);
        }
        if state.numbers.len() < self.messages {
            self.forge(state, actions);
        }
    }

    fn next_state(&self, last: &State<B>, step: Step) -> Option<State<B>> {
        let mut state = last.clone();
        let now_ms = state.now_ms();
        match step {
            Step::Order(command) => {
                state.server.order(&command, now_ms)?;
                state.orders += 1;
                state.granted += match command {
                    WeaponCommand::Give { rounds, .. } => u32::from(rounds),
                    WeaponCommand::SetAmmo { total, .. } => u32::from(total),
                    _ => 0,
                };
            }
            Step::Respawn => {
                let life = state.server.inventory().life.next();
                state.server.respawn(life);
                state.respawns += 1;
            }
            Step::Lapse => state.lapses += 1,
            Step::Send(forged) => state.land(&forged, now_ms),
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("never from nothing", |_, state: &State<B>| {
                state.accepted <= state.granted
            }),
            Property::always("once", |_, state: &State<B>| state.fault != Some("twice")),
            Property::always("only lowers", |_, state: &State<B>| state.fault != Some("raised")),
            Property::always("conservation", |_, state: &State<B>| {
                let (received, ruled) = state.server.tallies();
                received == ruled
            }),
        ]
    }
}

impl<B: Books> Attack<B> {
    fn forge(&self, state: &State<B>, actions: &mut Vec<Step>) {
        let lives = 0..=state.respawns as u16;
        let numbers = (1..=self.messages as u32).filter(|number| !state.numbers.contains(number));
        for life in lives {
            for number in numbers.clone() {
                for rev in state.orders.saturating_sub(4)..=state.orders {
                    for weapon in self.weapons.iter().copied() {
                        for total in self.totals.iter().copied() {
                            let shot = !self.continuous;
                            let forged =
                                Forged { shot, firing: false, life, rev, number, weapon, total };
                            actions.push(Step::Send(forged));
                            let frame = Forged { shot: false, firing: self.continuous, ..forged };
                            actions.push(Step::Send(frame));
                        }
                    }
                }
            }
        }
    }
}

impl<B: Books> State<B> {
    fn now_ms(&self) -> u64 {
        self.lapses as u64 * (RETAINED_MS + 1)
    }

    fn land(&mut self, forged: &Forged, now_ms: u64) {
        let before = self.server.inventory();
        let Forged { weapon, total, .. } = *forged;
        let life = Life(forged.life);
        let rev = Revision(forged.rev as u16 & SMALL.revision_mask);
        let number = MessageNumber(forged.number);
        self.numbers.insert(forged.number);
        if forged.shot {
            let shot = ShotReport { life, rev, number, weapon, total };
            let ruling = self.server.shot(&shot, now_ms);
            if ruling == ShotRuling::Accepted {
                self.accepted += 1;
                if !self.judged.insert((forged.rev, total)) {
                    self.fault = Some("twice");
                }
            }
            if self.server.shot(&shot, now_ms) == ShotRuling::Accepted {
                self.fault = Some("twice");
            }
        } else {
            let firing = forged.firing;
            let frame = FrameReport { life, rev, number, held: weapon, total, clip: total, firing };
            let ruling = self.server.frame(&frame, now_ms);
            self.accepted += u32::from(ruling.acts.is_some());
            if self.server.frame(&frame, now_ms).acts.is_some() {
                self.fault = Some("twice");
            }
        }
        if !only_lowers(&before, &self.server.inventory()) {
            self.fault = Some("raised");
        }
    }
}

impl<B: Books> PartialEq for State<B> {
    fn eq(&self, other: &Self) -> bool {
        let hash = |state: &Self| {
            let mut hasher = std::hash::DefaultHasher::new();
            state.hash(&mut hasher);
            hasher.finish()
        };
        hash(self) == hash(other)
    }
}

impl<B: Books> Hash for State<B> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.server.fingerprint(self.now_ms(), hasher);
        (self.granted, self.accepted, &self.judged, &self.numbers).hash(hasher);
        (self.orders, self.lapses, self.respawns, self.fault).hash(hasher);
    }
}
