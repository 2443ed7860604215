//! A server, a client that follows the protocol, an ordered stream of any delay, and datagrams that may
//! be lost, doubled and reordered: every world that a few steps can reach.

use super::armoury::{ALL, armoury};
use super::books::Books;
use crate::revisions::{Limits, RETAINED_MS};
use crate::ruling::ShotRuling;
use crate::segment::Uses;
use crate::{FrameReport, Inventory, Mirror, ShotReport};
use fairshot_units::{Life, Revision, Rule, WeaponCommand, WeaponId};
use stateright::{Model, Property};
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

/// How far the search goes.
#[derive(Clone, Debug)]
pub(crate) struct World<B: Books> {
    pub(crate) rules: B::Rules,
    /// Both sides have applied these as the search begins.
    pub(crate) start: Vec<WeaponCommand>,
    /// What the server may order, in any order, up to `orders` of them.
    pub(crate) palette: Vec<WeaponCommand>,
    pub(crate) orders: usize,
    pub(crate) shots: usize,
    pub(crate) frames: usize,
    pub(crate) swaps: usize,
    pub(crate) reloads: usize,
    pub(crate) respawns: usize,
    /// Steps of time between messages.
    pub(crate) lapses: usize,
    pub(crate) doubles: bool,
}

/// Two of these are more than the second a revision is retained for; one is less.
const LAPSE_MS: u64 = 600;

/// Revisions wrap at 8 in this world, and four are retained.
const SMALL: Limits = Limits { revision_mask: 7, pending_max: 3 };
const LARGE: Limits = Limits { revision_mask: u16::MAX, pending_max: 1024 };

