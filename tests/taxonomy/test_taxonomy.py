"""The graph: what it says equals the plain definition, and wrong graphs are refused by name."""

from __future__ import annotations

import copy
import pickle
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
import plain
from ontomask.errors import (
    CycleError,
    DuplicateConceptError,
    EmptyTaxonomyError,
    ParameterError,
    SeveralRootsWarning,
    TaxonomyError,
    UndeclaredParentError,
    UnknownConceptError,
)
from strategies import columns, edge_lists, taxonomies

# ---------------------------------------------------------------- what it says


@given(taxonomies(max_concepts=14))
def test_depths_ancestors_paths_and_leaves(tax):
    assert tax.height == plain.height(tax)
    assert tax.leaves == plain.leaves(tax)
    for concept in tax:
        assert tax.ancestors(concept) == plain.ancestors(tax, concept)
        assert tax.descendants(concept) == plain.descendants(tax, concept)
        assert tax.depth(concept) == plain.depth(tax, concept)
        for above in tax.ancestors(concept):
            assert tax.path(concept, above) == plain.links_up(tax, concept, above)


@given(edge_lists())
def test_parents_and_children_are_the_edges(edges):
    tax = om.Taxonomy.from_edges(edges)
    assert {(c, p) for c in tax for p in tax.parents(c)} == set(edges)
    assert {(c, p) for p in tax for c in tax.children(p)} == set(edges)
    assert len(tax) == len({c for edge in edges for c in edge})
    assert all(tax.identifiers[tax.code(c)] == c for c in tax)


@given(st.data(), taxonomies(max_concepts=12))
def test_lcs(data, tax):
    values = data.draw(columns(tax, max_records=4))
    assert tax.lcs(*values) == plain.lcs(tax, *values)


@given(st.data(), taxonomies())
def test_a_domain_is_everything_below_its_root_and_nothing_else(data, tax):
    values = data.draw(columns(tax, max_records=4))
    part = tax.domain(values)
    assert part.root == tax.lcs(*values)
    assert set(part) == tax.descendants(part.root)
    assert part == tax.domain(root=part.root)
    for concept in part:
        assert set(part.parents(concept)) == set(tax.parents(concept)) & set(part)
        assert part.depth(concept) == plain.depth(part, concept)
    assert part.depth(part.root) == 1


@given(edge_lists(), st.randoms(use_true_random=False))
def test_the_order_of_the_edges_does_not_matter(edges, random):
    shuffled = edges * 2
    random.shuffle(shuffled)
    one, other = om.Taxonomy.from_edges(edges), om.Taxonomy.from_edges(shuffled)
    assert one == other
    assert one.identifiers == other.identifiers


@given(taxonomies())
def test_every_concept_comes_after_its_parents(tax):
    assert tax.identifiers[0] == tax.root
    for concept in tax:
        assert all(tax.code(parent) < tax.code(concept) for parent in tax.parents(concept))


def test_branches_of_a_tree_stay_together(icd9):
    for root in ("001-139", "250", "V01-V91"):
        codes = sorted(icd9.codes(icd9.descendants(root)).tolist())
        assert codes == list(range(codes[0], codes[0] + len(codes)))


def test_lcs_on_a_graph_where_the_paper_has_none():
    # a and b share p and q, neither above the other, equally deep: q has fewer kinds.
    edges = [("p", "r"), ("q", "r"), ("x", "p"), *((c, p) for c in "ab" for p in "pq")]
    tax = om.Taxonomy.from_edges(edges)
    assert tax.lcs("a", "b") == "q"
    assert om.Taxonomy.from_edges(edges[:2] + edges[3:]).lcs("a", "b") == "p"


def test_labels_synonyms_and_aliases(diagnoses):
    tax = om.Taxonomy.from_edges(
        [("coma", "disorder")], {"coma": ["Coma", "comatose", "Coma"]}, aliases={"R40.2": "coma"}
    )
    assert tax.label("coma") == "Coma"
    assert tax.labels("coma") == ("Coma", "comatose")
    assert tax.label("disorder") == "disorder"
    assert tax.labels("disorder") == ()
    assert tax.aliases("coma") == ("R40.2",)
    assert "R40.2" in tax
    assert tax.depth("R40.2") == 2
    part = tax.domain(root="coma")
    assert part.labels("coma") == ("Coma", "comatose")
    assert part.code("R40.2") == 0


def test_search_puts_the_closest_names_first(diagnoses, wordnet):
    assert [hit.concept for hit in diagnoses.search("COLD")] == ["common cold"]
    assert [hit.concept for hit in diagnoses.search("hepatitis")][:3] == [
        "hepatitis",
        "hepatitis B",
        "hepatitis C",
    ]
    assert diagnoses.search("fract")[0].concept == "fracture"
    assert diagnoses.search("zebra") == []
    assert diagnoses.search(" ") == []
    assert len(wordnet.search("person", limit=7)) == 7
    assert wordnet.search("skilled worker")[0].concept == "skilled_worker.n.01"


