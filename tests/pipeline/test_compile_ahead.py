"""What a first run needs last is compiled by another process meanwhile."""

from __future__ import annotations

import os
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


@pytest.mark.slow
def test_the_search_and_the_figures_are_compiled(empty):
    process = ahead.compile_ahead()
    assert process.wait(timeout=300) == 0
    kept = {path.name.partition("-")[0] for path in empty.rglob("*.nbi")}
    assert {"search_kernels.improve_groups", "search_kernels.improve_tuples"} <= kept
    assert "kernels.ward" in kept
    assert "merge_kernels.grow_together" not in kept  # that is done meanwhile
    assert ahead.compile_ahead() is None


@pytest.mark.slow
def test_one_process_is_started_and_its_handle_kept(empty):
    process = ahead.compile_ahead()
    try:
        assert ahead.compile_ahead() is None  # although nothing is kept yet
        assert sys.getrefcount(process) > 2
    finally:
        process.kill()
        process.wait()


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
