"""Earlier releases of the same table, named in a release file."""

from __future__ import annotations

import json

import pytest

import ontomask as om
from ontomask.errors import FileFormatError, SpecError
from release_commands import write_spec, write_table

CAUTION = "Guarantees do not hold for several releases together"


@pytest.fixture
def twice(tmp_path, diagnoses):
    """A folder in which the table was released once, and is to be released with another k."""
    diagnoses.write(tmp_path / "tax.csv")
    write_table(tmp_path / "people.csv", 60)
    write_spec(tmp_path / "first.yaml", ("output: released.csv", "order: keep\noutput: first.csv"))
    om.run_release_file(tmp_path / "first.yaml")
    write_spec(tmp_path / "release.yaml", ("output:", "previous: [first.manifest.json]\noutput:"))
    return tmp_path


def test_check_warns(twice, command):
    done = command(twice, "check", "release.yaml", "--json")
    (warning,) = [words for words in json.loads(done.out)["warnings"] if CAUTION in words]
    assert "'first.csv'" in warning


def test_command_manifest_and_report_warn(twice, command):
    done = command(twice, "mask", "release.yaml")
    assert done.code == 0
    assert CAUTION in done.err
    manifest = json.loads((twice / "released.manifest.json").read_text(encoding="utf-8"))
    assert [words for words in manifest["cautions"] if CAUTION in words]
    assert manifest["release"]["previous"] == ["first.manifest.json"]
    assert CAUTION in (twice / "released.report.html").read_text(encoding="utf-8")
    first = json.loads((twice / "first.manifest.json").read_text(encoding="utf-8"))
    assert not [words for words in first["cautions"] if CAUTION in words]


def test_folders_of_earlier_releases_are_not_published(twice):
    (twice / "secret project").mkdir()
    (twice / "first.manifest.json").rename(twice / "secret project" / "first.manifest.json")
    write_spec(
        twice / "release.yaml",
        ("output:", "previous: secret project/first.manifest.json\noutput:"),
    )
    om.run_release_file(twice / "release.yaml")
    for path in twice.glob("released.*"):
        assert "secret project" not in path.read_text(encoding="utf-8"), path


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[]", "must be the manifest of a release"),
        ("not json", "must be the manifest of a release"),
        ('{"format": 99, "guarantee": {}, "records": {}}', "format 1, got format 99"),
    ],
)
def test_a_file_that_is_no_manifest(twice, content, words):
    (twice / "first.manifest.json").write_text(content, encoding="utf-8")
    with pytest.raises(FileFormatError, match=words):
        om.run_release_file(twice / "release.yaml")
    assert not (twice / "released.csv").exists()


@pytest.mark.parametrize(
    ("value", "words"),
    [("[nowhere.json]", "must name existing files, got 'nowhere.json'"), ("[3]", "a file name")],
)
def test_names_that_are_not_files(twice, value, words):
    write_spec(twice / "release.yaml", ("output:", f"previous: {value}\noutput:"))
    with pytest.raises(SpecError, match=words):
        om.run_release_file(twice / "release.yaml")


def test_the_intersection_is_measured(twice, command):
    write_spec(twice / "release.yaml", ("k: 3", "k: 4"), ("output:", "order: keep\noutput:"))
    om.run_release_file(twice / "release.yaml")
    ask = ["evaluate", "people.csv", "released.csv", "--release-file", "release.yaml"]
    figures = json.loads(command(twice, *ask, "--with", "first.csv", "--json").out)
    assert figures["intersection"]["k_of_each"] == [4, 3]
    assert figures["intersection"]["records"] == 60
    printed = command(twice, *ask, "--with", "first.csv").out
    uniques = f"{figures['intersection']['uniques']:,}"
    (line,) = [line for line in printed.splitlines() if "records alone in the" in line]
    assert line.split()[-1] == uniques
    assert "intersection" not in json.loads(command(twice, *ask, "--json").out)
