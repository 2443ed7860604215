//! Lies told in the bytes of a datagram: what an honest client would have said, rewritten.

use crate::Cheat;
use fairshot_client_core::{GameSettings, Liar};
use fairshot_mode::{Weapon, WeaponKind};
use fairshot_units::{EntityId, Life, MessageNumber, Revision, WeaponId};
use fairshot_wire::{Frame, NAMES_MAX, Named, SHOTS_MAX, Shot, SnapshotAck, UpDatagram};
use std::collections::VecDeque;

/// Steps of 64 a second that claims are moved by.
const PAST_STEPS: f64 = 42.0;
const SECOND_STEPS: f64 = 63.0;
const FUTURE_STEPS: f64 = 20.0;
/// Frames and datagrams held back at once: as much as a stall of 0.6 s holds back.
const HELD_BACK: u64 = 38;
const AHEAD_M: f32 = 2.0;
/// A second number of a shot lies so far ahead that no message has it yet.
const SECOND_NUMBER: u32 = 32;
const LEAP: u32 = 5_000;
const MORE_ROUNDS: u16 = 25;
const REPLAYED_MAX: usize = 8;

/// What one cheat makes of its client's datagrams.
#[derive(Debug)]
pub(crate) struct Lies {
    cheat: Cheat,
    /// The weapon it lies about.
    weapon: WeaponId,
    held_back: u64,
    fired: VecDeque<Shot>,
}

impl Lies {
    /// `None` where the cheat rewrites nothing, or the mode has no weapon to lie about.
    pub(crate) fn of(cheat: Cheat, settings: &GameSettings) -> Option<Self> {
        let weapons = settings.mode.weapons.weapons();
        let given = |weapon: &Weapon| settings.mode.loadout.iter().any(|g| g.weapon == weapon.id);
        let first = |is: &dyn Fn(&Weapon) -> bool| {
            weapons.iter().find(|weapon| is(weapon)).map(|weapon| weapon.id)
        };
        let weapon = match cheat {
            Cheat::MeleeAfar => first(&|weapon| weapon.kind == WeaponKind::Melee)?,
            Cheat::GrenadeAgain => {
                first(&|weapon| weapon.kind == WeaponKind::Projectile && given(weapon))?
            }
            Cheat::UnownedInHand => {
                first(&|weapon| weapon.kind == WeaponKind::Continuous && !given(weapon))
                    .or_else(|| first(&|weapon| !given(weapon)))?
            }
            Cheat::OriginAhead
            | Cheat::PastClaimed
            | Cheat::FutureClaimed
            | Cheat::SwingingClaims
            | Cheat::HeldBack
            | Cheat::OldFrame
            | Cheat::DoubledShots
            | Cheat::ReplayedShots
            | Cheat::LeapingNumbers
            | Cheat::RewoundAmmo
            | Cheat::StaleRevision
            | Cheat::UnknownRevision
            | Cheat::LastLife
            | Cheat::NextLife
            | Cheat::LongAim
            | Cheat::MalformedShots
            | Cheat::EveryoneNamed
            | Cheat::HoardedInput
            | Cheat::Overdrive
            | Cheat::UnsentAcked
            | Cheat::NothingAcked
            | Cheat::EventsAckedAhead => WeaponId::FISTS,
            // Told by its client's forgery, or by its hands.
            Cheat::RapidFire
            | Cheat::SwappedRapidFire
            | Cheat::TeleportOrigin
            | Cheat::OriginPastCover
            | Cheat::ThroughWalls
            | Cheat::Unowned
            | Cheat::FrozenAmmo
            | Cheat::EndlessAmmo
            | Cheat::DeadFire
            | Cheat::Speed => return None,
        };
        Some(Self { cheat, weapon, held_back: 0, fired: VecDeque::new() })
    }

    fn hold_back(&mut self, holds: bool) -> bool {
        self.held_back = if holds && self.held_back < HELD_BACK { self.held_back + 1 } else { 0 };
        self.held_back > 0
    }

