"""The release file: what it makes, and what it says to every mistake."""

from __future__ import annotations

import re
from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import ontomask.releasefile.model as module
from ontomask import methods
from ontomask.engines.duckdb.connection import has_extension
from ontomask.errors import SpecError
from ontomask.methods.method import Method
from ontomask.methods.registry import METHODS, name_of, settings_of
from ontomask.microdata.schema import Date, Nominal, Numeric, Ordinal, Schema
from ontomask.releasefile.model import ReleaseFile, json_schema, load_release_file
from ontomask.releasefile.problems import raise_problems

FILE = "release.yaml"

BASE = """\
data: patients.csv
output: released.csv
columns:
  diagnosis: {role: quasi, taxonomy: icd9cm}
  age: {role: quasi, type: numeric}
  charge: {role: confidential}
  ward: {role: keep}
method: {name: microaggregation, k: 5}
"""

#: As the design shows it.
EXAMPLE = """\
# release.yaml - safe to keep in git: no data, no seed
data: discharges.parquet
output: released.parquet            # beside it: released.report.html, released.manifest.json
columns:
  diagnosis:  {role: quasi, taxonomy: icd9cm, measure: sanchez}
  procedure:  {role: quasi, taxonomy: procedures.csv}
  age:        {role: quasi, type: numeric}
  name:       {role: identifier}
  charge:     {role: confidential}
  ward:       {role: keep}          # roles: quasi | identifier | confidential | keep | drop
other: refuse
missing: refuse
missing_marks: ["?"]
method: {name: microaggregation, k: 5}
require: {k: 5, linkage_below: 0.05}
report_threshold: 5
"""

#: Every field there is.
FULL = """\
data: patients.sqlite
table: stays
csv: {delimiter: ";", quote: "'", encoding: latin-1, escape_formulas: true}
output: out/released.csv.gz
memory: 2GB
person: patient
columns:
  diagnosis:
    role: quasi
    type: nominal
    taxonomy: procedures.csv
    format: child-parent
    options: {delimiter: ","}
    measure: lin
    domain: root
    weight: 2
    mapping: {flu: a}
    prefer: root
    repair_codes: false
    stems: none
    heads: true
  other diagnosis: {role: quasi, taxonomy: procedures.csv, mapping: corrections.csv, stems: german}
  severity: {role: quasi, type: ordinal, levels: [no, mild, severe], weight: 0.5}
  admitted: {role: quasi, type: date, date_format: "%d/%m/%Y"}
  outcome: {role: confidential, taxonomy: icd9cm, ground: semantic}
  charge: {role: confidential, type: numeric}
  patient: {role: identifier}
  notes: {role: drop}
other: drop
missing: category
missing_marks: ["?", -9]
method: {name: rank_swapping, window: 20, strategy: dynamic}
require: {k: 2, l: 2, t: 0.5, entropy_l: 1.5, alpha: 0.9, beta: 3, delta: 1.5,
  linkage_below: 0.1, sse_below: 100}
"""


@pytest.fixture
def folder(file):
    file("child,parent\na,root\nb,root\n", "procedures.csv")
    file("value,concept\nx,a\n", "corrections.csv")
    return file


# ---------------------------------------------------------------------- old names of settings


def test_k_of_rank_swapping_is_read_as_window_with_a_warning(folder):
    path = folder(FULL.replace("window: 20", "k: 20"))
    with pytest.warns(DeprecationWarning, match="write window: instead of k:"):
        spec = load_release_file(path)
    assert spec.method_object() == methods.RankSwapping(20, "dynamic")
    assert spec.as_dict()["method"] == {
        "name": "rank_swapping",
        "window": 20,
        "strategy": "dynamic",
    }


def test_k_and_window_of_rank_swapping_together_are_refused(folder):
    path = folder(FULL.replace("window: 20", "k: 20, window: 20"))
    with pytest.raises(SpecError, match="method.k is the old name of window"):
        load_release_file(path)


# ---------------------------------------------------------------------- what it makes


