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
            timeout=5,
        )
    return [seat(room, member) for member in room.seats]


def any_seat(matchmaker, mode):
    """A seat in any room of the mode."""
    with grpc.insecure_channel(matchmaker) as channel:
        stub = services.MatchmakingStub(channel)
        room = stub.Join(messages.JoinRequest(mode=mode), timeout=5)
    return seat(room, room.seats[0])


def seat(room, member):
    host, port = room.address.rsplit(":", 1)
    return Seat(
        room.room_id, room.mode, host, int(port), room.certificate_sha256, member.player_id, member.ticket
    )  # fmt: skip
