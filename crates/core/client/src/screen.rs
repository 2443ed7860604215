//! What the screen shows: the snapshots that came, and which step between them is drawn.
//!
//! The room reads a target's pose between the two snapshots *it sent* around a step. The screen
//! therefore draws between two snapshots only where they are neighbours; where one in between was
//! lost it stands at the nearer of the two that came, and says so in its view step. So the step a
//! shot names is always one at which the room reads exactly what was drawn. A smooth screen draws on
//! across the gap instead, for eyes that would rather have that: there the room's reading may differ.

use fairshot_units::{EntityId, EntityState, Life, Tick, ViewStep};
use fairshot_wire::snapshot::Snapshot;
use fairshot_world::{DrawnPose, blend};
use std::cmp::Ordering;
use std::collections::VecDeque;

/// Snapshots kept: more than the longest delay spans.
const RECEIVED_MAX: usize = 64;
/// An entity left out of this many snapshots in a row is not drawn any more.
const FORGOTTEN_AFTER: usize = 32;

/// One entity as the screen shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// All but the pose: the newer send's.
    pub state: EntityState,
    pub pose: DrawnPose,
    /// Whether the room reads this very pose at the screen's step: false only where a snapshot too
    /// large for one datagram left the entity out, or a smooth screen draws across a lost one.
    pub exact: bool,
}

#[derive(Debug)]
pub(crate) struct Screen {
    every: u32,
    smooth: bool,
    received: VecDeque<Received>,
}

#[derive(Debug)]
struct Received {
    tick: Tick,
    states: Vec<EntityState>,
    gone: Vec<EntityId>,
    complete: bool,
}

/// A step found among the snapshots that came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moment {
    /// What a shot fired now names.
    pub(crate) step: ViewStep,
    older: usize,
    newer: usize,
    fraction: f32,
    /// The two are neighbours, or one.
    exact: bool,
}

impl Screen {
    pub(crate) fn new(snapshot_every: u16, smooth: bool) -> Self {
        Self { every: u32::from(snapshot_every.max(1)), smooth, received: VecDeque::new() }
    }

    pub(crate) fn draw_smoothly(&mut self, smooth: bool) {
        self.smooth = smooth;
    }

    pub(crate) fn insert(&mut self, snapshot: Snapshot) {
        let Snapshot { tick, states, gone, complete, .. } = snapshot;
        let newer = self.received.iter().rev().take_while(|held| held.tick.since(tick) > 0);
        let at = self.received.len() - newer.count();
        self.received.insert(at, Received { tick, states, gone, complete });
        if self.received.len() > RECEIVED_MAX {
            self.received.pop_front();
        }
    }

    /// Lets go of what lies before the screen's step; entities left out are still looked for in a few.
    pub(crate) fn trim(&mut self, view: ViewStep) {
        let keep_back =
            if self.received.iter().all(|held| held.complete) { 1 } else { FORGOTTEN_AFTER };
        while self.received.len() > keep_back + 1
            && self.received[keep_back].tick.since(view.tick) <= 0
        {
            self.received.pop_front();
        }
    }

    pub(crate) fn newest(&self) -> Option<Tick> {
        self.received.back().map(|held| held.tick)
    }

    /// The drawable step nearest to the wanted one.
    pub(crate) fn moment(&self, wanted: ViewStep) -> Option<Moment> {
        let last = self.received.len().checked_sub(1)?;
        let after =
            self.received.iter().position(|held| ViewStep::at(held.tick).since(wanted) > 0.0);
        let stand = |index: usize| Moment {
            step: ViewStep::at(self.received[index].tick),
            older: index,
            newer: index,
            fraction: 0.0,
            exact: true,
        };
        let Some(newer) = after else { return Some(stand(last)) };
        let Some(older) = newer.checked_sub(1) else { return Some(stand(newer)) };
        let from = ViewStep::at(self.received[older].tick);
        let span = self.received[newer].tick.since(from.tick);
        // In the way the room does it, so that both get the same number.
        #[expect(clippy::cast_possible_truncation, reason = "within 0 to 1")]
        let fraction = (wanted.since(from) / f64::from(span)) as f32;
        let exact = span.unsigned_abs() == self.every;
        if !exact && !self.smooth {
            return Some(stand(if fraction < 0.5 { older } else { newer }));
        }
        if wanted == from {
            return Some(stand(older));
        }
        Some(Moment { step: wanted, older, newer, fraction, exact })
    }

    /// Every entity at that moment, by rising id.
    pub(crate) fn draw(&self, moment: &Moment) -> Vec<Drawn> {
        let (older, newer) = (&self.received[moment.older], &self.received[moment.newer]);
        if !older.complete || !newer.complete {
            return self.ids().filter_map(|id| self.draw_one(moment, id)).collect();
        }
        let mut drawn = Vec::with_capacity(newer.states.len());
        let (mut from, mut to) = (older.states.as_slice(), newer.states.as_slice());
        while let Some(pair) = next_pair(&mut from, &mut to) {
            drawn.extend(draw_pair(pair.0, pair.1, moment));
        }
        drawn
    }

