"""``ontomask explain``: the plan of the release again, no table written, and a word on chance."""

from __future__ import annotations

import json
import os

import pytest

from release_commands import write_spec

PRIVATE = (
    "This explanation contains original values. It is for the data steward: do not publish it."
)
CHANCE = "this method is random and no seed was given"


@pytest.fixture(autouse=True)
def _no_seed(monkeypatch):
    monkeypatch.delenv("ONTOMASK_SEED", raising=False)


def test_a_value_in_words(jobs, command):
    before = sorted(os.listdir(jobs))
    done = command(jobs, "explain", "release.yaml", "fracture of arm")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Microaggregation(k=3): similar records form groups of 3 or more")
    assert "diagnosis broken arm:" in done.out
    assert done.out.rstrip("\n").endswith(PRIVATE)
    assert max(map(len, done.out.splitlines())) <= 100
    assert sorted(os.listdir(jobs)) == before  # nothing is written


def test_what_is_explained_is_what_mask_releases(jobs, command):
    told = json.loads(command(jobs, "explain", "release.yaml", "diagnosis=flu", "--json").out)
    (part,) = told["parts"]
    moves = {move["to"]["value"]: move["records"] for move in part["values"][0]["moves"]}
    assert command(jobs, "mask", "release.yaml", "--private").code == 0
    lines = (jobs / "released.transitions.private.csv").read_text().splitlines()
    became: dict[str, int] = {}
    for before, after, _, _, count in (line.split(",") for line in lines[1:]):
        if before == "influenza":
            became[after] = became.get(after, 0) + int(count)
    assert moves == became
    assert part["records"] == sum(became.values())


def test_columns_say_which_tuple_is_meant(jobs, command):
    ask = ["explain", "release.yaml", "diagnosis=flu", "age=20", "--json"]
    (part,) = json.loads(command(jobs, *ask).out)["parts"]
    assert (part["tuples"], part["values"]) == (1, [])
    assert [it["value"] for it in part["example"]["values"]] == ["influenza", 20]
    number = json.loads(command(jobs, "explain", "release.yaml", "20", "--json").out)
    assert [list(part["asked"]) for part in number["parts"]] == [["age"]]


def test_chance_is_spoken_of_unless_there_is_a_seed(jobs, command, monkeypatch):
    write_spec(jobs / "release.yaml", ("microaggregation, k: 3", "rank_swapping, window: 3"))
    ask = ["explain", "release.yaml", "diagnosis=broken arm"]
    unseeded = command(jobs, *ask)
    assert (unseeded.code, CHANCE in unseeded.err) == (0, True)
    assert "--seed-file FILE or ONTOMASK_SEED" in unseeded.err
    seed = jobs / "seed"
    seed.write_text("271828182845904523536\n")
    seed.chmod(0o600)
    from_file = command(jobs, *ask, "--seed-file", "seed")
    assert CHANCE not in from_file.err
    monkeypatch.setenv("ONTOMASK_SEED", "271828182845904523536")
    from_variable = command(jobs, *ask)
    assert CHANCE not in from_variable.err
    assert from_variable.out == from_file.out


@pytest.mark.parametrize(
    ("method", "drawn"),
    [
        ("microaggregation, k: 3, replacement: synthetic", True),
        ("recoding, k: 3", True),
        ("suppression, k: 3", False),
    ],
)
def test_which_methods_draw(jobs, command, method, drawn):
    write_spec(jobs / "release.yaml", ("microaggregation, k: 3", method))
    done = command(jobs, "explain", "release.yaml", "diagnosis=broken arm")
    assert (done.code, CHANCE in done.err) == (0, drawn)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["hepatitis D"], "did you mean 'hepatitis B' (diagnosis)"),
        (["diagnosis=hepatits"], "no record has the value 'hepatits' in column 'diagnosis'"),
        (["age=19"], "did you mean '20'?"),
        (["colour=red"], "hint: the quasi-identifiers are 'diagnosis', 'age'"),
        (["nothing like it"], "hint: write the value as in the original table"),
        (["flu", "20"], "VALUE must be COLUMN=VALUE if there are several, got 'flu'"),
        (["diagnosis=flu", "age=20", "age=21"], "'age' is given twice"),
        (["diagnosis=flu", "wage=20"], "there is no quasi-identifier 'wage'"),
        (["wage=20"], "no record has the value 'wage=20'"),
    ],
)
def test_wrong_values_are_an_error(jobs, command, asked, words):
    done = command(jobs, "explain", "release.yaml", *asked)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_in_a_process_of_its_own(jobs, ontomask):
    done = ontomask("explain", "release.yaml", "diagnosis=broken arm")
    assert "diagnosis broken arm:" in done.stdout
    assert ontomask("explain", "nowhere.yaml", "x", code=2).stdout == ""
