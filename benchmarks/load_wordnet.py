"""The wait before the first answer: import, compiled loops, taxonomies."""

from __future__ import annotations

import os
import subprocess
import sys
from tempfile import TemporaryDirectory

import ontomask as om
from benchmarks._measuring import unit
from ontomask.taxonomy.readers import bundled


class LoadBundledTaxonomy:
    """How long does it take to load a taxonomy that comes with the package?"""

    param_names = ("taxonomy",)
    params = (["wordnet", "icd9cm"],)

    def time_load(self, taxonomy: str) -> None:
        bundled.read.cache_clear()
        om.load_taxonomy(taxonomy)

    def peakmem_load(self, taxonomy: str) -> None:
        om.load_taxonomy(taxonomy)


class StartUp:
    """How long does a fresh interpreter wait for the package, and for its first table?

    Seconds after the interpreter has started. The table is one of three concepts, import included:
    numba compiles the loops the first time ever, and finds them on disk afterwards.
    """

    @unit("s")
    def track_import(self) -> float:
        return min(_seconds("import ontomask") for _ in range(5))

    @unit("s")
    def track_first_table_ever(self) -> float:
        with TemporaryDirectory() as empty:
            return _seconds(FIRST_TABLE, empty)

    @unit("s")
    def track_first_table_of_a_process(self) -> float:
        with TemporaryDirectory() as cache:
            _seconds(FIRST_TABLE, cache)
            return min(_seconds(FIRST_TABLE, cache) for _ in range(5))


FIRST_TABLE = """
import ontomask as om
om.distance_matrix(om.datasets.diagnoses(), ["sprain", "influenza", "hepatitis B"])
"""


def _seconds(code: str, numba_folder: str | None = None) -> float:
    """How long the code takes in an interpreter of its own, which measures it itself."""
    timed = f"import time\nbegun = time.perf_counter()\n{code}\nprint(time.perf_counter() - begun)"
    environment = os.environ | ({"NUMBA_CACHE_DIR": numba_folder} if numba_folder else {})
    run = subprocess.run(
        [sys.executable, "-c", timed],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return float(run.stdout)
