"""Small random tables of words and numbers, as a masking method gets them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from ontomask.microdata.attributes import NominalAttribute, NumericalAttribute
from ontomask.microdata.missing_values import NominalOrMissing
from ontomask.microdata.tuples import SensitiveCounts, count_tuples
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


@st.composite
def columns_of_all_kinds(draw, max_records=30, max_attributes=3):
    """Columns as (kind, values, taxonomy, settings); None stands for a missing word."""
    n = draw(st.integers(2, max_records))
    kinds = st.sampled_from(["word", "word", "missing", "number", "level"])
    made = []
    for kind in draw(st.lists(kinds, min_size=1, max_size=max_attributes)):
        taxonomy = None
        given_ = {"weight": draw(st.sampled_from([1.0, 1.0, 0.25, 3.0]))}
        if kind in ("word", "missing"):
            taxonomy = draw(taxonomies(max_concepts=9))
            # One that is a metric, one that is none.
            given_["measure"] = draw(st.sampled_from(["sanchez", "sanchez", "wu_palmer"]))
            value = st.sampled_from([*taxonomy.identifiers, *([None] if kind == "missing" else [])])
        else:
            value = st.integers(0, 9)
            given_["median"] = kind == "level"
        few = draw(st.lists(value, min_size=1, max_size=6))
        values = draw(st.lists(st.sampled_from(few), min_size=n, max_size=n))
        made.append((kind, values, taxonomy, given_))
    return made


def coded(name, kind, values, taxonomy, settings):
    """The attribute of a column, and the place of each record's value."""
    if kind != "missing":
        return attribute(name, values, taxonomy, **settings)
    known = sorted({v for v in values if v is not None})
    codes = np.array([len(known) if v is None else known.index(v) for v in values])
    return NominalOrMissing(name, taxonomy, known, **settings), codes


def tuples_of(columns):
    """The tuples of such columns, and the tuple of each record."""
    made = [coded(f"a{j}", *column) for j, column in enumerate(columns)]
    return count_tuples([a for a, _ in made], [codes for _, codes in made])


def of_words(taxonomy, *columns):
    """The tuples of columns of words, one list each; the tuple of each record."""
    return tuples_of([("word", list(column), taxonomy, {}) for column in columns])


@st.composite
def watched_tables(draw):
    """Tuples with a confidential column, whether it is ordered, and the classes' raw material."""
    columns = draw(columns_of_all_kinds(max_records=40, max_attributes=2))
    tuples, of = tuples_of(columns)
    values = draw(st.lists(st.integers(0, 5), min_size=len(of), max_size=len(of)))
    return tuples, of, np.array(values), draw(st.booleans())


def watching(tuples, of, values, ordered=False, name="secret"):
    """The tuples, with a confidential column; each record is a row of its own."""
    held = SensitiveCounts(name, of, values, np.ones_like(of), ordered)
    return replace(tuples, sensitive_counts=(*tuples.sensitive_counts, held))
