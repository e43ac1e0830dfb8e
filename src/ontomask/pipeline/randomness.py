"""The seed of a release, and the random draws that come from it.

Seed and table are hashed together to the secret of a release: the same seed gives two tables
unrelated draws. The hash is that of the distinct tuples with their counts, so the order of rows,
the engine and the partitions do not matter.
"""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import numpy as np

from ontomask.errors import ParameterError, ShortSeedWarning
from ontomask.microdata.attributes import Attribute, NominalAttribute, NumericalAttribute
from ontomask.microdata.tuples import Tuples

__all__ = [
    "check_seed",
    "derive_generator",
    "derive_joint_secret",
    "derive_key",
    "derive_secret",
    "refuse_short_seed",
    "warn_about_short_seed",
]

#: Shorter seeds can be found by trying them all.
SHORTEST_SEED = 64

_has_warned = False


def check_seed(seed: Any) -> int:
    """The seed as an integer; without one, 256 new random bits."""
    if seed is None:
        return secrets.randbits(256)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ParameterError(
            "seed must be a non-negative integer", "leave it out for a random seed"
        )
    return int(seed)


def refuse_short_seed(seed: int | None) -> None:
    """Refuse a seed that is too short for a release that is written."""
    if _is_short(seed):
        raise ParameterError(
            f"the seed of a release must have at least {SHORTEST_SEED} bits, got a shorter one",
            "leave it out for a random seed, or make one with: "
            'python -c "import secrets; print(secrets.randbits(256))"',
        )


def warn_about_short_seed(seed: int | None, stacklevel: int) -> None:
    """Warn of a seed that can be found by trying; once, as experiments use many of them."""
    global _has_warned
    if _is_short(seed) and not _has_warned:
        warnings.warn(
            f"seed has fewer than {SHORTEST_SEED} bits, so others can find it by trying and repeat "
            "the random draws. To publish the table, leave seed out or use secrets.randbits(256)",
            ShortSeedWarning,
            stacklevel=stacklevel + 1,
        )
        _has_warned = True


def _is_short(seed: int | None) -> bool:
    return seed is not None and int(seed).bit_length() < SHORTEST_SEED


# ---------------------------------------------------------------------- secrets


def derive_secret(seed: int, tuples: Tuples) -> bytes:
    """The secret of a release, made of its seed and of the table that is masked."""
    seed_bytes = seed.to_bytes((seed.bit_length() + 7) // 8, "little")
    key = blake2b(seed_bytes, digest_size=32, person=b"ontomask seed").digest()
    hashed = blake2b(digest_size=32, key=key, person=b"ontomask table")
    in_order = sorted(range(len(tuples.attributes)), key=lambda j: tuples.attributes[j].name)
    for attribute in (tuples.attributes[j] for j in in_order):
        for part in (attribute.name.encode("utf-8", "surrogatepass"), _value_bytes(attribute)):
            hashed.update(len(part).to_bytes(8, "little"))
            hashed.update(part)
    codes = tuples.codes[in_order]
    order = np.lexsort(codes[::-1])
    hashed.update(codes[:, order].astype("<i4").tobytes())
    hashed.update(tuples.counts[order].astype("<i8").tobytes())
    return hashed.digest()


def _value_bytes(attribute: Attribute) -> bytes:
    """The values of an attribute, in order."""
    if isinstance(attribute, NumericalAttribute):
        return (attribute.numbers + 0.0).astype("<f8").tobytes()  # no minus zero
    assert isinstance(attribute, NominalAttribute)
    return "\0".join(attribute.values).encode("utf-8", "surrogatepass")


def derive_joint_secret(secrets: Mapping[str, bytes]) -> bytes:
    """The secret of several tables that are masked together, from those of each by name."""
    hashed = blake2b(digest_size=32, person=b"ontomask tables")
    for name, secret in sorted(secrets.items()):
        hashed.update(blake2b(name.encode("utf-8", "surrogatepass"), key=secret).digest())
    return hashed.digest()


def derive_key(secret: bytes, purpose: str) -> bytes:
    """A key for one purpose; those for others do not tell it."""
    return blake2b(purpose.encode(), digest_size=32, key=secret, person=b"ontomask key").digest()


def derive_generator(secret: bytes) -> np.random.Generator:
    """The random generator of the plan."""
    return np.random.default_rng(int.from_bytes(derive_key(secret, "plan")))
