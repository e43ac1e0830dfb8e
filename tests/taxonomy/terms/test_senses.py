"""Words with several senses: none is chosen in silence, and how it is chosen when asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import ParameterError
from tests.strategies import taxonomies

#: The answers in table 1 of the paper on textual masking, with a right concept of WordNet.
TABLE_1 = {
    "nature": "nature.n.03",
    "landscape": "landscape.n.01",
    "sports": "sport.n.01",
    "fishing": "fishing.n.01",
    "relaxation": "rest.n.02",
    "holidays": "vacation.n.01",
    "second residence": "residence.n.01",
    "bicycling": "bicycling.n.01",
    "culture": "culture.n.01",
    "visit": "visit.n.01",
    "beach": "beach.n.01",
}


def test_a_word_of_wordnet_with_several_senses_is_ambiguous(wordnet):
    order = wordnet.about.sense_order
    found = om.map_terms(list(order), wordnet)
    assert len(order) > 15_000
    assert not found.concepts
    (match,) = om.map_terms(["sport"], wordnet).matches
    assert match.concepts[:2] == ("sport.n.01", "sport.n.02")
    assert match.concepts == match.candidates


def test_table_1_with_one_setting(wordnet):
    prefer = ["diversion.n.01", "inactivity.n.03", "universe.n.01"]
    found = om.map_terms(list(TABLE_1), wordnet, senses="first", heads=True, prefer=prefer)
    assert found.concepts == TABLE_1
    ways = {match.value: match.how for match in found.matches}
    assert ways["culture"] == "label, first of 7 senses"
    assert ways["nature"] == "label, preferred"
    assert len(next(m for m in found.matches if m.value == "culture").candidates) == 7


def test_the_first_sense_of_stems_that_fall_together_is_not_known(wordnet):
    found = om.map_terms(["relaxing"], wordnet, stems="english", senses="first")
    assert set(found.ambiguous["relaxing"]) >= {"relaxant.n.01", "relaxation.n.01"}


def test_first_senses_need_an_order(diagnoses):
    with pytest.raises(ParameterError, match="senses='first' cannot be used with Taxonomy"):
        om.map_terms(["flu"], diagnoses, senses="first")
    with pytest.raises(
        ParameterError, match="senses must be None, 'first' or 'nearest', got 'any'"
    ):
        om.map_terms(["flu"], diagnoses, senses="any")


@pytest.mark.parametrize("others", [{"cliff": 1}, {"cliff": 5, "loan": 4}, {"cliff": 1, "loan": 2}])
def test_the_sense_nearest_to_the_other_values(others):
    tree = om.Taxonomy.from_edges(
        [
            *(("land", "thing"), ("money", "thing"), ("bank 1", "land"), ("cliff", "land")),
            *(("bank 2", "money"), ("loan", "money")),
        ],
        {"bank 1": "bank", "bank 2": "bank"},
    )
    near = "bank 1" if others["cliff"] >= others.get("loan", 0) else "bank 2"
    found = om.map_terms({"bank": 1, **others}, tree, senses="nearest")
    assert found.concepts["bank"] == near
    (match,) = [match for match in found.matches if match.value == "bank"]
    assert match.how == "label, nearest of 2 senses"
    assert match.candidates == ("bank 1", "bank 2")
    # nothing to compare with, or as near: it stays ambiguous
    assert om.map_terms(["bank"], tree, senses="nearest").ambiguous
    assert om.map_terms(["bank", "cliff", "loan"], tree, senses="nearest").ambiguous


@given(taxonomies(max_concepts=12).filter(lambda tree: len(tree) > 1), st.data())
def test_the_nearest_sense_is_the_one_with_the_least_sum(taxonomy, data):
    concepts = list(taxonomy)
    senses = data.draw(st.lists(st.sampled_from(concepts), min_size=2, max_size=4, unique=True))
    others = [concept for concept in concepts if concept not in senses]
    counts = {other: data.draw(st.integers(1, 4)) for other in others}
    links = [(c, p) for c in concepts for p in taxonomy.parents(c) or [None]]
    labelled = om.Taxonomy.from_edges(links, {sense: "the word" for sense in senses})
    found = om.map_terms({"the word": 1, **counts}, labelled, senses="nearest")
    sums = {
        sense: round(sum(n * om.distance(labelled, sense, o) for o, n in counts.items()), 9)
        for sense in senses
    }
    nearest = [sense for sense in senses if sums[sense] == min(sums.values())]
    chosen = found.concepts.get("the word")
    assert chosen == (nearest[0] if len(nearest) == 1 and others else None)
