"""The Result screen: its parts are the report's, its judgements the library's, its text is text."""

from __future__ import annotations

import html
import json
import re
import shlex
import shutil

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import expect

import ontomask as om
from ontomask._runtime.yaml_text import format_yaml
from ontomask.pipeline.comparing.axes import LOSSES, RISKS, axis_figures
from ontomask.pipeline.facts import choose_threshold, publishable_facts
from ontomask.pipeline.guarantees.requirements import judged_figures, unmet_requirements
from ontomask.releasefile.compared_methods import parse_methods
from ontomask.releasefile.model import ReleaseFile, Requirements
from ontomask.releasefile.run import mask_file
from ontomask.report.figure_comparison import (
    compare_figures,
    differing_columns,
    differing_settings,
)
from ontomask.report.plain_values import to_plain_values
from ontomask.web.result_sections import (
    TABS,
    build_result_sections,
    describe_cautions,
    evaluate_requirements,
)
from strategies import examples
from workbench import SEED, tab_of, write_discharges

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")

METHODS = [
    om.Microaggregation(k=5),
    om.RankSwapping(window=10),
    om.Suppression(k=3, how="drop"),
    om.Recoding(k=4, weighted=True),
    om.NoiseAddition(alpha=0.3),
]

COLUMNS = {
    "diagnosis": {"role": "quasi", "taxonomy": "icd9cm"},
    "age": {"role": "quasi", "type": "numeric"},
    "name": {"role": "identifier"},
    "outcome": {"role": "confidential", "taxonomy": "icd9cm"},
}


def fields_of(**method):
    return {
        "data": "discharges.csv",
        "output": "released.csv",
        "columns": COLUMNS,
        "other": "drop",
        "method": method,
    }


@pytest.fixture(scope="module")
def released(icd9):
    """Releases of the same discharges by several methods, each with its facts."""
    table = pd.DataFrame(om.datasets.discharges(500))
    schema = om.Schema(
        quasi_identifiers=[om.Nominal("diagnosis", icd9), om.Numeric("age")],
        identifiers=["name"],
        confidential=[om.Nominal("outcome", icd9)],
        other="drop",
    )
    found = [om.mask(table, schema, method, seed=SEED) for method in METHODS]
    return [
        (release, publishable_facts(release, choose_threshold(release.method))) for release in found
    ]


# ---------------------------------------------------------------------- the parts of a run


def test_the_tabs_are_sections_of_the_report(released):
    for release, known in released:
        whole = release.report(known)
        parts = build_result_sections(release, known)
        assert [it["name"] for it in parts["tabs"]] == list(TABS)
        for tab in parts["tabs"]:
            nothing = TABS[tab["name"]][1]
            assert tab["html"].strip() in whole or (nothing and nothing in tab["html"])
        assert parts["holds"].strip() in whole


def test_they_can_be_kept_as_json(released):
    for release, known in released:
        parts = build_result_sections(release, known)
        assert json.loads(json.dumps(parts, allow_nan=False)) == parts


def test_the_tiles_say_what_was_and_what_is(released):
    release, known = released[0]
    tiles = {it["name"]: it for it in build_result_sections(release, known)["tiles"]}
    risk = release.evaluation.risk
    assert tiles["uniques"]["before"] == f"{risk['before']['uniques']:,}"
    assert tiles["uniques"]["after"] == "0"
    assert tiles["linked"]["after"] == f"{100 * risk['linkage_nearest']:.1f} %"
    assert tiles["smallest"]["after"] == str(release.guarantee.smallest)


def test_only_methods_that_promise_classes_are_said_to_guarantee_something(released):
    for release, known in released:
        parts = build_result_sections(release, known)
        assert parts["promised"] == (release.guarantee.k is not None)
        assert parts["guarantee"].startswith("Not k-anonymous") != parts["promised"]
        assert "attacker" in parts["measured"]


def test_the_point_has_the_figures_of_the_evaluation(released):
    for release, known in released:
        point = build_result_sections(release, known)["point"]
        assert set(point["figures"]) == {it.name for it in (*RISKS, *LOSSES)}
        assert point["figures"] == axis_figures(release.evaluation, 500)


def test_the_command_line_calls_the_method_the_same(released):
    for release, known in released:
        argument = build_result_sections(release, known)["point"]["argument"]
        assert parse_methods([argument]) == [release.method]


