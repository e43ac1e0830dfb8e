"""Mask a table: count, plan, apply, verify."""

from __future__ import annotations

import secrets
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.engines import frames
from ontomask.engines.frames import Distinct, Frame, Written
from ontomask.errors import (
    ColumnError,
    IndexReleasedWarning,
    InternalError,
    OntomaskError,
    ParameterError,
    RepeatedIdentifierWarning,
    many,
    quoted,
)
from ontomask.methods.method import Method
from ontomask.release.coding import Coded, code_column
from ontomask.release.complete import complete
from ontomask.release.evaluation import Evaluation, figures, watched
from ontomask.release.guarantee import Guarantee, guaranteed, promised, shown
from ontomask.release.people import merge_until_k_people
from ontomask.release.schema import Schema
from ontomask.risk import Confidential
from ontomask.tuples import Transitions, count_tuples

__all__ = ["Release", "mask"]

Longs = NDArray[np.int64]

#: The counts of the confidential columns by class of the masked table, and of the original one.
_Watched = tuple[Sequence[Confidential], Sequence[Confidential]]


@dataclass(frozen=True, repr=False)
class Release:
    """A masked table and what is known of it.

    ``data`` is the table, of the kind that was given; ``transitions`` the plan that was applied;
    ``guarantee`` what holds, counted on ``data``. ``records`` were released; ``dropped`` were left
    out for missing values, and ``suppressed`` were blanked or, where the method says so, removed.
    """

    data: Any
    transitions: Transitions
    guarantee: Guarantee
    method: Method
    records: int
    dropped: int = 0
    suppressed: int = 0
    _watched: _Watched = field(default=((), ()), repr=False, compare=False)

    @cached_property
    def evaluation(self) -> Evaluation:
        """What the table is worth and what it risks, worked out when first asked for.

        A few seconds for tens of thousands of distinct tuples, however many records hold them; less
        for few tuples.
        """
        after, before = self._watched
        removed = getattr(self.method, "how", None) == "drop"
        k = getattr(self.method, "k", None)
        return figures(self.transitions, k, after, before, removed=removed)

    def __repr__(self) -> str:
        tuples = self.transitions.tuples
        promise = f"{self.guarantee.k}-anonymous" if self.guarantee.k else "not k-anonymous"
        parts = [
            many(self.records, "record"),
            f"{len(tuples):,} → {many(self.guarantee.classes, 'tuple')}",
            shown(self.method),
            promise,
        ]
        if self.dropped:
            parts.append(f"{self.dropped:,} dropped")
        if self.suppressed:
            parts.append(f"{self.suppressed:,} suppressed")
        return f"Release({', '.join(parts)})"


def mask(frame: Any, schema: Schema, method: Method, seed: int | None = None) -> Release:
    """Mask the quasi-identifiers of a table, and verify the result before it is returned.

    ``frame`` is a pandas, polars (eager or lazy) or pyarrow table or a DuckDB relation; the same
    kind comes back, with the same rows in the same order and every other column untouched. Without
    a ``seed`` the operating system's entropy is used. A seed is a secret: it is not stored.

    >>> import pandas as pd
    >>> from ontomask import datasets
    >>> from ontomask.methods.microaggregation import Microaggregation
    >>> from ontomask.release import Nominal, Schema
    >>> patients = pd.DataFrame({"diagnosis": ["flu", "flu", "hepatitis B", "hepatitis C"]})
    >>> schema = Schema([Nominal("diagnosis", datasets.diagnoses())])
    >>> release = mask(patients, schema, Microaggregation(k=2))
    >>> release.guarantee
    '2-anonymous on diagnosis: smallest class 2 records'
    >>> release
    Release(4 records, 3 → 2 tuples, Microaggregation(k=2), 2-anonymous)
    """
    random, secret = _randomness(seed)
    _check_arguments(schema, method)
    table = Frame(frame)
    schema.check(table.names)
    if not table.rows:
        raise ColumnError("the table has no records", "there is nothing to mask")
    if table.named_index:
        warnings.warn(
            f"the index, {quoted(table.named_index)}, is released as it is; "
            "reset_index() makes it a column, which can have a role",
            IndexReleasedWarning,
            stacklevel=2,
        )
    people = _people(table, schema)
    columns, kept = complete(table, schema, people)
    coded = _coded(schema, columns)
    tuples, record_tuple = count_tuples([it.attribute for it in coded], [it.codes for it in coded])
    transitions = _as_written(method.plan(tuples, random))
    # A plan may hold more concepts than the values' own hierarchy.
    coded = [
        it.of(attribute) for it, attribute in zip(coded, transitions.tuples.attributes, strict=True)
    ]
    k = promised(method)
    drops = getattr(method, "how", None) == "drop"
    if people is not None:
        people = people[kept]
        if k is not None:
            transitions = merge_until_k_people(
                transitions, record_tuple, people, k, getattr(method, "how", None)
            )
    target = frames.deal(transitions, record_tuple, table, secret, kept)
    left = np.ones(len(target), dtype=bool)
    if drops:
        left = ~frames.blank(transitions)[target]
    rows = kept.copy()
    rows[kept] = left
    looks = {
        column.column: it.written(transitions.targets[:, j])
        for j, (column, it) in enumerate(zip(schema.quasi_identifiers, coded, strict=True))
    }
    removed = schema.removed(table.names)
    data = table.released(
        {
            column: Written(look.values, look.places[target[left]], look.text)
            for column, look in looks.items()
        },
        removed,
        rows,
    )
    classes = frames.verify(
        table, data, looks, transitions, record_tuple[left], removed=removed, kept=rows
    )
    if method.permutes:
        _check_multisets(coded, transitions, schema, data)
    names = [column.column for column in schema.quasi_identifiers]
    if people is None:
        sizes, unit = frames.class_sizes(classes), "record"
    else:
        sizes, unit = frames.people_in(classes, people[left]), "person"
    guarantee = guaranteed(names, method, transitions, sizes, unit)
    suppressed = int(frames.blank(transitions)[target].sum())
    return Release(
        data=data,
        transitions=transitions,
        guarantee=guarantee,
        method=method,
        records=int(left.sum()),
        dropped=int((~kept).sum()),
        suppressed=suppressed,
        _watched=(
            watched(schema, table, rows, classes),
            watched(schema, table, kept, record_tuple),
        ),
    )


