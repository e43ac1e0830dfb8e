"""The population of a table: its people are counted, and sampling weights are summed up."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import (
    ColumnError,
    OntomaskError,
    ParameterError,
    SchemaError,
    format_count,
    format_people,
    quote_names,
)
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.grouped_rows import GroupedRows
from ontomask.microdata.known_values import merge_look_alikes, without_unknown
from ontomask.microdata.population import Population
from ontomask.microdata.schema import Date, Nominal, NominalSet, Numeric, Ordinal, Schema
from ontomask.microdata.tuples import Transitions
from ontomask.microdata.value_coding import code_column, terms_of
from ontomask.pipeline.complete_records import read_quasi_identifier
from ontomask.pipeline.counting import open_engine, translate_file_errors
from ontomask.risk.classes import canonical_targets
from ontomask.risk.population.evaluation import (
    PopulationKnowledge,
    SampleCounts,
    evaluate_population,
)
from ontomask.risk.population.matches import PopulationColumn, PopulationTable

__all__ = ["CountedPopulation", "RowCounter", "count_population", "refuse_population"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


#: An engine's count of records by group and the values of some columns together.
RowCounter = Callable[[Sequence[str]], GroupedRows]


@dataclass(frozen=True, eq=False)
class CountedPopulation:
    """What a table and its population were found to have; figures follow from it and a plan."""

    knowledge: PopulationKnowledge
    members: _Members | None

    def measure(
        self, plan: Transitions, removed: bool, count_rows: RowCounter | None = None
    ) -> dict[str, Any]:
        """The figures of a plan; ``count_rows`` counts rows by target.

        It is only needed where records of the same tuple become different; without it, the people
        and the weights of the classes are then unknown, and each record counts as a person.
        """
        members, knowledge = self.members, self.knowledge
        if members is not None and plan.has_one_target_per_tuple:
            members = members.regroup(plan.target_of(), plan.released_targets(removed))
        elif members is not None and count_rows is not None:
            members = members.recount(count_rows)
        else:
            members = None
        if members is not None:
            after = members.regroup(canonical_targets(plan)).count(len(plan.targets))
            knowledge = replace(knowledge, after=after)
        return evaluate_population(plan, knowledge, removed)


def count_population(
    population: Population,
    schema: Schema,
    columns: Sequence[str],
    counts: Longs,
    count_rows: RowCounter,
) -> CountedPopulation:
    """Count the population of a table, and refuse one that cannot be its population.

    Args:
        population: The population as described.
        schema: The roles of the columns.
        columns: The columns of the table.
        counts: Number of records of each tuple.
        count_rows: Counts rows of some columns by tuple.
    """
    refuse_population(population, schema, columns)
    person = schema.person if schema.person in columns else None
    members, before = None, SampleCounts()
    if person is not None or population.weight is not None:
        members = _Members.read(count_rows, person, population.weight, schema.missing_marks)
        before = members.count(len(counts))
    table = None if population.table is None else _read_population(population.table, schema)
    size, source = population.size, "its size"
    if size is None and table is not None:
        size, source = table.size, "its table"
    elif size is None and members is not None:
        size, source = round(members.total_weight), "the sum of the sampling weights"
    assert size is not None
    sampled = int(counts.sum()) if before.total is None else before.total
    if size < sampled:
        unit = format_count(sampled, "record") if before.total is None else format_people(sampled)
        raise ParameterError(
            f"the population must have at least the {unit} of the table, got {size:,} ({source})",
            "give the population that the table is a sample of",
        )
    is_estimated = source.startswith("the sum")
    knowledge = PopulationKnowledge(size, table, before, is_estimated=is_estimated)
    return CountedPopulation(knowledge, members)


def refuse_population(population: Any, schema: Schema, columns: Collection[str]) -> None:
    """Refuse what is not a population, and a weight that is not a column of the table."""
    if not isinstance(population, Population):
        raise ParameterError(
            f"population must be a Population, got {population!r}",
            "write for example Population(size=83_000_000)",
        )
    weight = population.weight
    if weight is not None and weight not in columns:
        raise SchemaError(
            f"the table has no column {weight!r}, the sampling weights",
            "name the column that says how many people each record stands for",
        )
    if weight in schema.masked_columns:
        raise SchemaError(
            f"column {weight!r} cannot be both a quasi-identifier and the sampling weights",
            "give it another role: drop, or keep to release it",
        )


# ---------------------------------------------------------------------- sampling weights


@dataclass(frozen=True, eq=False)
class _Members:
    """The person and the sampling weight of rows of a group, a tuple or a target.

    ``person`` is -1 where it is unknown, and None where each record is another person; ``weight``
    is None where there are no weights. A row stands for some records.
    """

    group: Longs
    person: Longs | None
    weight: Floats | None
    records: Longs
    columns: tuple[str | None, str | None]
    marks: Collection[str]

    @classmethod
    def read(
        cls, count_rows: RowCounter, person: str | None, weight: str | None, marks: Collection[str]
    ) -> _Members:
        rows = count_rows([name for name in (person, weight) if name is not None])
        people = weights = None
        if person is not None:
            people = merge_look_alikes(without_unknown(rows.columns[person], marks))[0].codes
        if weight is not None:
            distinct = replace(without_unknown(rows.columns[weight], marks), weights=rows.records)
            weights = _weight_values(weight, distinct)[distinct.codes]
        return cls(rows.group, people, weights, rows.records, (person, weight), marks)

    def recount(self, count_rows: RowCounter) -> _Members:
        """The same of other groups."""
        return _Members.read(count_rows, *self.columns, self.marks)

    def regroup(self, group_of: Longs, is_kept: NDArray[np.bool_] | None = None) -> _Members:
        """The same rows, each group replaced by another; groups not kept are left out."""
        group = group_of[self.group]
        kept = slice(None) if is_kept is None else is_kept[group]
        return replace(
            self,
            group=group[kept],
            person=None if self.person is None else self.person[kept],
            weight=None if self.weight is None else self.weight[kept],
            records=self.records[kept],
        )

    def count(self, groups: int) -> SampleCounts:
        """The people and the sum of the weights of each group.

        A person counts once in a group, with the smallest weight of their records there.
        """
        if self.person is None:
            assert self.weight is not None
            return SampleCounts(_add_up(self.group, self.weight * self.records, groups))
        group, person, weight = self._different(self.group)
        total = len(np.unique(person))
        weights = None if weight is None else _add_up(group, weight, groups)
        return SampleCounts(weights, np.bincount(group, minlength=groups), total)

    @property
    def total_weight(self) -> float:
        """The sum of the weights of all records, or of all people."""
        assert self.weight is not None
        if self.person is None:
            return float(self.weight @ self.records)
        everybody = self._different(np.zeros_like(self.group))[2]
        assert everybody is not None
        return float(everybody.sum())

    def _different(self, groups: Longs) -> tuple[Longs, Longs, Floats | None]:
        """The different pairs of group and known person, each with its smallest weight."""
        assert self.person is not None
        weight = np.zeros(len(groups)) if self.weight is None else self.weight
        order = np.lexsort((weight, self.person, groups))
        group, person, weight = groups[order], self.person[order], weight[order]
        is_first = np.ones(len(order), dtype=np.bool_)
        is_first[1:] = (group[1:] != group[:-1]) | (person[1:] != person[:-1])
        chosen = is_first & (person >= 0)
        return group[chosen], person[chosen], None if self.weight is None else weight[chosen]


def _add_up(places: Longs, weights: Floats, size: int) -> Floats:
    sums = np.bincount(places, weights=weights, minlength=size)
    return sums.astype(np.float64)  # of no records, they would be integers


def _weight_values(weight: str, distinct: DistinctValues) -> Floats:
    """The distinct sampling weights as numbers; others are refused."""
    hint = "correct the records, or leave them out of the table"
    needs = f"sampling weights must be numbers greater than 0, column {weight!r} has"
    is_missing = distinct.codes < 0
    if is_missing.any():
        count = int(
            is_missing.sum() if distinct.weights is None else distinct.weights[is_missing].sum()
        )
        raise ColumnError(f"{needs} {format_count(count, 'record')} without a value", hint)
    every = DistinctValues(distinct.values, np.arange(len(distinct.values)))
    try:
        coded = code_column(Numeric(weight), every, "refuse")
    except ColumnError as error:
        wrong = error.message.rpartition("got ")[2]
        raise ColumnError(f"{needs} {wrong}", hint) from None
    numbers: Floats = coded.attribute.target_of(coded.codes)
    if (numbers <= 0).any():
        count = int(distinct.counts[numbers <= 0].sum())
        raise ColumnError(
            f"{needs} {format_count(count, 'record')} with {numbers.min():g} or another number "
            "that is not",
            hint,
        )
    return numbers


# ---------------------------------------------------------------------- a table of the population


def _read_population(table: Any, schema: Schema) -> PopulationTable:
    """The distinct combinations of quasi-identifier values of a population."""
    with translate_file_errors(table):
        engine = open_engine(table, {})
        names = schema.masked_columns
        missing = [name for name in names if name not in engine.names]
        if missing:
            raise SchemaError(
                f"the population table has no column {quote_names(missing)}",
                "it must have all quasi-identifiers, under the names that the table has",
            )
        person = schema.person if schema.person in engine.names else None
        rows = engine.count_rows(names if person is None else [*names, person])
        if not rows.records:
            raise ColumnError("the population table has no records")
        columns, codes = [], []
        is_unmapped = np.zeros(rows.frame.rows, dtype=np.bool_)
        for column in schema.quasi_identifiers:
            distinct = read_quasi_identifier(rows.frame, column, schema)
            try:
                coded, values = _code_values(column, distinct)
            except OntomaskError as error:
                raise error.with_message(f"population table: {error.message}") from None
            columns.append(values)
            codes.append(coded)
            is_unmapped |= (coded < 0) & (distinct.codes >= 0)
        counts = np.ones(rows.frame.rows, dtype=np.int64) if rows.weights is None else rows.weights
        people = None
        if person is not None:
            spelt = without_unknown(rows.frame.distinct_values(person), schema.missing_marks)
            people = merge_look_alikes(spelt)[0].codes
        unmapped = int(counts[is_unmapped].sum())
        return PopulationTable(columns, np.stack(codes), counts, unmapped, people)


def _code_values(
    column: Nominal | Numeric | Ordinal | Date, distinct: DistinctValues
) -> tuple[Longs, PopulationColumn]:
    """The values of a column, and the place of each row's among them; -1 without one."""
    if isinstance(column, NominalSet):
        raise ParameterError(
            f"a population table cannot be compared with sets, but column {column.column!r} has "
            "type set",
            "leave the population table out; sampling weights can be used instead",
        )
    taxonomy = column.taxonomy if isinstance(column, Nominal) else None
    is_known = distinct.codes >= 0
    codes = np.full(len(is_known), -1, dtype=np.int64)
    if not is_known.any():
        return codes, PopulationColumn([] if taxonomy else np.empty(0), taxonomy)
    if isinstance(column, Nominal):
        concept_of = terms_of(column, distinct).concepts
        concepts = sorted({*concept_of.values()})
        place = {concept: number for number, concept in enumerate(concepts)}
        places = [place.get(concept_of.get(str(value), ""), -1) for value in distinct.values]
        return np.array([*places, -1])[distinct.codes], PopulationColumn(concepts, taxonomy)
    coded = code_column(column, distinct.select_rows(is_known), "refuse")
    codes[is_known] = coded.codes
    numbers = coded.attribute.target_of(np.arange(coded.attribute.size))
    return codes, PopulationColumn(numbers)