    /// A change of one shot; the same for each time it is sent.
    fn reshape(&self, shot: &mut Shot) {
        match self.cheat {
            Cheat::OriginAhead => shot.origin_m += shot.direction * AHEAD_M,
            Cheat::PastClaimed => shot.view = shot.view.back(PAST_STEPS),
            Cheat::FutureClaimed => shot.view = shot.view.back(-FUTURE_STEPS),
            Cheat::SwingingClaims if shot.number.0.is_multiple_of(2) => {
                shot.view = shot.view.back(SECOND_STEPS);
            }
            Cheat::OldFrame => shot.frame = MessageNumber(1),
            Cheat::LeapingNumbers => shot.number.0 += LEAP,
            Cheat::RewoundAmmo => shot.total = shot.total.saturating_add(MORE_ROUNDS),
            Cheat::StaleRevision => shot.revision = Revision(shot.revision.0.wrapping_sub(1)),
            Cheat::UnknownRevision => shot.revision = shot.revision.next(),
            Cheat::LastLife => shot.life = Life(shot.life.0.wrapping_sub(1)),
            Cheat::NextLife => shot.life = shot.life.next(),
            Cheat::MeleeAfar => shot.weapon = self.weapon,
            Cheat::GrenadeAgain => (shot.weapon, shot.total) = (self.weapon, 0),
            Cheat::LongAim => shot.direction *= 1.009,
            Cheat::MalformedShots if shot.number.0.is_multiple_of(2) => shot.direction *= 2.0,
            Cheat::EveryoneNamed => {
                let named = (0..NAMES_MAX).map(|at| {
                    let [pellet, _] = u16::try_from(at % 4).unwrap_or(0).to_le_bytes();
                    let target = EntityId(u16::try_from(at / 4).unwrap_or(0));
                    Named { pellet, target }
                });
                shot.names = named.collect();
            }
            _ => {}
        }
    }

    fn reframe(&self, frame: &mut Frame) {
        match self.cheat {
            Cheat::UnownedInHand => {
                (frame.held, frame.total, frame.firing) = (self.weapon, 500, true);
            }
            Cheat::RewoundAmmo => frame.total = frame.total.saturating_add(MORE_ROUNDS),
            Cheat::StaleRevision => frame.revision = Revision(frame.revision.0.wrapping_sub(1)),
            Cheat::UnknownRevision => frame.revision = frame.revision.next(),
            Cheat::LastLife => frame.life = Life(frame.life.0.wrapping_sub(1)),
            Cheat::NextLife => frame.life = frame.life.next(),
            Cheat::Overdrive => {
                frame.input.forward = if frame.input.forward < 0 { i8::MIN } else { i8::MAX };
                frame.input.right = if frame.input.right < 0 { i8::MIN } else { i8::MAX };
            }
            _ => {}
        }
    }

    /// Shots that no trigger was pulled for.
    fn add_shots(&mut self, shots: &mut Vec<Shot>) {
        match self.cheat {
            Cheat::DoubledShots => {
                let second = |shot: &Shot| Shot {
                    number: MessageNumber(shot.number.0 + SECOND_NUMBER),
                    ..shot.clone()
                };
                let doubled: Vec<Shot> = shots.iter().map(second).collect();
                shots.extend(doubled);
            }
            Cheat::ReplayedShots => {
                let Some(newest) = shots.last().cloned() else { return };
                let old = self.fired.iter().filter(|old| old.number < newest.number);
                let again = old.map(|old| Shot {
                    view: newest.view,
                    origin_m: newest.origin_m,
                    direction: newest.direction,
                    ..old.clone()
                });
                let again: Vec<Shot> = again.collect();
                if self.fired.back().is_none_or(|fired| fired.number < newest.number) {
                    if self.fired.len() == REPLAYED_MAX {
                        self.fired.pop_front();
                    }
                    self.fired.push_back(newest);
                }
                shots.splice(0..0, again);
                shots.truncate(SHOTS_MAX);
            }
            _ => return,
        }
        shots.sort_by_key(|shot| shot.number);
    }
}

impl Liar for Lies {
    fn rewrite(&mut self, up: &mut UpDatagram) -> bool {
        let holds = match self.cheat {
            Cheat::HoardedInput => true,
            Cheat::HeldBack => !up.shots.is_empty(),
            _ => false,
        };
        if self.hold_back(holds) {
            return false;
        }
        up.frames.iter_mut().for_each(|frame| self.reframe(frame));
        up.shots.iter_mut().for_each(|shot| self.reshape(shot));
        self.add_shots(&mut up.shots);
        match self.cheat {
            Cheat::NothingAcked => up.snapshot = None,
            // Snapshots go in every second tick.
            Cheat::UnsentAcked => {
                up.snapshot =
                    up.snapshot.map(|ack| SnapshotAck { newest: ack.newest.next(), ..ack });
            }
            Cheat::EventsAckedAhead => up.batch = up.batch.saturating_add(1_000),
            _ => {}
        }
        true
    }
}
