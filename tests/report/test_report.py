"""The report: its figures are the manifest's, it asks nobody for anything, and it tells nothing."""

from __future__ import annotations

import html
import json
import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from benchmarks.report import wide_release
from ontomask.errors import ParameterError
from ontomask.pipeline.facts import publishable_facts
from ontomask.releasefile.manifest import make_manifest
from ontomask.report.page import _describe_unnamed_means, _format_mean_dates
from rare_words import METHODS_TRIED, SEED, patients, released, spec_of

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")


@pytest.fixture(scope="module")
def stay(tmp_path_factory, icd9):
    """A report of synthetic discharges with columns of all kinds, and its manifest."""
    folder = tmp_path_factory.mktemp("report")
    pd.DataFrame(om.datasets.discharges(4000)).to_csv(folder / "stays.csv", index=False)
    (folder / "release.yaml").write_text(
        """
data: stays.csv
output: released.csv
columns:
  diagnosis: {role: quasi, taxonomy: icd9cm}
  procedure: {role: quasi, taxonomy: icd9cm-procedures}
  age: {role: quasi, type: numeric}
  severity: {role: quasi, type: ordinal, levels: [minor, moderate, major, extreme]}
  admitted: {role: quasi, type: date}
  name: {role: identifier}
  charge: {role: confidential, type: numeric}
  outcome: {role: confidential, taxonomy: icd9cm}
person: patient
other: drop
method: {name: microaggregation, k: 5}
"""
    )
    om.run_release_file(folder / "release.yaml", seed=SEED)
    return folder / "released.report.html", json.loads(
        (folder / "released.manifest.json").read_text()
    )


# ---------------------------------------------------------------------- in a browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_opens_offline_without_a_complaint(stay, opened, scheme):
    path, _ = stay
    seen = opened(path, color_scheme=scheme)
    assert seen.requests == []
    assert seen.errors == []
    for section in ("risk", "worth", "correlations", "meaning", "loss"):
        assert seen.page.locator(f"#{section} svg").count(), section
    assert seen.page.locator("#risk svg rect").count() > 4
    assert seen.page.locator("#icicles g.box").count() > 10
    paper = seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 24, 28)"}[scheme]


def test_its_numbers_are_the_manifests(stay, opened):
    path, known = stay
    seen = opened(path)
    cells = seen.page.evaluate(
        "[...document.querySelectorAll('[data-figure][data-value]')]"
        ".map(it => [it.dataset.figure, it.dataset.value])"
    )
    told = {name: float(value) for name, value in cells}
    for part in ("risk", "utility"):
        for name, figure in known[part].items():
            for key, value in scalars(f"{part}.{name}", figure["value"]):
                if key in told:
                    assert told.pop(key) == value, key
    assert not told  # nothing is there that the manifest does not have
    assert len(cells) > 30


def scalars(name, value):
    if isinstance(value, dict):
        if "distance" in value:
            yield name, value["distance"]
        for column, inner in value.items():
            yield f"{name}.{column}", inner
    else:
        yield name, value


@pytest.mark.slow
def test_all_figures_of_risk_and_utility_are_there(stay):
    path, known = stay
    text = path.read_text()
    left_out = {"before", "class_sizes", "unique_share"}  # drawn, or beside their sum
    for name, figure in known["risk"].items():
        if name in left_out or name.startswith("linkage_nearest_") or not figure["value"]:
            continue
        assert f'data-figure="risk.{name}' in text, name


def test_a_branch_opens_on_both_sides(stay, opened):
    path, _ = stay
    page = opened(path).page
    box = page.locator("#icicles .pair > div:first-child g.box").nth(1)
    name = box.get_attribute("aria-label").split(":")[0]
    box.click()
    assert page.locator("#icicles .path button").count() == 2
    for side in ("first", "last"):
        first = page.locator(f"#icicles .pair > div:{side}-child g.box").first
        assert first.get_attribute("aria-label").startswith(name)
    page.locator("#icicles .path button").first.click()
    assert page.locator("#icicles .path button").count() == 1


def test_the_keyboard_opens_a_branch_too(stay, opened):
    path, _ = stay
    page = opened(path).page
    page.locator("#icicles g.box").nth(1).focus()
    page.keyboard.press("Enter")
    assert page.locator("#icicles .path button").count() == 2
    assert page.evaluate("document.activeElement.classList.contains('box')")


