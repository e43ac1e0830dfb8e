"""Random plans of columns of sets, with the same records as plain sets of names."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ontomask import Taxonomy
from ontomask.microdata.attributes import NominalAttribute
from ontomask.microdata.missing_values import NominalOrMissing
from ontomask.microdata.sets.set_concepts import (
    SET_MEASURE,
    add_sets,
    deepest_set,
    members_of,
)
from ontomask.microdata.tuples import Transitions, count_tuples

SUPPRESSED = "suppressed"


def held(name):
    """The names in a set; None, a missing one, and a suppressed one stay."""
    return name if name in (None, SUPPRESSED) else frozenset(members_of(name))


def random_taxonomy(random, max_concepts):
    """A taxonomy in which concepts may have two parents; names tell nothing of the order."""
    size = int(random.choice([1, 2, 3, *range(4, max_concepts + 1)]))
    names = random.permutation([f"c{i:02}" for i in range(size)]).tolist()
    edges = [(names[0], None)]
    for child in range(1, size):
        parents = random.integers(0, 1 + child // 2, random.integers(1, 3))
        edges += [(names[child], names[parent]) for parent in set(parents.tolist())]
    return Taxonomy.from_edges(edges)


@st.composite
def set_plans(draw, max_concepts=14, max_records=16):
    """A taxonomy, a plan, and the (original, masked) sets of its records, one by one.

    Empty sets, missing ones and suppressed ones are among them.
    """
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    taxonomy = random_taxonomy(random, max_concepts)
    names = np.array(taxonomy.identifiers, dtype=object)

    def some_set():
        size = min(int(random.integers(0, 5)), len(names))
        return deepest_set(taxonomy, random.choice(names, size, replace=False))

    few = [some_set() for _ in range(random.integers(1, 7))]
    gone = draw(st.sampled_from([0, 0.2, 0.5]))
    size = int(random.integers(1, max_records + 1))
    some = [few[random.integers(len(few))] for _ in range(2 * size)]
    before = [None if random.random() < gone else one for one in some[:size]]
    kinds = random.choice(4, size, p=[0.4, 0.4, 0.2 * (1 - gone), 0.2 * gone])
    after = [
        [original, one if original else None, some_set(), SUPPRESSED][kind]
        for original, one, kind in zip(before, some[size:], kinds, strict=True)
    ]
    values = sorted({name for name in before if name is not None})
    if not values:  # nothing is known that one of them could become
        after = [one if one == SUPPRESSED else None for one in after]
    others = sorted({name for name in after if name not in (None, SUPPRESSED)} - set(values))
    kind = NominalOrMissing if None in before else NominalAttribute
    attribute = kind(
        "dx", add_sets(taxonomy, [*values, *others]), values, SET_MEASURE, others=others
    )
    place = {None: len(values)} | {name: number for number, name in enumerate(values)}
    codes = np.array([place[name] for name in before])
    tuples, record_tuple = count_tuples([attribute], [codes])
    goal = {None: attribute.places.get(""), SUPPRESSED: np.nan} | attribute.places
    targets = np.array([[goal[name]] for name in after], dtype=float)
    plan = Transitions.from_pairs(
        tuples, targets, record_tuple, np.arange(size), np.ones(size, dtype=np.int64)
    )
    return taxonomy, plan, [(held(a), held(b)) for a, b in zip(before, after, strict=True)]


def expand(plan):
    """The (target, original, masked) of each record, in the order of the transitions."""
    (attribute,) = plan.tuples.attributes
    records = []
    for source, target, count in zip(plan.source, plan.target, plan.count, strict=True):
        code, goal = plan.tuples.codes[0, source], plan.targets[target, 0]
        before = attribute.values[code] if code < len(attribute.values) else None
        after = SUPPRESSED if np.isnan(goal) else attribute.candidates[int(goal)] or None
        records += [(int(target), held(before), held(after))] * int(count)
    return records
