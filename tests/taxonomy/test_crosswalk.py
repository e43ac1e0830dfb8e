"""Crosswalks: how tables are read, and what values and concepts they lead to."""

from __future__ import annotations

import gzip
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import FileFormatError, ParameterError
from ontomask.taxonomy.crosswalk import find_crosswalk
from strategies import taxonomies

OMOP = """\
source_code,source_concept_id,source_vocabulary_id,source_code_description,target_concept_id,\
target_vocabulary_id,valid_start_date,valid_end_date,invalid_reason
487,0,ICD9CM,Influenza,J11,ICD10,1970-01-01,2099-12-31,
070,0,ICD9CM,Hepatitis,B15,ICD10,1970-01-01,2099-12-31,
070,0,ICD9CM,Hepatitis,B16,ICD10,1970-01-01,2099-12-31,
848,0,ICD9CM,Sprain,T14,ICD10,1970-01-01,2001-12-31,D
487,0,OTHER,Influenza,B16,ICD10,1970-01-01,2099-12-31,
"""

MAP = """\
id\tactive\treferencedComponentId\tmapTarget
1\t1\t6142004\tJ11
2\t0\t6142004\tB15
3\t1\t50711007\tB15
"""


@pytest.fixture
def icd10():
    return om.Taxonomy.from_edges(
        [("J", "*"), ("J11", "J"), ("B", "*"), ("B15", "B"), ("B16", "B"), ("T14", "*")]
    )


def test_tables_are_read_by_the_names_of_their_columns(tmp_path):
    (tmp_path / "omop.csv").write_text(OMOP, "utf-8")
    crosswalk = om.read_crosswalk(tmp_path / "omop.csv", vocabulary="ICD9CM")
    assert crosswalk.targets == {"487": ("J11",), "070": ("B15", "B16")}
    assert om.read_crosswalk(tmp_path / "omop.csv").targets["487"] == ("J11", "B16")
    (tmp_path / "map.txt.gz").write_bytes(gzip.compress(MAP.encode()))
    crosswalk = om.read_crosswalk(tmp_path / "map.txt.gz")
    assert crosswalk.targets == {"6142004": ("J11",), "50711007": ("B15",)}
    (tmp_path / "CONCEPT_RELATIONSHIP.csv").write_text(
        "concept_id_1\tconcept_id_2\trelationship_id\tinvalid_reason\n"
        "1\t2\tMaps to\t\n2\t1\tMapped from\t\n3\t2\tMaps to\tD\n",
        "utf-8",
    )
    assert om.read_crosswalk(tmp_path / "CONCEPT_RELATIONSHIP.csv").targets == {"1": ("2",)}
    for text in ("487;J11\n070;B15\n", "from;to\n487;J11\n070;B15\n", "icd9;icd10\n487;J11\n"):
        (tmp_path / "two.csv").write_text(text, "utf-8")
        assert om.read_crosswalk(tmp_path / "two.csv").targets["487"] == ("J11",)


def test_wrong_tables_are_refused(tmp_path):
    (tmp_path / "three.csv").write_text("a,b,c\n1,2,3\n", "utf-8")
    with pytest.raises(FileFormatError, match="columns source and target are missing"):
        om.read_crosswalk(tmp_path / "three.csv")
    (tmp_path / "two.csv").write_text("487,J11\n", "utf-8")
    with pytest.raises(FileFormatError, match="vocabulary needs a column"):
        om.read_crosswalk(tmp_path / "two.csv", vocabulary="ICD9CM")
    (tmp_path / "omop.csv").write_text(OMOP, "utf-8")
    with pytest.raises(FileFormatError, match="the vocabularies are 'ICD9CM', 'OTHER'"):
        om.read_crosswalk(tmp_path / "omop.csv", vocabulary="ICD9")
    with pytest.raises(ParameterError, match="crosswalk must be a dict"):
        find_crosswalk(7)


def test_values_in_another_coding(icd10):
    """One target is taken, several are ambiguous, and unknown ones are not guessed by name."""
    crosswalk = find_crosswalk(
        {"487": "J11", "070": ["B15", "B16"], "B15": "Q99", "T14": "J11", "x": "J11"}
    )
    corrected = om.map_terms(
        ["487 ", "070", "B15", "T14", "B16", "X", "none"], icd10, corrections={"X": "T14"}
    )
    terms = crosswalk.translate(corrected)
    found = {match.value: (match.concepts, match.reading) for match in terms.matches}
    assert found == {
        "487 ": (("J11",), "crosswalk"),
        "070": (("B15", "B16"), "crosswalk"),
        "B15": ((), "unmapped"),
        "T14": (("J11",), "crosswalk"),
        "B16": (("B16",), "code"),
        "X": (("T14",), "correction"),
        "none": ((), "unmapped"),
    }
    masked = crosswalk.translate(corrected, names_first=True).concepts
    assert masked == {"487 ": "J11", "B15": "B15", "T14": "T14", "B16": "B16", "X": "T14"}


@given(taxonomies(max_concepts=10), taxonomies(max_concepts=10), st.data())
def test_links_equal_their_definition(first, second, data):
    """Concepts with exactly one counterpart, whatever rows lead there or nowhere."""
    sources = st.sampled_from([*first.identifiers, "no source"])
    targets = st.sampled_from([*second.identifiers, "no target"])
    rows = data.draw(st.lists(st.tuples(sources, targets), max_size=20))
    table = defaultdict(list)
    for source, target in rows:
        table[source].append(target)
    links = find_crosswalk(table).link(first, second)
    reached = {
        concept: {target for source, target in rows if source == concept and target in second}
        for concept in first
    }
    assert links.concepts == {c: min(into) for c, into in reached.items() if len(into) == 1}
    assert links.ambiguous == {
        c: tuple(sorted(into)) for c, into in reached.items() if len(into) > 1
    }
