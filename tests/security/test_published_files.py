"""Guesses about values that were removed cannot be tested with the files that are published."""

import hashlib
import json

import numpy as np
import pyarrow as pa
import pytest

import ontomask as om
from ontomask.disclosure.spread import histogram_bins
from ontomask.pipeline.facts import fingerprint, publishable_facts

SPEC = """
data: people.csv
output: released.csv
columns:
  country: {role: quasi, taxonomy: countries.csv}
  age: {role: quasi, type: numeric}
method: {name: microaggregation, algorithm: mdav, k: 5}
"""

COUNTRIES = ["Andorra", "Belgium", "Chile", "Denmark"]
HIDDEN = "Liechtenstein"


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """What is published of a table in which one person is from a country of their own."""
    folder = tmp_path_factory.mktemp("published")
    rng = np.random.default_rng(0)
    countries = [*rng.choice(COUNTRIES, 199), HIDDEN]
    ages = np.round(rng.uniform(18, 90, 200), 1)  # so that masking changes nearly all
    rows = [f"{c},{a}" for c, a in zip(countries, ages, strict=True)]
    (folder / "people.csv").write_text("\n".join(["country,age", *rows]) + "\n")
    links = "".join(f"{country},world\n" for country in sorted(set(countries)))
    (folder / "countries.csv").write_text("child,parent\n" + links)
    (folder / "release.yaml").write_text(SPEC)
    om.run_release_file(folder / "release.yaml", seed=2**70)
    return folder, ages


def texts(folder):
    return [
        (folder / name).read_text()
        for name in ("released.csv", "released.manifest.json", "released.report.html")
    ]


def test_the_hidden_value_is_in_no_published_file(published):
    folder, _ = published
    assert not any(HIDDEN in text for text in texts(folder))


def test_a_guess_of_the_taxonomy_cannot_be_tested(published):
    folder, _ = published
    edges = [(country, "world") for country in [*COUNTRIES, HIDDEN]]
    guess = fingerprint(om.Taxonomy.from_edges(edges))
    assert guess == fingerprint(om.load_taxonomy(folder / "countries.csv"))
    assert not any(guess[:12] in text for text in texts(folder))
    facts = json.loads((folder / "released.manifest.json").read_text())["taxonomies"]["country"]
    assert facts["concepts"] is None


def test_a_guess_of_the_table_cannot_be_tested(published):
    folder, _ = published
    content = (folder / "people.csv").read_bytes()
    manifest = json.loads((folder / "released.manifest.json").read_text())
    assert hashlib.sha256(content).hexdigest() not in json.dumps(manifest)
    assert manifest["input"] == {"name": "people.csv"}


def test_the_last_record_does_not_follow_from_the_others_and_the_figures(published):
    folder, ages = published
    figures = json.loads((folder / "released.manifest.json").read_text())["utility"]
    before = figures["number_means"]["value"]["age"]["before"]
    assert before == pytest.approx(ages.mean(), rel=0.01)
    # Whoever knows 199 ages gets the last one only up to a range of years.
    fits = [age for age in range(18, 90) if float(f"{(ages[:-1].sum() + age) / 200:.3g}") == before]
    assert len(fits) > 15


def test_no_number_has_more_than_three_digits(published):
    folder, _ = published
    manifest = json.loads((folder / "released.manifest.json").read_text())

    def numbers(value):
        if isinstance(value, dict):
            for part in value.values():
                yield from numbers(part)
        elif isinstance(value, list):
            for part in value:
                yield from numbers(part)
        elif isinstance(value, float):
            yield value

    figures = [
        figure["value"] for part in ("utility", "risk") for figure in manifest[part].values()
    ]
    every = [number for figure in figures for number in numbers(figure)]
    assert len(every) > 10
    assert all(float(f"{number:.3g}") == number for number in every)


def test_few_changes_of_a_column_do_not_follow_from_any_figure():
    """Of 300 records, masking changes the sex of a few: their number is withheld everywhere."""
    rng = np.random.default_rng(1)
    table = pa.table({"sex": rng.choice(["F", "M"], 300), "age": rng.integers(18, 90, 300) * 1.0})
    sex = om.Ordinal("sex", levels=["F", "M"], weight=0.02)
    release = om.mask(table, om.Schema([sex, om.Numeric("age")]), om.Microaggregation(k=5), seed=1)
    changed = round(release.evaluation.utility["changed"]["sex"] * 300)
    assert 0 < changed < 50
    facts = publishable_facts(release, 50)
    shares = {name: figure["value"] for name, figure in facts["risk"].items()}
    for figure in ("linkage_alone", "linkage_without", "sd_interval", "rank_interval"):
        assert shares[figure]["sex"] is None
        assert shares[figure]["age"] is not None
    assert facts["utility"]["changed"]["value"]["sex"] is None
    bins = histogram_bins(release.transitions, 0, 50, sex)
    assert [bin_["before"] for bin_ in bins] == [None, None]
