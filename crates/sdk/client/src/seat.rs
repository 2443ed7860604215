//! A seat: where to connect, whom to trust there, and the proof of the right to.

use bytes::Bytes;
use fairshot_proto::v1::JoinResponse;
use fairshot_transport::Pin;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;

/// A seat in a room, as a matchmaker gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    pub address: SocketAddr,
    /// SHA-256 of the certificate the server must show.
    pub certificate_sha256: Pin,
    /// Good once.
    pub ticket: Bytes,
    pub room_id: String,
    pub player_id: String,
    /// The trace its join is part of; a player without one of her own sends it in her hello.
    pub traceparent: Option<Arc<str>>,
}

/// Why a matchmaker's answer names no seat.
#[derive(Debug, thiserror::Error)]
pub enum SeatError {
    #[error("`{0}` is no address that can be reached")]
    Address(String),
    #[error("a certificate's SHA-256 has 32 bytes, this one has {0}")]
    Certificate(usize),
    #[error("the answer names no seat")]
    None,
}

impl Seat {
    /// Every seat of an answer, in the order asked for. Looks names up, so it may block.
    ///
    /// # Errors
    /// [`SeatError`] says what the answer lacks.
    pub fn all_of(answer: JoinResponse) -> Result<Vec<Self>, SeatError> {
        let JoinResponse { room_id, address, certificate_sha256, seats, traceparent, .. } = answer;
        let traceparent = (!traceparent.is_empty()).then(|| Arc::from(traceparent));
        let pin = <[u8; 32]>::try_from(certificate_sha256.as_slice())
            .map_err(|_| SeatError::Certificate(certificate_sha256.len()))?;
        let found = address.to_socket_addrs().ok().and_then(|mut found| found.next());
        let address = found.ok_or(SeatError::Address(address))?;
        if seats.is_empty() {
            return Err(SeatError::None);
        }
        let seats = seats.into_iter().map(|seat| Self {
            address,
            certificate_sha256: Pin(pin),
            ticket: seat.ticket.into(),
            room_id: room_id.clone(),
            player_id: seat.player_id,
            traceparent: traceparent.clone(),
        });
        Ok(seats.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> JoinResponse {
        JoinResponse {
            room_id: "room-1".into(),
            address: "127.0.0.1:7000".into(),
            certificate_sha256: vec![7; 32],
            seats: vec![fairshot_proto::v1::Seat {
                player_id: "ann".into(),
                ticket: vec![1, 2],
                ..Default::default()
            }],
            ..Default::default()
        }
    }

    #[test]
    fn an_answer_gives_a_seat_for_each_member() {
        let seats = Seat::all_of(answer()).expect("a whole answer");
        assert_eq!(seats.len(), 1);
        assert_eq!(seats[0].certificate_sha256, Pin([7; 32]));
        assert_eq!(seats[0].address.port(), 7000);
        assert_eq!(seats[0].player_id, "ann");
    }

    #[test]
    fn an_answer_that_lacks_something_says_what() {
        let short = JoinResponse { certificate_sha256: vec![7; 31], ..answer() };
        assert!(matches!(Seat::all_of(short), Err(SeatError::Certificate(31))));
        let nowhere = JoinResponse { address: "nowhere".into(), ..answer() };
        assert!(matches!(Seat::all_of(nowhere), Err(SeatError::Address(_))));
        let empty = JoinResponse { seats: Vec::new(), ..answer() };
        assert!(matches!(Seat::all_of(empty), Err(SeatError::None)));
    }
}
