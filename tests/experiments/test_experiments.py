"""The experiments of SF, MA and TM: they run, print what the papers print, and show what they must.

Everything is quick, on small samples of synthetic discharges, except where the public data are
there.
"""

from __future__ import annotations

import numpy as np
import pytest

from experiments import (
    EXPERIMENTS,
    Settings,
    find_experiments,
    load_data,
    run_experiments,
)
from experiments.papers import ma, sf, tm
from experiments.trials import Means, in_random_order, sample
from ontomask import utility
from ontomask.errors import ParameterError
from ontomask.methods.recoding.recoding import Recoding

OURS = [*ma.EXPERIMENTS, *tm.EXPERIMENTS, *sf.EXPERIMENTS]
QUICK = Settings(quick=True, runs=1)


@pytest.fixture(scope="module")
def data():
    return load_data()


@pytest.fixture(scope="module")
def real(data_folder):
    return load_data(data_folder)


def named(rows):
    return {row.label: row for row in rows}


# ---------------------------------------------------------------- all of them


@pytest.mark.parametrize("experiment", OURS, ids=lambda experiment: experiment.name)
def test_every_table_has_a_figure_in_every_place(experiment, data):
    results = experiment.run(data, QUICK)
    assert results
    for result in results:
        assert result.title
        assert result.better in ("lower", "higher")
        for row in result.rows:
            assert len(row.ours) == len(result.columns)
            assert row.printed is None or len(row.printed) == len(result.columns)
            assert all(np.isfinite(cell) for cell in row.ours if cell is not None)


@pytest.mark.parametrize("name", ["ma", "tm-table-2", "sf-figures"])
def test_the_same_seed_gives_the_same_figures(name, data):
    (experiment,) = find_experiments([name])
    first, again, other = (
        [result.rows for result in experiment.run(data, Settings(quick=True, runs=1, seed=seed))]
        for seed in (3, 3, 4)
    )
    assert first == again
    assert first != other


def test_progress_names_what_is_run(data):
    said = []
    (outcome,) = run_experiments(
        find_experiments(["tm-figure-5"]), data, Settings(quick=True, progress=said.append)
    )
    assert said == ["tm-figure-5", "tm-figure-5: run 1 of 2", "tm-figure-5: run 2 of 2"]
    assert outcome.seconds > 0


def test_experiments_are_found_by_how_their_names_begin():
    assert len({experiment.name for experiment in EXPERIMENTS}) == len(EXPERIMENTS)
    assert find_experiments() == list(EXPERIMENTS)
    assert find_experiments(["SF"]) == sf.EXPERIMENTS
    assert find_experiments(["tm-figure-2", "tm"]) == tm.EXPERIMENTS
    papers = list(dict.fromkeys(experiment.paper for experiment in EXPERIMENTS))
    assert papers == ["RS", "NO", "MA", "TM", "SF"]
    for wrong in ("xx", ""):
        with pytest.raises(ParameterError, match="must be the name of an experiment"):
            find_experiments([wrong])


# ---------------------------------------------------------------- what the papers print


def test_sf_prints_two_errors_at_k_15(data):
    errors, divergences = sf.figures_4_and_5(data, QUICK)
    assert errors.columns[-1] == 15
    rows = named(errors.rows)
    assert rows["microaggregation, semantic"].printed[-1] == 645
    assert rows["suppression"].printed[-1] == 2875
    assert all(row.printed is None for row in divergences.rows)
    assert len(errors.rows) == 7


def test_ma_prints_all_its_errors(data):
    results = ma.tables_2_to_5(data, QUICK)
    assert [result.title[:10] for result in results] == [
        *("MA table 2",) * 3,
        *("MA table 4",) * 2,
        *("MA table 3",) * 3,
        *("MA table 5",) * 2,
    ]
    table_2, change_2 = named(results[0].rows), named(results[1].rows)
    assert table_2["classic, s_paper"].printed[-1] == 15981
    assert table_2["marginality, s_paper"].printed[-1] == 13345
    # "an almost 10% reduction ... for k = 4 that improves up to a 16% reduction for k = 20"
    assert [round(change_2["diagnosis"].printed[place]) for place in (1, -1)] == [-10, -16]
    # "from around 38% for k = 2 to more than 75% for k = 20"
    table_4, change_4 = named(results[3].rows), named(results[4].rows)
    assert table_4["classic"].printed[0] == 242
    assert [round(change_4["diagnosis"].printed[place]) for place in (0, -1)] == [-38, -76]
    # "figures for DISCHARGE DIGESTIVE are 12% and 18%"; "33% for k = 4 to 42% for k = 20"
    for place, (least, most) in ((6, (-12, -18)), (9, (-34, -42))):
        printed = named(results[place].rows)["diagnosis"].printed
        assert (round(printed[1]), round(printed[-1])) == (least, most)


