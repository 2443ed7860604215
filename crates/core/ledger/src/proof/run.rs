//! One history: a server, a client, and everything between them, moved a step at a time.

use super::armoury::{AK, ALL, COLT, DEAGLE, FLAMES, M4, armoury};
use crate::revisions::RETAINED_MS;
use crate::ruling::ShotRuling;
use crate::window::SPAN;
use crate::{FrameReport, Inventory, Ledger, Mirror, ShotReport};
use fairshot_mode::Catalogue;
use fairshot_units::{Life, SlotIndex, WeaponCommand, WeaponId};
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::VecDeque;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Order(WeaponCommand),
    /// So many commands in one tick.
    Burst(usize),
    Respawn,
    /// The client takes so many packets.
    TakeFromStream(usize),
    Fire(WeaponId),
    Burn(u16),
    Frame {
        firing: bool,
    },
    Arm(WeaponId),
    Reload,
    /// Some message lands, for the first time or again.
    Land(Index),
    Lapse(u64),
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
    let weapon = || prop::sample::select(ALL.as_slice());
    prop_oneof![
        6 => command().prop_map(Step::Order),
        1 => (2..20_usize).prop_map(Step::Burst),
        1 => Just(Step::Respawn),
        6 => (1..4_usize).prop_map(Step::TakeFromStream),
        8 => weapon().prop_map(Step::Fire),
        3 => (1..4_u16).prop_map(Step::Burn),
        8 => any::<bool>().prop_map(|firing| Step::Frame { firing }),
        3 => weapon().prop_map(Step::Arm),
        1 => Just(Step::Reload),
        20 => any::<Index>().prop_map(Step::Land),
        2 => (0..1500_u64).prop_map(Step::Lapse),
    ]
}

pub(crate) fn command() -> impl Strategy<Value = WeaponCommand> {
    let weapon = || prop::sample::select(ALL.as_slice());
    let rounds = || prop_oneof![0..5_u16, Just(9999), 65_530..=65_535_u16];
    prop_oneof![
        6 => (weapon(), rounds(), any::<bool>()).prop_map(|(weapon, rounds, set_as_current)| {
            WeaponCommand::Give { weapon, rounds, set_as_current }
        }),
        3 => (weapon(), rounds(), prop::option::of(0..3_u16))
            .prop_map(|(weapon, total, clip)| WeaponCommand::SetAmmo { weapon, total, clip }),
        2 => weapon().prop_map(|weapon| WeaponCommand::Take { weapon }),
        1 => Just(WeaponCommand::Clear),
        2 => weapon().prop_map(|weapon| WeaponCommand::SetArmed { weapon }),
    ]
}

/// What both sides hold as a history begins.
pub(crate) struct Base {
    pub(crate) server: Ledger,
    client: Mirror,
    commits: usize,
}

impl Base {
    /// So many commands were ordered, applied and echoed.
    pub(crate) fn after(commits: usize) -> Self {
        let mut run = Run::empty();
        for _ in 0..commits {
            let command = WeaponCommand::SetArmed { weapon: WeaponId::FISTS };
            run.order(&command);
            run.take_from_stream();
            if run.commits.is_multiple_of(500) {
                run.now_ms += RETAINED_MS + 1;
                run.send_frame(false);
                run.land_newest();
            }
        }
        for command in [
            WeaponCommand::Give { weapon: COLT, rounds: 20, set_as_current: false },
            WeaponCommand::Give { weapon: FLAMES, rounds: 50, set_as_current: false },
            WeaponCommand::Give { weapon: AK, rounds: 30, set_as_current: true },
        ] {
            run.order(&command);
        }
        run.drain_stream();
        run.send_frame(false);
        run.land_newest();
        Self { server: run.server, client: run.client, commits: run.commits }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) server: Ledger,
    pub(crate) client: Mirror,
    pub(crate) now_ms: u64,
    /// Rounds of every give and set, by slot, and shots accepted.
    pub(crate) granted: [u64; SlotIndex::COUNT],
    pub(crate) accepted: [u64; SlotIndex::COUNT],
    /// What the last step's message did, if one landed.
    pub(crate) landing: Option<Landing>,
    stream: VecDeque<Packet>,
    log: Vec<Packet>,
    sent: Vec<Sent>,
    commits: usize,
    applied: usize,
    /// Rising: which commit was echoed first when.
    echoes: Vec<(usize, u64)>,
    highest_number: u32,
}