def test_a_table_of_numbers_has_no_taxonomy_to_draw():
    release = om.mask(
        pd.DataFrame({"age": list(range(60))}),
        om.Schema(quasi_identifiers=[om.Numeric("age")]),
        om.Microaggregation(k=3),
        seed=SEED,
    )
    tabs = {
        it["name"]: it["html"]
        for it in build_result_sections(
            release, publishable_facts(release, choose_threshold(release.method))
        )["tabs"]
    }
    assert "no taxonomy to draw" in tabs["meaning"]
    assert "need at least two" in tabs["correlations"]
    assert "No masked column holds sets" in tabs["sets"]


def test_a_column_of_sets_has_a_tab(diagnoses):
    table = pd.DataFrame({"dx": ["influenza;sprain", "influenza", "cirrhosis;sprain"] * 20})
    release = om.mask(
        table, om.Schema([om.NominalSet("dx", diagnoses)]), om.Microaggregation(k=5), seed=SEED
    )
    known = publishable_facts(release, choose_threshold(release.method))
    (tab,) = [it for it in build_result_sections(release, known)["tabs"] if it["name"] == "sets"]
    assert tab["html"].strip() in release.report(known)
    assert "Values kept: 100 %; generalised: 0 %; lost:" in tab["html"]
    assert "pairs of values that fewer than 5 records have" in tab["html"]


HOSTILE = ["<script>alert(1)</script>", "\"><img src=x onerror='alert(2)'>", "</svg><b>&amp;"]


def hostile_release():
    root = "<i>all</i>"
    taxonomy = om.Taxonomy.from_edges([(it, root) for it in HOSTILE])
    table = pd.DataFrame({"<u>what</u>": HOSTILE * 20, "how 'much'": [*range(60)]})
    schema = om.Schema(
        quasi_identifiers=[om.Nominal("<u>what</u>", taxonomy), om.Numeric("how 'much'")]
    )
    return om.mask(table, schema, om.Microaggregation(k=2), seed=SEED)


def test_names_from_data_are_escaped():
    release = hostile_release()
    parts = build_result_sections(
        release, publishable_facts(release, choose_threshold(release.method))
    )
    markup = "".join([parts["holds"], *(it["html"] for it in parts["tabs"])])
    for tag in ("<script", "<img", "<u>", "<i>all", "<b>&amp;"):
        assert tag not in markup, tag
    assert html.escape("<u>what</u>") in markup
    ours = set(re.findall(r"<([a-z0-9]+)", markup))
    assert not ours & {"script", "img", "iframe", "object", "style", "link", "u", "b"}


# ---------------------------------------------------------------------- what is required


@given(
    k=st.none() | st.integers(2, 12),
    diverse=st.none() | st.integers(2, 5),
    t=st.none() | st.floats(0.01, 1),
    linkage_below=st.none() | st.floats(0.01, 1),
    sse_below=st.none() | st.floats(0.5, 500),
    which=st.integers(0, len(METHODS) - 1),
)
@examples(30)
def test_what_is_kept_is_judged_as_the_release_is(
    released, k, diverse, t, linkage_below, sse_below, which
):
    require = Requirements(k=k, l=diverse, t=t, linkage_below=linkage_below, sse_below=sse_below)
    release, known = released[which]
    found = evaluate_requirements(require, known, judged_figures(release.evaluation))
    assert [name for name, _, _ in found] == list(require.limits)
    reasons = [it for _, _, reasons in found for it in reasons]
    said = unmet_requirements(require.limits, release.evaluation, release.guarantee)
    assert [it.casefold().rstrip(".") for it in reasons] == [
        it.partition(": ")[2].casefold() for it in said
    ]


