"""What values mean: right counts by the slow definition, and files that are what was typed."""

from __future__ import annotations

import itertools
import stat
from collections import Counter
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask import datasets
from ontomask.errors import (
    CycleError,
    EmptyTaxonomyError,
    ParameterError,
    TaxonomyError,
    UnknownConceptError,
    UnknownValueError,
)
from ontomask.pipeline.meaning.column import ReadingCount, find_column_meaning
from ontomask.taxonomy.from_values import (
    free_taxonomy_path,
    save_taxonomy,
    taxonomy_of_values,
    taxonomy_path,
)
from ontomask.taxonomy.outline import outline_of, read_outline
from strategies import columns, taxonomies

HOSTILE = ['<script>alert("1")</script>', "a'b\"c", "émigré 🙂", "x" * 300, "=1+1", "a, b; c\td"]


def diagnoses(counts, **settings):
    return find_column_meaning(om.Nominal("diagnosis", datasets.diagnoses(), **settings), counts)


# ---------------------------------------------------------------------- coverage


def test_coverage_by_hand():
    found = diagnoses({"Flu": 3, "hepatitis B": 4, "hepatits": 2, "?": 1})
    assert found.coverage == 7 / 10
    counts = found.count_readings()
    assert sum(count.records for count in counts) == found.records == 10
    assert ReadingCount("unmapped", "unmapped", 2, 3) in counts


def test_marks_of_missing_values_are_no_values():
    column = om.Nominal("diagnosis", datasets.diagnoses())
    found = find_column_meaning(column, {"flu": 3, "?": 7}, ["?"])
    assert (found.coverage, found.records, found.missing) == (1.0, 3, 7)


def test_lost_values_come_with_the_nearest_concepts_and_the_way_to_them():
    (lost,) = diagnoses({"flu": 3, "hepatits": 2}).lost()
    assert (lost.value, lost.records, lost.ambiguous) == ("hepatits", 2, False)
    assert lost.nearest[0].concept == "hepatitis"
    assert [it.label for it in lost.nearest[0].path][-1] == "liver disease"
    assert lost.nearest[0].path[0].concept == datasets.diagnoses().root


def test_an_ambiguous_value_comes_with_its_concepts():
    tree = om.Taxonomy.from_edges(
        [("bank1", "thing"), ("bank2", "thing")], {"bank1": "bank", "bank2": "bank"}
    )
    (lost,) = find_column_meaning(om.Nominal("place", tree), {"bank": 5}).lost()
    assert lost.ambiguous
    assert [it.concept for it in lost.nearest] == ["bank1", "bank2"]


def test_a_correction_gives_a_value_its_concept():
    assert diagnoses({"hepatits": 2}, mapping={"hepatits": "hepatitis"}).lost() == []


# ---------------------------------------------------------------------- masses


@given(data=st.data(), taxonomy=taxonomies(max_concepts=20))
def test_masses_are_those_of_the_definition(data, taxonomy):
    counts = Counter(data.draw(columns(taxonomy)))
    found = find_column_meaning(om.Nominal("c", taxonomy), counts)
    drawn = found.count_branches()
    assert drawn.folded == 0
    assert drawn.records == counts.total()
    nodes = drawn.nodes
    # Every concept that holds records is drawn once, below one of its parents.
    assert {n[1]: n[4] for n in nodes if n[4]} == counts
    assert len({n[1] for n in nodes}) == len(nodes)
    for place, (parent, concept, label, _, _) in enumerate(nodes):
        assert label == taxonomy.label(concept)
        if place:
            assert parent < place
            assert nodes[parent][1] in taxonomy.parents(concept)
        else:
            assert (parent, concept) == (-1, taxonomy.root)
    # A branch holds what it holds itself and what its children hold.
    for place, node in enumerate(nodes):
        assert node[3] == node[4] + sum(n[3] for n in nodes if n[0] == place) > 0
    # All records are below the top, and below none of its children alone, unless they are there.
    top = nodes[drawn.top]
    assert top[3] == counts.total()
    assert not any(n[3] == counts.total() for n in nodes if n[0] == drawn.top)


@given(data=st.data(), taxonomy=taxonomies(max_concepts=20))
def test_facts_count_each_record_once_whatever_way_leads_to_it(data, taxonomy):
    counts = Counter(data.draw(columns(taxonomy)))
    found = find_column_meaning(om.Nominal("c", taxonomy), counts)
    for concept in taxonomy:
        facts = found.facts(concept)
        below = taxonomy.descendants(concept)
        assert facts.at_or_below == sum(n for value, n in counts.items() if value in below)
        assert facts.exactly == counts[concept]
        assert {it.concept for it in facts.parents} == set(taxonomy.parents(concept))
        assert {it.concept for it in facts.children} == set(taxonomy.children(concept))
        way = [*(it.concept for it in facts.path), concept]
        assert way[0] == taxonomy.root
        assert len(way) == taxonomy.depth(concept)
        assert all(a in taxonomy.parents(b) for a, b in itertools.pairwise(way))


