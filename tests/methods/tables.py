"""Small random tables of words and numbers, as a masking method gets them."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import strategies as st

from ontomask.attributes import NominalAttribute, NumericalAttribute
from ontomask.tuples import count_tuples
from strategies import taxonomies


def attribute(name, column, taxonomy=None, **settings):
    """The attribute of a column, and the place of each record's value in it."""
    values = sorted(set(column))
    places = {value: place for place, value in enumerate(values)}
    codes = np.array([places[value] for value in column])
    if taxonomy is None:
        return NumericalAttribute(name, np.array(values, dtype=float), **settings), codes
    return NominalAttribute(name, taxonomy, values, **settings), codes


@st.composite
def tables(draw, max_records=24, mixed=True):
    """Columns, their taxonomies (None for numbers) and the number of records."""
    n = draw(st.integers(2, max_records))
    shapes = draw(st.lists(st.booleans() if mixed else st.just(True), min_size=1, max_size=3))
    columns = []
    for nominal in shapes:
        taxonomy = draw(taxonomies(max_concepts=8)) if nominal else None
        value = st.sampled_from(taxonomy.identifiers) if nominal else st.integers(0, 9)
        # Some values far more often than others, as real columns have them.
        few = draw(st.lists(value, min_size=1, max_size=5))
        columns.append((draw(st.lists(st.sampled_from(few), min_size=n, max_size=n)), taxonomy))
    return columns


def counted(columns, **settings):
    """The tuples of such columns, and the same as a dict of values and counts."""
    made = [
        attribute(f"a{j}", c, t, **settings if t is not None else {})
        for j, (c, t) in enumerate(columns)
    ]
    tuples, _ = count_tuples([a for a, _ in made], [codes for _, codes in made])
    return tuples, Counter(zip(*(column for column, _ in columns), strict=True))
