//! The player's own shots from the trigger to the verdict, and the markers they draw.

use crate::event::{ClientEvent, EventQueue, MarkerFate};
use crate::stats::Stats;
use crate::trace::{SeenHit, Sight};
use fairshot_units::{EntityId, Life, MessageNumber, Rule, Tick, ViewStep, WeaponId};
use fairshot_wire::{Outcome, RefusedBy, ShotJudged, Strike};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Shots that wait for their verdicts; beyond that the oldest is forgotten and stays unanswered.
const WAITING_MAX: usize = 1024;
/// Shots kept with their fates, for a look back.
const LAST_KEPT: usize = 16;

/// One of the player's own shots.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnShot {
    pub number: MessageNumber,
    pub weapon: WeaponId,
    /// The step the screen showed.
    pub view: ViewStep,
    /// The hit markers drawn as it was fired; empty for a projectile.
    pub seen: Vec<SeenHit>,
    pub fate: ShotFate,
    pub(crate) sight: Sight,
}

/// What became of a shot.
#[derive(Clone, Debug, PartialEq)]
pub enum ShotFate {
    /// No verdict yet.
    Waiting,
    Accepted(Vec<Strike>),
    Refused(RefusedBy),
    /// Refused as `armed` after a death the screen had not shown.
    UnseenDeath,
}

#[derive(Debug, Default)]
pub(crate) struct OwnShots {
    waiting: BTreeMap<MessageNumber, OwnShot>,
    /// Refused as `armed`: the room's private word may yet call it an unseen death.
    armed: BTreeMap<MessageNumber, ()>,
    last: Vec<OwnShot>,
    /// When each entity last fell, and in which life.
    fallen: BTreeMap<EntityId, (Life, Tick)>,
}

impl OwnShots {
    pub(crate) fn fired(&mut self, shot: OwnShot, stats: &mut Stats, events: &mut EventQueue) {
        stats.shots_sent += 1;
        if !shot.seen.is_empty() {
            let (number, weapon, hits) = (shot.number, shot.weapon, shot.seen.clone());
            events.offer(ClientEvent::Marker { number, weapon, hits });
        }
        if self.waiting.len() == WAITING_MAX {
            self.waiting.pop_first();
        }
        self.waiting.insert(shot.number, shot);
    }

    /// Somebody fell in that tick: shots that land later pass through.
    pub(crate) fn fell(&mut self, entity: EntityId, life: Life, tick: Tick) {
        self.fallen.insert(entity, (life, tick));
    }

    /// The room ruled on one of the player's own shots in that tick.
    pub(crate) fn judged(
        &mut self,
        judged: &ShotJudged,
        landed: Tick,
        stats: &mut Stats,
        events: &mut EventQueue,
    ) {
        let Some(mut shot) = self.waiting.remove(&judged.number) else { return };
        match &judged.outcome {
            Outcome::Accepted { hits, .. } => {
                stats.shots_accepted += 1;
                let stood = shot.sight.hits(|hit| {
                    // Every shot of a tick is judged before any of its damage.
                    self.fallen
                        .get(&hit.target)
                        .is_none_or(|(life, tick)| *life != hit.life || tick.since(landed) >= 0)
                });
                count_hits(&stood, hits, stats);
                let fate = if agree(&shot.seen, hits) {
                    MarkerFate::Confirmed
                } else {
                    MarkerFate::Corrected(hits.clone())
                };
                settle(&shot, !hits.is_empty(), fate, events);
                shot.fate = ShotFate::Accepted(hits.clone());
            }
            Outcome::Refused(rule) => {
                stats.refuse(rule.label());
                if *rule == RefusedBy::BuiltIn(Rule::Armed) {
                    self.armed.insert(shot.number, ());
                    if self.armed.len() > LAST_KEPT {
                        self.armed.pop_first();
                    }
                }
                settle(&shot, false, MarkerFate::Refused(rule.clone()), events);
                shot.fate = ShotFate::Refused(rule.clone());
            }
        }
        if self.last.len() == LAST_KEPT {
            self.last.remove(0);
        }
        self.last.push(shot);
    }

    /// The room's private word on a refusal: counts an unseen death apart, whichever word came first.
    pub(crate) fn explained(
        &mut self,
        number: MessageNumber,
        unseen_death: bool,
        stats: &mut Stats,
    ) {
        if !unseen_death {
            return;
        }
        if self.armed.remove(&number).is_some() {
            let label = Rule::Armed.label();
            if let Some(count) = stats.shots_refused.get_mut(label) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    stats.shots_refused.remove(label);
                }
            }
        } else if self.waiting.remove(&number).is_none() {
            return;
        }
        stats.shots_unseen_death += 1;
        if let Some(shot) = self.last.iter_mut().find(|shot| shot.number == number) {
            shot.fate = ShotFate::UnseenDeath;
        }
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn last(&self) -> &[OwnShot] {
        &self.last
    }
}

