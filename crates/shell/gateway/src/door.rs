//! Which close code tells a client why its ticket opened nothing.

use fairshot_matchmaking::{AdmitError, DoorError, TicketError, UsedError};
use fairshot_wire::CloseCode;

/// One clear code for each reason a ticket is turned away.
#[must_use]
pub fn close_code_of(error: &DoorError) -> CloseCode {
    match error {
        DoorError::Ticket(TicketError::Forged) => CloseCode::TicketForged,
        DoorError::Ticket(TicketError::Expired { .. }) => CloseCode::TicketExpired,
        DoorError::Ticket(TicketError::OtherShard { .. }) => CloseCode::TicketNode,
        DoorError::Used(UsedError::Used) => CloseCode::TicketUsed,
        DoorError::Used(UsedError::Full { .. }) => CloseCode::Internal,
        DoorError::NoRoom(_) => CloseCode::TicketRoom,
        DoorError::Seat(AdmitError::SeatExpired) => CloseCode::TicketExpired,
        DoorError::Seat(AdmitError::Revoked) => CloseCode::TicketRevoked,
    }
}
