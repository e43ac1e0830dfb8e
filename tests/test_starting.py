"""What makes a small command quick changes nothing but the time it takes."""

import os
import subprocess
import sys

import numpy as np
import pytest

from method_tables import of_words
from ontomask import datasets
from ontomask.methods.microaggregation.merging import groups_kernels, merge
from ontomask.methods.operators import Operators

MEASURED = """
import sys
from ontomask import datasets, distance_matrix, utility
from ontomask.utility.example import six_patients
table = distance_matrix(datasets.diagnoses(), list(datasets.diagnoses()))
apart = utility.clustering_distance(six_patients(), clusters=3)
print(float(table.sum()), apart, "numba.np.linalg" in sys.modules)
"""


@pytest.mark.slow
def test_loops_that_are_kept_need_nothing_that_compiles(tmp_path):
    def asked():
        said = subprocess.run(
            [sys.executable, "-c", MEASURED],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        return said.stdout.rsplit(maxsplit=1)

    (compiled, with_compiler), (kept, without) = asked(), asked()
    assert kept == compiled
    assert (with_compiler, without) == ("True", "False")


def test_costs_of_pairs_are_remembered_as_they_are(monkeypatch):
    taxonomy, random = datasets.diagnoses(), np.random.default_rng(7)
    for records in range(40, 160, 20):
        words = random.choice(sorted(taxonomy), (1 + records % 3, records))
        operators = Operators(of_words(taxonomy, *words)[0])
        monkeypatch.setattr(groups_kernels, "REMEMBERED", 500)
        remembered = merge(operators, 3)
        monkeypatch.setattr(groups_kernels, "REMEMBERED", 0)
        every_time = merge(operators, 3)
        assert np.array_equal(remembered.group, every_time.group)
        assert remembered.cost == every_time.cost


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--version"], 0, "ontomask "),
        (["taxonomy", "info", "no.csv"], 2, "Error: "),
        (["taxonomy", "info", "toy.csv"], 0, "concepts"),
    ],
)
def test_a_command_that_ends_at_once_has_said_everything(tmp_path, words, code, said):
    datasets.diagnoses().write(tmp_path / "toy.csv")
    command = [sys.executable, "-m", "ontomask", *words]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == code
    assert said in found.stdout + found.stderr


def test_what_is_to_be_done_at_exit_is_done(tmp_path):
    code = (
        "import atexit, sys; from pathlib import Path\n"
        "atexit.register(Path('done').touch)\n"
        "sys.argv = ['ontomask', '--version']\n"
        "from ontomask.cli import run\n"
        "run()\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "done").exists()
