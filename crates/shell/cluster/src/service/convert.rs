//! Between the wire's messages and matchmaking's own.

use crate::matchmaking::{CreateRequest, JoinRequest, Joined, MatchmakingError, RoomPage, Target};
use fairshot_matchmaking::{Labels, RoomCode, RoomFilter, RoomSummary};
use fairshot_mode::Mode;
use fairshot_proto::v1;
use fairshot_units::{PlayerId, RoomId};
use std::collections::BTreeMap;
use std::net::IpAddr;

const PAGE_SIZE_DEFAULT: usize = 100;
const PAGE_SIZE_MAX: usize = 1_000;

pub(super) fn join_request(
    request: v1::JoinRequest,
    members: Vec<PlayerId>,
    address: Option<IpAddr>,
) -> Result<JoinRequest, MatchmakingError> {
    let code = match request.room_code.as_str() {
        "" => None,
        code => Some(RoomCode::new(code).map_err(|e| MatchmakingError::invalid("room_code", e))?),
    };
    let target = match (request.room_id.as_str(), code, request.mode.as_str()) {
        ("", None, "") => {
            return Err(MatchmakingError::invalid("mode", "say a mode, a room_id or a room_code"));
        }
        ("", None, mode) => Target::Mode(mode.to_owned()),
        ("", Some(code), _) => Target::Code(code),
        (room, code, _) => Target::Room { room: room_id("room_id", room)?, code },
    };
    Ok(JoinRequest {
        target,
        region: non_empty(request.region),
        members,
        labels: labels(request.labels)?,
        address,
    })
}

pub(super) fn create_request(
    request: v1::CreateRequest,
    members: Vec<PlayerId>,
    address: Option<IpAddr>,
) -> Result<CreateRequest, MatchmakingError> {
    let seats_max = match request.seats_max {
        0 => None,
        seats => Some(
            u16::try_from(seats)
                .map_err(|_| MatchmakingError::invalid("seats_max", "0 to 65535"))?,
        ),
    };
    let monsters = match request.monsters {
        None => None,
        Some(count) => Some(
            u16::try_from(count)
                .ok()
                .filter(|count| *count <= Mode::MONSTERS_MAX)
                .ok_or_else(|| MatchmakingError::invalid("monsters", "0 to 512"))?,
        ),
    };
    Ok(CreateRequest {
        mode: request.mode,
        region: non_empty(request.region),
        members,
        labels: labels(request.labels)?,
        private: request.private,
        locked: request.locked,
        seats_max,
        monsters,
        address,
        ..Default::default()
    })
}

pub(super) fn join_response(joined: Joined) -> v1::JoinResponse {
    let seats = joined.seats.into_iter().map(|seat| v1::Seat {
        player_id: seat.player.into(),
        seat: seat.seat.into(),
        team: seat.team.into(),
        ticket: seat.ticket,
        good_for_ms: u32::try_from(seat.good_for_ms).unwrap_or(u32::MAX),
    });
    v1::JoinResponse {
        room_id: joined.room.into(),
        mode: joined.mode,
        room_code: joined.code.map(|code| code.to_string()).unwrap_or_default(),
        address: joined.address,
        certificate_sha256: joined.certificate_sha256.to_vec(),
        seats: seats.collect(),
        traceparent: String::new(),
    }
}

pub(super) fn list_filter(
    request: v1::ListRequest,
) -> Result<(RoomFilter, Option<RoomId>, usize), MatchmakingError> {
    let after = match request.page_token.as_str() {
        "" => None,
        token => Some(room_id("page_token", token)?),
    };
    let page_size = match usize::try_from(request.page_size).unwrap_or(usize::MAX) {
        0 => PAGE_SIZE_DEFAULT,
        size => size.min(PAGE_SIZE_MAX),
    };
    let filter = RoomFilter {
        mode: non_empty(request.mode),
        region: non_empty(request.region),
        free_seats_min: u16::try_from(request.free_seats_min).unwrap_or(u16::MAX),
        labels: labels(request.labels)?,
    };
    Ok((filter, after, page_size))
}

pub(super) fn list_response(page: &RoomPage) -> v1::ListResponse {
    let last = page.rooms.last().filter(|_| page.more);
    v1::ListResponse {
        rooms: page.rooms.iter().map(room).collect(),
        next_page_token: last.map(|room| room.room.to_string()).unwrap_or_default(),
        total: u32::try_from(page.total).unwrap_or(u32::MAX),
    }
}

fn room(summary: &RoomSummary) -> v1::Room {
    let seats = summary.seats;
    v1::Room {
        room_id: summary.room.to_string(),
        mode: summary.mode.clone(),
        region: summary.region.clone(),
        players: seats.taken.into(),
        free_seats: seats.free().into(),
        seats_max: seats.seats_max.into(),
        locked: summary.locked,
        labels: summary.labels.as_map().clone().into_iter().collect(),
    }
}

fn labels(labels: impl IntoIterator<Item = (String, String)>) -> Result<Labels, MatchmakingError> {
    let labels: BTreeMap<_, _> = labels.into_iter().collect();
    Labels::new(labels).map_err(|error| MatchmakingError::invalid("labels", error))
}

fn room_id(field: &'static str, text: &str) -> Result<RoomId, MatchmakingError> {
    RoomId::new(text).map_err(|error| MatchmakingError::invalid(field, error))
}

fn non_empty(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}
