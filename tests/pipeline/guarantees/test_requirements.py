"""Requirements: what a release must be, and the sentence where it is not."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import ontomask as om
import plain_risk
from ontomask.errors import OntomaskError, RequirementNotMet
from ontomask.pipeline.evaluation import Evaluation
from ontomask.pipeline.guarantees.guarantee import Guarantee
from ontomask.pipeline.guarantees.requirements import check_requirements, unmet_requirements


def evaluation(**changes):
    risk = {
        "linkage_nearest": 0.031,
        "linkage_nearest_interval": None,
        "l_distinct": {"charge": 3, "outcome": 1},
        "t_equal": {"charge": 0.9, "outcome": 0.25},
        "t_ordered": {"charge": 0.2},
        "t_semantic": {},
        "l_entropy": {"charge": 2.5, "outcome": 2 - 1e-12},
        "alpha": {"charge": 0.4, "outcome": 0.75},
        "beta": {"charge": 3.5, "outcome": None},
        "delta": {"charge": 0.1, "outcome": 0.1},
        "delta_strict": {"charge": 0.5, "outcome": None},
    }
    return Evaluation({"sse": 92.1, **changes}, {**risk, **changes})


def guarantee(smallest=5, classes=7, unit="records"):
    return Guarantee("words", k=None, smallest=smallest, classes=classes, unit=unit)


MET = [
    {},
    {"k": 5},
    {"k": 4},
    {"t": 0.9},
    {"entropy_l": 2},
    {"alpha": 0.75},
    {"linkage_below": 0.0311},
    {"sse_below": 92.2},
]


@pytest.mark.parametrize("wanted", MET)
def test_met(wanted):
    assert unmet_requirements(dict(**wanted), evaluation(), guarantee()) == []


UNMET = [
    (
        {"entropy_l": 2.1},
        ["entropy_l: the entropy l-diversity of 'outcome' must be at least 2.1, got 2"],
    ),
    (
        {"alpha": 0.5},
        [
            "alpha: the share of a value of 'outcome' in an equivalence class must be at most 0.5, "
            "got 0.75"
        ],
    ),
    (
        {"beta": 3},
        [
            "beta: the relative gain of a value of 'charge' in an equivalence class must be at "
            "most 3, got 3.5",
            "beta: the relative gain of a value of 'outcome' in an equivalence class must be at "
            "most 3, but it is infinite: an equivalence class has no known value",
        ],
    ),
    (
        {"delta": 0.4},
        [
            "delta: the δ-disclosure of 'charge' over all its values must be at most 0.4, got 0.5",
            "delta: the δ-disclosure of 'outcome' over all its values must be at most 0.4, but it "
            "is infinite: an equivalence class lacks some of the values of the whole table",
        ],
    ),
    ({"k": 6}, ["k: the smallest equivalence class must have at least 6 records, got 5"]),
    (
        {"l": 2},
        ["l: every equivalence class must have at least 2 different values of 'outcome', got 1"],
    ),
    (
        {"l": 4},
        [
            "l: every equivalence class must have at least 4 different values of 'charge', got 3",
            "l: every equivalence class must have at least 4 different values of 'outcome', got 1",
        ],
    ),
    (
        {"t": 0.2},
        [
            "t: the distribution of 'outcome' in every equivalence class must be at most 0.2 from "
            "the whole table (equal distance), got 0.25"
        ],
    ),
    (
        {"linkage_below": 0.031},  # below, not equal to
        ["linkage_below: record linkage must be below 3.1 % of the records, got 3.1 %"],
    ),
    (
        {"linkage_below": 0.03099},  # as many digits as it takes
        ["linkage_below: record linkage must be below 3.099 % of the records, got 3.1 %"],
    ),
    ({"sse_below": 92.1}, ["sse_below: the SSE must be below 92.1, got 92.1"]),
    ({"sse_below": 10}, ["sse_below: the SSE must be below 10, got 92.1"]),
]


@pytest.mark.parametrize(("wanted", "reasons"), UNMET)
def test_not_met(wanted, reasons):
    assert unmet_requirements(dict(**wanted), evaluation(), guarantee()) == reasons


def test_nothing_is_required():
    assert unmet_requirements({}, evaluation(), guarantee()) == []
    check_requirements({}, evaluation(), guarantee())


def test_people_are_counted_where_the_guarantee_does():
    found = unmet_requirements(dict(k=5), evaluation(), guarantee(smallest=2, unit="people"))
    assert found == ["k: the smallest equivalence class must have at least 5 people, got 2"]


def test_no_record_is_left():
    found = unmet_requirements(dict(k=5), evaluation(), guarantee(smallest=0, classes=0))
    assert found == ["k: no records are left; every equivalence class must have at least 5"]


def test_of_a_sample_the_upper_end_counts():
    sampled = evaluation(linkage_nearest_interval=[0.02, 0.06])
    assert unmet_requirements(dict(linkage_below=0.05), sampled, guarantee()) == [
        "linkage_below: record linkage must be below 5 % of the records, got 6 % (upper end of an "
        "estimate from a sample)"
    ]
    assert unmet_requirements(dict(linkage_below=0.07), sampled, guarantee()) == []


def test_numbers_are_told_apart_by_their_ranks():
    ranked = evaluation(t_equal={"charge": 0.9}, t_ordered={"charge": 0.2})
    assert unmet_requirements(dict(t=0.3), ranked, guarantee()) == []
    (reason,) = unmet_requirements(dict(t=0.1), ranked, guarantee())
    assert "at most 0.1 from the whole table (ordered distance), got 0.2" in reason


def test_what_is_not_known_meets_nothing():
    blind = Evaluation({}, {})
    wanted = dict(
        l=2, t=0.5, entropy_l=2, alpha=0.5, beta=1, delta=1, linkage_below=0.5, sse_below=5
    )
    reasons = unmet_requirements(wanted, blind, guarantee())
    assert [reason.split(":")[0] for reason in reasons] == list(wanted)


def test_a_figure_that_is_no_number_meets_nothing():
    odd = evaluation(sse=float("nan"), linkage_nearest=float("nan"))
    assert len(unmet_requirements(dict(sse_below=5, linkage_below=0.5), odd, guarantee())) == 2


@given(
    rows=st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abc")), min_size=1, max_size=20),
    limit=st.floats(0.05, 3),
)
@example(rows=[(0, "a"), (0, "b"), (1, "a"), (1, "a")], limit=3.0)  # 1 lacks b: infinite
@example(rows=[(0, "a"), (0, "b"), (1, "b"), (1, "a")], limit=0.05)  # all as in the table: 0
def test_delta_is_judged_over_all_values_of_the_table(rows, limit):
    table = pd.DataFrame(rows, columns=["age", "outcome"])
    schema = om.Schema([om.Numeric("age")], confidential=["outcome"])
    reasons = unmet_requirements({"delta": limit}, om.evaluate(table, table, schema), guarantee())
    assert bool(reasons) == (plain_risk.likeness(rows)["printed"] > limit + 1e-9)


def test_all_reasons_are_one_error():
    with pytest.raises(RequirementNotMet) as caught:
        check_requirements(dict(k=6, sse_below=1), evaluation(), guarantee())
    assert isinstance(caught.value, OntomaskError)
    assert caught.value.message.count("\n  - ") == 2
    assert "nothing was released" in caught.value.message


def test_a_larger_k_is_for_methods_that_promise_one():
    promise = Guarantee("words", k=5, smallest=5, classes=7, unit="records")
    for found, hint in (
        (guarantee(), "try another method, or relax the requirements"),
        (promise, "try a larger k or another method, or relax the requirements"),
    ):
        with pytest.raises(RequirementNotMet) as caught:
            check_requirements(dict(k=6), evaluation(), found)
        assert caught.value.hint == hint


def test_the_hint_names_the_settings_of_sensitive_attributes():
    with pytest.raises(RequirementNotMet) as caught:
        check_requirements(dict(l=50), evaluation(), guarantee())
    assert caught.value.hint.startswith("add l: 50 to the method (microaggregation), try ")


def test_k_map():
    def unmet(population):
        measured = Evaluation({}, {}, population)
        return unmet_requirements({"k_map": 20}, measured, guarantee())

    assert unmet({"k_map": 20}) == unmet({"k_map": 20.5}) == []
    words = "k_map: at least 20 people of the population must match every equivalence class"
    assert unmet({"k_map": 19}) == [f"{words}, got 19"]
    assert unmet({"k_map": 19.99}) == [f"{words}, got 19 (estimated)"]
    unknown = f"{words}, but their number is unknown: "
    assert unmet({}) == [f"{unknown}no population is given"]
    assert "it is withheld" in unmet({"k_map": None, "notes": []})[0]
    assert unmet({"k_map": None, "notes": ["it is noise"]}) == [f"{unknown}it is noise"]