def test_the_example_of_the_design(folder):
    spec = load_release_file(folder(EXAMPLE))
    schema = spec.schema()
    assert isinstance(schema, Schema)
    assert [c.column for c in schema.quasi_identifiers] == ["diagnosis", "procedure", "age"]
    assert (schema.identifiers, schema.confidential) == (("name",), ("charge",))
    assert (schema.keep, schema.other, schema.missing_marks) == (("ward",), "refuse", ("?",))
    assert spec.method_object() == methods.Microaggregation(k=5)
    assert spec.require is not None
    assert spec.require.limits == {"k": 5, "linkage_below": 0.05}
    assert spec.threshold == 5
    assert spec.beside("manifest.json") == spec.folder / "released.manifest.json"


def test_every_field(folder):
    spec = load_release_file(folder(FULL))
    first, second, severity, admitted = spec.schema().quasi_identifiers
    assert isinstance(first, Nominal)
    assert isinstance(second, Nominal)
    assert (first.measure, first.domain, first.weight) == ("lin", "root", 2)
    assert (first.mapping, first.prefer) == ({"flu": "a"}, ("root",))
    assert (first.stems, first.heads, first.repair_codes) == (None, True, False)
    assert (second.mapping, second.stems) == (spec.folder / "corrections.csv", "german")
    assert severity == Ordinal("severity", ("no", "mild", "severe"), weight=0.5)
    assert admitted == Date("admitted", format="%d/%m/%Y")
    outcome, charge = spec.schema().confidential
    assert isinstance(outcome, Nominal)
    assert (outcome.ground, first.ground) == ("semantic", "equal")
    assert charge == Numeric("charge")
    assert spec.schema().missing_marks == ("?", "-9")
    assert spec.schema().person == "patient"
    assert (spec.table, spec.memory) == ("stays", "2GB")
    assert spec.csv is not None
    assert spec.csv.model_dump() == {
        "delimiter": ";",
        "quote": "'",
        "encoding": "latin-1",
        "escape_formulas": True,
    }
    assert spec.threshold == 10  # swapping groups nothing
    assert spec.beside("report.html") == spec.folder / "out" / "released.report.html"
    assert spec.paths() == [
        spec.folder / name
        for name in ("patients.sqlite", "out/released.csv.gz", "procedures.csv", "corrections.csv")
    ]


@pytest.mark.parametrize("text", [EXAMPLE, FULL, BASE])
def test_there_and_back(folder, text):
    spec = load_release_file(folder(text))
    fields = spec.as_dict()
    again = ReleaseFile.from_dict(yaml.safe_load(yaml.safe_dump(fields)), spec.folder)
    assert again == spec
    assert again.as_dict() == fields
    assert set(fields) == set(yaml.safe_load(text))


def test_a_taxonomy_is_loaded_once(folder, monkeypatch):
    loaded = []
    load = module.load_taxonomy
    monkeypatch.setattr(
        module, "load_taxonomy", lambda *a, **o: loaded.append((a, o)) or load(*a, **o)
    )
    spec = load_release_file(
        folder(
            BASE.replace("icd9cm}", "procedures.csv}").replace(
                "age: {role: quasi, type: numeric}", "age: {role: quasi, taxonomy: procedures.csv}"
            )
        )
    )
    assert not loaded
    first, second = spec.schema().quasi_identifiers
    assert first.taxonomy is second.taxonomy
    assert spec.schema() is spec.schema()
    assert len(loaded) == 1


def test_words_of_another_language_are_added_to_wordnet(folder, file):
    file("02084071-n\tcat:lemma\tgos\n", "wn-data-cat.tab")
    labels = "wordnet, options: {labels: wn-data-cat.tab}"
    spec = load_release_file(folder(BASE.replace("icd9cm", labels)))
    taxonomy = spec.schema().quasi_identifiers[0].taxonomy
    assert taxonomy.label("dog.n.01") == "gos"
    assert spec.folder / "wn-data-cat.tab" in spec.paths()
    with pytest.raises(SpecError, match=r"diagnosis\.options\.labels must be an existing file"):
        load_release_file(folder(BASE.replace("icd9cm", labels.replace("cat", "oci"))))
    with pytest.raises(SpecError, match=r"diagnosis\.options is only accepted for taxonomies in"):
        load_release_file(folder(BASE.replace("icd9cm", "wordnet, options: {language: de}")))