    pub(crate) fn draw_one(&self, moment: &Moment, id: EntityId) -> Option<Drawn> {
        let (older, newer) = (&self.received[moment.older], &self.received[moment.newer]);
        let (from, to) = (older.state(id), newer.state(id));
        // Where neither snapshot leaves anything out, it came or went between them.
        if (from.is_some() && to.is_some()) || (older.complete && newer.complete) {
            return draw_pair(from, to, moment);
        }
        self.draw_left_out(moment, id)
    }

    /// Whether the newest word of an entity is that life, and alive.
    pub(crate) fn lives_on(&self, entity: EntityId, life: Life) -> bool {
        let newest = self.received.iter().rev().find_map(|held| match held.state(entity) {
            Some(newest) => Some(newest.alive && newest.life == life),
            None if held.complete || held.gone.contains(&entity) => Some(false),
            None => None,
        });
        newest.unwrap_or(false)
    }

    /// The newest states that came, whatever the screen shows.
    pub(crate) fn newest_states(&self) -> &[EntityState] {
        self.received.back().map_or(&[], |held| &held.states)
    }

    /// Every id in any snapshot held.
    fn ids(&self) -> impl Iterator<Item = EntityId> + use<> {
        let states = self.received.iter().flat_map(|held| &held.states);
        let mut ids: Vec<EntityId> = states.map(|state| state.id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids.into_iter()
    }

    /// An entity that one of the two snapshots left out: between the nearest that hold it.
    fn draw_left_out(&self, moment: &Moment, id: EntityId) -> Option<Drawn> {
        let back = (0..=moment.older).rev().take(FORGOTTEN_AFTER);
        let mut from = None;
        for index in back {
            let held = &self.received[index];
            if let Some(state) = held.state(id) {
                from = Some((held.tick, state));
                break;
            }
            if held.complete || held.gone.contains(&id) {
                break;
            }
        }
        let mut to = None;
        for held in self.received.range(moment.older + 1..) {
            if let Some(state) = held.state(id) {
                to = Some((held.tick, state));
                break;
            }
            if held.complete || held.gone.contains(&id) {
                break;
            }
        }
        let (from_tick, from) = from?;
        let Some((to_tick, to)) = to else { return Some(stand(from, false)) };
        let span = to_tick.since(from_tick);
        #[expect(clippy::cast_possible_truncation, reason = "within 0 to 1")]
        let fraction = (moment.step.since(ViewStep::at(from_tick)) / f64::from(span)) as f32;
        Some(Drawn { exact: false, ..between(from, to, fraction.clamp(0.0, 1.0)) })
    }
}

impl Received {
    fn state(&self, id: EntityId) -> Option<&EntityState> {
        // Ids are mostly dense, so the place is near the id itself.
        let at = self.states.binary_search_by_key(&id, |state| state.id).ok()?;
        self.states.get(at)
    }
}

/// The next entity of either row, both by rising id; `None` at their end.
fn next_pair<'a>(
    from: &mut &'a [EntityState],
    to: &mut &'a [EntityState],
) -> Option<(Option<&'a EntityState>, Option<&'a EntityState>)> {
    let order = match (from.first(), to.first()) {
        (Some(a), Some(b)) => a.id.cmp(&b.id),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => return None,
    };
    let older = if order.is_le() { from.split_off_first() } else { None };
    let newer = if order.is_ge() { to.split_off_first() } else { None };
    Some((older, newer))
}

fn draw_pair(
    from: Option<&EntityState>,
    to: Option<&EntityState>,
    moment: &Moment,
) -> Option<Drawn> {
    match (from, to) {
        (Some(from), Some(to)) => {
            Some(Drawn { exact: moment.exact, ..between(from, to, moment.fraction) })
        }
        (from, to) => {
            let state = if moment.fraction < 0.5 { from } else { to };
            state.map(|state| stand(state, moment.exact))
        }
    }
}

/// Never across a new life or a teleport: there the nearer of the two stands.
fn between(from: &EntityState, to: &EntityState, fraction: f32) -> Drawn {
    if from.life == to.life && !to.teleported {
        let pose = blend(from.pose, to.pose, fraction);
        return Drawn { state: *to, pose, exact: true };
    }
    stand(if fraction < 0.5 { from } else { to }, true)
}

