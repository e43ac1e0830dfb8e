"""Any two tables: the same figures as for a release, whatever tool masked the table."""

from __future__ import annotations

import datetime
import json
import warnings
from decimal import Decimal
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

import ontomask as om
from frame_kinds import KINDS, made, rows
from ontomask.errors import (
    ColumnError,
    ParameterError,
    SchemaError,
    UnknownValueError,
    WeakProtectionWarning,
)
from pairing import each_with

METHODS = {
    "microaggregation": om.Microaggregation(3),
    "synthetic": om.Microaggregation(3, replacement="synthetic"),
    "recoding": om.Recoding(3),
    "resampling": om.Resampling(3),
    "suppression": om.Suppression(3),
    "swapping": om.RankSwapping(3),
    "noise": om.NoiseAddition(0.4),
    "naive noise": om.NoiseAddition(0.4, strategy="naive"),
}
WORDS = ["influenza", "common cold", "hepatitis B", "sprain", "broken leg"]
LEVELS = ["mild", "severe", "critical"]


def table(n=40, seed=0, missing=False):
    """Words, numbers, levels and days; two confidential columns."""
    random = np.random.default_rng(seed)
    first = datetime.date(2024, 1, 1)
    words = random.choice(WORDS, n, p=[0.4, 0.3, 0.1, 0.1, 0.1]).tolist()
    return {
        "word": [None if missing and i % 5 == 0 else word for i, word in enumerate(words)],
        "age": random.integers(20, 23, n).tolist(),
        "severity": random.choice(LEVELS, n).tolist(),
        "admitted": [first + datetime.timedelta(int(d)) for d in random.integers(0, 3, n)],
        "charge": random.integers(1, 9, n).tolist(),
        "outcome": random.choice(["sprain", "common cold"], n).tolist(),
    }


def schema_of(taxonomy, **settings):
    quasi = [
        om.Nominal("word", taxonomy),
        om.Numeric("age"),
        om.Ordinal("severity", LEVELS),
        om.Date("admitted"),
    ]
    confidential = [om.Numeric("charge"), om.Nominal("outcome", taxonomy)]
    return om.Schema(quasi, **{"confidential": confidential, **settings})


def words_only(taxonomy, **settings):
    return om.Schema([om.Nominal("word", taxonomy)], **settings)


def released(columns, schema, method, kind="pandas", seed=1):
    frame = made(kind, columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WeakProtectionWarning)  # tested elsewhere
        return frame, om.mask(frame, schema, method, seed=seed)


