"""Masking methods over records, one after another: slow on purpose, no cleverness.

A record is a Python tuple of values. Distances are whole numbers (fixed point), so that ties are
ties whatever the order of summation.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import strategies as st

import plain
from ontomask.microdata.attributes import NominalAttribute, NumericalAttribute
from ontomask.microdata.tuples import count_tuples
from strategies import taxonomies

UNIT = 2**28

# ---------------------------------------------------------------- tables


class Table:
    """Records with their attributes, counted as the package does."""

    def __init__(self, records, domains, median=False):
        self.records = records
        self.attributes, codes = [], []
        for name, (column, domain) in enumerate(
            zip(zip(*records, strict=True), domains, strict=True)
        ):
            values = sorted(set(column))
            codes.append(np.array([values.index(value) for value in column]))
            if domain is None:
                numbers = np.array(values, dtype=float)
                self.attributes.append(NumericalAttribute(str(name), numbers, median=median))
            else:
                self.attributes.append(NominalAttribute(str(name), domain.domain(values), values))
        self.tuples, self.record_tuple = count_tuples(self.attributes, codes)

    def tuple(self, t):
        """A tuple by its values."""
        return tuple(
            a.values[code] if isinstance(a, NominalAttribute) else float(a.numbers[code])
            for a, code in zip(self.attributes, self.tuples.codes[:, t], strict=True)
        )

    def target(self, row):
        """A target by its values; a suppressed one is None."""
        if np.isnan(row).all():
            return None
        return tuple(
            a.candidates[int(x)] if isinstance(a, NominalAttribute) else float(x)
            for a, x in zip(self.attributes, row, strict=True)
        )

    def outcome(self, plan):
        """How often a record becomes which target."""
        counted = Counter()
        rows = zip(plan.source, plan.target, plan.count, strict=True)
        for source, target, count in rows:
            pair = self.tuple(source), self.target(plan.targets[target])
            assert pair not in counted, "a transition is listed twice"
            counted[pair] = int(count)
        return counted


@st.composite
def tables(draw, numerical=True, max_tuples=12, max_count=12):
    """Skewed tables: a few tuples with many records, many with one; nominal and mixed."""
    domains = draw(st.lists(taxonomies(max_concepts=12), min_size=1, max_size=2))
    if numerical and draw(st.booleans()):
        domains.append(None)
    columns = [
        st.integers(0, 20).map(float) if domain is None else st.sampled_from(domain.identifiers)
        for domain in domains
    ]
    distinct = draw(st.lists(st.tuples(*columns), min_size=1, max_size=max_tuples, unique=True))
    count = st.one_of(st.just(1), st.integers(1, 3), st.integers(1, max_count))
    records = [record for record in distinct for _ in range(draw(count))]
    return Table(draw(st.permutations(records)), domains, median=draw(st.booleans()))


def check_promises(plan, k):
    """Every record is accounted for, in order, and no class is smaller than k."""
    sums = np.bincount(plan.source, weights=plan.count, minlength=len(plan.tuples))
    assert sums.tolist() == plan.tuples.counts.tolist()
    pairs = list(zip(plan.source.tolist(), plan.target.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    assert (plan.count > 0).all()
    assert (plan.class_sizes() >= k).all()
    rows = [tuple("blank" if x != x else x for x in row) for row in plan.targets.tolist()]
    assert len(set(rows)) == len(rows)


def same_plan(one, other):
    """Whether two plans are the same to the last digit."""
    fields = ("targets", "source", "target", "count")
    return all(
        np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True) for name in fields
    )


# ---------------------------------------------------------------- operators


def distance(attribute, a, b, classic=False):
    if isinstance(attribute, NumericalAttribute):
        return round(abs(a - b) / attribute.range * UNIT) if attribute.range else 0
    if classic:
        return UNIT * (a != b)
    return round(plain.sanchez(attribute.domain, a, b) * UNIT)


def record_distance(attributes, one, other, classic=False):
    columns = zip(attributes, one, other, strict=True)
    return sum(distance(attribute, a, b, classic) for attribute, a, b in columns)


def middle(attribute, column):
    if isinstance(attribute, NumericalAttribute):
        return (
            sorted(column)[(len(column) - 1) // 2]
            if attribute.median
            else sum(column) / len(column)
        )
    domain = attribute.domain
    candidates = set().union(*(plain.ancestors(domain, value) for value in column))

    def badness(candidate):
        total = sum(distance(attribute, candidate, value) for value in column)
        return total, -plain.depth(domain, candidate), candidate

    return min(candidates, key=badness)


def centroid(attributes, records, classic=False):
    if classic:
        return min(records, key=lambda record: (-records.count(record), record))
    columns = zip(attributes, zip(*records, strict=True), strict=True)
    return tuple(middle(attribute, column) for attribute, column in columns)


# ---------------------------------------------------------------- methods


def sort(attributes, sample, classic):
    """SF algorithm 1."""
    reference_point = centroid(attributes, sample, classic)

    def weighted(reference, record):
        apart = record_distance(attributes, reference, record, classic)
        return sample.count(record) * apart

    distinct = sorted(set(sample))
    reference = max(distinct, key=lambda record: weighted(reference_point, record))
    distinct.remove(reference)
    distinct.sort(key=lambda record: weighted(reference, record))
    return [record for d in [reference, *distinct] for record in sample if record == d]


def resampling(attributes, samples, others, classic):
    """SF algorithm 4, once the samples are drawn: pairs of a record and what it becomes."""
    in_order = [sort(attributes, sample, classic) for sample in samples]
    groups = [list(group) for group in zip(*in_order, strict=True)]
    centroids = [centroid(attributes, group, classic) for group in groups]
    for record in others:
        apart = [record_distance(attributes, c, record, classic) for c in centroids]
        groups[apart.index(min(apart))].append(record)
    return [(record, centroid(attributes, group, classic)) for group in groups for record in group]


def suppression(records, k, how):
    """The records that are suppressed."""
    gone = [record for record in records if records.count(record) < k]
    while how == "blank" and 0 < len(gone) < k:
        left = sorted(set(records) - set(gone))
        smallest = min(left, key=records.count)
        gone += [record for record in records if record == smallest]
    return gone


def allowed(attribute, column, value, group_column, classic):
    """MA algorithm 1: the values that may replace one in a group."""
    farthest = max(distance(attribute, value, other, classic) for other in group_column)
    return {v for v in column if distance(attribute, value, v, classic) <= farthest}
