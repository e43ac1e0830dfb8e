"""Columns with a crosswalk, or with distances of several taxonomies, from masking to evaluation."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import ontomask as om
from ontomask.errors import SchemaError, UnknownValueError
from ontomask.releasefile.check import check
from ontomask.releasefile.model import load_release_file
from ontomask.releasefile.run import write_release

#: Two views on the same findings: by organ, and by cause.
ORGANS = om.Taxonomy.from_edges(
    [("lung", "organ"), ("liver", "organ"), ("skin", "organ"), ("airway", "lung")]
    + [(c, "lung") for c in ("pneumonia", "lung cancer")]
    + [(c, "airway") for c in ("asthma", "bronchitis")]
    + [(c, "liver") for c in ("hepatitis", "liver cancer")]
    + [(c, "skin") for c in ("melanoma", "eczema")]
)
CAUSES = om.Taxonomy.from_edges(
    [("infection", "cause"), ("tumour", "cause"), ("allergy", "cause")]
    + [(c, "infection") for c in ("I1", "I2", "I3")]
    + [(c, "tumour") for c in ("T1", "T2", "T3")]
    + [(c, "allergy") for c in ("A1", "A2")]
)
LINKS = {
    **{"pneumonia": "I1", "bronchitis": "I2", "hepatitis": "I3"},
    **{"lung cancer": "T1", "liver cancer": "T2", "melanoma": "T3"},
    **{"asthma": "A1", "eczema": ["A1", "A2"]},  # ambiguous: counts as unknown
}
METHODS = [
    om.Microaggregation(4),
    om.Microaggregation(4, algorithm="mdav", distance="s"),
    om.Microaggregation(4, centroid="best"),
    om.Recoding(4),
    om.Resampling(4),
    om.Suppression(4),
    om.RankSwapping(4),
    om.NoiseAddition(0.3),
]


def frame(rows=120, seed=0):
    random = np.random.default_rng(seed)
    leaves = sorted(ORGANS.leaves)
    return pd.DataFrame(
        {
            "finding": random.choice(leaves, rows, p=np.arange(1, len(leaves) + 1) / 36),
            "age": random.integers(20, 40, rows),
            "secret": random.choice(leaves, rows),
        }
    )


def plain_distance(combine):
    """The same as a Python function, which nothing in the package knows how to prune."""

    def distance(domain, a, b):
        own, links = om.distance(domain, a, b), LINKS
        known = [links.get(c) for c in (a, b)]
        if not all(isinstance(concept, str) for concept in known):
            return own
        part = CAUSES
        if len(domain) < len(ORGANS):
            part = CAUSES.domain([links[c] for c in domain if isinstance(links.get(c), str)])
        other = om.distance(part, *known)
        return (own + other) / 2 if combine == "mean" else min(own, other)

    return distance


def column(name="finding", combine="mean", **settings):
    return om.Nominal(
        name, ORGANS, crosswalk=LINKS, more_taxonomies=[CAUSES], combine=combine, **settings
    )


@pytest.mark.parametrize("combine", ["mean", "min"])
@pytest.mark.parametrize("domain", ["lcs", "taxonomy"])
def test_every_method_masks_as_with_the_definition(combine, domain):
    """The same table, the same figures, and the same t-closeness, method by method."""
    table, releases = frame(), []
    for quasi, secret in (
        (
            column(combine=combine, domain=domain),
            column("secret", combine, ground="semantic", domain=domain),
        ),
        (
            om.Nominal("finding", ORGANS, measure=plain_distance(combine), domain=domain),
            om.Nominal(
                "secret", ORGANS, measure=plain_distance(combine), ground="semantic", domain=domain
            ),
        ),
    ):
        schema = om.Schema([quasi, om.Numeric("age")], confidential=[secret])
        releases.append([om.mask(table, schema, method, seed=3) for method in METHODS])
    for method, fast, slow in zip(METHODS, *releases, strict=True):
        pd.testing.assert_frame_equal(*(r.data.sort_values(list(table)) for r in (fast, slow)))
        figures = [
            json.dumps(release.evaluation.as_dict(), sort_keys=True) for release in (fast, slow)
        ]
        assert figures[0] == figures[1], method
        assert set(fast.data["finding"].dropna()) <= set(ORGANS)


def test_compare_evaluate_and_explain():
    table = frame()[["finding", "age"]]
    schema = om.Schema([column(), om.Numeric("age")])
    release = om.mask(table, schema, METHODS[0], seed=1)
    judged = om.evaluate(table, release.data, schema)
    assert judged.utility["sse"] == pytest.approx(release.evaluation.utility["sse"])
    compared = om.compare(table, schema, [METHODS[0]], seed=1).points[0]
    assert compared.evaluation.utility["sse"] == pytest.approx(judged.utility["sse"])
    releases = [release, om.mask(table, schema, om.Resampling(4), seed=1)]
    values = set(table["finding"])
    told = " ".join(" ".join(str(r.explain(value)) for r in releases for value in values).split())
    assert "another taxonomy: " in told
    assert "; mean = " in told
    assert "alone: the crosswalk does not lead both to" in told


def test_values_of_another_coding_are_masked_in_the_taxonomy():
    """One row each is translated, several are listed, and the masked table is read by its names."""
    codes = {"001": "pneumonia", "002": "asthma", "003": "hepatitis", "pneumonia": "asthma"}
    random = np.random.default_rng(2)
    table = pd.DataFrame({"finding": random.choice(["001", "002", "003", "melanoma"], 80)})
    schema = om.Schema([om.Nominal("finding", ORGANS, crosswalk=codes)])
    release = om.mask(table, schema, om.Microaggregation(30), seed=1)
    assert set(release.data["finding"]) <= set(ORGANS)
    judged = om.evaluate(table, release.data, schema)  # pneumonia is no code there
    assert judged.utility["sse"] == pytest.approx(release.evaluation.utility["sse"])
    several = {**codes, "002": ["asthma", "bronchitis"], "melanoma": "nowhere"}
    schema = om.Schema([om.Nominal("finding", ORGANS, crosswalk=several)])
    with pytest.raises(UnknownValueError) as error:
        om.mask(table, schema, om.Microaggregation(5), seed=1)
    assert "2 values of column 'finding' cannot be mapped" in str(error.value)
    assert "asthma" in str(error.value.hint)
    sets = pd.DataFrame({"finding": ["001;002", "003", "001", "melanoma"] * 10})
    schema = om.Schema([om.NominalSet("finding", ORGANS, crosswalk=codes)])
    masked = om.mask(sets, schema, om.Microaggregation(15), seed=1).data["finding"]
    assert {part for cell in masked for part in cell.split(";")} - {""} <= set(ORGANS)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"more_taxonomies": [CAUSES]}, "crosswalk must have one table for each of the 1"),
        ({"more_taxonomies": CAUSES}, "more_taxonomies must be a list of taxonomies"),
        ({"crosswalk": LINKS, "combine": "min"}, "combine needs more_taxonomies"),
        ({"crosswalk": [LINKS]}, "a list of crosswalks needs more_taxonomies"),
        (
            {"crosswalk": LINKS, "more_taxonomies": [CAUSES], "combine": "max"},
            "combine must be 'mean' or 'min', got 'max'",
        ),
        (
            {"crosswalk": {"I1": "pneumonia"}, "more_taxonomies": [CAUSES]},
            "leads from no concept of",
        ),
        ({"crosswalk": 7}, "crosswalk must be a dict, the path of a table or a Crosswalk"),
    ],
)
def test_wrong_settings_are_refused(settings, words):
    with pytest.raises(SchemaError, match=words):
        om.Schema([om.Nominal("finding", ORGANS, **settings)])


def test_sets_refuse_further_taxonomies():
    with pytest.raises(SchemaError, match="more_taxonomies cannot be used with sets"):
        om.Schema([om.NominalSet("finding", ORGANS, crosswalk=LINKS, more_taxonomies=[CAUSES])])


# ---------------------------------------------------------------------- release files


RELEASE = """\
data: data.csv
output: released.csv
columns:
  finding:
    role: quasi
    taxonomy: organs.csv
    more_taxonomies: [causes.csv]
    crosswalk: {file: links.csv, vocabulary: ORGANS}
    combine: min
  age: {role: quasi, type: numeric}
  secret: {role: drop}