def test_paths_are_relative_to_the_file(folder, monkeypatch, tmp_path):
    path = folder(EXAMPLE)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    spec = load_release_file(Path("..") / path.name)
    assert spec.data_path == Path("../discharges.parquet")
    assert len(spec.schema().quasi_identifiers) == 3
    assert ReleaseFile.from_dict({**spec.as_dict(), "data": "/data/x.csv"}, "..").data_path == Path(
        "/data/x.csv"
    )


@pytest.mark.parametrize("name", METHODS)
def test_every_method_by_its_name_and_settings(folder, name):
    made = METHODS[name]()
    assert isinstance(made, Method)
    assert name_of(made) == name
    written = yaml.safe_dump({"name": name, **settings_of(made)}, default_flow_style=True)
    text = BASE.replace("{name: microaggregation, k: 5}", written.strip())
    assert load_release_file(folder(text)).method_object() == made


def test_the_threshold_is_k_unless_given(folder):
    assert load_release_file(folder(BASE.replace("k: 5", "k: 7"))).threshold == 7
    noise = BASE.replace("{name: microaggregation, k: 5}", "{name: noise_addition}")
    assert load_release_file(folder(noise)).threshold == 10
    assert load_release_file(folder(noise + "report_threshold: 3\n")).threshold == 3


@pytest.mark.parametrize(
    ("output", "beside"),
    [
        ("r.csv", "r.manifest.json"),
        ("my.table.parquet", "my.table.manifest.json"),
        ("r.csv.gz", "r.manifest.json"),
        ("r", "r.manifest.json"),
    ],
)
def test_what_goes_beside_the_output(folder, output, beside):
    spec = load_release_file(folder(BASE.replace("released.csv", output)))
    assert spec.beside("manifest.json").name == beside


# ---------------------------------------------------------------------- one mistake each

COLUMN = "age: {role: quasi, type: numeric}"
METHOD = "{name: microaggregation, k: 5}"