#[derive(Clone, Copy, Debug)]
enum Packet {
    Command(WeaponCommand),
    Grant(Life),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Message {
    Shot(ShotReport),
    Frame(FrameReport),
}

#[derive(Clone, Debug)]
struct Sent {
    message: Message,
    /// The commit it echoes, unwrapped.
    commit: usize,
    landings: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Landing {
    pub(crate) first: bool,
    /// It has a right to be accepted.
    pub(crate) due: bool,
    pub(crate) shot: Option<ShotRuling>,
    pub(crate) acted: bool,
    pub(crate) fired_continuous: bool,
    pub(crate) before: Inventory,
    pub(crate) after: Inventory,
}

impl Run {
    pub(crate) fn new(base: &Base) -> Self {
        let mut run = Self::empty();
        run.server = base.server.clone();
        run.client = base.client.clone();
        run.commits = base.commits;
        run.applied = base.commits;
        run.echoes = vec![(base.commits, 0)];
        run.granted = [100; SlotIndex::COUNT];
        run
    }

    pub(crate) fn take_step(&mut self, step: &Step) {
        self.landing = None;
        match step {
            Step::Order(command) => {
                self.order(command);
            }
            Step::Burst(commands) => self.burst(*commands),
            Step::Respawn => {
                let life = self.server.life().next();
                self.server.respawn(life);
                self.stream.push_back(Packet::Grant(life));
                self.log.push(Packet::Grant(life));
            }
            Step::TakeFromStream(packets) => (0..*packets).for_each(|_| self.take_from_stream()),
            Step::Fire(weapon) => {
                self.fire(*weapon);
            }
            Step::Burn(rounds) => {
                self.client.burn(*rounds);
            }
            Step::Frame { firing } => self.send_frame(*firing),
            Step::Arm(weapon) => {
                self.client.arm(*weapon);
            }
            Step::Reload => self.client.reload(),
            Step::Land(at) => {
                // Mostly what was sent of late.
                let recent = self.sent.len().min(24);
                if recent > 0 {
                    self.land(self.sent.len() - 1 - at.index(recent));
                }
            }
            Step::Lapse(ms) => self.now_ms += ms,
        }
    }

    pub(crate) fn fire(&mut self, weapon: WeaponId) -> bool {
        let shot = self.client.fire(weapon);
        if let Some(shot) = shot {
            self.send(Message::Shot(shot));
        }
        shot.is_some()
    }

    pub(crate) fn send_frame(&mut self, firing: bool) {
        let frame = self.client.frame(firing);
        self.send(Message::Frame(frame));
    }

    pub(crate) fn land_newest(&mut self) {
        self.land(self.sent.len() - 1);
    }

    /// False where everything has landed.
    pub(crate) fn land_newest_unheard(&mut self) -> bool {
        let newest = self.sent.iter().rposition(|sent| sent.landings == 0);
        newest.inspect(|index| self.land(*index)).is_some()
    }

    pub(crate) fn drain_stream(&mut self) {
        while !self.stream.is_empty() {
            self.take_from_stream();
        }
    }

    /// Everything that has landed, in the order it was sent.
    pub(crate) fn landed(&self) -> impl Iterator<Item = Message> {
        self.sent.iter().filter(|sent| sent.landings > 0).map(|sent| sent.message)
    }

    /// The client's inventory once it has taken all that is on the stream.
    pub(crate) fn client_to_come(&self) -> Inventory {
        if self.stream.is_empty() {
            return self.client.inventory();
        }
        let mut client = self.client.clone();
        self.stream.iter().for_each(|packet| take(&mut client, *packet));
        client.inventory()
    }

    pub(crate) fn replay_commands(&self, server: &mut Ledger) {
        for packet in &self.log {
            match packet {
                Packet::Command(command) => {
                    let planned = server.plan(command, self.now_ms).expect("it applied before");
                    server.commit(planned, self.now_ms);
                }
                Packet::Grant(life) => server.respawn(*life),
            }
        }
    }

    fn empty() -> Self {
        let catalogue = armoury();
        Self {
            server: Ledger::new(Arc::clone(&catalogue)),
            client: Mirror::new(Arc::clone(&catalogue)),
            catalogue,
            now_ms: 0,
            granted: [0; SlotIndex::COUNT],
            accepted: [0; SlotIndex::COUNT],
            landing: None,
            stream: VecDeque::new(),
            log: Vec::new(),
            sent: Vec::new(),
            commits: 0,
            applied: 0,
            echoes: Vec::new(),
            highest_number: 0,
        }
    }