def test_repr_says_what_one_wants_to_know(diagnoses):
    assert repr(diagnoses) == (
        "Taxonomy('diagnoses': 14 concepts, root 'disease', 4 levels, 8 leaves, "
        "1 with several parents)"
    )
    assert repr(om.Taxonomy.from_edges([("a", None)])) == (
        "Taxonomy(1 concept, root 'a', 1 level, 1 leaf)"
    )


def test_a_taxonomy_does_not_change(diagnoses):
    with pytest.raises(AttributeError, match="a taxonomy cannot be changed: cannot set 'name'"):
        diagnoses.name = "other"
    with pytest.raises(ValueError, match="read-only"):
        diagnoses.depths[0] = 5
    with pytest.raises(ValueError, match="read-only"):
        diagnoses.parent_links.items[0] = 5


def test_a_taxonomy_travels_to_another_process(diagnoses):
    # Worker processes get it this way; files never do.
    assert pickle.loads(pickle.dumps(diagnoses)) == diagnoses  # noqa: S301
    assert copy.deepcopy(diagnoses) == diagnoses


def test_equality_is_about_concepts_links_and_names(diagnoses):
    assert diagnoses == om.datasets.diagnoses()
    assert hash(diagnoses) == hash(om.datasets.diagnoses())
    assert diagnoses != diagnoses.domain(root="injury")
    assert diagnoses != "diagnoses"
    one = om.Taxonomy.from_edges([("a", "r")], {"a": "A"})
    assert one != om.Taxonomy.from_edges([("a", "r")])


# ---------------------------------------------------------------- wrong graphs


def cycle_named_in(error) -> list[str]:
    said = str(error.value).split("cycle: ")[1].split("\n")[0]
    return [part.strip("'") for part in said.split(" is a ")]


@pytest.mark.parametrize(
    ("edges", "members"),
    [
        ([("a", "a")], {"a"}),
        ([("a", "b"), ("b", "a")], {"a", "b"}),
        ([("x", "root"), ("a", "b"), ("b", "c"), ("c", "a")], {"a", "b", "c"}),
        ([("a", "root"), ("b", "a"), ("c", "b"), ("a", "c")], {"a", "b", "c"}),
        # y is met twice on the way down before the cycle closes
        ([("a", "r"), ("y", "a"), ("w", "a"), ("y", "w"), ("a", "y")], {"a", "y"}),
    ],
)
def test_a_cycle_is_named(edges, members):
    with pytest.raises(CycleError) as error:
        om.Taxonomy.from_edges(edges, warn=False)
    path = cycle_named_in(error)
    assert path[0] == path[-1]
    assert members <= set(path)
    assert all(step in edges for step in pairwise(path))


@given(edge_lists(), st.data())
def test_any_cycle_is_found_and_its_links_are_real(edges, data):
    tax = om.Taxonomy.from_edges(edges)
    low = data.draw(st.sampled_from([c for c in tax if c != tax.root]))
    high = data.draw(st.sampled_from(sorted(tax.ancestors(low))))
    wrong = [*edges, (high, low)]
    with pytest.raises(CycleError) as error:
        om.Taxonomy.from_edges(wrong)
    path = cycle_named_in(error)
    if "…" not in path:
        assert all(step in wrong for step in pairwise(path))


def test_a_long_cycle_is_shortened():
    ring = [(f"c{i}", f"c{(i + 1) % 50}") for i in range(50)]
    with pytest.raises(CycleError, match="…") as error:
        om.Taxonomy.from_edges(ring)
    assert len(str(error.value)) < 300


def test_an_empty_graph():
    with pytest.raises(EmptyTaxonomyError, match="no concepts"):
        om.Taxonomy.from_edges([])


def test_several_roots_get_a_virtual_one_with_a_warning():
    with pytest.warns(SeveralRootsWarning, match="3 roots, 'p', 'q', 's'"):
        tax = om.Taxonomy.from_edges([("a", "p"), ("b", "q"), ("s", None)])
    assert tax.root == "*"
    assert tax.children("*") == ("p", "q", "s")
    assert om.Taxonomy.from_edges([("a", "p"), ("b", "q")], warn=False).depth("a") == 3


def test_a_root_called_star_takes_the_others_in():
    with pytest.warns(SeveralRootsWarning):
        tax = om.Taxonomy.from_edges([("a", "*"), ("b", "q")])
    assert tax.root == "*"
    assert set(tax.children("*")) == {"a", "q"}


