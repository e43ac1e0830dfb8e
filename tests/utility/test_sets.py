"""What has become of columns of sets, against the plain definitions over records."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

import ontomask as om
import plain
import plain_sets
from ontomask import utility
from ontomask.statistics import centre
from set_plans import SUPPRESSED, set_plans
from strategies import examples

CLOSE = {"rel": 1e-6, "abs": 1e-6}  # distances are rounded to 2^-28


def distance(taxonomy, before, after):
    if before is None or after is None or after == SUPPRESSED:
        return float(before is not after)
    codes = [{taxonomy.code(name) for name in one} for one in (before, after)]
    return plain_sets.distance(*(plain_sets.closure(taxonomy, one) for one in codes))


def closure(taxonomy, names):
    return set().union(*(plain.ancestors(taxonomy, name) for name in names))


def top_branches(taxonomy):
    """The concept that says nothing, and those below it."""
    top = taxonomy.root
    while len(taxonomy.children(top)) == 1:
        (top,) = taxonomy.children(top)
    return top, set(taxonomy.children(top))


def is_set(value):
    return isinstance(value, frozenset)


def fate(taxonomy, value, after):
    if not is_set(after):
        return "lost"
    if value in closure(taxonomy, after):
        return "kept"
    top, _ = top_branches(taxonomy)
    telling = plain.ancestors(taxonomy, value) - plain.ancestors(taxonomy, top)
    return "generalised" if telling & after else "lost"


# ---------------------------------------------------------------------- against the definitions


def size_words(before):
    if before is None:
        return "missing"
    ranges = {4: "4–5", 5: "4–5"} | dict.fromkeys(range(6, 11), "6–10")
    return ranges.get(len(before), str(len(before)) if len(before) < 4 else "more than 10")


@examples(60)
@given(case=set_plans())
def test_loss_by_set_size(case):
    taxonomy, plan, records = case
    rows = utility.loss_by_set_size(plan)["dx"]
    assert [row.sizes for row in rows] == [
        words
        for words in ("missing", "0", "1", "2", "3", "4–5", "6–10", "more than 10")
        if any(size_words(before) == words for before, _ in records)
    ]
    for row in rows:
        mine = [pair for pair in records if size_words(pair[0]) == row.sizes]
        apart = [distance(taxonomy, *pair) for pair in mine]
        assert row.records == len(mine)
        assert row.changed == sum(before != after for before, after in mine)
        assert row.sse == pytest.approx(sum(d**2 for d in apart), **CLOSE)
        assert row.mean_distance == pytest.approx(sum(apart) / len(mine), **CLOSE)
    assert sum(row.sse for row in rows) == pytest.approx(utility.sse(plan))


@examples(60)
@given(case=set_plans())
def test_values_that_were_kept_generalised_and_lost(case):
    taxonomy, plan, records = case
    _, branches = top_branches(taxonomy)

    def expected(among):
        fates = [
            [fate(taxonomy, value, after) for value in before if among(value)]
            for before, after in records
            if before is not None
        ]
        values = Counter(one for mine in fates for one in mine)
        return utility.KeptValues(
            sum(bool(mine) for mine in fates),
            sum(bool(set(mine) - {"kept"}) for mine in fates),
            *(values[one] for one in ("kept", "generalised", "lost")),
        )

    assert utility.kept_values(plan)["dx"] == expected(lambda value: True)
    found = utility.kept_by_branch(plan)["dx"]
    assert list(found) == sorted(found, key=lambda name: (-found[name].records, name))
    for branch in branches:
        inside = expected(lambda v, b=branch: b in plain.ancestors(taxonomy, v))
        assert found.pop(branch, utility.KeptValues(0, 0, 0, 0, 0)) == inside
    outside = expected(lambda v: not plain.ancestors(taxonomy, v) & branches)
    assert (list(found.values()) or [utility.KeptValues(0, 0, 0, 0, 0)]) == [outside]


@examples(60)
@given(case=set_plans())
def test_branches_that_occur_together(case):
    taxonomy, plan, records = case
    _, branches = top_branches(taxonomy)
    sides = [
        [closure(taxonomy, one) & branches for one in side if is_set(one)]
        for side in zip(*records, strict=True)
    ]
    seen = {branch for one in sides[0] for branch in one}
    correlations = utility.branch_correlations(plan)["dx"]
    assert set(correlations.columns) == seen
    flat = om.Taxonomy.from_edges([("yes", "any"), ("no", "any")])
    for side, matrix in zip(sides, (correlations.before, correlations.after), strict=True):
        for (i, a), (j, b) in combinations(enumerate(correlations.columns), 2):
            x, y = ([("no", "yes")[c in one] for one in side] for c in (a, b))
            expected = om.distance_correlation(x, flat, y, flat) if side else 0
            assert matrix[i, j] == matrix[j, i] == pytest.approx(expected, abs=1e-7)

    def lift(side, a, b):
        n_a, n_b, n_ab = (sum(set(c) <= one for one in side) for c in ([a], [b], [a, b]))
        return len(side) * n_ab / (n_a * n_b) if n_a and n_b else None

    pairs = {
        pair: sum(set(pair) <= one for one in sides[0])
        for pair in combinations(correlations.columns, 2)
    }
    rows = utility.branch_lifts(plan, most=4)["dx"]
    assert [row.records_before for row in rows] == sorted(
        filter(None, pairs.values()), reverse=True
    )[:4]
    for row in rows:
        a, b = row.first, row.second
        assert row.records_before == pairs[a, b]
        assert row.records_after == sum({a, b} <= one for one in sides[1])
        assert row.lift_before == pytest.approx(lift(sides[0], a, b))
        assert row.lift_after == pytest.approx(lift(sides[1], a, b))


@examples(30)
@given(case=set_plans(max_records=20))
def test_a_mean_is_found_without_the_sums_of_all_candidates(case):
    taxonomy, plan, records = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(centre, "FEW_CANDIDATES", 1)
        pruned = utility.mean_shift(plan)["dx"]
        variance = utility.variance_difference(plan)["dx"]
    domain, sums = plan.tuples.attributes[0].domain, {}
    for name in domain.identifiers:
        one = frozenset(om.microdata.sets.set_concepts.members_of(name))
        apart = [distance(taxonomy, before, one) for before, _ in records if is_set(before)]
        sums[name] = sum(apart), apart
    if not any(is_set(before) for before, _ in records):
        assert pruned.before is variance.before is None
        return
    least = min(total for total, _ in sums.values())
    best = [name for name, (total, _) in sums.items() if total <= least + 1e-9]
    deepest = max(domain.depth(name) for name in best)
    assert pruned.before == min(name for name in best if domain.depth(name) == deepest)
    apart = np.array(sums[pruned.before][1])
    assert variance.before == pytest.approx((apart**2).mean(), **CLOSE)
