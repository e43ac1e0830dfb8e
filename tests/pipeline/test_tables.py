"""Several tables of the same people: k people share all rows in all tables, by recount."""

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
from ontomask.errors import ColumnError, ParameterError, SchemaError
from pairing import each_with
from strategies import examples

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")

MODES = ("equal", "drop", "split")
WORDS = ["influenza", "hepatitis B", "broken arm", "broken leg", "cirrhosis"]
PERSON = {"persons": "id", "stays": "patient", "drugs": "patient"}


def random_tables(seed, people, gaps=0.1, missing_people=0.2):
    """One row per person, and some or no stays and prescriptions; the last column is a row id."""
    random = np.random.default_rng(seed)

    def draw_owners(most):
        numbers = [
            random.integers(0, most + 1) if random.random() >= missing_people else 0
            for _ in range(people)
        ]
        owners = np.repeat(np.arange(people), numbers)
        return random.permutation(owners if len(owners) else np.arange(1))

    def name(owners):
        return [f"id {p:03d}" for p in owners]

    listed = random.permutation(people)[: max(1, int(people * 0.9))]
    stays, drugs = draw_owners(3), draw_owners(2)
    lengths = random.integers(1, 9, len(stays)).astype(float)
    return {
        "persons": {
            "id": name(listed),
            "sex": random.choice(["f", "m"], len(listed)).tolist(),
            "age": random.integers(20, 60, len(listed)).tolist(),
            "row": [f"p{i}" for i in range(len(listed))],
        },
        "stays": {
            "patient": name(stays),
            "dx": random.choice(WORDS, len(stays)).tolist(),
            "days": [None if random.random() < gaps else d for d in lengths.tolist()],
            "payer": random.choice(["a", "b", "c"], len(stays)).tolist(),
            "row": [f"s{i}" for i in range(len(stays))],
        },
        "drugs": {
            "patient": name(drugs),
            "drug": random.choice(["aspirin", "statin", "insulin"], len(drugs)).tolist(),
            "row": [f"d{i}" for i in range(len(drugs))],
        },
    }


def schemas():
    drugs = om.Taxonomy.from_edges([("aspirin", "any"), ("statin", "any"), ("insulin", "any")])
    return {
        "persons": om.Schema([om.Ordinal("sex", ["f", "m"]), om.Numeric("age")], ["id"], ["row"]),
        "stays": om.Schema(
            [om.Nominal("dx", om.datasets.diagnoses()), om.Numeric("days")],
            confidential=["payer", "row"],
            missing="category",
        ),
        "drugs": om.Schema([om.Nominal("drug", drugs)], confidential=["row"]),
    }


def mask(tables, k=3, **settings):
    method = settings.pop("method", om.Microaggregation(k=k))
    settings = {"linked": "equal", "seed": 7, "person": PERSON, **settings}
    frames = {name: pd.DataFrame(table) for name, table in tables.items()}
    return om.mask_tables(settings.pop("frames", frames), schemas(), method, **settings)


def recount(tables, released, k, masked=None):
    """The classes of pseudonyms by all their rows, with the people; ``released`` are plain rows.

    ``masked`` is, by table, the number of columns behind the pseudonym that are compared.
    """
    masked = masked or {"persons": 2, "stays": 2, "drugs": 1}
    bags, owner = defaultdict(Counter), defaultdict(set)
    for name, finished in released.items():
        person = dict(zip(tables[name]["row"], next(iter(tables[name].values())), strict=True))
        for pseudonym, *values in finished:
            bags[pseudonym][(name, *values[: masked[name]])] += 1
            owner[pseudonym].add(person[values[-1]])
    assert all(len(people) == 1 for people in owner.values())
    classes = defaultdict(set)
    for pseudonym, bag in bags.items():
        classes[frozenset(bag.items())] |= owner[pseudonym]
    assert min(map(len, classes.values()), default=k) >= k
    return bags, owner, classes


