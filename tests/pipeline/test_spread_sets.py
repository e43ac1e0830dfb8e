"""Sets over several columns: combined, masked, and recounted from what was written."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
import plain_sets
from frame_kinds import KINDS, made, rows
from ontomask.errors import ColumnError, ParameterError, SchemaError
from ontomask.microdata.attributes import NominalAttribute
from ontomask.microdata.sets import ConceptSets
from ontomask.microdata.sets.limited_sets import limit_set
from ontomask.microdata.sets.set_concepts import (
    EMPTY_SET,
    SET_MEASURE,
    add_sets,
    deepest_set,
    members_of,
    with_more_candidates,
)
from ontomask.microdata.tuples import Transitions, count_tuples
from ontomask.pipeline.planning.set_sizes import limit_set_sizes
from strategies import examples, taxonomies

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")

COLUMNS = ["dx_1", "dx_2", "dx_3"]

METHODS = [
    om.Microaggregation(k=3),
    om.Microaggregation(k=2, centroid="best"),
    om.Recoding(k=3),
    om.Resampling(k=3),
    om.Suppression(k=2),
    om.RankSwapping(window=3),
    om.NoiseAddition(alpha=0.3),
]


@st.composite
def cases(draw):
    """A taxonomy with several parents, and up to three of its concepts in columns, or marks."""
    taxonomy = draw(taxonomies(max_concepts=12))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    cells = np.array([*taxonomy.identifiers, *taxonomy.identifiers, None, "?"], dtype=object)
    table = [random.choice(cells, 3).tolist() for _ in range(draw(st.integers(5, 40)))]
    table[0][0] = taxonomy.root  # somebody has something
    return taxonomy, table


def read_back(taxonomy, cells):
    """What the cells of a record mean: its deepest concepts, nothing where it is missing."""
    names = [cell for cell in cells if cell not in (None, "", "?")]
    return frozenset(members_of(deepest_set(taxonomy, names))) if names else None


def make_table(cells):
    return pa.table(
        {
            name: pa.array(c, pa.string())
            for name, c in zip(COLUMNS, zip(*cells, strict=True), strict=True)
        }
    )


# ---------------------------------------------------------------------- what is promised


@examples(30)
@given(case=cases(), method=st.sampled_from(METHODS), missing=st.sampled_from(["category", "drop"]))
def test_every_method_masks_sets_over_columns(case, method, missing):
    taxonomy, cells = case
    table = make_table(cells)
    schema = om.Schema(
        [om.NominalSet("dx", taxonomy, columns=COLUMNS)], missing=missing, missing_marks=["?"]
    )
    try:
        release = om.mask(table, schema, method, seed=1)
    except ParameterError:  # too few to swap, or a single value for noise
        return
    before = [read_back(taxonomy, row) for row in cells]
    if missing == "drop":
        before = [concepts for concepts in before if concepts is not None]
    released = rows(release.data)
    after = [read_back(taxonomy, row) for row in released]
    assert len(after) == len(before)
    assert release.data.schema == table.schema
    for row, concepts in zip(released, after, strict=True):  # sorted, from the left
        written = sorted(concepts or ())
        assert [cell for cell in row if cell not in (None, "?")] == list(row)[: len(written)]
        assert list(row)[: len(written)] == written
    if method.promised_k is not None:
        assert min(Counter(after).values()) >= method.promised_k
        assert Counter(Counter(after).values()) == Counter(Counter(released).values())
        assert release.guarantee.smallest == min(Counter(released).values())
    if method.permutes:
        assert Counter(after) == Counter(before)
    if method.only_suppresses and missing == "category":
        return  # from the tables alone, a suppressed set looks like a missing one
    figures = om.evaluate(table, release.data, schema, method.target_k)
    assert figures.utility["sse"] == pytest.approx(release.evaluation.utility["sse"])


@examples(40)
@given(case=cases(), most=st.integers(1, 3))
def test_the_value_that_costs_least_is_left_out(case, most):
    taxonomy, cells = case
    sets = [read_back(taxonomy, row) or {taxonomy.root} for row in cells]
    members = [plain_sets.closure(taxonomy, [*map(taxonomy.code, concepts)]) for concepts in sets]
    counts = [1 + number % 3 for number in range(len(sets))]
    deepest = sorted(
        plain_sets.deepest(taxonomy, frozenset(c for held in members[:2] for c in held))
    )
    above = [plain_sets.closure(taxonomy, [concept]) for concept in deepest]
    kept = limit_set(
        [np.array(sorted(concepts)) for concepts in above],
        most,
        ConceptSets.from_lists(members),
        np.array(counts),
    )

    def loss(chosen):
        centre = frozenset(c for number in chosen for c in above[number])
        return plain_sets.cost(members, counts, centre)

    left = list(range(len(deepest)))
    while len(left) > most:
        left = list(min(combinations(left, len(left) - 1), key=lambda c: (round(loss(c), 9), c)))
    assert kept == left
    assert len(plain_sets.deepest(taxonomy, {deepest[number] for number in kept})) == len(kept)


def test_a_set_that_does_not_fit_is_made_smaller(diagnoses, monkeypatch):
    cells = [("influenza", "broken arm"), ("influenza", "hepatitis B")] * 2
    cells += [("influenza", "cirrhosis"), ("broken arm", "hepatitis B")]
    table = pd.DataFrame(cells, columns=["a", "b"])
    text = pd.DataFrame({"dx": [";".join(row) for row in cells]})
    method = om.Microaggregation(k=6)
    whole = om.mask(text, om.Schema([om.NominalSet("dx", diagnoses)]), method, seed=1)
    assert set(whole.data["dx"]) == {"broken arm;hepatitis B;influenza"}
    schema = om.Schema([om.NominalSet("dx", diagnoses, columns=["a", "b"])])
    release = om.mask(table, schema, method, seed=1)
    assert release.shortened == {"dx": 6}
    (row,) = set(rows(release.data))
    losses = {}
    closed = [plain_sets.closure(diagnoses, [*map(diagnoses.code, row)]) for row in cells]
    for pair in combinations(["broken arm", "hepatitis B", "influenza"], 2):
        centre = plain_sets.closure(diagnoses, [*map(diagnoses.code, pair)])
        losses[pair] = plain_sets.cost(closed, [1] * 6, centre)
    assert losses[row] == min(losses.values()) == pytest.approx(release.evaluation.utility["sse"])
    assert whole.shortened == {}
    assert "became" in str(release.explain("broken arm; influenza"))
    # Without the value, a combination could become rare.
    assert om.PairRecoding.protects_parts_of_sets
    monkeypatch.setattr(om.Microaggregation, "protects_parts_of_sets", True)
    with pytest.raises(ParameterError, match="'dx' must fit its 2 columns, but has more values"):
        om.mask(table, schema, method, seed=1)


def test_a_set_without_values_becomes_the_root(diagnoses):
    """In several columns, it could not be told from a missing one."""
    values = ["influenza", "sprain"]
    attribute = NominalAttribute("dx", add_sets(diagnoses, [EMPTY_SET]), values, SET_MEASURE)
    attribute = with_more_candidates(attribute, [EMPTY_SET])
    tuples, _ = count_tuples([attribute], [np.array([0, 1, 1])])
    target = np.array([[attribute.places[EMPTY_SET]], [np.nan]], dtype=np.float64)
    plan = Transitions.from_targets(tuples, target, np.array([0, 1]))
    limited, records = limit_set_sizes(plan, [2])
    assert records == {"dx": 1}
    candidates = limited.tuples.attributes[0].candidates
    assert [candidates[int(place)] for place in limited.targets[:1, 0]] == [diagnoses.root]
    assert np.isnan(limited.targets[1, 0])


def test_people_with_a_row_each_are_linked_by_their_sets(schema, diagnoses, cells):
    people = [f"p{number}" for number in range(len(cells))]
    table = make_table(cells).append_column("who", pa.array(people))
    linked = replace(schema, person="who", linked="equal", identifiers=["who"])
    released = rows(om.mask(table, linked, om.Microaggregation(k=4), seed=1).data)
    sets = {who: read_back(diagnoses, row) for *row, who in released}
    assert len(sets) == len(people)
    assert min(Counter(sets.values()).values()) >= 4


# ---------------------------------------------------------------------- cells


def test_order_repeats_marks_and_blanks_do_not_matter(diagnoses):
    table = pd.DataFrame(
        [
            ("influenza", "sprain", "?"),
            ("?", "sprain", "influenza"),
            ("sprain", "influenza", "sprain"),
            ("?", "?", "?"),
            (None, "", "?"),
            ("", None, None),
        ],
        columns=COLUMNS,
    )
    columns = om.NominalSet("dx", diagnoses, columns=COLUMNS)
    schema = om.Schema([columns], missing="category", missing_marks=["?"])
    release = om.mask(table, schema, om.Microaggregation(k=3), seed=1)
    assert rows(release.data) == [("influenza", "sprain", "?")] * 3 + [("?", "?", "?")] * 3
    assert release.evaluation.utility["sse"] == 0
    assert release.mappings["dx"].missing == 3
    with pytest.raises(ColumnError, match=r"'dx' \(3 rows\)"):
        om.mask(table, om.Schema([columns], missing_marks=["?"]), om.Microaggregation(k=3), seed=1)
    dropped = om.Schema([columns], missing="drop", missing_marks=["?"])
    data = om.mask(table, dropped, om.Microaggregation(k=3), seed=1).data
    assert rows(data) == [("influenza", "sprain", "?")] * 3
    plain = pd.DataFrame({"a": ["flu", "flu"], "b": [None, "influenza"]})
    data = om.mask(
        plain,
        om.Schema([om.NominalSet("dx", diagnoses, columns=["a", "b"])]),
        om.Microaggregation(k=2),
        seed=1,
    ).data
    assert rows(data) == [("influenza", None)] * 2


def test_a_mark_that_is_a_concept_is_refused():
    taxonomy = om.Taxonomy.from_edges([("?", "*"), ("a", "?"), ("b", "?"), ("c", "?")])
    table = pd.DataFrame({"x": ["a", "b", "c"] * 2, "y": ["?"] * 6})
    schema = om.Schema([om.NominalSet("dx", taxonomy, columns=["x", "y"])], missing_marks=["?"])
    assert rows(om.mask(table, schema, om.Suppression(k=2), seed=1).data) == rows(table)
    with pytest.raises(ColumnError, match=r"'\?' is a mark of missing values and a concept"):
        om.mask(table, schema, om.Microaggregation(k=6), seed=1)


# ---------------------------------------------------------------------- tables and files


@pytest.fixture
def cells(diagnoses):
    random = np.random.default_rng(3)
    leaves = np.array([*sorted(diagnoses.leaves), None, None], dtype=object)
    return [random.choice(leaves, 3).tolist() for _ in range(80)]


@pytest.fixture
def schema(diagnoses):
    return om.Schema([om.NominalSet("dx", diagnoses, columns=COLUMNS)], missing="category")


def names(cells):
    return tuple(cell or None for cell in cells)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_frame(schema, cells, kind):
    expected = om.mask(make_table(cells), schema, om.Microaggregation(k=4), seed=1)
    frame = made(kind, dict(zip(COLUMNS, map(list, zip(*cells, strict=True)), strict=True)))
    release = om.mask(frame, schema, om.Microaggregation(k=4), seed=1)
    assert type(release.data) is type(frame)
    assert rows(release.data) == rows(expected.data)


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.jsonl"])
def test_files_are_written_as_they_came(schema, diagnoses, cells, tmp_path, name):
    expected = om.mask(make_table(cells), schema, om.Microaggregation(k=4), seed=1)
    path, target = tmp_path / name, tmp_path / f"masked-{name}"
    if name == "t.csv":
        lines = [",".join(cell or "" for cell in row) for row in [COLUMNS, *cells]]
        path.write_text("\n".join(lines))
    elif name == "t.parquet":
        pq.write_table(make_table(cells), path)
    else:
        records = [dict(zip(COLUMNS, row, strict=True)) for row in cells]
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    om.mask(path, schema, om.Microaggregation(k=4), seed=1).write(target)
    if name == "t.csv":
        with open(target, newline="") as file:
            released = [names(row.values()) for row in csv.DictReader(file)]
    elif name == "t.parquet":
        assert pq.read_schema(target).types == pq.read_schema(path).types
        released = rows(pq.read_table(target))
    else:
        written = map(json.loads, target.read_text().splitlines())
        released = [tuple(record.get(column) for column in COLUMNS) for record in written]
    assert Counter(released) == Counter(rows(expected.data))
    assert min(Counter(read_back(diagnoses, row) for row in released).values()) >= 4


@pytest.mark.spark
def test_a_spark_frame(schema, cells, spark):
    expected = om.mask(make_table(cells), schema, om.Microaggregation(k=4), seed=1)
    frame = spark.createDataFrame(
        [tuple(row) for row in cells], ", ".join(f"{name} string" for name in COLUMNS)
    )
    released = om.mask(frame, schema, om.Microaggregation(k=4), seed=1).data
    assert released.schema == frame.schema
    assert Counter(map(tuple, released.collect())) == Counter(rows(expected.data))


def test_masked_sets_of_other_tools(schema, diagnoses):
    """Stars and empty cells are left out; a record with stars only is suppressed."""
    before = make_table([("sprain", "influenza", None)] * 3 + [(None, None, None)])
    stars = make_table(
        [("*", "sprain", "influenza"), ("*", "*", ""), ("sprain", None, "*"), (None, None, None)]
    )
    found = om.evaluate(before, stars, schema)
    both, one = (
        plain_sets.closure(diagnoses, [*map(diagnoses.code, held)])
        for held in (["sprain", "influenza"], ["sprain"])
    )
    assert found.utility["sse"] == pytest.approx(1 + plain_sets.distance(both, one) ** 2)
    assert found.utility["changed"]["dx"] == 1 / 2


# ---------------------------------------------------------------------- what is refused


def test_what_sets_over_columns_cannot_have(diagnoses):
    def schema(*columns, **settings):
        return om.Schema([om.NominalSet("dx", diagnoses, columns=columns)], **settings)

    with pytest.raises(SchemaError, match="columns must be a list of at least two names"):
        schema("a")
    with pytest.raises(SchemaError, match="columns must be a list of at least two names"):
        om.Schema([om.NominalSet("dx", diagnoses, columns="ab")])
    with pytest.raises(SchemaError, match="'a' is listed twice as quasi-identifier"):
        schema("a", "a")
    with pytest.raises(SchemaError, match="'a' has several roles: quasi-identifier and keep"):
        schema("a", "b", keep=["a"])
    with pytest.raises(SchemaError, match="'dx' has the name of another column"):
        schema("a", "b", drop=["dx"])
    with pytest.raises(SchemaError, match="'a' cannot be both a quasi-identifier and the person"):
        schema("a", "b", person="a")
    with pytest.raises(SchemaError, match="separator cannot be used with columns"):
        om.Schema([om.NominalSet("dx", diagnoses, columns=["a", "b"], separator="|")])
    with pytest.raises(SchemaError, match="long cannot be used with columns"):
        om.Schema([replace(schema("a", "b").spread_sets[0], long=True)], person="p")
    with pytest.raises(SchemaError, match="'b' is listed twice"):
        om.Schema([om.NominalSet(n, diagnoses, columns=[n * 2, "b"]) for n in ("x", "y")])
    with pytest.raises(SchemaError, match="'x' has the name of another column or set"):
        om.Schema([om.NominalSet("x", diagnoses, columns=[n, n * 2]) for n in ("a", "b")])
    table = pd.DataFrame({"a": ["sprain"] * 4, "b": ["flu"] * 4, "dx": ["flu"] * 4})
    method = om.Microaggregation(k=2)
    with pytest.raises(SchemaError, match="the table has a column 'dx': give the set another"):
        om.mask(table, schema("a", "b", other="keep"), method)
    with pytest.raises(SchemaError, match="the table has no column 'c'"):
        om.mask(table.drop(columns="dx"), schema("a", "b", "c"), method)
    nested = pa.table({"a": [["sprain"]] * 4, "b": ["flu"] * 4})
    with pytest.raises(ColumnError, match="column 'a' must have one value per record, got list"):
        om.mask(nested, schema("a", "b"), method)
