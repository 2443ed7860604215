//! One room's seats: who reserved, who sits, whose seat is kept while her line is down.
//!
//! Invariant: reserved + taken + held never passes the room's maximum, and a player has one seat at
//! most. A connection is known by its [`Generation`], so whatever an old connection still reports
//! (a slow join that ends, a timeout) cannot touch the seat its player has taken anew.

use crate::Nonce;
use fairshot_units::PlayerId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A reserved seat waits this long for its player, unless the rules say otherwise.
pub const SEAT_TTL_MS: u64 = 15_000;

/// Seats a book can have at most: its index fits a ticket, and a scan of it stays short.
const SEATS_MAX: u16 = 1_024;
const NO_TEAM: u8 = u8::MAX;

/// How a room's seats are given out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatRules {
    /// 1 to 1,024; beyond that the nearest of the two holds.
    pub seats_max: u16,
    /// 0 where there are no teams.
    pub teams: u8,
    /// How long a reservation waits, in milliseconds.
    pub seat_ttl_ms: u64,
    /// How long a lost player's seat is kept, in milliseconds.
    pub hold_ms: u64,
}

impl SeatRules {
    /// 15 s for a reservation, 30 s for a lost player.
    #[must_use]
    pub fn new(seats_max: u16, teams: u8) -> Self {
        Self { seats_max, teams, seat_ttl_ms: SEAT_TTL_MS, hold_ms: 30_000 }
    }
}

/// Counts the connections that a room's seats have had; never used twice in one book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(pub u64);

/// One seat's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seat {
    Free,
    /// Promised until `until_ms` to whoever brings the ticket with that nonce.
    Reserved {
        player: PlayerId,
        team: u8,
        nonce: Nonce,
        until_ms: u64,
    },
    /// A connection has it. `joined` once the room has let the player in, on this connection or on
    /// one before it.
    Taken {
        player: PlayerId,
        team: u8,
        generation: Generation,
        joined: bool,
        rejoin: Nonce,
        takeover: Option<Takeover>,
    },
    /// The connection was lost; its player may come back until `until_ms`.
    Held {
        player: PlayerId,
        team: u8,
        generation: Generation,
        rejoin: Nonce,
        takeover: Option<Takeover>,
        until_ms: u64,
    },
}

/// A ticket for a seat that its player has already: a new connection of hers may take it over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Takeover {
    nonce: Nonce,
    until_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SeatCounts {
    pub reserved: u16,
    pub taken: u16,
    pub held: u16,
    pub seats_max: u16,
}

impl SeatCounts {
    #[must_use]
    pub fn free(self) -> u16 {
        let used = self.reserved.saturating_add(self.taken).saturating_add(self.held);
        self.seats_max.saturating_sub(used)
    }
}

/// One member of a party and the seat it got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberSeat {
    pub player: PlayerId,
    pub seat: u16,
    /// 255 is none.
    pub team: u8,
    pub nonce: Nonce,
    pub until_ms: u64,
}

/// A connection that a ticket let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admitted {
    pub player: PlayerId,
    pub seat: u16,
    /// 255 is none.
    pub team: u8,
    pub generation: Generation,
    /// The player's connection before this one, if it is still up: close it as replaced. Its
    /// seat is not its any more.
    pub replaced: Option<Generation>,
    /// The player was in the room before, on the connection of that generation.
    pub came_back: Option<Generation>,
}

/// A seat that became free by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatFreed {
    pub seat: u16,
    pub player: PlayerId,
    pub why: SeatFreedWhy,
    /// The connection that last had it, where one had.
    pub generation: Option<Generation>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatFreedWhy {
    /// Nobody brought the ticket.
    NeverTaken,
    /// The lost player did not come back.
    HoldOver,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReserveError {
    #[error("the room has {free} seats free, and {wanted} are wanted")]
    Full { free: u16, wanted: usize },
    #[error("the room is locked")]
    Locked,
    #[error("a party of {size} fits no team of {team_max}")]
    PartyTooLarge { size: usize, team_max: u16 },
    #[error("a party names each player once, and one at least")]
    Party,
}

impl ReserveError {
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Full { .. } => "full",
            Self::Locked => "locked",
            Self::PartyTooLarge { .. } => "party_too_large",
            Self::Party => "party",
        }
    }
}

/// Why a ticket that is right in itself opens no seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AdmitError {
    #[error("the seat's reservation ran out")]
    SeatExpired,
    #[error("the ticket was revoked: a newer one took its place, or its holder was put out")]
    Revoked,
}

impl AdmitError {
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::SeatExpired => "seat_expired",
            Self::Revoked => "revoked",
        }
    }
}