def near(found, expected):
    """The same figures, whatever the order of summation."""
    assert type(found) is type(expected)
    if isinstance(found, dict):
        assert list(found) == list(expected)
        for key in found:
            near(found[key], expected[key])
    elif isinstance(found, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            near(one, other)
    elif isinstance(found, float):
        assert found == pytest.approx(expected, abs=1e-9)
    else:
        assert found == expected


def same_figures(frame, release, schema, k=None):
    near(om.evaluate(frame, release.data, schema, k).as_dict(), release.evaluation.as_dict())


# ---------------------------------------------------------------------- the same as a release


@pytest.mark.parametrize(("name", "kind"), each_with([*METHODS], KINDS))
def test_the_figures_of_a_release(diagnoses, name, kind):
    method, schema = METHODS[name], schema_of(diagnoses)
    frame, release = released(table(), schema, method, kind)
    same_figures(frame, release, schema, method.target_k)


@pytest.mark.parametrize("name", METHODS)
def test_missing_values_as_a_category(diagnoses, name):
    method, schema = METHODS[name], schema_of(diagnoses, missing="category")
    columns = table(60, missing=True)
    for place, column in enumerate(("age", "severity", "admitted")):
        columns[column][8 * place : 8 * place + 8] = [None] * 8
    frame, release = released(columns, schema, method)
    same_figures(frame, release, schema, method.target_k)


@pytest.mark.parametrize(("name", "kind"), each_with([*METHODS], ["pandas", "polars"]))
def test_dropped_records_may_be_gone_from_the_masked_table(diagnoses, name, kind):
    method, schema = METHODS[name], schema_of(diagnoses, missing="drop")
    frame, release = released(table(60, missing=True), schema, method, kind)
    assert release.dropped == 12
    same_figures(frame, release, schema, method.target_k)


def test_dropped_records_may_be_in_the_masked_table(diagnoses):
    columns = table(60, missing=True)
    schema = schema_of(diagnoses, missing="drop")
    frame, release = released(columns, schema, om.Microaggregation(3))
    whole = frame.copy()
    whole.loc[frame["word"].notna(), list(release.data)] = release.data.to_numpy()
    near(
        om.evaluate(frame, whole.astype(frame.dtypes.to_dict()), schema, 3).as_dict(),
        release.evaluation.as_dict(),
    )


def test_removed_records_are_in_no_class(diagnoses):
    schema = schema_of(diagnoses)
    _, release = released(table(80), schema, om.Suppression(2, how="drop"))
    found = release.evaluation
    assert release.suppressed > 0
    assert sum(size * classes for size, classes in found.risk["class_sizes"]) == release.records
    assert found.risk["suppressed"] == release.suppressed / 80
    assert found.risk["k"] == release.guarantee.smallest


@pytest.mark.parametrize("name", METHODS)
def test_the_classes_are_those_counted_on_the_table(diagnoses, name):
    schema = schema_of(diagnoses, missing="category")
    _, release = released(table(missing=True), schema, METHODS[name])
    assert release.evaluation.risk["k"] == release.guarantee.smallest
    assert release.evaluation.risk["classes"] == release.guarantee.classes


def test_figures_are_worked_out_when_asked_for_and_once(diagnoses, monkeypatch):
    module = import_module("ontomask.pipeline.release")
    calls = []
    figures = module.evaluate_plan
    monkeypatch.setattr(
        module, "evaluate_plan", lambda *a, **k: [calls.append(a), figures(*a, **k)][1]
    )
    _, release = released(table(), schema_of(diagnoses), om.Microaggregation(3))
    assert not calls
    assert release.evaluation is release.evaluation
    assert len(calls) == 1
    assert "_sensitive_counts" not in repr(release)
    assert json.loads(json.dumps(release.evaluation.as_dict())) == release.evaluation.as_dict()


def test_linkage_is_searched_once_for_guarantee_and_figures(diagnoses, monkeypatch):
    from ontomask.risk import linkage

    plans = []
    shared = linkage._count_link_sharers
    monkeypatch.setattr(
        linkage, "_count_link_sharers", lambda p, c: [plans.append(p), shared(p, c)][1]
    )
    _, release = released(table(), schema_of(diagnoses), om.NoiseAddition())
    assert release.evaluation.risk["linkage_nearest"] == release.guarantee.measured.linked
    assert sum(plan is release.transitions for plan in plans) == 1


# ---------------------------------------------------------------------- suppressed values


@pytest.mark.parametrize(
    ("kind", "blank"), each_with(["pandas", "polars", "pyarrow", "duckdb"], ["*", "", None])
)
def test_what_counts_as_suppressed(diagnoses, kind, blank):
    before = {"word": ["sprain", "sprain", "influenza"], "age": [20, 30, 40]}
    text = blank is not None  # beside a * every number is text
    after = {
        "word": ["sprain", blank, blank],
        "age": ["20", "30", blank] if text else [20, 30, None],
    }
    schema = om.Schema([om.Nominal("word", diagnoses), om.Numeric("age")])
    found = om.evaluate(made(kind, before), made(kind, after), schema)
    assert found.utility["sse"] == (1 / 2) ** 2 + 1
    assert found.utility["changed"] == {"word": 2 / 3, "age": 1 / 3}
    assert found.risk["suppressed"] == 1 / 3
    # sprain 20 is found; 30, with no word, is nearest to 30; the last is linked to nobody
    assert found.risk["linkage_nearest"] == 2 / 3
    assert found.risk["linkage_text"] == 1 / 3


def test_mixed_cells_of_pandas(diagnoses):
    before = pd.DataFrame({"word": ["sprain"] * 3, "age": [20, 30, 40]})
    after = pd.DataFrame({"word": ["sprain", "*", None], "age": [20, "*", ""]})
    schema = om.Schema([om.Nominal("word", diagnoses), om.Numeric("age")])
    found = om.evaluate(before, after, schema)
    assert (found.risk["suppressed"], found.utility["sse"]) == (2 / 3, 2)
    assert found.risk["class_sizes"] == [[1, 1], [2, 1]]


def test_everything_suppressed(diagnoses):
    columns = table(10)
    after = {**columns, **{name: ["*"] * 10 for name in ("word", "age", "severity", "admitted")}}
    found = om.evaluate(made("polars", columns), made("polars", after), schema_of(diagnoses))
    assert (found.risk["suppressed"], found.risk["linkage_nearest"]) == (1, 0)
    assert found.utility["sse"] == 10
    assert found.risk["k"] == 10


def test_a_star_is_suppressed_where_an_empty_cell_is_missing(diagnoses):
    before = pd.DataFrame({"word": [None, "sprain", "influenza"], "age": [20, 20, 20]})
    schema = om.Schema([om.Nominal("word", diagnoses), om.Numeric("age")], missing="category")

    def linked(*words):
        after = pd.DataFrame({"word": words, "age": [20, 20, 20]})
        return om.evaluate(before, after, schema).risk["linkage_nearest"]

    assert linked(None, "sprain", "influenza") == 1
    assert linked("", "sprain", "influenza") == 1
    assert linked("*", "sprain", "influenza") == pytest.approx((1 / 3 + 2) / 3)


def test_marks_of_missing_values_hold_for_both_tables(diagnoses):
    before = pd.DataFrame({"word": ["?", "sprain", "sprain"]})
    schema = words_only(diagnoses, missing="category", missing_marks=["?"])
    found = om.evaluate(before, before, schema)
    assert (found.utility["sse"], found.risk["unchanged"]) == (0, 1)


# ---------------------------------------------------------------------- words


def test_labels_in_one_table_and_identifiers_in_the_other():
    taxonomy = om.Taxonomy.from_edges(
        [("D1", "D"), ("D2", "D")], labels={"D1": ["Flu"], "D2": ["Cold"], "D": ["Illness"]}
    )
    before = pd.DataFrame({"word": ["Flu", "Cold", "Flu"]})
    after = pd.DataFrame({"word": ["D1", "D2", "D"]})
    found = om.evaluate(before, after, words_only(taxonomy))
    assert found.utility["changed"]["word"] == 1 / 3
    assert found.risk["unchanged"] == 2 / 3
    assert found.utility["rmse"]["word"] == pytest.approx(om.distance(taxonomy, "D1", "D") / 3**0.5)


def test_masked_concepts_outside_the_hierarchy_of_the_original(diagnoses):
    before = pd.DataFrame({"word": ["hepatitis B", "hepatitis C"]})
    after = pd.DataFrame({"word": ["sprain", "hepatitis C"]})
    found = om.evaluate(before, after, words_only(diagnoses))
    domain = diagnoses.domain(["hepatitis B", "hepatitis C", "sprain"])
    apart = om.distance(domain, "hepatitis B", "sprain")
    assert found.utility["rmse"]["word"] == pytest.approx(apart / 2**0.5)
    named = om.Schema([om.Nominal("word", diagnoses, domain="hepatitis")])
    with pytest.raises(UnknownValueError, match="not below 'hepatitis', the domain"):
        om.evaluate(before, after, named)


def test_unknown_masked_values_are_named(diagnoses):
    before, after = pd.DataFrame({"word": ["sprain"]}), pd.DataFrame({"word": ["sprian"]})
    with pytest.raises(UnknownValueError, match="'sprian'"):
        om.evaluate(before, after, words_only(diagnoses))


# ---------------------------------------------------------------------- numbers, days, levels


@pytest.mark.parametrize("text", ["20-30", "[20, 30)"])
def test_intervals_are_refused_with_a_way_out(text):
    before, after = pd.DataFrame({"age": [20, 29]}), pd.DataFrame({"age": [text, text]})
    with pytest.raises(ColumnError, match="must contain numbers") as caught:
        om.evaluate(before, after, om.Schema([om.Numeric("age")]))
    assert text in caught.value.message
    assert "replace intervals by their midpoints" in caught.value.hint


def test_intervals_of_pandas_are_refused_too():
    before = pd.DataFrame({"age": [20, 29]})
    after = pd.DataFrame({"age": pd.cut(before["age"], [0, 25, 50])})
    with pytest.raises(ColumnError, match="must contain numbers"):
        om.evaluate(before, after, om.Schema([om.Numeric("age")]))


def test_more_decimals_than_the_original():
    before, after = pd.DataFrame({"age": [20, 30]}), pd.DataFrame({"age": [20.25, 30.0]})
    found = om.evaluate(before, after, om.Schema([om.Numeric("age")]))
    assert found.utility["attribute_sse"]["age"] == pytest.approx(0.25**2)
    assert found.utility["changed"]["age"] == 1 / 2


@pytest.mark.parametrize("kind", ["pandas", "pyarrow", "duckdb"])
def test_decimals(kind):
    before = {"price": [Decimal("1.10"), Decimal("2.20"), Decimal("2.20")]}
    after = {"price": [Decimal("1.15"), Decimal("2.20"), Decimal("2.20")]}
    found = om.evaluate(made(kind, before), made(kind, after), om.Schema([om.Numeric("price")]))
    assert found.utility["attribute_sse"]["price"] == pytest.approx(0.05**2)
    assert found.risk["unchanged"] == 2 / 3


@pytest.mark.parametrize("stamps", [False, True])
def test_days_count_whatever_holds_them(stamps):
    days = [datetime.date(2024, 1, day) for day in (1, 3, 11)]
    before = made("polars", {"day": days})
    moved = [datetime.date(2024, 1, day) for day in (2, 3, 11)]
    if stamps:
        moved = [datetime.datetime(d.year, d.month, d.day, 17, 30) for d in moved]
    found = om.evaluate(before, made("polars", {"day": moved}), om.Schema([om.Date("day")]))
    assert found.utility["attribute_sse"]["day"] == pytest.approx(1)
    written = made("polars", {"day": ["2024-01-02", "*", "2024-01-11T17:30"]})
    found = om.evaluate(before, written, om.Schema([om.Date("day")]))
    assert found.utility["attribute_sse"]["day"] == pytest.approx(1 + 10**2)


def test_levels_are_ranks():
    before = pd.DataFrame({"severity": ["mild", "severe", "critical"]})
    after = pd.DataFrame({"severity": ["mild", "critical", "*"]})
    found = om.evaluate(before, after, om.Schema([om.Ordinal("severity", LEVELS)]))
    assert found.utility["attribute_sse"]["severity"] == pytest.approx(1 + 2**2)
    with pytest.raises(ColumnError, match="not among its levels"):
        om.evaluate(
            before, before.replace("mild", "slight"), om.Schema([om.Ordinal("severity", LEVELS)])
        )
    numbers = om.Schema([om.Ordinal("stage", [1, 2, 3])])
    after = pd.DataFrame({"stage": ["1", "*", "3"]})
    found = om.evaluate(pd.DataFrame({"stage": [1, 2, 3]}), after, numbers)
    assert found.utility["changed"]["stage"] == 1 / 3


# ---------------------------------------------------------------------- tables that do not fit


@pytest.mark.parametrize("which", ["original", "masked"])
def test_a_quasi_identifier_must_be_in_both(diagnoses, which):
    frame = pd.DataFrame(table())
    less = frame.drop(columns="age")
    pair = (less, frame) if which == "original" else (frame, less)
    with pytest.raises(SchemaError, match=f"the {which} table has no column 'age'"):
        om.evaluate(*pair, schema_of(diagnoses))


@pytest.mark.parametrize("which", [0, 1])
def test_confidential_columns_are_watched_where_they_are_in_both(diagnoses, which):
    pair = [pd.DataFrame(table()), pd.DataFrame(table())]
    assert set(om.evaluate(*pair, schema_of(diagnoses)).risk["l_distinct"]) == {"charge", "outcome"}
    pair[which] = pair[which].drop(columns="charge")
    found = om.evaluate(*pair, schema_of(diagnoses)).risk
    assert set(found["l_distinct"]) == set(found["before"]["l_distinct"]) == {"outcome"}


def test_tables_of_different_length(diagnoses):
    frame = pd.DataFrame(table())
    with pytest.raises(
        ParameterError, match="40 records in the original table and 39 records in the masked"
    ):
        om.evaluate(frame, frame[:-1], schema_of(diagnoses))
    with pytest.raises(
        ParameterError, match="40 records in the original table and 0 records in the masked"
    ):
        om.evaluate(frame, frame[:0], schema_of(diagnoses))


def test_empty_tables(diagnoses):
    frame = pd.DataFrame(table())[:0]
    with pytest.raises(ColumnError, match="the tables have no records"):
        om.evaluate(frame, frame, schema_of(diagnoses))


def test_what_is_no_schema_or_misses_values(diagnoses):
    frame = pd.DataFrame(table(missing=True))
    with pytest.raises(ParameterError, match="schema must be a Schema, got str"):
        om.evaluate(frame, frame, "word")
    with pytest.raises(ColumnError, match="values are missing in 1 column: 'word'"):
        om.evaluate(frame, frame, schema_of(diagnoses))


# ---------------------------------------------------------------------- the two extremes


def test_an_unchanged_table(diagnoses):
    frame = pd.DataFrame(table())
    found = om.evaluate(frame, frame, schema_of(diagnoses))
    names = ["word", "age", "severity", "admitted"]
    distinct = len(frame[names].drop_duplicates())
    assert found.utility["sse"] == found.utility["changed_records"] == 0
    assert found.utility["kl"] == pytest.approx(0)
    assert found.utility["rmse"] == dict.fromkeys(names, 0)
    assert found.utility["mean_shift"]["word"]["distance"] == 0
    assert found.utility["variance_difference"]["word"]["difference"] == 0
    assert found.risk["linkage_text"] == pytest.approx(distinct / 40)
    assert found.risk["linkage_nearest"] == pytest.approx(distinct / 40)
    before = dict(found.risk["before"])
    assert before == {key: figure for key, figure in found.risk.items() if key != "before"}


@pytest.mark.parametrize(("word", "text"), [("influenza", 1 / 8), ("disorder", 0)])
def test_one_tuple_for_all(diagnoses, word, text):
    words = ["influenza", "influenza", "sprain", "sprain", *["hepatitis B"] * 4]
    after = pd.DataFrame({"word": [word] * 8})
    if word not in diagnoses:
        after["word"] = diagnoses.root
    found = om.evaluate(pd.DataFrame({"word": words}), after, words_only(diagnoses))
    assert found.utility["discernibility"] == 8**2
    # Whatever the nearest tuple is, its records share one link each: one of them in all.
    assert found.risk["linkage_nearest"] == pytest.approx(1 / 8)
    assert found.risk["linkage_text"] == pytest.approx(text)
    assert (found.risk["k"], found.risk["classes"]) == (8, 1)


def test_the_same_rows_in_every_kind(diagnoses):
    columns = table()
    _, release = released(columns, schema_of(diagnoses), om.Recoding(3))
    masked = dict(zip(columns, zip(*rows(release.data), strict=True), strict=True))
    masked = {name: list(column) for name, column in masked.items()}
    masked["admitted"] = [getattr(d, "date", lambda d=d: d)() for d in masked["admitted"]]
    expected = release.evaluation.as_dict()
    for kind in KINDS:
        other = om.evaluate(made("pandas", columns), made(kind, masked), schema_of(diagnoses), 3)
        near(other.as_dict(), expected)


# ---------------------------------------------------------------------- matched by a column


@pytest.mark.parametrize(("kind", "missing"), each_with(KINDS, [False, True]))
def test_records_in_another_order_are_matched_by_a_column(diagnoses, kind, missing):
    columns = {**table(missing=missing), "id": [f"r{i}" for i in range(40)]}
    schema = schema_of(diagnoses, missing="drop", keep=["id"])
    _, release = released(columns, schema, om.Microaggregation(3))
    expected = om.evaluate(made("pandas", columns), release.data, schema, 3)
    shuffled = pd.DataFrame(release.data).sample(frac=1, random_state=1)
    matched = om.evaluate(made(kind, columns), shuffled, schema, 3, match_by="id")
    near(matched.as_dict(), expected.as_dict())
    assert (len(shuffled) < 40) is missing


def test_a_column_that_does_not_match_records_is_refused(diagnoses):
    schema = words_only(diagnoses)
    before = pd.DataFrame({"word": ["influenza", "sprain"], "id": [1, 2], "same": [1, 1]})

    def refusal(after, match_by):
        with pytest.raises(ParameterError) as error:
            om.evaluate(before, after, schema, match_by=match_by)
        return str(error.value)

    assert "which the masked table does not have" in refusal(before[["word"]], "id")
    assert "missing or repeated values" in refusal(before, "same")
    assert "must have the same values of the match_by column 'id'" in refusal(
        before.assign(id=[1, 3]), "id"
    )
