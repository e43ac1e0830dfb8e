"""What is said to be usual is what comes out: synthetic discharges are one of the tables."""

from __future__ import annotations

import re

import pandas as pd
import pytest

import ontomask as om
from ontomask import risk, utility

EVERY = {**utility.DESCRIPTIONS, **risk.DESCRIPTIONS}
SPAN = r"(\d[\d.]*)(?: to (\d[\d.]*))?(?: a record)? at k = "
IN_OWN_UNIT = ("rmse", "mean_absolute_distance", "distance_variance_difference")


def usual(key, k):
    """Both ends of what is said of a figure at k; None where nothing is."""
    found = re.search(rf"{SPAN}{k}\b", EVERY[key].usual)
    return found and (float(found[1]), float(found[2] or found[1]))


def numbers(figure):
    """A figure, or that of every column or pair of columns; differences where there are such."""
    if isinstance(figure, dict):
        for key in ("distance", "difference"):
            if key in figure:
                return numbers(figure[key])
        return [number for inner in figure.values() for number in numbers(inner)]
    if isinstance(figure, list):
        return [abs(row[j]) for i, row in enumerate(figure) for j in range(i + 1, len(row))]
    return [] if figure is None else [abs(figure)]


@pytest.mark.slow
@pytest.mark.parametrize("method", [om.Microaggregation(5), om.Recoding(20)], ids=repr)
def test_what_is_usual_is_what_comes_out(method):
    stays = pd.DataFrame(om.datasets.discharges(10_000))
    levels = ["minor", "moderate", "major", "extreme"]
    columns = [
        om.Nominal("diagnosis", om.load_taxonomy("icd9cm")),
        *(om.Numeric("age"), om.Numeric("length_of_stay"), om.Ordinal("severity", levels)),
    ]
    schema = om.Schema(columns, confidential=["outcome"], other="drop")
    release = om.mask(stays, schema, method, seed=0)
    found = {**release.evaluation.utility, **release.evaluation.risk}
    found["sse"] /= release.records
    checked = 0
    for key, figure in found.items():
        if key in IN_OWN_UNIT:
            figure = {"diagnosis": figure["diagnosis"]}
        said = usual(key, method.k)
        if said is None or EVERY[key].usual.startswith("by suppression"):
            continue
        checked += 1
        for number in numbers(figure):  # two digits were kept
            assert 0.95 * said[0] <= number <= 1.05 * said[1], (key, number, said)
    assert checked > 25


def test_what_is_usual_is_a_phrase_with_a_figure():
    given = {key: it.usual for key, it in EVERY.items() if it.usual}
    assert {"sse", "semantic_quality", "kl", "linkage_nearest", "t_equal"} <= set(given)
    for key, text in given.items():
        assert re.search(r"\d", text), key
        assert not text.endswith("."), key
        assert len(text) < 90, key