#: What is replaced by what; the line, the sentence and the hint that follow.
WRONG = [
    # missing and unknown fields
    ("data: patients.csv\n", "", 0, "data is missing", "name the file to mask"),
    ("output: released.csv\n", "", 0, "output is missing", "name the file to write"),
    (f"method: {METHOD}\n", "", 0, "method is missing", "name the method"),
    (METHOD, "{k: 5}", 8, "method.name is missing", "the methods are 'microaggregation'"),
    (
        "role: keep",
        "type: date",
        7,
        "columns.ward.role is missing",
        "the roles are 'quasi', 'identifier',",
    ),
    (
        "output:",
        "outputs: x\noutput:",
        2,
        "outputs is not a field of a release file",
        "did you mean 'output'?",
    ),
    ("role: keep", "role: keep, rol: x", 7, "columns.ward has no field 'rol'", "mean 'role'?"),
    ("method:", "require: {kk: 5}\nmethod:", 8, "require has no field 'kk'", "'linkage_below'"),
    ("method:", "csv: {sep: x}\nmethod:", 8, "csv has no field 'sep'", "fields are 'delimiter'"),
    # words
    (
        "role: keep",
        "role: kep",
        7,
        "columns.ward.role must be 'quasi', 'identifier', ... got 'kep'",
        "did you mean 'keep'?",
    ),
    (
        "role: keep",
        "role:",
        7,
        "columns.ward.role must be 'quasi', 'identifier', ... got nothing",
        "",
    ),
    (
        "role: keep",
        "role: [keep]",
        7,
        "columns.ward.role must be 'quasi', 'identifier', ... got a list",
        "",
    ),
    (
        "type: numeric",
        "type: number",
        5,
        "columns.age.type must be 'nominal', 'set', 'numeric', 'ordinal' or 'date', got 'number'",
        "mean 'numeric'?",
    ),
    (
        "icd9cm",
        "icd9cm, measure: sanches",
        4,
        "columns.diagnosis.measure must be 'sanchez', ... got 'sanches'",
        "sanchez",
    ),
    (
        "icd9cm",
        "procedures.csv, format: obi",
        4,
        "columns.diagnosis.format must be 'obo', 'claml', ... got 'obi'",
        "'obo'?",
    ),
    (
        "icd9cm",
        "icd9cm, stems: englisch",
        4,
        "columns.diagnosis.stems must be 'plural', 'auto', a language of ... got 'englisch'",
        "'english'?",
    ),
    (
        "method:",
        "other: kep\nmethod:",
        8,
        "other must be 'refuse', 'keep' or 'drop', got 'kep'",
        "did you mean 'keep'?",
    ),
    (
        "method:",
        "missing: no\nmethod:",
        8,
        "missing must be 'refuse', 'category' or 'drop', got 'no'",
        "",
    ),
    # numbers
    (
        "type: numeric",
        "type: numeric, weight: 0",
        5,
        "columns.age.weight must be a number greater than 0, got 0",
        "",
    ),
    (
        "type: numeric",
        "type: numeric, weight: 1e999",
        5,
        "columns.age.weight must be a number greater than 0, got inf",
        "",
    ),
    (
        "type: numeric",
        "type: numeric, weight: '1'",
        5,
        "columns.age.weight must be a number greater than 0, got '1'",
        "",
    ),
    (
        "type: numeric",
        "type: numeric, weight: true",
        5,
        "columns.age.weight must be a number greater than 0, got true",
        "",
    ),
    (
        "method:",
        "require: {k: 1}\nmethod:",
        8,
        "require.k must be an integer of at least 2, got 1",
        "",
    ),
    ("method:", "require: {k: 2.5}\nmethod:", 8, "require.k must be an integer, got 2.5", ""),
    (
        "method:",
        "require: {l: 1}\nmethod:",
        8,
        "require.l must be an integer of at least 2, got 1",
        "",
    ),
    (
        "method:",
        "require: {t: 1.5}\nmethod:",
        8,
        "require.t must be a number greater than 0 and at most 1, got 1.5",
        "",
    ),
    (
        "method:",
        "require: {linkage_below: 0}\nmethod:",
        8,
        "require.linkage_below must be a number greater than 0 and at most 1, got 0",
        "",
    ),
    (
        "method:",
        "require: {sse_below: -1}\nmethod:",
        8,
        "require.sse_below must be a number greater than 0, got -1",
        "",
    ),
    (
        "method:",
        "require: 5\nmethod:",
        8,
        "require must be a group of fields, got 5",
        "write require: {k: 5}",
    ),
    (
        "method:",
        "report_threshold: 0\nmethod:",
        8,
        "report_threshold must be an integer of at least 1, got 0",
        "",
    ),
    # text that YAML takes for something else
    ("patients.csv", "2026", 1, "data must be text, got 2026", "put it in quotes: '2026'"),
    (
        "patients.csv",
        "''",
        1,
        "data must be text that is not empty, got ''",
        "fill it in, or remove the field",
    ),
    (
        "icd9cm",
        "icd9cm, domain: 250.0",
        4,
        "columns.diagnosis.domain must be text, got 250.0",
        "'250.0'",
    ),
    (
        "icd9cm",
        "icd9cm, ground: semantic",
        4,
        "columns.diagnosis.ground is only accepted for columns with role: confidential",
        "remove it",
    ),
    (
        "icd9cm",
        "icd9cm, heads: yes",
        4,
        "columns.diagnosis.heads must be true, false, 'last', 'first' or 'any-order', got 'yes'",
        "",
    ),
    (
        "ward:",
        "2026:",
        7,
        "columns.2026 must be text, because it is the name of a column",
        "in quotes: '2026'",
    ),
    ("method:", "person: 3\nmethod:", 8, "person must be text, got 3", "put it in quotes: '3'"),
    ("method:", "table: 3\nmethod:", 8, "table must be text, got 3", "put it in quotes: '3'"),
    # groups and lists
    (
        "{role: keep}",
        "keep",
        7,
        "columns.ward must be a group of fields, got 'keep'",
        "write ward: {role: keep}",
    ),
    (
        METHOD,
        "recoding",
        8,
        "method must be a group of fields, got 'recoding'",
        "write method: {name: recoding, k: 5}",
    ),
    (
        METHOD,
        "noise_addition",
        8,
        "method must be a group of fields, got 'noise_addition'",
        "noise_addition, alpha: 0.3}",
    ),
    (
        "method:",
        "csv: x\nmethod:",
        8,
        "csv must be a group of fields, got 'x'",
        "write csv: {delimiter: ';'}",
    ),
    (
        "method:",
        "missing_marks: '?'\nmethod:",
        8,
        "missing_marks must be a list of texts, got '?'",
        'put each of them in quotes, as in ["?", "-9"]',
    ),
    (
        "method:",
        "missing_marks: [true]\nmethod:",
        8,
        "missing_marks must be a list of texts, got a list",
        'put each of them in quotes, as in ["?", "-9"]',
    ),
    (
        "icd9cm",
        "icd9cm, mapping: {a: 1}",
        4,
        "columns.diagnosis.mapping must be a group of texts, got a group of fields",
        "put 1 in",
    ),
    ("icd9cm", "icd9cm, mapping: 3", 4, "columns.diagnosis.mapping must be {value: ... got 3", ""),
    (
        "icd9cm",
        "icd9cm, prefer: [1]",
        4,
        "columns.diagnosis.prefer must be a concept or a list of concepts, got a list",
        "put each of them in quotes",
    ),
    (
        "icd9cm",
        "procedures.csv, options: 3",
        4,
        "columns.diagnosis.options must be a group of ... got 3",
        "",
    ),
    (
        "numeric",
        "ordinal, levels: [a, a]",
        5,
        "columns.age.levels must be a list without repeated values, got a list",
        "list each value once, from the lowest to the",
    ),
    (
        "numeric",
        "ordinal, levels: [true]",
        5,
        "columns.age.levels must be a list of texts or numbers, got a list",
        "in quotes",
    ),
    (
        "numeric",
        "ordinal, levels: low",
        5,
        "columns.age.levels must be a list of values from ... got 'low'",
        "",
    ),
    (
        "numeric",
        "date, date_format: dmy",
        5,
        "columns.age.date_format must be a date format, such as \"%d.%m.%Y\", got 'dmy'",
        "",
    ),
    (
        "method:",
        "csv: {delimiter: ';;'}\nmethod:",
        8,
        "csv.delimiter must be one character, got ';;'",
        'put it in quotes, such as ";", or "\\t" for a tab',
    ),
    (
        "method:",
        "csv: {quote: 3}\nmethod:",
        8,
        "csv.quote must be one character, got 3",
        'put it in quotes, such as ";", or "\\t" for a tab',
    ),
    (
        "method:",
        "csv: {encoding: utf-9}\nmethod:",
        8,
        "csv.encoding must be the name of an encoding, ... got 'utf-9'",
        "",
    ),
    (
        "method:",
        "memory: 2 apples\nmethod:",
        8,
        "memory must be a number above 0 with a unit, such as 500MB or 0.5GB, got '2 apples'",
        "",
    ),
    (
        "method:",
        "memory: 2000\nmethod:",
        8,
        "memory must be a number above 0 with a unit, such as 500MB or 0.5GB, got 2000",
        "",
    ),
    # methods
    (
        "microaggregation",
        "microagregation",
        8,
        "method.name must be 'microaggregation', ... got 'microagregation'",
        "did you mean",
    ),
    ("k: 5", "k: 1", 8, "method.k must be an integer of at least 2, got 1", ""),
    ("k: 5", "k: 5, kk: 1", 8, "method has no setting 'kk'", "microaggregation are 'k', 'algor"),
    (
        "k: 5",
        "k: 5, distance: men",
        8,
        "method.distance must be 'mean', 's' or 's_paper', got 'men'",
        "did you mean 'mean'?",
    ),
    ("k: 5", "k: 5, alpha: 1", 8, "method has no setting 'alpha'", "the settings of microagg"),
    (
        METHOD,
        "{name: rank_swapping, guard: true, strategy: fixed}",
        8,
        "method is not valid: guard cannot be used with strategy 'fixed'",
        "leave guard out",
    ),
    # fields that do not fit together
    (
        COLUMN,
        "age: {role: quasi}",
        5,
        "columns.age has no type",
        "add a taxonomy, or type: numeric, ordinal or date",
    ),
    ("numeric", "nominal", 5, "columns.age is nominal but has no taxonomy", "taxonomy: icd9cm"),
    ("numeric", "ordinal", 5, "columns.age is ordinal but has no levels", "levels: [mild"),
    (
        "numeric",
        "numeric, measure: lin",
        5,
        "columns.age.measure is only accepted for nominal ...",
        "remove it, or write type: nominal",
    ),
    (
        "icd9cm",
        "icd9cm, levels: [a]",
        4,
        "columns.diagnosis.levels is only accepted for ...",
        "remove it, or write type: ordinal",
    ),
    (
        "role: keep",
        "role: keep, type: date",
        7,
        "columns.ward.type is not accepted for columns with role: keep",
        "remove it",
    ),
    (
        "confidential",
        "confidential, weight: 2",
        6,
        "columns.charge.weight is only accepted for columns with role: quasi",
        "",
    ),
    ("confidential", "confidential, measure: lin", 6, "columns.charge has no type", "taxonomy"),
    (
        "icd9cm",
        "icd9cm, format: obo",
        4,
        "columns.diagnosis.format is only accepted for ...",
        "./icd9cm",
    ),
    (
        "icd9cm",
        "icd9",
        4,
        "columns.diagnosis.taxonomy must be a bundled ... got 'icd9'",
        "mean 'icd9cm'?",
    ),
    (
        "icd9cm",
        "none.csv",
        4,
        "columns.diagnosis.taxonomy must be a bundled ... got 'none.csv'",
        "the known taxonomies are 'icd9cm',",
    ),
    (
        "icd9cm",
        "icd9cm, mapping: no.csv",
        4,
        "columns.diagnosis.mapping must be an existing file, got 'no.csv'",
        "relat",
    ),
    (
        "method:",
        "person: age\nmethod:",
        8,
        "person must not be a quasi-identifier, got 'age'",
        "name another column",
    ),
    (
        "released.csv",
        "./patients.csv",
        2,
        "output must not be the same file as data",
        "name another file",
    ),
    # what is never in the file
    (
        "method:",
        "seed: 4711\nmethod:",
        8,
        "seed must not be in the file, because a seed is a secret",
        "ONTOMASK_SEED",
    ),
    (
        "k: 5",
        "k: 5, seed: 4711",
        8,
        "method.seed must not be in the file, because a seed is a secret",
        "--seed-file",
    ),
    (
        "method:",
        "Seed: 4711\nmethod:",
        8,
        "Seed must not be in the file, because a seed is a secret",
        "--seed-file",
    ),
]


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence", "hint"), WRONG, ids=[case[3] for case in WRONG]
)
def test_a_mistake_and_what_is_said(folder, old, new, line, sentence, hint):
    assert BASE.count(old) >= 1
    path = folder(BASE.replace(old, new, 1))
    with pytest.raises(SpecError) as caught:
        load_release_file(path)
    place = f"{path}, line {line}: " if line else f"{path}: "
    begin, _, end = sentence.partition(" ...")
    assert caught.value.message.startswith(place + begin)
    assert caught.value.message.endswith(end)
    assert hint in caught.value.hint
    assert "\n" not in caught.value.message  # it is the only problem
    assert "4711" not in str(caught.value)
    assert "pydantic" not in str(caught.value)


