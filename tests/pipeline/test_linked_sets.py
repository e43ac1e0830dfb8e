"""Linked records that hold sets: k people share all rows of a pseudonym, by recount."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from frame_kinds import KINDS, made, rows
from ontomask.errors import SchemaError
from pairing import each_with
from set_plans import random_taxonomy
from strategies import examples

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")

MODES = ("equal", "drop", "split")
SEXES = om.Taxonomy.from_edges([("f", "any"), ("m", "any")])
SPREAD = ["dx_1", "dx_2", "dx_3"]


def made_up(seed, people, values, most=4, unsaid=0.15):
    """Stays: up to three diagnoses and an age; sex and chronic diseases are the person's.

    Some sets are empty, some are missing.
    """
    random = np.random.default_rng(seed)

    def draw_set(most):
        size = min(int(random.integers(1, most + 1)), len(values))
        chosen = sorted(random.choice(values, size, replace=False).tolist())
        return random.choice([";", None]) if random.random() < unsaid else ";".join(chosen)

    records = []
    for person in range(people):
        sex, chronic = str(random.choice(["f", "m"])), draw_set(2)
        for _ in range(random.integers(1, most + 1)):
            records.append((f"id {person:03d}", draw_set(3), chronic, sex, int(random.integers(9))))
    random.shuffle(records := [(*record, row) for row, record in enumerate(records)])
    names = ["patient", "dx", "chronic", "sex", "age", "row"]
    return dict(zip(names, map(list, zip(*records, strict=True)), strict=True))


def schema_for(taxonomy, linked, dx=None, **others):
    masked = [
        dx or om.NominalSet("dx", taxonomy, separator=";"),
        om.NominalSet("chronic", taxonomy, separator=";"),
        om.Nominal("sex", SEXES),
        om.Numeric("age"),
    ]
    others = {"missing": "category", **others}
    return om.Schema(masked, person="patient", linked=linked, confidential=["row"], **others)


def check_release(table, released, k, of_people):
    """Recount what is promised; ``of_people`` are the places of what is the same for a person."""
    person = dict(zip(table["row"], table["patient"], strict=True))
    bags, owner = defaultdict(Counter), defaultdict(set)
    for pseudonym, *values, row in released:
        bags[pseudonym][tuple(values)] += 1
        owner[pseudonym].add(person[row])
    assert all(len(people) == 1 for people in owner.values())
    assert not set(bags) & set(table["patient"])
    for place in of_people:
        assert all(len({values[place] for values in bag}) == 1 for bag in bags.values())
    classes = defaultdict(set)
    for pseudonym, bag in bags.items():
        classes[frozenset(bag.items())] |= owner[pseudonym]
    assert min(map(len, classes.values())) >= k
    return len(released) - len(bags)


@st.composite
def cases(draw):
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    taxonomy = random_taxonomy(random, 12)
    table = made_up(random, draw(st.integers(3, 14)), taxonomy.identifiers)
    table["dx"][0] = taxonomy.root  # somebody has something
    return taxonomy, table, draw(st.integers(2, 3))


@examples(40)
@given(case=cases(), linked=st.sampled_from(MODES), centroid=st.sampled_from(["rule", "best"]))
def test_k_people_share_all_rows_of_a_pseudonym(case, linked, centroid):
    taxonomy, table, k = case
    method = om.Microaggregation(k=k, centroid=centroid)
    release = om.mask(pd.DataFrame(table), schema_for(taxonomy, linked), method, seed=1)
    links_left = check_release(table, rows(release.data), k, of_people=(1, 2))
    assert release.guarantee.smallest >= k
    assert release.links.links - release.links.broken - release.links.lost_records <= links_left
    for cell in release.data["dx"].dropna():  # sorted; none follows from another
        names = [name for name in cell.split(";") if name]
        assert names == sorted(set(names))
        above = {a for name in names for a in taxonomy.ancestors(name) - {name}}
        assert not above & set(names)


@pytest.fixture(scope="module")
def stays():
    tree = om.datasets.diagnoses()
    words = ["influenza", "hepatitis B", "broken arm", "broken leg", "cirrhosis"]
    return tree, made_up(5, 40, words, unsaid=0.05)


@pytest.mark.parametrize(("kind", "linked"), each_with(KINDS, MODES))
def test_every_frame_gives_the_same_release(stays, kind, linked):
    tree, table = stays
    schema = schema_for(tree, linked)
    expected = rows(om.mask(pd.DataFrame(table), schema, om.Microaggregation(k=3), seed=7).data)
    release = om.mask(made(kind, table), schema, om.Microaggregation(k=3), seed=7)
    check_release(table, rows(release.data), 3, of_people=(1, 2))
    assert rows(release.data) == expected
    lists = {
        name: [c and c.split(";") if c != ";" else [] for c in column]
        if name in ("dx", "chronic")
        else column
        for name, column in table.items()
    }
    by_lists = om.Schema(
        [
            om.NominalSet("dx", tree),
            om.NominalSet("chronic", tree),
            om.Nominal("sex", SEXES),
            om.Numeric("age"),
        ],
        person="patient",
        linked=linked,
        confidential=["row"],
        missing="category",
    )
    release = om.mask(made(kind, lists), by_lists, om.Microaggregation(k=3), seed=7)
    as_text = [
        (name, *(None if c is None else ";".join(c) or ";" for c in cells), *rest)
        for name, *cells, sex, age, row in rows(release.data)
        for rest in [(sex, age, row)]
    ]
    assert [r[1:] for r in as_text] == [r[1:] for r in expected]


def spread(table):
    """The table with a column for each diagnosis."""
    held = [[] if cell in (None, ";") else cell.split(";") for cell in table["dx"]]
    columns = {
        name: [names[i] if i < len(names) else None for names in held]
        for i, name in enumerate(SPREAD)
    }
    others = {name: column for name, column in table.items() if name not in ("patient", "dx")}
    return {"patient": table["patient"], **columns, **others}


@pytest.mark.parametrize(("suffix", "linked"), [("csv", "split"), ("parquet", "equal")])
def test_files_with_columns_or_separators_are_recounted(stays, tmp_path, suffix, linked):
    tree, table = stays
    for name, columns, dx in [
        ("text", table, None),
        ("spread", spread(table), om.NominalSet("dx", tree, columns=SPREAD)),
    ]:
        source, target = tmp_path / f"{name}.{suffix}", tmp_path / f"{name} out.{suffix}"
        getattr(pl.DataFrame(columns), f"write_{suffix}")(source)
        schema = schema_for(tree, linked, dx)
        release = om.mask(source, schema, om.Microaggregation(k=3), seed=7)
        release.write(target)
        written = getattr(pl, f"read_{suffix}")(target)
        assert written.columns == list(columns)
        many = 1 if dx is None else 3
        check_release(table, written.rows(), 3, of_people=(many, many + 1))
        figures = release.evaluation.utility
        assert figures["sse"] > 0
        for row in written.rows():  # filled from the left
            cells = row[1 : 1 + many]
            assert [c for c in cells if c is not None] == sorted(c for c in cells if c is not None)


def test_sets_that_do_not_fit_their_columns_are_made_smaller(diagnoses):
    """Half of all stays hold each of three diagnoses, and there are two columns."""
    names = ["influenza", "broken arm", "cirrhosis"]
    stays = [(names[n % 3], names[(n + 1) % 3]) for n in range(12)]
    table = pd.DataFrame(
        [(f"id {n}", *cells, stay) for n, cells in enumerate(stays) for stay in "ab"],
        columns=["patient", "dx_1", "dx_2", "stay"],
    )
    schema = om.Schema(
        [om.NominalSet("dx", diagnoses, columns=["dx_1", "dx_2"])],
        person="patient",
        linked="equal",
        keep=["stay"],
    )
    release = om.mask(table, schema, om.Microaggregation(k=12), seed=7)
    assert release.shortened == {"dx": 24}
    # What is the same in all rows of a person stays the same; a set of two is left.
    (cells,) = set(map(tuple, release.data[["dx_1", "dx_2"]].values.tolist()))
    assert len({*names} & {*cells}) == 2
    assert release.guarantee.k == 12


def test_long_sets_are_not_for_linked_rows(diagnoses):
    with pytest.raises(SchemaError, match="linked is not for the long set 'dx'"):
        om.Schema([om.NominalSet("dx", diagnoses, long=True)], person="patient", linked="equal")
