"""Linkage of people by all their rows, against the plain definition over bags of records."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_risk
import plain_sets
from method_tables import attribute
from ontomask import risk
from ontomask.errors import ParameterError
from ontomask.microdata.tuples import Transitions, count_tuples
from ontomask.risk import linked_people as module
from ontomask.risk.classes import canonical_targets
from risk_plans import plans
from set_plans import SUPPRESSED, expand, set_plans


@st.composite
def deals(draw, plan, pairs):
    """The (original, masked) records of a plan, dealt to people and pseudonyms; and as bags."""
    source, target = np.repeat([plan.source, plan.target], plan.count, axis=1)
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    people, pieces = int(random.integers(1, 5)), draw(st.sampled_from([1, 2]))
    _, person = np.unique(random.integers(0, people, len(source)), return_inverse=True)
    names = person * pieces + random.integers(0, pieces, len(source))
    released = random.random(len(source)) < draw(st.sampled_from([1, 0.7, 0]))
    used, pseudonym = np.unique(names[released], return_inverse=True)
    ones = np.ones(len(source), dtype=np.int64)
    rows = risk.LinkedRows(
        person, source, ones, pseudonym, target[released], ones[released], used // pieces
    )
    bags, shown = defaultdict(list), defaultdict(list)
    for name, is_released, (original, masked) in zip(names.tolist(), released, pairs, strict=True):
        bags[name // pieces].append(original)
        if is_released:
            shown[name].append(masked)
    return rows, bags, shown, {name: name // pieces for name in shown}


@given(data=st.data(), plan=plans(weights=True, max_records=9))
def test_people_are_linked_by_all_their_rows(data, plan):
    attributes = plan.tuples.attributes
    rows, bags, shown, owner = data.draw(deals(plan, plain_risk.records(plan)))
    expected = plain_risk.mean(plain_risk.people_probabilities(attributes, bags, shown, owner))
    linkage = risk.linkage_of_people(plan, rows)
    assert linkage.linked == pytest.approx(expected)
    assert (linkage.people, linkage.sampled, linkage.interval) == (len(bags), False, None)
    sizes = rows.class_sizes(canonical_targets(plan))
    assert sorted(sizes.tolist()) == plain_risk.people_per_class(shown, owner)
    unmasked = module.linkage_of_unmasked_people(plan.tuples, rows.unmasked())
    itself = {person: person for person in bags}
    found = plain_risk.people_probabilities(attributes, bags, bags, itself)
    assert unmasked.linked == pytest.approx(plain_risk.mean(found))


@given(data=st.data(), case=set_plans(max_records=8))
def test_sets_are_linked_by_their_own_distance(data, case):
    taxonomy, plan, _ = case
    pairs = [
        ((before,), (None if after == SUPPRESSED else (after,),))
        for _, before, after in expand(plan)
    ]
    rows, bags, shown, owner = data.draw(deals(plan, pairs))

    def distance(_, row, released):
        (one,), ((other,),) = row, released
        if None in (one, other):
            return 0 if one == other else 2**28
        closures = [
            plain_sets.closure(taxonomy, {taxonomy.code(c) for c in held}) for held in (one, other)
        ]
        return round(plain_sets.distance(*closures) * 2**28)

    found = plain_risk.people_probabilities(plan.tuples.attributes, bags, shown, owner, distance)
    assert risk.linkage_of_people(plan, rows).linked == pytest.approx(plain_risk.mean(found))
    originals = [before for before, _ in pairs]
    right = []
    for before, after in pairs:  # and record by record
        apart = [2**29 if after == (None,) else distance(None, one, after) for one in originals]
        near = [one for one, far in zip(originals, apart, strict=True) if far == min(apart)]
        right.append((before in near) / len(near) if after != (None,) else 0)
    assert risk.linkage_nearest(plan).linked == pytest.approx(plain_risk.mean(right))


def test_surplus_rows_cost_one_each_and_any_piece_counts():
    # Numbers from 0 to 10: person 0 has 0 and 10, person 1 has 4.
    a, codes = attribute("n", [0, 10, 4])
    tuples, place = count_tuples([a], [codes])
    targets = np.array([[0.0], [10.0], [5.0]])
    plan = Transitions.from_pairs(tuples, targets, place, np.arange(3), np.ones(3, dtype=np.int64))
    target, five = plan.target_of()[place], plan.target_of()[place[2]]
    ones = np.ones(3, dtype=np.int64)
    person = np.array([0, 0, 1])
    together = risk.LinkedRows(person, place, ones, person, target, ones, np.array([0, 1]))
    # (0, 10) to (0, 10): 0. (4) to (5): 0.1, to (0, 10): 0.4 + 1.
    assert risk.linkage_of_people(plan, together).linked == 1
    # The rows of person 0 under two pseudonyms: (0, 10) costs 0 + 1 in either, 0.5 + 1 in (5).
    split = risk.LinkedRows(person, place, ones, np.arange(3), target, ones, np.array([0, 0, 1]))
    assert risk.linkage_of_people(plan, split).linked == 1
    # All rows became 5, one under each pseudonym: 2 of 3 links are right, and 1 of 3.
    equal = risk.LinkedRows(
        person, place, ones, np.arange(3), np.repeat(five, 3), ones, np.array([0, 0, 1])
    )
    assert risk.linkage_of_people(plan, equal).linked == pytest.approx((2 / 3 + 1 / 3) / 2)
    # Person 1 is not released: nobody can be right.
    gone = risk.LinkedRows(person, place, ones, person[:2], target[:2], ones[:2], np.array([0]))
    assert risk.linkage_of_people(plan, gone).linked == 1 / 2


def test_a_sample_of_people_agrees_with_all(monkeypatch):
    random = np.random.default_rng(3)
    made = [attribute(name, random.integers(0, 40, 3000).tolist()) for name in ("n", "m")]
    tuples, place = count_tuples([a for a, _ in made], [codes for _, codes in made])
    noise = tuples.targets() + random.integers(-2, 3, (len(tuples), 2))
    plan = Transitions.from_targets(tuples, noise, np.arange(len(tuples)))
    person = np.append(np.arange(1500), random.integers(0, 1500, 1500))
    target = plan.target_of()[place]
    ones = np.ones(3000, dtype=np.int64)
    rows = risk.LinkedRows(person, place, ones, person, target, ones, np.arange(1500))
    exact = risk.linkage_of_people(plan, rows)
    monkeypatch.setattr(module, "SMALLEST_SAMPLE", 300)
    sample = risk.linkage_of_people(plan, rows, most=1)
    assert (sample.people, sample.sampled) == (300, True)
    low, high = sample.interval
    assert low < exact.linked < high
    assert low < sample.linked < high
    again = risk.linkage_of_people(plan, rows, most=1, random=np.random.default_rng(0))
    assert again == sample
    with pytest.raises(ParameterError, match="most must be a positive integer"):
        risk.linkage_of_people(plan, rows, most=0)
