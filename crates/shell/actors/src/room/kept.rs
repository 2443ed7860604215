//! Shots kept so that an operator can be told why one was refused: each player's last sixteen, and the
//! room's refusals of the last ten minutes, 1,024 at the most.

use fairshot_judge::{Claim, Judgement, Outcome, Ray, ShotHit, Verdict};
use fairshot_room::Shot;
use fairshot_units::PlayerId;
use std::collections::VecDeque;
use std::rc::Rc;

/// Shots kept of each player.
const SHOTS_KEPT: usize = 16;
/// Refusals kept of a room, and for how long.
const REFUSALS_KEPT: usize = 1024;
const REFUSALS_KEPT_MS: u64 = 600_000;

/// One judged shot with all that was measured.
#[derive(Clone, Debug)]
pub(crate) struct KeptShot {
    pub(crate) time_unix_ms: u64,
    pub(crate) landed_ms: u64,
    pub(crate) player: PlayerId,
    /// As it was claimed; `None` for one refused before it had a claim.
    pub(crate) claim: Option<Claim>,
    pub(crate) verdict: Verdict,
    pub(crate) rays: Vec<Ray>,
    pub(crate) hits: Vec<ShotHit>,
}

impl KeptShot {
    pub(crate) fn new(
        player: &PlayerId,
        verdict: &Verdict,
        judgement: &Judgement,
        shot: Option<&Shot>,
        time_unix_ms: u64,
        landed_ms: u64,
    ) -> Self {
        Self {
            time_unix_ms,
            landed_ms,
            player: player.clone(),
            claim: shot.map(|shot| shot.claim.clone()),
            verdict: verdict.clone(),
            rays: judgement.rays_of(verdict).to_vec(),
            hits: judgement.hits_of(verdict).to_vec(),
        }
    }

    pub(crate) fn is_refused(&self) -> bool {
        matches!(self.verdict.outcome, Outcome::Refused { .. })
    }
}

/// A player's last sixteen.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptShots(VecDeque<Rc<KeptShot>>);

impl KeptShots {
    pub(crate) fn keep(&mut self, shot: Rc<KeptShot>) {
        if self.0.len() >= SHOTS_KEPT {
            self.0.pop_front();
        }
        self.0.push_back(shot);
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Rc<KeptShot>> {
        self.0.iter()
    }
}

/// A room's refusals.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptRefusals(VecDeque<Rc<KeptShot>>);

impl KeptRefusals {
    pub(crate) fn keep(&mut self, shot: Rc<KeptShot>) {
        let oldest_ms = shot.landed_ms.saturating_sub(REFUSALS_KEPT_MS);
        while self.0.len() >= REFUSALS_KEPT
            || self.0.front().is_some_and(|first| first.landed_ms < oldest_ms)
        {
            self.0.pop_front();
        }
        self.0.push_back(shot);
    }

    pub(crate) fn of<'a>(
        &'a self,
        player: &'a PlayerId,
    ) -> impl DoubleEndedIterator<Item = &'a Rc<KeptShot>> {
        self.0.iter().filter(move |shot| shot.player == *player)
    }
}
