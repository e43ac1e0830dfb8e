"""The last step of a release: the masked table with everything that is known of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.files.atomic_files import atomic_write
from ontomask._runtime.interrupts import run_interruptibly
from ontomask.engines.protocol import Applied
from ontomask.errors import InternalError, check_choice, format_count
from ontomask.methods.method import Method
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.grouped_rows import GroupedRows, count_people
from ontomask.microdata.measures import describe_records
from ontomask.microdata.schema import Schema
from ontomask.microdata.tuples import Transitions
from ontomask.pipeline.counting import Counted, translate_file_errors
from ontomask.pipeline.evaluation import (
    Evaluation,
    ValueCounter,
    count_people_by_class,
    evaluate_plan,
    sensitive_counts,
)
from ontomask.pipeline.guarantees.guarantee import (
    Guarantee,
    format_method,
    make_guarantee,
    summarise_guarantee,
)
from ontomask.pipeline.guarantees.released_classes import count_released_classes
from ontomask.pipeline.guarantees.shown_values import verify_values
from ontomask.pipeline.planning.blocks import BlockPlan
from ontomask.pipeline.planning.linked_people import LinkFigures
from ontomask.pipeline.planning.plan import People, Plan
from ontomask.pipeline.population import CountedPopulation
from ontomask.risk import Confidential, LinkedRows, masked_classes
from ontomask.risk.classes import canonical_targets
from ontomask.taxonomy import TermMap

if TYPE_CHECKING:
    from ontomask.engines.long_table import LongRows
    from ontomask.pipeline.explain.explanation import MaskingExplanation

__all__ = ["Release", "make_release"]

Longs = NDArray[np.int64]

#: The counts of the confidential columns by class of the masked table, and of the original one.
_SensitiveCountsPair = tuple[Sequence[Confidential], Sequence[Confidential]]
#: The people of the masked records, by class, and of the original ones, by tuple.
_PeoplePair = tuple[People | None, People | None]


@dataclass(frozen=True, repr=False)
class Release:
    """A masked table with its guarantee and evaluation.

    Attributes:
        data: The masked table, of the type that was given.
        transitions: The plan that was applied. Do not publish it.
        guarantee: What holds, counted on ``data``.
        method: The masking method.
        schema: The role of every column.
        records: Number of released records. A record of a long table is a person.
        rows: Numbers of rows of a long table, before and after masking; None for other tables.
        dropped: Number of records left out because of missing values.
        suppressed: Number of records that were blanked or, if the method says so, removed.
        others: Columns without a role in the schema, with the role they were given.
        shortened: By set over several columns, the number of records whose set had more values than
            there are columns. The values that cost least were left out.
        blocked: How the table was cut for planning and what that cost; None if it was not.
        links: What became of the links between the records of a person; None if they are not kept.
        shuffled: Whether the rows of ``data`` are in a random order.
        mappings: By nominal column, how its values were mapped to concepts.
        renamed: By nominal column, the number of original records whose value is not spelt as its
            concept is released. Such a record may keep its concept and look different.
        more_cautions: Cautions that the table itself does not show, such as earlier releases.
        look_alikes: Warnings about sensitive values and people that differ only in spelling.
        population_figures: The disclosure risk against the population, as in
            ``evaluation.population``; empty if none is given.
    """

    data: Any
    transitions: Transitions
    guarantee: Guarantee
    method: Method
    schema: Schema
    records: int
    rows: LongRows | None = None
    dropped: int = 0
    suppressed: int = 0
    others: Mapping[str, str] = field(default_factory=dict)
    shortened: Mapping[str, int] = field(default_factory=dict)
    blocked: BlockPlan | None = None
    links: LinkFigures | None = None
    shuffled: bool = False
    _order_key: bytes | None = field(default=None, repr=False, compare=False)
    _largest_people: Longs | None = field(default=None, repr=False, compare=False)
    _records_of_unknown: int = field(default=0, repr=False, compare=False)
    _sensitive_counts: _SensitiveCountsPair = field(default=((), ()), repr=False, compare=False)
    _people: _PeoplePair = field(default=(None, None), repr=False, compare=False)
    _linked_rows: LinkedRows | None = field(default=None, repr=False, compare=False)
    _applied: Applied | None = field(default=None, repr=False, compare=False)
    mappings: Mapping[str, TermMap] = field(default_factory=dict, repr=False, compare=False)
    renamed: Mapping[str, int] = field(default_factory=dict)
    more_cautions: tuple[str, ...] = ()
    look_alikes: tuple[str, ...] = ()
    population_figures: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def combinations(self) -> int:
        """Number of different combinations of values that are released, suppressed ones as one.

        It is the number of equivalence classes unless records of a person are linked.
        """
        return len(masked_classes(self.transitions, self.drops))

    @property
    def drops(self) -> bool:
        """Whether suppressed records are not released."""
        return self.method.drops or (self.links is not None and self.links.lost_records > 0)

    @cached_property
    def evaluation(self) -> Evaluation:
        """Information loss and disclosure risk, computed on first access.

        This takes a few seconds for tens of thousands of distinct combinations of values, whatever
        the number of records.
        """
        after, before = self._sensitive_counts
        method = self.method
        return run_interruptibly(
            lambda: evaluate_plan(
                self.transitions,
                method.target_k,
                after,
                before,
                people=self._people,
                linked=self._linked_rows,
                removed=self.drops,
            )
        ).with_population(dict(self.population_figures))

    def write(
        self,
        path: str | PathLike[str],
        force: bool = False,
        *,
        order: Literal["shuffle", "keep"] = "shuffle",
        escape_formulas: bool = False,
    ) -> None:
        """Write the table to a file. The suffix selects the format: CSV, Parquet and others.

        The file is written under a temporary name, verified and renamed, so it is complete or not
        there at all. A file that was masked keeps its dialect.

        Args:
            path: The file.
            force: Whether to overwrite an existing file.
            order: The rows are shuffled, because their order can give masked values back.
                ``"keep"`` leaves them in the order of the original table.
            escape_formulas: Whether to put an apostrophe before the cells of a CSV file that a
                spreadsheet would run as formulas. Without it, their number is warned of.
        """
        check_choice("order", order, "shuffle", "keep")
        if self._applied is None:
            raise InternalError("this release has no table")
        with translate_file_errors(path):
            order_key = None if order == "keep" else self._order_key
            self._applied.write(Path(path), force, order_key, escape_formulas)

    @cached_property
    def cautions(self) -> tuple[str, ...]:
        """What the guarantee does not cover; computed on first access."""
        from ontomask.pipeline.guarantees.cautions import list_cautions

        return tuple(list_cautions(self, self._applied, self._sensitive_counts[0]))

    def records_of(self, people: int) -> int:
        """Number of records that must come from at least this many different people; rounded up.

        It is the same number if the schema has no ``person`` column.
        """
        if self._largest_people is None:
            return people
        # Fewer people than that have no more records than those with the most; records of unknown
        # people may be of any of them.
        needed = 1 + int(self._largest_people[: people - 1].sum()) + self._records_of_unknown
        step = max(10 ** (len(str(needed)) - 1) // 2, 5) if needed > people else 1
        return -(-max(needed, people) // step) * step

    def save_report(
        self, path: str | PathLike[str], threshold: int | None = None, *, force: bool = False
    ) -> None:
        """Write the report: one HTML page for those who decide about the publication of the table.

        It shows what was done, what holds, the information loss and the disclosure risk. It opens
        offline, contains no seed and no record, and may be published.

        Args:
            path: The file.
            threshold: Counts below this number of records are not shown. Without it, k for methods
                that form groups, otherwise 10.
            force: Whether to overwrite an existing file.
        """
        from ontomask.pipeline.facts import choose_threshold, publishable_facts

        facts = publishable_facts(self, choose_threshold(self.method, threshold))
        with atomic_write(Path(path), force=force) as file:
            file.write(self.report(facts))

    def report(self, facts: Mapping[str, Any]) -> str:
        """The report as HTML, from the facts of the release or from its manifest."""
        from ontomask.report import report

        return report(self.transitions, self.schema, self.method, facts)

    def explain(self, value: Any) -> MaskingExplanation:
        """Explain why a value, or a combination of values, got its masked value.

        The explanation contains original values. It is for the data steward; do not publish it.

        Args:
            value: A value as it stands in the original table, or any name that its column maps.
                Every quasi-identifier with this value is explained. In a column of sets, a single
                value stands for all sets that hold it, and ``"401.9;"`` for the set of it. Use
                ``{"diagnosis": "428.0"}`` to name one or more columns, or a tuple with one value
                for each quasi-identifier.

        Returns:
            The explanation; print it to read it.

        >>> import pandas as pd
        >>> from ontomask import datasets
        >>> from ontomask.methods import Microaggregation
        >>> from ontomask.microdata import Nominal, Schema
        >>> from ontomask.pipeline import mask
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
        rows = self.rows
        parts = [
            describe_records(self.records, None if rows is None else rows.released),
            f"{len(tuples):,} → {format_count(self.combinations, 'combination')} of values",
            format_method(self.method),
            *summarise_guarantee(self.guarantee),
        ]
        if self.dropped:
            parts.append(f"{self.dropped:,} dropped")
        if self.suppressed:
            parts.append(f"{self.suppressed:,} suppressed")
        return f"Release({', '.join(parts)})"