# ---------------------------------------------------------------------- count


def _randomness(seed: int | None) -> tuple[np.random.Generator, bytes]:
    """A generator for the plan, and a secret for dealing."""
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if seed is not None and (not whole or seed < 0):
        raise ParameterError("seed is no whole number, 0 or more", "give one, or leave it out")
    number = secrets.randbits(256) if seed is None else int(seed)
    written = number.to_bytes((number.bit_length() + 7) // 8, "little")
    secret = blake2b(b"ontomask deals records" + written, digest_size=32).digest()
    return np.random.default_rng(number), secret


def _check_arguments(schema: Any, method: Any) -> None:
    if not isinstance(schema, Schema):
        raise ParameterError(f"schema is {type(schema).__name__}", "give a Schema(...)")
    if not isinstance(method, Method):
        shown = f"{method.__name__}, the class" if isinstance(method, type) else repr(method)
        raise ParameterError(f"method is {shown}", "give a method, as Microaggregation(k=5)")


def _people(table: Frame, schema: Schema) -> Longs | None:
    """Who each record belongs to; without a person column, a warning where people repeat."""
    if schema.person is not None:
        return table.distinct(schema.person).codes
    repeated = [
        column for column in schema.identifiers if (table.distinct(column).counts > 1).any()
    ]
    if repeated:
        warnings.warn(
            f"identifiers are repeated in {quoted(repeated)}: one person may have several records, "
            f"and the guarantee counts records; person={repeated[0]!r} makes it count people",
            RepeatedIdentifierWarning,
            stacklevel=3,
        )
    return None


def _coded(schema: Schema, columns: list[Distinct]) -> list[Coded]:
    """Every column as an attribute; what is wrong with several columns is said at once."""
    coded: list[Coded] = []
    errors: list[OntomaskError] = []
    for column, found in zip(schema.quasi_identifiers, columns, strict=True):
        try:
            coded.append(code_column(column, found, schema.missing))
        except OntomaskError as error:
            errors.append(error)
    if len(errors) == 1:
        raise errors[0]
    if errors:
        kinds = {type(error) for error in errors}
        kind = kinds.pop() if len(kinds) == 1 else ColumnError
        raise kind(
            "\n".join(error.message for error in errors),
            "\n".join(dict.fromkeys(error.hint for error in errors)),
        )
    return coded


# ---------------------------------------------------------------------- plan


def _as_written(plan: Transitions) -> Transitions:
    """The plan with targets as they are written; those that look the same are joined."""
    rounded = np.column_stack(
        [a.released(plan.targets[:, j]) for j, a in enumerate(plan.tuples.attributes)]
    )
    joined = Transitions.joined(plan.tuples, rounded, plan.source, plan.target, plan.count)
    return replace(joined, unpaired=plan.unpaired)


# ---------------------------------------------------------------------- verify


def _check_multisets(coded: list[Coded], plan: Transitions, schema: Schema, data: Any) -> None:
    """Where values are only permuted, each must be in the released table as often as before."""
    released = frames.Frame(data)
    for j, (column, it) in enumerate(zip(schema.quasi_identifiers, coded, strict=True)):
        attribute = plan.tuples.attributes[j]
        before = it.written(attribute.target_of(np.arange(attribute.size)))
        wanted: Counter[str] = Counter()
        for place, count in zip(before.places, plan.tuples.value_counts(j).tolist(), strict=True):
            wanted[frames.canonical(before.values[place] if place >= 0 else None)] += count
        found = released.distinct(column.column)
        often: Counter[str] = Counter(
            dict(zip(map(frames.canonical, found.values), found.counts.tolist(), strict=True))
        )
        often[frames.canonical(None)] += int((found.codes < 0).sum())
        if +often != +wanted:
            raise InternalError(f"column {column.column!r} has other values than before swapping")
