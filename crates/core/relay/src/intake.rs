//! What a player sends, joined with her inventory before the room sees it.

use fairshot_judge::{Claim, LedgerRuling, NamedTarget};
use fairshot_ledger::{FrameReport, Ledger, RuledBy, ShotReport, ShotRuling};
use fairshot_mode::{Ammunition, Mode};
use fairshot_room::{Frame, RoomInput, Shot};
use fairshot_units::{EntityId, MessageNumber, Revision};
use fairshot_wire::{AckWindow, MalformedShot, MessageAcks, UpDatagram};

/// What a shot said of the inventory, and by what it was ruled: for its explanation.
#[derive(Clone, Copy, Debug)]
pub struct ShotStamp {
    pub entity: EntityId,
    pub number: MessageNumber,
    pub revision: Revision,
    pub total: u16,
    /// `None` where the mode counts no rounds.
    pub ruled_by: Option<RuledBy>,
}

/// One player's side of it: her ledger, and which of her messages were heard.
#[derive(Debug)]
pub struct Intake {
    pub ledger: Ledger,
    entity: EntityId,
    open: bool,
    heard: AckWindow,
    corrections: u64,
}

impl Intake {
    /// Nothing heard yet, and a fresh ledger of that mode.
    #[must_use]
    pub fn new(entity: EntityId, mode: &Mode, ledger: Ledger) -> Self {
        let open = mode.ammunition == Ammunition::Open;
        Self { ledger, entity, open, heard: AckWindow::default(), corrections: 0 }
    }

    /// Joins one datagram's frames and shots, and appends what the room is to see of them. A stamp for
    /// each shot goes with it.
    pub fn join(
        &mut self,
        datagram: &UpDatagram,
        malformed: &[MalformedShot],
        now_ms: u64,
        inputs: &mut Vec<RoomInput>,
        stamps: &mut Vec<ShotStamp>,
    ) {
        // By their numbers, as they were made: after a long stall the newest frame would put the oldest shot
        // below what can still be told apart, and it would be lost unheard.
        let mut frames = datagram.frames.iter().peekable();
        for shot in &datagram.shots {
            while let Some(frame) = frames.next_if(|frame| frame.number < shot.number) {
                inputs.extend(self.join_frame(frame, now_ms).map(RoomInput::Frame));
            }
            let Some(input) = self.join_shot(shot, now_ms) else { continue };
            if matches!(input, RoomInput::Shot(_)) {
                stamps.push(self.stamp(shot));
            }
            inputs.push(input);
        }
        for frame in frames {
            inputs.extend(self.join_frame(frame, now_ms).map(RoomInput::Frame));
        }
        for fault in malformed {
            // Acknowledged like any other, so that its client does not send it for ever.
            let first = fault.number.is_none_or(|number| self.heard.record(number));
            if first {
                inputs.push(RoomInput::Malformed { entity: self.entity });
            }
        }
    }

    fn stamp(&self, shot: &fairshot_wire::Shot) -> ShotStamp {
        ShotStamp {
            entity: self.entity,
            number: shot.number,
            revision: shot.revision,
            total: shot.total,
            ruled_by: (!self.open).then(|| self.ledger.ruled_by(shot.revision, shot.weapon)),
        }
    }

    /// What the next snapshot acknowledges.
    #[must_use]
    pub fn acks(&self) -> MessageAcks {
        self.heard.acks()
    }

    /// Times a frame had to lower a total: a shot was lost, or a counter is frozen.
    #[must_use]
    pub fn corrections(&self) -> u64 {
        self.corrections
    }