@pytest.mark.parametrize("met", [True, False])
def test_a_limit_next_to_a_figure_is_judged_by_all_its_digits(bench, client, met):
    fields = fields_of(name="recoding", k=5)
    spec = ReleaseFile.from_dict(fields, bench.folder.path)
    release = mask_file(spec, SEED, lambda _: None)
    keep(bench.runs, spec, release=release)
    risk, utility = release.evaluation.risk, release.evaluation.utility
    near = 1 + 1e-6 if met else 1 - 1e-6
    figures = {name: risk[name]["outcome"] for name in ("alpha", "beta")}
    figures |= {"t": risk["t_equal"]["outcome"], "sse_below": utility["sse"]}
    figures |= {"linkage_below": risk["linkage_nearest"], "entropy_l": risk["l_entropy"]["outcome"]}
    limits = {
        name: figure / near if name == "entropy_l" else figure * near
        for name, figure in figures.items()
    }
    save(bench, {**fields, "require": limits})
    rows = client.get("/api/requirements").json()["requirements"]
    assert {it["name"]: it["holds"] for it in rows if it["limit"]} == dict.fromkeys(limits, met)
    shown = client.get("/api/runs/0001/parts").json()["required"]
    assert {it["name"]: not it["reasons"] for it in shown} == dict.fromkeys(limits, met)


# ---------------------------------------------------------------------- two runs


def better_by_definition(better, first, second):
    if first is None or second is None:
        return ""
    if first == second:
        return "same"
    if better == "neither":
        return ""
    smaller = "first" if first < second else "second"
    larger = "second" if first < second else "first"
    return smaller if better == "lower" else larger


def test_which_of_two_is_better_by_the_direction_of_the_figure(released):
    from ontomask import risk, utility

    (one, first), (other, second) = released[0], released[1]
    described = {**risk.DESCRIPTIONS, **utility.DESCRIPTIONS}
    about_tables = ("released_uniques", "removed_columns")
    rows = [
        it
        for it in compare_figures(first, second)
        if ":" not in it.title and it.name not in about_tables
    ]
    judged = 0
    for row in rows:
        values = [getattr(it.evaluation, row.part)[row.name] for it in (one, other)]
        if not all(isinstance(it, int | float) for it in values) or "k" in row.title.split():
            continue
        expected = better_by_definition(described[row.name].better, *values)
        assert row.which == expected, row.title
        judged += expected in ("first", "second")
    assert judged > 8


def test_releases_with_other_roles_are_not_ranked(released):
    _, facts = released[0]
    masked = next(name for name, column in facts["columns"].items() if column["role"] == "quasi")
    removed = {**facts["columns"], masked: {"role": "drop", "type": None}}
    other = {**facts, "columns": removed}
    assert differing_columns(facts, facts) == []
    (difference,) = differing_columns(other, facts)
    assert difference == f"{masked}: removed"
    verdicts = {it.name: it.which for it in compare_figures(facts, other)}
    assert verdicts.pop("removed_columns") == "first"  # a removed column is a loss
    assert verdicts.pop("released_uniques") == "same"
    assert set(verdicts.values()) == {""}
    kept = {**facts["columns"], masked: {"role": "keep", "type": None}}
    worse = {
        **facts,
        "columns": kept,
        "guarantee": {
            **facts["guarantee"],
            "released": {
                "columns": [masked],
                "classes": 9,
                "smallest": 1,
                "uniques": 7,
                "total": 9,
                "unit": "records",
                "link": None,
            },
        },
    }
    verdicts = {it.name: it.which for it in compare_figures(facts, worse)}
    assert verdicts.pop("released_uniques") == "first"  # a kept column is a risk
    assert verdicts.pop("removed_columns") == "same"
    assert set(verdicts.values()) == {""}


def test_two_runs_turned_round_turn_the_judgement_round(released):
    turned = {"first": "second", "second": "first", "same": "same", "": ""}
    first, second = released[0][1], released[3][1]
    there, back = compare_figures(first, second), compare_figures(second, first)
    assert {it.title: it.which for it in there} == {it.title: turned[it.which] for it in back}


def test_what_two_runs_were_told_differently(released):
    first, second, third = (released[i][1] for i in range(3))
    assert ("method", "microaggregation", "rank swapping") in differing_settings(first, second)
    assert ("k", "5", "3") in differing_settings(first, third)
    assert differing_settings(first, first) == []


# ---------------------------------------------------------------------- over HTTP


def keep(runs, spec, text="", release=None):
    """Keep a run as the process that masks does."""
    release = release or mask_file(spec, SEED, lambda _: None)
    known = publishable_facts(release, choose_threshold(release.method))
    return runs.keep(
        {
            "title": known["method"]["title"],
            "words": known["method"]["description"],
            "seconds": 0.5,
            "known": known,
            "exact": to_plain_values(judged_figures(release.evaluation)),
            "unmet": [],
            "warnings": [],
            "fields": spec.as_dict(),
            "inputs": seen(spec),
        },
        {
            "release.yaml": text or format_yaml(spec.as_dict()),
            "report.html": release.report(known),
            "parts.json": json.dumps(build_result_sections(release, known), allow_nan=False),
        },
    )