# ---------------------------------------------------------------------- made of its steps


def make_release(
    counted: Counted,
    plan: Plan,
    applied: Applied,
    order_key: bytes,
    shuffle: bool,
    population: CountedPopulation | None = None,
) -> Release:
    """Make the release of a table that was counted, planned, masked and verified."""
    from ontomask.engines.long_table import PeopleEngine  # DuckDB, only where a table was masked

    schema, transitions, method = counted.schema, plan.transitions, plan.method
    engine = counted.engine
    class_of = values_of = canonical_targets(transitions)
    if plan.linked is not None:
        class_of = plan.linked.number_classes(values_of)
        values_of = values_of[plan.linked.class_of]
    count_values = _class_counter(schema, class_of, applied)
    people = count_people_by_class(schema, count_values)
    after = sensitive_counts(schema, count_values, people)
    owners = people
    if plan.linked is not None:
        owners = count_people_by_class(schema, _class_counter(schema, values_of, applied))
    return Release(
        data=applied.engine.present(applied.shuffle(order_key) if shuffle else applied.data),
        transitions=transitions,
        guarantee=_guarantee(schema, plan, applied, class_of, people, after),
        method=method,
        schema=schema,
        records=applied.records,
        rows=engine.count_long_rows(applied.data) if isinstance(engine, PeopleEngine) else None,
        dropped=counted.dropped,
        suppressed=int(transitions.class_sizes()[transitions.suppressed_targets].sum()),
        others=_undeclared_columns(counted.engine.names, schema),
        shortened=plan.shortened,
        blocked=plan.blocks,
        links=None if plan.linked is None else plan.linked.figures,
        shuffled=shuffle,
        _order_key=order_key,
        _largest_people=counted.largest_people,
        _records_of_unknown=counted.of_unknown,
        _sensitive_counts=(after, counted.plan_input.confidential),
        _people=(owners, counted.plan_input.people),
        _linked_rows=plan.list_linked_rows(counted.plan_input),
        _applied=applied,
        population_figures={}
        if population is None
        else population.measure(transitions, plan.drops, _row_counter(plan, applied)),
        mappings={
            quasi.column: replace(column.terms, missing=counted.missing[quasi.column])
            for quasi, column in zip(schema.quasi_identifiers, counted.columns, strict=True)
            if column.terms is not None
        },
        renamed={
            quasi.column: column.renamed
            for quasi, column in zip(schema.quasi_identifiers, counted.columns, strict=True)
            if column.terms is not None
        },
        look_alikes=counted.look_alikes,
    )


