"""``ontomask init``: from a table to a release file that works as it is."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from ontomask import datasets
from ontomask.releasefile.model import load_release_file
from ontomask.releasefile.run import write_release


@pytest.fixture(scope="module")
def stays():
    return pd.DataFrame(datasets.discharges(3000))


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_proposal_works_as_it_is(ontomask, stays, tmp_path, ending):
    path = tmp_path / f"stays.{ending}"
    stays.to_csv(path, index=False) if ending == "csv" else stays.to_parquet(path)
    said = ontomask("init", path.name)
    assert "patient              identifier, person  text" in said.stdout
    assert "diagnosis            quasi               text" in said.stdout
    assert "ontomask check release.yaml" in said.stderr
    outcome = write_release(tmp_path / "release.yaml")  # what ontomask mask calls
    assert outcome.release.guarantee.k == 5
    assert outcome.release.guarantee.unit == "people"
    assert (tmp_path / f"stays.released.{ending}").exists()
    assert outcome.release.records == 3000


def test_every_column_is_listed_once_with_a_reason(ontomask, stays, tmp_path):
    (tmp_path / "data").mkdir()
    stays.to_csv(tmp_path / "data" / "stays.csv", index=False)
    ontomask("init", "data/stays.csv")
    spec = load_release_file(tmp_path / "release.yaml")
    assert list(spec.columns) == list(stays)
    assert spec.data == "data/stays.csv"
    lines = (tmp_path / "release.yaml").read_text("utf-8").splitlines()
    for name in stays:
        place = next(i for i, line in enumerate(lines) if line.startswith(f"  {name}: "))
        assert lines[place - 1].startswith("  # ")


def test_a_release_file_is_not_overwritten(ontomask, tmp_path):
    (tmp_path / "t.csv").write_text("age\n" + "".join(f"{i % 50}\n" for i in range(200)), "utf-8")
    (tmp_path / "release.yaml").write_text("mine", "utf-8")
    assert "already exists" in ontomask("init", "t.csv", code=2).stderr
    assert (tmp_path / "release.yaml").read_text("utf-8") == "mine"
    ontomask("init", "t.csv", "--force")
    assert load_release_file(tmp_path / "release.yaml").data == "t.csv"


def test_a_missing_folder_is_named(ontomask, tmp_path):
    (tmp_path / "t.csv").write_text(
        "zip\n" + "".join(f"4{i % 50:04}\n" for i in range(200)), "utf-8"
    )
    said = ontomask("init", "t.csv", "--output", "nofolder/x.yaml", code=2)
    assert said.stderr.startswith("Error: the folder nofolder does not exist\n")


def test_json(ontomask, tmp_path):
    rows = "".join(f"{i % 50};{'FM'[i % 2]}\n" for i in range(200))
    (tmp_path / "t.csv").write_text(f"age;sex\n{rows}", "utf-8")
    done = ontomask("init", "t.csv", "--delimiter", ";", "--json")
    facts = json.loads(done.stdout)
    assert facts["records"] == 200
    assert facts["columns"]["sex"]["levels"] == ["F", "M"]
    assert facts["written"] == ["release.yaml"]


def test_what_cannot_be_read(ontomask, tmp_path):
    (tmp_path / "t.csv").write_text("age,sex\n", "utf-8")
    assert "has no records" in ontomask("init", "t.csv", code=2).stderr
    assert "does not exist" in ontomask("init", "nothing.csv", code=2).stderr
    assert not (tmp_path / "release.yaml").exists()


def test_a_release_file_is_no_table(ontomask, tmp_path):
    (tmp_path / "old.yaml").write_text("data: people.csv\n", encoding="utf-8")
    done = ontomask("init", "old.yaml", code=2)
    assert "TABLE must be a table, got old.yaml" in done.stderr
    assert "hint: for a release file, use ontomask check old.yaml" in done.stderr
