"""The hex of docs/wire.md, read and written by this client: no server needed."""

import pathlib
import re

import datagrams
import snapshots
import wire
from bits import ByteReader

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "wire.md"


def of_the_page():
    found = re.findall(r"```hex (\S+)\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return {name: bytes.fromhex(digits) for name, digits in found}


def messages(stream):
    reader = ByteReader(stream)
    while reader.at < len(stream):
        yield reader.block()


def check():
    """Fails where the client and the page's examples differ; says how many there are."""
    hexes = of_the_page()
    assert wire.framed(wire.hello(b"ticket")) == hexes["hello"]

    (welcome,) = (wire.message_down(m, None) for m in messages(hexes["welcome"]))
    assert (welcome.player, welcome.tick, welcome.tick_hz, welcome.snapshot_every) == ("ann", 1000, 64, 2)

    orders = [wire.message_down(m, welcome.table) for m in messages(hexes["orders"])]
    assert orders == [
        wire.RespawnGrant(1),
        wire.Command(1, "give", 4, 120, arm=True),
        wire.Command(2, "set_ammo", 4, 90),
    ]

    first, second = (wire.message_down(m, welcome.table) for m in messages(hexes["batches"]))
    assert first.events[0][1]["strikes"][0]["zone"] == "head"
    assert first.events[1] == second.events[1]  # the table gave the record back
    assert second.events[2][1]["rule"] == "rate"

    frames = [
        datagrams.Frame(6 + i, 1, 2, datagrams.Hands(127, 0, 0, 1000 + 40 * i, -50), (1002 + i, 16384), 4, 90, 30)
        for i in (0, 1)
    ]
    shot = datagrams.Shot(8, 1, 2, 4, 89, 7, (1003, 16384), (0.0, 1.6, 0.0), (0.0, 0.0, -1.0))
    assert datagrams.datagram_up(1006, 1004, 1, frames, [shot]) == hexes["datagram"]

    pictures = snapshots.Pictures(own_id=0, tick=1000)
    read = [pictures.read(hexes[f"snapshot-{i}"]) for i in (1, 2, 3)]
    assert [p.entities[1].place[2] for p in read] == [-2560, -2584, -2605]
    assert read[-1].own.position_m == (1.5, 0.0, 2.0) and read[-1].own.applied == 6
    return len(hexes)