method: {name: microaggregation, k: 4}
"""


@pytest.fixture
def folder(tmp_path):
    frame().to_csv(tmp_path / "data.csv", index=False)
    ORGANS.write(tmp_path / "organs.csv")
    CAUSES.write(tmp_path / "causes.csv")
    rows = [
        f"{code},ORGANS,{target}"
        for code, targets in LINKS.items()
        for target in ([targets] if isinstance(targets, str) else targets)
    ]
    head = "source_code,source_vocabulary_id,target_concept_id"
    text = "\n".join([head, *rows, "asthma,OTHER,T1"])
    (tmp_path / "links.csv").write_text(text, "utf-8")
    (tmp_path / "release.yaml").write_text(RELEASE, "utf-8")
    return tmp_path


def test_a_release_file_with_two_taxonomies(folder):
    spec = load_release_file(folder / "release.yaml")
    names = {path.name for path in spec.inputs()}
    assert names == {"data.csv", "organs.csv", "causes.csv", "links.csv"}
    checked = check(folder / "release.yaml")
    assert checked.fine
    assert checked.columns[0].taxonomy == "organs.csv, causes.csv"
    assert any("leads 7 of 8 concepts to causes; 1 lead to several" in n for n in checked.notes)
    outcome = write_release(folder / "release.yaml", seed=2**70)
    schema = om.Schema([column(combine="min"), om.Numeric("age")], other="drop")
    here = om.mask(frame(), schema, om.Microaggregation(4), seed=2**70)
    assert outcome.release.evaluation.utility == here.evaluation.utility
    manifest = json.loads((folder / "released.manifest.json").read_text("utf-8"))
    facts = manifest["taxonomies"]["finding"]
    assert [other["name"] for other in facts["more_taxonomies"]] == ["causes"]
    assert "minimum with\ncauses" in (folder / "released.report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("    combine: min\n", "    combine: max\n", "must be 'mean' or 'min', got 'max'"),
        ("    more_taxonomies: [causes.csv]\n", "", "combine needs more_taxonomies"),
        ("[causes.csv]", "[none.csv]", "must be an existing file, got 'none.csv'"),
        ("links.csv", "none.csv", "must be an existing file, got 'none.csv'"),
        (
            "    crosswalk: {file: links.csv, vocabulary: ORGANS}\n",
            "",
            "must be one table for each",
        ),
        ("vocabulary: ORGANS", "code: ORGANS", "must be the path of a table, {file"),
        ("taxonomy: organs.csv", "taxonomy: organs.csv\n    type: set", "cannot be used with sets"),
        ("role: quasi\n", "role: keep\n", "is not accepted for columns with role: keep"),
    ],
)
def test_wrong_fields_are_refused(folder, old, new, words):
    assert old in RELEASE
    (folder / "release.yaml").write_text(RELEASE.replace(old, new, 1), "utf-8")
    with pytest.raises(om.OntomaskError) as error:
        load_release_file(folder / "release.yaml")
    assert words in str(error.value).replace("\n", " ")


@pytest.mark.spark
def test_spark_masks_as_memory(spark):
    table, schema = frame(), om.Schema([column(), om.Numeric("age")], other="drop")
    here = om.mask(table, schema, om.Microaggregation(4), seed=3)
    there = om.mask(
        spark.createDataFrame(pa.Table.from_pandas(table)), schema, om.Microaggregation(4), seed=3
    )
    assert there.evaluation.utility["sse"] == pytest.approx(here.evaluation.utility["sse"])
    ours, theirs = (
        frame[["finding", "age"]].sort_values(["finding", "age"]).to_numpy()
        for frame in (here.data, there.data.toArrow().to_pandas())
    )
    assert (ours == theirs).all()
