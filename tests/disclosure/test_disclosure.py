"""What a report shows: right numbers, and none from which a small one follows."""

from __future__ import annotations

import datetime
import json
import re
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ontomask as om
import plain_shown as plain
from ontomask.disclosure import (
    histogram_bins,
    loss_by_branch,
    most_frequent_changes,
    records_by_branch,
)
from ontomask.errors import ParameterError
from ontomask.microdata.attributes import NominalAttribute, NumericalAttribute
from ontomask.microdata.tuples import Transitions, count_tuples
from ontomask.utility.sides import attribute_distances
from strategies import examples, taxonomies

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")

METHODS_TRIED = [
    om.Microaggregation(k=3),
    om.Microaggregation(k=2, replacement="synthetic"),
    om.Recoding(k=3),
    om.Resampling(k=3),
    om.Suppression(k=3),
    om.Suppression(k=2, how="drop"),
    om.RankSwapping(window=4),
    om.NoiseAddition(alpha=0.3),
]
LEVELS = [f"Level{place}" for place in range(6)]
FIRST_DAY = datetime.date(2020, 2, 27)


@st.composite
def releases(draw):
    """Random tables under random taxonomies, masked by any method; some values are missing."""
    taxonomy = draw(taxonomies(max_concepts=14))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size = draw(st.integers(6, 90))
    weights = random.dirichlet(np.full(len(taxonomy), draw(st.sampled_from([0.2, 1.0]))))
    words = random.choice(np.array(taxonomy.identifiers, dtype=object), size, p=weights)
    words[random.random(size) < draw(st.sampled_from([0, 0, 0.05, 0.4]))] = None
    assume(any(word is not None for word in words))
    table = pd.DataFrame(
        {
            "word": words,
            "age": random.geometric(0.1, size),
            "level": [LEVELS[min(it, 6) - 1] for it in random.geometric(0.5, size)],
            "day": [FIRST_DAY + datetime.timedelta(int(it)) for it in random.integers(0, 90, size)],
        }
    )
    table = table.astype({"age": float})
    for name in ("age", "level", "day"):
        lacks = random.random(size) < draw(st.sampled_from([0, 0, 0.05, 0.4]))
        assume(not lacks.all())
        table.loc[lacks, name] = None
    columns = [
        om.Nominal("word", taxonomy, domain=draw(st.sampled_from(["lcs", "taxonomy"]))),
        om.Numeric("age"),
        om.Ordinal("level", LEVELS),
        om.Date("day"),
    ][: draw(st.sampled_from([1, 1, 2, 4]))]
    schema = om.Schema(columns, other="drop", missing="category")
    method = draw(st.sampled_from(METHODS_TRIED))
    try:
        return om.mask(table, schema, method, seed=1)
    except ParameterError:  # noise on a single value, say
        assume(False)


def plan_of(attribute, pairs):
    """The plan of a single column, from (value before, value after, records)."""
    if isinstance(attribute, NominalAttribute):
        place = {value: code for code, value in enumerate(attribute.values)}
        codes = np.array([place[a] for a, _, _ in pairs])
        ends = [np.nan if b is None else attribute.places[b] for _, b, _ in pairs]
    else:
        codes = np.searchsorted(attribute.numbers, [a for a, _, _ in pairs])
        ends = [np.nan if b is None else b for _, b, _ in pairs]
    counts = np.array([n for _, _, n in pairs])
    tuples, of = count_tuples([attribute], [codes], counts)
    targets = np.array(ends, dtype=float)[:, None]
    return Transitions.from_pairs(tuples, targets, of, np.arange(len(pairs)), counts)


TREE = om.Taxonomy.from_edges(
    [("fruit", "food"), ("meat", "food"), ("apple", "fruit"), ("pear", "fruit"), ("fig", "fruit")],
    labels={"apple": "Apple"},
)


def words(*pairs):
    values = sorted({a for a, _, _ in pairs})
    others = [concept for concept in TREE if concept not in values]
    return plan_of(NominalAttribute("word", TREE, values, others=others), pairs)