def test_no_quasi_identifier(folder):
    text = BASE.replace("role: quasi, taxonomy: icd9cm", "role: keep").replace(
        "role: quasi, type: numeric", "role: drop"
    )
    with pytest.raises(SpecError, match="line 3: columns has no quasi-identifier"):
        load_release_file(folder(text))


@pytest.mark.parametrize("name", ["l", "t"])
def test_nothing_confidential_to_require_anything_of(folder, name):
    text = (
        BASE.replace("confidential", "keep") + f"require: {{{name}: {'2' if name == 'l' else 1}}}"
    )
    with pytest.raises(SpecError, match=f"require.{name} needs a sensitive attribute"):
        load_release_file(folder(text))


def test_columns_must_be_listed(folder):
    for columns in ("columns: {}", "columns:", "columns: [age]"):
        text = re.sub(r"columns:\n(  .*\n)+", f"{columns}\n", BASE)
        with pytest.raises(SpecError, match="columns must be .*\n\nhint: list the columns"):
            load_release_file(folder(text))


def test_all_mistakes_at_once_in_the_order_of_the_file(folder):
    text = BASE.replace("role: keep", "role: kep").replace("k: 5", "k: 0, foo: 1")
    text = text.replace("data: patients.csv", "data: 5").replace("icd9cm", "icd9")
    text += "seed: 4711\ndata: y.csv\n"
    with pytest.raises(SpecError) as caught:
        load_release_file(folder(text))
    first, *listed = caught.value.message.splitlines()
    assert first.endswith("release.yaml has 6 problems:")
    lines = [int(re.match(r"  - line (\d+): ", it)[1]) for it in listed]
    assert lines == sorted(lines)
    for words in ("data is repeated: line 1 and line 10", "'icd9'", "'kep'", "method.k"):
        assert words in caught.value.message
    assert "4711" not in str(caught.value)


