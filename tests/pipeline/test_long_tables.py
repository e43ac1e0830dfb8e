"""Long tables of sets: a row for each value of a person, masked as one set and spread again."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ontomask as om
import plain_sets
from frame_kinds import KINDS, made, rows
from ontomask.engines.long_table import LongRows
from ontomask.errors import ColumnError, ParameterError, SchemaError
from ontomask.pipeline.facts import publishable_facts
from pairing import each_with

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")

METHODS = [
    om.Microaggregation(k=3),
    om.Recoding(k=3),
    om.Resampling(k=3),
    om.Suppression(k=2),
    om.RankSwapping(window=3),
]
TREE = om.datasets.diagnoses()
WORDS = [name for name in TREE if not TREE.children(name)]


def made_up():
    """People with some diagnoses, a row each, in any order; a repeat, and one without any."""
    random = np.random.default_rng(4)
    records = []
    for person in range(30):
        sex = str(random.choice(["f", "m"]))
        for word in random.choice(WORDS, random.integers(1, 4), replace=False).tolist():
            records.append((f"id {person:02d}", word, sex))
    records += [records[0], ("id 99", None, "f")]
    random.shuffle(records)
    return dict(zip(("patient", "dx", "sex"), map(list, zip(*records, strict=True)), strict=True))


TABLE = made_up()


def schema_for(**others):
    sexes = om.Taxonomy.from_edges([("f", "any"), ("m", "any")])
    masked = [om.NominalSet("dx", TREE, long=True), om.Nominal("sex", sexes)]
    return om.Schema(masked, person="patient", missing="category", **others)


def gather(records):
    """The set and the sex of each person or pseudonym."""
    people = defaultdict(lambda: (set(), set()))
    for person, word, sex in records:
        people[person][0].update([word] if word else [])
        people[person][1].add(sex)
    assert all(len(sexes) == 1 for _, sexes in people.values())
    return {
        person: (
            frozenset(plain_sets.deepest(TREE, set(map(TREE.code, words)))),
            min(sexes, key=str),
        )
        for person, (words, sexes) in people.items()
    }


@pytest.mark.parametrize(("kind", "method"), each_with(KINDS, METHODS), ids=str)
def test_every_method_masks_long_tables(kind, method):
    release = om.mask(made(kind, TABLE), schema_for(), method, seed=3)
    released = rows(release.data)
    assert type(release.data) is type(made(kind, TABLE))
    before, after = gather(rows(made("pyarrow", TABLE))), gather(released)
    assert len(before) == len(after) == release.records == 31
    assert not set(before) & set(after)
    assert len(released) == len(set(released))  # no value twice
    classes = Counter(after.values())
    if method.promised_k is not None:
        assert min(classes.values()) >= method.promised_k
        assert release.guarantee.smallest == min(classes.values())
    if method.permutes:
        assert Counter(words for words, _ in before.values()) == Counter(
            words for words, _ in after.values()
        )


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files_are_recounted(tmp_path, suffix):
    source, target = tmp_path / f"long.{suffix}", tmp_path / f"released.{suffix}"
    frame = pl.DataFrame(TABLE)
    getattr(frame, f"write_{suffix}")(source)
    release = om.mask(source, schema_for(), om.Microaggregation(k=3), seed=3)
    release.write(target)
    written = getattr(pl, f"read_{suffix}")(target)
    assert written.columns == ["patient", "dx", "sex"]
    classes = Counter(gather(written.rows()).values())
    assert min(classes.values()) >= 3
    in_memory = om.mask(frame, schema_for(), om.Microaggregation(k=3), seed=3).data
    assert sorted(gather(written.rows()).values(), key=str) == sorted(
        gather(in_memory.rows()).values(), key=str
    )


def test_spark_frames_are_recounted(spark, tmp_path):
    frame = spark.createDataFrame(made("pyarrow", TABLE))
    release = om.mask(frame, schema_for(), om.Microaggregation(k=3), seed=3)
    assert release.data.columns == ["patient", "dx", "sex"]
    after = gather(map(tuple, release.data.collect()))
    in_memory = om.mask(pd.DataFrame(TABLE), schema_for(), om.Microaggregation(k=3), seed=3).data
    assert after == gather(rows(in_memory))
    release.write(tmp_path / "released.csv")
    assert Counter(after.values()) == Counter(
        gather(pl.read_csv(tmp_path / "released.csv").rows()).values()
    )


def test_it_is_what_lists_of_the_people_give():
    people = defaultdict(list)
    for person, word in zip(TABLE["patient"], TABLE["dx"], strict=True):
        people[person] += [word] if word else []
    lists = pl.DataFrame({"dx": [words or None for words in people.values()]})
    schema = om.Schema([om.NominalSet("dx", TREE)], missing="category")
    expected = om.mask(lists, schema, om.Microaggregation(k=3))
    long = om.Schema(
        [om.NominalSet("dx", TREE, long=True)],
        person="patient",
        drop=["sex"],
        missing="category",
    )
    release = om.mask(pl.DataFrame(TABLE), long, om.Microaggregation(k=3))
    assert release.evaluation.utility["sse"] == expected.evaluation.utility["sse"]
    assert "sex" not in release.data.columns
    comparison = om.compare(pl.DataFrame(TABLE), long, [om.Microaggregation(k=3)], workers=1)
    assert comparison.points[0].loss == release.evaluation.utility["sse"]


@pytest.mark.parametrize("method", [METHODS[0], METHODS[3]], ids=str)
def test_long_tables_are_evaluated_by_their_people(tmp_path, method):
    """With a kept number of each person; the rows of both tables differ."""
    numbered = pl.DataFrame(TABLE).with_columns(study=pl.col("patient").str.slice(3))
    schema = schema_for(keep=["study"])
    release = om.mask(numbered, schema, method, seed=3)
    assert len(release.data) != len(numbered)
    figures = om.evaluate(numbered, release.data, schema, match_by="study")
    expected = release.evaluation
    assert figures.utility["sse"] == pytest.approx(expected.utility["sse"])
    assert (figures.risk["uniques"], figures.risk["k"]) == (
        expected.risk["uniques"],
        expected.risk["k"],
    )
    # What another tool masked, with the people's own names and a row in any order.
    named = {row["study"]: row["patient"] for row in numbered.select("study", "patient").to_dicts()}
    others = release.data.with_columns(pl.col("study").replace_strict(named).alias("patient"))
    numbered.write_csv(tmp_path / "before.csv")
    others.sample(fraction=1.0, shuffle=True, seed=1).write_csv(tmp_path / "after.csv")
    figures = om.evaluate(
        tmp_path / "before.csv", tmp_path / "after.csv", schema_for(), match_by="patient"
    )
    assert figures.utility["sse"] == pytest.approx(expected.utility["sse"])
    with pytest.raises(ParameterError, match="match_by must name a column that identifies the peo"):
        om.evaluate(numbered, release.data, schema)
    with pytest.raises(ParameterError, match="same values of the match_by column 'patient'"):
        om.evaluate(numbered, release.data, schema, match_by="patient")
    with pytest.raises(SchemaError, match="the long table has no column 'patient'"):
        om.evaluate(numbered, release.data.drop("patient"), schema, match_by="study")


def test_people_and_rows_are_both_counted():
    unknown = pl.DataFrame(TABLE).with_columns(
        pl.col("patient").replace({"id 01": None}), pl.col("dx")
    )
    lost = TABLE["patient"].count("id 01")
    schema = replace(schema_for(), missing="drop")
    release = om.mask(unknown, schema, om.Microaggregation(k=3), seed=3)
    people, rows = release.records, len(release.data)
    assert people == 29  # nor the one without any diagnosis
    assert release.rows == LongRows(before=60, removed=lost, released=rows)
    assert f"{people} people in {rows} rows" in repr(release)
    facts = publishable_facts(release, 3)
    assert facts["records"] == {
        "released": 29,
        "dropped": 1,
        "suppressed": 0,
        "rows": {"before": 60, "removed": lost, "released": rows},
    }
    page = release.report(facts)
    for words in (
        f"people released in {rows} rows, in ",
        f"The table has {people} people in {rows} rows.",
        f"{lost} rows without a known person were removed.",
        "1 person with missing values was removed.",
        "60 before masking",
    ):
        assert words in page, words


def test_wrong_tables_are_refused():
    frame = pd.DataFrame(TABLE)
    with pytest.raises(SchemaError, match="the long set 'dx' needs person"):
        om.Schema([om.NominalSet("dx", TREE, long=True)])
    with pytest.raises(SchemaError, match="linked is not for the long set 'dx'"):
        schema_for(linked="equal")
    changing = frame.assign(sex=["f", "m"] * (len(frame) // 2) + ["f"] * (len(frame) % 2))
    with pytest.raises(ColumnError, match="column 'sex' must have one value for each person"):
        om.mask(changing, schema_for(), om.Microaggregation(k=3))
    unknown = frame.assign(patient=frame["patient"].where(frame["patient"] != "id 01"))
    with pytest.raises(ColumnError, match="rows have no known person in 'patient'"):
        om.mask(unknown, schema_for(), om.Microaggregation(k=3))
    with pytest.raises(ParameterError, match="k must be at most the number of"):
        om.mask(frame, schema_for(), om.Microaggregation(k=32))
