"""A workbench in a folder with synthetic discharges; skipped where its packages are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from workbench import (
    SEED,
    ServedHere,
    ServedProcess,
    mask_two_columns,
    tab_of,
    talking_to,
    write_discharges,
)

pytest.importorskip("fastapi", reason="NO WORKBENCH IS TESTED: pip install '.[web]'")

from ontomask.web.session import Workbench


@pytest.fixture
def empty(tmp_path) -> Iterator[Workbench]:
    """A workbench in an empty folder."""
    bench = Workbench(tmp_path, seed=SEED)
    yield bench
    bench.close()


@pytest.fixture
def bench(tmp_path) -> Iterator[Workbench]:
    """A workbench with a table open."""
    write_discharges(tmp_path / "discharges.csv")
    bench = Workbench(tmp_path, seed=SEED)
    bench.open("discharges.csv")
    yield bench
    bench.close()


@pytest.fixture
def small(bench) -> Workbench:
    """The opened table with two columns to mask."""
    mask_two_columns(bench)
    return bench


@pytest.fixture
def client(bench):
    return talking_to(bench)


@pytest.fixture(scope="session")
def reader(tmp_path_factory):
    """A client of a workbench with a table open, for requests that change nothing.

    The words in its column ``ward`` are in no taxonomy.
    """
    folder = tmp_path_factory.mktemp("read")
    path = write_discharges(folder / "discharges.csv")
    frame = pd.read_csv(path, dtype=str)
    frame.assign(ward=[f"ward {i % 7}" for i in range(len(frame))]).to_csv(path, index=False)
    bench = Workbench(folder, seed=SEED)
    bench.open("discharges.csv")
    yield talking_to(bench)
    bench.close()


@pytest.fixture
def serving(tmp_path) -> Iterator:
    """Serves workbenches: ``serving(folder, "discharges.csv")``; all are ended with the test."""
    yield from _start_each(ServedHere, tmp_path)


@pytest.fixture
def starting(tmp_path) -> Iterator:
    """Starts processes of ``ontomask workbench``: ``starting(folder, "discharges.csv")``."""
    yield from _start_each(ServedProcess, tmp_path)


def _start_each(kind: type, usual_folder: Path) -> Iterator:
    started = []

    def start(folder: Path = usual_folder, *arguments, **settings):
        started.append(kind(folder, *arguments, **settings))
        return started[-1]

    yield start
    for served in started:
        served.end()


@pytest.fixture
def served(tmp_path, serving) -> ServedHere:
    """The discharges, served."""
    write_discharges(tmp_path / "discharges.csv")
    return serving(tmp_path, "discharges.csv")


@pytest.fixture
def tab(chromium, served) -> Iterator:
    """A page of the served workbench, on which no script fails and nothing is refused by policy."""
    yield from tab_of(chromium, served)
