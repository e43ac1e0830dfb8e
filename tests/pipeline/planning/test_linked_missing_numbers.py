"""Linked records that lack numbers, dates or levels: nothing is refused, and k is recounted."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ontomask as om
from frame_kinds import KINDS, made, rows
from ontomask.errors import ParameterError
from pairing import each_with
from strategies import examples

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")

MODES = ("equal", "drop", "split")
LEVELS = ["low", "middle", "high"]


def random_stays(seed, people, shares, most=4):
    """Stays of people; a share of the ages, doses and levels is missing."""
    random = np.random.default_rng(seed)
    patients = [p for p in range(people) for _ in range(random.integers(1, most + 1))]
    random.shuffle(patients)
    size = len(patients)
    words = ["influenza", "hepatitis B", "broken arm", "broken leg", "cirrhosis"]
    columns = {
        "age": random.integers(20, 60, size).astype(float).tolist(),
        "dose": np.round(random.random(size) * 9, 1).tolist(),
        "level": random.choice(LEVELS, size).tolist(),
    }
    with_gaps = {
        name: [None if random.random() < share else value for value in column]
        for share, (name, column) in zip(shares, columns.items(), strict=True)
    }
    return {
        "patient": [f"id {p:03d}" for p in patients],
        "dx": random.choice(words, size).tolist(),
        **with_gaps,
        "payer": random.choice(["a", "b", "c"], size).tolist(),
        "row": list(range(size)),
    }


def schema_for(linked, **settings):
    return om.Schema(
        [
            om.Nominal("dx", om.datasets.diagnoses()),
            om.Numeric("age"),
            om.Numeric("dose"),
            om.Ordinal("level", LEVELS),
        ],
        person="patient",
        confidential=["payer", "row"],
        missing="category",
        linked=linked,
        **settings,
    )


def check_release(table, released, k):
    """Recount the people who share all rows; how many values are missing that were known."""
    before = {row[-1]: row for row in zip(*table.values(), strict=True)}
    bags, owner, lost = defaultdict(Counter), defaultdict(set), 0
    for pseudonym, *values, payer, row in released:
        bags[pseudonym][tuple(values)] += 1
        owner[pseudonym].add(before[row][0])
        assert before[row][-2] == payer
        for was, value in zip(before[row][1:5], values, strict=True):
            assert was is not None or value is None
            lost += value is None and was is not None
    assert all(len(people) == 1 for people in owner.values())
    classes = defaultdict(set)
    for pseudonym, bag in bags.items():
        classes[frozenset(bag.items())] |= owner[pseudonym]
    assert min(map(len, classes.values()), default=k) >= k
    return lost


@examples(30)
@given(
    seed=st.integers(0, 2**32),
    people=st.integers(3, 30),
    linked=st.sampled_from(MODES),
    shares=st.tuples(*[st.sampled_from([0, 0.05, 0.4, 1.0])] * 3),
    k=st.integers(2, 3),
    least=st.sampled_from([None, None, 2]),
)
def test_k_people_share_rows_with_gaps(seed, people, linked, shares, k, least):
    table = random_stays(seed, people, shares)
    assume(len(set(table["payer"])) > 1)
    protects = None if least is None else ["payer"]
    method = om.Microaggregation(k=k, l=least, protects=protects)
    release = om.mask(pd.DataFrame(table), schema_for(linked), method, seed=1)
    released = rows(release.data)
    check_release(table, released, k)
    assert len(released) + release.links.lost_records == len(table["row"])
    payers = set(zip(table["payer"], table["patient"], strict=True))
    if linked != "split" or len(payers) > len(set(table["payer"])):
        # Else each payer has one patient: the released payer links pseudonyms.
        assert release.guarantee.k == k
        if released:
            assert release.guarantee.smallest >= k
            assert release.guarantee.released.smallest >= k
    release.evaluation  # noqa: B018 - every figure can be computed


@pytest.mark.parametrize(("kind", "linked"), each_with(KINDS, MODES))
def test_every_frame_gives_the_same_release(kind, linked):
    table = random_stays(3, 60, (0.2, 0.1, 0.0))
    expected = om.mask(pd.DataFrame(table), schema_for(linked), om.Microaggregation(k=3), seed=7)
    release = om.mask(made(kind, table), schema_for(linked), om.Microaggregation(k=3), seed=7)
    check_release(table, rows(release.data), 3)
    assert rows(release.data) == rows(expected.data)


def test_files_are_recounted(tmp_path):
    table = random_stays(4, 60, (0.2, 0.1, 0.1))
    pl.DataFrame(table).write_parquet(tmp_path / "stays.parquet")
    release = om.mask(
        tmp_path / "stays.parquet", schema_for("split"), om.Microaggregation(k=3), seed=7
    )
    release.write(tmp_path / "released.parquet")
    check_release(table, pl.read_parquet(tmp_path / "released.parquet").rows(), 3)


def test_few_people_who_lack_a_number_take_their_nearest_along():
    """The first stays of two people lack an age: that of a third loses it, and no row is lost."""
    ages = [age for first in [None, None, *range(30, 40)] for age in (first, 35)]
    table = pd.DataFrame(
        {
            "patient": [f"id {p}" for p in range(12) for _ in range(2)],
            "age": ages,
            "dose": [1.0, 2.0] * 12,
        }
    )
    schema = om.Schema(
        [om.Numeric("age"), om.Numeric("dose")],
        person="patient",
        linked="equal",
        missing="category",
    )
    release = om.mask(table, schema, om.Microaggregation(k=3), seed=1)
    assert release.links.lost_records == 0
    assert release.data["age"].isna().sum() == 3
    assert release.data["dose"].tolist() == table["dose"].tolist()
    with pytest.raises(ParameterError, match="k must be at most the number of people, 12"):
        om.mask(table, schema, om.Microaggregation(k=13))