def test_another_column_can_be_chosen(stay, opened):
    path, _ = stay
    page = opened(path).page
    page.locator("#icicles select").select_option(label="procedure")
    assert "procedures" in page.locator("#icicles .told").inner_text()


def test_the_paragraph_can_be_copied(stay, opened):
    path, known = stay
    page = opened(path, permissions=["clipboard-read", "clipboard-write"]).page
    page.locator("button[data-copy=paragraph]").click()
    assert page.locator("button[data-copy=paragraph]").inner_text() == "Copied"
    paragraph = page.locator("#paragraph").inner_text()
    assert "released.csv has 4,000 records" in paragraph
    assert known["guarantee"]["headline"][0] in paragraph


def test_it_prints(stay, opened):
    path, _ = stay
    seen = opened(path, color_scheme="dark")
    seen.page.emulate_media(media="print")
    paper = seen.page.evaluate(
        "getComputedStyle(document.documentElement).getPropertyValue('--page')"
    )
    assert paper.strip() == "#ffffff"  # dark pages waste ink
    assert not seen.page.locator("nav").is_visible()
    pdf = seen.page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) > 3


def test_it_fits_a_tablet(stay, opened):
    path, _ = stay
    page = opened(path, viewport={"width": 800, "height": 1100}).page
    wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert page.evaluate(wide)


# ---------------------------------------------------------------------- what it says


def test_what_is_guaranteed_and_what_is_measured(stay):
    path, known = stay
    text = html.unescape(path.read_text())
    assert "is shared by at least 5 people" in text
    assert known["output"]["sha256"] in text
    assert "version 32, fiscal year 2015" in text
    assert "4,000 by code" in text
    assert "This release has a person column, and a person may have several records" in text
    assert "<dt>k-anonymity</dt>" in text
    assert "<dt>Record linkage</dt>" in text
    linked = f"{100 * known['risk']['linkage_nearest']['value']:.1f} %"
    assert text.count(linked) >= 3  # tile, paragraph, table


def test_the_order_of_the_rows_is_that_of_the_file(stay, folder, tmp_path):
    path, known = stay
    assert known["order"] == "shuffled"
    assert "The rows are in a random order." in path.read_text()
    assert "original order" not in path.read_text()
    release, _, _ = released(folder, {"name": "microaggregation", "k": 4})
    release.save_report(tmp_path / "frame.html")
    text = " ".join((tmp_path / "frame.html").read_text().split())
    assert "The rows are in their original order, unless they were shuffled" in text


def test_no_cell_of_a_table_is_a_dash(stay):
    path, _ = stay
    text = path.read_text()
    assert not re.search(r"<td[^>]*>\s*[-–]\s*</td>", text)
    assert re.search(r"<td[^>]*>\s*not applicable\s*</td>", text)  # interval disclosure of words


@pytest.mark.parametrize(
    ("distance", "words"),
    [
        (None, "withheld"),
        (0.0, "not named; same mean before and after"),
        (0.874, "not named; distance between the two means 0.874"),
    ],
)
def test_means_that_are_not_named(distance, words):
    assert _describe_unnamed_means(distance) == words


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (15_500.0, 15_600.0, "2012-06-09 → 2012-09-17, rounded to 100 days"),
        (900.0, 901.0, "1972-06-19 → 1972-06-20"),
    ],
)
def test_mean_dates_say_how_far_they_are_rounded(before, after, words):
    assert _format_mean_dates(before, after) == words


def test_usual_values_and_ranges_of_shares_are_in_percent(stay):
    path, known = stay
    text = " ".join(html.unescape(path.read_text()).split())
    assert known["risk"]["marketer"]["usual"].startswith("0.096 to 0.17 at k = 5")
    assert "Range: 0 to 100 %. Usual: 9.6 to 17 % at k = 5, 2.8 to 4.3 % at k = 20" in text


def test_swapping_promises_no_class_sizes(folder):
    release, spec, _ = released(folder, {"name": "rank_swapping", "window": 4})
    text = html.unescape(release.report(make_manifest(release, spec, None, None)))
    assert "does not guarantee class sizes" in text
    assert release.method.promise[1:] in text
    assert "no minimum guaranteed" in text