@examples(25)
@given(
    seed=st.integers(0, 2**32),
    people=st.integers(4, 30),
    linked=st.sampled_from(MODES),
    k=st.integers(2, 3),
    least=st.sampled_from([None, None, 2]),
)
def test_k_people_share_all_rows_in_all_tables(seed, people, linked, k, least):
    tables = random_tables(seed, people)
    originals = {
        name: [(row[0], *row[1:]) for row in zip(*table.values(), strict=True)]
        for name, table in tables.items()
    }
    people_before = {row[0] for own in originals.values() for row in own}
    assume(len(people_before) >= k and len(set(tables["stays"]["payer"])) > 1)
    method = om.Microaggregation(k=k)
    if least is not None:
        method = om.Microaggregation(k=k, l=least, protects=["payer"])
    release = mask(tables, method=method, linked=linked)
    released = {name: rows(data) for name, data in release.data.items()}
    bags, owner, classes = recount(tables, released, k)
    assert list(release.data) == list(tables)
    for name, table in tables.items():
        assert list(release.data[name].columns) == list(table)
        alone = release.releases[name]
        assert alone.records == len(released[name])
        assert alone.links.lost_records == len(table["row"]) - len(released[name])
    links, before = release.links, sum(map(len, originals.values()))
    left = set().union(*owner.values())
    assert links.people == len(people_before)
    assert links.links == before - links.people
    assert links.lost_records == before - sum(map(len, released.values()))
    assert links.lost_people == len(people_before - left)
    assert links.pseudonyms == len(bags)
    assert links.broken == len(bags) - len(left)
    assert linked == "split" or not links.broken
    payers = set(zip(tables["stays"]["payer"], tables["stays"]["patient"], strict=True))
    if linked == "split" and len(payers) == len(set(tables["stays"]["payer"])):
        return  # each payer has one patient: the released payer links pseudonyms
    assert release.guarantee.k == k
    if bags:
        assert release.guarantee.smallest == min(map(len, classes.values()))
        assert release.guarantee.classes == len(classes)
    if least is not None:  # among those who share a stay and all rows of the pseudonym
        payers = defaultdict(set)
        for pseudonym, dx, days, payer, _ in released["stays"]:
            payers[frozenset(bags[pseudonym].items()), dx, days].add(payer)
        assert all(len(different) >= least for different in payers.values())


@pytest.fixture(scope="module")
def tables():
    return random_tables(3, 80)


@pytest.mark.parametrize(("kind", "linked"), each_with(KINDS, MODES))
def test_frames_and_the_order_of_tables_do_not_matter(tables, kind, linked):
    expected = mask(tables, linked=linked)
    frames = {name: made(kind, tables[name]) for name in reversed(tables)}
    release = mask(tables, frames=frames, linked=linked)
    assert list(release.data) == list(frames)
    for name, data in expected.data.items():
        assert rows(release.data[name]) == rows(data)
    backwards = {
        name: pd.DataFrame({column: values[::-1] for column, values in table.items()})
        for name, table in tables.items()
    }
    turned = mask(tables, frames=backwards, linked=linked)
    for name, data in expected.data.items():
        assert sorted(map(str, rows(turned.data[name]))) == sorted(map(str, rows(data)))
    again = mask(tables, linked=linked, k=4)
    pseudonyms = [set(one.data["persons"]["id"]) for one in (expected, again)]
    assert not pseudonyms[0] & pseudonyms[1]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files_are_recounted(tables, tmp_path, suffix):
    sources, targets = {}, {}
    for name, table in tables.items():
        sources[name] = tmp_path / f"{name}.{suffix}"
        targets[name] = tmp_path / f"released_{name}.{suffix}"
        getattr(pl.DataFrame(table), f"write_{suffix}")(sources[name])
    release = mask(tables, frames=sources, linked="split")
    release.write(targets)
    written = {name: getattr(pl, f"read_{suffix}")(path) for name, path in targets.items()}
    bags, _, classes = recount(tables, {name: data.rows() for name, data in written.items()}, 3)
    assert release.links.pseudonyms == len(bags)
    assert release.guarantee.smallest == min(map(len, classes.values()))
    texts = {
        name: {c: [None if v is None else str(v) for v in values] for c, values in table.items()}
        for name, table in tables.items()
    }
    in_memory = mask(texts if suffix == "csv" else tables, linked="split")
    for name, data in in_memory.data.items():
        as_text = [
            {tuple(None if v is None else str(v) for v in row) for row in part}
            for part in (rows(data), written[name].rows())
        ]
        if suffix == "parquet":
            assert as_text[0] == as_text[1]
        else:
            assert {row[0] for row in as_text[0]} == {row[0] for row in as_text[1]}
    release.save_report(tmp_path / "report.html")
    report = (tmp_path / "report.html").read_text("utf-8")
    assert "What holds for all tables together" in report
    assert all(f"Table {name}" in report for name in tables)
    with pytest.raises(ParameterError, match="already exists"):
        release.write(targets)
    with pytest.raises(ParameterError, match="paths must name a file for each of the tables"):
        release.write({"stays": tmp_path / "one.csv"})
    other = {**targets, "stays": tmp_path / "other" / "stays.csv"}
    with pytest.raises(ParameterError, match="paths must be in one folder"):
        release.write(other)


@pytest.mark.spark
def test_spark_frames_are_recounted(tables, spark):
    frames = {
        name: spark.createDataFrame(list(zip(*table.values(), strict=True)), list(table))
        for name, table in tables.items()
    }
    release = mask(tables, frames=frames, linked="split")
    released = {name: [tuple(row) for row in data.collect()] for name, data in release.data.items()}
    _, _, classes = recount(tables, released, 3)
    assert release.guarantee.smallest == min(map(len, classes.values()))


