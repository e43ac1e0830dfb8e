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

from ontomask.engines.spark.session import trouble, working
from ontomask.errors import BlockError
from ontomask.taxonomy import Taxonomy

__all__ = ["in_tasks"]

#: What is done with a piece, given what all of them share.
Work = Callable[[Any, Any], Any]

#: How often it is asked how many tasks are done, in seconds.
NOW_AND_THEN = 0.5


def in_tasks(
    spark: SparkSession,
    work: Work,
    shared: Any,
    pieces: Sequence[Any],
    done: Callable[[], None],
    called: Callable[[int], str],
) -> list[Any]:
    """What the work makes of every piece, in their order.

    ``done`` is called for each that is done, ``called`` says what a piece is if its task fails.
    """
    context, pickled = spark.sparkContext, _Pickled(pieces)
    with working():
        told = context.parallelize(pickled, len(pieces))
        everything = work, shared, pickled.taxonomies  # known when all pieces are pickled
        common = context.broadcast(_dumped(everything))
        try:
            answers = _Answers(spark, lambda: told.map(_Task(common)).collect(), len(pieces))
            return [pickle.loads(it) for it in answers.waited_for(done)]  # noqa: S301 - our own
        except (PySparkException, Py4JError) as error:
            raise _failed(error, called) or error from None
        finally:
            common.destroy()


# ---------------------------------------------------------------------- there


class _Task:
    """What a worker does with a piece."""

    def __init__(self, common: Broadcast[bytes]) -> None:
        self._common = common

    def __call__(self, piece: bytes) -> bytes:
        work, shared, taxonomies = _loaded(self._common.value)
        return pickle.dumps(work(shared, _Unpickler(piece, taxonomies).load()))


@lru_cache(maxsize=1)  # workers do one task after another
def _loaded(common: bytes) -> Any:
    return pickle.loads(common)  # noqa: S301 - from the driver


# ---------------------------------------------------------------------- to and fro


class _Pickled:
    """Pieces made and pickled as they are asked for; their taxonomies are put aside."""

    def __init__(self, pieces: Sequence[Any]) -> None:
        self._pieces = pieces
        self.taxonomies: list[Taxonomy] = []

    def __len__(self) -> int:
        return len(self._pieces)

    def __iter__(self) -> Iterator[bytes]:
        return (_dumped(piece, self.taxonomies) for piece in self._pieces)


def _dumped(it: Any, aside: list[Taxonomy] | None = None) -> bytes:
    """Something as bytes; instead of a taxonomy, where it stands among those put aside."""
    written = io.BytesIO()
    pickler: Any = cloudpickle.Pickler if aside is None else partial(_Aside, aside)
    pickler(written).dump(it)
    return written.getvalue()


class _Aside(cloudpickle.Pickler):
    def __init__(self, aside: list[Taxonomy], written: io.BytesIO) -> None:
        super().__init__(written)  # type: ignore[no-untyped-call]
        self._aside = aside

    def persistent_id(self, it: Any) -> int | None:
        if not isinstance(it, Taxonomy):
            return None
        for place, known in enumerate(self._aside):
            if known is it:
                return place
        self._aside.append(it)
        return len(self._aside) - 1


class _Unpickler(pickle.Unpickler):
    def __init__(self, written: bytes, aside: list[Taxonomy]) -> None:
        super().__init__(io.BytesIO(written))
        self._aside = aside

    def persistent_load(self, place: int) -> Taxonomy:
        return self._aside[place]


# ---------------------------------------------------------------------- waiting


class _Answers:
    """The answers of all tasks, collected by a thread while this one tells how far they are."""

    def __init__(
        self, spark: SparkSession, collect: Callable[[], list[bytes]], number: int
    ) -> None:
        self._context, self._number, self._seen = spark.sparkContext, number, 0
        self._group = f"ontomask {secrets.token_hex(8)}"

        def collected() -> list[bytes]:
            self._context.setJobGroup(self._group, "planning")
            return collect()

        self._collected = inheritable_thread_target(spark)(collected)

    def waited_for(self, done: Callable[[], None]) -> list[bytes]:
        with ThreadPoolExecutor(1) as pool:
            answers: Future[list[bytes]] = pool.submit(self._collected)
            try:
                while not wait([answers], NOW_AND_THEN).done:
                    self._tell(done, self._finished())
                found = answers.result()
            except BaseException:
                self._context.cancelJobGroup(self._group)
                raise
        self._tell(done, self._number)
        return found

    def _tell(self, done: Callable[[], None], finished: int) -> None:
        for _ in range(self._seen, finished):
            done()
        self._seen = max(self._seen, finished)

    def _finished(self) -> int:
        """How many tasks are done."""
        tracker = self._context.statusTracker()
        jobs = map(tracker.getJobInfo, tracker.getJobIdsForGroup(self._group))
        stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
        return sum(stage.numCompletedTasks for stage in stages if stage)


# ---------------------------------------------------------------------- trouble


def _failed(error: Exception, called: Callable[[int], str]) -> BlockError | None:
    """Which piece Spark gave up, and why; the rest of what it says may quote records."""
    said = str(error)
    task = re.search(r"Task (\d+) in stage \S+ failed (\d+) times?, most recent failure:", said)
    if task is None or trouble(said) is not None:
        return None
    times = "once" if task[2] == "1" else f"{task[2]} times"
    return BlockError(
        f"{called(int(task[1]))} was not planned: its task failed {times} ({_reason(said)})",
        "give Spark's Python workers more memory (spark.executor.memoryOverhead) or choose smaller "
        "blocks, and mask again; nothing was written",
    )


def _reason(said: str) -> str:
    """How the last attempt ended, in a few words."""
    if lost := re.search(r"ExecutorLostFailure \(.*?\) Reason: (.*)", said):
        return lost[1][:200].strip()
    if crashed := re.search(r"Python worker exited unexpectedly( \(\w+\))?", said):
        return crashed[0]
    return "Spark's log says why"
