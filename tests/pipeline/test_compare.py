"""``compare``: its figures are those of ``mask``, however it is worked out."""

from __future__ import annotations

import csv
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

import ontomask as om
from ontomask._runtime.yaml_text import format_yaml
from ontomask.errors import ParameterError
from ontomask.pipeline.comparing import workers
from ontomask.pipeline.comparing.axes import LOSSES, RISKS
from ontomask.pipeline.comparing.points import find_dominated
from ontomask.releasefile.compared_methods import parse_methods, parse_whole_numbers
from ontomask.releasefile.yaml_file import read_yaml

SEED = 7

METHODS = [
    om.Microaggregation(k=3),
    om.Recoding(k=4),
    om.Resampling(k=2),
    om.Suppression(k=3),
    om.Suppression(k=3, how="drop"),
    om.RankSwapping(window=3),
    om.NoiseAddition(alpha=0.2),
    om.Microaggregation(k=3, replacement="synthetic"),
]


def table(n=60):
    random = np.random.default_rng(1)
    words = ["flu", "hepatitis B", "hepatitis C", "sprain", "hepatitis", None]
    return pd.DataFrame(
        {
            "person": [f"p{i % (n // 2)}" for i in range(n)],
            "diagnosis": [words[i] for i in random.integers(0, 6, n)],
            "age": random.integers(20, 40, n),
            "pay": random.integers(0, 9, n),
            "ward": random.choice(["a", "b", None], n),
        }
    )


def schema(**more):
    return om.Schema(
        [om.Nominal("diagnosis", om.datasets.diagnoses()), om.Numeric("age")],
        **{
            "confidential": [om.Numeric("pay"), "ward"],
            "drop": ["person"],
            "missing": "category",
            **more,
        },
    )


PEOPLE = {"person": "person", "drop": [], "identifiers": ["person"]}

#: What is worked out from the confidential columns.
OF_CONFIDENTIAL = (
    *("homogeneous_records", "homogeneous_people"),
    *("l_distinct", "l_entropy", "l_recursive", "t_equal", "t_ordered", "t_semantic"),
    *("alpha", "beta", "beta_enhanced", "delta", "delta_strict"),
)


# ------------------------------------------------------------------ the figures


@pytest.mark.filterwarnings("ignore::ontomask.errors.WeakProtectionWarning")
@pytest.mark.parametrize("more", [{}, PEOPLE, {"missing": "drop"}], ids=["all", "people", "drop"])
def test_the_figures_are_those_of_mask(more):
    found = om.compare(table(), schema(**more), METHODS, SEED)
    assert [point.method for point in found.points] == METHODS
    assert sum(bool(point.error) for point in found.points) == ("person" in more)
    for point in found.points:
        if point.error:
            with pytest.raises(ParameterError, match=point.error):
                om.mask(table(), schema(**more), point.method, SEED)
            continue
        release = om.mask(table(), schema(**more), point.method, SEED)
        wanted, risk = release.evaluation, dict(point.evaluation.risk)
        assert point.evaluation.utility == wanted.utility
        if release.transitions.has_one_target_per_tuple:
            assert risk == wanted.risk
            assert point.guarantee == release.guarantee
            assert vars(point.guarantee) == vars(release.guarantee)
        else:
            assert not any(risk[name] for name in OF_CONFIDENTIAL)
            rest = {name: it for name, it in wanted.risk.items() if name not in OF_CONFIDENTIAL}
            assert rest == {name: it for name, it in risk.items() if name not in OF_CONFIDENTIAL}
            assert point.guarantee.k == release.guarantee.k
            assert any("l and t are unknown" in note for note in point.notes)


def test_of_split_records_neither_people_nor_diversity_are_claimed_to_be_known():
    require = dict(k=2, l=2, linkage_below=0.9)
    swapped, grouped = om.compare(
        table(),
        schema(**PEOPLE),
        [om.RankSwapping(window=3), om.Recoding(k=4)],
        SEED,
        require=require,
    ).points
    assert swapped.unknown == ("k", "l")
    assert swapped.guarantee.unit == "records"
    assert swapped.meets in (None, False)
    assert grouped.unknown == ()
    assert grouped.guarantee.unit == "people"