def test_the_same_from_a_dict():
    fields = yaml.safe_load(BASE)
    assert ReleaseFile.from_dict(fields).as_dict() == fields
    with pytest.raises(SpecError, match="the release: it must be a dict of fields, got a list"):
        ReleaseFile.from_dict([])
    with pytest.raises(SpecError, match="the release: seed must not be in the file"):
        ReleaseFile.from_dict({**fields, "seed": 1})
    with pytest.raises(ValueError, match="columns.age has no type"):  # pydantic's own door
        ReleaseFile.model_validate({**fields, "columns": {"age": {"role": "quasi"}}})


def test_a_spec_does_not_change():
    spec = ReleaseFile.from_dict(yaml.safe_load(BASE))
    with pytest.raises(ValueError, match="frozen"):
        spec.data = "x"


# ---------------------------------------------------------------------- no such file, no such YAML


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("# nothing\n", "is empty"),
        ("- data: x\n", "must contain fields, got a list"),
        ("data\n", "must contain fields, got 'data'"),
        ("~\n", "must contain fields, got nothing"),
        ("data: [a\noutput: b\n", "line 2: invalid YAML"),
        ("data: a\n\toutput: b\n", "line 2: invalid YAML"),
        ("data: a\n---\ndata: b\n", "invalid YAML: but found another document"),
        ("data: *nowhere\n", "invalid YAML: found undefined alias"),
        ("? [a, b]\n: c\n", "line 1: the name of a field must be text"),
        ("data: !!python/object/apply:os.system ['touch ran']\n", "data has the tag '!!python/"),
        ("data: !!binary aGk=\n", "data has the tag '!!binary'"),
        ("!!set {a, b}\n", "has the tag '!!set'"),
        ("data: !mine x\n", "data has the tag '!mine'"),
        ("data: !!int x\n", "invalid YAML"),
        ("data: &a [*a]\n", "or a circular one"),
        ("[" * 5000, "nested too deeply"),
        ("a: &a [x,x,x,x,x,x,x,x,x,x]\n", "is not a field"),
        (b"data: \xff\n", "is not UTF-8 text"),
        (b"data: \x00\n", "invalid YAML"),
        ("x: " + "y" * 1_000_001, "too large for a release file"),
    ],
)
def test_what_is_no_release_file(file, content, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecError) as caught:
        load_release_file(file(content))
    assert words in str(caught.value)
    assert not Path("ran").exists()


