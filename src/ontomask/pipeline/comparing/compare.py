"""Compare methods on the same table: count once, then plan and measure each."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ontomask.errors import ParameterError
from ontomask.methods.method import Method
from ontomask.microdata.schema import Schema
from ontomask.pipeline.comparing.comparison import Comparison
from ontomask.pipeline.comparing.points import ComparisonTask, Point, judge_points
from ontomask.pipeline.comparing.workers import compute_points
from ontomask.pipeline.counting import count_table, open_engine, translate_file_errors
from ontomask.pipeline.mask import check_arguments, seed_randomness

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
    progress: Progress = lambda _: None,
    **file: Any,
) -> Comparison:
    """What several methods would make of a table: what each risks and what it costs.

    ``table`` and ``file`` are those of :func:`~ontomask.mask`. The records are counted once; each
    method is planned and measured on the same tuples, and nothing is written. The figures are those
    of ``mask`` with the same ``seed``, whatever ``workers`` and however many. What a class tells of
    the confidential columns (l, t) is known where all records of a tuple become the same; where
    they go apart, as in swapping and noise, only the table itself tells. A method that cannot be
    run says why in its point, and the others go on.

    ``workers`` are the processes to use: as many as cores and free memory allow, unless given; with
    one, and for small tables, for which starting a process takes longer than the work, it is this
    one. ``require`` are requirements to hold each point to. ``sample`` takes so many records at
    random for a quick look: rare combinations are rarer in it, so the losses come out too high.

    >>> import pandas as pd
    >>> from ontomask import datasets
    >>> from ontomask.methods import Microaggregation, Suppression
    >>> from ontomask.microdata import Nominal, Schema
    >>> patients = pd.DataFrame({"diagnosis": ["flu", "flu", "hepatitis B", "hepatitis C"]})
    >>> schema = Schema([Nominal("diagnosis", datasets.diagnoses())])
    >>> compare(patients, schema, [Microaggregation(k=2), Suppression(k=2)])
    Comparison(2 points, 4 records, 3 tuples)
      Suppression(k=2): linked 25.0 %, SSE 2
      Microaggregation(k=2): linked 50.0 %, SSE 0.3422
    """
    methods = list(methods)
    if not methods:
        raise ParameterError("methods is empty", "give methods, as [Microaggregation(k=5)]")
    for method in methods:
        check_arguments(schema, method)
    _check_count("workers", workers)
    _check_count("sample", sample)
    seed_randomness(seed)  # a seed that is none is refused before any work
    used_seed = secrets.randbits(256) if seed is None else int(seed)
    with translate_file_errors(table):
        engine, sampled_from = open_engine(table, file), None
        if sample is not None and sample < engine.rows:
            engine, sampled_from = engine.sample(sample, used_seed), engine.rows
        progress("counting")
        task = ComparisonTask(
            count_table(engine, schema).plan_input,
            tuple(column.column for column in schema.quasi_identifiers),
            used_seed,
        )
    points = compute_points(task, methods, workers, progress)
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
        raise ParameterError(f"{name} is {number!r}", "it is a whole number, 1 or more")
