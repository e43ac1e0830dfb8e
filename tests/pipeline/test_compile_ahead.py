"""What a first run needs last is compiled by another process meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ontomask.pipeline import compile_ahead as ahead

KEPT = "search_kernels.improve_groups-1.py311.nbi"


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """A folder for loops where none is kept."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(ahead, "_started", [])
    return tmp_path


#: Runs what the process runs, and prints the loops that were needed.
ASKED = """
import gc
from numba.core.registry import CPUDispatcher
from ontomask.methods.microaggregation.merging import merge_kernels
from ontomask.pipeline import compile_ahead
compile_ahead.main()
for loop in gc.get_objects():
    if isinstance(loop, CPUDispatcher) and loop.overloads:
        print(loop.__module__.rpartition(".")[2], loop.__name__, sep=".")
"""


@pytest.mark.slow
def test_the_search_and_the_figures_are_compiled():
    """The loops are those on disk: compiling them again would show the same."""
    done = subprocess.run(
        [sys.executable, "-c", ASKED], capture_output=True, encoding="utf-8", check=True
    )
    loops = set(done.stdout.split())
    assert {"search_kernels.improve_groups", "search_kernels.improve_tuples"} <= loops
    assert "kernels.ward" in loops
    assert "merge_kernels.grow_together" not in loops  # that is done meanwhile


@pytest.mark.slow
def test_one_process_is_started_and_its_handle_kept(empty, monkeypatch):
    process = ahead.compile_ahead()
    try:
        assert ahead.compile_ahead() is None  # although nothing is kept yet
        assert sys.getrefcount(process) > 2
    finally:
        process.kill()
        process.wait()
    monkeypatch.delenv("NUMBA_CACHE_DIR")  # the loops are on disk already
    monkeypatch.setattr(ahead, "_cache_is_empty", lambda: True)
    monkeypatch.setattr(ahead, "_started", [])
    assert ahead.compile_ahead().wait(timeout=300) == 0


def test_nothing_is_started_where_there_is_nothing_to_gain(empty, monkeypatch):
    (empty / "merging").mkdir()
    (empty / "merging" / KEPT).touch()
    assert ahead.compile_ahead() is None
    (empty / "merging" / KEPT).unlink()
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert ahead.compile_ahead() is None


def test_the_folder_beside_the_search_is_looked_at(monkeypatch, tmp_path):
    from ontomask.methods.microaggregation.merging import search_kernels

    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert Path(search_kernels.__file__) == ahead.SEARCH_MODULE
    monkeypatch.setattr(ahead, "SEARCH_MODULE", tmp_path / ahead.SEARCH_MODULE.name)
    assert ahead._cache_is_empty()
    (tmp_path / "__pycache__").mkdir()
    assert ahead._cache_is_empty()
    (tmp_path / "__pycache__" / KEPT).touch()
    assert not ahead._cache_is_empty()


def test_a_program_that_cannot_be_started_is_no_trouble(empty, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(empty / "nothing"))
    assert ahead.compile_ahead() is None
