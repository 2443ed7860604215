//! A ticket: the proof of a seat that a player carries from the matchmaker to the room's shard.
//!
//! Packed by hand and signed with Ed25519. Decoding is total: any bytes give a ticket or an error, and
//! nothing of a ticket is looked at before its signature holds.

use fairshot_units::{NodeId, PlayerId, RoomId};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use std::fmt;

/// No ticket is longer: fixed fields, three ids of 64 bytes, the signature.
pub const TICKET_BYTES_MAX: usize = HEAD_BYTES + 3 * (1 + ID_BYTES_MAX) + SIGNATURE_BYTES;

const VERSION: u8 = 1;
const ID_BYTES_MAX: usize = 64;
const SIGNATURE_BYTES: usize = 64;
/// Version, kind, expiry, nonce, seat, shard.
const HEAD_BYTES: usize = 1 + 1 + 8 + 16 + 2 + 2;

/// What makes one ticket differ from every other: 16 random bytes, given by the caller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Nonce(pub [u8; 16]);

/// How a ticket came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TicketKind {
    /// For a seat reserved through the matchmaker.
    Join,
    /// For the seat its holder already had, handed out with the welcome of her connection.
    Rejoin,
}

/// A seat, spelled out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    pub kind: TicketKind,
    pub room: RoomId,
    pub player: PlayerId,
    /// Index of the seat in its room.
    pub seat: u16,
    pub node: NodeId,
    pub shard: u16,
    /// Milliseconds of the signing shard's own clock; only that shard reads it.
    pub expiry_ms: u64,
    pub nonce: Nonce,
}

/// The key a shard signs its tickets with, and checks them with. It never leaves its process.
pub struct TicketKey {
    pair: Ed25519KeyPair,
}

/// Why bytes are no ticket that this shard takes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TicketError {
    #[error("the ticket's signature does not hold")]
    Forged,
    #[error("the ticket ran out {late_ms} ms ago")]
    Expired { late_ms: u64 },
    #[error("the ticket is for node {node}, shard {shard}")]
    OtherShard { node: NodeId, shard: u16 },
}

impl TicketError {
    /// A short name that metrics and close codes go by.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Forged => "forged",
            Self::Expired { .. } => "expired",
            Self::OtherShard { .. } => "other_shard",
        }
    }
}

impl TicketKey {
    /// The key that these 32 secret bytes name. Fresh random bytes at every start are right: a
    /// process that starts anew has no seat that an old ticket could prove.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        // A seed of the right length is the only thing the call can refuse.
        let pair = Ed25519KeyPair::from_seed_unchecked(seed)
            .unwrap_or_else(|_| unreachable!("a seed of 32 bytes is an Ed25519 key"));
        Self { pair }
    }

    #[must_use]
    pub fn sign(&self, ticket: &Ticket) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(TICKET_BYTES_MAX);
        encode(ticket, &mut bytes);
        let signature = self.pair.sign(&bytes);
        bytes.extend_from_slice(signature.as_ref());
        bytes
    }

    /// The ticket in these bytes, if this key signed it, for this shard, and it has not run out.
    ///
    /// # Errors
    /// [`TicketError`]: anything that is not exactly what [`TicketKey::sign`] made is `Forged`.
    pub fn check(
        &self,
        bytes: &[u8],
        node: &NodeId,
        shard: u16,
        now_ms: u64,
    ) -> Result<Ticket, TicketError> {
        if bytes.len() > TICKET_BYTES_MAX || bytes.len() < HEAD_BYTES + SIGNATURE_BYTES {
            return Err(TicketError::Forged);
        }
        let (body, signature) = bytes.split_at(bytes.len() - SIGNATURE_BYTES);
        UnparsedPublicKey::new(&ED25519, self.pair.public_key().as_ref())
            .verify(body, signature)
            .map_err(|_| TicketError::Forged)?;
        let ticket = decode(body).ok_or(TicketError::Forged)?;
        if ticket.node != *node || ticket.shard != shard {
            return Err(TicketError::OtherShard { node: ticket.node, shard: ticket.shard });
        }
        if now_ms >= ticket.expiry_ms {
            return Err(TicketError::Expired { late_ms: now_ms - ticket.expiry_ms });
        }
        Ok(ticket)
    }
}

impl fmt::Debug for TicketKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TicketKey(..)")
    }
}

impl fmt::Debug for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Enough to tell two apart in a log, too little to forge one.
        write!(f, "Nonce({:02x}{:02x}..)", self.0[0], self.0[1])
    }
}

