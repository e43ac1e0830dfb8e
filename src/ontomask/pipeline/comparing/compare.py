"""Compare methods on the same table: count once, then plan and measure each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ontomask._runtime.progress import ignore_progress
from ontomask.errors import ParameterError
from ontomask.methods.method import Method
from ontomask.microdata.population import Population
from ontomask.microdata.schema import Schema
from ontomask.pipeline.comparing.comparison import Comparison
from ontomask.pipeline.comparing.points import ComparisonTask, Point, judge_points
from ontomask.pipeline.comparing.workers import compute_points
from ontomask.pipeline.counting import (
    count_table,
    open_engine,
    translate_file_errors,
)
from ontomask.pipeline.guarantees.released_classes import UnmaskedColumns
from ontomask.pipeline.mask import check_arguments
from ontomask.pipeline.population import count_population
from ontomask.pipeline.randomness import check_seed, derive_secret

__all__ = ["Comparison", "Point", "compare"]

Progress = Callable[[str], None]


def compare(
    table: Any,
    /,
    schema: Schema,
    methods: Sequence[Method],
    seed: int | None = None,
    *,
    require: Mapping[str, float] | None = None,
    workers: int | None = None,
    sample: int | None = None,
    population: Population | None = None,
    progress: Progress | None = None,
    **file: Any,
) -> Comparison:
    """Compare the disclosure risk and information loss of several methods on a table.

    The records are counted once. Each method is planned and measured on the same combinations of
    values, and nothing is written. The figures are those of :func:`~ontomask.mask` with the same
    seed, whatever the number of workers. l-diversity and t-closeness are known only for methods
    that give all records of a combination the same masked values; swapping and noise do not. If a
    method cannot be run, its point says why, and the others are still compared.

    Args:
        table: As in :func:`~ontomask.mask`.
        schema: The role of every column.
        methods: The methods to compare.
        seed: Seed of all random draws.
        require: Requirements that each point is checked against.
        workers: Number of processes. Without it, cores, free memory and the size of the table
            decide.
        sample: Compare a random sample of this many records. A sample has fewer similar
            records, so the information loss is overestimated.
        population: As in :func:`~ontomask.mask`; not used for a sample.
        progress: A function that is called with a short text at every step.
        **file: Settings of a file, as in :func:`~ontomask.mask`.

    Returns:
        One point per method, in the order of ``methods``.

    >>> import pandas as pd
    >>> from ontomask import datasets
    >>> from ontomask.methods import Microaggregation, Suppression
    >>> from ontomask.microdata import Nominal, Schema
    >>> patients = pd.DataFrame({"diagnosis": ["flu", "flu", "hepatitis B", "hepatitis C"]})
    >>> schema = Schema([Nominal("diagnosis", datasets.diagnoses())])
    >>> compare(patients, schema, [Microaggregation(k=2), Suppression(k=2)])
    Comparison(2 points, 4 records, 3 combinations of values)
      Suppression(k=2): record linkage 25.0 %, SSE 2
      Microaggregation(k=2): record linkage 50.0 %, SSE 0.3422
    """
    methods, report = list(methods), progress or ignore_progress
    if not methods:
        raise ParameterError(
            "methods must be a list of at least one method, got none",
            "write for example [Microaggregation(k=5)]",
        )
    for method in methods:
        check_arguments(schema, method)
    _check_count("workers", workers)
    _check_count("sample", sample)
    used_seed = check_seed(seed)
    with translate_file_errors(table):
        engine, sampled_from = open_engine(table, file), None
        if sample is not None and sample < engine.rows:
            engine, sampled_from = engine.sample(sample, used_seed), engine.rows
        report("counting")
        counted = count_table(engine, schema)
        unmasked = UnmaskedColumns.of_table(counted.engine, counted.schema)
        counted_population = None
        if population is not None and sampled_from is None:
            counted_population = count_population(
                population,
                schema,
                engine.names,
                counted.tuples.counts,
                counted.count_rows,
            )
        task = ComparisonTask(
            counted.plan_input,
            tuple(column.column for column in schema.quasi_identifiers),
            derive_secret(used_seed, counted.tuples),
            schema.person,
            unmasked,
            counted.count_rows(unmasked.needed) if unmasked.needed else None,
            counted_population,
        )
    points = compute_points(task, methods, workers, report)
    return Comparison(
        judge_points(
            points,
            require or {},
            people=schema.person is not None,
            confidential=bool(schema.confidential),
        ),
        task.tuples.records,
        len(task.tuples),
        task.columns,
        dict(require or {}),
        sampled_from=sampled_from,
    )


def _check_count(name: str, number: Any) -> None:
    is_integer = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if number is not None and (not is_integer or number < 1):
        raise ParameterError(f"{name} must be a positive integer, got {number!r}")
