"""The headline is about the released table: k and uniqueness with kept columns, linked records.

Every number is counted again by plain code from the released cells.
"""

from __future__ import annotations

import csv
import gzip
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import polars as pl
import pytest
import yaml

import ontomask as om
from ontomask.pipeline.facts import publishable_facts
from ontomask.releasefile.run import write_release

pytestmark = pytest.mark.filterwarnings(
    "ignore::ontomask.errors.WeakProtectionWarning",
    "ignore::ontomask.errors.RepeatedIdentifierWarning",
    "ignore::ontomask.errors.LookAlikeWarning",
)


def made(seed, records=80):
    """A random table: ages, a kept ward with blanks, a stay of one person each, an outcome."""
    random = np.random.default_rng(seed)
    who = random.integers(0, 15, records)
    stay = who * 10 + random.integers(0, 3, records)
    wards = np.array(["a", "b", "", None], dtype=object)
    return {
        "age": random.integers(20, 26, records).tolist(),
        "ward": random.choice(wards, records).tolist(),
        "bed": random.integers(0, 2, records).tolist(),
        "who": [f"p{number}" for number in who],
        "stay": stay.tolist(),
        "outcome": random.choice(["well", "ill"], records, p=[0.9, 0.1]).tolist(),
    }


def in_memory(spark, folder, table):
    return pl.DataFrame(table)


def in_pandas(spark, folder, table):
    return pd.DataFrame(table)


def in_parquet(spark, folder, table):
    pl.DataFrame(table).write_parquet(folder / "table.parquet")
    return folder / "table.parquet"


def in_csv(spark, folder, table):
    pl.DataFrame(table).write_csv(folder / "table.csv", null_value="NULL")
    return folder / "table.csv"


def in_spark(spark, folder, table):
    return spark.createDataFrame(pl.DataFrame(table).to_arrow())


def cells(release):
    data = release.data
    if hasattr(data, "toArrow"):
        return data.toArrow().to_pylist()
    if hasattr(data, "to_arrow_table"):
        return data.to_arrow_table().to_pylist()
    return pl.from_pandas(data).to_dicts() if isinstance(data, pd.DataFrame) else data.to_dicts()


def sizes(rows, columns):
    return Counter(tuple(row[column] for column in columns) for row in rows)


def people_by_records(rows, columns, link, person="who"):
    """The people of each multiset of records with the same link."""
    records, owner = defaultdict(list), {}
    for row in rows:
        records[row[link]].append(repr([row[column] for column in columns]))
        owner[row[link]] = row[person]
    classes = defaultdict(set)
    for value, texts in records.items():
        classes[tuple(sorted(texts))].add(owner[value])
    return classes


METHODS = [om.Microaggregation(5), om.Suppression(5), om.Suppression(5, how="drop")]
PERTURBING = [om.RankSwapping(3), om.NoiseAddition(0.5)]


def check_kept(table, methods=(*METHODS, *PERTURBING)):
    """Kept columns without a person."""
    schema = om.Schema(
        [om.Numeric("age")], confidential=["outcome"], keep=["ward", "bed"], other="drop"
    )
    for method in methods:
        release = om.mask(table, schema, method, seed=1)
        alone, counts = (
            sizes(cells(release), ["age"]),
            sizes(cells(release), ["age", "ward", "bed"]),
        )
        guarantee = release.guarantee
        assert guarantee.smallest == min(alone.values())
        assert guarantee.uniques == sum(size == 1 for size in alone.values())
        assert guarantee.released.columns == ("ward", "bed")
        assert guarantee.released.smallest == min(counts.values())
        assert guarantee.released.uniques == sum(size == 1 for size in counts.values())
        assert guarantee.released.classes == len(counts)
        assert (guarantee.released.total, guarantee.released.unit) == (release.records, "records")
        if method.promised_k and guarantee.released.smallest < 5:
            assert guarantee.headline[0].startswith("not 5-anonymous: ")
            assert guarantee.headline[1].startswith("On the quasi-identifiers alone: 5-anonymous")


LINKS = (["who"], ["who", "bed"], ["stay"], ["stay", "ward"])


