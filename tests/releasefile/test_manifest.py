"""The manifest: complete, strictly JSON, and nothing in it that few records carry."""

from __future__ import annotations

import csv
import datetime
import json
import re
import stat
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from manifests import assert_manifest_fits, read_manifest
from ontomask import map_terms, mask, risk, utility
from ontomask.errors import FileFormatError, ParameterError
from ontomask.methods.registry import METHODS
from ontomask.pipeline.facts import fingerprint, mapping_coverage
from ontomask.releasefile.manifest import make_manifest
from ontomask.releasefile.model import ReleaseFile
from ontomask.report.manifest import (
    FileFacts,
    read_file_facts,
    write_manifest,
)
from ontomask.report.transitions_file import write_private_transitions
from rare_words import METHODS_TRIED, SEED, patients, released, spec_of

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")


def made(folder, *args, **more):
    release, spec, _ = released(folder, *args, **more)
    return make_manifest(release, spec, None, None)


def strict(text):
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


# ---------------------------------------------------------------------- what is in it


def test_what_a_manifest_says(folder):
    release, spec, _ = released(folder, require={"k": 3})
    when = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
    found = make_manifest(
        release,
        spec,
        "folder/patients.csv",
        None,
        when=when,
        private=["a/b.csv"],
    )
    assert found["format"] == 1
    assert found["made"] == "2026-01-02T03:04:05+00:00"
    assert set(found["versions"]) == {"ontomask", "python", "numpy", "duckdb"}
    assert found["input"] == {"name": "patients.csv"}
    assert found["output"] is None
    assert found["columns"]["word"] == {"role": "quasi", "type": "nominal"}
    assert found["columns"]["name"] == {"role": "identifier", "type": None}
    assert found["method"]["name"] == "microaggregation"
    assert found["method"]["settings"]["k"] == 3
    assert found["guarantee"]["text"] == str(release.guarantee)
    assert found["guarantee"]["smallest"] == release.guarantee.smallest
    assert found["records"] == {"released": 60, "dropped": 0, "suppressed": 0}
    assert found["private_files"] == ["b.csv"]
    assert "do not publish them" in found["notes"][-1]
    assert found["report_threshold"] == 3
    assert found["release"]["require"] == {"k": 3}
    assert found["release"]["data"] == "patients.csv"
    assert found["release"]["columns"]["word"]["mapping"] == "1 value"
    assert strict(json.dumps(found, allow_nan=False)) == found


def test_every_figure_is_there_with_its_meaning(folder):
    found = made(folder)
    assert set(found["utility"]) == set(utility.DESCRIPTIONS)
    assert set(found["risk"]) == set(risk.DESCRIPTIONS)
    for figures in (found["utility"], found["risk"]):
        for figure in figures.values():
            assert set(figure) == {"value", "meaning", "range", "better", "usual"}
            assert figure["meaning"]
    assert found["risk"]["before"]["value"]["k"] == 1
    assert found["risk"]["l_distinct"]["value"].keys() == {"charge"}


def test_what_is_said_of_taxonomies(folder):
    facts = made(folder)["taxonomies"]
    assert set(facts) == {"word"}
    assert facts["word"]["name"] == "words"
    assert facts["word"]["source"] == "words.csv"
    # A taxonomy of the column's own values: readers could test guesses of those that were removed.
    assert facts["word"]["concepts"] is None
    assert facts["word"]["fingerprint"] is None
    assert facts["word"]["mapping"]["records"] == {
        "unmapped": 0,
        "code": 59,
        "correction": None,
    }


def test_coverage_counts_ways_and_names_nothing():
    tree = om.Taxonomy.from_edges(
        [("residence", "place"), ("sport", "activity"), ("place", "x"), ("activity", "x")],
        labels={"sport": ["Sport", "exercise"], "residence": ["Dwelling"]},
    )
    values = [
        "sport",
        "Sport",
        "exercise",
        "sports",
        "second residence",
        "fix",
        "SPORT",
        "huh",
        None,
    ]
    found = map_terms(values, tree, corrections={"fix": "place"}, heads=True)
    ways = mapping_coverage(found)
    assert ways["values"] == {
        "unmapped": 1,
        "code": 2,
        "label": 1,
        "synonym": 1,
        "plural": 1,
        "head noun": 1,
        "correction": 1,
    }
    assert ways["missing"] == 1
    assert "residence" not in str(ways)