def test_requirements_are_those_of_a_release():
    require = dict(k=4, sse_below=1e-9)
    (point,) = om.compare(table(), schema(), [om.Recoding(k=2)], SEED, require=require).points
    assert [reason.partition(":")[0] for reason in point.unmet] == ["k", "sse_below"]
    assert point.meets is False


def test_a_method_that_cannot_be_run_does_not_lose_the_others():
    found = om.compare(table(), schema(), [om.Recoding(k=61), om.Recoding(k=2)], SEED)
    failed, fine = found.points
    assert failed.error == "k must be at most the number of records, 60, got 61"
    assert failed.evaluation is None
    assert not failed.dominated
    assert fine.error == ""
    assert found.front == (fine,)
    assert repr(found).startswith("Comparison(2 points, 1 failed, 60 records")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"methods": []}, "methods must be a list of at least one method"),
        ({"methods": ["recoding"]}, "method must be a masking method, got 'recoding'"),
        ({"workers": 0}, "workers must be a positive integer, got 0"),
        ({"sample": -1}, "sample must be a positive integer, got -1"),
        ({"seed": -1}, "seed must be a non-negative integer"),
    ],
)
def test_wrong_arguments(arguments, words):
    with pytest.raises(ParameterError, match=words):
        om.compare(table(), **{"schema": schema(), "methods": METHODS, **arguments})


def test_a_sample_says_so():
    found = om.compare(table(), schema(), [om.Recoding(k=2)], SEED, sample=40)
    assert (found.records, found.sampled_from) == (40, 60)
    assert "a sample of 60" in repr(found)
    again = om.compare(table(), schema(), [om.Recoding(k=2)], SEED, sample=40)
    assert again.points[0].evaluation == found.points[0].evaluation
    whole = om.compare(table(), schema(), [om.Recoding(k=2)], SEED, sample=60)
    assert whole.sampled_from is None


# ------------------------------------------------------------------ dominance


def by_definition(points):
    def is_dominated(it):
        risk, loss = it
        return None not in it and any(
            None not in other
            and other[0] <= risk
            and other[1] <= loss
            and (other[0] < risk or other[1] < loss)
            for other in points
        )

    return [is_dominated(it) for it in points]


FIGURE = st.none() | st.integers(0, 5).map(float)


@given(st.lists(st.tuples(FIGURE, FIGURE), max_size=12))
def test_dominance_is_what_it_is_by_definition(points):
    assert find_dominated(points) == by_definition(points)


# ------------------------------------------------------------------ processes


def without_seconds(found):
    return [replace(point, seconds=0) for point in found.points]


@pytest.mark.slow
def test_two_processes_find_the_same_as_one(monkeypatch):
    methods = [*METHODS[:2], om.RankSwapping(window=3), om.Recoding(k=61)]
    alone = om.compare(table(), schema(), methods, SEED, workers=1)
    monkeypatch.setattr(workers, "compute_point", None)  # it cannot have been this process
    both = om.compare(table(), schema(), methods, SEED, workers=2)
    assert without_seconds(both) == without_seconds(alone)


def test_a_seed_is_nowhere_to_be_seen():
    found = om.compare(table(), schema(), [om.RankSwapping(window=3)], 123454321)
    assert "123454321" not in f"{found!r}{vars(found)}{found.table()}"


