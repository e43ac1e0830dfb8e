"""The distance of several taxonomies against its definition, and which properties it has."""

from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
import plain
from ontomask.distances import MEASURES, Distances, find_measure
from ontomask.distances.combined import LinkedTaxonomy, combine_distances
from strategies import taxonomies

DEFINITIONS = {"sanchez": plain.sanchez, "wu_palmer": plain.wu_palmer, "path": plain.path}


def plain_part(first, domain, second, links):
    """The part of the second taxonomy that belongs to a domain of the first."""
    reached = {links[c] for c in domain if c in links}
    return second if not reached or len(domain) == len(first) else second.domain(reached)


def plain_combined(first, domain, others, combine, distance, a, b):
    """Value by value, as the documentation says."""
    known = [distance(domain, a, b)]
    for second, links in others:
        if a in links and b in links:
            part = plain_part(first, domain, second, links)
            known.append(distance(part, links[a], links[b]))
    return sum(known) / len(known) if combine == "mean" else min(known)


@st.composite
def linked(draw):
    """A taxonomy, one or two others, and where some of its concepts lead."""
    first = draw(taxonomies(max_concepts=12))
    others = []
    for _ in range(draw(st.integers(1, 2))):
        second = draw(taxonomies(max_concepts=12))
        links = draw(
            st.dictionaries(st.sampled_from(first.identifiers), st.sampled_from(second.identifiers))
        )
        others.append((second, links))
    return first, others


@given(linked(), st.sampled_from(["mean", "min"]), st.sampled_from(sorted(DEFINITIONS)), st.data())
def test_the_table_equals_the_definition(several, combine, name, data):
    """In the whole taxonomy and in parts of it, also when it was sent to another process."""
    first, others = several
    measure = combine_distances(
        find_measure(name, first),
        first,
        [LinkedTaxonomy(second, links) for second, links in others],
        combine,
    )
    domain = first.domain(root=data.draw(st.sampled_from(first.identifiers)))
    rows = data.draw(st.lists(st.sampled_from(domain.identifiers), min_size=1, max_size=6))
    columns = data.draw(st.lists(st.sampled_from(domain.identifiers), min_size=1, max_size=6))
    table = Distances(domain, rows, columns, measure).table()
    sent = Distances(domain, rows, columns, pickle.loads(pickle.dumps(measure))).table()  # noqa: S301
    assert np.array_equal(table, sent)
    for (i, a), (j, b) in product(enumerate(rows), enumerate(columns)):
        expected = plain_combined(first, domain, others, combine, DEFINITIONS[name], a, b)
        assert table[i, j] == pytest.approx(expected, abs=1e-12)
        assert measure.pair(domain, a, b) == pytest.approx(expected, abs=1e-12)
        assert 0 <= table[i, j] <= 1
        if a == b:
            assert table[i, j] == 0


@given(taxonomies(max_concepts=9), taxonomies(max_concepts=9), st.data())
def test_the_mean_of_metrics_is_a_metric_if_all_concepts_are_known(first, second, data):
    links = {c: data.draw(st.sampled_from(second.identifiers)) for c in first}
    measure = combine_distances(
        find_measure("sanchez", first), first, [LinkedTaxonomy(second, links)], "mean"
    )
    table = Distances(first, first.identifiers, measure=measure).table()
    assert (table[:, :, None] <= table[:, None, :] + table.T[None] + 1e-12).all()


def two_views():
    """Three kinds of a and of b in one taxonomy, together in another."""
    first = om.Taxonomy.from_edges([("a", "*"), ("b", "*"), ("a1", "a"), ("b1", "b"), ("b2", "b")])
    second = om.Taxonomy.from_edges([("x", "*"), ("y", "*"), ("x1", "x"), ("x2", "x")])
    return first, second


def test_a_case_by_hand():
    first, second = two_views()
    links = {"a1": "x1", "b1": "x2"}
    far, near, beside = (
        om.distance(first, "a1", "b1"),
        om.distance(second, "x1", "x2"),
        np.log2(1.5),
    )
    assert far == pytest.approx(np.log2(1 + 4 / 5))
    assert near == pytest.approx(np.log2(1 + 2 / 4))
    for combine, expected in {"mean": (far + near) / 2, "min": near}.items():
        measure = combine_distances(
            find_measure("sanchez", first), first, [LinkedTaxonomy(second, links)], combine
        )
        assert om.distance(first, "a1", "b1", measure) == pytest.approx(expected)
        assert om.distance(first, "b1", "b2", measure) == pytest.approx(beside)  # b2 leads nowhere
        text = str(first.explain("a1", "b1", measure))
        assert f"{expected:.3f}" in text
        assert "x1 and x2" in text
        alone = str(first.explain("b1", "b2", measure))
        assert "alone: the crosswalk does not lead both to another taxonomy" in alone
        assert measure.name not in MEASURES


@pytest.mark.parametrize("combine", ["mean", "min"])
def test_a_way_around_may_be_shorter(combine):
    """So neither the minimum nor a mean that lacks concepts may be pruned as a metric."""
    first, second = two_views()
    links = {"a1": "x1", "b1": "x1"}  # the minimum is 0 there, but from a1 to a it is not
    if combine == "mean":  # three near siblings, of which two are far apart elsewhere
        chain = [(f"s{i}", f"s{i - 1}") for i in range(1, 12)]
        first = om.Taxonomy.from_edges([*chain, *((c, "s11") for c in "abc")])
        second = om.Taxonomy.from_edges([("x1", "*"), ("x2", "x1"), ("y1", "*"), ("y2", "y1")])
        links = {"a": "x2", "b": "y2"}
    measure = combine_distances(
        find_measure("sanchez", first), first, [LinkedTaxonomy(second, links)], combine
    )
    d = {(a, b): om.distance(first, a, b, measure) for a, b in product(first.identifiers, repeat=2)}
    around = [d[a, c] - d[a, b] - d[b, c] for a, b, c in product(first.identifiers, repeat=3)]
    assert max(around) > 0.01
