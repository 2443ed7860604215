"""What the mode's arena puts between two places: boxes turned about y (docs/modes.md, `[arena]`)."""

import math


def is_clear(mode, a, b):
    return not any(crosses(block, a, b) for block in mode["arena"].get("blocks", []))


def is_inside(mode, place, margin_m):
    low, high = mode["arena"]["min_m"], mode["arena"]["max_m"]
    return all(low[i] + margin_m < place[i] < high[i] - margin_m for i in (0, 2))


def crosses(block, a, b):
    """Whether the way from a to b meets the box: the slab test in the box's own axes."""
    a, b = into(block, a), into(block, b)
    enters, leaves = 0.0, 1.0
    for p, q, size in zip(a, b, block["size_m"]):
        way, half = q - p, size / 2
        if abs(way) < 1e-9:
            if abs(p) > half:
                return False
            continue
        one, other = sorted(((-half - p) / way, (half - p) / way))
        enters, leaves = max(enters, one), min(leaves, other)
    return enters <= leaves


def into(block, place):
    x, y, z = (p - c for p, c in zip(place, block["centre_m"]))
    turn = math.radians(block.get("yaw_deg", 0.0))
    sin, cos = math.sin(turn), math.cos(turn)
    return x * cos - z * sin, y, x * sin + z * cos


def towards(a, b):
    """The direction from a to b, and how far it is."""
    way = [q - p for p, q in zip(a, b)]
    length = math.hypot(*way)
    return tuple(w / length for w in way), length
