"""docs/reproduction.md: its tables are what ``python -m experiments`` writes.

The page is filled from ``experiments/tables.json``, so every cell of the page is compared with that
file. The file is compared with results that are computed afresh from the public data: all tables of
the experiments that take seconds, some rows of the others. Run times are never computed afresh.
"""

from __future__ import annotations

import json
from itertools import pairwise, product

import numpy as np
import pytest

from experiments import EXPERIMENTS, Settings, find_experiments, load_data
from experiments.experiment import Experiment, Outcome, Result, Row
from experiments.papers import ma, no, rs, rs_privacy
from experiments.papers.rs_swapped import average_runs
from experiments.tables import PAGE, PLACE, fill_page, format_result, read_tables, write_tables
from experiments.trials import sample
from ontomask.errors import ParameterError
from ontomask.taxonomy import load_taxonomy

#: Experiments with run times, which differ from run to run.
RUN_TIMES = ("sf-figure-6", "tm-figure-6")
#: Experiments that take ten seconds or more; some of their rows are computed afresh.
LONG = (
    *("rs-tables-2-4", "rs-table-3-attributes", "rs-tables-5-6", "rs-privacy"),
    *("ma-tables-2-5", "no-tables-1-4"),
)
SHORT = [e.name for e in EXPERIMENTS if e.name not in (*RUN_TIMES, *LONG)]


@pytest.fixture(scope="module")
def stored():
    return read_tables()


@pytest.fixture(scope="module")
def real(data_folder):
    return load_data(data_folder)


def rows_of(table):
    """The rows of a stored table by label; published figures are those of the row above."""
    rows, label = {}, ""
    for first, *cells in table.rows[1:]:
        label = f"{label}, published" if first == "published" else first
        rows[label] = cells
    return rows


def numbers(cells):
    return [float(cell.replace(",", "")) for cell in cells]


# ---------------------------------------------------------------- the page and the stored tables


def test_every_table_of_the_page_is_the_stored_one(stored):
    text = PAGE.read_text(encoding="utf-8")
    assert fill_page(text, stored) == text


def test_every_table_of_the_page_is_marked():
    text = PAGE.read_text(encoding="utf-8")
    outside = PLACE.sub("", text)
    assert outside.count("|---|") == 1  # the options of the command
    assert "end of table" not in outside


def test_the_page_has_tables_of_every_experiment(stored):
    names = {experiment.name for experiment in EXPERIMENTS}
    assert set(stored) == names
    assert {place["name"] for place in PLACE.finditer(PAGE.read_text(encoding="utf-8"))} == names


def test_a_wrong_cell_on_the_page_is_noticed(stored):
    text = PAGE.read_text(encoding="utf-8")
    first = stored["sf-figures-4-5"][0].rows[1][1]
    wrong = text.replace(f"| {first} |", "| 1 |", 1)
    assert wrong != text
    assert fill_page(wrong, stored) == text


# ---------------------------------------------------------------- the stored tables and the data


@pytest.mark.parametrize("name", SHORT)
def test_stored_tables_are_what_the_experiment_gives(name, stored, real):
    (experiment,) = (e for e in EXPERIMENTS if e.name == name)
    assert find_experiments([name]) == [experiment]
    assert [format_result(result) for result in experiment.run(real, Settings())] == stored[name]


def test_stored_tables_of_one_way_to_swap(stored, real):
    name, attributes, strategy = "rs-tables-2-4", 2, "multivariate"
    columns = ("first", "second", "third")[:attributes]
    swapped = rs._swap_samples(
        real, real.complete(*columns), 1172, attributes, [strategy], Settings()
    )
    titles = {"RMSE": "RMSE", "after": "Distance correlation"}
    titles["change"] = "Change of distance correlation"
    for kind, title in titles.items():
        for figure in swapped.of(kind):
            (table,) = (t for t in stored[name] if t.title == f"{title}, {figure[1]}")
            afresh = Result("", "k", (), [], digits=4)
            line = [afresh.format_cell(cell) for cell in swapped.line(figure, strategy)]
            assert line == rows_of(table)[strategy]


def test_stored_tables_of_marginality_for_the_diagnosis_alone(stored, real):
    for printed, tables in ((ma.NEOPLASMS, (3, 4)), (ma.DIGESTIVE, (8, 9))):
        afresh = [
            format_result(result) for result in ma._diagnosis_alone(real, Settings(), printed)
        ]
        assert afresh == [stored["ma-tables-2-5"][place] for place in tables]


@pytest.mark.parametrize("place", [3, 5, 6])
def test_stored_tables_of_noise(place, stored):
    """Three tables of the paper, with both readings of its farmer."""
    person = load_taxonomy("wordnet").domain(root="person.n.01")
    table, farmer = list(product(no.TABLES, no.FARMERS))[place]
    afresh = no._result(table, farmer, person, Settings().seeds(no.RUNS))
    assert format_result(afresh) == stored["no-tables-1-4"][place]


