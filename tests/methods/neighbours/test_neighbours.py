"""Near tuples found outwards are those that a look at every tuple finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from method_tables import counted, tables
from ontomask.methods.neighbours.comparison import build_value_space
from ontomask.methods.neighbours.kernels import (
    FAR,
    allocate_reading,
    build_index,
    distance,
    gather_nearest,
    remove_from_index,
    set_reference,
)
from ontomask.methods.operators import Operators


def by_looking_at_all(operators, t, need, weight, avoid=-1):
    """Distances to the nearest tuples that hold ``need`` records together, ties at the edge too."""
    tuples = operators.tuples
    row = operators.row(tuples.targets()[t])
    apart = sum(row[operators.offset[j] + codes] for j, codes in enumerate(tuples.codes))
    allowed = weight > 0
    if avoid >= 0:
        allowed &= tuples.codes[avoid] != tuples.codes[avoid, t]
    order = sorted(np.flatnonzero(allowed), key=lambda i: apart[i])
    records, cut = 0, FAR
    for i in order:
        records += weight[i]
        if records >= need:
            cut = apart[i]
            break
    return {int(i): int(apart[i]) for i in order if apart[i] <= cut}


@pytest.mark.slow
@given(tables(), st.data(), st.sampled_from(["semantic", "classic"]))
def test_the_nearest_are_those_of_a_look_at_all(columns, data, setting):
    tuples, _ = counted(columns)
    operators = Operators(tuples, setting=setting)
    codes, compared = np.ascontiguousarray(tuples.codes.T), build_value_space(operators)
    need = data.draw(st.integers(1, tuples.records))
    t = data.draw(st.integers(0, len(tuples) - 1))
    avoid = data.draw(st.integers(-1, len(columns) - 1))
    weight = tuples.counts.copy()
    index = build_index(codes, compared[0], weight)
    for gone in data.draw(st.sets(st.integers(0, len(tuples) - 1), max_size=3)):
        weight[gone] = 0
        remove_from_index(gone, codes, compared[0], index)
    read = allocate_reading(compared, len(tuples), need)
    set_reference(t, codes, compared, read)
    many, _ = gather_nearest(
        need, FAR, weight, False, 1, -1, avoid, codes[t, avoid], codes, compared, index, read
    )
    found = dict(zip(read[11][:many].tolist(), read[12][:many].tolist(), strict=True))
    assert found == by_looking_at_all(operators, t, need, weight, avoid)


@given(tables(), st.data())
def test_the_distance_to_a_tuple_is_that_of_the_operators(columns, data):
    tuples, _ = counted(columns)
    operators = Operators(tuples)
    codes, compared = np.ascontiguousarray(tuples.codes.T), build_value_space(operators)
    t = data.draw(st.integers(0, len(tuples) - 1))
    other = data.draw(st.integers(0, len(tuples) - 1))
    read = allocate_reading(compared, len(tuples), 1)
    set_reference(t, codes, compared, read)
    assert distance(other, codes, compared, read) == operators.between(tuples.targets(), other)[t]