def seen(spec):
    from ontomask.web.runs import stamp_inputs

    return stamp_inputs(spec)


def save(bench, fields):
    return bench.draft.write(fields, bench.draft.read().revision)


@pytest.fixture
def two(bench, three):
    """A workbench with two runs, the second as its release file says."""
    for run in ("0001", "0002"):
        shutil.copytree(three / ".ontomask" / "runs" / run, bench.runs.folder / run)
    save(bench, fields_of(name="recoding", k=5))
    return bench


def test_without_runs_the_map_is_empty(reader):
    found = reader.get("/api/map").json()
    assert found["points"] == []
    assert found["limits"] == {}
    assert [it["name"] for it in found["risks"]] == [it.name for it in RISKS]


def test_runs_are_on_the_map(two, client):
    points = client.get("/api/map").json()["points"]
    assert [it["id"] for it in points] == ["0001", "0002"]
    assert [it["argument"] for it in points] == ["microaggregation:k=3", "recoding:k=5"]
    assert [it["guarantee"] for it in points] == ["3-anonymous", "5-anonymous"]
    known = two.runs.get("0001").known
    published = known["risk"]["linkage_nearest"]["value"]  # with three digits
    assert float(f"{points[0]['linked']:.3g}") == published


def test_the_limits_are_those_of_the_release_file_now(two, client):
    fields = two.draft.read().fields
    save(two, {**fields, "require": {"k": 4, "linkage_below": 0.5, "sse_below": 20}})
    found = client.get("/api/map").json()
    records = found["points"][0]["records"]
    assert found["limits"] == {
        "linkage_people": 0.5,
        "linkage_nearest": 0.5,
        "sse": 20,
        "sse_per_record": 20 / records,
    }
    assert any("smallest equivalence class" in it for it in found["points"][0]["unmet"])
    assert not any("smallest equivalence class" in it for it in found["points"][1]["unmet"])
    required = client.get("/api/runs/0001/parts").json()["required"]
    assert [it["name"] for it in required] == ["k", "linkage_below", "sse_below"]
    assert required[0]["reasons"] == [
        "The smallest equivalence class must have at least 4 records, got 3."
    ]


def test_a_requirement_that_is_half_written_breaks_nothing(two, client):
    fields = two.draft.read().fields
    save(two, {**fields, "require": {"k": "many", "linkage_below": 0.5, "nothing": 1}})
    found = client.get("/api/map")
    assert found.status_code == 200
    assert found.json()["limits"] == {"linkage_people": 0.5, "linkage_nearest": 0.5}


def test_a_run_has_its_parts(two, client):
    found = client.get("/api/runs/0002/parts").json()
    assert found["title"] == "recoding, k = 5"
    assert [it["name"] for it in found["tabs"]] == list(TABS)
    assert found["taxonomies"]["columns"][0]["name"] == "diagnosis"


def test_a_single_sensitive_value_links_to_the_setting_that_prevents_it(two, client):
    notes = client.get("/api/runs/0001/parts").json()["cautions"]
    links = {note["label"]: note["href"] for note in notes if note["href"]}
    assert links == {"Set l": "/method#setting-l"}
    known = {"method": {"settings": {"k": 5}}, "cautions": ["a", "b"], "prevented_by": {"b": "…"}}
    assert describe_cautions(known) == [
        {"text": "A.", "href": None, "label": None},
        {"text": "B.", "href": "/method", "label": "Use microaggregation with l"},
    ]


def test_two_runs_side_by_side(two, client):
    found = client.get("/api/compare", params={"first": "0001", "second": "0002"}).json()
    assert {"name": "k", "first": "3", "second": "5"} in found["differences"]
    smallest = next(it for it in found["rows"] if it["name"] == "k")
    assert (smallest["first"], smallest["second"]) == ("3", "5")
    assert (smallest["better"], smallest["which"]) == ("higher", "second")


