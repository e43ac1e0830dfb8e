"""k^m-anonymity of released tables, counted from the cells by the definition."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from itertools import combinations, product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from frame_kinds import rows
from ontomask.errors import ParameterError, SpecError
from ontomask.releasefile.model import ReleaseFile
from strategies import examples, taxonomies

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")

LEVELS = ["none", "mild", "severe"]


def items_of(record):
    """The values of a record: each of a list, one of each other cell; a missing one is a value."""
    return {
        (column, value)
        for column, cell in enumerate(record)
        for value in (cell if isinstance(cell, list) else [cell])
    }


def count_holders(records, m, people=None):
    """How many people hold each combination of at most m values of a record; None is nobody."""
    holders = defaultdict(set)
    for number, record in enumerate(records):
        person = number if people is None else people[number]
        for size in range(1, m + 1):
            for chosen in combinations(sorted(items_of(record), key=repr), size):
                holders[chosen] |= set() if person is None else {person}
    return {chosen: len(some) for chosen, some in holders.items()}


def random_records(random, taxonomy, size, missing):
    """A set, a word, a number, a level and a day for each record; some are missing."""
    names = np.array(taxonomy.identifiers, dtype=object)
    records = [
        [
            random.choice(names, min(int(random.integers(0, 4)), len(names)), False).tolist(),
            str(random.choice(names)),
            int(random.integers(0, 6)),
            str(random.choice(LEVELS)),
            datetime.date(2026, 1, int(random.integers(1, 5))),
        ]
        for _ in range(size)
    ]
    for record in records:
        for column in range(5):
            if random.random() < missing:
                record[column] = None
    return records


def to_arrow(records):
    columns = [list(column) for column in zip(*records, strict=True)]
    kinds = [pa.list_(pa.string()), pa.string(), pa.int64(), pa.string(), pa.date32()]
    names = ["dx", "job", "age", "pain", "seen"]
    return pa.table(
        {n: pa.array(c, kind) for n, c, kind in zip(names, columns, kinds, strict=True)}
    )


def schema_of(taxonomy, chosen, **more):
    every = [
        om.NominalSet("dx", taxonomy),
        om.Nominal("job", taxonomy),
        om.Numeric("age"),
        om.Ordinal("pain", levels=LEVELS),
        om.Date("seen"),
    ]
    return om.Schema([every[column] for column in chosen], missing="category", **more)


@examples(40)
@given(
    taxonomy=taxonomies(max_concepts=10),
    seed=st.integers(0, 2**32 - 1),
    k=st.integers(2, 4),
    m=st.integers(1, 3),
)
def test_no_combination_is_rare(taxonomy, seed, k, m):
    random = np.random.default_rng(seed)
    chosen = sorted(random.permutation(5)[: random.integers(1, 6)].tolist())
    records = random_records(random, taxonomy, int(random.integers(2 * k, 40)), 0.1 * (seed % 2))
    for record in records[:k]:
        record[0] = record[0] or taxonomy.identifiers[:1]  # enough hold something
    table = to_arrow(records).select([["dx", "job", "age", "pain", "seen"][c] for c in chosen])
    release = om.mask(table, schema_of(taxonomy, chosen), om.PairRecoding(k=k, m=m), seed=1)
    released = rows(release.data)
    holders = count_holders(released, m)
    assert min(holders.values(), default=k) >= k
    for before, after in zip(records, released, strict=True):
        for column, cell in zip(chosen, after, strict=True):
            check_cell(taxonomy, column, before[column], cell)
    uniques = sum(n == 1 for n in Counter(frozenset(items_of(r)) for r in released).values())
    assert release.guarantee.k is None
    assert f"; {uniques:,} record" in release.guarantee.headline[0]
    assert "k^m-anonymity, not k-anonymity" in release.guarantee
    # A comparison counts the combinations of its plan, and says the same.
    (point,) = om.compare(table, schema_of(taxonomy, chosen), [release.method], 1, workers=1).points
    assert point.guarantee == release.guarantee


def check_cell(taxonomy, column, before, after):
    """A cell becomes more general, and a missing one the root; an empty set stays."""
    if column == 0:
        possible = {above for name in before or [] for above in taxonomy.ancestors(name)}
        possible |= {taxonomy.root} if before is None else set()
        assert (after is None) == (before is None) or after == [taxonomy.root]
        assert set(after or []) <= possible
        assert bool(after) == bool(before) or before is None
    elif column == 1:
        assert after == before or after in taxonomy.ancestors(before or taxonomy.root)
    elif column == 2:
        assert after is None or 0 <= after <= 5
        assert before is not None or after is None  # nobody is said to have a number
    elif column == 3:
        assert after is None or after in LEVELS


def test_small_tables_of_two_columns_lose_little_more_than_the_best_recoding():
    tree = om.Taxonomy.from_edges([("a", "any"), ("b", "any"), ("a1", "a"), ("a2", "a")])
    chains = {name: [name] for name in ("any",)} | {
        name: [above for above in ("a1", "a2", "b", "a", "any") if above in tree.ancestors(name)]
        for name in ("a1", "a2", "b")
    }

    def loss(before, after):  # the squared mean of Sánchez's distances
        distances = [
            om.distance(tree, one, other) for one, other in zip(before, after, strict=True)
        ]
        return float(np.mean(distances)) ** 2

    excess, tables = [], 0
    for seed in range(12):
        random = np.random.default_rng(seed)
        records = [tuple(random.choice(["a1", "a2", "b"], 2).tolist()) for _ in range(4)]
        best = min(
            sum(map(loss, records, chosen))
            for chosen in product(*(list(product(*map(chains.get, r))) for r in records))
            if min(count_holders(chosen, 2).values()) >= 2
        )
        table = pd.DataFrame(records, columns=["x", "y"])
        schema = om.Schema([om.Nominal("x", tree), om.Nominal("y", tree)])
        release = om.mask(table, schema, om.PairRecoding(k=2, m=2), seed=1)
        mine = sum(map(loss, records, rows(release.data)))
        assert mine >= best - 1e-9
        excess.append(mine - best)
        tables += best > 0
    assert tables > 5
    print(f"{np.mean(excess):.3f} above the optimum, {max(excess):.3f} at most")
    assert np.mean(excess) <= 0.1  # of four people
    assert max(excess) <= 0.5


def test_one_record_and_equal_records(diagnoses):
    schema = om.Schema([om.NominalSet("dx", diagnoses), om.Numeric("age")])
    one = pd.DataFrame({"dx": ["sprain"], "age": [3]})
    with pytest.raises(ParameterError, match="number of records with a value of 'dx', 1, got 2"):
        om.mask(one, schema, om.PairRecoding(k=2))
    alike = pd.concat([one] * 3, ignore_index=True)
    release = om.mask(alike, schema, om.PairRecoding(k=3, m=3), seed=1)
    assert release.data.equals(alike)
    with pytest.raises(ParameterError, match="m must be 1, 2 or 3, got 4"):
        om.PairRecoding(k=2, m=4)


def test_a_number_that_is_written_like_an_interval_counts_with_it():
    # 2 is the mean of 1 and 3, which are rare: then four people show it.
    table = pd.DataFrame({"age": [1, 3, 2, 2, 9, 9]})
    release = om.mask(table, om.Schema([om.Numeric("age")]), om.PairRecoding(k=2, m=1), seed=1)
    assert release.data["age"].tolist() == [2, 2, 2, 2, 9, 9]


# ---------------------------------------------------------------------- people


@examples(20)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(2, 3), m=st.integers(1, 3))
def test_people_are_counted_where_they_are_known(seed, k, m):
    diagnoses = om.datasets.diagnoses()
    random = np.random.default_rng(seed)
    records = random_records(random, diagnoses, 40, 0)
    people = [None if n > 13 else n for n in random.integers(0, 15, 40).tolist()]
    table = to_arrow(records).select(["job", "age"]).append_column("who", pa.array(people))
    schema = schema_of(diagnoses, [1, 2], person="who")
    release = om.mask(table, schema, om.PairRecoding(k=k, m=m), seed=1)
    released = rows(release.data)
    assert min(count_holders(released, m, people).values()) >= k
    assert f"shared by at least {k} people or by none" in release.guarantee
    holders = defaultdict(set)
    for record, person in zip(released, people, strict=True):
        holders[record] |= set() if person is None else {person}
    alone = {person for some in holders.values() if len(some) == 1 for person in some}
    assert f"; {len(alone)} p" in release.guarantee
    shown = {(record, person) for record, person in zip(released, people, strict=True)}
    differ = Counter(person for _, person in shown if person is not None)
    limit = "Values of different records of a person are not combined" in release.guarantee
    assert limit == (max(differ.values()) > 1)
    (point,) = om.compare(table, schema, [release.method], 1, workers=1).points
    assert point.guarantee == release.guarantee


def test_linked_records_of_a_person_are_refused(diagnoses):
    table = pd.DataFrame({"dx": ["sprain", "influenza"] * 4, "who": [1, 1, 2, 3, 4, 5, 6, 7]})
    schema = om.Schema([om.Nominal("dx", diagnoses)], person="who", keep=["who"])
    with pytest.raises(ParameterError, match="'who' links the records of a person"):
        om.mask(table, schema, om.PairRecoding(k=2))
    (point,) = om.compare(table, schema, [om.PairRecoding(k=2)], workers=1).points
    assert "'who' links the records of a person" in point.error
    release = om.mask(table.drop(0), schema, om.PairRecoding(k=2), seed=1)
    assert min(Counter(release.data["dx"]).values()) >= 2


# ---------------------------------------------------------------------- engines


@pytest.fixture(scope="module")
def visits():
    random = np.random.default_rng(4)
    names = [name for name in om.datasets.diagnoses() if name != "disease"]
    return pd.DataFrame(
        {
            "dx": [";".join(random.choice(names, random.integers(1, 4))) for _ in range(80)],
            "job": random.choice(names, 80),
            "age": random.integers(20, 60, 80),
            "note": np.arange(80).astype(str),
        }
    )


def check_visits(released, original, k, m):
    """Recount a release of the visits from its cells as text."""
    records = [[str(dx).split(";"), job, str(age)] for dx, job, age, _ in released]
    assert min(count_holders(records, m).values()) >= k
    assert sorted(str(row[3]) for row in released) == sorted(original["note"])


def visits_schema():
    tree = om.datasets.diagnoses()
    columns = [om.NominalSet("dx", tree), om.Nominal("job", tree), om.Numeric("age")]
    return om.Schema(columns, other="keep")


@pytest.mark.parametrize("suffix", ["csv", "parquet", "pandas", "polars"])
def test_files_and_frames_are_recounted(visits, suffix, tmp_path):
    method, source = om.PairRecoding(k=4, m=2), tmp_path / f"visits.{suffix}"
    if suffix == "csv":
        visits.to_csv(source, index=False)
    elif suffix == "parquet":
        visits.to_parquet(source)
    else:
        source = visits if suffix == "pandas" else pl.from_pandas(visits)
    release = om.mask(source, visits_schema(), method, seed=1)
    written = tmp_path / ("out.parquet" if suffix == "parquet" else "out.csv")
    release.write(written)
    read = pd.read_parquet if suffix == "parquet" else pd.read_csv
    check_visits(read(written).values.tolist(), visits, 4, 2)


def test_spark_frames_are_recounted(visits, spark):
    records = [list(map(str, row)) for row in visits.values.tolist()]
    frame = spark.createDataFrame(records, list(visits.columns))
    release = om.mask(frame, visits_schema(), om.PairRecoding(k=4, m=2), seed=1)
    check_visits([list(row) for row in release.data.collect()], visits, 4, 2)
    person = om.Schema(list(visits_schema().quasi_identifiers), person="note")
    release = om.mask(frame, person, om.PairRecoding(k=4, m=2), seed=1)
    assert "shared by at least 4 people" in release.guarantee


# ---------------------------------------------------------------------- release files


def release_fields(method, **more):
    columns = {
        "dx": {"role": "quasi", "type": "set", "taxonomy": "icd9cm"},
        "age": {"role": "quasi", "type": "numeric"},
    }
    return {"data": "t.csv", "output": "out.csv", "columns": columns, "method": method, **more}


def test_a_release_file_says_what_attackers_know(tmp_path):
    table = pd.DataFrame({"dx": ["250.00;401.9"] * 5 + ["401.9"] * 5, "age": [30, 40] * 5})
    table.to_csv(tmp_path / "t.csv", index=False)
    method = {"name": "pair_recoding", "k": 3}
    spec = ReleaseFile.from_dict(release_fields(method, attacker={"knows": 1}), tmp_path)
    assert spec.method_object() == om.PairRecoding(k=3, m=1)
    spec = ReleaseFile.from_dict(release_fields({**method, "m": 3}), tmp_path)
    assert spec.method_object() == om.PairRecoding(k=3, m=3)


@pytest.mark.parametrize(
    ("method", "attacker", "message"),
    [
        ({"name": "pair_recoding", "m": 3}, {"knows": 2}, "must be equal to method.m, 3, got 2"),
        ({"name": "microaggregation"}, {"knows": 2}, "does not apply to the method 'microagg"),
        ({"name": "pair_recoding"}, {"knows": 4}, "m must be 1, 2 or 3, got 4"),
        ({"name": "pair_recoding"}, {"knows": "a few"}, "attacker.knows must be"),
        ({"name": "pair_recoding"}, {}, "attacker.knows is missing"),
    ],
)
def test_an_attacker_that_the_method_does_not_assume_is_refused(method, attacker, message):
    with pytest.raises(SpecError, match=message):
        ReleaseFile.from_dict(release_fields(method, attacker=attacker))
