"""Random numbers that belong to a record, and are the same wherever and whenever they are drawn.

A generator that goes on from draw to draw gives a record what its turn brings. Here a draw is made
of a secret, the record's tuple, its number among the records of that tuple, the attribute, and
which of the attribute's two draws it is; nothing else. So records may be drawn for in any order and
in any pieces, on many machines, and get what they would have got all at once.

How: each value of a tuple is hashed with the secret (keyed BLAKE2b), and the hashes are mixed to
the tuple's key. The secret and the attribute's name are hashed to a key of the ChaCha20 cipher
(RFC 8439). It enciphers the record's number and the tuple's key, and the first numbers of the block
are the record's draws.

Why it will do: nobody without the key can tell blocks of ChaCha20 from chance, not even with the
draws of all other records at hand. Of T tuples two have the same key with a chance of T² / 2^65,
one in 40,000 for 30 million; all that would come of it is that they share their draws. Digests,
keys and streams are to be kept like the seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.keyed_numbers import mix_bits
from ontomask.errors import InternalError
from ontomask.microdata.attributes import Attribute, NominalAttribute, NumericalAttribute

__all__ = ["value_digests", "combine_keys", "stream_key", "draw_uniforms"]

Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]
#: An array per attribute, of the places of values.
Codes = Sequence[NDArray[np.integer]] | NDArray[np.integer]
Longs = NDArray[np.int64]


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


def stream_key(secret: bytes, name: str) -> bytes:
    """The key of the random numbers of an attribute."""
    hashed = blake2b(digest_size=32, key=secret, person=b"ontomask draws")
    hashed.update(_encode_text(name))
    return hashed.digest()


def draw_uniforms(stream: bytes, number: Longs, keys: Keys | None = None) -> tuple[Floats, Floats]:
    """Draw two numbers from 0 up to 1 for each record, multiples of 2^-53.

    ``stream`` is a key of 32 bytes. ``number`` counts the records of a tuple from 0, and ``keys``
    are those of their tuples.
    """
    from ontomask._runtime.chacha_kernels import draw_pairs

    nonce = np.zeros(len(number), dtype=np.uint64) if keys is None else keys
    drawn = np.empty((2, len(number)), dtype=np.uint64)
    draw_pairs(np.frombuffer(stream, dtype="<u4"), number.astype(np.uint64), nonce, drawn)
    drawn >>= np.uint64(11)
    first, second = drawn * 2.0**-53
    return first, second


def _encode_text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
