//! The room as a shot finds it: the present static world, a second of past poses, the settings.

use fairshot_mode::{Mode, Weapon};
use fairshot_units::{EntityId, EntityKind, EntityState, Tick, ViewStep};
use fairshot_world::{History, PastPose, Present, RewindError, Unheard};

/// What every shot of one tick is judged against. Shared by all of them and never changed by one.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    pub world: Present<'a>,
    /// Its doors and lifts as screens have them that have not heard of the last second's tellings.
    pub unheard: &'a Unheard,
    pub history: &'a History,
    pub mode: &'a Mode,
    /// Each entity's team by id; `EntityState::NO_TEAM` is none.
    pub teams: &'a [u8],
    /// The tick the shots land in; its poses are recorded already.
    pub landed: Tick,
    /// Ticks since the room began, those its driver dropped included: the time allowances refill by.
    pub clock_ticks: u64,
}

impl Scene<'_> {
    /// Where an entity stood at a step within the last second, with its traits as sent.
    ///
    /// # Errors
    /// [`RewindError`] says why there is nothing to read.
    pub fn read_past_place(&self, entity: EntityId, at: ViewStep) -> Result<PastPose, RewindError> {
        self.history.past(entity, at)
    }

    pub(crate) fn past(&self, entity: EntityId, at: ViewStep) -> Option<PastPose> {
        self.history.past(entity, at).ok()
    }

    /// The room's clock in milliseconds.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        let (thousand, hz) = (self.clock_ticks.saturating_mul(1000), self.mode.tick_hz.max(1));
        // The small division is several times as quick, and holds for most of a day.
        match u32::try_from(thousand) {
            Ok(small) => u64::from(small / u32::from(hz)),
            Err(_) => thousand / u64::from(hz),
        }
    }

    /// Whether shots of this weapon hurt allies.
    #[must_use]
    pub fn friendly_fire(&self, weapon: &Weapon) -> bool {
        weapon.friendly_fire.unwrap_or(self.mode.friendly_fire)
    }

    /// What an entity of that id is in a room laid out as the room crate does it: the players' seats
    /// first, then the mode's monsters kind by kind. `None` beyond them.
    #[must_use]
    pub fn kind_of(&self, entity: EntityId) -> Option<EntityKind> {
        let Some(mut left) = entity.0.checked_sub(self.mode.players_max) else {
            return Some(EntityKind::Player);
        };
        for (kind, monster) in (0u8..).zip(&self.mode.monsters) {
            match left.checked_sub(monster.count) {
                None => return Some(EntityKind::Monster(kind)),
                Some(over) => left = over,
            }
        }
        None
    }

    /// Whether two entities are allies: players of one team, or any two players where the mode has no
    /// teams. Monsters are nobody's allies.
    #[must_use]
    pub fn are_allies(&self, a: EntityId, b: EntityId) -> bool {
        let is_player = |id: EntityId| id.0 < self.mode.players_max;
        if !is_player(a) || !is_player(b) {
            return false;
        }
        let team = |id: EntityId| {
            self.teams.get(usize::from(id.0)).copied().unwrap_or(EntityState::NO_TEAM)
        };
        self.mode.teams.is_empty() || (team(a) == team(b) && team(a) != EntityState::NO_TEAM)
    }
}
