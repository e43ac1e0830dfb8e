"""Labels by language: tags and their regions, several languages, defaults and warnings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import LanguageWarning
from ontomask.taxonomy.readers.text.languages import LanguageChoice

FILE = "words.ttl"

WORDS = """@prefix ex: <http://example.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
ex:food a skos:Concept ; skos:prefLabel "food"@en , "comida"@es , "Essen"@de , "menjar"@ca .
ex:bean a skos:Concept ; skos:broader ex:food ; skos:altLabel "haba"@es , "poroto"@es-CL ;
    skos:prefLabel "bean"@en-GB , "judía"@es-ES , "frijol"@es-MX , "Bohne"@de .
ex:X7 a skos:Concept ; skos:broader ex:food ; skos:prefLabel "X7" ; skos:altLabel "siete"@es .
ex:oats a skos:Concept ; skos:broader ex:food ; skos:prefLabel "Hafer"@de ; skos:altLabel "Hfr"@de .
"""


@pytest.mark.parametrize(
    ("language", "bean", "x7", "oats"),
    [
        (None, ("bean",), ("X7",), ("Hafer",)),
        ("en", ("bean",), ("X7",), ("Hafer",)),
        ("es", ("judía", "frijol", "haba", "poroto"), ("X7", "siete"), ("Hafer",)),
        ("es-ES", ("judía", "frijol", "haba", "poroto"), ("X7", "siete"), ("Hafer",)),
        ("es_mx", ("frijol", "judía", "haba", "poroto"), ("X7", "siete"), ("Hafer",)),
        ("es-AR", ("judía", "frijol", "haba", "poroto"), ("X7", "siete"), ("Hafer",)),
        (["de", "en"], ("Bohne", "bean"), ("X7",), ("Hafer", "Hfr")),
        ("en,de", ("bean", "Bohne"), ("X7",), ("Hafer", "Hfr")),
        (
            "all",
            ("bean", "Bohne", "judía", "frijol", "haba", "poroto"),
            ("X7", "siete"),
            ("Hafer", "Hfr"),
        ),
        (
            ("es", "ALL"),
            ("judía", "frijol", "Bohne", "bean", "haba", "poroto"),
            ("X7", "siete"),
            ("Hafer", "Hfr"),
        ),
    ],
)
def test_labels_in_the_languages_that_are_asked_for(file, language, bean, x7, oats):
    options = {} if language is None else {"language": language}
    tax = om.load_taxonomy(file(WORDS), **options)
    assert (tax.labels("bean"), tax.labels("X7"), tax.labels("oats")) == (bean, x7, oats)
    read = sum(len(tax.labels(concept)) for concept in tax)
    assert tax.about.left_out.get("names in other languages", 0) == 14 - read


def test_values_in_any_language_lead_to_a_concept(file):
    tax = om.load_taxonomy(file(WORDS), language=["es", "all"])
    mapped = om.map_terms(["Bean", "comida", "Hafer", "frijol"], tax).concepts
    assert mapped == {"Bean": "bean", "comida": "food", "Hafer": "oats", "frijol": "bean"}
    assert (tax.label("food"), tax.label("oats")) == ("comida", "Hafer")


def test_a_language_that_no_label_has_gives_a_warning(file):
    with pytest.warns(LanguageWarning, match="language 'fr', 'it'; there are labels in 'de', 'es'"):
        tax = om.load_taxonomy(file(WORDS), language=["fr", "es", "it"])
    assert tax.labels("oats") == ("Hafer",)
    untagged = WORDS[: WORDS.index("ex:food")] + 'ex:a a skos:Concept ; skos:prefLabel "x" .'
    with pytest.warns(LanguageWarning, match="no label is in the language 'fr'; no label has one"):
        om.load_taxonomy(file(untagged), language="fr")
    assert om.load_taxonomy(file(untagged)).label("a") == "x"


def test_the_default_is_the_most_frequent_language_of_a_file_without_english(file):
    tax = om.load_taxonomy(file(WORDS.replace("@en-GB", "@fr").replace("@en", "@it")))
    assert (tax.label("food"), tax.labels("oats")) == ("Essen", ("Hafer", "Hfr"))


TAGS = st.sampled_from(["", "en", "en-GB", "es", "es-ES", "es-MX", "de", "zh-Hans-CN", "zh-TW"])


@given(st.lists(TAGS.filter(bool), min_size=1, max_size=3), TAGS, TAGS)
def test_ranks_equal_the_definition(wanted, one, other):
    choice = LanguageChoice(wanted)

    def rank(tag):
        """The first language that has the primary part of the tag; closer tags first."""
        for place, asked in enumerate(dict.fromkeys(map(str.lower, wanted))):
            ours, theirs = asked.split("-"), tag.lower().split("-")
            if tag and ours[0] == theirs[0]:
                if ours == theirs:
                    return place, 0
                if theirs[: len(ours)] == ours:
                    return place, 1
                return place, 2 if ours[: len(theirs)] == theirs else 3
        return len(set(map(str.lower, wanted))) + bool(tag), 0

    assert (choice.rank(one) < choice.rank(other)) == (rank(one) < rank(other))
    assert choice.reads(choice.rank(one)) == (not one or rank(one)[0] < len(choice.wanted))