def test_tm_prints_three_distances_of_clusters(data):
    by_clusters, by_branch = tm.table_2(data, QUICK)
    assert [row.printed[0] for row in by_clusters.rows] == [0.26, 0.57, 0.56]
    assert by_branch.columns == [*tm.BRANCHES, "any"]


# ---------------------------------------------------------------- what they must show


def test_meaning_beats_the_classic_operators(data):
    rows = named(sf.figures_4_and_5(data, Settings(quick=True))[0].rows)
    for method in sf.MAKE:
        for semantic, classic in zip(
            rows[f"{method}, semantic"].ours, rows[f"{method}, classic"].ours, strict=True
        ):
            assert semantic < classic


def test_marginality_helps_where_ties_know_nothing(data):
    results = ma.tables_2_to_5(data, Settings(quick=True, runs=3))
    for place in (4, 9):
        assert all(change < 0 for change in results[place].rows[0].ours)


def test_tm_table_2_on_real_data(real):
    for result in tm.table_2(real, Settings(runs=3)):
        semantic, discernibility, _ = result.rows
        for nearer, farther in zip(semantic.ours, discernibility.ours, strict=True):
            assert nearer < farther


def test_tm_figure_5_on_real_data(real):
    (result,) = tm.figure_5(real, Settings(runs=2))
    for row in result.rows:
        assert list(row.ours) == sorted(row.ours, reverse=True)


def test_tm_figure_2_on_real_data(real):
    (result,) = tm.figure_2(real, Settings())
    none, h1, h2, _ = (row.ours for row in result.rows)
    assert all(a <= b < c for a, b, c in zip(none, h1, h2, strict=True))


def test_ma_tables_4_and_5_on_real_data(real):
    for printed in (ma.NEOPLASMS, ma.DIGESTIVE):
        change = ma._diagnosis_alone(real, Settings(), printed)[1]
        assert all(cell < -20 for cell in change.rows[0].ours)


# ---------------------------------------------------------------- the tools of the trade


def test_samples_hold_each_record_once():
    rows = np.arange(1000) * 2
    drawn = sample(rows, 500, 0, Settings())
    assert len(np.unique(drawn)) == 500
    assert set(drawn) <= set(rows)
    assert len(sample(rows, 500, 0, QUICK)) == 300
    assert len(sample(rows, None, 0, Settings())) == 1000
    assert len(sample(rows[:100], 500, 0, Settings())) == 100


def test_means_are_means():
    means = Means()
    for figure in (1, 2, 6):
        means.add("a", 5, figure)
    assert means.rows([5])[0].ours == (3.0,)


def test_another_order_of_values_is_the_same_table(data):
    tuples = data.tuples(np.arange(200), ["first", "age", "second"], domain="taxonomy")
    other = in_random_order(tuples, 1)
    assert other.attributes[0].values != tuples.attributes[0].values

    def records(of):
        first, _, second = of.attributes
        return sorted(
            (first.values[a], of.attributes[1].numbers[b], second.values[c], count)
            for a, b, c, count in zip(*of.codes, of.counts, strict=True)
        )

    assert records(tuples) == records(other)


def test_from_one_masked_table_to_another(data):
    rows = data.complete("first", "second")[:400]
    tuples = data.tuples(rows, ["first", "second"], "wu_palmer_links", "taxonomy")
    first, second = (
        Recoding(5, distance=guide).plan(tuples, np.random.default_rng(0)) for guide in tm.GUIDES
    )
    plan = tm.between(first, second)
    assert sorted(plan.tuples.counts) == sorted(first.class_sizes())
    assert sorted(plan.class_sizes()) == sorted(second.class_sizes())
    same = tm.between(first, first)
    assert utility.sse(same) == 0
    assert utility.clustering_distance(same).distance == 0