/// The seats of one room.
#[derive(Clone, Debug)]
pub struct SeatBook {
    rules: SeatRules,
    seats: Vec<Seat>,
    locked: bool,
    generation_last: u64,
    empty_since_ms: Option<u64>,
    freed: Vec<SeatFreed>,
}

impl SeatBook {
    #[must_use]
    pub fn new(rules: SeatRules, now_ms: u64) -> Self {
        let seats = vec![Seat::Free; usize::from(rules.seats_max.clamp(1, SEATS_MAX))];
        Self {
            rules,
            seats,
            locked: false,
            generation_last: 0,
            empty_since_ms: Some(now_ms),
            freed: Vec::new(),
        }
    }

    /// Reserves a seat for every member or for none, all in one team. A member who has a seat in this
    /// room gets a ticket for that very seat, locked or not; an older unused ticket of hers is void.
    ///
    /// # Errors
    /// [`ReserveError`]; nothing changed then.
    pub fn reserve(
        &mut self,
        members: &[(PlayerId, Nonce)],
        now_ms: u64,
    ) -> Result<Vec<MemberSeat>, ReserveError> {
        self.sweep(now_ms);
        let unique = (1..members.len()).all(|i| members[..i].iter().all(|m| m.0 != members[i].0));
        if members.is_empty() || !unique {
            return Err(ReserveError::Party);
        }
        let seated: Vec<Option<usize>> =
            members.iter().map(|(player, _)| self.seat_of(player)).collect();
        let wanted = seated.iter().filter(|s| s.is_none()).count();
        if wanted > 0 && self.locked {
            return Err(ReserveError::Locked);
        }
        let free = self.counts().free();
        if wanted > usize::from(free) {
            return Err(ReserveError::Full { free, wanted });
        }
        let team = if wanted == 0 { NO_TEAM } else { self.team_for(&seated, wanted, free)? };
        let until_ms = now_ms.saturating_add(self.rules.seat_ttl_ms);
        let mut granted = Vec::with_capacity(members.len());
        for ((player, nonce), seated) in members.iter().zip(seated) {
            let index = match seated {
                Some(index) => {
                    self.seats[index].promise_again(*nonce, until_ms);
                    index
                }
                None => self.promise(player, team, *nonce, until_ms),
            };
            granted.push(MemberSeat {
                player: player.clone(),
                seat: index_u16(index),
                team: self.seats[index].team(),
                nonce: *nonce,
                until_ms,
            });
        }
        self.note_emptiness(now_ms);
        Ok(granted)
    }

    /// Gives the seat to the connection that brought the ticket. `rejoin` is the nonce of the ticket
    /// that this connection will be handed for coming back; every earlier one is void.
    ///
    /// # Errors
    /// [`AdmitError`] if the seat does not wait for this nonce.
    pub fn admit(
        &mut self,
        seat: u16,
        player: &PlayerId,
        nonce: Nonce,
        rejoin: Nonce,
        now_ms: u64,
    ) -> Result<Admitted, AdmitError> {
        self.sweep(now_ms);
        let state = self.seats.get(usize::from(seat)).ok_or(AdmitError::Revoked)?;
        if state.player() != Some(player) {
            // Free, or someone else's since: the reservation or the hold was over before this came.
            return Err(AdmitError::SeatExpired);
        }
        let (opens, before, up) = match state {
            Seat::Free => (false, None, false),
            Seat::Reserved { nonce: waits_for, .. } => (*waits_for == nonce, None, false),
            Seat::Taken { generation, joined, rejoin, takeover, .. } => {
                let opens = *rejoin == nonce || takeover.is_some_and(|t| t.nonce == nonce);
                (opens, Some((*generation, *joined)), true)
            }
            Seat::Held { generation, rejoin, takeover, .. } => {
                let opens = *rejoin == nonce || takeover.is_some_and(|t| t.nonce == nonce);
                (opens, Some((*generation, true)), false)
            }
        };
        if !opens {
            return Err(AdmitError::Revoked);
        }
        let team = state.team();
        let came_back = before.filter(|(_, joined)| *joined).map(|(generation, _)| generation);
        self.generation_last += 1;
        let generation = Generation(self.generation_last);
        self.seats[usize::from(seat)] = Seat::Taken {
            player: player.clone(),
            team,
            generation,
            joined: came_back.is_some(),
            rejoin,
            takeover: None,
        };
        Ok(Admitted {
            player: player.clone(),
            seat,
            team,
            generation,
            replaced: before.filter(|_| up).map(|(generation, _)| generation),
            came_back,
        })
    }

    /// The room has let the connection's player in. False if the connection is gone or replaced: then
    /// undo the join, the seat is not its.
    #[must_use]
    pub fn joined(&mut self, seat: u16, of: Generation) -> bool {
        match self.seats.get_mut(usize::from(seat)) {
            Some(Seat::Taken { generation, joined, .. }) if *generation == of => {
                *joined = true;
                true
            }
            _ => false,
        }
    }

