//! One player's inventory as an actor: it rules on her messages before the room sees them, and queues
//! every change of it on her stream before the change counts.

use crate::clock::Clock;
use crate::pending::Pending;
use crate::readback::{Owner, inventory_view};
use crate::room::{RoomInbox, Stamped};
use actix::{Actor, ActorContext, Context, Handler, Message};
use bytes::Bytes;
use fairshot_cluster::control::{ControlError, InventoryView, WeaponOutcome};
use fairshot_gateway::{Full, Gateway, SessionId};
use fairshot_ledger::{CommandError, CommandErrorKind, Inventory, Ledger};
use fairshot_mode::{Ammunition, Catalogue, Mode};
use fairshot_relay::Intake;
use fairshot_room::InventoryOrder;
use fairshot_units::{EntityId, Life, Revision, WeaponCommand};
use fairshot_wire::{CloseCode, Down, MalformedShot, UpDatagram};
use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::Arc;

/// Messages waiting for one inventory. A session sends one a datagram, 64 a second; what does not fit
/// is dropped like a lost datagram and rides again.
const MAILBOX: usize = 256;

/// Owns one player's [`Ledger`]. Lives on its room's arbiter and ends with the player's session.
pub(crate) struct InventoryActor {
    entity: EntityId,
    owner: Owner,
    session: SessionId,
    mode: Arc<Mode>,
    intake: Intake,
    room: Weak<RoomInbox>,
    gateway: Rc<RefCell<Gateway>>,
    pending: Pending,
    clock: Clock,
    /// Corrections the room has been told of.
    corrections_told: u64,
}

/// What an inventory actor is made of.
pub(crate) struct InventoryParts {
    pub(crate) entity: EntityId,
    pub(crate) owner: Owner,
    pub(crate) session: SessionId,
    pub(crate) mode: Arc<Mode>,
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) room: Weak<RoomInbox>,
    pub(crate) gateway: Rc<RefCell<Gateway>>,
    pub(crate) pending: Pending,
    pub(crate) clock: Clock,
}

impl InventoryActor {
    pub(crate) fn new(parts: InventoryParts) -> Self {
        Self {
            entity: parts.entity,
            owner: parts.owner,
            session: parts.session,
            intake: Intake::new(parts.entity, &parts.mode, Ledger::new(parts.catalogue)),
            mode: parts.mode,
            room: parts.room,
            gateway: parts.gateway,
            pending: parts.pending,
            clock: parts.clock,
            corrections_told: 0,
        }
    }

    fn is_open(&self) -> bool {
        self.mode.ammunition == Ammunition::Open
    }

    /// Queues a command's packet, then commits it: a full queue leaves everything as it was.
    fn command(
        &mut self,
        command: &WeaponCommand,
        dry_run: bool,
    ) -> Result<WeaponOutcome, ControlError> {
        if self.is_open() {
            return Err(counts_no_rounds(&self.mode));
        }
        let now_ms = self.clock.now_ms();
        let planned = self.intake.ledger.plan(command, now_ms).map_err(refused)?;
        let revision = planned.revision();
        if dry_run {
            self.gateway.borrow_mut().check_command(self.session).map_err(full)?;
            let mut after = self.intake.ledger.clone();
            after.commit(planned, now_ms);
            return Ok(self.outcome(revision, &after.inventory()));
        }
        let packet = Down::Command { revision, command: *command }.to_bytes();
        self.queue(packet)?;
        self.intake.ledger.commit(planned, now_ms);
        Ok(self.outcome(revision, &self.intake.ledger.inventory()))
    }

    fn outcome(&self, revision: Revision, inventory: &Inventory) -> WeaponOutcome {
        WeaponOutcome { revision, after: self.view(inventory) }
    }

    fn view(&self, inventory: &Inventory) -> InventoryView {
        inventory_view(
            &self.owner,
            &self.mode,
            inventory,
            self.intake.corrections(),
            self.clock.now_ms(),
        )
    }

    fn queue(&mut self, packet: Bytes) -> Result<(), ControlError> {
        self.gateway.borrow_mut().queue_command(self.session, packet).map_err(full)
    }

    /// The respawn grant travels on the same stream as the commands. Without it the client could never
    /// follow, so a session whose queue is too full for it ends.
    fn respawn(&mut self, life: Life) {
        let packet = Down::RespawnGrant { life }.to_bytes();
        match self.queue(packet) {
            Ok(()) => self.intake.ledger.respawn(life),
            Err(error) => self.end(CloseCode::Slow, &error.to_string()),
        }
    }

    fn end(&mut self, code: CloseCode, reason: &str) {
        self.gateway.borrow_mut().close(self.session, code, reason);
    }
}

impl Actor for InventoryActor {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        context.set_mailbox_capacity(MAILBOX);
    }
}