@pytest.mark.slow
def test_a_process_that_dies_is_reported_with_its_point(tmp_path, monkeypatch):
    module = tmp_path / "fatal_method.py"
    module.write_text(
        "import os, signal\nfrom dataclasses import dataclass\n"
        "from ontomask.methods.method import Method\n\n@dataclass(frozen=True)\n"
        "class Fatal(Method):\n    def plan(self, tuples, random):\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    from fatal_method import Fatal

    methods = [Fatal(), om.Recoding(k=2), Fatal(), om.Recoding(k=3), om.Recoding(k=4)]
    found = om.compare(table(), schema(), methods, SEED, workers=2)
    errors = [point.error for point in found.points]
    assert [error.startswith("the worker process ended: it was killed") for error in errors] == [
        *(True, False, True, False, False)
    ]
    assert errors[1] == errors[3] == errors[4] == ""


def test_what_cannot_be_sent_is_worked_out_here():
    """A measure that is a function of the caller's: no other process knows it."""

    def measure(taxonomy, a, b):
        return float(a != b)

    told = om.Schema(
        [om.Nominal("diagnosis", om.datasets.diagnoses(), measure=measure)],
        other="drop",
        missing="category",
    )
    methods = [om.Recoding(k=2), om.Recoding(k=3)]
    found = om.compare(table(), told, methods, SEED, workers=2)
    assert without_seconds(found) == without_seconds(
        om.compare(table(), told, methods, SEED, workers=1)
    )


@pytest.mark.slow
def test_a_script_needs_no_guard_and_runs_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        """
import ontomask as om
import pandas as pd
print("begun")
table = pd.DataFrame({"age": [1, 1, 2, 2, 3, 3]})
methods = [om.Recoding(k=2), om.Recoding(k=3)]
print(len(om.compare(table, om.Schema([om.Numeric("age")]), methods, workers=2).front))
""",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout.split()[0] == "begun"
    assert done.stdout.count("begun") == 1


def test_no_process_is_left_when_the_caller_is_stopped(monkeypatch):
    started, first_process = [], threading.Event()
    real = subprocess.Popen

    def start(*arguments, **settings):
        started.append(real(*arguments, **settings))
        first_process.set()
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", start)

    def stop(words):
        if words.startswith("2 of "):
            first_process.wait(60)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        om.compare(table(), schema(), METHODS, SEED, workers=2, progress=stop)
    assert started
    assert all(process.poll() is not None for process in started)


def test_progress_names_every_point():
    said = []
    om.compare(table(), schema(), METHODS[:3], SEED, progress=said.append)
    assert said == [
        "counting",
        "1 of 3: microaggregation, k = 3",
        "2 of 3: recoding, k = 4",
        "3 of 3: resampling, k = 2",
    ]


def test_memory_and_size_say_how_many_processes(monkeypatch):
    sent = []
    monkeypatch.setattr(
        workers, "run_in_processes", lambda _, told, *__: sent.append(told[0]) or {}
    )
    om.compare(table(), schema(), METHODS[:2], SEED)
    assert sent == []  # not worth it
    om.compare(table(), schema(), METHODS[:2], SEED, workers=2)
    (task,) = sent
    one = workers._worker_memory(task)
    assert [workers.affordable_workers(task, free) for free in (one - 1, one, 3 * one)] == [0, 1, 3]
    monkeypatch.setattr(workers, "MIN_PARALLEL_WORK", 0)
    monkeypatch.setattr(workers.os, "cpu_count", lambda: 8)
    monkeypatch.setattr(workers, "free_memory", lambda: 3 * one)
    assert workers.choose_worker_count(task, 10, None) == 3
    assert workers.choose_worker_count(task, 2, None) == 2
    monkeypatch.setattr(workers, "free_memory", lambda: 0)
    assert workers.choose_worker_count(task, 10, None) == 1


# ------------------------------------------------------------------ in words


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("5", [5]),
        ("2,5,10", [2, 5, 10]),
        ("2..5", [2, 3, 4, 5]),
        ("2..20:9", [2, 11, 20]),
        (" 3 .. 4 , 4, 9", [3, 4, 9]),
        ("7..7", [7]),
    ],
)
def test_ranges(text, numbers):
    assert parse_whole_numbers(text) == numbers