def test_a_fingerprint_is_of_what_a_taxonomy_says():
    edges = [("b", "a"), ("c", "a"), ("d", "b"), ("d", "c")]
    one = om.Taxonomy.from_edges(edges, labels={"d": ["D"]})
    assert fingerprint(one) == fingerprint(om.Taxonomy.from_edges(edges[::-1], labels={"d": ["D"]}))
    others = [
        om.Taxonomy.from_edges(edges),
        om.Taxonomy.from_edges(edges[:3], labels={"d": ["D"]}),
        om.Taxonomy.from_edges(edges, labels={"d": ["D", "E"]}),
        om.Taxonomy.from_edges(edges, labels={"d": ["D"]}, aliases={"e": "d"}),
    ]
    assert len({fingerprint(it) for it in [one, *others]}) == 5


# ---------------------------------------------------------------------- what is not in it


def texts(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)
    elif isinstance(value, str):
        yield value


@given(
    method=st.sampled_from(METHODS_TRIED),
    seed=st.integers(0, 2**32 - 1),
    threshold=st.sampled_from([None, 2, 5, 20, 1000]),
)
def test_nothing_that_few_records_carry_is_named(folder, method, seed, threshold):
    more = {"report_threshold": threshold} if threshold else {}
    release, spec, _ = released(folder, method, seed, **more)
    found = make_manifest(release, spec, None, None)
    text = json.dumps(found, allow_nan=False)
    often = Counter(release.data["word"])
    named = set(re.findall(r"Z\w+", text))
    assert all(often[word] >= spec.threshold for word in named)
    assert "Zperson" not in text
    assert str(SEED) not in text
    assert str(folder) not in text
    assert not [it for it in texts(found) if it.startswith(("/", "\\")) or ":\\" in it]


def test_methods_tried_are_all_there_are():
    tried = {it["name"] for it in METHODS_TRIED}
    assert tried == {name for name in METHODS if METHODS[name].compared_by_default}


def test_one_changed_record_cannot_be_worked_out(folder):
    # 59 records alike, one of its own: dropping it would tell its age by the two means.
    table = patients(np.random.default_rng(0)).assign(word="Zword03", age=40)
    table.loc[7, ["word", "age"]] = ["Zword20", 83]
    spec = spec_of(folder, {"name": "suppression", "k": 5, "how": "drop"})
    release = mask(table, spec.schema(), spec.method_object())
    means = release.evaluation.utility["number_means"]["age"]
    assert means["before"] * 60 - means["after"] * 59 == pytest.approx(83)
    found = make_manifest(release, spec, None, None)
    values = {name: it["value"] for name, it in found["utility"].items()}
    assert values["number_means"] == {"age": None}
    assert values["number_variances"] == {"age": None}
    assert values["mean_shift"] == {"word": None}
    assert values["attribute_sse"] == {"word": None, "age": None}
    assert values["sse"] is None
    assert values["il1s"] is None
    assert values["semantic_quality"] is None
    assert values["distance_correlations"]["before"][0][1] is None
    assert values["changed_records"] == 0.0167  # 1 / 60: how many is no secret
    assert (
        "fewer than 5 records were changed in word, age, so the figures of these columns are "
        "withheld" in found["notes"]
    )


def test_a_mean_is_named_where_enough_records_hold_it(folder):
    table = patients(np.random.default_rng(0)).assign(word="Zword03")
    table["age"] = [30, 31] * 30
    spec = spec_of(folder, {"name": "microaggregation", "k": 5})
    found = make_manifest(mask(table, spec.schema(), spec.method_object()), spec, None, None)
    shift = found["utility"]["mean_shift"]["value"]["word"]
    assert shift == {"before": "Zword03", "after": "Zword03", "distance": 0.0}
    high = spec_of(folder, {"name": "microaggregation", "k": 5}, report_threshold=61)
    found = make_manifest(mask(table, high.schema(), high.method_object()), high, None, None)
    assert found["utility"]["mean_shift"]["value"]["word"]["before"] is None
    assert found["utility"]["number_means"]["value"] == {"age": None}
    assert any("it is withheld" in note for note in found["notes"])