def test_the_rows_of_one_table_alone_would_give_people_away(tables):
    """Masked one by one, each table is 3-anonymous, and together they are not."""
    schema = schemas()
    released = {}
    for name, table in tables.items():
        linked = om.Schema(
            schema[name].quasi_identifiers,
            confidential=schema[name].confidential,
            missing="category",
            person=PERSON[name],
            linked="equal",
        )
        alone = om.mask(pd.DataFrame(table), linked, om.Microaggregation(k=3), seed=7)
        person = dict(zip(table["row"], table[PERSON[name]], strict=True))
        released[name] = [(person[row[-1]], *row[1:]) for row in rows(alone.data)]
    with pytest.raises(AssertionError):
        recount(tables, released, 3)
    recount(tables, {name: rows(data) for name, data in mask(tables).data.items()}, 3)


def test_a_kept_column_that_breaks_k_is_said_first(tables):
    frames = {name: pd.DataFrame(table) for name, table in tables.items()}
    wards = [i % 7 for i in range(len(frames["stays"]))]
    frames["stays"].insert(3, "ward", wards)
    with_ward = {**schemas()}
    stays = with_ward["stays"]
    with_ward["stays"] = om.Schema(
        stays.quasi_identifiers, confidential=stays.confidential, keep=["ward"], missing="category"
    )
    release = om.mask_tables(
        frames, with_ward, om.Microaggregation(k=3), 7, person=PERSON, linked="equal"
    )
    released = {name: rows(data) for name, data in release.data.items()}
    recount(tables, released, 3)
    with pytest.raises(AssertionError):
        recount(tables, released, 3, {"persons": 2, "stays": 3, "drugs": 1})
    assert release.guarantee.k is None
    assert release.guarantee.headline[0].startswith("not 3-anonymous")
    assert release.guarantee.released.uniques > 0
    assert release.guarantee.released.columns == ("stays.ward",)


def test_a_column_that_links_rows_of_two_tables_is_refused(tables):
    frames = {name: pd.DataFrame(table) for name, table in tables.items()}
    stay_of = dict(zip(tables["stays"]["patient"], tables["stays"]["row"], strict=True))
    frames["drugs"]["row"] = [
        stay_of.get(patient, own)
        for patient, own in zip(tables["drugs"]["patient"], tables["drugs"]["row"], strict=True)
    ]
    frames["drugs"].loc[0, "row"] = "s0"  # one is wrong
    with pytest.raises(SchemaError, match=r"'drugs.row' and 'stays.row' must not both be released"):
        mask(tables, frames=frames)


def test_pieces_of_a_person_that_a_released_column_joins_count_together():
    """A code of the person is released as sensitive: split pseudonyms are no protection."""
    random = np.random.default_rng(2)
    patients = np.repeat(np.arange(30), random.integers(1, 4, 30))
    stays = pd.DataFrame(
        {"id": patients, "dx": random.choice(WORDS, len(patients)), "code": patients + 1000}
    )
    persons = pd.DataFrame({"id": range(30), "age": random.integers(20, 60, 30)})
    release = om.mask_tables(
        {"persons": persons, "stays": stays},
        {
            "persons": om.Schema([om.Numeric("age")]),
            "stays": om.Schema([om.Nominal("dx", om.datasets.diagnoses())], confidential=["code"]),
        },
        om.Microaggregation(k=3),
        7,
        person="id",
        linked="split",
        link_price=0.02,
    )
    assert release.links.broken > 0
    bags = defaultdict(Counter)
    code_of = release.data["stays"].set_index("id")["code"].to_dict()
    for name, data in release.data.items():
        for pseudonym, value in data[["id", data.columns[1]]].values.tolist():
            bags[code_of.get(pseudonym, pseudonym)][name, value] += 1
    shared = Counter(frozenset(bag.items()) for bag in bags.values())
    alone = sum(count == 1 for count in shared.values())
    assert alone > 0
    assert release.guarantee.k is None
    assert release.guarantee.released.uniques > 0


def test_wrong_arguments_are_refused(tables):
    with pytest.raises(ParameterError, match="tables must be at least two tables, got 1"):
        om.mask_tables({"stays": pd.DataFrame()}, schemas(), om.Microaggregation(k=3), person="id")
    with pytest.raises(ParameterError, match="person must have an entry for each of the tables"):
        mask(tables, person={"stays": "patient"})
    with pytest.raises(SchemaError, match="table 'drugs': the roles do not fit"):
        mask(tables, person="id")
    with pytest.raises(ParameterError, match="linked must be"):
        mask(tables, linked="all")
    with pytest.raises(ParameterError, match="cannot keep the records of a person linked"):
        mask(tables, method=om.Recoding(k=3))
    with pytest.raises(ParameterError, match="k must be at most the number of people, 76, got 99"):
        mask(tables, k=99)
    unknown = {name: pd.DataFrame(table) for name, table in tables.items()}
    unknown["drugs"].loc[0, "patient"] = None
    with pytest.raises(ColumnError, match="table 'drugs': 1 row have no known person"):
        mask(tables, frames=unknown)
