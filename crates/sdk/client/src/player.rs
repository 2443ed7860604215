//! One player of a set: its session, its connection, and its way back when the line broke.

use crate::{Ended, Options, Rejoin, Seat};
use bytes::Bytes;
use fairshot_client_core::{ClientEvent, ClientOptions, PlayerClient};
use fairshot_transport::ConnectionKey;
use std::time::{Duration, Instant};

/// Waits between tries to come back: doubled each time from the first to the last.
const RETRY_FIRST: Duration = Duration::from_millis(250);
const RETRY_LAST: Duration = Duration::from_secs(4);
/// How long the server has to answer a goodbye.
pub(crate) const GOODBYE_WAIT: Duration = Duration::from_secs(3);

#[derive(Debug)]
pub(crate) struct Player {
    pub(crate) session: PlayerClient,
    pub(crate) seat: Seat,
    pub(crate) rejoin: Rejoin,
    pub(crate) link: Link,
    /// The stream has bytes that were not read, because the session wanted none.
    pub(crate) unread: bool,
    pub(crate) readable_listed: bool,
    pub(crate) active: bool,
    /// When the server was last heard of.
    pub(crate) heard_at: Option<Instant>,
    /// When the server last said anything, over however many connections; first of all when it was asked.
    last_heard: Instant,
    /// That it says nothing any more was told.
    pub(crate) told_unreachable: bool,
    way_back: Option<WayBack>,
    pub(crate) tries: u32,
}

#[derive(Debug)]
pub(crate) enum Link {
    Connecting(ConnectionKey),
    Open(ConnectionKey),
    /// Goodbye was said; closed from here if no answer came by then.
    Leaving(ConnectionKey, Instant),
    /// Tries again then.
    Waiting(Instant),
    Ended(Ended),
}

#[derive(Clone, Debug)]
struct WayBack {
    ticket: Bytes,
    within: Duration,
    /// When the line was found broken.
    lost: Option<Instant>,
}

impl Player {
    pub(crate) fn new(now: Instant, seat: Seat, options: Options, key: ConnectionKey) -> Self {
        let Options { rejoin, settings, assets, traceparent } = options;
        let traceparent = traceparent.or_else(|| seat.traceparent.clone());
        let options = ClientOptions { ticket: seat.ticket.clone(), traceparent, settings, assets };
        Self {
            session: PlayerClient::new(options),
            seat,
            rejoin,
            link: Link::Connecting(key),
            unread: false,
            readable_listed: false,
            active: false,
            heard_at: None,
            last_heard: now,
            told_unreachable: false,
            way_back: None,
            tries: 0,
        }
    }

    /// Something came from the server.
    pub(crate) fn hear(&mut self, now: Instant) {
        self.heard_at = Some(now);
        self.last_heard = now;
        self.told_unreachable = false;
    }

    /// Whether she wants a server that has said nothing for so long, and nobody was told yet.
    pub(crate) fn is_unanswered(&self, now: Instant, silence_max: Duration) -> bool {
        let wants = matches!(self.link, Link::Connecting(_) | Link::Open(_) | Link::Waiting(_));
        let silent = now.saturating_duration_since(self.last_heard) >= silence_max;
        wants && silent && !self.told_unreachable
    }

    pub(crate) fn connection(&self) -> Option<ConnectionKey> {
        match self.link {
            Link::Connecting(key) | Link::Open(key) | Link::Leaving(key, _) => Some(key),
            Link::Waiting(_) | Link::Ended(_) => None,
        }
    }

    /// Looks at an event on its way to the game loop: a welcome brings the next way back.
    pub(crate) fn note(&mut self, event: &ClientEvent) {
        if let ClientEvent::Welcomed(welcome) = event {
            self.tries = 0;
            self.way_back = (!welcome.rejoin_ticket.is_empty()).then(|| WayBack {
                ticket: welcome.rejoin_ticket.clone(),
                within: Duration::from_millis(u64::from(welcome.rejoin_within_ms)),
                lost: None,
            });
        }
    }

    /// What becomes of a player whose connection ended so: a time to try again, or the end.
    pub(crate) fn after(&mut self, now: Instant, ended: Ended) -> Link {
        if matches!(self.link, Link::Leaving(..)) {
            return Link::Ended(Ended::Left);
        }
        let wanted = self.rejoin == Rejoin::Automatic && ended.may_rejoin();
        let Some(way) = self.way_back.as_mut().filter(|_| wanted) else {
            return Link::Ended(ended);
        };
        let lost = *way.lost.get_or_insert(now);
        let wait = RETRY_FIRST.saturating_mul(1 << self.tries.min(8)).min(RETRY_LAST);
        let at = if self.tries == 0 { now } else { now + wait };
        self.tries += 1;
        if at.saturating_duration_since(lost) > way.within {
            return Link::Ended(ended);
        }
        Link::Waiting(at)
    }

    /// A fresh session that brings the rejoin ticket. Its inventory and its events start anew.
    pub(crate) fn restart(&mut self) {
        let Some(way) = &self.way_back else { return };
        let settings = self.session.settings().cloned();
        let ticket = way.ticket.clone();
        let assets = self.session.assets().clone();
        let options = ClientOptions { ticket, traceparent: None, settings, assets };
        self.begin_session(options);
    }

    /// A fresh session in another seat, perhaps on another node.
    pub(crate) fn move_to(&mut self, now: Instant, seat: Seat, key: ConnectionKey) {
        let options = ClientOptions {
            ticket: seat.ticket.clone(),
            traceparent: seat.traceparent.clone(),
            settings: self.session.settings().cloned(),
            assets: self.session.assets().clone(),
        };
        self.begin_session(options);
        self.seat = seat;
        self.link = Link::Connecting(key);
        self.last_heard = now;
        self.told_unreachable = false;
        self.way_back = None;
        self.tries = 0;
    }

    fn begin_session(&mut self, options: ClientOptions) {
        self.session = PlayerClient::new(options);
        self.unread = false;
        self.heard_at = None;
    }
}