    fn join_frame(&mut self, frame: &fairshot_wire::Frame, now_ms: u64) -> Option<Frame> {
        if !self.heard.record(frame.number) {
            return None;
        }
        let (held, firing) = if self.open {
            (frame.held, frame.firing.then_some(frame.held))
        } else {
            let before = self.ledger.total(frame.held);
            let report = FrameReport {
                life: frame.life,
                rev: frame.revision,
                number: frame.number,
                held: frame.held,
                total: frame.total,
                clip: frame.clip,
                firing: frame.firing,
            };
            let ruling = self.ledger.frame(&report, now_ms);
            self.corrections += u64::from(self.ledger.total(frame.held) != before);
            (self.ledger.held(), ruling.acts)
        };
        Some(Frame {
            entity: self.entity,
            life: frame.life,
            number: frame.number,
            input: frame.input,
            held,
            firing,
        })
    }

    fn join_shot(&mut self, shot: &fairshot_wire::Shot, now_ms: u64) -> Option<RoomInput> {
        if !self.heard.record(shot.number) {
            return None;
        }
        let ruling = if self.open {
            LedgerRuling::Accepted
        } else {
            let report = ShotReport {
                life: shot.life,
                rev: shot.revision,
                number: shot.number,
                weapon: shot.weapon,
                total: shot.total,
            };
            match self.ledger.shot(&report, now_ms) {
                ShotRuling::Accepted => LedgerRuling::Accepted,
                ShotRuling::Refused(rule) => LedgerRuling::Refused(rule),
                ShotRuling::Repeat => return None,
                ShotRuling::Malformed => return Some(RoomInput::Malformed { entity: self.entity }),
            }
        };
        let named = |named: &fairshot_wire::Named| NamedTarget {
            pellet: named.pellet,
            target: named.target,
        };
        Some(RoomInput::Shot(Shot {
            entity: self.entity,
            life: shot.life,
            claim: Claim {
                number: shot.number,
                weapon: shot.weapon,
                view: shot.view,
                origin_m: shot.origin_m,
                direction: shot.direction,
                names: shot.names.iter().map(named).collect(),
            },
            ruling,
            frame: shot.frame,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairshot_mode::presets;
    use fairshot_units::{Input, Life, Tick, ViewStep, WeaponId};
    use glam::Vec3;
    use std::sync::Arc;

    fn frame(number: u32) -> fairshot_wire::Frame {
        fairshot_wire::Frame {
            number: MessageNumber(number),
            life: Life(0),
            revision: Revision(0),
            input: Input::default(),
            view: ViewStep::at(Tick(number)),
            held: WeaponId::FISTS,
            total: 0,
            clip: 0,
            firing: false,
        }
    }

    fn shot(number: u32) -> fairshot_wire::Shot {
        fairshot_wire::Shot {
            number: MessageNumber(number),
            life: Life(0),
            revision: Revision(0),
            weapon: WeaponId(2),
            total: 0,
            frame: MessageNumber(number - 1),
            view: ViewStep::at(Tick(number)),
            origin_m: Vec3::ZERO,
            direction: Vec3::NEG_Z,
            names: Vec::new(),
        }
    }

    #[test]
    fn after_a_long_stall_the_oldest_shot_of_a_datagram_is_heard_and_ruled_on() {
        let mode = presets::named("arena").expect("a preset").parse().expect("a good mode");
        let ledger = Ledger::new(Arc::new(mode.weapons.clone()));
        let mut intake = Intake::new(EntityId(3), &mode, ledger);
        // More than lie between the newest message and the last that is told apart from it.
        let last = MessageAcks::WINDOW + 40;
        let datagram = UpDatagram {
            frames: (1..=last).filter(|number| *number != 2).map(frame).collect(),
            shots: vec![shot(2)],
            ..UpDatagram::default()
        };
        let (mut inputs, mut stamps) = (Vec::new(), Vec::new());
        intake.join(&datagram, &[], 0, &mut inputs, &mut stamps);
        let shots = inputs.iter().filter(|input| matches!(input, RoomInput::Shot(_)));
        assert_eq!((shots.count(), stamps.len()), (1, 1));
        assert_eq!(inputs.len(), last as usize, "and every frame");
        inputs.clear();
        intake.join(&datagram, &[], 0, &mut inputs, &mut stamps);
        assert!(inputs.is_empty(), "once");
    }
}