fn stand(state: &EntityState, exact: bool) -> Drawn {
    Drawn { state: *state, pose: DrawnPose::from(state.pose), exact }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairshot_units::{EntityKind, MessageNumber, Pose, WeaponId};
    use fairshot_wire::MessageAcks;
    use fairshot_wire::snapshot::OwnState;

    /// An entity that walks 32 steps of 1/256 m a tick along x.
    fn walker(id: u16, tick: u32) -> EntityState {
        EntityState {
            id: EntityId(id),
            kind: EntityKind::Player,
            life: Life(1),
            pose: Pose { position: [32 * tick.cast_signed(), 0, 0], yaw: 0, pitch: 0 },
            health_eighths: 800,
            alive: true,
            teleported: false,
            held: WeaponId(0),
            team: EntityState::NO_TEAM,
            traits: 0,
        }
    }

    fn snapshot(tick: u32, states: Vec<EntityState>, complete: bool) -> Snapshot {
        Snapshot {
            tick: Tick(tick),
            acks: MessageAcks { highest: MessageNumber(0), mask: 0 },
            own: OwnState::default(),
            states,
            gone: Vec::new(),
            complete,
        }
    }

    fn screen(ticks: &[u32]) -> Screen {
        let mut screen = Screen::new(2, false);
        for tick in ticks {
            screen.insert(snapshot(*tick, vec![walker(1, *tick)], true));
        }
        screen
    }

    /// The step shown where `tick + fraction` is wanted, and where the walker is then, in ticks walked.
    fn show(screen: &Screen, wanted: f64) -> (f64, f32) {
        let wanted = ViewStep::at(Tick(0)).back(-wanted);
        let moment = screen.moment(wanted).unwrap();
        let drawn = screen.draw(&moment);
        (moment.step.since(ViewStep::at(Tick(0))), drawn[0].pose.position_m.x * 8.0)
    }

    #[test]
    fn between_neighbours_it_blends_and_names_the_very_step() {
        let screen = screen(&[100, 102, 104]);
        assert_eq!(show(&screen, 102.5), (102.5, 102.5));
        assert_eq!(show(&screen, 102.0), (102.0, 102.0));
    }

    #[test]
    fn across_a_lost_snapshot_it_stands_at_the_nearer_one_and_says_so() {
        let mut screen = screen(&[100, 104]);
        assert_eq!(show(&screen, 101.9), (100.0, 100.0));
        assert_eq!(show(&screen, 102.1), (104.0, 104.0));
        screen.draw_smoothly(true);
        assert_eq!(show(&screen, 101.0), (101.0, 101.0));
        let moment = screen.moment(ViewStep::at(Tick(101))).unwrap();
        assert!(!screen.draw(&moment)[0].exact);
        // The lost one comes late after all.
        screen.insert(snapshot(102, vec![walker(1, 102)], true));
        let moment = screen.moment(ViewStep::at(Tick(101))).unwrap();
        assert!(screen.draw(&moment)[0].exact);
    }

    #[test]
    fn past_the_newest_it_stands_and_before_the_oldest_too() {
        let screen = screen(&[100, 102]);
        assert_eq!(show(&screen, 107.3), (102.0, 102.0));
        assert_eq!(show(&screen, 90.0), (100.0, 100.0));
    }

    #[test]
    fn nothing_is_drawn_between_two_lives_or_across_a_teleport() {
        for change in [
            |state: &mut EntityState| state.life = Life(2),
            |state: &mut EntityState| state.teleported = true,
        ] {
            let mut screen = screen(&[100]);
            let mut state = walker(1, 102);
            change(&mut state);
            screen.insert(snapshot(102, vec![state], true));
            assert_eq!(show(&screen, 100.875), (100.875, 100.0));
            assert_eq!(show(&screen, 101.5).1, 102.0);
        }
    }

    #[test]
    fn who_was_left_out_is_drawn_between_the_nearest_that_hold_her_but_not_as_exact() {
        let mut screen = screen(&[100]);
        screen.insert(snapshot(102, vec![walker(2, 102)], false));
        screen.insert(snapshot(104, vec![walker(1, 104), walker(2, 104)], false));
        let moment = screen.moment(ViewStep::at(Tick(103))).unwrap();
        let drawn = screen.draw(&moment);
        assert_eq!(drawn.len(), 2);
        assert!(!drawn[0].exact && drawn[1].exact);
        assert_eq!(drawn[0].pose.position_m.x * 8.0, 103.0);
    }

    #[test]
    fn what_lies_behind_the_view_is_let_go() {
        let mut screen = screen(&(100..160).step_by(2).collect::<Vec<_>>());
        screen.trim(ViewStep::at(Tick(151)));
        assert_eq!(screen.received.front().unwrap().tick, Tick(150));
        assert_eq!(show(&screen, 151.0), (151.0, 151.0));
        assert!(screen.lives_on(EntityId(1), Life(1)));
        assert!(!screen.lives_on(EntityId(1), Life(2)));
        screen.insert(snapshot(160, Vec::new(), true));
        assert!(!screen.lives_on(EntityId(1), Life(1)));
    }
}