def numbers(*pairs, **more):
    return plan_of(NumericalAttribute("age", np.unique([a for a, _, _ in pairs]), **more), pairs)


# ---------------------------------------------------------------------- by hand


def test_branches_by_hand():
    plan = words(
        ("apple", "apple", 10), ("apple", "fruit", 6), ("pear", "pear", 7), ("meat", "meat", 20)
    )
    found = records_by_branch(plan, 0, 5)
    assert found["nodes"] == [
        [-1, "food", "food", 43, 43, 1.0],
        [0, "fruit", "fruit", 23, 23, 1.0],
        [1, "apple", "Apple", 16, 10, 1.0],
        [1, "pear", "pear", 7, 7, 0.0],
        [0, "meat", "meat", 20, 20, 0.0],
    ]
    assert found["missing"] == {"before": None, "after": None}
    assert found["suppressed"] is None
    assert found["records"] == 43


def test_a_rare_value_takes_the_smallest_one_beside_it_along():
    # 3 figs would be what fruit has more than apples and pears; so pears are not told, either.
    plan = words(("apple", "apple", 10), ("pear", "pear", 6), ("fig", "apple", 3))
    nodes = {row[1]: row[3:5] for row in records_by_branch(plan, 0, 5)["nodes"]}
    assert nodes == {"food": [19, 19], "fruit": [19, 19], "apple": [10, 13], "pear": [None, 6]}


def test_few_suppressed_cells_are_told_nowhere():
    plan = words(
        ("apple", "apple", 40), ("pear", "pear", 40), ("pear", None, 2), ("meat", "meat", 50)
    )
    found = records_by_branch(plan, 0, 5)
    # 42 pears before and 40 after would tell that two were suppressed; so would all food after.
    assert [row[1:5] for row in found["nodes"]] == [
        ["food", "food", None, 132],
        ["fruit", "fruit", None, 80],
        ["apple", "Apple", None, 40],
        ["pear", "pear", None, 40],
    ]
    assert found["suppressed"] is None
    assert loss_by_branch(found) == []


def test_few_missing_values_are_counted_at_the_root():
    table = pd.DataFrame({"word": ["apple"] * 9 + ["pear"] * 8 + ["meat"] * 6 + [None] * 3})
    schema = om.Schema([om.Nominal("word", TREE)], missing="category")
    plan = om.mask(table, schema, om.RankSwapping(window=1), seed=1).transitions
    few, enough = records_by_branch(plan, 0, 5), records_by_branch(plan, 0, 3)
    assert few["missing"] == {"before": None, "after": None}
    assert [row[1:4] for row in few["nodes"][:2]] == [["food", "food", 26], ["fruit", "fruit", 17]]
    assert "meat" not in str(few)
    assert enough["missing"] == {"before": 3, "after": 3}
    assert [row[3] for row in enough["nodes"]] == [23, 17, 9, 8, 6]


def test_many_suppressed_cells_of_few_kinds():
    plan = words(
        ("apple", "apple", 40), ("apple", None, 9), ("pear", "pear", 40), ("pear", None, 2)
    )
    found = records_by_branch(plan, 0, 5)
    nodes = {row[1]: row[3:5] for row in found["nodes"]}
    # Of pears 2 were blanked, of fruit 11; without apples, which mend it, 2 would follow.
    assert nodes == {"food": [91, 80], "fruit": [91, 80], "apple": [None, 40], "pear": [None, 40]}
    assert found["suppressed"] == 11


def test_a_loss_of_few_records_is_not_told():
    plan = words(("apple", "apple", 40), ("apple", "pear", 3), ("pear", "apple", 30))
    found = records_by_branch(plan, 0, 5)
    assert {row[1]: row[5] for row in found["nodes"]} == {
        "food": 1.0,
        "fruit": 1.0,
        "apple": None,
        "pear": None,
    }
    assert [row["concept"] for row in loss_by_branch(found)] == ["fruit"]