@pytest.mark.parametrize(
    "text", ["", "two", "2..", "..5", "5..2", "2..9:0", "-3", "2.5", "1..9999"]
)
def test_what_is_no_range(text):
    with pytest.raises(ParameterError, match="--k"):
        parse_whole_numbers(text, "--k")


def test_methods_with_settings():
    own = ("rank_swapping", {"window": 9, "guard": True})
    values = {"k": [4], "window": [2], "alpha": [0.3]}
    assert parse_methods(["rank_swapping", "recoding", "noise_addition"], values, own) == [
        om.RankSwapping(window=2, guard=True),
        om.Recoding(k=4),
        om.NoiseAddition(alpha=0.3),
    ]
    assert parse_methods(["rank_swapping:strategy=dynamic:complete=true"], {"window": [2, 2]}) == [
        om.RankSwapping(window=2, strategy="dynamic", complete=True)
    ]


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("recodin", "there is no method 'recodin'"),
        ("recoding:k", "must give a value for every setting"),
        ("recoding:speed=9", "recoding has no setting 'speed'"),
        ("suppression:how=burn", "suppression.how must be 'blank' or 'drop', got 'burn'"),
        ("microaggregation:k=1", "microaggregation.k must be an integer of at least 2, got 1"),
    ],
)
def test_wrong_methods(word, words):
    with pytest.raises(ParameterError, match=words):
        parse_methods([word])


SCALARS = st.text(max_size=8) | st.integers(-9, 10**6) | st.booleans() | st.floats(0.001, 10**9)


@given(
    st.dictionaries(
        st.sampled_from(["data", "output", "person"]), st.sampled_from(["1e5", "007"]) | SCALARS
    ),
    st.lists(st.sampled_from(["no", "1e5", "~", ".5", "2020-01-01", "a: b", "#"]) | SCALARS),
)
@example({"data": "\x85"}, ["a\u2028b", "1\n2"])
def test_fields_written_are_fields_read(tmp_path_factory, fields, levels):
    readable = {name: it for name, it in fields.items() if is_plain(it)}
    readable["columns"] = {"a b": {"levels": [it for it in levels if is_plain(it)]}}
    path = tmp_path_factory.mktemp("yaml") / "release.yaml"
    path.write_text(format_yaml(readable), encoding="utf-8", newline="\n")
    assert read_yaml(path).data == readable


def is_plain(value):
    """What YAML can hold at all."""
    return not isinstance(value, str) or yaml.safe_load(yaml.safe_dump(value)) == value


# ------------------------------------------------------------------ files


def compared(**more):
    methods = [*METHODS, om.RankSwapping(window=3, strategy="dynamic"), om.Recoding(k=61)]
    return om.compare(table(), schema(), methods, SEED, **more)


