"""Swapping and noise on tables: what is promised, what is measured, and what is warned of."""

from __future__ import annotations

import datetime
import warnings
from collections import Counter

import numpy as np
import polars as pl
import pytest

import ontomask as om
import plain
from frame_kinds import KINDS, made, rows
from ontomask.errors import (
    NothingSwappedWarning,
    ParameterError,
    UnknownValueError,
    WeakProtectionWarning,
    format_percent,
)
from pairing import each_with

LEVELS = ["mild", "severe", "critical"]
SWAPPING = [
    om.RankSwapping(3, strategy, complete=complete)
    for strategy in ("multivariate", "dynamic", "fixed", "distributional", "random")
    for complete in (False, True)
] + [
    om.RankSwapping(3, guard=True),
    om.RankSwapping(3, guard=True, complete=True),
    om.RankSwapping(3, operators="classic"),
]
NOISE = [
    om.NoiseAddition(0.5, distribution, strategy, bounds="resample")
    for distribution in ("normal", "laplace")
    for strategy in ("semantic", "naive", "probabilistic")
] + [om.NoiseAddition(0.5, operators="classic", bounds="clip")]
BOTH = [*SWAPPING, *NOISE]
WITHOUT_AND_WITH = (False, True)


@pytest.fixture
def illnesses():
    """Identifiers that are codes, labels with quotes in them, and an illness nobody has."""
    labels = {
        "D": ["illness"],
        "D1": ["lung's illness"],
        "D2": ['"gut" illness'],
        "D11": ["asthma", "asthma's attack"],
        "D12": ["'flu'"],
        "D13": ["cold; common"],
        "D21": ["Crohn's disease"],
        "D22": ['"ulcer", bleeding'],
    }
    edges = [(code, code[:-1]) for code in labels if len(code) > 1]
    return om.Taxonomy.from_edges(edges, labels=labels)


WORDS = ["asthma", "asthma's attack", "'flu'", "Crohn's disease", '"ulcer", bleeding']


def table(n=50, seed=0, missing=False):
    random = np.random.default_rng(seed)
    first = datetime.date(2023, 12, 30)
    words = random.choice(WORDS, n, p=[0.4, 0.1, 0.2, 0.2, 0.1]).tolist()
    return {
        "row": list(range(n)),
        "word": [None if missing and i % 6 == 0 else word for i, word in enumerate(words)],
        "age": random.integers(20, 60, n).tolist(),
        "severity": random.choice(LEVELS, n).tolist(),
        "day": [first + datetime.timedelta(int(d)) for d in random.integers(0, 9, n)],
        "note": [None if i % 7 == 0 else f"n{i % 5}" for i in range(n)],
        "name": [f"p{i // 2}" for i in range(n)],
    }


def schema_of(taxonomy, **settings):
    quasi = [
        om.Nominal("word", taxonomy),
        om.Numeric("age"),
        om.Ordinal("severity", LEVELS),
        om.Date("day"),
    ]
    return om.Schema(quasi, **{"other": "keep", **settings})


