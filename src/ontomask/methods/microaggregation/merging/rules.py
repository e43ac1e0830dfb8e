"""The rules every group must keep: enough records, people and different sensitive values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import ParameterError
from ontomask.methods.microaggregation.merging.rules_kernels import (
    DISTINCT,
    ENTROPY,
    EQUAL,
    ORDERED,
    SEMANTIC,
    Rules,
)
from ontomask.methods.people import refuse_k_above_people
from ontomask.microdata.tuples import SensitiveCounts, Tuples

__all__ = ["GroupRule", "encode_rules", "make_group_test", "collect_rules"]

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

#: A column, the kind of rule, and its limit.
GroupRule = tuple[SensitiveCounts, int, float]


def collect_rules(
    tuples: Tuples,
    k: int,
    least: int | None,
    diversity: str,
    closeness: float | None,
    protects: Sequence[str] | None,
) -> list[GroupRule]:
    """Collect the rules beyond k records; rules that no group could keep are refused."""
    requirements: list[GroupRule] = []
    if tuples.people is not None:
        refuse_k_above_people(k, len(np.unique(tuples.people.value)))
        requirements.append((tuples.people, DISTINCT, float(k)))
    if least is None and closeness is None:
        return requirements
    for column in _find_protected(tuples, protects):
        _check_known(column)
        if least is not None:
            _check_diversity(column, least, diversity)
            requirements.append(
                (column, DISTINCT if diversity == "distinct" else ENTROPY, float(least))
            )
        if closeness is not None:
            requirements.append((column, _kind_of_closeness(column), closeness))
    return requirements


def _kind_of_closeness(column: SensitiveCounts) -> int:
    if column.ground is not None:
        return SEMANTIC
    return ORDERED if column.ordered else EQUAL


def _find_protected(tuples: Tuples, protects: Sequence[str] | None) -> list[SensitiveCounts]:
    columns = list(dict.fromkeys(column.name for column in tuples.sensitive_counts))
    if not columns:
        raise ParameterError(
            "l and t need at least one confidential column, got none",
            "give the sensitive attributes the role confidential",
        )
    names = columns if protects is None else list(protects)
    for name in names:
        if name not in columns:
            raise ParameterError(
                f"protects must name confidential columns, got {name!r}",
                f"the confidential columns are {', '.join(map(repr, columns))}",
            )
    return [column for column in tuples.sensitive_counts if column.name in names]


def _check_known(column: SensitiveCounts) -> None:
    if column.table_counts is None and not len(column.value):
        raise ParameterError(
            f"l and t need known values of {column.name!r}, got only missing ones",
            f"leave {column.name!r} out of protects",
        )


def _check_diversity(column: SensitiveCounts, least: int, diversity: str) -> None:
    _, counts = _encode_values(column)
    shares = counts / counts.sum()
    most = len(shares)
    if diversity == "entropy":
        # The whole table has the most there can be in every group.
        most = floor(exp(float(-(shares * np.log(shares)).sum())) + 1e-9)
    if least > most:
        raise ParameterError(
            f"l must be at most {most:,}, the diversity of {column.name!r} in the whole table, got "
            f"{least:,}",
            f"choose an l of {most:,} or less"
            if most > 1
            else f"leave {column.name!r} out of protects, or leave l out",
        )


def make_group_test(tuples: Tuples, k: int, wanted: Sequence[GroupRule]) -> Callable[[Longs], bool]:
    """A test of whether some tuples, given by place, could be a group."""
    from ontomask.methods.microaggregation.merging.bundles import bundle_arrays
    from ontomask.methods.microaggregation.merging.rules_kernels import keeps_rules

    if not wanted:
        return lambda members: int(tuples.counts[members].sum()) >= k
    rules = bundle_arrays(encode_rules(len(tuples), k, wanted, np.arange(len(tuples))))
    return lambda members: bool(
        keeps_rules(rules, members, len(members), int(tuples.counts[members].sum()))
    )


def encode_rules(size: int, k: int, wanted: Sequence[GroupRule], order: Longs) -> Rules:
    """The rules as the loops take them, for so many tuples in another order."""
    start = np.zeros((len(wanted), size + 1), dtype=np.int64)
    own = np.zeros((len(wanted), size), dtype=np.int64)
    values, counts, shares, first = [], [], [], [0]
    parents, lengths, far = [], [], []
    place = np.empty(size, dtype=np.int64)
    place[order] = np.arange(size)
    offset = 0
    for r, (column, kind, _) in enumerate(wanted):
        codes, often = _encode_values(column)
        pairs, weight = _sum_pairs(place[column.tuple], codes, column.count, len(often))
        owner, value = np.divmod(pairs, len(often))
        start[r] = offset + np.searchsorted(owner, np.arange(size + 1))
        own[r] = np.diff(start[r])
        values.append(value)
        counts.append(weight)
        share, parent, length = _encode_tree(column, kind, often / often.sum())
        shares.append(share)
        parents.append(parent)
        lengths.append(length)
        far.append(float(length @ share))
        first.append(first[-1] + len(share))
        offset += len(pairs)
    most = max((len(share) for share in shares), default=0)
    return Rules(
        k=k,
        kind=np.array([kind for _, kind, _ in wanted], dtype=np.int8),
        limit=np.array([limit for _, _, limit in wanted], dtype=np.float64),
        optional=np.array([column.of_kinds is not None for column, _, _ in wanted], dtype=bool),
        start=start,
        value=_concatenate(values, np.int32),
        often=_concatenate(counts, np.int64),
        own=own,
        first=np.array(first, dtype=np.int64),
        share=_concatenate(shares, np.float64),
        parent=_concatenate(parents, np.int32),
        length=_concatenate(lengths, np.float64),
        far=np.array(far, dtype=np.float64),
        seen=np.zeros(most, dtype=np.int64),
        distinct=np.zeros(most, dtype=np.int32),
    )


def _encode_tree(column: SensitiveCounts, kind: int, share: Floats) -> tuple[Floats, Longs, Floats]:
    """The shares of the values, or of all nodes of their tree; the parent of each, and its edge."""
    tree = column.ground
    if tree is None or kind != SEMANTIC:
        return share, np.full(len(share), -1), np.zeros(len(share))
    return tree.sum_below(share), tree.parent, tree.length


def _encode_values(column: SensitiveCounts) -> tuple[Longs, NDArray[Any]]:
    """The values as numbers without gaps, and how many records hold each in the whole table."""
    if column.table_counts is None:
        codes = np.unique(column.value, return_inverse=True)[1].ravel()
        return codes, np.bincount(codes, weights=column.count)
    present = np.flatnonzero(column.table_counts)
    return np.searchsorted(present, column.value), column.table_counts[present]


def _sum_pairs(owner: Longs, value: Longs, count: Longs, size: int) -> tuple[Longs, Longs]:
    """Each pair of a tuple and a value once, in order, with its count."""
    pairs, which = np.unique(owner * size + value, return_inverse=True)
    return pairs, np.bincount(which.ravel(), weights=count).astype(np.int64)


def _concatenate(parts: Sequence[NDArray[Any]], kind: type) -> NDArray[Any]:
    return np.concatenate(parts).astype(kind) if parts else np.zeros(0, dtype=kind)
