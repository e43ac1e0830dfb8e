"""``ontomask evaluate``, ``schema`` and ``demo``."""

from __future__ import annotations

import csv
import json
import os

import jsonschema
import pandas as pd
import pytest
import yaml

import ontomask as om
from manifests import assert_manifest_fits
from ontomask.disclosure.rounding import round_figures
from release_commands import SPEC, records, write_spec


@pytest.fixture
def masked(jobs):
    write_spec(jobs / "release.yaml", ("output:", "order: keep\noutput:"))
    om.run_release_file(jobs / "release.yaml")
    return jobs


COMPARE = ["evaluate", "people.csv", "released.csv", "--release-file", "release.yaml"]


def test_a_release_has_the_figures_that_masking_found(masked, command):
    told = json.loads(command(masked, *COMPARE, "--json").out)
    manifest = json.loads((masked / "released.manifest.json").read_text(encoding="utf-8"))
    for name in ("k", "uniques", "marketer", "linkage_nearest", "l_distinct"):
        # The manifest is published, with three digits.
        assert round_figures(told["risk"][name]) == manifest["risk"][name]["value"]
        before = round_figures(told["risk"]["before"][name])
        assert before == manifest["risk"]["before"]["value"][name]
    assert round_figures(told["utility"]["sse"]) == manifest["utility"]["sse"]["value"]


def test_the_old_name_of_the_option_works_with_a_warning(masked, command):
    for old in (["--spec", "release.yaml"], ["--spec=release.yaml"]):
        done = command(masked, *COMPARE[:3], *old)
        assert done.err == "Warning: --spec is deprecated: use --release-file\n"
        assert done.out == command(masked, *COMPARE).out
    assert "--spec" not in command(masked, "evaluate", "--help").out


def test_each_figure_has_its_direction(masked, command):
    done = command(masked, *COMPARE)
    assert (done.code, done.err) == (0, "")
    rows = [line.split("  ") for line in done.out.splitlines()]
    by_title = {row[1]: [cell.strip() for cell in row[2:] if cell] for row in rows if row[1:]}
    assert by_title["Smallest equivalence class (k) [k]"] == ["1", "3", "higher"]
    assert by_title["Unique records [uniques]"][1:] == ["0", "lower"]
    assert by_title["Share of unique records [unique_share]"][1:] == ["0 %", "lower"]
    assert by_title["Semantic mean: diagnosis [mean_shift]"][-1] == "smaller difference"


def test_means_of_dates_are_dates(tmp_path, command):
    days = [f"2012-06-{day:02}" for day in range(1, 22)]
    pd.DataFrame({"seen": days}).to_csv(tmp_path / "a.csv", index=False)
    pd.DataFrame({"seen": days[1:] + days[-1:]}).to_csv(tmp_path / "b.csv", index=False)
    (tmp_path / "release.yaml").write_text(
        "data: a.csv\noutput: c.csv\ncolumns: {seen: {role: quasi, type: date}}\n"
        "method: {name: microaggregation, k: 2}\n"
    )
    done = command(tmp_path, "evaluate", "a.csv", "b.csv", "--release-file", "release.yaml")
    (row,) = [line.split() for line in done.out.splitlines() if "[number_means]" in line]
    assert row[3:5] == ["2012-06-11", "2012-06-12"]


def test_files_of_different_formats(masked, command):
    with (masked / "released.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    pd.DataFrame(rows).astype({"age": int}).to_parquet(masked / "other.parquet")
    pd.DataFrame(records(60)).to_csv(masked / "semicolons.csv", sep=";", index=False)
    write_spec(masked / "release.yaml", ("output:", 'csv: {delimiter: ";"}\noutput:'))
    ask = [
        "evaluate",
        "semicolons.csv",
        "other.parquet",
        "--release-file",
        "release.yaml",
        "--json",
    ]
    told = json.loads(command(masked, *ask).out)
    write_spec(masked / "release.yaml")
    assert told == json.loads(command(masked, *COMPARE, "--json").out)


def test_closeness_by_meaning_is_asked_for(masked, command):
    write_spec(
        masked / "release.yaml",
        ("  diagnosis: {role: quasi, ", "  diagnosis: {role: confidential, "),
        ("  pay: {role: confidential}", "  pay: {role: keep}"),
    )
    told = json.loads(command(masked, *COMPARE, "--json", "--semantic-closeness").out)
    assert told["risk"]["t_semantic"]["diagnosis"] <= told["risk"]["t_equal"]["diagnosis"]


def test_a_shuffled_release_is_not_compared_row_by_row(jobs, command):
    om.run_release_file(jobs / "release.yaml")
    done = command(jobs, *COMPARE)
    assert done.code == 2
    assert "are in a random order, as its manifest says" in done.err
    assert "--match-by" in done.err
    matched = command(jobs, *COMPARE, "--match-by", "pay")
    assert "match_by must be a column of unique values, got 'pay'" in matched.err
    (jobs / "released.manifest.json").unlink()  # whoever knows better
    assert command(jobs, *COMPARE).code == 0


def test_tables_that_do_not_fit(masked, command):
    lines = (masked / "released.csv").read_text(encoding="utf-8").splitlines()
    (masked / "short.csv").write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    short = command(masked, "evaluate", "people.csv", "short.csv", "--release-file", "release.yaml")
    assert short.code == 2
    assert "60 records in the original table and 59 records in the masked table" in short.err
    (masked / "other.csv").write_text("a,b\n1,2\n")
    other = command(masked, "evaluate", "people.csv", "other.csv", "--release-file", "release.yaml")
    assert other.code == 2
    assert "the masked table has no column 'diagnosis', 'age'" in other.err
    nowhere = command(masked, "evaluate", "people.csv", "no.csv", "--release-file", "release.yaml")
    assert nowhere.code == 2
    assert "no.csv does not exist" in nowhere.err


# ---------------------------------------------------------------- schema


def test_the_schema_is_one_and_knows_a_release_file(tmp_path, command):
    printed = json.loads(command(tmp_path, "schema").out)
    jsonschema.Draft202012Validator.check_schema(printed)
    jsonschema.validate(yaml.safe_load(SPEC), printed)
    done = command(tmp_path, "schema", "--output", "release.schema.json")
    assert (done.out, done.err) == ("", "wrote release.schema.json\n")
    assert json.loads((tmp_path / "release.schema.json").read_text(encoding="utf-8")) == printed
    assert command(tmp_path, "schema", "--output", "release.schema.json").code == 2
    assert command(tmp_path, "schema", "--output", "release.schema.json", "--force").code == 0


# ---------------------------------------------------------------- demo


@pytest.mark.slow
def test_the_demo_makes_a_release(tmp_path, command):
    done = command(tmp_path, "demo")
    assert done.code == 0
    assert "$ ontomask check ontomask-demo/release.yaml" in done.out
    assert "5-anonymous on " in done.out
    assert "the masked table is ontomask-demo/discharges.released.csv" in done.err
    folder = tmp_path / "ontomask-demo"
    assert sorted(os.listdir(folder)) == [
        "discharges.csv",
        "discharges.released.csv",
        "discharges.released.manifest.json",
        "discharges.released.report.html",
        "release-zip.taxonomy.csv",
        "release.yaml",
    ]
    assert_manifest_fits(folder / "discharges.released.manifest.json")
    again = command(tmp_path, "demo")
    assert again.code == 2
    assert "ontomask-demo already exists" in again.err