def test_cells_of_columns_that_hardly_changed_are_withheld(diagnoses, tmp_path):
    table = pd.DataFrame(
        {"word": ["flu", "cold"] * 60 + ["sprain"] * 2, "age": [30, 40] * 60 + [90] * 2}
    )
    schema = om.Schema([om.Nominal("word", diagnoses), om.Numeric("age")])
    om.mask(table, schema, om.Microaggregation(k=5)).save_report(tmp_path / "report.html")
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", (tmp_path / "report.html").read_text("utf-8"))
    # Of two changed words: changed, mean distance, root mean square, mean, variance and two risks.
    # Of the ages: errors, mean and variance, of which one record contributes too much.
    # Of the taxonomy, which is not bundled: its size and fingerprint.
    assert cells.count("withheld") == 7 + 4 + 2


def test_a_frame_has_a_report_too(folder, tmp_path):
    release, _, _ = released(folder)
    release.save_report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert "A masked table" in text
    with pytest.raises(ParameterError, match="already exists"):
        release.save_report(tmp_path / "report.html")
    release.save_report(tmp_path / "report.html", threshold=1000, force=True)
    assert not re.search(r"Z\w+", (tmp_path / "report.html").read_text())


def test_markup_in_values_is_text(tmp_path, opened):
    evil = '<script>document.title = "stolen"</script>'
    tree = om.Taxonomy.from_edges(
        [(evil, "root"), ("</script><b>", "root"), ("c", evil)], labels={"c": ['"><img src=x>']}
    )
    table = pd.DataFrame({"<i>word</i>": [evil] * 9 + ["</script><b>"] * 9 + ["c"] * 9})
    release = om.mask(table, om.Schema([om.Nominal("<i>word</i>", tree)]), om.Recoding(k=3))
    release.save_report(tmp_path / "evil.html")
    seen = opened(tmp_path / "evil.html")
    assert seen.errors == []
    assert seen.requests == []
    assert seen.page.title() == "Report: A masked table"
    assert seen.page.locator("#main b:has-text('word')").count() == 0
    assert seen.page.locator("#icicles g.box").count() > 2
    assert evil in seen.page.locator("#icicles").evaluate(
        "it => [...it.querySelectorAll('g.box')].map(b => b.getAttribute('aria-label')).join(' ')"
    )


# ---------------------------------------------------------------------- what it does not say


def holders(words, tree):
    """How many records hold a concept or what is below it."""
    held = Counter()
    for word, count in Counter(words).items():
        for concept in tree.ancestors(word):
            held[concept] += count
    return held


@pytest.mark.slow
@given(
    method=st.sampled_from(METHODS_TRIED),
    seed=st.integers(0, 2**32 - 1),
    threshold=st.sampled_from([None, 2, 5, 20, 1000]),
)
def test_nothing_that_few_records_carry_is_shown(folder, method, seed, threshold):
    more = {"report_threshold": threshold} if threshold else {}
    spec = spec_of(folder, method, **more)
    table = patients(np.random.default_rng(seed))
    table["age"] = (
        table["age"] ** 2 * 1_009 + 3_000_001
    )  # numbers that are nothing else on the page
    release = om.mask(table, spec.schema(), spec.method_object(), seed=SEED)
    text = release.report(make_manifest(release, spec, None, None))
    tree = spec.schema().quasi_identifiers[0].taxonomy
    before = holders(table["word"].replace("Ztypo", "Zword07"), tree)
    after = holders(release.data["word"].dropna(), tree)
    for word in set(re.findall(r"Zword\d\d", text)):
        assert max(before[word], after[word]) >= spec.threshold, word
    assert "Zperson" not in text
    assert "Ztypo" not in text
    assert str(SEED) not in text
    assert str(folder) not in text
    ages, masked = Counter(table["age"]), Counter(release.data["age"].dropna().astype(int))
    plain = text.replace(",", "")
    for age in {*ages, *masked}:
        if max(ages[age], masked[age]) < spec.threshold:
            assert not re.search(rf"\b{age}\b", plain), age


