"""A seed cannot be found by trying, and tells nothing about another table."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import ontomask as om
from ontomask.errors import ParameterError, ShortSeedWarning
from ontomask.microdata.attributes import NumericalAttribute
from ontomask.microdata.tuples import count_tuples
from ontomask.pipeline import randomness
from ontomask.pipeline.randomness import derive_secret
from ontomask.web.session import Workbench

SPEC = """\
data: people.csv
output: released.csv
columns:
  age: {role: quasi, type: numeric}
method: {name: recoding, k: 6}
"""
SHORT, LONG = 2**63 - 1, 2**63


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "people.csv").write_text("age\n" + "30\n31\n40\n41\n" * 5)
    (tmp_path / "release.yaml").write_text(SPEC)
    return tmp_path


def test_a_release_file_is_not_run_with_a_short_seed(folder):
    before = sorted(folder.iterdir())
    with pytest.raises(ParameterError, match="at least 64 bits") as caught:
        om.run_release_file(folder / "release.yaml", seed=SHORT)
    assert "secrets.randbits(256)" in caught.value.hint
    assert str(SHORT) not in str(caught.value)
    assert sorted(folder.iterdir()) == before
    om.run_release_file(folder / "release.yaml", seed=LONG, allow_unchanged=True)


def test_the_workbench_does_not_start_with_a_short_seed(tmp_path):
    with pytest.raises(ParameterError, match="at least 64 bits"):
        Workbench(tmp_path, seed=SHORT)
    Workbench(tmp_path, seed=LONG)


def ages(*extra):
    return {"age": np.array([*range(1, 1001), *extra]) + 0.25}


def noisy(table, seed):
    import pyarrow as pa

    schema = om.Schema([om.Numeric("age")])
    return om.mask(pa.table(table), schema, om.NoiseAddition(0.01), seed).data["age"].to_numpy()


def test_short_seeds_in_python_give_one_warning(monkeypatch):
    monkeypatch.setattr(randomness, "_has_warned", False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for seed in (None, LONG, SHORT, 1, 2):
            noisy(ages(), seed)
    (short,) = caught
    assert (short.category, short.filename) == (ShortSeedWarning, __file__)
    monkeypatch.setattr(randomness, "_has_warned", False)
    for _ in range(2):  # where it is an error, it stays one
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(ShortSeedWarning):
                noisy(ages(), SHORT)


def test_the_same_seed_gives_two_tables_unrelated_noise():
    """Otherwise the difference of two releases shows what the noise was."""
    table, other = ages(), ages(500)
    one, two = (noisy(columns, LONG)[:1000] - table["age"] for columns in (table, other))
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.2
    assert np.array_equal(one, noisy(table, LONG) - table["age"])


def test_the_secret_depends_on_the_table_and_on_no_order():
    random = np.random.default_rng(0)
    columns = {"a": random.integers(0, 9, 200), "b": random.integers(0, 9, 200)}

    def secret(columns, seed=LONG):
        made = [np.unique(column, return_inverse=True) for column in columns.values()]
        attributes = [
            NumericalAttribute(name, values.astype(float))
            for name, (values, _) in zip(columns, made, strict=True)
        ]
        return derive_secret(seed, count_tuples(attributes, [codes for _, codes in made])[0])

    found = secret(columns)
    order = random.permutation(200)
    assert secret({name: column[order] for name, column in columns.items()}) == found
    assert secret(dict(reversed(columns.items()))) == found
    others = [
        secret(columns, LONG + 1),
        secret({"a": columns["b"], "b": columns["a"]}),
        secret({"a": columns["a"], "c": columns["b"]}),
        secret({"a": columns["a"], "b": columns["b"] + 1}),
        secret({name: np.append(column, column[0]) for name, column in columns.items()}),
        secret({name: column[1:] for name, column in columns.items()}),
    ]
    assert len({found, *others}) == 7