def test_the_table_as_csv(tmp_path):
    found = compared(require=dict(k=3))
    found.write_csv(tmp_path / "all.csv")
    with (tmp_path / "all.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(found.points)
    for row, wanted in zip(rows, found.table(), strict=True):
        for name in ("k", "linkage_nearest", "sse", "kl", "smallest_class", "seconds"):
            assert row[name] == ("" if wanted[name] is None else str(wanted[name]))
        assert row["method"] == wanted["method"]
        assert row["error"] == (wanted["error"] or "")
        assert row["dominated"] == {True: "yes", False: "no", None: ""}[wanted["dominated"]]
    assert rows[8]["settings"] == "strategy=dynamic"
    with pytest.raises(ParameterError, match="already exists"):
        found.write_csv(tmp_path / "all.csv")
    found.write_csv(tmp_path / "all.csv", force=True)


def test_every_figure_of_the_map_is_a_number_or_none():
    for row in compared().table():
        for axis in (*RISKS, *LOSSES):
            value = row[axis.name]
            assert value is None or (0 <= value < np.inf), axis.name
            assert not axis.share or value is None or value <= 1


# ------------------------------------------------------------------ the page


@pytest.fixture
def page(tmp_path, opened):
    found = compared(require=dict(k=3, linkage_below=0.2))
    found.save_page(tmp_path / "compare.html")
    return found, opened(tmp_path / "compare.html")


def places(seen):
    marks = seen.page.locator("#map .point").all()
    return {it.get_attribute("data-point"): it.get_attribute("transform") for it in marks}


def test_the_page_shows_every_point_and_asks_nobody(page):
    found, seen = page
    assert (seen.requests, seen.errors) == ([], [])
    drawn = seen.page.locator("#map .point")
    assert drawn.count() == sum(not point.error for point in found.points)
    hollow = {
        int(it.get_attribute("data-point"))
        for it in drawn.all()
        if "dominated" in it.get_attribute("class")
    }
    assert hollow == {i for i, point in enumerate(found.points) if point.dominated}
    assert seen.page.locator("#points tbody tr").count() == len(found.points)
    assert "failed: k must be at most" in seen.page.locator("#points").inner_text()
    assert seen.page.locator("#map line.limit").count() == 1


def test_other_axes_move_the_points_and_dominance(page):
    found, seen = page
    before = places(seen)
    seen.page.select_option("#x", "marketer")
    seen.page.select_option("#y", "kl")
    assert places(seen).keys() == before.keys()
    assert places(seen) != before
    rows = found.table()
    worse = by_definition([(row["marketer"], row["kl"]) for row in rows])
    told = seen.page.locator("#points .verdict").all_inner_texts()
    assert [it == "yes" for it in told] == worse
    checked = seen.page.is_checked("#log-x")
    before = places(seen)
    seen.page.set_checked("#log-x", not checked)
    assert places(seen) != before
    assert seen.errors == []


def test_the_map_works_from_the_keyboard(page):
    found, seen = page
    seen.page.locator("#map .point[tabindex='0']").focus()
    order = sorted(
        (i for i, point in enumerate(found.points) if not point.error),
        key=lambda i: (found.points[i].risk, found.points[i].loss),
    )
    focused = "() => document.activeElement.dataset.point"
    assert int(seen.page.evaluate(focused)) == order[0]
    seen.page.keyboard.press("ArrowRight")
    assert int(seen.page.evaluate(focused)) == order[1]
    assert seen.page.locator(".tip").is_visible()
    seen.page.keyboard.press("End")
    assert int(seen.page.evaluate(focused)) == order[-1]
    seen.page.keyboard.press("Enter")
    method = found.points[order[-1]].method
    shown = yaml.safe_load(seen.page.locator("#file").text_content())
    assert shown["method"][method.varied_by] in vars(method).values()
    assert seen.page.locator("#chosen button[data-copy]").is_visible()


def test_the_table_of_the_page_sorts_and_chooses(page):
    found, seen = page
    header = seen.page.locator("#points thead th", has_text="SSE")
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    cells = seen.page.locator("#points tbody tr td:nth-child(7)").all()
    values = [float(it.get_attribute("data-value")) for it in cells]
    assert len(values) == len(found.points) - 1
    assert values == sorted(values)
    header.locator("button").click()
    cells = seen.page.locator("#points tbody tr td:nth-child(7)").all()
    assert [float(it.get_attribute("data-value")) for it in cells] == values[::-1]
    seen.page.locator("#points tbody button", has_text="suppression").first.click()
    assert "suppression" in seen.page.locator("#chosen-name").inner_text()
    assert seen.errors == []


def test_without_a_script_the_table_says_everything(tmp_path, opened):
    compared().save_page(tmp_path / "compare.html")
    seen = opened(tmp_path / "compare.html", java_script_enabled=False)
    assert seen.page.locator("#points tbody tr").count() == len(METHODS) + 2
    assert not seen.page.locator("#chart").is_visible()


def test_the_page_holds_no_value_of_the_table(tmp_path):
    compared().save_page(tmp_path / "compare.html")
    text = (tmp_path / "compare.html").read_text(encoding="utf-8")
    for word in ("hepatitis", "sprain", "p17"):
        assert word not in text
