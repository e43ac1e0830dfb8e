"""Random numbers that belong to a record, and are the same wherever and whenever they are drawn.

A generator that goes on from draw to draw gives a record what its turn brings. Here a draw is made
of a secret, the record's tuple, its number among the records of that tuple, the attribute, and
which of the attribute's draws it is; nothing else. So records may be drawn for in any order and in
any pieces, on many machines, and get what they would have got all at once.

How: each value of a tuple is hashed with the secret (keyed BLAKE2b), and the hashes are mixed to
the tuple's key. Key and stream, which is a hash of the attribute's name and the draw, are mixed to
the place where a SplitMix64 generator (Steele, Lea and Flood 2014) starts. Its state is a counter,
so draw number i is had without those before it: start + i times an odd constant, mixed.

Why it will do: SplitMix64 passes the usual batteries of tests, and so is sound along the numbers of
one tuple. From tuple to tuple and attribute to attribute the starts are hashes, as good as drawn by
themselves. Of T starts with L records each two meet somewhere with a chance of about T² L / 2^64;
a million of a thousand records do with one in 20,000, and all that would come of it is that two
tuples share some draws. The secret has 256 bits, but the mixing is not a cipher: like any ordinary
generator it hides nothing from those who see the bits themselves. Digests, keys and streams are to
be kept like the seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.keyed_numbers import mix_bits
from ontomask.errors import InternalError
from ontomask.microdata.attributes import Attribute, NominalAttribute, NumericalAttribute

__all__ = ["value_digests", "combine_keys", "stream_number", "draw_uniforms"]

Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]
#: An array per attribute, of the places of values.
Codes = Sequence[NDArray[np.integer]] | NDArray[np.integer]
Longs = NDArray[np.int64]

#: 2^64 divided by the golden ratio, made odd: how far SplitMix64 counts at a time.
STEP = np.uint64(0x9E3779B97F4A7C15)

#: Draws made at a time: what lies between stays in the processor's cache.
AT_A_TIME = 1 << 14


def combine_keys(
    names: Sequence[str],
    of_values: Sequence[Keys],
    codes: Codes,
) -> Keys:
    """Combine the digests of values into a key for each row of codes.

    It depends on the values alone: neither on how they are coded, nor on what other rows there are,
    nor on the order of the attributes.
    """
    keys = np.zeros(len(codes[0]), dtype=np.uint64)
    for j in sorted(range(len(names)), key=names.__getitem__):
        keys = mix_bits(keys + of_values[j][codes[j]])
    return keys


def value_digests(attribute: Attribute, secret: bytes) -> Keys:
    """A number for each value of an attribute, by place, made of the value and a secret."""
    start = blake2b(digest_size=8, key=secret, person=b"ontomask values")
    start.update(_encode_text(f"{attribute.name}\0"))
    digest_bytes = bytearray()
    for text in _value_texts(attribute):
        hashed = start.copy()
        hashed.update(_encode_text(text))
        digest_bytes += hashed.digest()
    return np.frombuffer(bytes(digest_bytes), dtype="<u8").astype(np.uint64)


def _value_texts(attribute: Attribute) -> Iterable[str]:
    """The values themselves as text: a concept, a number, or that it is missing."""
    if isinstance(attribute, NumericalAttribute):
        return (f"n{number!r}" for number in (attribute.numbers + 0.0).tolist())  # no minus zero
    if isinstance(attribute, NominalAttribute):
        missing = ["-"] * (attribute.size - len(attribute.values))
        return (*(f"w{value}" for value in attribute.values), *missing)
    raise InternalError(f"attribute {attribute.name!r} is neither of words nor of numbers")


def stream_number(secret: bytes, name: str, which: int) -> int:
    """The number of the random stream of an attribute; ``which`` of its draws it is for."""
    hashed = blake2b(digest_size=8, key=secret, person=b"ontomask draws")
    hashed.update(_encode_text(f"{name}\0{which}"))
    return int.from_bytes(hashed.digest(), "little")


def draw_uniforms(keys: Keys, number: Longs, stream: int) -> Floats:
    """Draw a number from 0 up to 1 for each record, a multiple of 2^-53.

    ``keys`` are those of the records' tuples, ``number`` counts the records of a tuple from 0.
    """
    out = np.empty(len(keys))
    for first in range(0, len(keys), AT_A_TIME):
        piece = slice(first, first + AT_A_TIME)
        start = mix_bits(keys[piece] + np.uint64(stream))
        drawn = mix_bits(start + (number[piece].astype(np.uint64) + np.uint64(1)) * STEP)
        out[piece] = drawn >> np.uint64(11)
    out *= 2.0**-53
    return out


def _encode_text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
