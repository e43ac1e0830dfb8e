"""ChaCha20, the stream cipher of RFC 8439, as a generator of random numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit

__all__ = ["draw_pairs"]

Word = np.uint32
Words = NDArray[np.uint32]
Longs = NDArray[np.uint64]

LOW = np.uint64(0xFFFFFFFF)
HIGH = np.uint64(32)


@jit
def quarter_round(a: Word, b: Word, c: Word, d: Word) -> tuple[Word, Word, Word, Word]:
    """Mix four words."""
    a = np.uint32(a + b)
    d = np.uint32(d ^ a)
    d = np.uint32((d << 16) | (d >> 16))
    c = np.uint32(c + d)
    b = np.uint32(b ^ c)
    b = np.uint32((b << 12) | (b >> 20))
    a = np.uint32(a + b)
    d = np.uint32(d ^ a)
    d = np.uint32((d << 8) | (d >> 24))
    c = np.uint32(c + d)
    b = np.uint32(b ^ c)
    b = np.uint32((b << 7) | (b >> 25))
    return a, b, c, d


@jit
def draw_pairs(key: Words, counter: Longs, nonce: Longs, out: Longs) -> None:
    """The first 16 bytes of each block, as two numbers; ``key`` has eight words.

    A block's input is a counter, the words 12 and 13, and a nonce, the words 14 and 15.
    """
    c0, c1, c2, c3 = (
        np.uint32(0x61707865),
        np.uint32(0x3320646E),
        np.uint32(0x79622D32),
        np.uint32(0x6B206574),
    )
    for i in range(counter.size):
        x0, x1, x2, x3 = c0, c1, c2, c3
        x4, x5, x6, x7 = key[0], key[1], key[2], key[3]
        x8, x9, x10, x11 = key[4], key[5], key[6], key[7]
        x12, x13 = np.uint32(counter[i] & LOW), np.uint32(counter[i] >> HIGH)
        x14, x15 = np.uint32(nonce[i] & LOW), np.uint32(nonce[i] >> HIGH)
        for _ in range(10):
            x0, x4, x8, x12 = quarter_round(x0, x4, x8, x12)
            x1, x5, x9, x13 = quarter_round(x1, x5, x9, x13)
            x2, x6, x10, x14 = quarter_round(x2, x6, x10, x14)
            x3, x7, x11, x15 = quarter_round(x3, x7, x11, x15)
            x0, x5, x10, x15 = quarter_round(x0, x5, x10, x15)
            x1, x6, x11, x12 = quarter_round(x1, x6, x11, x12)
            x2, x7, x8, x13 = quarter_round(x2, x7, x8, x13)
            x3, x4, x9, x14 = quarter_round(x3, x4, x9, x14)
        out[0, i] = np.uint64(np.uint32(x0 + c0)) | np.uint64(np.uint32(x1 + c1)) << HIGH
        out[1, i] = np.uint64(np.uint32(x2 + c2)) | np.uint64(np.uint32(x3 + c3)) << HIGH