@pytest.mark.parametrize("id", ["0009", "..", "%2e%2e%2fx", "x" * 300, "0001%0a"])
def test_a_run_that_is_not_there(two, client, id):
    for path in (f"/api/runs/{id}/parts", f"/api/compare?first={id}&second=0001"):
        found = client.get(path)
        assert found.status_code in (404, 422), path
        assert found.json()["message"]


@pytest.mark.parametrize("spoilt", ["{", "{}", "[]", '{"point": {}}', "7"])
def test_a_run_that_cannot_be_read_does_not_hide_the_others(two, client, spoilt):
    (two.runs.folder / "0001" / "parts.json").write_text(spoilt)
    assert client.get("/api/runs/0001/parts").status_code == 404
    assert [it["id"] for it in client.get("/api/map").json()["points"]] == ["0002"]


# ---------------------------------------------------------------------- in a browser


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """A folder with three runs, the last as its release file says."""
    from ontomask.web.runs import RunStore

    folder = tmp_path_factory.mktemp("three")
    write_discharges(folder / "discharges.csv")
    methods = (
        {"name": "microaggregation", "k": 3},
        {"name": "recoding", "k": 5},
        {"name": "rank_swapping", "window": 10},
    )
    for method in methods:
        text = format_yaml(fields_of(**method))
        keep(
            RunStore(folder / ".ontomask" / "runs"),
            ReleaseFile.from_dict(fields_of(**method), folder),
            text,
        )
    (folder / "release.yaml").write_text(text)
    return folder


@pytest.fixture
def result(chromium, three, tmp_path, serving):
    """The Result screen of a folder with three runs."""
    shutil.copytree(three, tmp_path, dirs_exist_ok=True)
    served = serving(tmp_path)
    for page in tab_of(chromium, served):
        page.goto(f"{served.address}/result")
        page.wait_for_selector("#tiles .tile")
        yield page


def shows(page, place, words):
    """Wait until a place of the page shows something that begins like this."""
    expect(page.locator(place)).to_have_text(re.compile(f"^{words}"))


def titled(page, words):
    shows(page, "#run-title", words)


def test_the_newest_run_its_tabs_its_branches_and_the_map_of_all(result):
    assert result.locator("#run-title").inner_text() == "Rank swapping, window = 10"
    assert "Not guaranteed." in result.locator("#promise").inner_text()
    result.select_option("#run", "0001")
    titled(result, "Micro")
    assert result.url.endswith("#run=0001")
    assert "3-anonymous on " in result.locator("#promise").inner_text()
    assert result.get_attribute("#report", "href") == "/runs/0001/report"

    # Tabs by keys.
    result.locator("#tab-risk").focus()
    for name in [*list(TABS)[1:], "risk"]:
        result.keyboard.press("ArrowRight")
        assert result.evaluate("document.activeElement.id") == f"tab-{name}"
        assert result.get_attribute(f"#tab-{name}", "aria-selected") == "true"
        assert result.locator("#panels > div:visible").count() == 1
        assert result.locator(f"#panel-{name}").is_visible()
    result.keyboard.press("End")
    expect(result.locator("#panel-correlations svg")).to_have_count(2)

    # A branch opens on both sides.
    result.click("#tab-meaning")
    box = result.locator("#icicles .pair > div:first-child g.box").nth(1)
    name = box.get_attribute("aria-label").split(":")[0]
    box.focus()
    result.keyboard.press("Enter")
    for side in ("first", "last"):
        first = result.locator(f"#icicles .pair > div:{side}-child g.box").first
        assert first.get_attribute("aria-label").startswith(name)
    result.locator("#icicles .path button").first.click()
    expect(result.locator("#icicles .path button")).to_have_count(1)

    # The map, and two runs compared.
    result.select_option("#run", "0003")
    titled(result, "Rank")
    result.click("#view-all")
    expect(result.locator("#map .point")).to_have_count(3)
    result.select_option("#map-x", "marketer")
    expect(result.locator("#map svg").first).to_have_attribute("aria-label", re.compile("marketer"))
    for id in ("0001", "0002"):
        result.check(f"tr[data-run='{id}'] input")
    result.wait_for_selector("#two table.both")
    row = result.locator("#two tr[data-figure=k]").inner_text().split("\t")
    assert [it.strip() for it in row][1:] == ["3", "5", "higher", "Run 2 is better"]
    point = result.locator("#map [data-point='0001']")
    point.focus()
    result.keyboard.press("Enter")
    titled(result, "Micro")
    expect(result.locator("#one")).to_be_visible()


