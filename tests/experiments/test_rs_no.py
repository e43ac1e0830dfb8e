"""RS and NO again, in small: what swapping cannot change, and figures as the papers print them."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

from experiments.data import Data
from experiments.experiment import Settings
from experiments.papers import no, rs, rs_privacy
from experiments.papers.rs_printed import TABLE_5, TABLE_6, TABLES_2_TO_4
from experiments.papers.rs_swapped import KS, growth
from ontomask.datasets import discharges
from ontomask.methods import NoiseAddition, RankSwapping
from ontomask.taxonomy import Taxonomy

QUICK = Settings(quick=True, runs=1)
SWAPPING = {experiment.name: experiment for experiment in rs.EXPERIMENTS}


@pytest.fixture(scope="module")
def data(icd9):
    """Discharges, with no more of the taxonomy than they need: means are found sooner."""
    table = discharges(2000)
    columns = {"first": "diagnosis", "second": "secondary_diagnosis", "third": "outcome"}
    found = Data("discharges", {name: table[column] for name, column in columns.items()}, {})
    used = set().union(*(icd9.ancestors(v) for c in columns.values() for v in set(table[c])))
    edges = [(concept, parent) for concept in used for parent in icd9.parents(concept)]
    found.__dict__["taxonomy"] = Taxonomy.from_edges(edges)
    return found


@pytest.fixture(scope="module")
def results(data):
    return {name: experiment.run(data, QUICK) for name, experiment in SWAPPING.items()}


@pytest.fixture(scope="module")
def noise(data):
    (experiment,) = no.EXPERIMENTS
    return experiment.run(data, QUICK)


def rows(results, beginning):
    return [row for result in results if result.title.startswith(beginning) for row in result.rows]


def test_every_row_is_as_long_as_its_table_is_wide(results, noise):
    for result in chain(noise, *results.values()):
        for row in result.rows:
            assert len(row.ours) == len(result.columns)
            assert row.printed is None or len(row.printed) == len(result.columns)


@pytest.mark.parametrize("name", ["rs-tables-2-4", "rs-table-3-attributes", "rs-tables-5-6"])
def test_swapping_leaves_the_statistics_of_single_attributes_exactly_as_they_were(results, name):
    untouched = rows(results[name], "Statistics of single attributes")
    assert len(untouched) == {"2": 4, "3": 6, "5": 10}[name.split("-")[2]]
    assert {cell for row in untouched for cell in row.ours} == {0.0}


def test_the_same_seed_gives_the_same_numbers(data, results, wordnet):
    assert SWAPPING["rs-tables-5-6"].run(data, QUICK) == results["rs-tables-5-6"]
    person = wordnet.domain(root="person.n.01")
    one, same = (no.noisy(person, no.SAMPLE, NoiseAddition(1), seed=3) for _ in range(2))
    assert one.targets.tolist() == same.targets.tolist()
    assert one.count.tolist() == same.count.tolist()


def test_another_seed_gives_others(data, results):
    other = SWAPPING["rs-tables-5-6"].run(data, Settings(quick=True, runs=1, seed=1))
    assert rows(other, "RMSE") != rows(results["rs-tables-5-6"], "RMSE")


def test_all_strategies_are_compared(results):
    for row_of in (
        "RMSE, first",
        "RMSE, second",
        "Change of distance correlation, first and second",
    ):
        labels = [row.label for row in rows(results["rs-tables-2-4"], row_of)]
        assert labels == ["fixed", "dynamic", "multivariate", "random", "distributional"]


def test_notes_say_what_the_numbers_show(results):
    (table,) = (r for r in results["rs-tables-2-4"] if r.title == "RMSE, first")
    lines = {row.label: row.ours for row in table.rows}
    order = all(
        low < middle < high
        for low, middle, high in zip(
            lines["dynamic"], lines["multivariate"], lines["fixed"], strict=True
        )
    )
    assert any(note.startswith("As in the paper: dynamic") for note in table.notes) == order


def test_growth_names_the_steps_down():
    said = growth({"up": [1, 2, 2, 3, 4, 5], "down": [1, 2, 1, 3, 4, 3]})
    assert said == (
        "Increasing with k: up. Not always increasing: "
        "down (lower at k = 10, 100 than at the previous k)."
    )


def test_the_largest_chapter_is_that_with_the_most_principal_diagnoses(data):
    chosen = rs.largest_chapter(data)
    chapters = data.taxonomy.children(data.taxonomy.root)
    assert chosen in chapters
    counts = {
        chapter: sum(chapter in data.taxonomy.ancestors(v) for v in data.diagnoses["first"])
        for chapter in chapters
    }
    assert counts[chosen] == max(counts.values())


# ---------------------------------------------------------------- privacy


def test_unmasked_records_are_linked_with_one_over_their_number(data, results):
    (table,) = (
        r for r in results["rs-privacy"] if r.title.startswith("Correctly linked records, %: all")
    )
    sample = data.complete("first", "second")
    chosen = np.random.default_rng(0).choice(sample, 300, replace=False)
    pairs = {(data.diagnoses["first"][i], data.diagnoses["second"][i]) for i in chosen}
    assert table.rows[0].label == "unmasked"
    assert table.rows[0].ours == pytest.approx([100 * len(pairs) / 300] * 3)


def test_only_an_incomplete_swapping_leaves_values_without_a_partner(results):
    for row in rows(results["rs-privacy"], "Values without a partner"):
        if "complete" in row.label or "guard" in row.label:
            assert set(row.ours) == {0.0}


def test_every_strategy_has_its_row():
    options = {row.partition(", ")[0] for row in rs_privacy.ROWS}
    assert options == {"unmasked", *rs.STRATEGIES}
    for strategy in rs.STRATEGIES:
        RankSwapping(5, strategy)


# ---------------------------------------------------------------- what is printed


def test_rs_printed_correlations_and_changes_agree():
    # To four digits, save one: table 6 prints 0.1136 where 0.4229 - 0.3090 = 0.1139.
    tables = [
        (
            TABLES_2_TO_4["after", "first and second"][s],
            TABLES_2_TO_4["change", "first and second"][s],
        )
        for s in ("fixed", "dynamic", "multivariate")
    ]
    for after, change in tables:
        assert np.subtract(0.4595, after) == pytest.approx(np.array(change), abs=1e-9)
    for table in (TABLE_5, TABLE_6):
        for kind, pair in table:
            if kind == "after":
                lost = np.subtract(table["before", pair], table[kind, pair])
                apart = np.abs(lost - np.array(table["change", pair])).round(4)
                assert apart.tolist() == [0, 0, 0, 0, 0.0003 * (pair == "first and third"), 0]


def test_rs_printed_figures_here_and_there(results):
    fixed, dynamic, multivariate, *_ = rows(results["rs-tables-2-4"], "RMSE, first")
    assert (fixed.printed[0], dynamic.printed[3], multivariate.printed[5]) == (
        0.4558,
        0.2782,
        0.4656,
    )
    assert [row.printed[4] for row in rows(results["rs-tables-5-6"], "RMSE (RS table 6)")] == [
        0.2412,
        0.2409,
        0.4174,
    ]
    assert all(len(line) == len(KS) for line in chain(TABLE_5.values(), TABLE_6.values()))


def test_no_printed_figures_here_and_there(noise):
    titles = [result.title.rpartition("(")[2] for result in noise]
    assert titles == [f"NO table {n})" for n in ("I", "I", "II", "II", "III", "III", "IV", "IV")]
    first, second, third, fourth = ({r.label: r.printed for r in t.rows} for t in noise[::2])
    distance = no.LABELS["distance"]
    assert first[distance] == (0.19, 0.23, 0.26, 0.28, 0.30, 0.35)
    assert second[distance] == (0.56, 0.54, 0.35)
    assert third[no.LABELS["target"]] == (0.09, 0.13, 0.15, 0.19, 0.20, 0.29)
    assert fourth[no.LABELS["mean"]] == ("laborer", "technician", "skilled worker")
    assert first[no.LABELS["rmse"]] is None


def test_no_table_1_is_near_the_printed_one(noise):
    for row in noise[0].rows:
        if row.label in (no.LABELS["distance"], no.LABELS["variance"], no.LABELS["target"]):
            assert row.ours == pytest.approx(row.printed, abs=0.03)


def test_the_true_rmse_is_never_below_the_mean_distance(noise):
    for table in noise:
        lines = {row.label: row.ours for row in table.rows}
        pairs = zip(lines[no.LABELS["rmse"]], lines[no.LABELS["distance"]], strict=True)
        assert all(root >= mean for root, mean in pairs)
