//! For games that drive a room themselves, without a wire: one input a player and tick, a trigger in its
//! buttons, and for some shooters the tick their targets are to be taken from.
//!
//! Nothing is clamped here: a time that cannot be read fires nothing and spends nothing, while movement,
//! monsters and timers go on. A shooter without a request fires at the present.

use crate::player::Player;
use crate::{Frame, Room, RoomInput, Shot, TickOutput};
use fairshot_judge::{Claim, LedgerRuling};
use fairshot_mode::Weapon;
use fairshot_units::{Buttons, EntityId, Input, MessageNumber, Tick, ViewStep, WeaponId};
use fairshot_world::{RewindError, ShotTrace, direction_of};
use glam::Vec3;

/// The tick a shooter's targets are taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShotTime {
    pub entity: EntityId,
    pub tick: Tick,
}

/// A request whose time cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RejectedShot {
    pub time: ShotTime,
    pub error: RewindError,
}

/// What a step came to, beside its outputs.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct RewindStep {
    /// Who fired which weapon, for a game that counts rounds: one each.
    pub fired: Vec<(EntityId, WeaponId)>,
    pub rejected: Vec<RejectedShot>,
}

/// Why a query has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    #[error("the attacker is not a living player of this room")]
    Attacker,
    #[error("the pitch lies beyond a quarter turn")]
    Aim,
    #[error("the tick cannot be read")]
    Time(#[source] RewindError),
}

impl QueryError {
    /// A short name that stays the same.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Attacker => "attacker",
            Self::Aim => "aim",
            Self::Time(error) => error.label(),
        }
    }
}

impl Room {
    /// One tick with an input for each player named (the first of a player counts) and the times some
    /// shots are to be judged at. Of several times for one player the first counts; only as many as
    /// the room has seats are looked at.
    ///
    /// Holding [`Buttons::FIRE`] fires the player's weapon in hand as fast as it goes, from her eye
    /// along her view. The mode's rules hold as ever, but for `rewind`, which the times replace; its
    /// `maximum_s` says how far back they may lie.
    pub fn step_with_rewind(
        &mut self,
        inputs: &[(EntityId, Input)],
        times: &[ShotTime],
        out: &mut TickOutput,
    ) -> RewindStep {
        let mut step = RewindStep::default();
        let mut room_inputs = Vec::with_capacity(inputs.len() * 2);
        let times = &times[..times.len().min(self.core.seats.len())];
        for (index, (entity, input)) in inputs.iter().enumerate() {
            let repeated = inputs[..index].iter().any(|(earlier, _)| earlier == entity);
            let Some(player) = self.core.player(*entity).filter(|_| !repeated) else { continue };
            let number =
                MessageNumber(player.applied.map_or(1, |applied| applied.0.wrapping_add(2)));
            room_inputs.push(RoomInput::Frame(Frame {
                entity: *entity,
                life: player.life,
                number,
                input: *input,
                held: player.held,
                firing: None,
            }));
            let Some(weapon) = self.weapon_to_fire(player, input) else { continue };
            let time = times.iter().find(|time| time.entity == *entity);
            let view = match time.map(|time| (time, self.readable_time(time.tick))) {
                None => ViewStep::at(self.core.tick.next()),
                Some((time, Ok(()))) => ViewStep::at(time.tick),
                Some((time, Err(error))) => {
                    step.rejected.push(RejectedShot { time: *time, error });
                    continue;
                }
            };
            step.fired.push((*entity, weapon.id));
            room_inputs.push(RoomInput::Shot(Shot {
                entity: *entity,
                life: player.life,
                claim: Claim {
                    number: MessageNumber(number.0.wrapping_add(1)),
                    weapon: weapon.id,
                    view,
                    // Her eye after this tick's movement: put in as the shot is judged.
                    origin_m: Vec3::ZERO,
                    direction: direction_of(input.yaw, input.pitch),
                    names: Vec::new(),
                },
                ruling: LedgerRuling::Accepted,
                frame: number,
            }));
        }
        self.core.driven = true;
        self.tick(&room_inputs, out);
        self.core.driven = false;
        step
    }

    /// Whom an aim from a living player's present eye would have hit at a past tick, behind the
    /// present world. Spends nothing, deals nothing, changes nothing.
    ///
    /// # Errors
    /// [`QueryError`]: no such attacker, no such aim, or a tick in the future, expired or unavailable.
    pub fn rewind_hit_query(
        &self,
        attacker: EntityId,
        tick: Tick,
        yaw: u16,
        pitch: i16,
        range_m: f32,
    ) -> Result<ShotTrace, QueryError> {
        let core = &self.core;
        core.player(attacker).filter(|player| player.alive).ok_or(QueryError::Attacker)?;
        if !(-16384..=16384).contains(&pitch) {
            return Err(QueryError::Aim);
        }
        let attacker = (attacker, core.mode.body.eye_height_m);
        let world = core.scene().world;
        fairshot_world::rewind_hit_query(
            &core.history,
            world,
            attacker,
            tick,
            (yaw, pitch),
            range_m,
        )
        .map_err(QueryError::Time)
    }

    /// The weapon in hand, where the trigger is held and the weapon's last shot lies far enough back.
    fn weapon_to_fire(&self, player: &Player, input: &Input) -> Option<&Weapon> {
        if !player.alive || player.disarmed || !input.buttons.holds(Buttons::FIRE) {
            return None;
        }
        let weapon = self.core.mode.weapons.get(player.held)?;
        player.is_ready(weapon, self.core.tick.next(), self.core.mode.tick_hz).then_some(weapon)
    }

    /// Whether targets can be taken from that tick in the next step.
    fn readable_time(&self, tick: Tick) -> Result<(), RewindError> {
        let mode = &self.core.mode;
        let back = self.core.tick.next().since(tick);
        let maximum_s = mode.rules.rewind.map_or(1.0, |rule| rule.maximum_s.clamp(0.0, 1.0));
        if back < 0 {
            return Err(RewindError::Future);
        }
        if f64::from(back) > f64::from(maximum_s) * f64::from(mode.tick_hz) {
            return Err(RewindError::Expired);
        }
        if back == 0 {
            return Ok(());
        }
        self.core.history.moment(ViewStep::at(tick)).map(|_| ())
    }
}