def test_where_the_loss_is():
    plan = words(("apple", "food", 30), ("meat", "food", 20), ("pear", "pear", 50))
    found = records_by_branch(plan, 0, 5)
    rows = loss_by_branch(found)
    assert [row["concept"] for row in rows] == ["apple", "meat"]
    apple, meat = rows
    distances = {a: om.distance(TREE, a, "food") for a in ("apple", "meat")}
    lost = 30 * distances["apple"] + 20 * distances["meat"]
    assert apple["share"] == round(30 * distances["apple"] / lost, 3)
    assert apple["mean_distance"] == pytest.approx(distances["apple"], abs=0.005)
    assert meat["before"] == 20
    few = loss_by_branch(found, rows=1)
    assert [row["concept"] for row in few] == ["apple", None]
    assert sum(row["share"] for row in few) == 1
    assert few[1]["before"] == 70


def test_no_more_nodes_than_asked_for():
    plan = words(("apple", "apple", 10), ("pear", "pear", 6), ("meat", "meat", 20))
    everything = records_by_branch(plan, 0, 5)["nodes"]
    assert [row[1] for row in everything] == ["food", "fruit", "apple", "pear", "meat"]
    assert [row[1] for row in records_by_branch(plan, 0, 5, most=4)["nodes"]] == [
        "food",
        "fruit",
        "apple",
        "meat",
    ]
    assert [row[1] for row in records_by_branch(plan, 0, 5, most=2)["nodes"]] == ["food", "meat"]
    assert records_by_branch(plan, 0, 37)["nodes"] == []


def test_changes_by_hand():
    plan = words(
        ("apple", "fruit", 9), ("apple", "apple", 8), ("pear", "fruit", 7), ("meat", None, 6)
    )
    found = most_frequent_changes(plan, 0, 5)
    told = [(it["from_label"], it["to_label"], it["records"]) for it in found["changes"]]
    assert told == [("Apple", "fruit", 9), ("pear", "fruit", 7), ("meat", "suppressed", 6)]
    assert found["changes"][2]["to"] is None
    assert found["changes"][2]["distance"] == 1
    assert found["changes"][0]["distance"] == round(om.distance(TREE, "apple", "fruit"), 3)
    assert found["unchanged"] == 8
    assert len(most_frequent_changes(plan, 0, 5, most=1)["changes"]) == 1


def test_a_change_that_tells_of_few_others_is_left_out():
    # All but 2 apples became fruit: of 11 apples, these 2 would follow.
    plan = words(("apple", "fruit", 9), ("apple", "meat", 2), ("pear", "pear", 50))
    assert most_frequent_changes(plan, 0, 5)["changes"] == []
    # 9 of the 10 records that hold 33 after held 30 before: the last one's number would follow.
    mean = numbers((30, 33, 9), (60, 33, 1), (90, 91, 50), (90, 90, 20))
    assert [it["from"] for it in most_frequent_changes(mean, 0, 5)["changes"]] == [90]
    # 51 numbers before are in the upper bin: 50 of them told, one would follow.
    assert (
        most_frequent_changes(numbers((30, 33, 9), (60, 33, 1), (90, 91, 50)), 0, 5)["changes"]
        == []
    )


def test_a_change_that_tells_of_few_others_in_a_branch_is_left_out():
    # All fruit after came from apples and pears, but for the 3 figs below it, which are not told.
    plan = words(
        ("apple", "fruit", 20),
        ("pear", "fruit", 20),
        ("fig", "fig", 3),
        ("fig", "meat", 10),
        ("meat", "meat", 10),
    )
    assert [it["from"] for it in most_frequent_changes(plan, 0, 5)["changes"]] == ["pear"]


def test_a_change_that_tells_the_loss_of_few_others_is_left_out():
    # 40 apples have changed and their loss is told; 38 of them told as well, 2 would follow.
    plan = words(
        ("apple", "apple", 60),
        ("apple", "fruit", 38),
        ("apple", "meat", 2),
        ("pear", "fruit", 30),
        ("pear", "pear", 20),
        ("meat", "food", 3),
        ("meat", "apple", 2),
        ("meat", "meat", 50),
    )
    assert {row[1]: row[5] is not None for row in records_by_branch(plan, 0, 5)["nodes"]}["apple"]
    assert [it["from"] for it in most_frequent_changes(plan, 0, 5)["changes"]] == ["pear"]


