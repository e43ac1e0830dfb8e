"""Wordnets in WN-LMF, and words of other languages for the bundled WordNet."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given

import ontomask as om
from ontomask.errors import FileFormatError, OntomaskError, ParameterError
from strategies import taxonomies

FILE = "garden.xml"

LMF = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">
<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">
  <Lexicon id="g" label="Garden words" language="en" version="1.2" email="a@example.org">
    <LexicalEntry id="g-thing-n"><Lemma writtenForm="thing" partOfSpeech="n"/>
      <Sense id="g-thing-n-1" synset="g-1-n"/></LexicalEntry>
    <LexicalEntry id="g-plant-n"><Lemma writtenForm="garden_plant" partOfSpeech="n"/>
      <Sense id="g-plant-n-1" synset="g-2-n"/></LexicalEntry>
    <LexicalEntry id="g-flora-n"><Lemma writtenForm="flora" partOfSpeech="n"/>
      <Sense id="g-flora-n-1" synset="g-2-n"/></LexicalEntry>
    <LexicalEntry id="g-rose-n"><Lemma writtenForm="rose" partOfSpeech="n"/>
      <Sense id="g-rose-n-1" synset="g-3-n"/></LexicalEntry>
    <LexicalEntry id="g-grow-v"><Lemma writtenForm="grow" partOfSpeech="v"/>
      <Sense id="g-grow-v-1" synset="g-4-v"/></LexicalEntry>
    <Synset id="g-1-n" ili="i1" partOfSpeech="n">
      <SynsetRelation relType="hyponym" target="g-2-n"/></Synset>
    <Synset id="g-2-n" ili="i2" partOfSpeech="n" members="g-flora-n g-plant-n">
      <SynsetRelation relType="hypernym" target="g-1-n"/>
      <SynsetRelation relType="mero_part" target="g-9-n"/></Synset>
    <Synset id="g-3-n" ili="in" partOfSpeech="n">
      <SynsetRelation relType="instance_hypernym" target="g-2-n"/>
      <SynsetRelation relType="hypernym" target="g-9-n"/></Synset>
    <Synset id="g-4-v" ili="" partOfSpeech="v"/>
  </Lexicon>
</LexicalResource>
"""


@pytest.mark.parametrize("content", [LMF, gzip.compress(LMF.encode())])
def test_a_wordnet_in_lmf(file, content):
    tax = om.load_taxonomy(file(content))
    assert set(tax) == {"g-1-n", "g-2-n", "g-3-n"}
    assert tax.labels("g-2-n") == ("flora", "garden plant")
    assert (tax.root, tax.parents("g-3-n"), tax.aliases("g-2-n")) == ("g-1-n", ("g-2-n",), ("i2",))
    assert (tax.name, tax.about.version) == ("Garden words", "1.2")
    assert tax.languages == ("en",)
    assert tax.about.left_out == {
        "synsets of other parts of speech": 1,
        "links to synsets that are not read": 1,
    }
    assert om.load_taxonomy(file(content), pos="v").labels("g-4-v") == ("grow",)


@pytest.mark.parametrize(
    ("content", "options", "error", "message"),
    [
        (LMF, {"pos": "x"}, ParameterError, "pos must be 'n', 'v'"),
        (LMF, {"pos": "r"}, FileFormatError, "the file has no adverbs"),
        (LMF.replace("g-3-n", "g-2-n"), {}, FileFormatError, "line 20: the synset 'g-2-n' occurs"),
        (LMF[:-9], {}, FileFormatError, "not well-formed XML"),
    ],
)
def test_a_malformed_file_is_refused(file, content, options, error, message):
    with pytest.raises(error, match=message):
        om.load_taxonomy(file(content), **options)


@given(taxonomies())
def test_a_taxonomy_written_as_lmf_is_read_again(tmp_path_factory, taxonomy):
    synsets = "".join(
        f'<Synset id="{concept}" ili="" partOfSpeech="n">'
        + "".join(
            f'<SynsetRelation relType="hypernym" target="{p}"/>' for p in taxonomy.parents(concept)
        )
        + "</Synset>"
        for concept in taxonomy
    )
    path = tmp_path_factory.getbasetemp() / FILE
    path.write_text(f"<LexicalResource><Lexicon>{synsets}</Lexicon></LexicalResource>")
    assert om.load_taxonomy(path) == taxonomy


# ---------------------------------------------------------------- words of other languages

TAB = """# Words of gardeners\tcat\thttp://example.org\tCC BY 4.0
02084071-n\tcat:lemma\tCanis familiaris
02084071-n\tcat:lemma\tgos
02084071-n\tcat:lemma\tgos_domèstic
02084071-n\tcat:def\t0\tanimal que borda
02084071-n\tcat:lemma\tGAP!
01835496-v\tcat:lemma\tviatjar
99999999-n\tcat:lemma\tres
"""


def test_words_of_other_languages(file):
    plain = om.load_taxonomy("wordnet")
    catalan = om.load_taxonomy("wordnet", labels=file(TAB, "wn-data-cat.tab"))
    assert catalan.labels("dog.n.01")[:4] == ("gos", "gos domèstic", "Canis familiaris", "dog")
    assert om.map_terms(["Gos", "cat"], catalan).concepts["Gos"] == "dog.n.01"
    assert catalan.about.left_out == {"words of wn-data-cat.tab for unknown synsets": 1}
    assert "wn-data-cat.tab" in catalan.about.source
    changed = [c for c in plain if plain.labels(c) != catalan.labels(c)]
    assert changed == ["dog.n.01"]
    assert plain.labels("dog.n.01")[0] == "dog"  # the shared one is as it was

    lmf = LMF.replace("g-3-n", "omw-es-02084071-n").replace("rose", "perro")
    both = om.load_taxonomy("wordnet", labels=[file(TAB, "wn-data-cat.tab"), file(lmf, "es.xml")])
    assert both.labels("dog.n.01")[:3] == ("gos", "gos domèstic", "perro")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("02084071-n\tcat:lemma\n", "line 1: this is not a line of an Open Multilingual WordNet"),
        ("word,synset\n", "line 1: this is not a line"),
        ("99999999-n\tlemma\tres\n", "the file has no word for a noun of WordNet 3.0"),
        ("", "the file has no word"),
    ],
)
def test_a_malformed_file_of_words_is_refused(file, content, message):
    with pytest.raises(FileFormatError, match=message):
        om.load_taxonomy("wordnet", labels=file(content, "wn.tab"))


def test_words_are_for_wordnet_alone(file):
    with pytest.raises(ParameterError, match=r"labels can be added to WordNet 3\.0"):
        om.load_taxonomy("icd9cm-procedures", labels=file(TAB, "wn.tab"))
    with pytest.raises(OntomaskError, match="does not exist"):
        om.load_taxonomy("wordnet", labels=Path("nowhere.tab"))
