"""Mask a table: count, plan, apply, verify."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.atomic_files import atomic_write
from ontomask._runtime.interrupts import run_interruptibly
from ontomask._runtime.progress import listen_to_progress
from ontomask.engines.memory import frames
from ontomask.engines.protocol import Applied, Engine
from ontomask.errors import (
    InternalError,
    ParameterError,
    format_count,
)
from ontomask.methods.method import Method
from ontomask.methods.people import merge_until_k_people
from ontomask.microdata.attributes import NumericalAttribute
from ontomask.microdata.distinct_values import DistinctValues, OutputColumn
from ontomask.microdata.schema import Schema
from ontomask.microdata.tuples import SensitiveCounts, Transitions, Tuples
from ontomask.microdata.value_coding import CodedColumn
from ontomask.pipeline.blocks import BlockPlan, choose_block_size, measure_block_cost
from ontomask.pipeline.counting import count_table, open_engine, translate_file_errors
from ontomask.pipeline.evaluation import Evaluation, evaluate_plan, sensitive_counts
from ontomask.pipeline.guarantee import Guarantee, format_method, make_guarantee, promised_k
from ontomask.risk import Confidential
from ontomask.risk.classes import canonical_targets as looks_alike
from ontomask.taxonomy import TermMap

if TYPE_CHECKING:
    from ontomask.pipeline.explain.explanation import MaskingExplanation

__all__ = ["People", "Release", "check_arguments", "mask", "plan_tuples", "seed_randomness"]

Longs = NDArray[np.int64]

#: Of so many people with the most records it is known how many they have.
MOST_PEOPLE = 100_000

#: The tuple and the person of every record; each pair once or more.
People = tuple[Longs, Longs]

#: The counts of the confidential columns by class of the masked table, and of the original one.
_SensitiveCountsPair = tuple[Sequence[Confidential], Sequence[Confidential]]


@dataclass(frozen=True, repr=False)
class Release:
    """A masked table and what is known of it.

    ``data`` is the table, of the kind that was given; ``transitions`` the plan that was applied;
    ``guarantee`` what holds, counted on ``data``; ``method`` and ``schema`` are those it was made
    with. ``records`` were released; ``dropped`` were left
    out for missing values, and ``suppressed`` were blanked or, where the method says so, removed.
    ``others`` are columns without a role, and which they were given. ``blocked`` says how the table
    was cut for planning and what that cost, where it was. ``mappings`` say how the values of
    nominal columns found their concepts.
    """

    data: Any
    transitions: Transitions
    guarantee: Guarantee
    method: Method
    schema: Schema
    records: int
    dropped: int = 0
    suppressed: int = 0
    others: Mapping[str, str] = field(default_factory=dict)
    blocked: BlockPlan | None = None
    _largest_people: Longs | None = field(default=None, repr=False, compare=False)
    _sensitive_counts: _SensitiveCountsPair = field(default=((), ()), repr=False, compare=False)
    _applied: Applied | None = field(default=None, repr=False, compare=False)
    mappings: Mapping[str, TermMap] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def evaluation(self) -> Evaluation:
        """What the table is worth and what it risks, worked out when first asked for.

        A few seconds for tens of thousands of distinct tuples, however many records hold them; less
        for few tuples.
        """
        after, before = self._sensitive_counts
        removed = getattr(self.method, "how", None) == "drop"
        k = getattr(self.method, "k", None)
        return run_interruptibly(
            lambda: evaluate_plan(self.transitions, k, after, before, removed=removed)
        )

    def write(self, path: str | PathLike[str], force: bool = False) -> None:
        """Write the table to a file: CSV, Parquet and the like, by its suffix.

        It is written beside its name, verified and renamed: complete, or not there at all. An
        existing file is kept unless ``force``. A file that was masked keeps its dialect.
        """
        if self._applied is None:
            raise InternalError("this release does not know its table")
        with translate_file_errors(path):
            self._applied.write(Path(path), force)

    @cached_property
    def cautions(self) -> tuple[str, ...]:
        """What a reader of the guarantee should know as well; looked up when first asked for."""
        from ontomask.pipeline.cautions import list_cautions

        return tuple(list_cautions(self, self._applied))

    def records_of(self, people: int) -> int:
        """So many records are of so many different people, whoever they are; rounded up.

        The same number where the schema does not say who is who.
        """
        if self._largest_people is None:
            return people
        # Fewer people than that have no more records than those with the most.
        needed = 1 + int(self._largest_people[: people - 1].sum())
        step = max(10 ** (len(str(needed)) - 1) // 2, 5) if needed > people else 1
        return -(-max(needed, people) // step) * step

    def save_report(
        self, path: str | PathLike[str], threshold: int | None = None, *, force: bool = False
    ) -> None:
        """Write a report: one HTML page for those who must decide whether to publish the table.

        It says what was done, what holds, what it cost and what is left to fear, and opens offline.
        Nothing that fewer than ``threshold`` records carry is shown: k for methods that group,
        otherwise 10, unless given. It holds no seed and no record, and may be published.
        """
        from ontomask.pipeline.facts import choose_threshold as usual_threshold
        from ontomask.pipeline.facts import publishable_facts

        content = publishable_facts(self, usual_threshold(self.method, threshold))
        with atomic_write(Path(path), force=force) as file:
            file.write(self.report(content))

    def report(self, known: Mapping[str, Any]) -> str:
        """The report as one HTML page; ``known`` are the facts of the release, or its manifest."""
        from ontomask.report import report

        return report(self.transitions, self.schema, self.method, known)

    def explain(self, value: Any) -> MaskingExplanation:
        """Why a value, or a tuple of values, became what it became, in words and as fields.

        ``value`` is one as it stands in the original table, by whatever name its column knows it;
        every quasi-identifier that holds it is explained. ``{"diagnosis": "428.0"}`` names the
        column, several columns say which records are meant, and a tuple has a value of each. It
        names original values: for the data steward's eyes, never to be published.

        >>> import pandas as pd
        >>> from ontomask import datasets
        >>> from ontomask.methods import Microaggregation
        >>> from ontomask.microdata import Nominal, Schema
        >>> patients = pd.DataFrame({"diagnosis": ["flu", "flu", "cold", "hepatitis B"]})
        >>> schema = Schema([Nominal("diagnosis", datasets.diagnoses())])
        >>> release = mask(patients, schema, Microaggregation(k=2))
        >>> (part,) = release.explain("cold").parts
        >>> [target.values[0].value for target in part.example.became]
        ['hepatitis B']
        """
        from ontomask.pipeline.explain.explanation import explain

        return explain(self, value)

    def __repr__(self) -> str:
        tuples = self.transitions.tuples
        promise = f"{self.guarantee.k}-anonymous" if self.guarantee.k else "not k-anonymous"
        parts = [
            format_count(self.records, "record"),
            f"{len(tuples):,} → {format_count(self.guarantee.classes, 'tuple')}",
            format_method(self.method),
            promise,
        ]
        if self.dropped:
            parts.append(f"{self.dropped:,} dropped")
        if self.suppressed:
            parts.append(f"{self.suppressed:,} suppressed")
        return f"Release({', '.join(parts)})"


def mask(
    table: Any,
    /,
    schema: Schema,
    method: Method,
    seed: int | None = None,
    *,
    progress: Callable[[str], None] = lambda _: None,
    **file: Any,
) -> Release:
    """Mask the quasi-identifiers of a table, and verify the result before it is returned.

    ``table`` is a pandas, polars (eager or lazy) or pyarrow table, a DuckDB relation or a Spark
    frame; the same kind comes back, with the same rows in the same order (of which Spark knows
    none) and every other column untouched. Or it is
    the path of a file, which is read and masked inside DuckDB; ``file`` are then settings such as
    ``table``, ``delimiter`` or ``encoding`` (see :func:`~ontomask.engines.formats.open_table`), and
    ``memory``, how much DuckDB may take. Without a ``seed`` the operating system's entropy is used.
    A seed is a secret: it is not stored. ``progress`` is told what is being done.

    >>> import pandas as pd
    >>> from ontomask import datasets
    >>> from ontomask.methods import Microaggregation
    >>> from ontomask.microdata import Nominal, Schema
    >>> patients = pd.DataFrame({"diagnosis": ["flu", "flu", "hepatitis B", "hepatitis C"]})
    >>> schema = Schema([Nominal("diagnosis", datasets.diagnoses())])
    >>> release = mask(patients, schema, Microaggregation(k=2))
    >>> release.guarantee
    '2-anonymous on diagnosis: smallest class 2 records'
    >>> release
    Release(4 records, 3 → 2 tuples, Microaggregation(k=2), 2-anonymous)
    """
    check_arguments(schema, method)
    random_sources = seed_randomness(seed)
    with translate_file_errors(table):
        return run_interruptibly(
            lambda: _run_pipeline(
                open_engine(table, file), schema, method, random_sources, progress
            )
        )


def _run_pipeline(
    engine: Engine,
    schema: Schema,
    method: Method,
    random_sources: tuple[np.random.Generator, bytes],
    progress: Callable[[str], None],
) -> Release:
    random, secret = random_sources
    progress("counting")
    counted = count_table(engine, schema)
    progress(f"planning for {format_count(len(counted.tuples), 'tuple')}")
    people = None if schema.person is None else engine.count_by_tuple(schema.person)
    pairs = None if people is None else (people[0], people[1].codes)
    before = sensitive_counts(schema, engine.count_by_tuple)
    with listen_to_progress(progress):
        method = choose_block_size(method, counted.tuples)
        tuples = attach_sensitive_counts(method, counted.tuples, pairs, before)
        plan = round_targets(method, engine.plan(method, tuples, random), pairs)
        block_plan = measure_block_cost(method, tuples, random)
        del tuples  # it is large where people are known
    # A plan may hold more concepts than the values' own hierarchy.
    coded = [
        coded_column.with_attribute(a)
        for coded_column, a in zip(counted.columns, plan.tuples.attributes, strict=True)
    ]
    output_columns = {
        column.column: coded_column.output_column(plan.targets[:, j])
        for j, (column, coded_column) in enumerate(
            zip(schema.quasi_identifiers, coded, strict=True)
        )
    }
    removes_suppressed = getattr(method, "how", None) == "drop"
    progress("masking and verifying")
    applied = engine.apply(
        plan, output_columns, schema.removed(engine.names), secret, removes_suppressed
    )
    applied.verify()
    if method.permutes:
        _check_multisets(coded, plan, applied, output_columns)
    after = sensitive_counts(
        schema, lambda *column: _join_equal_targets(plan, *applied.count_by_class(*column))
    )
    return Release(
        data=applied.data,
        transitions=plan,
        guarantee=_guarantee(schema, method, plan, applied, after),
        method=method,
        schema=schema,
        records=applied.records,
        dropped=engine.rows - counted.tuples.records,
        suppressed=int(plan.count[frames.suppressed_targets(plan)[plan.target]].sum()),
        others=_undeclared_columns(engine.names, schema),
        blocked=block_plan,
        _largest_people=None if people is None else np.sort(people[1].counts)[::-1][:MOST_PEOPLE],
        _sensitive_counts=(after, before),
        _applied=applied,
        mappings={
            column: replace(coded_column.terms, missing=counted.missing[column])
            for column, coded_column in zip(output_columns, coded, strict=True)
            if coded_column.terms is not None
        },
    )


def _undeclared_columns(names: Sequence[str], schema: Schema) -> dict[str, str]:
    """The columns that the schema does not name, with the role that they were given."""
    named = schema.roles
    rest = {name: schema.other for name in names if name not in named}
    return rest | ({schema.person: "identifier"} if schema.person in rest else {})


# ---------------------------------------------------------------------- what is given


def seed_randomness(seed: int | None) -> tuple[np.random.Generator, bytes]:
    """A random generator for the plan, and a secret key that assigns targets to records."""
    is_integer = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if seed is not None and (not is_integer or seed < 0):
        raise ParameterError("seed is no whole number, 0 or more", "give one, or leave it out")
    number = secrets.randbits(256) if seed is None else int(seed)
    seed_bytes = number.to_bytes((number.bit_length() + 7) // 8, "little")
    secret = blake2b(b"ontomask deals records" + seed_bytes, digest_size=32).digest()
    return np.random.default_rng(number), secret


def check_arguments(schema: Any, method: Any) -> None:
    """Refuse a schema or a method of the wrong type."""
    if not isinstance(schema, Schema):
        raise ParameterError(f"schema is {type(schema).__name__}", "give a Schema(...)")
    if not isinstance(method, Method):
        description = f"{method.__name__}, the class" if isinstance(method, type) else repr(method)
        raise ParameterError(f"method is {description}", "give a method, as Microaggregation(k=5)")


# ---------------------------------------------------------------------- plan


def plan_tuples(
    method: Method,
    tuples: Tuples,
    random: np.random.Generator,
    people: People | None = None,
    confidential: Sequence[Confidential] = (),
) -> Transitions:
    """Plan the masked tuple of every tuple, with targets as they are written.

    With ``people``, the tuple and the person of every record, classes hold ``k`` different ones
    where the method promises classes of ``k``. ``confidential`` are the columns that a method may
    keep varied, counted by tuple.
    """
    counted = attach_sensitive_counts(method, tuples, people, confidential)
    return round_targets(method, method.plan(counted, random), people)


def round_targets(method: Method, plan: Transitions, people: People | None) -> Transitions:
    """Round the targets of a plan, and merge classes until each holds ``k`` people."""
    plan = _round_plan(plan)
    k = promised_k(method)
    if people is None or k is None:
        return plan
    return merge_until_k_people(plan, *people, k, getattr(method, "how", None))


def attach_sensitive_counts(
    method: Method, tuples: Tuples, people: People | None, confidential: Sequence[Confidential]
) -> Tuples:
    """The tuples with the counts of sensitive values and of people that the method needs."""
    protects_sensitive = (
        getattr(method, "l", None) is not None or getattr(method, "t", None) is not None
    )
    return replace(
        tuples,
        sensitive_counts=tuple(_to_sensitive_counts(column) for column in confidential)
        if protects_sensitive
        else (),
        people=None if people is None else SensitiveCounts("person", *people, _ones(people[0])),
    )


def _ones(records: Longs) -> Longs:
    """A one for every record, in an array that takes no memory."""
    return np.broadcast_to(np.int64(1), records.shape)


def _to_sensitive_counts(column: Confidential) -> SensitiveCounts:
    return SensitiveCounts(
        column.name,
        column.classes.astype(np.int64, copy=False),
        column.values.astype(np.int64, copy=False),
        column.counts.astype(np.int64, copy=False),
        ordered=isinstance(column.attribute, NumericalAttribute),
    )


def _round_plan(plan: Transitions) -> Transitions:
    """Round the targets of a plan as they are written, and join those that become equal."""
    rounded = np.column_stack(
        [a.round_targets(plan.targets[:, j]) for j, a in enumerate(plan.tuples.attributes)]
    )
    joined = Transitions.from_pairs(plan.tuples, rounded, plan.source, plan.target, plan.count)
    return replace(joined, unpaired=plan.unpaired)


# ---------------------------------------------------------------------- verify


def _join_equal_targets(
    plan: Transitions, targets: Longs, distinct: DistinctValues
) -> tuple[Longs, DistinctValues]:
    """Join targets that look the same into one class."""
    return looks_alike(plan)[targets], distinct


def _guarantee(
    schema: Schema,
    method: Method,
    plan: Transitions,
    applied: Applied,
    confidential: Sequence[Confidential],
) -> Guarantee:
    names = [column.column for column in schema.quasi_identifiers]
    if schema.person is None:
        return make_guarantee(names, method, plan, applied.class_sizes(), "record", confidential)
    return make_guarantee(
        names, method, plan, applied.count_people(schema.person), "person", confidential
    )


def _check_multisets(
    coded: list[CodedColumn],
    plan: Transitions,
    applied: Applied,
    output_columns: Mapping[str, OutputColumn],
) -> None:
    """Where values are only permuted, each must be in the released table as often as before."""
    for j, (column, coded_column) in enumerate(zip(output_columns, coded, strict=True)):
        before = coded_column.output_column(
            coded_column.attribute.target_of(np.arange(coded_column.attribute.size))
        )
        expected: Counter[str] = Counter()
        for place, count in zip(before.places, plan.tuples.value_counts(j).tolist(), strict=True):
            expected[frames.canonical_text(before.values[place] if place >= 0 else None)] += count
        distinct = applied.value_counts(column)
        released: Counter[str] = Counter(
            dict(
                zip(
                    map(frames.canonical_text, distinct.values),
                    distinct.counts.tolist(),
                    strict=True,
                )
            )
        )
        released[frames.canonical_text(None)] += plan.tuples.records - int(distinct.counts.sum())
        if +released != +expected:
            raise InternalError(f"column {column!r} has other values than before swapping")