    /// The connection broke. A player who was in the room has her seat held; one whose join had not
    /// ended gives it back. False if the seat is not that connection's any more.
    #[must_use]
    pub fn lost(&mut self, seat: u16, of: Generation, now_ms: u64) -> bool {
        self.sweep(now_ms);
        let Some(state) = self.seats.get_mut(usize::from(seat)) else { return false };
        let Seat::Taken { player, team, generation, joined, rejoin, takeover } = &*state else {
            return false;
        };
        if *generation != of {
            return false;
        }
        *state = match (*joined, takeover) {
            (true, _) => Seat::Held {
                player: player.clone(),
                team: *team,
                generation: of,
                rejoin: *rejoin,
                takeover: *takeover,
                until_ms: now_ms.saturating_add(self.rules.hold_ms),
            },
            // Her next connection holds a ticket already: the seat waits for that.
            (false, Some(next)) => Seat::Reserved {
                player: player.clone(),
                team: *team,
                nonce: next.nonce,
                until_ms: next.until_ms,
            },
            (false, None) => Seat::Free,
        };
        self.note_emptiness(now_ms);
        true
    }

    /// The player of that connection said goodbye, or her join failed: the seat is free at once, unless
    /// she has a ticket for her next connection already, which it waits for then. False if the seat is
    /// not that connection's any more.
    #[must_use]
    pub fn left(&mut self, seat: u16, of: Generation, now_ms: u64) -> bool {
        self.sweep(now_ms);
        let Some(state) = self.seats.get_mut(usize::from(seat)) else { return false };
        let (Seat::Taken { player, team, generation, takeover, .. }
        | Seat::Held { player, team, generation, takeover, .. }) = &*state
        else {
            return false;
        };
        if *generation != of {
            return false;
        }
        *state = match takeover.filter(|next| next.until_ms > now_ms) {
            Some(next) => Seat::Reserved {
                player: player.clone(),
                team: *team,
                nonce: next.nonce,
                until_ms: next.until_ms,
            },
            None => Seat::Free,
        };
        self.note_emptiness(now_ms);
        true
    }

    /// Gives back a reservation that will not be used. False unless it still waits for that nonce.
    #[must_use]
    pub fn release(&mut self, seat: u16, of: Nonce, now_ms: u64) -> bool {
        self.sweep(now_ms);
        match self.seats.get_mut(usize::from(seat)) {
            Some(Seat::Reserved { nonce, .. }) if *nonce == of => {
                self.free(usize::from(seat), now_ms);
                true
            }
            Some(Seat::Taken { takeover, .. } | Seat::Held { takeover, .. })
                if takeover.is_some_and(|t| t.nonce == of) =>
            {
                *takeover = None;
                true
            }
            _ => false,
        }
    }

    /// Puts a player out, whatever her seat's state (kick, ban): every ticket of hers is void. Gives the
    /// connection to close, if one is up.
    pub fn evict(&mut self, player: &PlayerId, now_ms: u64) -> Option<Generation> {
        self.sweep(now_ms);
        let index = self.seat_of(player)?;
        let up = match &self.seats[index] {
            Seat::Taken { generation, .. } => Some(*generation),
            _ => None,
        };
        self.free(index, now_ms);
        up
    }

    /// Frees what ran out by `now_ms` and gives what was freed since the last call. Call it about once
    /// a second; every other call frees what ran out by then as well, and keeps it for this one.
    #[must_use]
    pub fn poll(&mut self, now_ms: u64) -> Vec<SeatFreed> {
        self.sweep(now_ms);
        std::mem::take(&mut self.freed)
    }

    #[must_use]
    pub fn counts(&self) -> SeatCounts {
        let mut counts =
            SeatCounts { seats_max: index_u16(self.seats.len()), ..Default::default() };
        for seat in &self.seats {
            match seat {
                Seat::Free => {}
                Seat::Reserved { .. } => counts.reserved += 1,
                Seat::Taken { .. } => counts.taken += 1,
                Seat::Held { .. } => counts.held += 1,
            }
        }
        counts
    }

    /// Every seat, by index.
    #[must_use]
    pub fn seats(&self) -> &[Seat] {
        &self.seats
    }

