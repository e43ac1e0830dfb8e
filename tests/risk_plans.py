"""Random plans: records that stay, move to others, to new tuples, or are suppressed, or partly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from method_tables import attribute, tables
from ontomask.microdata.attributes import MISSING_NUMBER
from ontomask.microdata.tuples import Transitions, count_tuples


@st.composite
def plans(draw, max_records=14, mixed=True, weights=False):
    """A plan for a small random table, any record becoming anything."""
    columns = draw(tables(max_records=max_records, mixed=mixed))
    made = [
        attribute(f"a{j}", c, t, weight=draw(st.sampled_from([1, 2, 0.5, 0])) if weights else 1.0)
        for j, (c, t) in enumerate(columns)
    ]
    made = [draw(with_missing_numbers(*column)) for column in made]
    tuples, _ = count_tuples([a for a, _ in made], [codes for _, codes in made])
    return draw(plans_for(tuples))


@st.composite
def with_missing_numbers(draw, a, codes):
    """A column, some of whose numbers may be missing."""
    if hasattr(a, "domain") or draw(st.booleans()):
        return a, codes
    a = replace(a, numbers=np.append(a.numbers, MISSING_NUMBER))
    gone = draw(st.lists(st.booleans(), min_size=len(codes), max_size=len(codes)))
    return a, np.where(gone, a.size - 1, codes)


@st.composite
def plans_for(draw, tuples):
    own = tuples.targets()
    kinds = st.sampled_from(["own", "own", "other", "new", "new", "blank", "some blank"])
    targets, source = [], np.repeat(np.arange(len(tuples)), tuples.counts)
    for s in source:
        kind = draw(kinds)
        if kind == "own":
            targets.append(own[s])
        elif kind == "other":
            targets.append(own[draw(st.integers(0, len(tuples) - 1))])
        elif kind == "new":
            targets.append([draw(goals(a)) for a in tuples.attributes])
        elif kind == "some blank":
            gone = draw(st.lists(st.booleans(), min_size=own.shape[1], max_size=own.shape[1]))
            targets.append(np.where(gone, np.nan, own[s]))
        else:
            targets.append([np.nan] * len(tuples.attributes))
    every = np.arange(len(source))
    return Transitions.from_pairs(tuples, np.array(targets), source, every, np.ones_like(every))


def goals(a):
    """Any target of an attribute: inner concepts; numbers between and beyond those there are."""
    if hasattr(a, "domain"):
        return st.integers(0, len(a.candidates) - 1).map(float)
    numbers = st.one_of(st.integers(0, 9), st.integers(-40, 60)).map(float)
    return st.one_of(numbers, st.just(MISSING_NUMBER)) if a.has_missing else numbers


def identity(tuples):
    every = np.arange(len(tuples))
    return Transitions.from_targets(tuples, tuples.targets(), every)