def test_a_value_of_few_people_is_not_shown_however_many_records_they_have(folder):
    table = patients(np.random.default_rng(0), 400).assign(word="Zword03")
    table.loc[:11, "word"] = "Zword20"  # twelve records of two people
    table["name"] = [f"Zperson{place}" for place in [0] * 6 + [1] * 6 + [*range(2, 390)]]
    schema = om.Schema(
        [om.Nominal("word", om.load_taxonomy(folder / "words.csv"))], person="name", other="drop"
    )
    release = om.mask(table, schema, om.RankSwapping(window=5), seed=1)
    assert release.records_of(2) == 10  # six could be of one; rounded up
    assert release.records_of(5) == 15  # 6 + 6 + 1 + 1 could be of four
    assert "Zword20" not in release.report(publishable_facts(release, 5))
    assert "Zword20" in release.report(publishable_facts(release, 2))
    alike = om.mask(table.assign(name=range(400)), schema, om.RankSwapping(window=5), seed=1)
    assert alike.records_of(5) == 5


def test_one_large_number_cannot_be_worked_out_of_sums():
    table = pd.DataFrame({"pay": [*range(1000, 1029), 98_765_432]})
    release = om.mask(table, om.Schema([om.Numeric("pay")]), om.Microaggregation(k=5))
    known = publishable_facts(release, 5)
    utility = {name: it["value"] for name, it in known["utility"].items()}
    for figure in ("number_means", "number_variances", "attribute_sse", "rmse"):
        assert utility[figure] == {"pay": None}, figure
    assert utility["mean_absolute_distance"] == {"pay": None}
    assert utility["sse"] is None
    assert utility["il1s"] is None
    assert any("one record contributes more than 1/5 of a sum" in note for note in known["notes"])
    plain = om.mask(table[:-1], om.Schema([om.Numeric("pay")]), om.Microaggregation(k=5))
    assert publishable_facts(plain, 5)["utility"]["number_means"]["value"]["pay"]["before"] == 1010


def test_suppressed_numbers_cannot_be_worked_out_of_sums():
    table = pd.DataFrame({"pay": [*[1] * 20, *[2] * 20, 100, 101, 102, 103, 104, 4711]})
    for how in ("blank", "drop"):
        release = om.mask(table, om.Schema([om.Numeric("pay")]), om.Suppression(k=5, how=how))
        assert publishable_facts(release, 5)["utility"]["number_means"]["value"] == {"pay": None}


def test_what_is_not_masked_is_warned_of():
    table = pd.DataFrame(
        {
            "age": [30] * 20,
            "ward": ["a"] * 19 + ["b"],
            "charge": [100.25 + 7 * place % 20 for place in range(20)],
            "note": ["x"] * 20,
        }
    )
    schema = om.Schema([om.Numeric("age")], confidential=["charge"], keep=["ward"], other="drop")
    release = om.mask(table, schema, om.Suppression(k=2))
    assert release.cautions == (
        "column 'charge' may identify people: 100 % of the records have a unique value",
    )
    assert release.guarantee == (
        "not 2-anonymous: 1 of 20 records is unique on age and the kept column ward; smallest "
        "equivalence class 1 record. On the quasi-identifiers alone: 2-anonymous on age: smallest "
        "equivalence class 20 records"
    )
    known = publishable_facts(release, 2)
    assert known["columns"]["note"] == {"role": "drop", "type": None}
    text = html.unescape(release.report(known))
    assert all(it[1:] in text for it in release.cautions)
    assert "Caution: column 'charge' may identify people: 100 %" in text
    assert "The released table is not 2-anonymous: 1 of 20 records is unique on age and" in text


def test_weak_swapping_is_said_in_the_report(folder):
    release, spec, _ = released(
        folder, {"name": "rank_swapping", "window": 4, "strategy": "dynamic"}
    )
    caution, *_ = release.cautions
    assert "protects this table only weakly" in caution
    assert caution in html.unescape(release.report(make_manifest(release, spec, None, None)))


# ---------------------------------------------------------------------- size


@pytest.mark.slow
def test_a_hundred_columns_of_a_large_taxonomy_are_no_three_megabytes():
    wide = wide_release(100)
    text = wide.report(publishable_facts(wide, 2))
    assert 250_000 < len(text.encode()) < 3_000_000