def check_linked(table, links=LINKS, methods=METHODS):
    """The person, or a column that determines it, is released."""
    for kept in links:
        schema = om.Schema([om.Numeric("age")], keep=kept, person="who", other="drop")
        known = om.Schema([om.Numeric("age")], keep=["stay", "ward", "bed", "who"], other="drop")
        link = kept[0]
        for method in methods:
            release = om.mask(table, schema, method, seed=1)
            same = om.mask(table, known, method, seed=1) if link == "stay" else release
            rows = cells(release)
            if link == "stay":  # masking is the same, so that the removed person can be looked up
                owner = {row["stay"]: row["who"] for row in cells(same)}
                rows = [{**row, "who": owner[row["stay"]]} for row in rows]
            classes = people_by_records(rows, ["age", *kept[1:]], link)
            guarantee = release.guarantee
            assert guarantee.released.link == link
            assert guarantee.smallest == min(map(len, classes.values()))
            assert guarantee.classes == len(classes)
            assert guarantee.released.total == len({row["who"] for row in rows})
            alone = {next(iter(people)) for people in classes.values() if len(people) == 1}
            assert guarantee.released.uniques == len(alone)
            assert guarantee.unit == "people"
            if guarantee.smallest < 5:
                assert guarantee.k is None
                assert guarantee.headline[0].startswith(
                    f"not 5-anonymous: the released column {link!r} links the records of a person"
                )
            else:
                assert guarantee.k == 5


@pytest.mark.parametrize(
    ("seed", "engine"), [*enumerate([in_memory, in_pandas, in_parquet, in_csv])]
)
def test_kept_columns_and_linked_records_are_counted(engine, seed, tmp_path):
    table = engine(None, tmp_path, made(seed))
    check_kept(table)
    check_linked(table)


@pytest.mark.spark
def test_spark_counts_kept_columns_and_linked_records(spark, tmp_path):
    table = in_spark(spark, tmp_path, made(0))
    check_kept(table, [om.Suppression(5, how="drop"), om.RankSwapping(3)])
    check_linked(table, LINKS[1:2], [om.Suppression(5, how="drop")])
    check_linked(table, LINKS[3:], [om.Microaggregation(5)])


def test_people_are_counted_on_kept_columns_when_nothing_links_their_records():
    table = made(3)
    schema = om.Schema([om.Numeric("age")], keep=["bed"], person="who", other="drop")
    release = om.mask(pl.DataFrame(table), schema, om.Microaggregation(3))
    people = defaultdict(set)
    for row, who in zip(release.data.to_dicts(), table["who"], strict=True):
        people[row["age"], row["bed"]].add(who)
    released = release.guarantee.released
    assert (released.link, released.unit, released.total) == (
        None,
        "people",
        len(set(table["who"])),
    )
    assert released.smallest == min(map(len, people.values()))
    alone = set().union(*(group for group in people.values() if len(group) == 1))
    assert released.uniques == len(alone)