def test_few_unchanged_are_not_told():
    assert (
        most_frequent_changes(words(("apple", "fruit", 9), ("pear", "pear", 4)), 0, 5)["unchanged"]
        is None
    )
    assert (
        most_frequent_changes(words(("apple", "fruit", 4), ("pear", "pear", 9)), 0, 5)["unchanged"]
        is None
    )
    assert most_frequent_changes(words(("pear", "pear", 9)), 0, 5)["unchanged"] == 9


def test_distances_of_numbers_are_not_told():
    # 10 of a range of 90 would be 1/9: the range of the column.
    (line,) = most_frequent_changes(numbers((10, 20, 9), (100, 100, 9)), 0, 5)["changes"]
    assert (line["from"], line["to"], line["distance"]) == (10, 20, None)


def test_levels_and_days_are_written_as_they_are():
    level = om.Ordinal("age", ["mild", "severe"])
    plan = numbers((0, 1, 9), (1, 1, 9), median=True)
    (line,) = most_frequent_changes(plan, 0, 5, column=level)["changes"]
    assert (line["from"], line["to_label"]) == ("mild", "severe")
    (line,) = most_frequent_changes(plan, 0, 5, column=om.Date("age"))["changes"]
    assert (line["from"], line["to_label"]) == ("1970-01-01", "1970-01-02")


def test_bins_by_hand():
    plan = numbers(*((it, it, 1) for it in range(18, 94)))
    found = histogram_bins(plan, 0, 5)
    assert found[0] == {"label": "below 25", "before": 7, "after": 7}
    assert found[1] == {"label": "25 to 29", "before": 5, "after": 5}
    assert found[-1] == {"label": "85 and more", "before": 9, "after": 9}
    assert histogram_bins(plan, 0, 40) == []
    assert histogram_bins(numbers((7, 7, 50)), 0, 5) == []


def test_an_outlier_makes_no_wider_bins():
    pairs = [(it, it, 10) for it in range(20)]
    labels = [it["label"] for it in histogram_bins(numbers(*pairs), 0, 5)]
    far = [it["label"] for it in histogram_bins(numbers(*pairs, (1e6, 1e6, 1)), 0, 5)]
    assert far == labels
    assert labels[0] == "below 1"
    assert labels[-1] == "19 and more"


def test_bins_of_decimals():
    plan = numbers(*((it / 8, it / 8, 5) for it in range(80)), decimals=3)
    labels = [it["label"] for it in histogram_bins(plan, 0, 5)]
    assert labels[:2] == ["below 1", "1 to below 2"]
    plan = numbers(*((it / 8, it / 8, 5) for it in range(40)), decimals=3)
    assert histogram_bins(plan, 0, 5)[1]["label"] == "0.5 to below 1.0"


