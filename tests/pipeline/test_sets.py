"""Columns of sets, masked by every method and recounted from what was written."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
import plain
import plain_sets
from frame_kinds import KINDS, made, rows
from ontomask.distances import Distances
from ontomask.errors import ColumnError, ParameterError, SchemaError
from ontomask.microdata.sets import ConceptSets, reduce_to_deepest
from ontomask.microdata.sets.matching_measure import MATCHING_MEASURE
from ontomask.microdata.sets.set_concepts import (
    EMPTY_SET,
    SET_MEASURE,
    add_sets,
    deepest_set,
    members_of,
    name_set,
    name_sets,
    pair_distances,
)
from strategies import examples, taxonomies

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")

METHODS = [
    om.Microaggregation(k=3),
    om.Microaggregation(k=3, centroid="best", objective="sad"),
    om.Microaggregation(k=3, algorithm="mdav"),
    om.Microaggregation(k=2, block=6),
    om.Recoding(k=3),
    om.Resampling(k=3),
    om.Suppression(k=2),
    om.RankSwapping(window=3),
    om.NoiseAddition(alpha=0.3),
]


@st.composite
def cases(draw, max_records=40):
    """A taxonomy with several parents, and sets of its concepts with an age for each record."""
    taxonomy = draw(taxonomies(max_concepts=10))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size = draw(st.integers(4, max_records))
    most = draw(st.integers(1, 4))
    names = np.array(taxonomy.identifiers, dtype=object)
    sets = [
        random.choice(names, min(random.integers(0, most + 1), len(names)), replace=False).tolist()
        for _ in range(size)
    ]
    return taxonomy, sets, random.integers(0, 9, size).tolist()


#: Most of them have a fracture, and all a viral infection.
NO_TWO_ALIKE = ["influenza;broken arm", "common cold;broken leg", "hepatitis B;sprain"]


def in_text(names):
    return ";".join(names) if names else ";"


def read_back(taxonomy, cell):
    """What a released cell means: its deepest concepts, None for an empty cell."""
    if cell is None:
        return None
    names = [part for part in cell.split(";") if part] if isinstance(cell, str) else list(cell)
    return frozenset(members_of(deepest_set(taxonomy, names)))


# ---------------------------------------------------------------------- distances


@given(case=cases())
def test_distances_are_those_of_the_closures(case):
    taxonomy, sets, _ = case
    names = [deepest_set(taxonomy, concepts) for concepts in sets]
    domain = add_sets(taxonomy, names)
    table = Distances(domain, names, measure=SET_MEASURE).table()
    closures = [plain_sets.closure(taxonomy, [*map(taxonomy.code, concepts)]) for concepts in sets]
    expected = [[plain_sets.distance(a, b) for b in closures] for a in closures]
    assert table == pytest.approx(np.array(expected), abs=1e-12)
    pairs = [[SET_MEASURE.pair(domain, a, b) for b in names] for a in names]
    assert table == pytest.approx(np.array(pairs), abs=1e-12)
    codes = domain.codes(names)
    first, second = np.repeat(codes, len(codes)), np.tile(codes, len(codes))
    assert pair_distances(domain, first, second) == pytest.approx(table.ravel(), abs=1e-12)


@given(case=cases())
def test_distances_by_matching_are_those_of_the_best_of_all_matchings(case):
    taxonomy, sets, _ = case
    names = [deepest_set(taxonomy, concepts) for concepts in sets]
    domain = add_sets(taxonomy, names)
    expected = [[plain_matching(taxonomy, a, b) for b in names] for a in names]
    table = Distances(domain, names, measure=MATCHING_MEASURE).table()
    assert table == pytest.approx(np.array(expected), abs=1e-12)
    pairs = [[MATCHING_MEASURE.pair(domain, a, b) for b in names] for a in names]
    assert table == pytest.approx(np.array(pairs), abs=1e-12)
    codes = domain.codes(names)
    first, second = np.repeat(codes, len(codes)), np.tile(codes, len(codes))
    apart = MATCHING_MEASURE.pairs(domain, first, second)
    assert apart == pytest.approx(table.ravel(), abs=1e-12)


def plain_matching(taxonomy, a, b):
    """The least mean cost of all ways to give each member a partner."""
    before, after = members_of(a), members_of(b)
    costs = [[plain.sanchez(taxonomy, one, other) for other in after] for one in before]
    return plain_sets.matching_distance(costs, len(before), len(after))


def test_matching_changes_what_is_measured_and_not_the_groups():
    tree = om.datasets.diagnoses()
    table = pd.DataFrame({"dx": [*NO_TWO_ALIKE, "cirrhosis", "cirrhosis", "cirrhosis;hepatitis C"]})
    releases = [
        om.mask(table, om.Schema([om.NominalSet("dx", tree, measure=measure)]), METHODS[0], seed=1)
        for measure in ("sanchez", "matching")
    ]
    first, second = (release.data["dx"].tolist() for release in releases)
    assert first == second
    lost = [release.evaluation.utility["sse"] for release in releases]
    expected = sum(
        plain_matching(tree, deepest_set(tree, one.split(";")), deepest_set(tree, new.split(";")))
        ** 2
        for one, new in zip(table["dx"], second, strict=True)
    )
    assert lost[1] == pytest.approx(expected, abs=1e-6)
    assert lost[0] != pytest.approx(lost[1], rel=0.01)
    words = releases[1].explain("influenza;broken arm").parts[0].example.columns[0].moves[0].words
    pairs = [("fracture", "broken arm"), ("viral infection", "influenza")]
    terms = " + ".join(f"{plain.sanchez(tree, new, one):.3f}" for new, one in pairs)
    assert words.endswith(f"1 for none: ({terms})/2")
    with pytest.raises(SchemaError, match="must be 'sanchez' or 'matching' for sets"):
        om.Schema([om.NominalSet("dx", tree, measure="wu_palmer")])


@given(case=cases())
def test_names_of_sets(case):
    taxonomy, sets, _ = case
    for concepts in sets:
        name = deepest_set(taxonomy, concepts)
        deepest = plain_sets.deepest(taxonomy, set(map(taxonomy.code, concepts)))
        assert set(map(taxonomy.code, members_of(name))) == deepest
        assert name == name_set(reversed(members_of(name)))
    assert name_set([]) == EMPTY_SET
    numbers = ConceptSets.from_lists([[*map(taxonomy.code, one)] for one in sets])
    names = [deepest_set(taxonomy, one) for one in sets]
    assert name_sets(taxonomy, reduce_to_deepest(taxonomy, numbers)) == names


# ---------------------------------------------------------------------- what is promised


@examples(25)
@given(case=cases(), method=st.sampled_from(METHODS), lists=st.booleans())
def test_every_method_masks_sets(case, method, lists):
    taxonomy, sets, ages = case
    cells = pa.array(sets, pa.list_(pa.string())) if lists else list(map(in_text, sets))
    table = pa.table({"dx": cells, "age": ages})
    schema = om.Schema([om.NominalSet("dx", taxonomy), om.Numeric("age")])
    try:
        release = om.mask(table, schema, method, seed=1)
    except ParameterError:  # too few to swap, or a single value for noise
        return
    released = [(read_back(taxonomy, cell), age) for cell, age in rows(release.data)]
    assert len(released) == len(sets)
    assert release.data.schema == table.schema
    if method.promised_k is not None:
        assert min(Counter(released).values()) >= method.promised_k
        assert release.guarantee.smallest == min(Counter(released).values())
    if method.permutes:
        before = Counter(read_back(taxonomy, concepts) for concepts in sets)
        assert Counter(dx for dx, _ in released) == before
    found = om.evaluate(table, release.data, schema, method.target_k)
    for part in ("utility", "risk"):
        one, other = getattr(found, part), getattr(release.evaluation, part)
        assert one["sse" if part == "utility" else "linkage_nearest"] == pytest.approx(
            other["sse" if part == "utility" else "linkage_nearest"]
        )


@examples(25)
@given(case=cases(), centroid=st.sampled_from(["rule", "best"]))
def test_a_group_takes_a_level_set_of_its_sets(case, centroid):
    taxonomy, sets, _ = case
    table = pd.DataFrame({"dx": list(map(in_text, sets))})
    schema = om.Schema([om.NominalSet("dx", taxonomy, domain="taxonomy")])
    method = om.Microaggregation(k=2, centroid=centroid)
    release = om.mask(table, schema, method, seed=1)
    members = defaultdict(list)
    for concepts, cell in zip(sets, release.data["dx"], strict=True):
        members[read_back(taxonomy, cell)].append(
            plain_sets.closure(taxonomy, [*map(taxonomy.code, concepts)])
        )
    loss = sum(
        plain_sets.cost(
            closures,
            [1] * len(closures),
            plain_sets.closure(taxonomy, [*map(taxonomy.code, centre)]),
        )
        for centre, closures in members.items()
    )
    assert release.evaluation.utility["sse"] == pytest.approx(loss)
    assert all(len(closures) >= 2 for closures in members.values())


def test_new_sets_are_released(diagnoses):
    cells = ["influenza;sprain;hepatitis B", "influenza;sprain;broken leg", "influenza;sprain"]
    table = pd.DataFrame({"dx": [*cells, "cirrhosis", "cirrhosis", "cirrhosis"]})
    schema = om.Schema([om.NominalSet("dx", diagnoses)])
    data = om.mask(table, schema, om.Microaggregation(k=3), seed=1).data
    assert data["dx"].tolist()[:3] == ["influenza;sprain"] * 3
    table = pd.DataFrame({"dx": NO_TWO_ALIKE})
    data = om.mask(table, schema, om.Microaggregation(k=3), seed=1).data
    assert set(data["dx"]) == {"fracture;viral infection"}


def test_empty_is_a_value_and_missing_is_missing(diagnoses):
    lists = [[], [], [], None, None, None, ["sprain"], ["sprain"], ["sprain"]]
    schema = om.Schema([om.NominalSet("dx", diagnoses)], missing="category")
    table = pa.table({"dx": pa.array(lists, pa.list_(pa.string()))})
    assert om.mask(table, schema, om.Microaggregation(k=3), seed=1).data == table
    text = pa.table({"dx": [";", ";", ";", None, None, None, "sprain", "sprain", "sprain"]})
    assert om.mask(text, schema, om.Microaggregation(k=3), seed=1).data == text
    with pytest.raises(ColumnError, match="3 rows"):
        om.mask(table, om.Schema([om.NominalSet("dx", diagnoses)]), om.Microaggregation(k=3))


@examples(15)
@given(case=cases(), seed=st.integers(0, 1000))
def test_classes_hold_k_people_and_l_values(case, seed):
    taxonomy, sets, ages = case
    random = np.random.default_rng(seed)
    people = random.integers(0, len(sets), len(sets)).tolist()
    secrets = ["a", "b", *random.choice(["a", "b"], len(sets) - 2).tolist()]
    if len(set(people)) < 2:
        return
    table = pa.table({"dx": list(map(in_text, sets)), "age": ages, "p": people, "s": secrets})
    schema = om.Schema(
        [om.NominalSet("dx", taxonomy), om.Numeric("age")], person="p", confidential=["s"]
    )
    data = om.mask(table, schema, om.Microaggregation(k=2, l=2), seed=1).data
    holders, values = defaultdict(set), defaultdict(set)
    for (cell, age, _), person, secret in zip(rows(data), people, secrets, strict=True):
        holders[read_back(taxonomy, cell), age].add(person)
        values[read_back(taxonomy, cell), age].add(secret)
    assert min(map(len, holders.values())) >= 2
    assert min(map(len, values.values())) == 2


# ---------------------------------------------------------------------- tables and files


@pytest.fixture
def sets(diagnoses):
    random = np.random.default_rng(3)
    leaves = sorted(diagnoses.leaves)
    return [
        sorted(random.choice(leaves, random.integers(0, 4), replace=False).tolist())
        for _ in range(80)
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_frame(diagnoses, sets, kind):
    schema = om.Schema([om.NominalSet("dx", diagnoses)])
    expected = om.mask(made("pyarrow", {"dx": sets}), schema, om.Microaggregation(k=4), seed=1)
    frame = made(kind, {"dx": sets})
    release = om.mask(frame, schema, om.Microaggregation(k=4), seed=1)
    assert type(release.data) is type(frame)
    cells = [list(cell) for (cell,) in rows(release.data)]
    assert cells == [cell for (cell,) in rows(expected.data)]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.jsonl"])
def test_files_are_written_as_they_came(diagnoses, sets, tmp_path, name):
    schema = om.Schema([om.NominalSet("dx", diagnoses)])
    expected = om.mask(made("pyarrow", {"dx": sets}), schema, om.Microaggregation(k=4), seed=1)
    path, target = tmp_path / name, tmp_path / f"masked-{name}"
    if name == "t.csv":
        path.write_text("".join(f"{cell}\n" for cell in ["dx", *map(in_text, sets)]))
    elif name == "t.parquet":
        pq.write_table(pa.table({"dx": sets}), path)
    else:
        path.write_text("".join(json.dumps({"dx": names}) + "\n" for names in sets))
    release = om.mask(path, schema, om.Microaggregation(k=4), seed=1)
    release.write(target)
    if name == "t.csv":
        with open(target, newline="") as file:
            cells = [read_back(diagnoses, row["dx"]) for row in csv.DictReader(file)]
    elif name == "t.parquet":
        assert pq.read_schema(target).types == pq.read_schema(path).types
        cells = [read_back(diagnoses, cell) for (cell,) in rows(pq.read_table(target))]
    else:
        cells = [frozenset(json.loads(line)["dx"]) for line in target.read_text().splitlines()]
    assert min(Counter(cells).values()) >= 4
    assert Counter(cells) == Counter(frozenset(cell) for (cell,) in rows(expected.data))


@pytest.mark.spark
@pytest.mark.parametrize("lists", [True, False])
def test_a_spark_frame(diagnoses, sets, spark, lists):
    schema = om.Schema([om.NominalSet("dx", diagnoses)])
    expected = om.mask(made("pyarrow", {"dx": sets}), schema, om.Microaggregation(k=4), seed=1)
    cells = sets if lists else list(map(in_text, sets))
    frame = spark.createDataFrame(
        [(cell,) for cell in cells], "dx " + ("array<string>" if lists else "string")
    )
    released = om.mask(frame, schema, om.Microaggregation(k=4), seed=1).data
    assert released.schema == frame.schema
    found = Counter(read_back(diagnoses, row.dx) for row in released.collect())
    assert found == Counter(frozenset(cell) for (cell,) in rows(expected.data))


# ---------------------------------------------------------------------- explained and refused


def test_sets_are_explained(diagnoses):
    table = pd.DataFrame({"dx": NO_TWO_ALIKE})
    schema = om.Schema([om.NominalSet("dx", diagnoses)])
    release = om.mask(table, schema, om.Microaggregation(k=3), seed=1)
    (part,) = release.explain("broken arm; flu").parts
    assert part.records == 1
    (move,) = part.example.columns[0].moves
    assert move.to.value == "{fracture; viral infection}"
    closures = [
        plain_sets.closure(diagnoses, [*map(diagnoses.code, names)])
        for names in (["influenza", "broken arm"], ["fracture", "viral infection"])
    ]
    assert move.distance == pytest.approx(plain_sets.distance(*closures))
    assert move.words.startswith(
        "broken arm became fracture, influenza became viral infection; together they hold "
    )


def test_values_that_were_removed_and_added_are_told(diagnoses):
    cells = ["influenza", "influenza;sprain", "influenza;sprain", "influenza;sprain;cirrhosis"]
    schema = om.Schema([om.NominalSet("dx", diagnoses)])
    release = om.mask(pd.DataFrame({"dx": cells}), schema, om.Microaggregation(k=4), seed=1)
    words = [
        release.explain(cell).parts[0].example.columns[0].moves[0].words.split(";")[0]
        for cell in (cells[0], cells[3], cells[1])
    ]
    assert words == [
        "influenza stayed, sprain was added",
        "cirrhosis was removed, influenza stayed, sprain stayed",
        "unchanged",
    ]


def test_a_population_table_is_refused(diagnoses, tmp_path):
    table = pd.DataFrame({"dx": ["sprain;influenza", "sprain"] * 3})
    release = om.mask(table, om.Schema([om.NominalSet("dx", diagnoses)]), om.Microaggregation(k=3))
    with pytest.raises(ParameterError, match="a population table cannot be compared with sets"):
        om.evaluate(
            table,
            release.data,
            om.Schema([om.NominalSet("dx", diagnoses)]),
            population=om.Population(table=table),
        )


def test_too_many_sets_for_a_table_are_refused(diagnoses, sets, monkeypatch):
    monkeypatch.setattr("ontomask.microdata.attributes.LARGEST_TABLE", 50)
    table, schema = pa.table({"dx": sets}), om.Schema([om.NominalSet("dx", diagnoses)])
    with pytest.raises(ParameterError, match="different values: the table of their distances"):
        om.mask(table, schema, om.Resampling(k=3))
    for method in (om.Microaggregation(k=3), om.Suppression(k=3), om.Recoding(k=3)):
        release = om.mask(table, schema, method, seed=1)
        assert min(Counter(map(str, rows(release.data))).values()) >= 3


def test_what_sets_cannot_have(diagnoses):
    with pytest.raises(SchemaError, match="must be 'sanchez' or 'matching' for sets, got 'lin'"):
        om.Schema([om.NominalSet("dx", diagnoses, measure="lin")])
    with pytest.raises(SchemaError, match="separator must be text such as ';', got ''"):
        om.Schema([om.NominalSet("dx", diagnoses, separator="")])
    with pytest.raises(SchemaError, match="NominalSet is only for quasi-identifiers"):
        om.Schema([om.Numeric("age")], confidential=[om.NominalSet("dx", diagnoses)])
    table = pd.DataFrame({"dx": ["sprain", "influenza"] * 4})
    schema = om.Schema([om.NominalSet("dx", diagnoses)])
    for setting in ({"replacement": "synthetic"}, {"distance": "s"}, {"operators": "classic"}):
        with pytest.raises(ParameterError, match="for columns of sets, got"):
            om.mask(table, schema, om.Microaggregation(k=2, **setting))
    named = om.Taxonomy.from_edges([("{a}", "*"), ("b; c", "*")])
    for cell in ("{a}", "b; c"):
        schema = om.Schema([om.NominalSet("dx", named, separator="|")])
        with pytest.raises(ColumnError, match="is named like one"):
            om.mask(pd.DataFrame({"dx": [cell, f"{cell}|*"]}), schema, om.Microaggregation(k=2))
