"""A Spark session, and what goes wrong with Spark said in words that help."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ontomask.errors import OntomaskError, ParameterError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["local", "spark_session", "trouble", "working"]

#: What Spark takes for a pattern in the name of a file.
PATTERN = re.compile(r"[\\\[\]{}*?]")

_ON_WORKERS = (
    "on one machine, set PYSPARK_PYTHON to the Python that runs this program before the session "
    "starts; on a cluster, install ontomask[spark] for the Python of every worker"
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
            "Spark is used through pyspark, which is not installed", "pip install ontomask[spark]"
        ) from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        return SparkSession.builder.config(map=dict(settings)).getOrCreate()
    except (PySparkException, OSError) as error:
        # Without Java there is no program to start, or one that ends at once.
        if isinstance(error, OSError) or "JAVA_GATEWAY_EXITED" in str(error):
            raise ParameterError(
                "Spark could not start Java",
                "install Java 17 or later, and let JAVA_HOME name its folder",
            ) from None
        raise


def local(path: Path) -> str:
    """A file of this machine, as Spark names it: not encoded, as a URI would be."""
    place = os.path.abspath(path)
    if PATTERN.search(place):
        raise ParameterError(f"Spark takes {path} for a pattern", "rename it, without []{}*?")
    return f"file:{place}"


@contextmanager
def working() -> Iterator[None]:
    """What goes wrong while Spark works, as an error that says how to mend it.

    What is no trouble of masking stays what it is: a file that is gone, a cast that fails.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        known = trouble(str(error))
        if known is None:
            raise
        raise known from None  # Spark's own says more, and may quote records


def trouble(said: str) -> OntomaskError | None:
    """The troubles that people meet, with what to do; None for what Spark says best itself."""
    if lacking := re.search(r"No module named '([\w.]+)'", said):
        return ParameterError(f"the Python of Spark's workers has no {lacking[1]}", _ON_WORKERS)
    if "Cannot run program" in said:
        return ParameterError("Spark's workers have no Python that can be started", _ON_WORKERS)
    if "PYTHON_VERSION_MISMATCH" in said:
        return ParameterError("Spark's workers have another Python than the driver", _ON_WORKERS)
    if "maxResultSize" in said:
        return ParameterError(
            "the distinct combinations of values are larger than Spark lets the driver collect",
            "raise spark.driver.maxResultSize, or give numbers and dates fewer digits first",
        )
    if "OutOfMemoryError" in said:
        return ParameterError("Spark ran out of memory", "raise spark.driver.memory")
    if "MemoryError" in said:  # Python's
        return ParameterError(
            "the Python of a Spark worker ran out of memory",
            "raise spark.executor.pyspark.memory, or choose smaller blocks",
        )
    if "stopped SparkContext" in said or "SparkContext was shut down" in said:
        return ParameterError("the frame's Spark session was stopped", "start one, and read again")
    return None
