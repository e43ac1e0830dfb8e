"""What the benchmarks work on: real tables where they are to be had, made-up ones elsewhere."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import ontomask as om
from benchmarks._measuring import CannotRun

__all__ = ["diabetes", "random_graph", "sample"]


def sample(concepts: Sequence[str], size: int, seed: int = 0) -> list[str]:
    """Some of the concepts, each at most once, the same ones every time."""
    places = np.random.default_rng(seed).choice(len(concepts), size, replace=False)
    return [concepts[place] for place in places.tolist()]


def diabetes(*columns: str) -> list[list[str]]:
    """Columns of ``diabetes_130.csv.gz``, without the records that lack one of them (``?``).

    The table is the UCI repository's "Diabetes 130-US Hospitals for Years 1999-2008".
    """
    folder = os.environ.get("ONTOMASK_DATA")
    if not folder:
        raise CannotRun("ONTOMASK_DATA does not name a folder with diabetes_130.csv.gz")
    path = Path(folder) / "diabetes_130.csv.gz"
    if not path.exists():
        raise CannotRun(f"there is no {path}")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = [[row[column] for column in columns] for row in csv.DictReader(file)]
    complete = (row for row in rows if "?" not in row)
    return [list(column) for column in zip(*complete, strict=True)]


def random_graph(concepts: int, seed: int = 0) -> om.Taxonomy:
    """A made-up taxonomy: a third of the concepts have two parents or three.

    A parent is any concept made before, early ones more often: large taxonomies are that deep, with
    some 20 ancestors to a concept.
    """
    random = np.random.default_rng(seed)
    child = np.arange(1, concepts)
    parents = [(child * random.random(child.size) ** 2).astype(int) for _ in range(3)]
    how_many = random.choice([1, 2, 3], size=child.size, p=[0.67, 0.23, 0.1])
    edges = {
        (f"c{c}", f"c{p}")
        for nth, above in enumerate(parents)
        for c, p in zip(child[how_many > nth].tolist(), above[how_many > nth].tolist(), strict=True)
    }
    return om.Taxonomy.from_edges(edges, name="made up")