def test_the_same_people_with_the_same_records_are_k_anonymous():
    table = {"age": [30, 40] * 6, "who": [place // 2 for place in range(12)]}
    schema = om.Schema([om.Numeric("age")], keep=["who"], person="who")
    release = om.mask(pl.DataFrame(table), schema, om.Suppression(6))
    assert release.guarantee == (
        "6-anonymous on age, all records of a person together ('who' is released): smallest "
        "equivalence class 6 people"
    )
    assert release.guarantee.k == 6
    table["age"][0] = 40  # now somebody has two records of 40
    release = om.mask(pl.DataFrame(table), schema, om.Suppression(5))
    assert release.guarantee == (
        "not 5-anonymous: the released column 'who' links the records of a person, and 1 of 6 "
        "people is unique by all their records on age; smallest equivalence class 1 person. "
        "Without who: 5-anonymous on age: smallest equivalence class 5 people"
    )
    assert repr(release).endswith("1 unique people by linked records, not k-anonymous)")


def test_a_person_with_one_record_is_no_link():
    table = {"age": [30] * 3 + [40] * 3, "who": list(range(6))}
    schema = om.Schema([om.Numeric("age")], keep=["who"], person="who")
    release = om.mask(pl.DataFrame(table), schema, om.Suppression(3))
    assert release.guarantee == "3-anonymous on age: smallest equivalence class 3 people"


def test_kept_columns_that_change_nothing_are_part_of_the_guarantee():
    table = {"age": [30] * 3 + [40] * 3, "ward": ["a"] * 3 + ["b"] * 3}
    schema = om.Schema([om.Numeric("age")], keep=["ward"])
    release = om.mask(pl.DataFrame(table), schema, om.Suppression(3))
    assert release.guarantee == (
        "3-anonymous on age and the kept column ward: smallest equivalence class 3 records"
    )
    assert repr(release).endswith("3-anonymous)")


def test_attribute_disclosure_is_in_the_headline():
    table = {"age": [30] * 3 + [40] * 3, "outcome": ["ill"] * 3 + ["ill", "well", "well"]}
    schema = om.Schema([om.Numeric("age")], confidential=["outcome"])
    release = om.mask(pl.DataFrame(table), schema, om.Suppression(3))
    assert release.guarantee.homogeneous == {"outcome": 3}
    assert release.guarantee.headline[-1] == (
        "Attribute disclosure: 3 records in equivalence classes with a single value of outcome"
    )
    people = om.Schema([om.Numeric("age")], confidential=["outcome"], person="who")
    frame = pl.DataFrame({**table, "who": [1, 2, 2, 3, 4, 5]})
    release = om.mask(frame, people, om.Suppression(2))
    assert release.guarantee.homogeneous == {"outcome": 2}
    assert "Attribute disclosure: 2 people in equivalence classes" in release.guarantee


def test_the_comparison_counts_what_masking_counts():
    table = pl.DataFrame(made(5))
    for settings in ({"keep": ["ward", "bed"]}, {"keep": ["who"], "person": "who"}):
        schema = om.Schema([om.Numeric("age")], other="drop", **settings)
        methods = [*METHODS, om.NoiseAddition(0.5)]
        points = om.compare(table, schema, methods, seed=2**70).points
        for method, point in zip(methods, points, strict=True):
            release = om.mask(table, schema, method, seed=2**70)
            if isinstance(method, om.NoiseAddition):
                assert point.guarantee.released is None
                assert any("kept columns is unknown" in note for note in point.notes)
            else:
                assert point.guarantee == release.guarantee
                assert point.guarantee.released == release.guarantee.released


# ---------------------------------------------------------------------- real tables

DIABETES = {
    "race": "nominal",
    "gender": "nominal",
    "age": "nominal",
    "time_in_hospital": "numeric",
    "num_medications": "numeric",
}
ADULT = {
    "age": "numeric",
    "sex": "nominal",
    "education_num": "numeric",
    "race": "nominal",
    "relationship": "nominal",
}

#: Quasi-identifiers, kept and sensitive columns, and whether people are known.
ASSIGNMENTS = [
    ("diabetes", ["race", "gender", "age"], [], ["readmitted"], None),
    ("diabetes", ["gender", "age"], ["race"], ["readmitted"], None),
    ("diabetes", ["gender", "age"], ["race", "num_medications"], [], None),
    ("diabetes", ["age", "time_in_hospital"], ["gender"], ["readmitted"], "patient_nbr"),
    ("diabetes", ["gender", "age"], ["patient_nbr"], ["readmitted"], "patient_nbr"),
    ("diabetes", ["race", "gender"], ["patient_nbr", "age"], [], "patient_nbr"),
    ("adult", ["age", "sex", "race"], [], ["income"], None),
    ("adult", ["age", "sex"], ["race", "relationship"], ["income"], None),
    ("adult", ["education_num"], ["age", "sex", "race"], ["income"], None),
    ("adult", ["sex", "relationship"], ["education_num"], [], None),
]


@pytest.fixture(scope="module")
def real_tables(data_folder, tmp_path_factory):
    """The first 4,000 records of both tables as CSV files."""
    folder = tmp_path_factory.mktemp("real")
    for name, file in (("diabetes", "diabetes_130.csv.gz"), ("adult", "adult.csv.gz")):
        with gzip.open(data_folder / file, "rt", encoding="utf-8", newline="") as text:
            lines = [next(text) for _ in range(4_001)]
        (folder / f"{name}.csv").write_text("".join(lines), "utf-8")
    return folder


@pytest.mark.parametrize(("name", "quasi", "kept", "sensitive", "person"), ASSIGNMENTS)
def test_the_headline_equals_a_recount_of_the_written_file(
    real_tables, tmp_path, name, quasi, kept, sensitive, person
):
    kinds = DIABETES if name == "diabetes" else ADULT
    path = real_tables / f"{name}.csv"
    with path.open(newline="", encoding="utf-8") as file:
        original = list(csv.DictReader(file))
    columns = {column: {"role": "quasi", "type": kinds[column]} for column in quasi}
    spec = {
        "data": str(path),
        "output": str(tmp_path / "released.csv"),
        "order": "keep",
        "missing_marks": ["?"],
        "missing": "category",
        "columns": columns
        | {column: {"role": "keep"} for column in kept}
        | {column: {"role": "confidential"} for column in sensitive}
        | ({person: {"role": "identifier"}} if person and person not in kept else {}),
        "other": "drop",
        "method": {"name": "suppression", "k": 5},
        **({"person": person} if person else {}),
    }
    for column in quasi:
        if kinds[column] == "nominal":
            values = sorted({row[column] for row in original} - {"?"})
            taxonomy = tmp_path / f"{column}.csv"
            lines = ["child,parent", *(f'"{value}",all' for value in values)]
            taxonomy.write_text("\n".join(lines), "utf-8")
            spec["columns"][column]["taxonomy"] = str(taxonomy)
    (tmp_path / "release.yaml").write_text(yaml.safe_dump(spec), "utf-8")
    outcome = write_release(tmp_path / "release.yaml", 2**80, allow_unchanged=True)
    with (tmp_path / "released.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    facts = publishable_facts(outcome.release, 5)["guarantee"]
    if person is None:
        alone, everything = sizes(rows, quasi), sizes(rows, [*quasi, *kept])
        assert (facts["smallest"], facts["uniques"]) == (
            min(alone.values()),
            sum(size == 1 for size in alone.values()),
        )
        counted = facts["released"] or facts
        assert (counted["smallest"], counted["uniques"]) == (
            min(everything.values()),
            sum(size == 1 for size in everything.values()),
        )
        return
    for row, before in zip(rows, original, strict=True):  # the rows are in their order
        row[person] = before[person]
    others = [column for column in kept if column != person]
    if person in kept:
        classes = people_by_records(rows, [*quasi, *others], person, person)
    else:
        classes = defaultdict(set)
        for row in rows:
            classes[tuple(row[column] for column in (*quasi, *others))].add(row[person])
    alone = set().union(*(people for people in classes.values() if len(people) == 1))
    assert facts["released"]["smallest"] == min(map(len, classes.values()))
    assert facts["released"]["uniques"] == len(alone)
    assert facts["released"]["total"] == len({row[person] for row in rows})


# ---------------------------------------------------------------------- renamed is not unchanged


def test_a_concept_that_is_spelt_differently_is_not_called_unchanged():
    words = ["flu", "Influenza", "influenza", "cold", "common cold", "COLD"]
    taxonomy = om.Taxonomy.from_edges(
        [("influenza", "disease"), ("common cold", "disease")],
        labels={"influenza": ["influenza", "flu"], "common cold": ["common cold", "cold"]},
    )
    schema = om.Schema([om.Nominal("illness", taxonomy)])
    release = om.mask(pl.DataFrame({"illness": words}), schema, om.Suppression(3))
    released = release.data["illness"].to_list()
    assert released == ["influenza"] * 3 + ["common cold"] * 3
    different = sum(before != after for before, after in zip(words, released, strict=True))
    assert release.renamed == {"illness": different}
    assert release.evaluation.utility["changed_records"] == 0
    facts = publishable_facts(release, 3)
    assert facts["taxonomies"]["illness"]["renamed"] == different