    fn order(&mut self, command: &WeaponCommand) -> bool {
        let before = self.server.inventory();
        let Ok(planned) = self.server.plan(command, self.now_ms) else {
            assert_eq!(self.server.inventory(), before, "a refused command moves nothing");
            return false;
        };
        self.server.commit(planned, self.now_ms);
        self.commits += 1;
        self.stream.push_back(Packet::Command(*command));
        self.log.push(Packet::Command(*command));
        let (weapon, rounds) = match *command {
            WeaponCommand::Give { weapon, rounds, .. } => (weapon, rounds),
            WeaponCommand::SetAmmo { weapon, total, .. } => (weapon, total),
            _ => return true,
        };
        self.granted[self.slot(weapon)] += u64::from(rounds);
        true
    }

    fn burst(&mut self, commands: usize) {
        let cycle = [
            WeaponCommand::Give { weapon: AK, rounds: 3, set_as_current: true },
            WeaponCommand::Give { weapon: COLT, rounds: 2, set_as_current: false },
            WeaponCommand::Give { weapon: FLAMES, rounds: 2, set_as_current: true },
            WeaponCommand::Give { weapon: M4, rounds: 1, set_as_current: false },
            WeaponCommand::SetAmmo { weapon: FLAMES, total: 9, clip: None },
            WeaponCommand::Give { weapon: DEAGLE, rounds: 4, set_as_current: true },
            WeaponCommand::Take { weapon: M4 },
        ];
        for command in cycle.iter().cycle().take(commands) {
            self.order(command);
        }
    }

    fn take_from_stream(&mut self) {
        let Some(packet) = self.stream.pop_front() else { return };
        take(&mut self.client, packet);
        self.applied += usize::from(matches!(packet, Packet::Command(_)));
    }

    fn send(&mut self, message: Message) {
        self.sent.push(Sent { message, commit: self.applied, landings: 0 });
    }

    fn land(&mut self, index: usize) {
        let before = self.server.inventory();
        let Sent { message, commit, landings } = self.sent[index];
        let (life, number) = message.stamp();
        let superseded = self.echoes.iter().find(|(echoed, _)| *echoed > commit);
        let retained = superseded.is_none_or(|(_, since)| self.now_ms - since <= RETAINED_MS);
        let own_life = life == before.life;
        let in_window = number + SPAN >= self.highest_number;
        let due = retained && own_life && in_window;
        self.sent[index].landings += 1;
        self.highest_number = self.highest_number.max(number);
        let newest_echo = self.echoes.last().map_or(0, |(echoed, _)| *echoed);
        if due && commit > newest_echo {
            self.echoes.push((commit, self.now_ms));
        }
        let (shot, acted) = message.land(&mut self.server, self.now_ms);
        let (weapon, fired_continuous) = match message {
            Message::Shot(shot) => (shot.weapon, false),
            Message::Frame(frame) => (frame.held, frame.firing),
        };
        if shot == Some(ShotRuling::Accepted) || acted {
            let slot = self.slot(weapon);
            self.accepted[slot] += 1;
        }
        self.landing = Some(Landing {
            first: landings == 0,
            due,
            shot,
            acted,
            fired_continuous,
            before,
            after: self.server.inventory(),
        });
    }

    fn slot(&self, weapon: WeaponId) -> usize {
        self.catalogue.get(weapon).map_or(0, |weapon| weapon.slot.index())
    }
}

impl Message {
    pub(crate) fn land(&self, server: &mut Ledger, now_ms: u64) -> (Option<ShotRuling>, bool) {
        match self {
            Self::Shot(shot) => (Some(server.shot(shot, now_ms)), false),
            Self::Frame(frame) => (None, server.frame(frame, now_ms).acts.is_some()),
        }
    }

    fn stamp(&self) -> (Life, u32) {
        match self {
            Self::Shot(shot) => (shot.life, shot.number.0),
            Self::Frame(frame) => (frame.life, frame.number.0),
        }
    }
}

fn take(client: &mut Mirror, packet: Packet) {
    match packet {
        Packet::Command(command) => {
            client.apply(client.revision().next(), &command).expect("both sides refuse the same");
        }
        Packet::Grant(life) => client.take_grant(life),
    }
}