def test_stored_tables_of_linkage_after_swapping(stored, real):
    """Two rows of the samples of 3,000 records, at k = 5."""
    rows = real.complete("first", "second")
    seeds = Settings().seeds(10)
    tables = {
        seed: real.tuples(sample(rows, 3000, seed, Settings()), ("first", "second"))
        for seed in seeds
    }
    for name in ("multivariate", "multivariate, guard"):
        means = average_runs(
            rs_privacy._measure_plan(rs_privacy._plan(name, 5, tuples, seed), 5)
            for seed, tuples in tables.items()
        )
        for place, (measure, (_, share)) in enumerate(rs_privacy.MEASURES.items()):
            shown = Result("", "k", (), [], digits=1 if share else 2).format_cell(means[measure])
            assert shown == rows_of(stored["rs-privacy"][place])[name][0]


# ---------------------------------------------------------------- what the page says about them


def test_sf_semantic_operators_have_the_smaller_error(stored):
    rows = {
        label: numbers(c) for label, c in rows_of(stored["sf-figures-4-5"][0]).items() if all(c)
    }
    for method in ("microaggregation", "recoding", "resampling"):
        assert np.all(np.less(rows[f"{method}, semantic"], rows[f"{method}, classic"]))
    order = [rows[f"{m}, semantic"][1:] for m in ("microaggregation", "recoding", "resampling")]
    order.append(rows["suppression"][1:])
    assert all(np.all(np.less(low, high)) for low, high in pairwise(order))


def test_ma_the_error_of_the_diagnosis_falls_at_every_k_here_and_but_once_in_the_paper(stored):
    for place in (1, 2, 6, 7, 4, 9):
        rows = rows_of(stored["ma-tables-2-5"][place])
        assert max(numbers(rows["diagnosis"])) < 0
        published = numbers(rows["diagnosis, published"])
        assert max(published[1:]) < 0
        digestive = place > 5
        assert (published[0] == 0) == digestive


def test_no_published_means_alternate_as_ours_do(stored):
    tables = stored["no-tables-1-4"]
    label = "mean of the masked column"
    assert set(rows_of(tables[0])[label]) == {"employee"}
    assert rows_of(tables[2])[label][0] == "employee"
    assert rows_of(tables[3])[label][0] == "skilled worker"
    assert rows_of(tables[6])[label][1] == "craftsman"
    assert rows_of(tables[6])[f"{label}, published"][1] == "technician"


def test_rs_unique_records_are_linked_more_often_than_one_in_k(stored):
    for place in (2, 8):
        rows = {
            label: numbers(cells) for label, cells in rows_of(stored["rs-privacy"][place]).items()
        }
        limits = [100 / k for k in rs_privacy.KS]
        assert np.all(np.greater(rows["multivariate"], limits))
        for method in ("multivariate, guard", "fixed", "random"):
            assert np.all(np.less(rows[method], limits))


# ---------------------------------------------------------------- writing


def test_tables_are_stored_and_filled_in(tmp_path):
    result = Result(
        "SSE: all", "k", (2, 5), [Row("a", (1.0, 2.0), (None, 3)), Row("b", (4.0, 4.0))]
    )
    outcome = Outcome(Experiment("xx", "XX", "", lambda *_: []), [result, result], 1.0)
    page, file = tmp_path / "page.md", tmp_path / "tables.json"
    mark = "<!-- table: xx {} -->\nold\n<!-- end of table -->\n"
    page.write_text(f"# Page\n\n{mark.format(1)}\n{mark.format('1-2')}", encoding="utf-8")
    write_tables([outcome], file, page)
    assert json.loads(file.read_text(encoding="utf-8"))["xx"][0]["rows"][1:3] == [
        "a | 1.00 | 2.00",
        "published |  | 3",
    ]
    text = page.read_text(encoding="utf-8")
    assert "| k | 2 | 5 |\n|---|---|---|\n| a | 1.00 | 2.00 |\n| *published* |  | *3* |\n" in text
    assert "**all, k = 2 / 5**\n\n| method | SSE | SSE |\n" in text
    assert "| b | 4.00 | 4.00 |\n" in text
    assert "old" not in text
    write_tables([], file, page)
    assert page.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("settings", [{"quick": True}, {"runs": 2}, {"seed": 1}, {"data": None}])
def test_only_full_runs_on_the_real_data_are_written(settings, monkeypatch):
    from experiments.command import reproduce

    monkeypatch.delenv("ONTOMASK_DATA", raising=False)
    defaults = {"runs": None, "quick": False, "seed": 0, "data": None, "output": None}
    with pytest.raises(ParameterError, match="--write-tables must have the real data"):
        reproduce(
            ["tm-figure-5"],
            list_=False,
            force=False,
            json=False,
            write_tables=True,
            **{**defaults, **settings},
        )