def masked(frame, schema, method, seed=1):
    """The release, and whether it warned of weak protection; no other warning may come."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        release = om.mask(frame, schema, method, seed=seed)
    assert {it.category for it in caught} <= {WeakProtectionWarning}
    return release, bool(caught)


class Plain:
    """The table as records of concepts and numbers, read back cell by cell."""

    def __init__(self, taxonomy, before, after):
        self.taxonomy = taxonomy
        self.code = {
            label: concept
            for concept, labels in zip(taxonomy.identifiers, taxonomy.label_lists, strict=True)
            for label in (concept, *labels)
        }
        self.before = [self.record(row[1:5]) for row in rows(before)]
        self.after = [self.record(row[1:5]) for row in rows(after)]
        words = [record[0] for record in self.before if record[0] is not None]
        self.domain = taxonomy.domain(words)
        columns = list(zip(*self.before, strict=True))[1:]
        self.ranges = [max(column) - min(column) for column in columns]

    def record(self, row):
        word, age, severity, day = row
        concept = None if word is None else self.code[word]
        return (concept, age, LEVELS.index(severity), day.toordinal())

    def distance(self, x, y):
        """In whole multiples of 2^-28, as ties are defined."""
        if x[0] is None or y[0] is None:
            words = float(x[0] is not y[0])
        else:
            words = plain.sanchez(self.domain, x[0], y[0])
        numbers = [
            abs(a - b) / span if span else 0.0
            for a, b, span in zip(x[1:], y[1:], self.ranges, strict=True)
        ]
        return sum(round(d * 2**28) for d in (words, *numbers))

    def probabilities(self):
        """Of being linked rightly by the nearest record."""
        found = []
        for own, masked in zip(self.before, self.after, strict=True):
            apart = [self.distance(other, masked) for other in self.before]
            near = [o for o, d in zip(self.before, apart, strict=True) if d == min(apart)]
            found.append(1 / len(near) if own in near else 0)
        return found

    def measured(self, k):
        n, often, found = len(self.before), Counter(self.before), self.probabilities()
        unique = [p for p, own in zip(found, self.before, strict=True) if often[own] == 1]
        return {
            "unchanged": sum(map(tuple.__eq__, self.before, self.after)) / n,
            "linked": sum(found) / n,
            "linked_uniques": sum(unique) / len(unique) if unique else None,
            "linked_above": None if k is None else sum(p > 1 / k for p in found) / n,
        }


def columns_of(records):
    return [Counter(column) for column in zip(*records, strict=True)]


# ---------------------------------------------------------------------- what is promised


@pytest.mark.parametrize(("method", "missing"), each_with(SWAPPING, WITHOUT_AND_WITH), ids=repr)
def test_swapping_keeps_every_column_as_a_multiset(illnesses, method, missing):
    frame = made("polars", table(missing=missing))
    release, _ = masked(frame, schema_of(illnesses, missing="category"), method)
    read = Plain(illnesses, frame, release.data)
    assert columns_of(read.after) == columns_of(read.before)
    assert read.after != read.before
    assert (
        "every column has the same values with the same frequencies as before" in release.guarantee
    )


@pytest.mark.parametrize(("method", "kind"), each_with(BOTH, KINDS), ids=repr)
def test_rows_and_other_columns_are_untouched(illnesses, method, kind):
    frame = made(kind, table())
    release, _ = masked(frame, schema_of(illnesses), method)
    assert type(release.data) is type(frame)
    for before, after in zip(rows(frame), rows(release.data), strict=True):
        assert (before[0], before[5:]) == (after[0], after[5:])
        assert [type(value) for value in before] == [type(value) for value in after]


@pytest.mark.slow
@pytest.mark.parametrize(("method", "kind"), each_with(BOTH, KINDS[::-1]), ids=repr)
def test_every_kind_and_every_order_of_rows_gives_the_same(illnesses, method, kind):
    columns = table(missing=True)
    schema = schema_of(illnesses, missing="category")
    frame = pl.DataFrame(columns)
    expected = rows(masked(frame, schema, method)[0].data)
    shuffled = frame.sample(fraction=1, shuffle=True, seed=5)
    assert rows(masked(shuffled, schema, method)[0].data.sort("row")) == expected
    data = rows(masked(made(kind, columns), schema, method)[0].data)
    assert [r[:4] for r in data] == [r[:4] for r in expected]
    assert rows(masked(frame, schema, method, seed=2)[0].data) != expected


@pytest.mark.parametrize("method", NOISE, ids=repr)
def test_noise_stays_within_the_columns(illnesses, method):
    frame = made("pyarrow", table(missing=True))
    release, _ = masked(frame, schema_of(illnesses, missing="category"), method)
    read = Plain(illnesses, frame, release.data)
    for own, other in zip(read.before, read.after, strict=True):
        assert (own[0] is None) == (other[0] is None)  # missing stays missing
    columns = zip(zip(*read.before, strict=True), zip(*read.after, strict=True), strict=True)
    for before, after in list(columns)[1:]:
        assert min(before) <= min(after) <= max(after) <= max(before)
    assert release.data.schema == frame.schema
    if method.strategy != "semantic":
        for before, after in zip(columns_of(read.before), columns_of(read.after), strict=True):
            assert set(after) <= set(before)


@pytest.mark.parametrize("by_label", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_noise_writes_new_concepts_like_the_others(illnesses, kind, by_label):
    label = {"D11": "asthma", "D12": "'flu'", "D21": "Crohn's disease"}
    held = np.random.default_rng(0).choice(list(label), 80).tolist()
    words = [label[concept] if by_label else concept for concept in held]
    frame = made(kind, {"word": words})
    schema = om.Schema([om.Nominal("word", illnesses)])
    release, _ = masked(frame, schema, om.NoiseAddition(1.0))
    found = {row[0] for row in rows(release.data)}
    assert found - set(words)  # some were not in the column
    forms = [labels[0] for labels in illnesses.label_lists] if by_label else illnesses.identifiers
    assert found <= set(forms)


@pytest.mark.parametrize("method", [om.RankSwapping(3), om.NoiseAddition(0.5)], ids=repr)
def test_people_are_counted_and_not_released(illnesses, method):
    frame = made("polars", table())
    release, _ = masked(frame, schema_of(illnesses, person="name"), method)
    assert "name" not in release.data.columns
    people = {}
    for own, row in zip(rows(frame), rows(release.data), strict=True):
        people.setdefault(row[1:5], set()).add(own[6])
    sizes = [len(some) for some in people.values()]
    assert (release.guarantee.unit, release.guarantee.k) == ("people", None)
    assert (release.guarantee.smallest, release.guarantee.classes) == (min(sizes), len(sizes))


# ---------------------------------------------------------------------- what is measured


@pytest.mark.parametrize(("method", "missing"), each_with(BOTH, WITHOUT_AND_WITH), ids=repr)
def test_the_measured_figures_and_the_words(illnesses, method, missing):
    frame = made("pandas", table(missing=missing))
    release, warned = masked(frame, schema_of(illnesses, missing="category"), method)
    k = method.target_k
    expected = Plain(illnesses, frame, release.data).measured(k)
    found = release.guarantee.measured
    for name, figure in expected.items():
        assert getattr(found, name) == (None if figure is None else pytest.approx(figure)), name
    text = str(release.guarantee)
    assert text.startswith("not k-anonymous: ")
    assert f"{format_percent(expected['unchanged'])} of the records are unchanged" in text
    assert f"record linkage finds {format_percent(expected['linked'])} of the records" in text
    assert (f"above 1/{k}" in text) == (k is not None)
    assert f"By construction: {method.promise}" in text
    weak = expected["unchanged"] > 0.5 or (expected["linked_uniques"] or 0) > 1 / (k or 1)
    assert warned == (method.permutes and weak)
    risk = release.evaluation.risk
    assert (risk["unchanged"], risk["linkage_nearest"]) == (found.unchanged, found.linked)


@pytest.mark.parametrize("method", SWAPPING, ids=repr)
def test_values_without_a_partner_are_counted(illnesses, method):
    release, _ = masked(made("polars", table(51)), schema_of(illnesses), method)
    unpaired = release.guarantee.measured.unpaired
    assert list(unpaired) == ["word", "age", "severity", "day"]
    assert all(0 <= share < 1 for share in unpaired.values())
    told = "of the values of a column were not swapped" in release.guarantee
    assert told == any(unpaired.values())
    if method.complete or method.strategy == "random":
        assert max(unpaired.values()) <= 1 / 51  # the odd one out


def test_noise_has_no_partners(illnesses):
    release, _ = masked(made("polars", table()), schema_of(illnesses), om.NoiseAddition(0.5))
    assert release.guarantee.measured.unpaired == {}
    assert "swapped" not in release.guarantee


# ---------------------------------------------------------------------- what is warned of


def test_most_records_unchanged(illnesses):
    frame = pl.DataFrame({"word": ["asthma"] * 60 + ["'flu'"] * 60})
    schema = om.Schema([om.Nominal("word", illnesses)])
    with pytest.warns(WeakProtectionWarning, match="of the records are unchanged") as caught:
        release = om.mask(frame, schema, om.RankSwapping(3), seed=1)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert release.guarantee.measured.unchanged > 0.5
    assert release.guarantee.measured.linked_uniques is None  # every record has its like


def test_uniques_linked_too_often():
    # Every number moves a little, and three of them together still point to one record.
    random = np.random.default_rng(0)
    frame = pl.DataFrame({name: random.integers(0, 99, 200) for name in "abc"})
    schema = om.Schema([om.Numeric(name) for name in "abc"])
    with pytest.warns(WeakProtectionWarning, match="of the originally unique records") as caught:
        release = om.mask(frame, schema, om.RankSwapping(10, "dynamic"), seed=1)
    assert len(caught) == 1
    assert release.guarantee.measured.linked_uniques > 1 / 10
    assert release.guarantee.measured.unchanged <= 0.5


def test_no_warning_where_protection_is_fair():
    random = np.random.default_rng(0)
    frame = pl.DataFrame({"a": random.integers(0, 99, 200), "b": random.integers(0, 99, 200)})
    schema = om.Schema([om.Numeric("a"), om.Numeric("b")])
    for method in (om.RankSwapping(4, "random"), om.NoiseAddition(0.01)):
        release = om.mask(frame, schema, method, seed=1)  # a warning would be an error
        assert release.guarantee.measured.unchanged <= 0.5
    assert release.guarantee.measured.linked_uniques > 1 / 4  # noise never warns


def test_one_distinct_tuple(illnesses):
    frame = pl.DataFrame({"word": ["asthma"] * 9})
    schema = om.Schema([om.Nominal("word", illnesses)])
    with pytest.warns(NothingSwappedWarning, match="all records have the same values"):
        release = om.mask(frame, schema, om.RankSwapping(3))
    assert release.data["word"].to_list() == ["asthma"] * 9


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("strategy", ["multivariate", "dynamic", "fixed", "distributional"])
def test_the_window_must_be_below_the_number_of_records(strategy):
    frame = pl.DataFrame({"age": [1, 2, 3, 4, 5]})
    schema = om.Schema([om.Numeric("age")])
    with pytest.raises(
        ParameterError, match="window must be at most 4 for a table of 5 records, got 5"
    ):
        om.mask(frame, schema, om.RankSwapping(5, strategy))


def test_one_record_has_none_to_swap_with():
    schema = om.Schema([om.Numeric("age")])
    with pytest.raises(ParameterError, match="at least two records, got 1"):
        om.mask(pl.DataFrame({"age": [1]}), schema, om.RankSwapping(1))


@pytest.mark.parametrize(
    ("method", "constant"), each_with(NOISE, ["word", "age", "severity", "day"]), ids=repr
)
def test_noise_names_the_column_that_would_not_change(illnesses, method, constant):
    columns = table()
    columns[constant] = [columns[constant][0]] * 50
    with pytest.raises(ParameterError, match=f"'{constant}' has one value"):
        om.mask(pl.DataFrame(columns), schema_of(illnesses), method)


@pytest.mark.parametrize("method", [om.RankSwapping(3), om.NoiseAddition(0.5)], ids=repr)
def test_values_outside_the_domain(illnesses, method):
    schema = om.Schema([om.Nominal("word", illnesses, domain="D1")], other="drop")
    with pytest.raises(UnknownValueError, match="column 'word' are not below 'D1', the domain"):
        om.mask(pl.DataFrame(table()), schema, method)