/// One decoded datagram of the player's.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub(crate) struct Heard {
    pub(crate) datagram: UpDatagram,
    pub(crate) malformed: Vec<MalformedShot>,
}

impl Handler<Heard> for InventoryActor {
    type Result = ();

    fn handle(&mut self, heard: Heard, context: &mut Self::Context) {
        self.pending.handled();
        let snapshot = heard.datagram.snapshot;
        let (mut inputs, mut shots) = (Vec::with_capacity(2), Vec::new());
        let now_ms = self.clock.now_ms();
        self.intake.join(&heard.datagram, &heard.malformed, now_ms, &mut inputs, &mut shots);
        self.gateway.borrow_mut().recycle(heard.datagram);
        if let Some(diverged) = self.intake.ledger.liveness() {
            self.end(CloseCode::Diverged, diverged.label());
        }
        let stamped = Stamped {
            entity: self.entity,
            session: self.session,
            inputs,
            acks: self.intake.acks(),
            snapshot,
            revision: self.intake.ledger.revision(),
            shots,
            corrections: self.intake.corrections() - self.corrections_told,
        };
        self.corrections_told = self.intake.corrections();
        match self.room.upgrade() {
            // Bounded by what a session may send; were it ever full, these inputs would be lost like a
            // datagram that nobody sends again: the ledger has joined them, no verdict follows.
            Some(room) => {
                if let Err(error) = room.put(stamped) {
                    tracing::warn!(entity = self.entity.0, %error, "a room's inbox is full");
                }
            }
            None => context.stop(),
        }
    }
}

/// The room's orders of one tick for this player, in order.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub(crate) struct Orders(pub(crate) Vec<InventoryOrder>);

impl Handler<Orders> for InventoryActor {
    type Result = ();

    fn handle(&mut self, orders: Orders, _: &mut Self::Context) {
        self.pending.handled();
        for order in orders.0 {
            match order {
                InventoryOrder::Respawn { life } => self.respawn(life),
                // An open mode's loadout is no command: everybody holds everything.
                InventoryOrder::Command(_) if self.is_open() => {}
                InventoryOrder::Command(command) => {
                    if let Err(error) = self.command(&command, false) {
                        tracing::warn!(entity = self.entity.0, ?command, %error, "an order of the room was refused");
                    }
                }
            }
        }
    }
}

/// An operator's or a game's command from outside the tick.
#[derive(Debug, Message)]
#[rtype(result = "Result<WeaponOutcome, ControlError>")]
pub(crate) struct Command {
    pub(crate) command: WeaponCommand,
    pub(crate) dry_run: bool,
}

impl Handler<Command> for InventoryActor {
    type Result = Result<WeaponOutcome, ControlError>;

    fn handle(&mut self, asked: Command, _: &mut Self::Context) -> Self::Result {
        self.command(&asked.command, asked.dry_run)
    }
}

/// Reads the inventory back.
#[derive(Debug, Message)]
#[rtype(result = "Result<InventoryView, ControlError>")]
pub(crate) struct Read;

impl Handler<Read> for InventoryActor {
    type Result = Result<InventoryView, ControlError>;

    fn handle(&mut self, _: Read, _: &mut Self::Context) -> Self::Result {
        if self.is_open() {
            return Err(counts_no_rounds(&self.mode));
        }
        Ok(self.view(&self.intake.ledger.inventory()))
    }
}

/// The client says that a command did not apply.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub(crate) struct ApplyFailed(pub(crate) Revision);

impl Handler<ApplyFailed> for InventoryActor {
    type Result = ();

    fn handle(&mut self, failed: ApplyFailed, _: &mut Self::Context) {
        let diverged = self.intake.ledger.apply_failed(failed.0);
        self.end(CloseCode::Diverged, diverged.label());
    }
}

/// The player is gone.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub(crate) struct Retire;

impl Handler<Retire> for InventoryActor {
    type Result = ();

    fn handle(&mut self, _: Retire, context: &mut Self::Context) {
        context.stop();
    }
}

fn refused(error: CommandError) -> ControlError {
    let text = error.to_string();
    match error.kind() {
        CommandErrorKind::InvalidArgument => {
            let field = match error {
                CommandError::ClipOverSize { .. } | CommandError::ClipOverTotal { .. } => "clip",
                _ => "weapon",
            };
            ControlError::invalid(field, text)
        }
        CommandErrorKind::FailedPrecondition => ControlError::FailedPrecondition(text),
        CommandErrorKind::ResourceExhausted => ControlError::ResourceExhausted(text),
    }
}

fn full(error: Full) -> ControlError {
    ControlError::ResourceExhausted(error.to_string())
}

fn counts_no_rounds(mode: &Mode) -> ControlError {
    ControlError::FailedPrecondition(format!(
        "mode `{}` counts no ammunition: every player holds every weapon",
        mode.name
    ))
}
