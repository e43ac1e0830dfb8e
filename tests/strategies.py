"""Random taxonomies and columns for hypothesis: several parents are the normal case."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

from ontomask import Taxonomy


def examples(usual: int) -> settings:
    """Try this many examples where the usual is 15: more of what is tiny, in proportion."""
    return settings(max_examples=usual * settings().max_examples // 15)


@st.composite
def edge_lists(draw, max_concepts: int = 20, tree: bool = False) -> list[tuple[str, str]]:
    """Links of a connected graph with one root and no cycle; names tell nothing of the order."""
    size = draw(st.integers(2, max_concepts))
    names = draw(st.permutations([f"c{i:02}" for i in range(size)]))
    edges = []
    for child in range(1, size):
        most = 1 if tree else min(3, child)
        parents = draw(st.lists(st.integers(0, child - 1), min_size=1, max_size=most, unique=True))
        edges += [(names[child], names[parent]) for parent in parents]
    return edges


def taxonomies(max_concepts: int = 20, tree: bool = False) -> st.SearchStrategy[Taxonomy]:
    """Taxonomies of a few concepts; one of a single concept among them."""
    graphs = edge_lists(max_concepts, tree).map(Taxonomy.from_edges)
    single = st.just(Taxonomy.from_edges([("only", None)]))
    return st.one_of(graphs, graphs, graphs, single)


def columns(taxonomy: Taxonomy, max_records: int = 12) -> st.SearchStrategy[list[str]]:
    """A column of values, repeated ones among them."""
    return st.lists(st.sampled_from(taxonomy.identifiers), min_size=1, max_size=max_records)