#[derive(Clone, Debug)]
pub(crate) struct State<B> {
    server: B,
    client: Mirror,
    stream: VecDeque<Packet>,
    sent: Vec<Sent>,
    /// Everything the server did, in order.
    log: Vec<Packet>,
    /// When a later revision than each first landed.
    superseded_ms: Vec<Option<u64>>,
    now_ms: u64,
    spent: Spent,
    /// The first thing that went wrong while a message landed.
    fault: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Packet {
    Command(WeaponCommand),
    Grant(Life),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Sent {
    message: Message,
    landings: u8,
    /// It landed in its life, within its revision's retention.
    joined: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Message {
    Shot(ShotReport),
    Frame(FrameReport),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
struct Spent {
    orders: usize,
    shots: usize,
    frames: usize,
    swaps: usize,
    reloads: usize,
    respawns: usize,
    lapses: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    Order(WeaponCommand),
    Respawn,
    TakeFromStream,
    Fire(WeaponId),
    Frame { firing: bool },
    Arm(WeaponId),
    Reload,
    Land(usize),
    Lapse,
}

impl<B: Books> Model for World<B> {
    type State = State<B>;
    type Action = Step;

    fn init_states(&self) -> Vec<State<B>> {
        vec![self.settled()]
    }

    fn actions(&self, state: &State<B>, actions: &mut Vec<Step>) {
        if state.fault.is_some() {
            // Nothing is learnt past the first fault.
            return;
        }
        let spent = &state.spent;
        if spent.orders < self.orders {
            actions.extend(self.palette.iter().copied().map(Step::Order));
        }
        if spent.respawns < self.respawns {
            actions.push(Step::Respawn);
        }
        if !state.stream.is_empty() {
            actions.push(Step::TakeFromStream);
        }
        let owned = ALL.into_iter().filter(|weapon| state.client.total(*weapon).is_some());
        for weapon in owned {
            if spent.shots < self.shots && uses(weapon) == Uses::OnePerShot {
                actions.push(Step::Fire(weapon));
            }
            if spent.swaps < self.swaps && state.client.held() != weapon {
                actions.push(Step::Arm(weapon));
            }
        }
        if spent.frames < self.frames {
            actions.push(Step::Frame { firing: false });
            if uses(state.client.held()) == Uses::WhileHeld {
                actions.push(Step::Frame { firing: true });
            }
        }
        if spent.reloads < self.reloads {
            actions.push(Step::Reload);
        }
        if spent.lapses < self.lapses && state.time_matters() {
            actions.push(Step::Lapse);
        }
        for (index, sent) in state.sent.iter().enumerate() {
            if sent.landings == 0 || (self.doubles && sent.landings == 1) {
                actions.push(Step::Land(index));
            }
        }
    }

    fn next_state(&self, last: &State<B>, step: Step) -> Option<State<B>> {
        let mut state = last.clone();
        let now_ms = state.now_ms;
        match step {
            Step::Order(command) => {
                state.server.order(&command, now_ms)?;
                state.stream.push_back(Packet::Command(command));
                state.log.push(Packet::Command(command));
                state.superseded_ms.push(None);
                state.spent.orders += 1;
            }
            Step::Respawn => {
                let life = state.server.inventory().life.next();
                state.server.respawn(life);
                state.stream.push_back(Packet::Grant(life));
                state.log.push(Packet::Grant(life));
                state.spent.respawns += 1;
            }
            Step::TakeFromStream => take(&mut state.client, state.stream.pop_front()?),
            Step::Fire(weapon) => {
                let shot = state.client.fire(weapon)?;
                state.sent.push(Sent::new(Message::Shot(shot)));
                state.spent.shots += 1;
            }
            Step::Frame { firing } => {
                let frame = state.client.frame(firing);
                if firing && !frame.firing {
                    return None;
                }
                state.sent.push(Sent::new(Message::Frame(frame)));
                state.spent.frames += 1;
            }
            Step::Arm(weapon) => {
                state.client.arm(weapon);
                state.spent.swaps += 1;
            }
            Step::Reload => {
                state.client.reload();
                state.spent.reloads += 1;
            }
            Step::Land(index) => state.land(index),
            Step::Lapse => {
                state.now_ms += LAPSE_MS;
                state.spent.lapses += 1;
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("never below", |_, state: &State<B>| state.never_below()),
            Property::always("order-free", |model: &Self, state: &State<B>| {
                model.order_free(state)
            }),
            Property::always("exact", |_, state: &State<B>| state.exact()),
            Property::always("only lowers", |_, state: &State<B>| !state.has("raised")),
            Property::always("no false refusal", |_, state: &State<B>| !state.has("refused")),
            Property::always("once", |_, state: &State<B>| !state.has("twice")),
            Property::always("lives", |_, state: &State<B>| !state.has("mixed")),
            Property::always("bounds", |_, state: &State<B>| state.bounds()),
            Property::always("conservation", |_, state: &State<B>| {
                let (received, ruled) = state.server.tallies();
                received == ruled
            }),
        ]
    }
}

impl<B: Books> World<B> {
    /// Both sides have the starting inventory, and its revisions are echoed and forgotten but the last.
    fn settled(&self) -> State<B> {
        let mut state = State {
            server: B::open(&self.rules, SMALL),
            client: Mirror::new(armoury()),
            stream: VecDeque::new(),
            sent: Vec::new(),
            log: Vec::new(),
            superseded_ms: vec![None],
            now_ms: 0,
            spent: Spent::default(),
            fault: None,
        };
        for command in &self.start {
            state.server.order(command, state.now_ms).expect("the start applies");
            take(&mut state.client, Packet::Command(*command));
            state.log.push(Packet::Command(*command));
            state.superseded_ms.push(None);
            state.sent.push(Sent::new(Message::Frame(state.client.frame(false))));
            state.land(state.sent.len() - 1);
            state.now_ms += RETAINED_MS + 1;
        }
        for sent in &mut state.sent {
            sent.landings = 2;
        }
        state
    }

    /// Whether the store is what any other order of the same messages leaves.
    fn order_free(&self, state: &State<B>) -> bool {
        let joined: Vec<Message> =
            state.sent.iter().filter(|sent| sent.joined).map(|sent| sent.message).collect();
        let here = state.server.inventory();
        [false, true].into_iter().all(|backwards| {
            let mut other = B::open(&self.rules, LARGE);
            for packet in &state.log {
                match packet {
                    Packet::Command(command) => {
                        other.order(command, 0);
                    }
                    Packet::Grant(life) => other.respawn(*life),
                }
            }
            let mut hear = |message: &Message| match message {
                Message::Shot(shot) => {
                    other.shot(shot, 0);
                }
                Message::Frame(frame) => {
                    other.frame(frame, 0);
                }
            };
            if backwards {
                joined.iter().rev().for_each(&mut hear);
            } else {
                joined.iter().for_each(&mut hear);
            }
            same_store(&here, &other.inventory())
        })
    }
}

impl<B: Books> State<B> {
    fn land(&mut self, index: usize) {
        let before = self.server.inventory();
        let Sent { message, landings, .. } = self.sent[index];
        let (life, rev) = message.stamp();
        let own_life = life == before.life;
        let superseded_ms = self.superseded_ms[usize::from(rev.0)];
        let retained =
            superseded_ms.is_none_or(|since| self.now_ms - since <= RETAINED_MS) && own_life;
        let first = landings == 0;
        self.sent[index].landings += 1;
        self.sent[index].joined |= first && retained;
        if own_life {
            for since in &mut self.superseded_ms[..usize::from(rev.0)] {
                since.get_or_insert(self.now_ms);
            }
        }
        let wire = Revision(rev.0 & SMALL.revision_mask);
        match message {
            Message::Shot(shot) => {
                let ruling = self.server.shot(&ShotReport { rev: wire, ..shot }, self.now_ms);
                if first && retained && ruling != ShotRuling::Accepted {
                    self.fault = Some("refused");
                }
                if first && !own_life && ruling != ShotRuling::Refused(Rule::Armed) {
                    self.fault = Some("mixed");
                }
                // Past the retention its revision may wrap to one never committed: that names nothing and
                // is never judged.
                let names_nothing = !retained && ruling == ShotRuling::Malformed;
                if !first && ruling != ShotRuling::Repeat && !names_nothing {
                    self.fault = Some("twice");
                }
            }
            Message::Frame(frame) => {
                let ruling = self.server.frame(&FrameReport { rev: wire, ..frame }, self.now_ms);
                if first && retained && ruling.acts.is_some() != frame.firing {
                    self.fault = Some("refused");
                }
                if !first && ruling.acts.is_some() {
                    self.fault = Some("twice");
                }
            }
        }
        if !only_lowers(&before, &self.server.inventory()) {
            self.fault = Some("raised");
        }
    }

    /// Whether a revision is superseded and still retained: nothing else depends on time.
    fn time_matters(&self) -> bool {
        self.ages_ms().any(|age_ms| age_ms.is_some_and(|age_ms| age_ms <= RETAINED_MS))
    }

    fn ages_ms(&self) -> impl Iterator<Item = Option<u64>> {
        let age = |since: u64| (self.now_ms - since).min(RETAINED_MS + 1);
        self.superseded_ms.iter().map(move |since| since.map(age))
    }

    fn has(&self, fault: &str) -> bool {
        self.fault == Some(fault)
    }

    /// The server has every weapon the client will have, and no fewer rounds of it.
    fn never_below(&self) -> bool {
        let mut client = self.client.clone();
        for packet in &self.stream {
            take(&mut client, *packet);
        }
        let (server, client) = (self.server.inventory(), client.inventory());
        server.life == client.life
            && server.slots.iter().zip(&client.slots).all(|(server, client)| {
                server.weapon == client.weapon && server.total >= client.total
            })
    }

    /// With no command in flight, one more message of a slot makes it equal.
    fn exact(&self) -> bool {
        if !self.stream.is_empty() {
            return true;
        }
        let rev = Revision(self.client.revision().0 & SMALL.revision_mask);
        let (mut server, mut client) = (self.server.clone(), self.client.clone());
        let frame = client.frame(false);
        server.frame(&FrameReport { rev, ..frame }, self.now_ms);
        let held = server.inventory().total_of(client.held()) == client.total(client.held());
        let shots = ALL.into_iter().all(|weapon| {
            let (mut server, mut client) = (self.server.clone(), self.client.clone());
            let Some(shot) = client.fire(weapon) else { return true };
            let ruling = server.shot(&ShotReport { rev, ..shot }, self.now_ms);
            ruling == ShotRuling::Accepted
                && server.inventory().total_of(weapon) == client.total(weapon)
        });
        held && shots && server.inventory().held == client.held()
    }

    fn bounds(&self) -> bool {
        self.server.inventory().slots.iter().all(|slot| {
            let clip_size = armoury_clip(slot.weapon);
            slot.clip <= slot.total.min(clip_size)
        })
    }
}

impl Sent {
    fn new(message: Message) -> Self {
        Self { message, landings: 0, joined: false }
    }
}

impl Message {
    fn stamp(&self) -> (Life, Revision) {
        match self {
            Self::Shot(shot) => (shot.life, shot.rev),
            Self::Frame(frame) => (frame.life, frame.rev),
        }
    }
}

impl<B: Books> PartialEq for State<B> {
    fn eq(&self, other: &Self) -> bool {
        fingerprint(self) == fingerprint(other)
    }
}

impl<B: Books> Hash for State<B> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.server.fingerprint(self.now_ms, hasher);
        self.client.fingerprint(hasher);
        (&self.stream, &self.sent, &self.log, &self.spent, self.fault).hash(hasher);
        self.ages_ms().for_each(|age_ms| age_ms.hash(hasher));
    }
}

pub(crate) fn only_lowers(before: &Inventory, after: &Inventory) -> bool {
    let owned = after.held == WeaponId::FISTS || after.slot_of(after.held).is_some();
    owned
        && before
            .slots
            .iter()
            .zip(&after.slots)
            .all(|(before, after)| before.weapon == after.weapon && after.total <= before.total)
}

fn fingerprint<B: Books>(state: &State<B>) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    state.hash(&mut hasher);
    hasher.finish()
}

fn same_store(one: &Inventory, other: &Inventory) -> bool {
    one.slots == other.slots && one.held == other.held
}

fn take(client: &mut Mirror, packet: Packet) {
    match packet {
        Packet::Command(command) => {
            client.apply(client.revision().next(), &command).expect("both sides refuse the same");
        }
        Packet::Grant(life) => client.take_grant(life),
    }
}

fn uses(weapon: WeaponId) -> Uses {
    match weapon {
        WeaponId::FISTS => Uses::Nothing,
        super::armoury::FLAMES => Uses::WhileHeld,
        _ => Uses::OnePerShot,
    }
}

fn armoury_clip(weapon: WeaponId) -> u16 {
    match weapon {
        super::armoury::DEAGLE | super::armoury::AK => 2,
        super::armoury::COLT | super::armoury::M4 => 1,
        super::armoury::FLAMES => 3,
        _ => 0,
    }
}
