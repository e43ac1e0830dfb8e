"""Pieces of work done by Spark's workers, each by a task of its own.

Task number i does piece number i, so that a task that fails tells which piece it was. What all
pieces share, taxonomies above all, travels once to every machine; a piece holds what is its own.
Functions of the caller's travel as well, by cloudpickle, which Spark brings along.
"""

from __future__ import annotations

import io
import pickle
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import lru_cache, partial
from typing import Any

from py4j.protocol import Py4JError
from pyspark import Broadcast, cloudpickle, inheritable_thread_target
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from ontomask.engines.spark.session import known_error, translate_spark_errors
from ontomask.errors import BlockError
from ontomask.taxonomy import Taxonomy

__all__ = ["run_in_tasks"]

#: What is done with a piece, given what all of them share.
Work = Callable[[Any, Any], Any]

#: How often the number of finished tasks is polled, in seconds.
POLL_SECONDS = 0.5


def run_in_tasks(
    spark: SparkSession,
    work: Work,
    shared: Any,
    pieces: Sequence[Any],
    on_done: Callable[[], None],
    describe: Callable[[int], str],
) -> list[Any]:
    """Run the work on every piece, each in a task; results in the order of the pieces.

    ``on_done`` is called for each that is done, ``describe`` names a piece whose task fails.
    """
    context, pickled = spark.sparkContext, _PickledPieces(pieces)
    with translate_spark_errors():
        pieces_data = context.parallelize(pickled, len(pieces))
        everything = work, shared, pickled.taxonomies  # known when all pieces are pickled
        common = context.broadcast(_pickle(everything))
        try:
            answers = _TaskAnswers(
                spark, lambda: pieces_data.map(_Task(common)).collect(), len(pieces)
            )
            return [pickle.loads(answer) for answer in answers.collect(on_done)]  # noqa: S301 - our own
        except (PySparkException, Py4JError) as error:
            raise _task_error(error, describe) or error from None
        finally:
            common.destroy()


# ---------------------------------------------------------------------- there


class _Task:
    """What a worker does with a piece."""

    def __init__(self, common: Broadcast[bytes]) -> None:
        self._common = common

    def __call__(self, piece: bytes) -> bytes:
        work, shared, taxonomies = _unpickle_shared(self._common.value)
        return pickle.dumps(work(shared, _TaxonomyUnpickler(piece, taxonomies).load()))


@lru_cache(maxsize=1)  # workers do one task after another
def _unpickle_shared(common: bytes) -> Any:
    return pickle.loads(common)  # noqa: S301 - from the driver


# ---------------------------------------------------------------------- to and fro


class _PickledPieces:
    """Pieces made and pickled as they are asked for; their taxonomies are put aside."""

    def __init__(self, pieces: Sequence[Any]) -> None:
        self._pieces = pieces
        self.taxonomies: list[Taxonomy] = []

    def __len__(self) -> int:
        return len(self._pieces)

    def __iter__(self) -> Iterator[bytes]:
        return (_pickle(piece, self.taxonomies) for piece in self._pieces)


def _pickle(value: Any, aside: list[Taxonomy] | None = None) -> bytes:
    """Pickle a value; a taxonomy is replaced by its place among those put aside."""
    buffer = io.BytesIO()
    pickler: Any = cloudpickle.Pickler if aside is None else partial(_TaxonomyPickler, aside)
    pickler(buffer).dump(value)
    return buffer.getvalue()


class _TaxonomyPickler(cloudpickle.Pickler):
    def __init__(self, aside: list[Taxonomy], buffer: io.BytesIO) -> None:
        super().__init__(buffer)  # type: ignore[no-untyped-call]
        self._aside = aside

    def persistent_id(self, value: Any) -> int | None:
        if not isinstance(value, Taxonomy):
            return None
        for place, known in enumerate(self._aside):
            if known is value:
                return place
        self._aside.append(value)
        return len(self._aside) - 1


class _TaxonomyUnpickler(pickle.Unpickler):
    def __init__(self, pickled: bytes, aside: list[Taxonomy]) -> None:
        super().__init__(io.BytesIO(pickled))
        self._aside = aside

    def persistent_load(self, place: int) -> Taxonomy:
        return self._aside[place]


# ---------------------------------------------------------------------- waiting


class _TaskAnswers:
    """The answers of all tasks, collected by a thread while this one reports progress."""

    def __init__(
        self, spark: SparkSession, collect: Callable[[], list[bytes]], number: int
    ) -> None:
        self._context, self._number, self._reported = spark.sparkContext, number, 0
        self._group = f"ontomask {secrets.token_hex(8)}"

        def collect_in_group() -> list[bytes]:
            self._context.setJobGroup(self._group, "planning")
            return collect()

        self._collect_in_group = inheritable_thread_target(spark)(collect_in_group)

    def collect(self, on_done: Callable[[], None]) -> list[bytes]:
        with ThreadPoolExecutor(1) as pool:
            answers: Future[list[bytes]] = pool.submit(self._collect_in_group)
            try:
                while not wait([answers], POLL_SECONDS).done:
                    self._report(on_done, self._count_finished())
                results = answers.result()
            except BaseException:
                self._context.cancelJobGroup(self._group)
                raise
        self._report(on_done, self._number)
        return results

    def _report(self, on_done: Callable[[], None], finished: int) -> None:
        for _ in range(self._reported, finished):
            on_done()
        self._reported = max(self._reported, finished)

    def _count_finished(self) -> int:
        """Count the tasks that are done."""
        tracker = self._context.statusTracker()
        jobs = map(tracker.getJobInfo, tracker.getJobIdsForGroup(self._group))
        stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
        return sum(stage.numCompletedTasks for stage in stages if stage)


# ---------------------------------------------------------------------- trouble


def _task_error(error: Exception, describe: Callable[[int], str]) -> BlockError | None:
    """The error of a failed task: which piece, and why; Spark's own text may quote records."""
    message = str(error)
    task = re.search(r"Task (\d+) in stage \S+ failed (\d+) times?, most recent failure:", message)
    if task is None or known_error(message) is not None:
        return None
    times = "once" if task[2] == "1" else f"{task[2]} times"
    return BlockError(
        f"{describe(int(task[1]))} was not planned: its task failed {times} ({_reason(message)})",
        "give Spark's Python workers more memory (spark.executor.memoryOverhead) or use smaller "
        "blocks, and mask again; nothing was written",
    )


def _reason(message: str) -> str:
    """How the last attempt ended, in a few words."""
    if lost := re.search(r"ExecutorLostFailure \(.*?\) Reason: (.*)", message):
        return lost[1][:200].strip()
    if crashed := re.search(r"Python worker exited unexpectedly( \(\w+\))?", message):
        return crashed[0]
    return "Spark's log says why"
