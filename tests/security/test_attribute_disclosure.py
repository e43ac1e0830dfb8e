"""An attacker reads sensitive values through their spelling: l must hold for what they mean."""

from __future__ import annotations

import csv
from collections import defaultdict

import numpy as np
import polars as pl
import pytest

import ontomask as om
import plain_risk

#: The same test result, as five clinics write it; and what they write where there is none.
POSITIVE = ["HIV", "hiv ", "Hiv", "ＨＩＶ", "h\u200biv"]
NOTHING = ["?", " ", "n/a", "N/A ", ""]


def readable_classes(path):
    """How many classes of a released file give their one meaning away."""
    meanings = defaultdict(set)
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            meant = row["result"].replace("\u200b", "")
            meanings[row["age"]].add(plain_risk.known_form(meant, ["?", "n/a"]))
    return sum(len(some - {None}) < 2 for some in meanings.values()), len(meanings)


@pytest.mark.filterwarnings("ignore::ontomask.errors.LookAlikeWarning")
@pytest.mark.parametrize("rule", [{"l": 2}, {"t": 0.2}], ids=repr)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_spellings_and_blanks_do_not_pass_for_other_results(tmp_path, rule, ending):
    random = np.random.default_rng(4)
    ages = random.integers(20, 60, 400)
    results = random.choice([*POSITIVE, *NOTHING], 400).tolist()
    others = random.choice(400, 60, replace=False).tolist()
    for place in others:
        results[place] = "negative"
    table = pl.DataFrame({"age": ages, "result": results})
    path = tmp_path / f"table.{ending}"
    table.write_csv(path, quote_style="always") if ending == "csv" else table.write_parquet(path)
    schema = om.Schema([om.Numeric("age")], confidential=["result"], missing_marks=["?", "n/a"])
    om.mask(path, schema, om.Suppression(2)).write(tmp_path / "careless.csv")
    assert readable_classes(tmp_path / "careless.csv")[0] > 5  # k alone does not help
    om.mask(path, schema, om.Microaggregation(3, **rule)).write(tmp_path / "released.csv")
    readable, classes = readable_classes(tmp_path / "released.csv")
    assert (readable, classes > 3) == (0, True)
