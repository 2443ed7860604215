//! What reaches a room between two ticks, in arrival order.

use fairshot_judge::{Claim, LedgerRuling};
use fairshot_units::{EntityId, Input, Life, MessageNumber, PlayerId, WeaponId};

/// One thing that happened since the last tick. The room acts on them in the order given.
#[derive(Clone, Debug, PartialEq)]
pub enum RoomInput {
    /// A player takes the seat `entity`, below the mode's `players_max`. Ignored where it is taken.
    Join { entity: EntityId, player: PlayerId, team: Option<u8> },
    /// A player is gone; the seat is free at once.
    Leave { entity: EntityId },
    /// One client frame: one tick of input, applied at most once and in the order of its numbers.
    Frame(Frame),
    /// One shot, already stamped by the shooter's inventory.
    Shot(Shot),
    /// A game's own command.
    Command(Command),
    /// The QUIC path's round trip as last measured.
    Path { entity: EntityId, round_trip_ms: u32 },
    /// Bytes of a player that were no shot; counted, and nothing else.
    Malformed { entity: EntityId },
    /// The driver dropped this many ticks before this one. They count as time for allowances and for
    /// input credit, so that nobody is refused for the room's own stall.
    TicksDropped { ticks: u32 },
    /// An operator's weapon command that the inventory has committed, for a game to read.
    Inventory { entity: EntityId, held: WeaponId },
}

/// One client frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    pub entity: EntityId,
    /// The life it was made in; a frame of another life is taken as heard and moves nothing.
    pub life: Life,
    pub number: MessageNumber,
    pub input: Input,
    /// The weapon in hand as the inventory rules it, for drawing.
    pub held: WeaponId,
    /// The continuous weapon this frame proved a round of, as the inventory rules it.
    pub firing: Option<WeaponId>,
}

/// One shot with its inventory's stamp.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    pub entity: EntityId,
    /// The life it was fired in.
    pub life: Life,
    pub claim: Claim,
    pub ruling: LedgerRuling,
    /// The frame it was fired in: the shot is judged with the body as that frame's input left it.
    pub frame: MessageNumber,
}

/// A game's own command with its fields, not yet checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    pub entity: EntityId,
    /// The client's own number for it; the answer carries it.
    pub number: u32,
    pub name: String,
    pub fields: Vec<(String, FieldValue)>,
}

/// A command field's value.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue {
    Number(f64),
    Text(String),
    Flag(bool),
}
