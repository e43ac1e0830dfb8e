"""Random cases for a bounded time; ``python tools/fuzz.py`` runs them for as long as you like."""

from __future__ import annotations

import sys

import pytest

from tools.fuzz import KINDS, WrongRelease, check_release, fuzz, run_case

SECONDS = 5


@pytest.mark.slow
def test_random_releases_types_and_files(capsys):
    failures = fuzz(SECONDS, ["releases", "types", "files"], first=1)
    printed = capsys.readouterr().out
    assert not failures, printed
    assert " passed " in printed


@pytest.mark.spark
def test_random_releases_of_spark(spark):
    outcomes = [run_case(number, ["spark"]) for number in range(3)]
    assert {kind for kind, _, _ in outcomes} == {"spark"}
    assert not [words for _, outcome, words in outcomes if outcome == "FAILED"]
    assert "passed" in {outcome for _, outcome, _ in outcomes}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
@pytest.mark.parametrize("number", range(2))
def test_commands_that_are_stopped_at_random_moments(number):
    _, outcome, words = run_case(number, ["kills"])
    assert outcome == "passed", words


def test_a_wrong_release_is_found():
    import pandas as pd

    import ontomask as om

    table = pd.DataFrame({"age": [20, 30, 40, 50], "note": list("abcd")})
    schema = om.Schema([om.Numeric("age")], keep=["note"])
    method = om.Microaggregation(k=2)
    release = om.mask(table, schema, method, seed=1 << 100)
    rows, released = table.to_dict("records"), release.data.to_dict("records")
    check_release(release, schema, method, rows, released)
    for column, value in (("age", 99), ("note", "z")):
        spoilt = [{**released[0], column: value}, *released[1:]]
        with pytest.raises(WrongRelease):
            check_release(release, schema, method, rows, spoilt)
    with pytest.raises(WrongRelease):
        check_release(release, schema, method, rows, released[1:])


def test_all_kinds_are_fuzzed_by_default():
    assert sum(weight for _, weight in KINDS.values()) == pytest.approx(1)