fn encode(ticket: &Ticket, out: &mut Vec<u8>) {
    out.push(VERSION);
    out.push(match ticket.kind {
        TicketKind::Join => 0,
        TicketKind::Rejoin => 1,
    });
    out.extend_from_slice(&ticket.expiry_ms.to_le_bytes());
    out.extend_from_slice(&ticket.nonce.0);
    out.extend_from_slice(&ticket.seat.to_le_bytes());
    out.extend_from_slice(&ticket.shard.to_le_bytes());
    for id in [ticket.node.as_str(), ticket.room.as_str(), ticket.player.as_str()] {
        // Ids have 64 bytes at most.
        out.push(u8::try_from(id.len()).unwrap_or(u8::MAX));
        out.extend_from_slice(id.as_bytes());
    }
}

fn decode(mut body: &[u8]) -> Option<Ticket> {
    if take::<1>(&mut body)? != [VERSION] {
        return None;
    }
    let kind = match take::<1>(&mut body)? {
        [0] => TicketKind::Join,
        [1] => TicketKind::Rejoin,
        _ => return None,
    };
    let expiry_ms = u64::from_le_bytes(take(&mut body)?);
    let nonce = Nonce(take(&mut body)?);
    let seat = u16::from_le_bytes(take(&mut body)?);
    let shard = u16::from_le_bytes(take(&mut body)?);
    let node = NodeId::new(take_text(&mut body)?).ok()?;
    let room = RoomId::new(take_text(&mut body)?).ok()?;
    let player = PlayerId::new(take_text(&mut body)?).ok()?;
    body.is_empty().then_some(Ticket { kind, room, player, seat, node, shard, expiry_ms, nonce })
}

fn take<const N: usize>(body: &mut &[u8]) -> Option<[u8; N]> {
    let (head, rest) = body.split_first_chunk::<N>()?;
    *body = rest;
    Some(*head)
}

fn take_text<'a>(body: &mut &'a [u8]) -> Option<&'a str> {
    let [length] = take::<1>(body)?;
    let (text, rest) = body.split_at_checked(usize::from(length))?;
    *body = rest;
    std::str::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn node() -> NodeId {
        NodeId::new("node-1").expect("an id")
    }

    fn ticket() -> Ticket {
        Ticket {
            kind: TicketKind::Join,
            room: RoomId::new("room-7").expect("an id"),
            player: PlayerId::new("steam:1@eu").expect("an id"),
            seat: 3,
            node: node(),
            shard: 1,
            expiry_ms: 15_000,
            nonce: Nonce([7; 16]),
        }
    }

    #[test]
    fn a_signed_ticket_reads_back_to_itself() {
        let key = TicketKey::from_seed(&[1; 32]);
        assert_eq!(key.check(&key.sign(&ticket()), &node(), 1, 14_999), Ok(ticket()));
    }

    #[test]
    fn a_ticket_runs_out_at_its_expiry() {
        let key = TicketKey::from_seed(&[1; 32]);
        let late = key.check(&key.sign(&ticket()), &node(), 1, 15_500);
        assert_eq!(late, Err(TicketError::Expired { late_ms: 500 }));
    }

    #[test]
    fn a_ticket_of_another_shard_or_node_is_refused_as_such() {
        let key = TicketKey::from_seed(&[1; 32]);
        let bytes = key.sign(&ticket());
        let label = |node: &str, shard| {
            let node = NodeId::new(node).expect("an id");
            key.check(&bytes, &node, shard, 0).expect_err("not ours").label()
        };
        assert_eq!(label("node-1", 0), "other_shard");
        assert_eq!(label("node-2", 1), "other_shard");
    }

    #[test]
    fn a_ticket_signed_by_another_key_is_forged() {
        let bytes = TicketKey::from_seed(&[2; 32]).sign(&ticket());
        let key = TicketKey::from_seed(&[1; 32]);
        assert_eq!(key.check(&bytes, &node(), 1, 0), Err(TicketError::Forged));
    }

    #[test]
    fn the_longest_ticket_is_as_long_as_the_bound_says() {
        let longest = "x".repeat(64);
        let ticket = Ticket {
            room: RoomId::new(&longest).expect("an id"),
            player: PlayerId::new(&longest).expect("an id"),
            node: NodeId::new(&longest).expect("an id"),
            ..ticket()
        };
        assert_eq!(TicketKey::from_seed(&[1; 32]).sign(&ticket).len(), TICKET_BYTES_MAX);
    }

    proptest! {
        #[test]
        fn any_bytes_decode_to_a_ticket_or_to_nothing(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = decode(&bytes);
            let key = TicketKey::from_seed(&[1; 32]);
            prop_assert_eq!(key.check(&bytes, &node(), 1, 0), Err(TicketError::Forged));
        }

        #[test]
        fn one_flipped_bit_anywhere_is_forged(bit in 0usize..100 * 8) {
            let key = TicketKey::from_seed(&[1; 32]);
            let mut bytes = key.sign(&ticket());
            let bit = bit % (bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            prop_assert_eq!(key.check(&bytes, &node(), 1, 0), Err(TicketError::Forged));
        }
    }
}