def test_the_link_of_a_caution_opens_its_setting(chromium, three, tmp_path, serving):
    shutil.copytree(three, tmp_path, dirs_exist_ok=True)
    fields = {**fields_of(name="microaggregation", k=3), "require": {"k": 3}}
    (tmp_path / "release.yaml").write_text(format_yaml(fields))
    served = serving(tmp_path)
    for page in tab_of(chromium, served):
        page.goto(f"{served.address}/result#run=0001")
        shows(page, "[data-required=k]", "✓ Met. k-anonymity")  # with a small k
        page.click("#careful a[href='/method#setting-l']")
        expect(page.locator("#setting-l")).to_be_focused()


def test_settings_are_taken_up_and_runs_are_deleted_and_restored(result, tmp_path):
    result.select_option("#run", "0002")
    result.click("#use:enabled")
    result.wait_for_selector("#use:disabled")
    assert "recoding" in (tmp_path / "release.yaml").read_text()
    result.click("#undo")
    result.wait_for_selector("#use:enabled")
    assert "rank_swapping" in (tmp_path / "release.yaml").read_text()

    # A run is deleted and restored.
    result.select_option("#run", "0003")
    titled(result, "Rank")
    there = tmp_path / ".ontomask" / "runs" / "0003"
    result.click("#delete")
    result.wait_for_selector("#restore")
    titled(result, "Reco")
    assert not there.exists()
    result.click("#restore")
    titled(result, "Rank")
    assert there.is_dir()

    # When the last run is deleted, the page says what to do.
    for begin in ("Rank", "Reco", "Micro"):
        titled(result, begin)
        result.click("#delete")
        shows(result, "#notice", "Run . was deleted")
    result.wait_for_selector("#empty")
    assert result.get_attribute("#empty a", "href") == "/method"


def test_a_run_that_has_just_been_made_is_shown(result):
    result.select_option("#run", "0001")
    titled(result, "Micro")
    result.evaluate(
        """() => fetch("/api/work", {
            method: "POST", body: '{"kind": "run"}', headers: {"content-type": "application/json"},
        })"""
    )
    result.wait_for_selector("#run option[value='0004']", state="attached")
    titled(result, "Rank")
    assert result.url.endswith("#run=0004")


def test_the_lines_shown_do_run(result, tmp_path, command, script):
    result.select_option("#run", "0003")
    titled(result, "Rank")
    result.click("#lines summary")
    shell, python = result.locator("#lines-body pre").all_inner_texts()
    assert shell == "ontomask mask release.yaml"
    script(tmp_path, python)
    assert (tmp_path / "released.csv").exists()
    (tmp_path / "released.csv").unlink()
    assert command(tmp_path, *shlex.split(shell)[1:], "--force").code == 0
    result.click("#view-all")
    shell, python = result.locator("#lines-body pre").all_inner_texts()
    assert "Comparison(3 points" in script(tmp_path, python)
    printed = command(tmp_path, *shlex.split(shell)[1:]).out
    assert all(name in printed for name in ("microaggregation", "recoding", "rank_swapping"))
    assert (tmp_path / "compare.html").exists()


def test_hostile_names_are_shown_as_text(chromium, tmp_path, serving):
    from ontomask.web.runs import RunStore

    write_discharges(tmp_path / "discharges.csv")
    fields = fields_of(name="microaggregation", k=2)
    (tmp_path / "release.yaml").write_text(format_yaml(fields))
    runs = RunStore(tmp_path / ".ontomask" / "runs")
    keep(runs, ReleaseFile.from_dict(fields, tmp_path), release=hostile_release())
    served = serving(tmp_path)
    for page in tab_of(chromium, served):
        page.on("dialog", lambda it: pytest.fail(f"a script ran: {it.message}"))
        page.goto(f"{served.address}/result")
        page.wait_for_selector("#tiles .tile")
        for name in TABS:
            page.click(f"#tab-{name}")
        assert page.locator("main script, main img, main u, main i").count() == 0
        page.click("#tab-meaning")
        assert "<u>what</u>" in page.locator("#icicles h4").first.inner_text()
        names = [it.get_attribute("aria-label") for it in page.locator("#icicles g.box").all()]
        assert any(it.startswith("<script>alert(1)</script>:") for it in names)