def _row_counter(plan: Plan, applied: Applied) -> Callable[[Sequence[str]], GroupedRows]:
    """A count of rows on the masked table, by the targets of the plan of values."""
    linked = plan.linked
    if linked is None:
        return applied.count_rows
    return lambda columns: applied.count_rows(columns).regroup(linked.class_of)


def _class_counter(schema: Schema, class_of: Longs, applied: Applied) -> ValueCounter:
    """A count of known values on the masked table; ``class_of`` is the class of each target."""

    def count_by_class(column: str, ranges: bool | None) -> tuple[Longs, DistinctValues]:
        targets, distinct = applied.count_by_class(column, ranges, schema.missing_marks)
        return class_of[targets], distinct

    return count_by_class


def _guarantee(
    schema: Schema,
    plan: Plan,
    applied: Applied,
    class_of: Longs,
    people: People | None,
    confidential: Sequence[Confidential],
) -> Guarantee:
    names = [column.column for column in schema.quasi_identifiers]
    sizes, unit = applied.class_sizes(), "record"
    if people is not None:
        sizes, unit = count_people(*people), "person"
    released = count_released_classes(schema, applied, class_of, plan.linked)
    return make_guarantee(
        names,
        plan.method,
        plan.transitions,
        sizes,
        unit,
        confidential,
        released,
        None if plan.linked is None else plan.linked.figures,
        verify_values(schema, plan.method, applied),
    )


def _undeclared_columns(names: Sequence[str], schema: Schema) -> dict[str, str]:
    """The columns that the schema does not name, with the role that they were given."""
    named = schema.roles
    rest = {name: schema.other for name in names if name not in named}
    return rest | ({schema.person: "identifier"} if schema.person in rest else {})
