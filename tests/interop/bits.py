"""Numbers as bytes (stream messages, shots) and as bits (datagrams): "Numbers and words" of docs/wire.md.

Nothing here knows a message. Readers raise `Unreadable` and never read past their end.
"""

import struct


class Unreadable(Exception):
    """The bytes are not what the page says."""


def since(later, earlier, bits):
    """`later` since `earlier`: the difference of two wrapping numbers, read as signed."""
    difference = (later - earlier) % (1 << bits)
    return difference - (1 << bits) if difference >> (bits - 1) else difference


def nearest(low, near, bits=16, width=32):
    """The number whose low `bits` are `low`, nearest to `near`."""
    return (near + since(low, near, bits)) % (1 << width)


def zigzag(n):
    return n << 1 if n >= 0 else (-n << 1) - 1


def unzigzag(n):
    return (n >> 1) ^ -(n & 1)


class ByteReader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        if self.at + count > len(self.data):
            raise Unreadable("short")
        self.at += count
        return self.data[self.at - count : self.at]

    def fields(self, shape):
        """Little-endian numbers by the letters of `struct`."""
        return struct.unpack("<" + shape, self.take(struct.calcsize("<" + shape)))

    def u8(self):
        return self.take(1)[0]

    def u16(self):
        return self.fields("H")[0]

    def u32(self):
        return self.fields("I")[0]

    def varint(self):
        n = 0
        for shift in range(0, 63, 7):
            byte = self.u8()
            n |= (byte & 0x7F) << shift
            if byte < 0x80:
                return n
        raise Unreadable("range")

    def signed(self):
        return unzigzag(self.varint())

    def block(self):
        return self.take(self.varint())

    def text(self):
        try:
            return self.block().decode()
        except UnicodeDecodeError as bad:
            raise Unreadable("text") from bad

    def place(self):
        """Metres."""
        return tuple(self.signed() / 256 for _ in range(3))

    def end(self):
        if self.at != len(self.data):
            raise Unreadable("trailing")


def varint(n):
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def block(data):
    return varint(len(data)) + data


def text(words):
    return block(words.encode())


class BitReader:
    """The least significant bit first, of bytes and of fields."""

    def __init__(self, data):
        self.bits, self.left = int.from_bytes(data, "little"), len(data) * 8

    def take(self, count):
        if count > self.left:
            raise Unreadable("short")
        n = self.bits & ((1 << count) - 1)
        self.bits >>= count
        self.left -= count
        return n

    def flag(self):
        return self.take(1) == 1

    def small(self, k):
        q = 0
        while q < 20 and self.flag():
            q += 1
        if q == 20:
            return self.take(34)
        return (1 << (q + k)) + self.take(q + k) - (1 << k)

    def way(self, k):
        return unzigzag(self.small(k))

    def end(self):
        if self.left > 7 or self.bits:
            raise Unreadable("trailing")


class BitWriter:
    def __init__(self):
        self.bits, self.count = 0, 0

    def put(self, n, count):
        self.bits |= (n & ((1 << count) - 1)) << self.count
        self.count += count

    def flag(self, on):
        self.put(1 if on else 0, 1)
        return on

    def small(self, n, k):
        v = n + (1 << k)
        b = v.bit_length() - 1
        if b - k < 20:
            self.put((1 << (b - k)) - 1, b - k + 1)
            self.put(v, b)
        else:
            self.put((1 << 20) - 1, 20)
            self.put(n, 34)

    def way(self, n, k):
        self.small(zigzag(n), k)

    def bytes(self):
        """With zeros to the next whole byte."""
        return self.bits.to_bytes((self.count + 7) // 8, "little")
