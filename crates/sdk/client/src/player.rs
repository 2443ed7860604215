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
    pub(crate) fn new(seat: Seat, options: Options, key: ConnectionKey) -> Self {
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
            way_back: None,
            tries: 0,
        }
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
        self.session = PlayerClient::new(options);
        self.unread = false;
        self.heard_at = None;
    }
}
