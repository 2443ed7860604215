//! Rooms and seats over gRPC: the messages, and the host trait on the asking side.

use super::RemoteNode;
use super::ask::within;
use crate::directory::RoomEpoch;
use crate::host::{HostError, Promised, RoomHost, RoomSpec};
use async_trait::async_trait;
use fairshot_matchmaking::{IssuedSeat, Labels, RoomCode, SeatCounts};
use fairshot_proto::v1;
use fairshot_units::{PlayerId, RoomId};
use tonic::metadata::MetadataValue;
use tonic::{Code, Status};

/// Carries the error's label, since several share a code.
const REASON: &str = "fairshot-reason";

#[async_trait]
impl RoomHost for RemoteNode {
    async fn open_room(
        &self,
        spec: &RoomSpec,
        members: &[PlayerId],
    ) -> Result<Promised, HostError> {
        let request = v1::NodeOpenRoomRequest {
            room: spec.room.to_string(),
            mode: spec.mode.clone(),
            shard: spec.shard.into(),
            epoch: spec.epoch.0,
            seats_max: spec.seats_max.map(u32::from),
            monsters: spec.monsters.map(u32::from),
            seed: spec.seed,
            locked: spec.locked,
            code: spec.code.map(|code| code.to_string()).unwrap_or_default(),
            labels: spec.labels.as_map().clone(),
            empty_ttl_ms: spec.empty_ttl_ms,
            members: members.iter().map(ToString::to_string).collect(),
        };
        let mut client = self.client.clone();
        let answer = within(client.open_room(request)).await;
        promised(answer.map_err(|status| host_error(&status))?)
    }

    async fn reserve(
        &self,
        shard: u16,
        room: &RoomId,
        members: &[PlayerId],
    ) -> Result<Promised, HostError> {
        let request = v1::NodeReserveSeatsRequest {
            shard: shard.into(),
            room: room.to_string(),
            members: members.iter().map(ToString::to_string).collect(),
        };
        let mut client = self.client.clone();
        let answer = within(client.reserve_seats(request)).await;
        promised(answer.map_err(|status| host_error(&status))?)
    }

    async fn release(&self, shard: u16, room: &RoomId, ticket: &[u8]) -> Result<bool, HostError> {
        let request = v1::NodeReleaseSeatRequest {
            shard: shard.into(),
            room: room.to_string(),
            ticket: ticket.to_vec(),
        };
        let mut client = self.client.clone();
        let answer = within(client.release_seat(request)).await;
        answer.map(|answer| answer.released).map_err(|status| host_error(&status))
    }
}

pub(super) fn spec(request: v1::NodeOpenRoomRequest) -> Result<(RoomSpec, Vec<PlayerId>), Status> {
    let narrow = |field: &str, wide: Option<u32>| {
        wide.map(|wide| u16::try_from(wide).map_err(|_| bad(field))).transpose()
    };
    let code = match request.code.as_str() {
        "" => None,
        code => Some(RoomCode::new(code).map_err(|_| bad("code"))?),
    };
    let spec = RoomSpec {
        room: room(&request.room)?,
        mode: request.mode,
        shard: u16::try_from(request.shard).map_err(|_| bad("shard"))?,
        epoch: RoomEpoch(request.epoch),
        seats_max: narrow("seats_max", request.seats_max)?,
        monsters: narrow("monsters", request.monsters)?,
        seed: request.seed,
        locked: request.locked,
        code,
        labels: Labels::new(request.labels).map_err(|_| bad("labels"))?,
        empty_ttl_ms: request.empty_ttl_ms,
    };
    Ok((spec, members(&request.members)?))
}

pub(super) fn members(texts: &[String]) -> Result<Vec<PlayerId>, Status> {
    texts.iter().map(|text| PlayerId::new(text).map_err(|_| bad("members"))).collect()
}

pub(super) fn room(text: &str) -> Result<RoomId, Status> {
    RoomId::new(text).map_err(|_| bad("room"))
}

pub(super) fn bad(field: &str) -> Status {
    Status::invalid_argument(format!("{field} is not one"))
}

pub(super) fn promised_message(promised: Promised) -> v1::NodePromised {
    let seats = promised.seats.into_iter().map(|seat| v1::NodeSeat {
        player: seat.player.into(),
        seat: seat.seat.into(),
        team: seat.team.into(),
        ticket: seat.ticket,
        good_for_ms: seat.good_for_ms,
    });
    v1::NodePromised {
        seats: seats.collect(),
        reserved: promised.counts.reserved.into(),
        taken: promised.counts.taken.into(),
        held: promised.counts.held.into(),
        seats_max: promised.counts.seats_max.into(),
    }
}

fn promised(message: v1::NodePromised) -> Result<Promised, HostError> {
    let odd = || HostError::Unavailable("its answer is not one".into());
    let narrow = |wide: u32| u16::try_from(wide).map_err(|_| odd());
    let seats = message.seats.into_iter().map(|seat| {
        Ok(IssuedSeat {
            player: PlayerId::new(&seat.player).map_err(|_| odd())?,
            seat: narrow(seat.seat)?,
            team: u8::try_from(seat.team).map_err(|_| odd())?,
            ticket: seat.ticket,
            good_for_ms: seat.good_for_ms,
        })
    });
    Ok(Promised {
        seats: seats.collect::<Result<_, HostError>>()?,
        counts: SeatCounts {
            reserved: narrow(message.reserved)?,
            taken: narrow(message.taken)?,
            held: narrow(message.held)?,
            seats_max: narrow(message.seats_max)?,
        },
    })
}

pub(super) fn host_status(error: &HostError) -> Status {
    let code = match error {
        HostError::Full | HostError::Locked | HostError::PartyTooLarge | HostError::Draining => {
            Code::FailedPrecondition
        }
        HostError::Party => Code::InvalidArgument,
        HostError::NoRoom | HostError::NoMode(_) => Code::NotFound,
        HostError::RoomExists => Code::AlreadyExists,
        HostError::Capacity => Code::ResourceExhausted,
        HostError::Unavailable(_) => Code::Unavailable,
    };
    let words = match error {
        HostError::NoMode(mode) => mode.clone(),
        HostError::Unavailable(why) => why.clone(),
        error => error.to_string(),
    };
    let mut status = Status::new(code, words);
    status.metadata_mut().insert(REASON, MetadataValue::from_static(error.label()));
    status
}

fn host_error(status: &Status) -> HostError {
    let words = || status.message().to_owned();
    match status.metadata().get(REASON).and_then(|reason| reason.to_str().ok()) {
        Some("full") => HostError::Full,
        Some("locked") => HostError::Locked,
        Some("party_too_large") => HostError::PartyTooLarge,
        Some("party") => HostError::Party,
        Some("no_room") => HostError::NoRoom,
        Some("room_exists") => HostError::RoomExists,
        Some("no_mode") => HostError::NoMode(words()),
        Some("capacity") => HostError::Capacity,
        Some("draining") => HostError::Draining,
        _ => HostError::Unavailable(format!("{}: {}", status.code(), status.message())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_survives_the_way_over_grpc() {
        for error in [
            HostError::Full,
            HostError::Locked,
            HostError::PartyTooLarge,
            HostError::Party,
            HostError::NoRoom,
            HostError::RoomExists,
            HostError::NoMode("chess".into()),
            HostError::Capacity,
            HostError::Draining,
        ] {
            assert_eq!(host_error(&host_status(&error)), error);
        }
        let down = host_error(&host_status(&HostError::Unavailable("down".into())));
        assert_eq!(down.label(), "unavailable");
    }
}