def test_a_star_below_something_is_in_the_way_of_a_virtual_root():
    with pytest.raises(
        TaxonomyError,
        match="the taxonomy has several roots, 'p', 'q', and the name of the virtual root,",
    ):
        om.Taxonomy.from_edges([("*", "p"), ("b", "q")])


def test_undeclared_parents_are_named_with_a_child():
    with pytest.raises(UndeclaredParentError, match="'q'; 'q' is named as a parent of 'b'"):
        om.Taxonomy.from_edges([("a", "p"), ("b", "q")], concepts=["a", "p", "b"])


def test_a_concept_declared_twice_is_named():
    with pytest.raises(DuplicateConceptError, match="'a' is declared twice"):
        om.Taxonomy.from_edges([("a", "p")], concepts=["a", "p", "a"])


def test_a_declared_concept_without_links_is_a_root_too():
    with pytest.warns(SeveralRootsWarning, match="'alone', 'p'"):
        tax = om.Taxonomy.from_edges([("a", "p")], concepts=["a", "p", "alone"])
    assert "alone" in tax


def test_an_alias_cannot_be_another_concept():
    with pytest.raises(DuplicateConceptError, match="'p' is a concept and also an alias of 'a'"):
        om.Taxonomy.from_edges([("a", "p")], aliases={"p": "a"})
    with pytest.raises(UnknownConceptError, match="the alias 'q' must be of a concept, got 'x'"):
        om.Taxonomy.from_edges([("a", "p")], aliases={"q": "x"})


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        (["ab"], r"an edge must be a \(child, parent\) pair, got 'ab'"),
        ([("a", "b", "c")], r"an edge must be a \(child, parent\) pair, got \('a'"),
        ([("", "b")], "a child must not be empty"),
        ([(None, "b")], "of type NoneType"),
        ([(1.5, "b")], "of type float"),
        ([("a", " ")], "a parent must not be empty"),
    ],
)
def test_wrong_edges(edges, message):
    with pytest.raises(ParameterError, match=message):
        om.Taxonomy.from_edges(edges)


def test_labels_of_nothing():
    with pytest.raises(UnknownConceptError, match="labels must be of concepts, got 'x'"):
        om.Taxonomy.from_edges([("a", "p")], labels={"x": "X"})


def test_unknown_concepts_get_a_hint(diagnoses, wordnet):
    with pytest.raises(UnknownConceptError, match="did you mean 'hepatitis'"):
        diagnoses.depth("hepatits")
    with pytest.raises(UnknownConceptError, match="it is a name .synonym. of 'influenza'"):
        diagnoses.depth("flu")
    with pytest.raises(UnknownConceptError, match="search.. finds"):
        diagnoses.depth("zzzzzzzzzzzz")
    with pytest.raises(UnknownConceptError, match="None is not a concept of taxonomy 'diagnoses'"):
        diagnoses.depth(None)
    with pytest.raises(UnknownConceptError, match="injury'. is not a concept of taxonomy"):
        diagnoses.lcs(["sprain", "injury"])
    with pytest.raises(KeyError):
        diagnoses.parents("nothing")
    with pytest.raises(UnknownConceptError, match="'skilled_worker.n.01'"):
        wordnet.depth("skilled worker")


def test_wrong_calls(diagnoses):
    with pytest.raises(ParameterError, match="at least one"):
        diagnoses.lcs()
    with pytest.raises(ParameterError, match="either values or a root"):
        diagnoses.domain()
    with pytest.raises(ParameterError, match="either values or a root"):
        diagnoses.domain(["sprain"], root="injury")
    with pytest.raises(ParameterError, match="no values"):
        diagnoses.domain([])
    with pytest.raises(ParameterError, match="'sprain' is not an ancestor of 'influenza'"):
        diagnoses.path("influenza", "sprain")


def test_a_deep_chain_needs_no_recursion():
    tax = om.Taxonomy.from_edges([(f"{i + 1:05}", f"{i:05}") for i in range(5000)])
    assert tax.height == 5001
    assert om.distance(tax, "05000", "00000", "path") == 5000 / 10000
    assert om.distance_matrix(tax, ["05000", "00000"], "wu_palmer")[0, 1] == 1 - 2 / 5002


# ---------------------------------------------------------------- taxonomies in the values