@pytest.mark.parametrize(
    ("days", "second", "last"),
    [
        (12, "2020-02-28", "2020-03-09 and later"),
        (90, "2020-03-02 to 2020-03-08", "2020-05-25 and later"),
        (400, "2020-04", "2021-03 and later"),
        (1500, "2020-04 to 2020-06", "2024-01 and later"),
        (5000, "2021", "2033 and later"),
        (9000, "2022 to 2023", "2044 and later"),
        (60000, "2030 to 2039", "2180 and later"),
    ],
)
def test_bins_of_days(days, second, last):
    start = (FIRST_DAY - datetime.date(1970, 1, 1)).days
    plan = numbers(*((start + it, start + it, 5) for it in range(0, days, max(1, days // 900))))
    labels = [it["label"] for it in histogram_bins(plan, 0, 5, om.Date("age"))]
    assert labels[1] == second
    assert labels[-1] == last
    assert labels[0].startswith("before 20")
    assert len(labels) <= 20


def test_rare_levels_are_not_named():
    column = om.Ordinal("age", ["none", "mild", "odd", "severe", "rare"])
    plan = numbers((1, 1, 9), (2, 2, 2), (3, 3, 9), (4, 4, 1))
    assert histogram_bins(plan, 0, 5, column) == [
        {"label": "mild and others", "before": 9, "after": 9},
        {"label": "severe and others", "before": 12, "after": 12},
    ]


def test_bins_of_levels_have_names_of_their_own():
    column = om.Ordinal("age", list("abcdef"))
    plan = numbers(*((it, it, 3) for it in (0, 1, 3, 4)), (2, 2, 9), (5, 5, 9))
    labels = [it["label"] for it in histogram_bins(plan, 0, 5, column)]
    assert labels == ["c and others", "f and others"]


def test_few_blanked_numbers():
    plan = numbers((10, 10, 30), (20, 20, 30), (20, None, 2))
    assert [(it["before"], it["after"]) for it in histogram_bins(plan, 0, 5)] == [
        (None, 30),
        (None, 30),
    ]
    plan = numbers((10, 10, 30), (20, 20, 30), (10, None, 30), (20, None, 30))
    assert [(it["before"], it["after"]) for it in histogram_bins(plan, 0, 5)] == [
        (60, 30),
        (60, 30),
    ]
    plan = numbers((10, None, 30), (20, None, 30))
    assert [(it["before"], it["after"]) for it in histogram_bins(plan, 0, 5)] == [
        (30, None),
        (30, None),
    ]


# ---------------------------------------------------------------------- by definition


@pytest.mark.slow
@examples(60)
@given(releases(), st.integers(1, 12))
def test_branches_are_those_of_the_definition(release, least):
    plan = release.transitions
    found = records_by_branch(plan, 0, least)
    before, after = plain.two_trees(plan, 0, least)
    told = {row[1]: row for row in found["nodes"]}
    assert {c: row[3] for c, row in told.items() if row[3] is not None} == before.shown
    assert {c: row[4] for c, row in told.items() if row[4] is not None} == after.shown
    assert len(told) == len(found["nodes"]) == len({*before.shown, *after.shown})
    assert found["missing"] == {"before": before.aside[""], "after": after.aside[""]}
    assert found["suppressed"] == after.aside[None]
    losses = plain.losses(plan, 0, least, attribute_distances(plan)[0])
    shares = {c: row[5] for c, row in told.items() if row[5] is not None}
    assert shares == pytest.approx(losses, abs=0.00051)


@given(releases(), st.integers(1, 6), st.integers(1, 12))
def test_nodes_are_in_depth_first_order_below_their_parents(release, least, most):
    plan = release.transitions
    taxonomy = plan.tuples.attributes[0].domain
    rows = records_by_branch(plan, 0, least, most)["nodes"]
    assert len(rows) == min(most, len(records_by_branch(plan, 0, least)["nodes"]))
    path = []
    for place, (above, concept, *_) in enumerate(rows):
        while path and path[-1] != above:
            path.pop()
        assert bool(path) == (place > 0)
        parent = plain.tree_parent(taxonomy, concept)
        assert (rows[above][1] if place else None) == (parent if place else None)
        path.append(place)


@given(releases(), st.integers(1, 6))
def test_losses_by_branch_add_up(release, least):
    found = records_by_branch(release.transitions, 0, least)
    rows = loss_by_branch(found, rows=4)
    assert len(rows) <= 5
    if not rows:
        return
    assert sum(row["share"] for row in rows) == pytest.approx(1, abs=0.0006 * len(rows))
    assert sum(row["before"] for row in rows) <= found["records"]
    below = plain.tree_children(release.transitions.tuples.attributes[0].domain)
    sets = [plain.branch(below, row["concept"]) for row in rows if row["concept"] is not None]
    assert sum(map(len, sets)) == len(set().union(*sets))


# ---------------------------------------------------------------------- what an attacker can do


def seen(release, least, most=2000):
    """All that is shown of a release, and has been JSON."""
    plan = release.transitions
    shown = []
    for j, column in enumerate(release.schema.quasi_identifiers):
        made = {"changes": most_frequent_changes(plan, j, least, column=column)}
        if isinstance(column, om.Nominal):
            made["masses"] = records_by_branch(plan, j, least, most)
            made["losses"] = loss_by_branch(made["masses"])
        else:
            made["bins"] = histogram_bins(plan, j, least, column)
        shown.append(json.loads(json.dumps(made, allow_nan=False)))
    return shown


def parts_of(found, side, records):
    """Every part of the column that follows from one side of a tree: its concepts, its records."""
    rows, at = found["nodes"], 3 if side == "before" else 4
    rest = {None: records}
    for place, row in enumerate(rows):
        if row[at] is not None:
            rest[place] = rest.get(place, 0) + row[at]
            above = row[0] if place else None
            rest[above] = rest.get(above, 0) - row[at]
    for aside in [found["missing"][side]] + [found["suppressed"]] * (side == "after"):
        rest[None] -= aside or 0
    return rest


def part_of(found, side, taxonomy, value):
    """The part that a value belongs to."""
    at = 3 if side == "before" else 4
    told = {row[1]: place for place, row in enumerate(found["nodes"]) if row[at] is not None}
    if value == "" and found["missing"][side] is not None:
        return "missing"
    if value is None and found["suppressed"] is not None:
        return "suppressed"
    if not told:
        return None
    concept = value or taxonomy.root
    while concept not in told:
        concept = plain.tree_parent(taxonomy, concept)
    return told[concept]


@pytest.mark.slow
@examples(80)
@given(releases(), st.integers(1, 14), st.sampled_from([2, 5, 2000]))
def test_no_small_number_follows_by_subtraction(release, least, most):
    plan = release.transitions
    records = plan.tuples.records
    if records < least:
        assert not re.search(r"\d", re.sub(r'"\w+":', "", json.dumps(seen(release, least, most))))
        return
    for j, shown in enumerate(seen(release, least, most)):
        lines, same = shown["changes"]["changes"], shown["changes"]["unchanged"]
        assert all(line["records"] >= least for line in lines)
        if same is not None:
            assert same >= least
            told = sum(line["records"] for line in lines)
            assert plain.fine(records - same, least)
            assert plain.fine(records - same - told, least)
        if "masses" in shown:
            no_small_number_in_a_tree(plan, j, shown["masses"], lines, least)
        else:
            no_small_number_in_bins(plan, j, shown["bins"], least)
        no_small_margin(plan, j, lines, least, release.schema.quasi_identifiers[j])


def no_small_number_in_a_tree(plan, j, found, lines, least):
    taxonomy, records = plan.tuples.attributes[j].domain, plan.tuples.records
    numbers = [it for row in found["nodes"] for it in row[3:5]]
    numbers += [*found["missing"].values(), found["suppressed"]]
    assert all(number >= least for number in numbers if number is not None)
    for side, end in (("before", "from"), ("after", "to")):
        rest = parts_of(found, side, records)
        assert all(plain.fine(number, least) for number in rest.values())
        rest["missing"], rest["suppressed"] = found["missing"][side], found["suppressed"]
        for line in lines:
            rest[part_of(found, side, taxonomy, line[end])] -= line["records"]
        assert all(plain.fine(number, least) for number in rest.values() if number is not None)
    if plain.only_blanks(plain.moves(plan, j)):
        no_small_difference(plan, j, found, least)
    changed = defaultdict(int)
    told = {row[1] for row in found["nodes"] if row[5] is not None}
    for before, after, count in plain.moves(plan, j):
        concept = before or taxonomy.root
        while told and concept not in told:
            concept = plain.tree_parent(taxonomy, concept)
        changed[concept if told else None] += count * (before != after)
    if told:
        assert all(plain.fine(number, least) for number in changed.values())
        for line in lines:
            concept = line["from"] or taxonomy.root
            while concept not in told:
                concept = plain.tree_parent(taxonomy, concept)
            changed[concept] -= line["records"]
        assert all(plain.fine(number, least) for number in changed.values())


def no_small_difference(plan, j, found, least):
    """Where cells were only blanked: the released table taken from what is shown before."""
    taxonomy = plan.tuples.attributes[j].domain
    rest = parts_of(found, "before", 0)
    if None in rest:
        del rest[None]
    if found["missing"]["before"] is not None:
        rest["missing"] = found["missing"]["before"]
    for _, after, count in plain.moves(plan, j):
        if after is not None:
            part = part_of(found, "before", taxonomy, after)
            if part is not None:
                rest[part] -= count
    assert all(plain.fine(number, least) for number in rest.values())


def no_small_number_in_bins(plan, j, found, least):
    for side in ("before", "after"):
        numbers = [it[side] for it in found]
        assert all(number >= least for number in numbers if number is not None)
        assert len({number is None for number in numbers}) < 2
    if found and found[0]["before"] is not None:
        missing = sum(count for before, _, count in plain.moves(plan, j) if before == "")
        assert sum(it["before"] for it in found) == plan.tuples.records - missing
        assert plain.fine(missing, least)
    by_label = {it["label"]: it for it in found}
    assert len(by_label) == len(found) != 1


def no_small_margin(plan, j, lines, least, column):
    """What is left of each value before, and of each value after, beside the shown changes."""
    attribute = plan.tuples.attributes[j]
    for end, side in (("from", 0), ("to", 1)):
        rest = Counter()
        for move in plain.moves(plan, j):
            rest[written(attribute, column, move[side])] += move[2]
        for line in lines:
            rest[line[end]] -= line["records"]
        assert all(plain.fine(rest[line[end]], least) for line in lines)


def written(attribute, column, value):
    if value is None or isinstance(attribute, NominalAttribute):
        return value
    if value == "":
        return None
    if isinstance(column, om.Ordinal):
        return column.levels[round(value)]
    if isinstance(column, om.Date):
        return str(datetime.date(1970, 1, 1) + datetime.timedelta(round(value)))
    return value


@pytest.mark.slow
@examples(60)
@given(releases(), st.integers(2, 14))
def test_nothing_that_few_records_carry_is_named(release, least):
    plan = release.transitions
    for j, (shown, column) in enumerate(
        zip(seen(release, least), release.schema.quasi_identifiers, strict=True)
    ):
        named = set(re.findall(r"c\d\d\b|only|Level\d", json.dumps(shown)))
        often = [Counter(), Counter()]
        for move in plain.moves(plan, j):
            for side in (0, 1):
                often[side][written(plan.tuples.attributes[j], column, move[side])] += move[2]
        if isinstance(column, om.Nominal):
            below = plain.tree_children(plan.tuples.attributes[j].domain)
            carried = [
                {c: sum(it[d] for d in plain.branch(below, c)) for c in below} for it in often
            ]
            # The root also holds what is missing or suppressed, where that is too little to tell.
            assert all(max(it[name] for it in carried) >= least for name in named)
        else:
            assert all(max(it[name] for it in often) >= least for name in named)


@given(releases(), st.integers(2, 9))
def test_changes_and_bins_go_together(release, least):
    """What is left of a bin beside the changes of its values is none or enough."""
    plan = release.transitions
    for j, column in enumerate(release.schema.quasi_identifiers):
        if not isinstance(column, om.Numeric):
            continue
        found = histogram_bins(plan, j, least, column)
        lines = most_frequent_changes(plan, j, least, column=column)["changes"]
        starts = [int(re.match(r"[\d,]+", it["label"])[0].replace(",", "")) for it in found[1:]]
        for side, end in (("before", "from"), ("after", "to")):
            rest = [it[side] for it in found]
            for line in lines:
                place = sum(line[end] is not None and line[end] >= it for it in starts)
                if rest and rest[place] is not None and line[end] is not None:
                    rest[place] -= line["records"]
            assert all(plain.fine(number, least) for number in rest if number is not None)


@given(releases())
def test_numbers_do_not_depend_on_the_order_of_records(release):
    plan = release.transitions
    order = np.random.default_rng(0).permutation(len(plan.targets))
    place = np.argsort(order)
    again = Transitions(
        plan.tuples, plan.targets[order], plan.source, place[plan.target], plan.count
    )
    assert records_by_branch(again, 0, 3) == records_by_branch(plan, 0, 3)
    assert most_frequent_changes(again, 0, 3) == most_frequent_changes(plan, 0, 3)
