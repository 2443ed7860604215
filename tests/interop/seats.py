"""A seat from the matchmaker: gRPC, with code made at run time from the .proto."""

import pathlib
import sys
from dataclasses import dataclass

import grpc

PROTO = pathlib.Path(__file__).resolve().parents[2] / "proto"
sys.path.append(str(PROTO))
messages, services = grpc.protos_and_services("fairshot/v1/matchmaking.proto")


@dataclass(frozen=True)
class Seat:
    room: str
    code: str  # of a private room
    mode: str
    host: str
    port: int
    certificate_sha256: bytes
    player: str
    ticket: bytes


def seats(matchmaker, mode, count, monsters):
    """Seats for `count` players in a new room of their own."""
    with grpc.insecure_channel(matchmaker) as channel:
        room = services.MatchmakingStub(channel).Create(
            messages.CreateRequest(mode=mode, party_size=count, monsters=monsters, private=True),
            timeout=15,
        )
    return [seat(room, member) for member in room.seats]


def seat_beside(matchmaker, other):
    """A seat in the private room of another."""
    with grpc.insecure_channel(matchmaker) as channel:
        request = messages.JoinRequest(room_id=other.room, room_code=other.code)
        room = services.MatchmakingStub(channel).Join(request, timeout=15)
    return seat(room, room.seats[0])


def seat(room, member):
    host, port = room.address.rsplit(":", 1)
    return Seat(
        room=room.room_id,
        code=room.room_code,
        mode=room.mode,
        host=host,
        port=int(port),
        certificate_sha256=room.certificate_sha256,
        player=member.player_id,
        ticket=member.ticket,
    )