def test_paths():
    tax = om.Taxonomy.from_paths(["a > b > c", "a>d"], sep=">")
    assert tax.root == "a"
    assert tax.parents("a>b>c") == ("a>b",)
    assert tax.label("a>b>c") == "c"
    several = om.Taxonomy.from_paths(["Europe|Spain", "Asia", "Europe"])
    assert several.root == "*"
    assert several.children("*") == ("Asia", "Europe")


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), min_size=1, max_size=8))
def test_in_paths_ancestors_are_the_prefixes(paths):
    values = ["|".join(parts) for parts in paths]
    tax = om.Taxonomy.from_paths(values)
    for parts, value in zip(paths, values, strict=True):
        prefixes = {"|".join(parts[: i + 1]) for i in range(len(parts))}
        assert tax.ancestors(value) - {"*"} == prefixes


def test_wrong_paths():
    with pytest.raises(ParameterError, match="'a||b' has an empty part"):
        om.Taxonomy.from_paths(["a||b"])
    with pytest.raises(ParameterError, match="sep must not be empty"):
        om.Taxonomy.from_paths(["a"], sep="")
    with pytest.raises(ParameterError, match="NoneType"):
        om.Taxonomy.from_paths(["a", None])
    with pytest.raises(EmptyTaxonomyError):
        om.Taxonomy.from_paths([])


def test_prefixes():
    tax = om.Taxonomy.from_prefixes(["43201", "43007", "08001", "4"], lengths=[1, 3])
    assert tax.root == "*"
    assert tax.ancestors("43201") == {"*", "4", "432", "43201"}
    assert tax.lcs("43201", "43007") == "4"
    assert tax.parents("4") == ("*",)
    assert om.Taxonomy.from_prefixes(np.array([43201, 43007]), lengths=[2]).lcs(
        "43201", "43007"
    ) == ("43")


@pytest.mark.parametrize("lengths", [[], [0], [3, 1], [1, 1]])
def test_wrong_prefix_lengths(lengths):
    with pytest.raises(
        ParameterError, match=r"lengths must be increasing numbers of at least 1, got"
    ):
        om.Taxonomy.from_prefixes(["43201"], lengths=lengths)


# ---------------------------------------------------------------- bundled


def test_icd9(icd9):
    assert len(icd9) == 17_727
    assert icd9.height == 6
    assert len(icd9.leaves) == 14_567
    assert icd9.label("250.83") == "Diabetes with other specified manifestations, type I " + (
        "[juvenile type], uncontrolled"
    )
    assert icd9.ancestors("250.83") == {"ROOT", "240-279", "249-259", "250", "250.8", "250.83"}
    assert "2015" in icd9.about.version


def test_wordnet(wordnet):
    assert len(wordnet) == 82_115
    assert wordnet.root == "entity.n.01"
    assert wordnet.code("00007846") == wordnet.code("person.n.01")
    assert wordnet.labels("person.n.01")[:2] == ("person", "individual")
    # every link stands once
    links = {(c, p) for c in wordnet for p in wordnet.parents(c)}
    assert len(links) == len(wordnet.parent_links.items)


def test_wordnet_names_are_the_senses_people_know(wordnet):
    assert wordnet.parents("dog.n.01") == ("canine.n.02", "domestic_animal.n.01")
    assert wordnet.depth("dog.n.01") == 14


def test_known_taxonomies_are_loaded_once():
    assert om.load_taxonomy("icd9cm") is om.load_taxonomy("icd9cm")


def test_pairs_of_real_concepts_meet_where_they_should(icd9):
    assert icd9.lcs("250.01", "250.83") == "250"
    for a, b in combinations(["250.01", "V57.1", "E909.0"], 2):
        assert icd9.lcs(a, b) == "ROOT"


def test_columns_of_any_kind_have_a_domain(diagnoses):
    pandas, polars, pyarrow = (pytest.importorskip(m) for m in ("pandas", "polars", "pyarrow"))
    values = ["influenza", "hepatitis B"]
    for column in (
        np.array(values),
        pandas.Series(values),
        polars.Series(values),
        pyarrow.array(values),
        (v for v in values),
    ):
        assert diagnoses.domain(column).root == "viral infection"
    assert om.distance_matrix(diagnoses, pyarrow.array(values)).shape == (2, 2)


def test_a_single_text_is_no_column(diagnoses):
    for call in (
        lambda: diagnoses.domain("influenza"),
        lambda: om.distance_matrix(diagnoses, "influenza"),
        lambda: om.Taxonomy.from_paths("a|b"),
        lambda: om.Taxonomy.from_prefixes("43201", [1]),
        lambda: om.map_terms("influenza", diagnoses),
    ):
        with pytest.raises(ParameterError, match="put it in a list"):
            call()


def test_what_is_no_taxonomy_is_refused():
    with pytest.raises(ParameterError, match="taxonomy must be a Taxonomy, got 'icd9cm'"):
        om.distance("icd9cm", "250", "251")


def test_search_finds_words_in_any_order(icd9):
    assert icd9.search("peritonitis appendicitis generalized")[0].concept == "540.0"
