"""weight, population and require.k_map of a release file: fields, check, mask, manifest, report."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pandas as pd
import pytest

import ontomask as om
from ontomask.errors import RequirementNotMet, SpecError
from ontomask.releasefile.check import check
from ontomask.releasefile.model import ReleaseFile, json_schema

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")

RELEASE = """\
data: survey.csv
output: released.csv
columns:
  diagnosis: {role: quasi, taxonomy: icd9cm}
  sex: {role: quasi, type: ordinal, levels: [F, M]}
  w: {role: drop}
weight: w
population: {table: register/people.csv}
method: {name: suppression, k: 5}
require: {k_map: 7}
"""


@pytest.fixture(scope="module")
def people():
    table = om.datasets.discharges(2000, seed=3)
    return pd.DataFrame({name: table[name] for name in ("diagnosis", "sex")})


@pytest.fixture
def folder(tmp_path, people):
    (tmp_path / "register").mkdir()
    people.to_csv(tmp_path / "register" / "people.csv", index=False)
    people[::5].assign(w=5.5).to_csv(tmp_path / "survey.csv", index=False)
    (tmp_path / "release.yaml").write_text(RELEASE, encoding="utf-8")
    return tmp_path


def rewrite(folder: Path, *changes: tuple[str, str]) -> Path:
    text = RELEASE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "release.yaml").write_text(text, encoding="utf-8")
    return folder / "release.yaml"


def test_a_release_meets_k_map_and_says_so_everywhere(folder, people, command):
    done = command(folder, "mask", "release.yaml", "--json")
    assert done.code == 0
    manifest = json.loads((folder / "released.manifest.json").read_text("utf-8"))
    released = pd.read_csv(folder / "released.csv", dtype=str).dropna()
    assert list(released) == ["diagnosis", "sex"]
    matching = people.astype(str).value_counts(["diagnosis", "sex"])
    k_map = matching[released.value_counts(["diagnosis", "sex"]).index].min()
    figures = manifest["population"]
    assert figures["k_map"]["value"] == k_map >= 7
    assert figures["matched_by"]["value"] == "population table"
    assert figures["before"]["value"]["k_map"] == 1
    assert manifest["release"]["population"] == {"table": "people.csv"}
    assert json.loads(done.out)["population"]["k_map"] == k_map
    report = (folder / "released.report.html").read_text("utf-8")
    assert '<section id="population"' in report
    assert f'data-figure="population.k_map"\ndata-value="{k_map}"' in report
    assert "2,000 records, of which 20.0 % are in the table" in report
    assert command(folder, "mask", "release.yaml", "--force").out.count(f"k-map {k_map}") == 1


def test_a_release_below_k_map_is_refused(folder, command):
    path = rewrite(folder, ("k_map: 7", "k_map: 2000"))
    with pytest.raises(RequirementNotMet, match="at least 2,000 people of the population must"):
        om.run_release_file(path)
    assert command(folder, "mask", "release.yaml").code == 3
    assert not (folder / "released.csv").exists()


def test_replaced_values_without_weights_are_refused_and_check_says_so(folder, command):
    changes = [("weight: w\n", ""), ("name: suppression", "name: microaggregation")]
    path = rewrite(folder, *changes)
    assert "may replace values: name a column of sampling weights" in check(path).notes[0]
    with pytest.raises(RequirementNotMet, match="their number is unknown: the population table"):
        om.run_release_file(path)
    om.run_release_file(rewrite(folder, changes[1]))  # the weights are 5.5, and k is 5
    assert check(folder / "release.yaml").uncertain == ("k_map = 7",)


def test_check_measures_the_original_table(folder, command):
    release = om.run_release_file(folder / "release.yaml")
    expected = release.evaluation.population["before"]
    assert check(folder / "release.yaml").population == expected
    said = command(folder, "check", "release.yaml").out
    assert "population of the original table: 2,000 records, of which 20.0 %" in said
    assert "  k-map               1 " in said
    rewrite(folder, ("population: {table: register/people.csv}\n", ""), ("weight: w", "weight: v"))
    done = command(folder, "check", "release.yaml")
    assert done.code == 2
    assert "the table has no column 'v', the sampling weights" in done.err


def test_a_register_that_lacks_the_table_is_warned_of(folder, people):
    people[1::2].to_csv(folder / "register" / "people.csv", index=False)
    assert any("does not contain the table" in w for w in check(folder / "release.yaml").warnings)


def test_evaluate_prints_the_population(folder, command):
    rewrite(folder, ("require: {k_map: 7}\n", "order: keep\n"))
    assert command(folder, "mask", "release.yaml").code == 0
    files = ("evaluate", "survey.csv", "released.csv", "--spec", "release.yaml")
    said = command(folder, *files).out
    assert "people who match are counted in its table" in said
    assert "k-map [k_map]" in said
    assert "Population uniques by model: zayatz" not in said  # neither is better
    manifest = json.loads((folder / "released.manifest.json").read_text("utf-8"))
    figures = json.loads(command(folder, *files, "--json").out)["population"]
    assert figures["k_map"] == manifest["population"]["k_map"]["value"]


def test_weights_of_few_records_are_withheld(folder):
    """The smallest sum of weights before masking is the weight of a unique record."""
    rewrite(folder, ("population: {table: register/people.csv}\n", ""))
    om.run_release_file(folder / "release.yaml")
    manifest = json.loads((folder / "released.manifest.json").read_text("utf-8"))
    figures = manifest["population"]
    assert figures["k_map"]["value"] == 27.5  # five records of 5.5
    before = figures["before"]["value"]
    for name in ("k_map", "presence_max", "presence_min", "individual_risk"):
        assert before[name] is None
    assert before["global_risk"] > 0
    assert any("smallest sum of sampling weights are withheld" in n for n in manifest["notes"])
    rewrite(
        folder,
        ("population: {table: register/people.csv}\n", ""),
        ("name: suppression, k: 5", "name: rank_swapping, window: 10"),
        ("require: {k_map: 7}", "require: {k_map: 5}"),
    )
    release = om.run_release_file(folder / "release.yaml", force=True)
    assert release.evaluation.population["k_map"] == 5.5
    manifest = json.loads((folder / "released.manifest.json").read_text("utf-8"))
    assert manifest["population"]["k_map"]["value"] is None
    report = (folder / "released.report.html").read_text("utf-8")
    assert 'data-figure="population.k_map"' not in report


def test_without_a_population_nothing_is_said(folder, command):
    text = [*RELEASE.splitlines(), ""]
    rest = [line for line in text if not line.startswith(("weight", "population", "require"))]
    (folder / "release.yaml").write_text("\n".join(rest), encoding="utf-8")
    om.run_release_file(folder / "release.yaml")
    manifest = json.loads((folder / "released.manifest.json").read_text("utf-8"))
    assert manifest["population"] is None
    assert 'id="population"' not in (folder / "released.report.html").read_text("utf-8")
    assert check(folder / "release.yaml").population is None


FIELDS = {
    "data": "a.csv",
    "output": "b.csv",
    "columns": {"age": {"role": "quasi", "type": "numeric"}, "w": {"role": "drop"}},
    "method": {"name": "microaggregation", "k": 3},
}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"weight": "age"}, "weight must not be a quasi-identifier, got 'age'"),
        ({"population": {}}, "population must have a size or a table"),
        ({"population": 5000}, "population must be a group of fields, got 5000"),
        ({"population": {"size": 0}}, "population.size must be an integer of at least 1, got 0"),
        ({"population": {"sice": 9}}, "population has no field 'sice'"),
        ({"population": {"size": 9, "seed": 1}}, "population.seed must not be in the file"),
        ({"population": {"table": "no.csv"}}, "population.table must be an existing file"),
        ({"require": {"k_map": 5}}, "require.k_map needs the population that the table is a"),
        (
            {"require": {"k_map": 5}, "population": {"size": 90}},
            "require.k_map needs the population that the table is a sample of",
        ),
        ({"require": {"k_map": 1}, "weight": "w"}, "require.k_map must be an integer of at least"),
        ({"weight": 3}, "weight must be text, got 3"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_fields(fields, words, tmp_path):
    with pytest.raises(SpecError) as refused:
        ReleaseFile.from_dict({**FIELDS, **fields}, tmp_path)
    assert words in str(refused.value)


def test_the_schema_of_the_file_knows_the_fields():
    validator = jsonschema.Draft202012Validator(json_schema())
    described = {"weight": "w", "population": {"size": 9}, "require": {"k_map": 3}}
    assert list(validator.iter_errors({**FIELDS, **described})) == []
    for wrong in ({"population": {"size": 0}}, {"population": {"x": 1}}, {"require": {"k_map": 1}}):
        assert list(validator.iter_errors({**FIELDS, **wrong}))


def test_the_register_is_an_input(folder):
    spec = ReleaseFile.from_dict({**FIELDS, "population": {"size": 9}}, folder)
    assert spec.population_object() == om.Population(size=9)
    path = rewrite(folder, ("output: released.csv", "output: register/people.csv"))
    with pytest.raises(om.OntomaskError, match="output must not be an input"):
        om.run_release_file(path, force=True)