fn settle(shot: &OwnShot, dealt: bool, fate: MarkerFate, events: &mut EventQueue) {
    if dealt || !shot.seen.is_empty() {
        events.offer(ClientEvent::MarkerSettled { number: shot.number, fate });
    }
}

fn agree(seen: &[SeenHit], dealt: &[Strike]) -> bool {
    seen.len() == dealt.len()
        && seen.iter().all(|seen| {
            dealt.iter().any(|dealt| is_same(seen, dealt) && same_zone(&seen.zone, &dealt.zone))
        })
}

fn count_hits(seen: &[SeenHit], dealt: &[Strike], stats: &mut Stats) {
    stats.hits_seen += seen.len() as u64;
    stats.hits_dealt += dealt.len() as u64;
    for seen in seen {
        if let Some(dealt) = dealt.iter().find(|dealt| is_same(seen, dealt)) {
            stats.hits_matched += 1;
            stats.zones_matched += u64::from(same_zone(&seen.zone, &dealt.zone));
        }
    }
}

fn is_same(seen: &SeenHit, dealt: &Strike) -> bool {
    seen.pellet == dealt.pellet && seen.target == dealt.target
}

fn same_zone(a: &Option<Arc<str>>, b: &Option<Arc<str>>) -> bool {
    a.as_deref() == b.as_deref()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairshot_units::EntityId;

    fn fired(shots: &mut OwnShots, number: u32, stats: &mut Stats, events: &mut EventQueue) {
        let shot = OwnShot {
            number: MessageNumber(number),
            weapon: WeaponId(4),
            view: ViewStep::default(),
            seen: Vec::new(),
            fate: ShotFate::Waiting,
            sight: Sight::default(),
        };
        shots.fired(shot, stats, events);
    }

    fn verdict(number: u32, outcome: Outcome) -> ShotJudged {
        let (number, weapon) = (MessageNumber(number), WeaponId(4));
        ShotJudged { shooter: EntityId(0), number, weapon, outcome }
    }

    #[test]
    fn an_unseen_death_counts_apart_whichever_word_comes_first() {
        for explained_first in [false, true] {
            let (mut shots, mut stats, mut events) = Default::default();
            fired(&mut shots, 7, &mut stats, &mut events);
            let refused = verdict(7, Outcome::Refused(Rule::Armed.into()));
            if explained_first {
                shots.explained(MessageNumber(7), true, &mut stats);
            }
            shots.judged(&refused, Tick(9), &mut stats, &mut events);
            shots.explained(MessageNumber(7), true, &mut stats);
            assert_eq!(stats.shots_unseen_death, 1);
            assert_eq!((stats.refused_sum(), stats.shots_unanswered()), (0, 0));
        }
    }

    #[test]
    fn a_hit_nobody_saw_is_marked_and_a_verdict_told_twice_counts_once() {
        let (mut shots, mut stats, mut events) = Default::default();
        fired(&mut shots, 7, &mut stats, &mut events);
        let struck = Strike { target: EntityId(3), pellet: 0, zone: None, at_m: glam::Vec3::ZERO };
        let outcome = Outcome::Accepted {
            origin_m: glam::Vec3::ZERO,
            ends_m: Vec::new(),
            hits: vec![struck.clone()],
        };
        let accepted = verdict(7, outcome);
        shots.judged(&accepted, Tick(9), &mut stats, &mut events);
        shots.judged(&accepted, Tick(9), &mut stats, &mut events);
        assert_eq!((stats.shots_accepted, stats.hits_dealt, stats.hits_seen), (1, 1, 0));
        let settled = ClientEvent::MarkerSettled {
            number: MessageNumber(7),
            fate: MarkerFate::Corrected(vec![struck]),
        };
        assert_eq!(events.pop(), Some(settled));
        assert_eq!(events.pop(), None);
    }

    #[test]
    fn shots_beyond_the_cap_stay_unanswered_and_are_forgotten() {
        let (mut shots, mut stats, mut events) = Default::default();
        for number in 1..=WAITING_MAX as u32 + 5 {
            fired(&mut shots, number, &mut stats, &mut events);
        }
        assert_eq!(shots.waiting(), WAITING_MAX);
        assert_eq!(stats.shots_unanswered(), WAITING_MAX as u64 + 5);
    }
}