def test_names_that_multiply(file):
    levels = "".join(
        f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    with pytest.raises(SpecError, match="too many YAML references"):
        load_release_file(file("a: &a [x, x]\n" + levels))


def test_there_is_no_such_file(tmp_path):
    with pytest.raises(SpecError, match="does not exist"):
        load_release_file(tmp_path / "none.yaml")
    with pytest.raises(SpecError, match="cannot be read"):
        load_release_file(tmp_path)


def test_fields_may_be_shared(folder):
    text = BASE.replace("diagnosis: {", "diagnosis: &words {").replace(
        COLUMN, "second: {<<: *words, measure: lin}"
    )
    first, second = load_release_file(folder(text)).schema().quasi_identifiers
    assert (first.measure, second.measure) == ("sanchez", "lin")
    with pytest.raises(SpecError, match="line 5: columns.second.measure must be .* got 'lim'"):
        load_release_file(folder(text.replace("lin", "lim")))


@pytest.mark.parametrize(
    ("plain", "read"),
    [
        ("no", "no"),
        ("on", "on"),
        ("001", "001"),
        ("001.1", "001.1"),
        ("2026-01-01", "2026-01-01"),
        ("12:30", "12:30"),
        ("1_000", "1_000"),
        ("5", 5),
        ("-2.5", -2.5),
        ("1e3", 1000.0),
        (".5", 0.5),
    ],
)
def test_plain_words_stay_words(folder, plain, read):
    text = BASE.replace("numeric", f"ordinal, levels: [{plain}, zz]")
    assert load_release_file(folder(text)).schema().quasi_identifiers[1].levels == (read, "zz")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [*ReleaseFile.model_fields, *module.ColumnSpec.model_fields, "name", "k"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_whatever_is_given_is_a_spec_or_one_of_our_errors(fields):
    base = yaml.safe_load(BASE)
    for given_fields in (fields, {**base, **fields} if isinstance(fields, dict) else base):
        try:
            ReleaseFile.from_dict(given_fields)
        except SpecError as error:
            assert error.message  # noqa: PT017
    try:
        ReleaseFile.from_dict({**base, "columns": {"x": fields}, "method": fields})
    except SpecError:
        pass


def test_nothing_wrong_is_no_error():
    raise_problems([], "release.yaml", {})


# ---------------------------------------------------------------------- for editors


@pytest.mark.parametrize("text", [EXAMPLE, FULL, BASE])
def test_editors_accept_what_we_accept(text):
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"].endswith("2020-12/schema")
    jsonschema.validate(yaml.safe_load(text.replace("[no,", "['no',")), schema)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("role: keep", "role: kep"),
        ("k: 5", "k: 5, foo: 1"),
        ("k: 5", "k: 5, distance: men"),
        ("microaggregation", "magic"),
        ("numeric", "numeric, weight: 0"),
        ("output:", "seed: 1\noutput:"),
        ("output: released.csv\n", ""),
    ],
)
def test_editors_refuse_what_we_refuse(old, new):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(BASE.replace(old, new)), json_schema())