@given(data=st.data(), taxonomy=taxonomies(max_concepts=20), most=st.integers(1, 10))
def test_of_many_nodes_the_smallest_are_folded(data, taxonomy, most):
    found = find_column_meaning(om.Nominal("c", taxonomy), Counter(data.draw(columns(taxonomy))))
    all_of_it, some = found.count_branches(), found.count_branches(most)
    assert len(some.nodes) == min(most, len(all_of_it.nodes))
    assert some.folded == len(all_of_it.nodes) - len(some.nodes)
    whole = {n[1]: n for n in all_of_it.nodes}
    kept = {n[1] for n in some.nodes}
    assert all(n[3:] == whole[n[1]][3:] for n in some.nodes)
    for place, node in enumerate(some.nodes):
        assert place == 0 or some.nodes[node[0]][1] == all_of_it.nodes[whole[node[1]][0]][1]
    if some.folded:
        assert max(n[3] for c, n in whole.items() if c not in kept) <= min(n[3] for n in some.nodes)


def test_a_column_without_any_concept_has_no_masses():
    assert diagnoses({"xyz": 3}).count_branches().nodes == ()


def test_wordnet_is_drawn_from_the_values_alone():
    found = find_column_meaning(
        om.Nominal("thing", om.load_taxonomy("wordnet")),
        {"dog.n.01": 2, "cat.n.01": 3, "chess.n.02": 1},
    )
    drawn = found.count_branches()
    assert len(drawn.nodes) < 60
    assert drawn.records == 6
    assert {"dog.n.01", "cat.n.01"} <= {n[1] for n in drawn.nodes}


# ---------------------------------------------------------------------- concepts


def test_search_gives_the_way_from_the_root():
    (hit,) = diagnoses({"hepatitis B": 4}).search("serum")
    assert (hit.concept, hit.name, hit.records) == ("hepatitis B", "serum hepatitis", 4)
    assert [it.concept for it in hit.path] == ["disease", "liver disease", "hepatitis"]


def test_an_unknown_concept_is_refused():
    with pytest.raises(UnknownConceptError):
        diagnoses({"flu": 1}).facts("nothing of that name")


# ---------------------------------------------------------------------- distances


def test_a_distance_by_hand():
    found = diagnoses({"Flu": 3, "hepatitis": 1, "sprain": 2})
    apart = found.apart("Flu", "hepatitis")
    # 3 concepts not shared, out of 5
    assert apart.distance == log2(1 + 3 / 5)
    assert (apart.lcs.concept, apart.domain.concept) == ("viral infection", "disease")
    shared = {it.concept for it in apart.shared}
    assert shared == {"viral infection", "disease"}
    assert {it.concept for it in apart.first_only} == {"influenza"}
    assert {it.concept for it in apart.second_only} == {"hepatitis", "liver disease"}
    assert any("log2(1 + 3/5)" in line for line in apart.words)


@given(data=st.data(), taxonomy=taxonomies(max_concepts=15))
def test_distances_are_those_of_masking(data, taxonomy):
    values = data.draw(columns(taxonomy))
    domain = data.draw(st.sampled_from(["lcs", "taxonomy"]))
    measure = data.draw(st.sampled_from(["sanchez", "path", "wu_palmer"]))
    found = find_column_meaning(
        om.Nominal("c", taxonomy, domain=domain, measure=measure), Counter(values)
    )
    a, b = data.draw(st.sampled_from(values)), data.draw(st.sampled_from(values))
    inside = taxonomy.domain(values) if domain == "lcs" else taxonomy
    apart = found.apart(a, b)
    assert apart.distance == om.distance(inside, a, b, measure)
    assert apart.lcs.concept == inside.lcs(a, b)
    above = [{it.concept for it in part} for part in (apart.first_only, apart.second_only)]
    shared = {it.concept for it in apart.shared}
    assert shared | above[0] == inside.ancestors(a)
    assert shared | above[1] == inside.ancestors(b)
    assert not shared & above[0]
    assert not shared & above[1]


def test_values_without_a_concept_have_no_distance():
    found = diagnoses({"flu": 3, "hepatits": 1})
    with pytest.raises(UnknownValueError, match="is not mapped to a concept"):
        found.apart("flu", "hepatits")
    with pytest.raises(UnknownValueError, match="'nothing' is neither a value of the column"):
        found.apart("flu", "nothing")


def test_a_concept_that_no_record_holds_can_be_compared():
    found = diagnoses({"flu": 3}, domain="taxonomy")
    expected = om.distance(om.datasets.diagnoses(), "influenza", "sprain")
    assert found.apart("flu", "sprain").distance == expected


def test_a_value_outside_of_the_domain_has_no_distance_in_it():
    found = diagnoses({"flu": 3, "sprain": 1}, domain="viral infection")
    with pytest.raises(
        UnknownValueError, match="'sprain' is not below the domain 'viral infection'"
    ):
        found.apart("flu", "sprain")


# ---------------------------------------------------------------------- outlines


