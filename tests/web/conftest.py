"""A workbench in a folder with synthetic discharges; skipped where its packages are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench import SEED, Served, tab_of, talking_to, write_discharges

pytest.importorskip("fastapi", reason="NO WORKBENCH IS TESTED: pip install 'ontomask[web]'")

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
def client(bench):
    return talking_to(bench)


@pytest.fixture
def serving(tmp_path) -> Iterator:
    """Starts workbenches: ``serving(folder, "discharges.csv")``; all are ended with the test."""
    started: list[Served] = []

    def start(folder: Path = tmp_path, *arguments: str) -> Served:
        started.append(Served(folder, *arguments))
        return started[-1]

    yield start
    for it in started:
        it.end()


@pytest.fixture
def served(tmp_path, serving) -> Served:
    """The discharges, served."""
    write_discharges(tmp_path / "discharges.csv")
    return serving(tmp_path, "discharges.csv")


@pytest.fixture
def tab(chromium, served) -> Iterator:
    """A page of the served workbench, on which no script fails and nothing is refused by policy."""
    yield from tab_of(chromium, served)
