"""Distances along a tree, and the earth mover's distance by them, against a linear program."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_risk
from ontomask import Taxonomy
from ontomask.microdata.attributes import FIXED_POINT_ONE, NominalAttribute
from ontomask.microdata.ground_tree import GroundTree
from strategies import taxonomies

MEASURES = ["sanchez", "wu_palmer", "path", "jiang_conrath", "resnik", "lin", "leacock_chodorow"]


@st.composite
def classes(draw, taxonomy, measure):
    """An attribute with some values, the shares of a class, and those of the table."""
    concepts = list(taxonomy.identifiers)
    values = draw(st.lists(st.sampled_from(concepts), min_size=1, max_size=7, unique=True))
    attribute = NominalAttribute("c", taxonomy, sorted(values), measure)
    counts = st.lists(st.integers(0, 5), min_size=len(values), max_size=len(values)).filter(any)
    inside, table = (np.array(draw(counts), dtype=float) for _ in range(2))
    return attribute, inside / inside.sum(), table / table.sum()


def distances(attribute):
    return attribute.rows(attribute.place) / FIXED_POINT_ONE


def check_bounds(attribute, inside, table):
    """The bounds hold, and are the distance itself in an exact tree."""
    tree = GroundTree.of_values(attribute, np.arange(attribute.size))
    held = np.flatnonzero(inside)
    begin = np.array([0, len(held)])
    (lower,), (upper,) = tree.transport_bounds(begin, held, inside[held], table)
    expected = plain_risk.transport(inside, table, distances(attribute))
    assert lower - 1e-7 <= expected <= upper + 1e-7
    if tree.exact:
        assert lower == upper == pytest.approx(expected, abs=1e-7)
    return tree


def tree_distance(tree, a, b, length):
    """The way between two values, node by node."""

    def upwards(node):
        path = [node]
        while tree.parent[path[-1]] >= 0:
            path.append(int(tree.parent[path[-1]]))
        return path

    first, second = upwards(a), upwards(b)
    return sum(length[node] for node in set(first) ^ set(second))


@pytest.mark.parametrize("measure", ["path", "jiang_conrath", "resnik", "equality"])
@given(data=st.data(), taxonomy=taxonomies(max_concepts=14, tree=True))
def test_on_trees_the_closed_form_is_that_of_a_linear_program(measure, data, taxonomy):
    assert check_bounds(*data.draw(classes(taxonomy, measure))).exact


@pytest.mark.parametrize("measure", MEASURES)
@given(data=st.data(), branches=st.lists(st.integers(1, 3), min_size=2, max_size=3))
def test_if_all_values_have_the_same_depth_every_measure_is_one_of_a_tree(measure, data, branches):
    level, edges = ["*"], []
    for width in branches:
        below = [f"{parent}.{i}" for parent in level for i in range(width)]
        edges += [(child, child.rpartition(".")[0]) for child in below]
        level = below
    taxonomy = Taxonomy.from_edges(edges)
    values = data.draw(st.lists(st.sampled_from(level), min_size=1, max_size=7, unique=True))
    attribute = NominalAttribute("c", taxonomy, sorted(values), measure)
    table = np.ones(len(values)) / len(values)
    assert check_bounds(attribute, np.eye(len(values))[0], table).exact


@pytest.mark.parametrize("measure", MEASURES)
@given(data=st.data(), taxonomy=taxonomies(max_concepts=14))
def test_on_any_taxonomy_the_bounds_hold(measure, data, taxonomy):
    attribute, inside, table = data.draw(classes(taxonomy, measure))
    tree = check_bounds(attribute, inside, table)
    ground = distances(attribute)
    for a in range(attribute.size):
        for b in range(a):
            assert tree_distance(tree, a, b, tree.lower) <= ground[a, b] + 1e-7
            assert tree_distance(tree, a, b, tree.length) >= ground[a, b] - 1e-7


def test_many_classes_at_once_in_parts(monkeypatch):
    random = np.random.default_rng(3)
    names = [f"c{i}" for i in range(1, 40)]
    edges = [(name, f"c{random.integers(0, i)}" if i else "c0") for i, name in enumerate(names, 1)]
    attribute = NominalAttribute("c", Taxonomy.from_edges(edges), sorted(names), "path")
    tree = GroundTree.of_values(attribute, np.arange(attribute.size))
    groups = [np.sort(random.choice(39, random.integers(1, 9), replace=False)) for _ in range(30)]
    begin = np.cumsum([0, *map(len, groups)])
    shares = np.concatenate([np.full(len(group), 1 / len(group)) for group in groups])
    table = random.dirichlet(np.ones(39))
    lower, upper = tree.transport_bounds(begin, np.concatenate(groups), shares, table)
    for g, group in enumerate(groups):
        inside = np.zeros(39)
        inside[group] = 1 / len(group)
        assert upper[g] == pytest.approx(
            plain_risk.transport(inside, table, distances(attribute)), abs=1e-7
        )
    monkeypatch.setattr("ontomask.microdata.ground_tree.CELLS_AT_A_TIME", 50)
    in_parts = tree.transport_bounds(begin, np.concatenate(groups), shares, table)
    assert np.allclose(in_parts, (lower, upper), atol=1e-12)


def test_the_diseases_of_li():
    """Li et al. 2007: the height of the lowest common ancestor over that of the tree."""
    above = {
        "respiratory infection": "respiratory system diseases",
        "vascular lung diseases": "respiratory system diseases",
        "stomach diseases": "digestive system diseases",
        "colon diseases": "digestive system diseases",
        "respiratory system diseases": "diseases",
        "digestive system diseases": "diseases",
        "flu": "respiratory infection",
        "bronchitis": "respiratory infection",
        "pulmonary embolism": "vascular lung diseases",
        "stomach cancer": "stomach diseases",
        "colitis": "colon diseases",
    }
    values = sorted(["flu", "bronchitis", "pulmonary embolism", "stomach cancer"])
    attribute = NominalAttribute("disease", Taxonomy.from_edges(above.items()), values, "path")
    tree = GroundTree.of_values(attribute, np.arange(4))
    flu = values.index("flu")
    found = {value: tree_distance(tree, flu, i, tree.length) for i, value in enumerate(values)}
    assert found == pytest.approx(
        {"flu": 0, "bronchitis": 1 / 3, "pulmonary embolism": 2 / 3, "stomach cancer": 3 / 3}
    )
    assert tree.exact
