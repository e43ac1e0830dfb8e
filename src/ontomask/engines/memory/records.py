"""The records of a table in memory, each with its tuple, and the target that each is given.

Which of several targets a record is given depends on its whole row and the seed, never on where it
stands.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.keyed_numbers import mix_bits
from ontomask.engines.memory.applied import FrameApplied, count_record_rows
from ontomask.engines.memory.frame import Frame
from ontomask.engines.memory.values import canonical_text
from ontomask.engines.protocol import PlacedRecords
from ontomask.engines.ranges import cut_into_ranges
from ontomask.microdata.distinct_values import DistinctValues, OutputColumn
from ontomask.microdata.grouped_rows import GroupedRows
from ontomask.microdata.known_values import without_unknown
from ontomask.microdata.tuples import Transitions

if TYPE_CHECKING:
    from ontomask.engines.memory.engine import FrameEngine

__all__ = ["FrameRecords", "deal_targets", "row_keys"]

Longs = NDArray[np.int64]


class FrameRecords(PlacedRecords):
    """The records that are kept; ``record_tuple`` is the tuple of each."""

    def __init__(self, engine: FrameEngine, table: Frame, tuple_of: Longs) -> None:
        self._engine, self._table = engine, table
        self._is_kept = tuple_of >= 0
        self.record_tuple = tuple_of[self._is_kept]

    def count_by_tuple(
        self, column: str, ranges: bool | None = False, marks: Collection[str] = ()
    ) -> tuple[Longs, DistinctValues]:
        distinct = self._table.distinct_values(column).select_rows(self._is_kept)
        return self.record_tuple, cut_into_ranges(without_unknown(distinct, marks), ranges)

    def count_rows(self, columns: Sequence[str]) -> GroupedRows:
        return count_record_rows(self._table, self._is_kept, self.record_tuple, columns)

    def apply(
        self,
        plan: Transitions,
        outputs: Mapping[str, OutputColumn],
        removed: Sequence[str],
        secret: bytes,
        drops: bool,
    ) -> FrameApplied:
        target = deal_targets(plan, self.record_tuple, self._table, secret, self._is_kept)
        is_released = plan.released_targets(drops)[target]
        rows = self._is_kept.copy()
        rows[self._is_kept] = is_released
        return FrameApplied(
            self._engine,
            plan,
            outputs,
            removed,
            rows,
            self.record_tuple[is_released],
            target[is_released],
        )


# ---------------------------------------------------------------------- dealing


def row_keys(frame: Frame, secret: bytes) -> NDArray[np.uint64]:
    """A number for each record, made of its whole row and a secret; equal rows have equal ones."""
    keys = np.zeros(frame.rows, dtype=np.uint64)
    for column in sorted(frame.names, key=str):
        distinct = frame.distinct_values(column)
        start = blake2b(digest_size=8, key=secret)
        start.update(f"{column}\0".encode("utf-8", "surrogatepass"))
        digests = bytearray()
        for value in (*distinct.values, None):  # missing is the last, where -1 finds it
            hashed = start.copy()
            hashed.update(canonical_text(value).encode("utf-8", "surrogatepass"))
            digests += hashed.digest()
        keys = mix_bits(keys + np.frombuffer(bytes(digests), dtype="<u8")[distinct.codes])
    return keys


def deal_targets(
    transitions: Transitions,
    record_tuple: Longs,
    frame: Frame,
    secret: bytes,
    kept: NDArray[np.bool_],
) -> Longs:
    """Deal each record its target; where a tuple has several, in order of :func:`row_keys`."""
    if transitions.has_one_target_per_tuple:
        return transitions.target_of()[record_tuple]
    order = np.lexsort((row_keys(frame, secret)[kept], record_tuple))
    targets = np.empty(len(record_tuple), dtype=np.int64)
    targets[order] = np.repeat(transitions.target, transitions.count)
    return targets