    /// Since when nobody has, holds or waits for a seat.
    #[must_use]
    pub fn empty_since_ms(&self) -> Option<u64> {
        self.empty_since_ms
    }

    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.locked
    }

    /// A locked room reserves no seat for anyone who has none; players in it stay and may come back.
    pub fn set_locked(&mut self, locked: bool) {
        self.locked = locked;
    }

    /// Seats of one team at most: the room's, spread evenly and rounded up.
    fn team_seats_max(&self) -> u16 {
        let seats = index_u16(self.seats.len());
        if self.rules.teams == 0 { seats } else { seats.div_ceil(u16::from(self.rules.teams)) }
    }

    /// The team of a party's unseated members: a seated member's if it fits there, else the team with
    /// the fewest players that it fits in, the first of equals.
    fn team_for(
        &self,
        seated: &[Option<usize>],
        wanted: usize,
        free: u16,
    ) -> Result<u8, ReserveError> {
        if self.rules.teams == 0 {
            return Ok(NO_TEAM);
        }
        let team_max = self.team_seats_max();
        if wanted > usize::from(team_max) {
            return Err(ReserveError::PartyTooLarge { size: wanted, team_max });
        }
        let players = |team: u8| self.seats.iter().filter(|s| s.team() == team).count();
        let fits = |team: u8| players(team) + wanted <= usize::from(team_max);
        let friends = seated.iter().flatten().map(|index| self.seats[*index].team());
        friends
            .filter(|team| fits(*team))
            .chain((0..self.rules.teams).filter(|team| fits(*team)).min_by_key(|t| players(*t)))
            .next()
            .ok_or(ReserveError::Full { free, wanted })
    }

    fn seat_of(&self, player: &PlayerId) -> Option<usize> {
        self.seats.iter().position(|seat| seat.player() == Some(player))
    }

    /// Promises the first free seat; `reserve` has counted that there is one.
    fn promise(&mut self, player: &PlayerId, team: u8, nonce: Nonce, until_ms: u64) -> usize {
        let index = self.seats.iter().position(|s| *s == Seat::Free).unwrap_or_default();
        debug_assert_eq!(self.seats[index], Seat::Free, "counted before");
        self.seats[index] = Seat::Reserved { player: player.clone(), team, nonce, until_ms };
        index
    }

    fn free(&mut self, index: usize, now_ms: u64) {
        self.seats[index] = Seat::Free;
        self.note_emptiness(now_ms);
    }

    fn note_emptiness(&mut self, now_ms: u64) {
        let empty = self.seats.iter().all(|seat| *seat == Seat::Free);
        self.empty_since_ms = empty.then(|| self.empty_since_ms.unwrap_or(now_ms));
    }

    fn sweep(&mut self, now_ms: u64) {
        let mut empty_since_ms = None;
        for (index, seat) in self.seats.iter_mut().enumerate() {
            let Some((until_ms, why, generation)) = seat.runs_out() else { continue };
            if until_ms > now_ms {
                continue;
            }
            if let Some(player) = seat.player().cloned() {
                self.freed.push(SeatFreed { seat: index_u16(index), player, why, generation });
            }
            *seat = Seat::Free;
            empty_since_ms = empty_since_ms.max(Some(until_ms));
        }
        if let Some(until_ms) = empty_since_ms {
            self.note_emptiness(until_ms);
        }
    }
}

impl Seat {
    #[must_use]
    pub fn player(&self) -> Option<&PlayerId> {
        match self {
            Self::Free => None,
            Self::Reserved { player, .. }
            | Self::Taken { player, .. }
            | Self::Held { player, .. } => Some(player),
        }
    }

    /// 255 is none.
    #[must_use]
    pub fn team(&self) -> u8 {
        match self {
            Self::Free => NO_TEAM,
            Self::Reserved { team, .. } | Self::Taken { team, .. } | Self::Held { team, .. } => {
                *team
            }
        }
    }

    fn promise_again(&mut self, again: Nonce, again_until_ms: u64) {
        match self {
            Self::Free => {}
            Self::Reserved { nonce, until_ms, .. } => {
                *nonce = again;
                *until_ms = again_until_ms;
            }
            Self::Taken { takeover, .. } => {
                *takeover = Some(Takeover { nonce: again, until_ms: again_until_ms });
            }
            Self::Held { takeover, until_ms, .. } => {
                *takeover = Some(Takeover { nonce: again, until_ms: again_until_ms });
                *until_ms = (*until_ms).max(again_until_ms);
            }
        }
    }

    /// When a seat that nobody sits on becomes free, and why.
    fn runs_out(&self) -> Option<(u64, SeatFreedWhy, Option<Generation>)> {
        match self {
            Self::Free | Self::Taken { .. } => None,
            Self::Reserved { until_ms, .. } => Some((*until_ms, SeatFreedWhy::NeverTaken, None)),
            Self::Held { until_ms, generation, .. } => {
                Some((*until_ms, SeatFreedWhy::HoldOver, Some(*generation)))
            }
        }
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Books have 1,024 seats at most.
fn index_u16(index: usize) -> u16 {
    u16::try_from(index).unwrap_or(u16::MAX)
}
