"""The client's own count of weapons and rounds: "What a client must do" of docs/ledger.md."""

from dataclasses import dataclass

from wire import NOT_SET

FISTS = 0


class CannotApply(Exception):
    """A command of the server does not fit: the session has diverged."""


@dataclass
class Slot:
    weapon: int
    total: int
    clip: int


class Inventory:
    """`mode`: the welcome's, parsed."""

    def __init__(self, mode, life):
        self.catalogue = {w["id"]: w for w in mode.get("weapons", [])}
        self.carries_over = mode.get("carries_over_slots", [])
        self.life, self.revision = life, 0
        self.slots, self.armed_slot = {}, None

    # What the stream brings, in its order.

    def take_grant(self, life):
        """Empties the store and starts that life; the revision stays."""
        self.life, self.slots, self.armed_slot = life, {}, None

    def apply(self, command):
        if command.revision != (self.revision + 1) % 65536:
            raise CannotApply(f"revision {command.revision} after {self.revision}")
        getattr(self, command.what)(command)
        self.revision = command.revision

    def give(self, c):
        weapon = self.known(c.weapon)
        number, lies = weapon.get("slot", 0), self.slots.get(weapon.get("slot", 0))
        adds = lies and (lies.weapon == c.weapon or number in self.carries_over)
        total = min(65535, (lies.total if adds else 0) + c.rounds)
        self.slots[number] = Slot(c.weapon, total, min(total, weapon.get("clip_size", 0)))
        if c.arm:
            self.armed_slot = number

    def take(self, c):
        number = self.slot_of(c.weapon)
        del self.slots[number]
        if self.armed_slot == number:
            self.armed_slot = None

    def set_ammo(self, c):
        slot = self.slots[self.slot_of(c.weapon)]
        slot.total = c.rounds
        slot.clip = min(c.rounds, slot.clip if c.clip == NOT_SET else c.clip)

    def clear(self, _):
        self.slots, self.armed_slot = {}, None

    def set_armed(self, c):
        self.armed_slot = None if c.weapon == FISTS else self.slot_of(c.weapon)

    # What the player does.

    def arm(self, weapon):
        self.armed_slot = self.slot_of(weapon)

    def spend(self):
        """One round of the weapon in hand, reloading where the clip is empty; its total after it."""
        slot = self.slots[self.armed_slot]
        if self.uses_rounds(slot.weapon):
            if slot.total == 0:
                raise ValueError("no round is left")
            if slot.clip == 0:
                slot.clip = min(slot.total, self.catalogue[slot.weapon].get("clip_size", 0))
            slot.total -= 1
            slot.clip = max(0, slot.clip - 1)
        return slot.total

    @property
    def hand(self):
        """The weapon in hand, the rounds of its slot and of its clip."""
        slot = self.slots.get(self.armed_slot)
        return (slot.weapon, slot.total, slot.clip) if slot else (FISTS, 0, 0)

    def totals(self):
        return {slot.weapon: slot.total for slot in self.slots.values()}

    def uses_rounds(self, weapon):
        w = self.catalogue[weapon]
        kind = w.get("kind", "instant")
        usual = {"instant": "per_shot", "projectile": "per_shot", "continuous": "while_held"}
        return w.get("ammo", usual.get(kind, "none")) != "none"

    def known(self, weapon):
        if weapon not in self.catalogue:
            raise CannotApply(f"unknown weapon {weapon}")
        return self.catalogue[weapon]

    def slot_of(self, weapon):
        for number, slot in self.slots.items():
            if slot.weapon == weapon:
                return number
        raise CannotApply(f"weapon {weapon} is not there")