def test_an_outline_by_hand():
    read = read_outline("sport\n\tfootball\n\n\tchess\ngame\n    chess\n")
    assert (read.root, read.parents("chess"), read.children("*")) == (
        "*",
        ("game", "sport"),
        ("game", "sport"),
    )


@given(taxonomies(max_concepts=20))
def test_an_outline_is_read_back_as_the_same_taxonomy(taxonomy):
    assert read_outline(outline_of(taxonomy)) == taxonomy


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1, unique=True, max_size=8))
def test_any_name_can_stand_in_an_outline(names):
    names = [it for it in names if it != "*"]
    tree = om.Taxonomy.from_edges([("*", None), *((it, "*") for it in names)])
    assert set(read_outline(outline_of(tree))) - {"*"} == set(names)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a\n    b\n  c", "line 3 of the outline: the indentation of 'c' matches no line above it"),
        ("a\n  b\n  b", r"line 3 of the outline: 'b' occurs twice below 'a' \(first on"),
        ("a\n  b\n    a", r"line 3 of the outline: 'a' is below itself \(line 1\)"),
        ("a\n  b\nb\n  a", "line 4 of the outline: the taxonomy has a cycle"),
        ("r\n  a\n    b\nb\n  c\n    a", "line 6 of the outline: the taxonomy has a cycle"),
        ("\n  \n", "the outline is empty"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, words):
    with pytest.raises((ParameterError, CycleError, EmptyTaxonomyError), match=words):
        read_outline(text)


def test_a_large_taxonomy_has_no_outline():
    with pytest.raises(ParameterError, match="too many for an outline"):
        outline_of(om.load_taxonomy("wordnet"))


# ---------------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("values", "how", "settings", "above"),
    [
        (["a|b", "a|c"], "paths", {"separator": "|"}, {"a|b": ("a",), "a|c": ("a",)}),
        (["43201", "43007"], "prefixes", {"lengths": [2]}, {"43201": ("43",), "43007": ("43",)}),
        (["cook", "nurse "], "flat", {}, {"cook": ("*",), "nurse": ("*",)}),
        (HOSTILE, "flat", {}, {it: ("*",) for it in HOSTILE}),
    ],
)
def test_a_taxonomy_of_the_values_knows_all_of_them(tmp_path, values, how, settings, above):
    counts = dict.fromkeys(values, 2)
    made = save_taxonomy(taxonomy_of_values(values, how, **settings), tmp_path / "t.csv", counts)
    assert made.left_over == ()
    assert stat.S_IMODE(made.file.stat().st_mode) == 0o600
    again = om.load_taxonomy(made.file, "child-parent")
    assert {it: again.parents(it) for it in above} == above


def test_values_that_the_outline_lacks_are_left_over(tmp_path):
    made = save_taxonomy(
        read_outline("care\n  nurse"), tmp_path / "t.csv", {"nurse": 2, "cook": 3, "smith": 1}
    )
    assert [(it.value, it.count) for it in made.left_over] == [("cook", 3), ("smith", 1)]


def test_labels_of_concepts_that_stay_are_kept(tmp_path):
    read = read_outline("10\n  11", {"11": ["Nurse", "carer"], "12": "Cook"})
    made = save_taxonomy(read, tmp_path / "t.csv", {"Nurse": 1})
    assert made.taxonomy.labels("11") == ("Nurse", "carer")
    assert made.left_over == ()


def test_what_does_not_read_back_is_not_written(tmp_path):
    tree = om.Taxonomy.from_edges([(" a", "*"), ("a", "*")])
    with pytest.raises(TaxonomyError):
        save_taxonomy(tree, tmp_path / "t.csv", {"a": 1})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("values", [{"a": 1}, {"b": 1}], ids=["not read back", "not complete"])
def test_a_file_that_would_be_replaced_survives_a_failure(tmp_path, values):
    file = tmp_path / "t.csv"
    file.write_text("mine")
    spaces = [(" a", "*")] if "a" in values else []
    tree = om.Taxonomy.from_edges([*spaces, ("a", "*")])
    with pytest.raises(TaxonomyError):
        save_taxonomy(tree, file, values, force=True, complete=True)
    assert file.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_is_named_after_its_column(tmp_path):
    release = tmp_path / "release.yaml"
    assert taxonomy_path(release, 3, "job").name == "release-job.taxonomy.csv"
    assert taxonomy_path(release, 3, "../../x y").name == "release-x_y3.taxonomy.csv"
    assert taxonomy_path(release, 3, "仕事").name == "release-3.taxonomy.csv"
    assert taxonomy_path(release, 3, "j" * 5000).name == f"release-{'j' * 80}3.taxonomy.csv"


def test_another_taxonomy_takes_another_file(tmp_path):
    first, second = read_outline("a\n  b"), read_outline("a\n  c")
    file = tmp_path / "release-job.taxonomy.csv"
    assert free_taxonomy_path(file, first) == file
    save_taxonomy(first, file, {})
    assert free_taxonomy_path(file, first) == file
    assert free_taxonomy_path(file, second).name == "release-job-2.taxonomy.csv"
