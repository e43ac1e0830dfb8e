"""The population of a table: its own table is counted, and sampling weights are summed up."""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
    quote_names,
)
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.population import Population
from ontomask.microdata.schema import Date, Nominal, Numeric, Ordinal, Schema
from ontomask.microdata.tuples import Transitions
from ontomask.microdata.value_coding import code_column, terms_of
from ontomask.pipeline.complete_records import flag_marks
from ontomask.pipeline.counting import open_engine, translate_file_errors
from ontomask.pipeline.evaluation import ValueCounter
from ontomask.risk.classes import canonical_targets
from ontomask.risk.population.evaluation import PopulationKnowledge, evaluate_population
from ontomask.risk.population.matches import PopulationColumn, PopulationTable

__all__ = ["CountedPopulation", "count_population", "refuse_population"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CountedPopulation:
    """What a table and its population were found to have; figures follow from it and a plan."""

    knowledge: PopulationKnowledge
    weight: str | None

    def measure(
        self, plan: Transitions, removed: bool, count_values: ValueCounter | None = None
    ) -> dict[str, Any]:
        """The figures of a plan; ``count_values`` counts the weights of each masked class.

        It is only needed where records of the same tuple become different; without it, the weights
        of the classes are then unknown.
        """
        return evaluate_population(plan, self._with_class_weights(plan, count_values), removed)

    def _with_class_weights(
        self, plan: Transitions, count_values: ValueCounter | None
    ) -> PopulationKnowledge:
        weights = self.knowledge.tuple_weights
        if self.weight is None or weights is None:
            return self.knowledge
        if plan.has_one_target_per_tuple:
            target = canonical_targets(plan)[plan.target_of()]
            sums = _add_up(target, weights, len(plan.targets))
        elif count_values is not None:
            sums = _sum_weights(self.weight, count_values, len(plan.targets))
        else:
            return self.knowledge
        return replace(self.knowledge, target_weights=sums)


def count_population(
    population: Population,
    schema: Schema,
    columns: Sequence[str],
    counts: Longs,
    count_values: ValueCounter,
) -> CountedPopulation:
    """Count the population of a table, and refuse one that cannot be its population.

    Args:
        population: The population as described.
        schema: The roles of the columns.
        columns: The columns of the table.
        counts: Number of records of each tuple.
        count_values: Counts the values of a column by tuple.
    """
    refuse_population(population, schema, columns)
    records, weight = int(counts.sum()), population.weight
    weights = None if weight is None else _sum_weights(weight, count_values, len(counts))
    table = None if population.table is None else _read_population(population.table, schema)
    size, source = population.size, "its size"
    if size is None and table is not None:
        size, source = int(table.counts.sum()), "its table"
    elif size is None and weights is not None:
        size, source = round(float(weights.sum())), "the sum of the sampling weights"
    assert size is not None
    if size < records:
        raise ParameterError(
            f"the population must have at least the {format_count(records, 'record')} of the "
            f"table, got {size:,} ({source})",
            "give the population that the table is a sample of",
        )
    knowledge = PopulationKnowledge(size, table, weights, is_estimated=source.startswith("the sum"))
    return CountedPopulation(knowledge, weight)


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
    if weight in [column.column for column in schema.quasi_identifiers]:
        raise SchemaError(
            f"column {weight!r} cannot be both a quasi-identifier and the sampling weights",
            "give it another role: drop, or keep to release it",
        )


# ---------------------------------------------------------------------- sampling weights


def _sum_weights(weight: str, count_values: ValueCounter, size: int) -> Floats:
    """The sum of the sampling weights of each tuple or class."""
    places, distinct = count_values(weight, False)
    numbers = _weight_values(weight, distinct)
    records = 1 if distinct.weights is None else distinct.weights
    return _add_up(places, numbers[distinct.codes] * records, size)


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
        names = [column.column for column in schema.quasi_identifiers]
        missing = [name for name in names if name not in engine.names]
        if missing:
            raise SchemaError(
                f"the population table has no column {quote_names(missing)}",
                "it must have all quasi-identifiers, under the names that the table has",
            )
        rows = engine.count_rows(names)
        if not rows.records:
            raise ColumnError("the population table has no records")
        columns, codes = [], []
        is_unmapped = np.zeros(rows.frame.rows, dtype=np.bool_)
        for column in schema.quasi_identifiers:
            distinct = rows.frame.distinct_values(column.column)
            marks = flag_marks(distinct.values, schema.missing_marks)
            distinct = distinct.without_values(marks)
            try:
                coded, values = _code_values(column, distinct)
            except OntomaskError as error:
                raise error.with_message(f"population table: {error.message}") from None
            columns.append(values)
            codes.append(coded)
            is_unmapped |= (coded < 0) & (distinct.codes >= 0)
        counts = np.ones(rows.frame.rows, dtype=np.int64) if rows.weights is None else rows.weights
        return PopulationTable(columns, np.stack(codes), counts, int(counts[is_unmapped].sum()))


def _code_values(
    column: Nominal | Numeric | Ordinal | Date, distinct: DistinctValues
) -> tuple[Longs, PopulationColumn]:
    """The values of a column, and the place of each row's among them; -1 without one."""
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
