"""Mask a table: count, plan, apply, verify."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import numpy as np

from ontomask._runtime.interrupts import run_interruptibly
from ontomask._runtime.progress import listen_to_progress
from ontomask.engines.protocol import Engine
from ontomask.errors import ParameterError, format_count
from ontomask.methods.method import Method
from ontomask.microdata.schema import Schema
from ontomask.pipeline.applying import apply_plan
from ontomask.pipeline.counting import count_table, open_engine, translate_file_errors
from ontomask.pipeline.planning.plan import plan_release
from ontomask.pipeline.release import Release, make_release

__all__ = ["check_arguments", "mask", "seed_randomness"]


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
    with listen_to_progress(progress):
        plan = plan_release(counted.plan_input, method, random, run_in_tasks=engine.run_in_tasks)
    progress("masking and verifying")
    applied = apply_plan(counted, plan, secret)
    return make_release(counted, plan, applied)


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
