"""``python -m experiments``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from experiments import EXPERIMENTS
from experiments.command import app

ROOT = Path(__file__).resolve().parents[2]
QUICK = ("tm-figure-5", "--quick", "--runs", "1")


@pytest.fixture
def reproduce(tmp_path, command, monkeypatch):
    monkeypatch.setenv("ONTOMASK_DATA", "")

    def run(*arguments, code=0):
        done = command(tmp_path, *arguments, app=app)
        assert done.code == code, done.err
        assert "Traceback" not in done.err
        return done

    return run


def test_a_process_of_its_own_has_help_with_an_example():
    said = subprocess.check_output(
        [sys.executable, "-m", "experiments", "--help"], cwd=ROOT, encoding="utf-8"
    )
    assert "Example: python -m experiments" in said


def test_the_list(reproduce):
    said = reproduce("--list").out
    assert [line.split()[0] for line in said.splitlines()] == [e.name for e in EXPERIMENTS]
    told = json.loads(reproduce("sf", "--list", "--json").out)
    assert [entry["name"] for entry in told] == ["sf-figures-4-5", "sf-figure-6"]


def test_tables_are_printed_and_the_page_is_written(reproduce, tmp_path):
    done = reproduce(*QUICK, "--output", "page.html")
    assert done.out.startswith("data: synthetic discharges (small samples")
    assert "tm-figure-5" in done.out
    assert "discernibility" in done.out
    assert done.err == "written to page.html\n"
    before = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert before.startswith("<!doctype html>")
    again = reproduce(*QUICK, "--output", "page.html", code=2)
    assert "--output must be a new file, got page.html, which exists" in again.err
    assert again.out == ""
    (told,) = json.loads(reproduce(*QUICK, "--json", "--output", "page.html", "--force").out)
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
    assert message in done.err
    assert done.out == ""