def test_every_field_is_described():
    schema = json_schema()
    parts = {"Spec": schema, **schema["$defs"]}
    for name in ("Spec", "ColumnSpec", "CsvSpec", "Requirements"):
        for field, said in parts[name]["properties"].items():
            assert said.get("description"), (name, field)
    assert parts["ColumnSpec"]["properties"]["role"]["enum"][0] == "quasi"
    named = [it["properties"]["name"]["const"] for it in parts["MethodSpec"]["oneOf"]]
    assert named == list(METHODS)


def test_the_package_stays_light():
    import subprocess
    import sys

    code = "import ontomask, sys; ontomask.mask; print({'pydantic', 'yaml'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"


def test_an_output_may_have_the_suffix_of_any_format():
    from ontomask.engines.formats.formats import ENDINGS
    from ontomask.releasefile.validation import FORMAT_SUFFIXES

    assert set(FORMAT_SUFFIXES) == set(ENDINGS)


@pytest.mark.parametrize("size", ["500MB", "0.5GB", "0.25 TiB", "1.5GB", "2gb"])
def test_memory_may_be_a_decimal_number(file, size):
    spec = load_release_file(file(BASE + f"memory: {size}\n", FILE))
    assert spec.memory == size


@pytest.mark.parametrize("size", ["0GB", "0.0GB", ".GB", "5", "80%", "-1GB", "1e3MB"])
def test_memory_must_be_above_0_and_have_a_unit(file, size):
    with pytest.raises(SpecError, match="memory must be a number above 0 with a unit"):
        load_release_file(file(BASE + f"memory: '{size}'\n", FILE))


@pytest.mark.parametrize(
    ("data", "output"),
    [("patients.csv", "released.xlsx"), ("patients.csv", "a.XLSX"), ("patients.xlsx", "released")],
)
def test_an_excel_output_is_refused_before_work_where_it_cannot_be_written(file, data, output):
    text = BASE.replace("patients.csv", data).replace("released.csv", output)
    path = file(text, FILE)
    if has_extension("excel"):
        assert load_release_file(path).output == output
    else:
        with pytest.raises(SpecError, match="output cannot be an Excel file") as caught:
            load_release_file(path)
        assert "output: released.csv" in caught.value.hint