def test_levels_are_counted_and_folders_left_out(folder):
    spec = spec_of(folder, {"name": "microaggregation", "k": 3})
    fields = spec.as_dict()
    (folder / "fixes.csv").write_text("value,concept\nZtypo,Zword07\n")
    fields["columns"]["word"] |= {
        "taxonomy": str(folder / "words.csv"),
        "mapping": str(folder / "fixes.csv"),
    }
    fields["columns"]["age"] = {"role": "quasi", "type": "ordinal", "levels": [*range(20, 90)]}
    spec = ReleaseFile.from_dict(fields, folder)
    table = patients(np.random.default_rng(0))
    found = make_manifest(mask(table, spec.schema(), spec.method_object()), spec, None, None)
    given_columns = found["release"]["columns"]
    assert given_columns["age"]["levels"] == "70 values"
    assert given_columns["word"]["taxonomy"] == "words.csv"
    assert given_columns["word"]["mapping"] == "fixes.csv"
    assert str(folder) not in json.dumps(found)


# ---------------------------------------------------------------------- written, read, checked


@pytest.fixture
def written(folder, tmp_path):
    """A released table and its manifest beside it."""
    release, spec, _ = released(folder, require={"k": 3})
    output = tmp_path / "released.csv"
    release.data.to_csv(output, index=False)
    path = tmp_path / "released.manifest.json"
    write_manifest(path, make_manifest(release, spec, None, read_file_facts(output)))
    return path


def test_there_and_back(written):
    found = read_manifest(written)
    assert found == strict(written.read_text())
    assert found["output"] == vars(read_file_facts(written.parent / "released.csv"))
    assert_manifest_fits(written)


def test_an_existing_manifest_is_kept(written):
    before = written.read_text()
    with pytest.raises(ParameterError, match="already exists"):
        write_manifest(written, {"format": 1})
    assert written.read_text() == before
    write_manifest(written, {"format": 1}, force=True)
    assert read_manifest(written) == {"format": 1}


def test_numbers_that_json_has_not(tmp_path):
    path = tmp_path / "x.manifest.json"
    odd = {"format": 1, "x": [float("nan"), np.float64("inf"), np.int64(3), np.array([1.5])]}
    write_manifest(path, odd)
    assert strict(path.read_text())["x"] == [None, None, 3, [1.5]]


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_file_facts(tmp_path / "none")
    assert FileFacts("a", 1, "b").name == "a"


@pytest.mark.parametrize("method", METHODS_TRIED)
def test_every_method_has_a_manifest_that_fits(folder, tmp_path, method):
    release, spec, _ = released(folder, method)
    path = tmp_path / "x.manifest.json"
    write_manifest(path, make_manifest(release, spec, None, None))
    assert_manifest_fits(path)


# ---------------------------------------------------------------------- what is private


def test_the_transitions_are_private(folder, tmp_path):
    release, spec, table = released(folder)
    path = tmp_path / "released.private.csv"
    write_private_transitions(release.transitions, path, spec.schema())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert list(rows[0]) == [
        "original word",
        "masked word",
        "original age",
        "masked age",
        "records",
    ]
    assert sum(int(row["records"]) for row in rows) == 60
    before, after = Counter(), Counter()
    for row in rows:
        before[row["original word"], int(row["original age"])] += int(row["records"])
        after[row["masked word"], int(row["masked age"])] += int(row["records"])
    words = table["word"].replace("Ztypo", "Zword07")
    assert before == Counter(zip(words, table["age"], strict=True))
    assert after == Counter(zip(release.data["word"], release.data["age"], strict=True))
    with pytest.raises(ParameterError, match="already exists"):
        write_private_transitions(release.transitions, path)


def test_the_name_says_so(folder, tmp_path):
    release, _, _ = released(folder)
    with pytest.raises(ParameterError, match=r"must end in \.private\.csv"):
        write_private_transitions(release.transitions, tmp_path / "transitions.csv")
    assert not list(tmp_path.iterdir())


def test_levels_dates_and_blanks_are_readable(tmp_path):
    days = [datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)]
    table = pd.DataFrame({"s": ["mild"] * 5 + ["severe"], "d": [days[0]] * 5 + [days[1]]})
    schema = om.Schema([om.Ordinal("s", ["mild", "severe"]), om.Date("d")])
    release = mask(table, schema, om.Suppression(k=2, how="drop"))
    path = tmp_path / "x.private.csv"
    write_private_transitions(release.transitions, path, schema)
    assert path.read_text().splitlines() == [
        "original s,masked s,original d,masked d,records",
        "mild,mild,2026-01-01,2026-01-01,5",
        "severe,,2026-01-02,,1",
    ]
    write_private_transitions(release.transitions, path, force=True)
    assert path.read_text().splitlines()[2] == "1,,20455,,1"
