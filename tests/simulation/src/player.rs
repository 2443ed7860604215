//! One player at her machine: her hands, her client, her clock and her luck.

use crate::line::Course;
use crate::session::Session;
use fairshot_bots::{Bot, Mood};
use fairshot_client::{ClientKey, ClientSet, Notice, Phase};
use fairshot_client_core::{ClientEvent, MarkerFate, PlayerClient};
use fairshot_transport::PathState;
use fairshot_transport::link::Port;
use fairshot_units::{EntityId, MessageNumber};
use fairshot_wire::Event;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// In a hundred steps so many find a game loop awake: loops run at a pace of their own.
const AWAKE_PERCENT: u64 = 60;

/// Who plays a client: a bot, or a test's own hands.
pub trait Hands {
    /// Makes the frames that are due, and fires as it sees fit.
    fn play(&mut self, client: &mut PlayerClient, mood: Mood, now_us: u64);
}

impl Hands for Bot {
    fn play(&mut self, client: &mut PlayerClient, mood: Mood, now_us: u64) {
        Self::play(self, client, mood, now_us);
    }
}

/// One player at her machine.
pub struct Player {
    pub course: Course,
    pub mood: Mood,
    /// Whether her game loop runs.
    pub plays: bool,
    /// Her clock gains so many microseconds a second.
    pub clock_gains_ppm: i64,
    pub keeps_events: bool,
    pub events: Vec<ClientEvent>,
    hands: Box<dyn Hands>,
    set: ClientSet<Port>,
    key: ClientKey,
    pub(crate) address: SocketAddr,
    luck: Luck,
    /// Frames the host was told of.
    pub(crate) frames: u64,
    pub(crate) explained: u64,
    /// Shots whose markers were not what the room dealt.
    pub(crate) corrected: Vec<MessageNumber>,
    pub(crate) ended: bool,
}

impl Player {
    pub(crate) fn new(
        course: Course,
        hands: Box<dyn Hands>,
        set: ClientSet<Port>,
        key: ClientKey,
        address: SocketAddr,
        seed: u64,
    ) -> Self {
        Self {
            course,
            mood: Mood::Peaceful,
            plays: true,
            clock_gains_ppm: 0,
            keeps_events: false,
            events: Vec::new(),
            hands,
            set,
            key,
            address,
            luck: Luck(seed),
            frames: 0,
            explained: 0,
            corrected: Vec::new(),
            ended: false,
        }
    }

    /// # Panics
    /// Never: a player of a match is not removed.
    #[must_use]
    pub fn client(&self) -> &PlayerClient {
        self.set.session(self.key).expect("a player of a match stays")
    }

    /// # Panics
    /// Never: a player of a match is not removed.
    pub fn client_mut(&mut self) -> &mut PlayerClient {
        self.set.session_mut(self.key).expect("a player of a match stays")
    }

    /// Figures of her path, as her side sees it.
    ///
    /// # Panics
    /// Where her session is over.
    pub fn path(&mut self) -> PathState {
        self.set.path(self.key).expect("she is connected")
    }

    #[must_use]
    pub fn entity(&self) -> Option<EntityId> {
        self.client().entity()
    }

    pub(crate) fn step(&mut self, now: Instant, began: Instant) {
        let now = self.local(now, began);
        self.set.receive(now);
        if self.plays && self.luck.below(100) < AWAKE_PERCENT {
            while let Some(event) = self.set.next_event(self.key) {
                match &event {
                    ClientEvent::Room { event: Event::ShotRefused { .. }, .. } => {
                        self.explained += 1;
                    }
                    ClientEvent::MarkerSettled { number, fate: MarkerFate::Corrected(_) } => {
                        self.corrected.push(*number);
                    }
                    _ => {}
                }
                if self.keeps_events {
                    self.events.push(event);
                }
            }
            let (key, now_us) = (self.key, self.set.micros(now));
            if let Some(client) = self.set.session_mut(key) {
                self.hands.play(client, self.mood, now_us);
            }
        }
        while let Some((_, notice)) = self.set.next_notice() {
            self.ended |= matches!(notice, Notice::Ended(_));
        }
        self.ended |= matches!(self.set.phase(self.key), Some(Phase::Ended(_)));
        self.set.flush(now);
    }

    /// The time at her machine, in the microseconds of her client.
    pub(crate) fn local_us(&self, now: Instant, began: Instant) -> u64 {
        self.set.micros(self.local(now, began))
    }

    fn local(&self, now: Instant, began: Instant) -> Instant {
        let since = u64::try_from((now - began).as_nanos()).unwrap_or(u64::MAX);
        let gained = since.cast_signed() / 1_000_000 * self.clock_gains_ppm;
        began + Duration::from_nanos(since.saturating_add_signed(gained))
    }

    /// Whether her inventory is the server's.
    pub(crate) fn agrees_with(&self, session: &Session) -> bool {
        let Some(hers) = self.client().inventory() else { return false };
        let ours = session.ledger().inventory();
        let totals = |inventory: &fairshot_ledger::Inventory| {
            inventory.slots.map(|slot| (slot.weapon, slot.total))
        };
        !session.apply_failed
            && hers.life == ours.life
            && hers.revision == ours.revision
            && totals(&hers) == totals(&ours)
    }
}

impl std::fmt::Debug for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Player").field("address", &self.address).finish_non_exhaustive()
    }
}

/// SplitMix64.
#[derive(Clone, Debug)]
struct Luck(u64);

impl Luck {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % below
    }
}
