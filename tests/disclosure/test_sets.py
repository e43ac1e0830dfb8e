"""What a report shows of sets: nothing from which the values of a few records follow."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
import plain
from ontomask.disclosure.sets import withhold_sets
from ontomask.pipeline.facts import publishable_facts
from ontomask.utility import evaluate_utility
from set_plans import set_plans
from strategies import examples


def is_safe(number, threshold):
    return number == 0 or number >= threshold


def above(taxonomy, names):
    return set().union(*(plain.ancestors(taxonomy, name) for name in names))


@examples(40)
@given(case=set_plans(max_records=40), threshold=st.integers(1, 6))
def test_what_is_shown_is_safe(case, threshold):
    taxonomy, plan, records = case
    figures = evaluate_utility(plan)
    safe = withhold_sets(figures, plan, threshold, [])
    sizes = safe["loss_by_set_size"]["dx"]
    for row in sizes:
        assert row["records"] >= threshold
        assert is_safe(row["changed"], threshold)
    if sizes:
        assert sum(row["records"] for row in sizes) == len(records)
        assert sum(row["sse"] for row in sizes) == pytest.approx(figures["sse"])
        apart = sum(row["records"] * row["mean_distance"] for row in sizes)
        mean = figures["mean_absolute_distance"]["dx"]
        assert apart == pytest.approx(mean * len(records), abs=1e-6)
    else:
        changed = figures["changed_records"] * len(records)
        assert len(records) < threshold or not is_safe(round(changed), threshold)

    shown, every = safe["kept_by_branch"]["dx"], figures["kept_by_branch"]["dx"]
    hidden = [row for row in every if row not in shown]
    for row in shown:
        assert row in every
        assert row["records"] >= threshold
        assert is_safe(row["changed"], threshold)
    if shown:
        assert is_safe(sum(row["records"] for row in hidden), threshold)
        assert is_safe(sum(row["changed"] for row in hidden), threshold)

    originals = [above(taxonomy, one) for one, _ in records if one is not None]
    matrix, lifts = safe["branch_correlations"]["dx"], safe["branch_lifts"]["dx"]
    names = matrix["columns"]
    pairs = [(row["first"], row["second"]) for row in lifts]
    for i, a in enumerate(names):
        assert sum(a in one for one in originals) >= threshold
        pairs += [
            (a, b) for j, b in enumerate(names) if i != j and matrix["before"][i][j] is not None
        ]
    for a, b in pairs:
        for in_a in (True, False):
            for in_b in (True, False):
                both = sum((a in one) == in_a and (b in one) == in_b for one in originals)
                assert is_safe(both, threshold)
    for row in lifts:
        assert row["records_after"] is None or is_safe(row["records_after"], threshold)


@given(case=set_plans())
def test_nothing_is_shown_of_a_column_that_hardly_changed(case):
    _, plan, _ = case
    safe = withhold_sets(evaluate_utility(plan), plan, 1, ["dx"])
    assert all(figure == {"dx": None} for figure in safe.values())


def test_a_rare_branch_is_not_named(diagnoses):
    cells = ["influenza"] * 6 + ["influenza;common cold"] * 6 + ["influenza;sprain"] * 2
    table = pd.DataFrame({"dx": [*cells, *["hepatitis B;cirrhosis"] * 6]})
    schema = om.Schema([om.NominalSet("dx", diagnoses, domain="taxonomy")])
    release = om.mask(table, schema, om.Microaggregation(k=3), seed=1)
    html = {}
    for threshold in (1, 5):
        facts = publishable_facts(release, threshold)
        page = release.report(facts)
        html[threshold] = page[page.index('<section id="sets">') :].split("</section>")[0]
        named = {row["branch"] for row in facts["utility"]["kept_by_branch"]["value"]["dx"] or []}
        assert ("injury" in named) == (threshold == 1)
    assert "injury" in html[1]
    assert "injury" not in html[5]
    assert "records with a set that nobody else has" in html[5]
