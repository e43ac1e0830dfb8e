"""Mask a table: count, plan, apply, verify."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ontomask._runtime.interrupts import run_interruptibly
from ontomask._runtime.progress import ignore_progress, listen_to_progress
from ontomask.engines.protocol import Engine
from ontomask.errors import ParameterError, format_count
from ontomask.methods.method import Method
from ontomask.microdata.population import Population
from ontomask.microdata.schema import Schema
from ontomask.pipeline.applying import apply_plan
from ontomask.pipeline.counting import (
    count_table,
    open_engine,
    translate_file_errors,
)
from ontomask.pipeline.planning.plan import plan_release
from ontomask.pipeline.population import count_population
from ontomask.pipeline.randomness import (
    check_seed,
    derive_generator,
    derive_key,
    derive_secret,
    warn_about_short_seed,
)
from ontomask.pipeline.release import Release, make_release

__all__ = ["check_arguments", "mask"]


def mask(
    table: Any,
    /,
    schema: Schema,
    method: Method,
    seed: int | None = None,
    *,
    shuffle: bool = False,
    population: Population | None = None,
    progress: Callable[[str], None] | None = None,
    **file: Any,
) -> Release:
    """Mask the quasi-identifiers of a table and verify the result.

    The result is a table of the same type, with the same rows in the same order unless you
    ``shuffle``. Spark frames have no order. All other columns are unchanged, except those that the
    schema removes.

    Args:
        table: A pandas, polars (eager or lazy) or pyarrow table, a DuckDB relation, a Spark frame,
            or the path of a file, which DuckDB reads and masks.
        schema: The role of every column.
        method: The masking method with its settings.
        seed: Seed of all random draws, a non-negative integer. Without it, the operating system's
            entropy is used. Keep the seed secret; it is not stored. A seed of less than 64 bits
            gives a :class:`~ontomask.errors.ShortSeedWarning`: it is for experiments only.
        shuffle: Whether ``Release.data`` has its rows in a random order, which the seed and the
            original rows decide. Shuffle a table before you publish it: if it was sorted by a
            masked column, the order of its rows gives original values back.
            :meth:`Release.write` shuffles anyway.
        population: The population that the table is a sample of, for the figures of
            ``Release.evaluation.population``. It does not change the masking.
        progress: A function that is called with a short text at every step.
        **file: Settings of a file, such as ``table``, ``delimiter`` or ``encoding``, and
            ``memory``, the limit for DuckDB.

    Returns:
        The masked table with its guarantee and evaluation.

    >>> import pandas as pd
    >>> from ontomask import datasets
    >>> from ontomask.methods import Microaggregation
    >>> from ontomask.microdata import Nominal, Schema
    >>> patients = pd.DataFrame({"diagnosis": ["flu", "flu", "hepatitis B", "hepatitis C"]})
    >>> schema = Schema([Nominal("diagnosis", datasets.diagnoses())])
    >>> release = mask(patients, schema, Microaggregation(k=2))
    >>> release.guarantee
    '2-anonymous on diagnosis: smallest equivalence class 2 records'
    >>> release
    Release(4 records, 3 → 2 combinations of values, Microaggregation(k=2), 2-anonymous)
    """
    check_arguments(schema, method)
    used_seed = check_seed(seed)
    warn_about_short_seed(seed, stacklevel=2)
    report = progress or ignore_progress

    def run() -> Release:
        engine = open_engine(table, file)
        with engine.refuse_changes():
            return _run_pipeline(engine, schema, method, used_seed, shuffle, population, report)

    with translate_file_errors(table):
        return run_interruptibly(run)


def _run_pipeline(
    engine: Engine,
    schema: Schema,
    method: Method,
    seed: int,
    shuffle: bool,
    population: Population | None,
    progress: Callable[[str], None],
) -> Release:
    progress("counting")
    counted = count_table(engine, schema)
    counted_population = None
    if population is not None:
        progress("counting the population")
        counted_population = count_population(
            population,
            schema,
            engine.names,
            counted.tuples.counts,
            counted.count_rows,
        )
    secret = derive_secret(seed, counted.tuples)
    progress(f"planning {format_count(len(counted.tuples), 'combination')} of values")
    with listen_to_progress(progress):
        plan = plan_release(
            counted.plan_input,
            method,
            derive_generator(secret),
            run_in_tasks=engine.run_in_tasks,
        )
    progress("masking and verifying")
    applied = apply_plan(counted, plan, derive_key(secret, "records"))
    order_key = derive_key(secret, "order")
    return make_release(counted, plan, applied, order_key, shuffle, counted_population)


# ---------------------------------------------------------------------- what is given


def check_arguments(schema: Any, method: Any) -> None:
    """Refuse a schema or a method of the wrong type."""
    if not isinstance(schema, Schema):
        raise ParameterError(f"schema must be a Schema, got {type(schema).__name__}")
    if not isinstance(method, Method):
        got = f"the class {method.__name__}" if isinstance(method, type) else repr(method)
        raise ParameterError(
            f"method must be a masking method, got {got}",
            "write for example Microaggregation(k=5)",
        )
