"""Mask a table: count, plan, apply, verify."""

from __future__ import annotations

import secrets
import warnings
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import dataclass, fields, is_dataclass
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
from ontomask.release.people import merge_until_k_people
from ontomask.release.schema import Schema
from ontomask.tuples import Transitions, count_tuples

__all__ = ["Guarantee", "Release", "mask"]

Longs = NDArray[np.int64]


class Guarantee(str):
    """What holds for a released table, in words; and the numbers behind it.

    ``k`` is the promise (None where there is none), ``smallest`` the smallest class as counted on
    the table, in ``unit`` (records or people), ``classes`` how many there are.
    """

    k: int | None
    smallest: int
    classes: int
    unit: str

    def __new__(
        cls, words: str, k: int | None = None, smallest: int = 0, classes: int = 0, unit: str = ""
    ) -> Guarantee:
        made = super().__new__(cls, words)
        made.k, made.smallest, made.classes, made.unit = k, smallest, classes, unit
        return made


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

    def __repr__(self) -> str:
        tuples = self.transitions.tuples
        promise = f"{self.guarantee.k}-anonymous" if self.guarantee.k else "not k-anonymous"
        parts = [
            many(self.records, "record"),
            f"{len(tuples):,} → {many(self.guarantee.classes, 'tuple')}",
            _shown(self.method),
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
    columns, kept = _complete(table, schema, people)
    coded = _coded(schema, columns)
    tuples, record_tuple = count_tuples([it.attribute for it in coded], [it.codes for it in coded])
    transitions = _as_written(method.plan(tuples, random), coded)
    k = _promised(method)
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
    guarantee = _guarantee(schema, method, k, classes, people[left] if people is not None else None)
    suppressed = int(frames.blank(transitions)[target].sum())
    return Release(
        data=data,
        transitions=transitions,
        guarantee=guarantee,
        method=method,
        records=int(left.sum()),
        dropped=int((~kept).sum()),
        suppressed=suppressed,
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


def _complete(
    table: Frame, schema: Schema, people: Longs | None
) -> tuple[list[Distinct], NDArray[np.bool_]]:
    """The quasi-identifiers of the records that are kept, and which these are."""
    marks = set(schema.missing_marks)
    columns = []
    for column in schema.quasi_identifiers:
        found = table.distinct(column.column)
        marked = [_hashable(v) and (v in marks or str(v) in marks) for v in found.values]
        columns.append(found.without(np.array(marked, dtype=bool)))
    gone = {c.column: it.codes < 0 for c, it in zip(schema.quasi_identifiers, columns, strict=True)}
    if people is not None and schema.person is not None:
        gone[schema.person] = people < 0
    counts = {column: int(where.sum()) for column, where in gone.items() if where.any()}
    kept = np.ones(table.rows, dtype=bool)
    if schema.missing == "refuse" and counts:
        shown = ", ".join(f"{column!r} ({many(n, 'row')})" for column, n in counts.items())
        raise ColumnError(
            f"values are missing in {many(len(counts), 'column')}: {shown}",
            "use missing='drop' to leave these rows out, or 'category' to keep missing as a value",
        )
    if schema.missing == "drop":
        kept = ~np.logical_or.reduce(list(gone.values()))
        if not kept.any():
            raise ColumnError(
                f"every record misses a value: {quoted(counts)}", "use missing='category'"
            )
    return [it.of(kept) for it in columns], kept


def _hashable(value: object) -> bool:
    return not isinstance(value, list | dict | np.ndarray)


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


def _as_written(transitions: Transitions, coded: list[Coded]) -> Transitions:
    """The plan with targets as they are written; those that look the same are joined."""
    rounded = np.column_stack(
        [it.attribute.released(transitions.targets[:, j]) for j, it in enumerate(coded)]
    )
    plan = transitions
    return Transitions.joined(plan.tuples, rounded, plan.source, plan.target, plan.count)


def _promised(method: Method) -> int | None:
    """The k that a method promises for classes of records; None where it promises none."""
    from ontomask.methods.method import GroupingMethod

    if not isinstance(method, GroupingMethod):
        return None
    return None if getattr(method, "replacement", "centroid") == "synthetic" else int(method.k)


# ---------------------------------------------------------------------- verify


def _guarantee(
    schema: Schema, method: Method, k: int | None, classes: Longs, people: Longs | None
) -> Guarantee:
    sizes = frames.class_sizes(classes) if people is None else frames.people_in(classes, people)
    unit = "record" if people is None else "person"
    names = ", ".join(column.column for column in schema.quasi_identifiers)
    smallest = int(sizes.min()) if len(sizes) else 0
    counted = many(smallest, unit).replace("persons", "people")
    plural = "records" if people is None else "people"
    if not len(sizes):
        return Guarantee(f"no records are released on {names}", k, 0, 0, plural)
    if k is None:
        return Guarantee(
            f"not k-anonymous: {_shown(method)} promises no class sizes; on {names} the smallest "
            f"class has {counted}",
            None,
            smallest,
            len(sizes),
            plural,
        )
    if smallest < k:
        raise InternalError(f"{k}-anonymity was promised, and a class has {counted}")
    words = f"{k}-anonymous on {names}: smallest class {counted}"
    return Guarantee(words, k, smallest, len(sizes), plural)


def _shown(method: Any) -> str:
    """A method with the settings that are not the usual ones."""
    if not is_dataclass(method):
        return type(method).__name__
    shown = [
        f"{it.name}={getattr(method, it.name)!r}"
        for it in fields(method)
        if it.repr
        and (it.name == "k" or it.default is NO_DEFAULT or getattr(method, it.name) != it.default)
    ]
    return f"{type(method).__name__}({', '.join(shown)})"
