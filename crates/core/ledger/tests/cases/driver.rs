//! A server, a client and the messages between them, driven by hand.

use crate::weapons::catalogue;
use fairshot_ledger::{
    CommandError, FrameReport, FrameRuling, Inventory, Ledger, Mirror, ShotReport, ShotRuling,
};
use fairshot_units::{Life, MessageNumber, Revision, Rule, WeaponCommand, WeaponId};

pub fn give(weapon: WeaponId, rounds: u16) -> WeaponCommand {
    WeaponCommand::Give { weapon, rounds, set_as_current: false }
}

pub fn give_in_hand(weapon: WeaponId, rounds: u16) -> WeaponCommand {
    WeaponCommand::Give { weapon, rounds, set_as_current: true }
}

pub fn take(weapon: WeaponId) -> WeaponCommand {
    WeaponCommand::Take { weapon }
}

pub fn set(weapon: WeaponId, total: u16, clip: Option<u16>) -> WeaponCommand {
    WeaponCommand::SetAmmo { weapon, total, clip }
}

pub fn arm(weapon: WeaponId) -> WeaponCommand {
    WeaponCommand::SetArmed { weapon }
}

/// A ledger told of messages by hand: what a client that follows no protocol sends.
pub struct Server {
    pub ledger: Ledger,
    pub now_ms: u64,
    next_number: u32,
}

impl Server {
    pub fn new() -> Self {
        // Clear of the numbers a mirror gives, should a test use both.
        Self { ledger: Ledger::new(catalogue()), now_ms: 0, next_number: 500 }
    }

    /// Commits a command as if its packet was queued; its revision.
    pub fn order(&mut self, command: WeaponCommand) -> Result<Revision, CommandError> {
        let planned = self.ledger.plan(&command, self.now_ms)?;
        let revision = planned.revision();
        self.ledger.commit(planned, self.now_ms);
        Ok(revision)
    }

    /// Orders each, and has the client echo the last.
    pub fn settle(&mut self, commands: &[WeaponCommand]) {
        for command in commands {
            self.order(*command).expect("a command that applies");
        }
        let held = self.ledger.held();
        let total = self.ledger.total(held).unwrap_or(0);
        self.frame(self.ledger.revision().0, held, total, total);
    }

    pub fn number(&mut self) -> MessageNumber {
        self.next_number += 1;
        MessageNumber(self.next_number - 1)
    }

    pub fn shot(&mut self, rev: u16, weapon: WeaponId, total: u16) -> ShotRuling {
        let number = self.number();
        let life = self.ledger.life();
        let report = ShotReport { life, rev: Revision(rev), number, weapon, total };
        self.ledger.shot(&report, self.now_ms)
    }

    pub fn frame(&mut self, rev: u16, held: WeaponId, total: u16, clip: u16) -> FrameRuling {
        self.frame_of(self.ledger.life(), rev, held, total, clip)
    }

    pub fn frame_of(
        &mut self,
        life: Life,
        rev: u16,
        held: WeaponId,
        total: u16,
        clip: u16,
    ) -> FrameRuling {
        let number = self.number();
        let report =
            FrameReport { life, rev: Revision(rev), number, held, total, clip, firing: false };
        self.ledger.frame(&report, self.now_ms)
    }

    pub fn total(&self, weapon: WeaponId) -> Option<u16> {
        self.ledger.total(weapon)
    }

    pub fn clip(&self, weapon: WeaponId) -> Option<u16> {
        self.ledger.inventory().slot_of(weapon).map(|slot| slot.clip)
    }
}

/// A ledger and a client that follows the protocol; the test carries what it likes between them.
pub struct Pair {
    pub server: Server,
    pub client: Mirror,
}

impl Pair {
    /// Both have these commands, and the client has echoed them.
    pub fn settled(commands: &[WeaponCommand]) -> Self {
        let mut pair = Self { server: Server::new(), client: Mirror::new(catalogue()) };
        for command in commands {
            pair.both(*command);
        }
        let frame = pair.client.frame(false);
        pair.frame(&frame);
        pair
    }

    /// A command ordered and applied at once.
    pub fn both(&mut self, command: WeaponCommand) {
        let revision = self.server.order(command).expect("a command that applies");
        self.client.apply(revision, &command).expect("the client follows");
    }

    pub fn shot(&mut self, report: &ShotReport) -> ShotRuling {
        self.server.ledger.shot(report, self.server.now_ms)
    }

    pub fn frame(&mut self, report: &FrameReport) -> FrameRuling {
        self.server.ledger.frame(report, self.server.now_ms)
    }

    #[track_caller]
    pub fn check_equal(&self) {
        let (server, client) = (self.server.ledger.inventory(), self.client.inventory());
        assert_eq!(totals(&server), totals(&client));
        assert_eq!(server.held, client.held);
    }
}

pub fn totals(inventory: &Inventory) -> Vec<(u8, u16)> {
    inventory.slots.iter().map(|slot| (slot.weapon.0, slot.total)).collect()
}

pub fn refused(rule: Rule) -> ShotRuling {
    ShotRuling::Refused(rule)
}
