"""Several releases of one table: what their intersection singles out, by the plain definition."""

from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest

import ontomask as om
from pairing import each_with


def _plain_intersection(original, releases, quasi, sensitive, person=None):
    """Size of each record's intersection, and the records with one value left, record by record."""
    rows = range(len(original))
    classes = [
        [tuple(row) for row in release[quasi].itertuples(index=False, name=None)]
        for release in releases
    ]
    members = defaultdict(set)
    for row in rows:
        unit = row if person is None else original[person][row]
        members[tuple(numbers[row] for numbers in classes)].add(unit)
    sizes = [len(members[tuple(numbers[row] for numbers in classes)]) for row in rows]
    single = 0
    for row in rows:
        possible = None
        for release, numbers in zip(releases, classes, strict=True):
            here = {
                release[sensitive][other]
                for other in rows
                if numbers[other] == numbers[row] and pd.notna(release[sensitive][other])
            }
            possible = here if possible is None else possible & here
        single += len(possible) == 1
    return sizes, single


def _random_tables(seed, people):
    random = np.random.default_rng(seed)
    rows = int(random.integers(2, 40))
    original = pd.DataFrame(
        {
            "age": random.integers(20, 30, rows),
            "size": random.integers(0, 5, rows),
            "person": [f"p{number}" for number in random.integers(0, people, rows)],
            "illness": random.choice(["flu", "cold", "mumps", None], rows),
        }
    )
    releases = [
        original.assign(age=original["age"] // step, size=original["size"] // step).drop(
            columns="person"
        )
        for step in random.integers(1, 6, int(random.integers(2, 4)))
    ]
    return original, releases


@pytest.mark.parametrize(("seed", "person"), each_with(range(20), [None, "person"]))
def test_the_plain_definition(seed, person):
    original, releases = _random_tables(seed, people=12)
    schema = om.Schema(
        [om.Numeric("age"), om.Numeric("size")],
        confidential=["illness"],
        person=person,
        other="drop",
    )
    together = om.intersect_releases(original, releases, schema)
    sizes, single = _plain_intersection(original, releases, ["age", "size"], "illness", person)
    smallest = [
        min(_plain_intersection(original, [release], ["age", "size"], "illness", person)[0])
        for release in releases
    ]
    assert together.k == min(sizes)
    assert together.k_of_each == tuple(smallest)
    assert together.uniques == sum(size == 1 for size in sizes)
    assert together.below_k == sum(size < min(smallest) for size in sizes)
    assert together.disclosed == {"illness": single}
    assert together.people == (person is not None)


def test_records_are_matched_by_a_column():
    original, releases = _random_tables(3, people=5)
    schema = om.Schema([om.Numeric("age"), om.Numeric("size")], other="drop")
    numbered = [table.assign(number=range(len(table))) for table in (original, *releases)]
    shuffled = [table.sample(frac=1, random_state=4) for table in numbered[1:]]
    plain = om.intersect_releases(original, releases, schema)
    assert om.intersect_releases(numbered[0], shuffled, schema, match_by="number") == plain


def test_two_k_anonymous_releases_single_people_out():
    """Each release is 3-anonymous; the attacker, who intersects them, is left with fewer."""
    original = pd.DataFrame(om.datasets.discharges(600, seed=1))
    schema = om.Schema([om.Numeric("age"), om.Numeric("length_of_stay")], other="keep")
    releases = [om.mask(original, schema, om.Microaggregation(k), seed=2).data for k in (3, 4)]
    together = om.intersect_releases(original, releases, schema)
    assert min(together.k_of_each) >= 3
    pairs = Counter(
        zip(
            *(release[name] for release in releases for name in ("age", "length_of_stay")),
            strict=True,
        )
    )
    assert together.k == min(pairs.values()) < 3
    assert together.below_k == sum(count for count in pairs.values() if count < 3)


def test_one_release_has_no_intersection():
    original, releases = _random_tables(1, people=5)
    with pytest.raises(om.OntomaskError, match="at least two tables, got 1"):
        om.intersect_releases(original, releases[:1], om.Schema([om.Numeric("age")], other="drop"))
