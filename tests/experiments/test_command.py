"""``python -m experiments`` in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from experiments import EXPERIMENTS

ROOT = Path(__file__).resolve().parents[2]
QUICK = ("tm-figure-5", "--quick", "--runs", "1")


@pytest.fixture
def reproduce(tmp_path):
    def run(*arguments, code=0):
        done = subprocess.run(
            [sys.executable, "-m", "experiments", *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env={
                **os.environ,
                "ONTOMASK_CACHE": "off",
                "ONTOMASK_DATA": "",
                "PYTHONPATH": str(ROOT),
                "PYTHONUTF8": "1",
            },
        )
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return run


def test_help_has_an_example(reproduce):
    assert "Example: python -m experiments" in reproduce("--help").stdout


def test_the_list(reproduce):
    said = reproduce("--list").stdout
    assert [line.split()[0] for line in said.splitlines()] == [e.name for e in EXPERIMENTS]
    told = json.loads(reproduce("sf", "--list", "--json").stdout)
    assert [entry["name"] for entry in told] == ["sf-figures-4-5", "sf-figure-6"]


def test_tables_are_printed_and_the_page_is_written(reproduce, tmp_path):
    done = reproduce(*QUICK, "--output", "page.html")
    assert done.stdout.startswith("data: synthetic discharges (small samples")
    assert "tm-figure-5" in done.stdout
    assert "discernibility" in done.stdout
    assert done.stderr == "written to page.html\n"
    before = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert before.startswith("<!doctype html>")
    again = reproduce(*QUICK, "--output", "page.html", code=2)
    assert "--output must be a new file, got page.html, which exists" in again.stderr
    assert again.stdout == ""
    reproduce(*QUICK, "--output", "page.html", "--force")


def test_tables_are_printed_as_json(reproduce):
    (told,) = json.loads(reproduce(*QUICK, "--json").stdout)
    assert told["data"] == "discharges"
    (result,) = told["results"]
    assert [row["label"] for row in result["rows"]] == ["semantic", "discernibility"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["xx"], "NAME must be the name of an experiment or its beginning, got 'xx'"),
        (
            ["sf", "--data", "nowhere"],
            "must be a folder that contains diabetes_130.csv.gz, got 'nowhere'",
        ),
        (["sf", "--runs", "0"], "--runs"),
        (
            ["sf", "--output", "nowhere/page.html"],
            "--output must be in an existing folder, got nowhere/page.html",
        ),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(reproduce, arguments, message):
    done = reproduce(*arguments, code=2)
    assert message in done.stderr
    assert done.stdout == ""
