"""A Spark session, and what goes wrong with Spark said in words that help."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ontomask._runtime.extras import extra_hint
from ontomask.errors import OntomaskError, ParameterError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["local_path", "spark_session", "known_error", "translate_spark_errors"]

#: What Spark takes for a pattern in the name of a file.
PATTERN = re.compile(r"[\\\[\]{}*?]")

_WORKER_HINT = (
    "on one machine, set PYSPARK_PYTHON to the Python that runs this program before the session "
    "starts; on a cluster, install ontomask and its extra 'spark' for the Python of every worker"
)


def spark_session(**settings: str) -> SparkSession:
    """The session that runs, or a new one with these settings: ``{"spark.master": "local[2]"}``.

    The workers of a new one use the Python that runs this program, unless ``PYSPARK_PYTHON`` names
    another.
    """
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise ParameterError(
            "Spark needs pyspark, which is not installed", extra_hint("spark")
        ) from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        return SparkSession.builder.config(map=dict(settings)).getOrCreate()
    except (PySparkException, OSError) as error:
        # Without Java there is no program to start, or one that ends at once.
        if isinstance(error, OSError) or "JAVA_GATEWAY_EXITED" in str(error):
            raise ParameterError(
                "Spark could not start Java",
                "install Java 17 or later, and set JAVA_HOME to its folder",
            ) from None
        raise


def local_path(path: Path) -> str:
    """The path of a local file as Spark names it: not encoded, unlike a URI."""
    absolute = os.path.abspath(path)
    if PATTERN.search(absolute):
        raise ParameterError(f"Spark reads {path} as a pattern", "rename it without any of []{}*?")
    return f"file:{absolute}"


@contextmanager
def translate_spark_errors() -> Iterator[None]:
    """Turn known errors of Spark into ones that say how to fix them.

    Other errors pass through: a file that is gone, a cast that fails.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        known = known_error(str(error))
        if known is None:
            raise
        raise known from None  # Spark's own says more, and may quote records


def known_error(message: str) -> OntomaskError | None:
    """A known error of Spark with what to do about it; None where Spark's own message is best."""
    if lacking := re.search(r"No module named '([\w.]+)'", message):
        return ParameterError(f"the Python of Spark's workers has no {lacking[1]}", _WORKER_HINT)
    if "Cannot run program" in message:
        return ParameterError("the Python of Spark's workers cannot be started", _WORKER_HINT)
    if "PYTHON_VERSION_MISMATCH" in message:
        return ParameterError(
            "Spark's workers have another version of Python than the driver", _WORKER_HINT
        )
    if "maxResultSize" in message:
        return ParameterError(
            "the distinct combinations of values exceed the limit of the Spark driver",
            "raise spark.driver.maxResultSize, or round numbers and dates first",
        )
    if "OutOfMemoryError" in message:
        return ParameterError("Spark ran out of memory", "raise spark.driver.memory")
    if "MemoryError" in message:  # Python's
        return ParameterError(
            "the Python of a Spark worker ran out of memory",
            "raise spark.executor.pyspark.memory, or choose smaller blocks",
        )
    if "stopped SparkContext" in message or "SparkContext was shut down" in message:
        return ParameterError(
            "the Spark session of the frame was stopped",
            "start a session, and read the table again",
        )
    return None
