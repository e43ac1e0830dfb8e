"""The Meaning screen: what it is told, what it writes, and what happens in a browser."""

from __future__ import annotations

import csv
import math
import os
import re
import stat
from collections import Counter

import pytest
from playwright.sync_api import expect

import ontomask as om
from ontomask.releasefile.model import load_release_file
from workbench import SEED, tab_of, talking_to, write_discharges

HOSTILE = '<script>alert("1")</script>'
RELEASE = """\
data: jobs.csv
output: released.csv
columns:
  job: {role: quasi, type: nominal}
  a/b?c: {role: keep}
  age: {role: quasi, type: numeric}
method: {name: microaggregation, k: 3}
"""
JOBS = {"nurse": 5, "cook": 4, HOSTILE: 3, "a'b\"c 🙂": 2, "x" * 300: 1}


def changed(client, edit):
    """Change the release file as the page does."""
    now = client.get("/api/session").json()
    edit(now["fields"])
    answer = client.put("/api/release", json={k: now[k] for k in ("fields", "revision")})
    assert answer.status_code == 200, answer.text


def column(client, name, **fields):
    changed(client, lambda it: it["columns"].update({name: {"role": "quasi", **fields}}))


@pytest.fixture
def jobs(tmp_path):
    """A table with a column of jobs, whose names are not harmless."""
    from ontomask.web.session import Workbench

    write_jobs(tmp_path / "jobs.csv")
    bench = Workbench(tmp_path, seed=SEED)
    bench.open("jobs.csv")
    yield bench
    bench.close()


def write_jobs(path):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["job", "a/b?c", "age"])
        for number, value in enumerate(Counter(JOBS).elements()):
            writer.writerow([value, f"Europe/{'Spain' if number % 2 else 'Malta'}", 20 + number])


@pytest.fixture
def asked(jobs):
    return talking_to(jobs)


def build(client, **asked):
    return client.post("/api/taxonomies", json=asked)


# ---------------------------------------------------------------------- values


def test_values_come_with_their_counts_the_most_frequent_first(asked):
    found = asked.get("/api/columns/job/values").json()
    assert {it["value"]: it["records"] for it in found["values"]} == JOBS
    assert [it["records"] for it in found["values"]] == [5, 4, 3, 2, 1]
    some = asked.get("/api/columns/job/values", params={"search": "SCRIPT", "limit": 1}).json()
    assert [it["value"] for it in some["values"]] == [HOSTILE]


def test_a_column_may_have_any_name(asked):
    found = asked.get("/api/columns/a%2Fb%3Fc/values").json()
    assert {it["value"] for it in found["values"]} == {"Europe/Spain", "Europe/Malta"}


@pytest.mark.parametrize(
    "what",
    [
        "values",
        "outline",
        "meaning",
        "concepts?search=a",
        "concept?identifier=a",
        "masses",
        "distance?first=a&second=b",
    ],
)
def test_an_unknown_column_is_not_there(reader, what):
    assert reader.get(f"/api/columns/nothing/{what}").status_code == 404


def test_a_column_without_a_taxonomy_says_so(asked):
    column(asked, "age", type="numeric")
    answer = asked.get("/api/columns/age/meaning")
    assert answer.status_code == 422
    assert "has no taxonomy" in answer.json()["message"]


# ---------------------------------------------------------------------- meaning


def test_coverage_and_a_correction(tmp_path, client):
    column(client, "diagnosis", taxonomy="icd9cm")
    found = client.get("/api/columns/diagnosis/meaning").json()
    assert found["coverage"] == 1.0
    assert found["lost"] == []
    assert found["repairs"] is True
    assert sum(it["records"] for it in found["ways"]) == found["records"] == 400


def test_what_is_lost_is_told_until_it_is_corrected(jobs, asked):
    build(asked, column="job", how="outline", outline="care\n    nurse\nkitchen\n    cook")
    column(asked, "job", taxonomy="release-job.taxonomy.csv", format="child-parent")
    found = asked.get("/api/columns/job/meaning").json()
    assert found["coverage"] == 9 / 15
    assert next(it["value"] for it in found["lost"]) == HOSTILE
    assert found["lost_values"] == 3
    column(
        asked,
        "job",
        taxonomy="release-job.taxonomy.csv",
        format="child-parent",
        mapping={HOSTILE: "cook"},
    )
    found = asked.get("/api/columns/job/meaning").json()
    assert found["coverage"] == 12 / 15
    assert [(it["value"], it["concept"]) for it in found["corrected"]] == [(HOSTILE, "cook")]
    facts = asked.get("/api/columns/job/concept", params={"identifier": "kitchen"}).json()
    assert (facts["at_or_below"], facts["exactly"]) == (7, 0)


def test_clear_suggestions_are_listed_to_accept_them(jobs, asked):
    build(asked, column="job", how="outline", outline="care\n    nursse\nkitchen\n    cook")
    column(asked, "job", taxonomy="release-job.taxonomy.csv", format="child-parent")
    path = "/api/columns/job/accepted"
    (term,) = [
        it for it in asked.get(f"{path}?least=0.3").json()["accepted"] if it["value"] == "nurse"
    ]
    assert term["suggestion"]["concept"] == "nursse"
    assert term["suggestion"]["score"] >= 0.3
    assert asked.get(f"{path}?least=1").json() == {"accepted": []}
    assert asked.get(f"{path}?least=0").status_code == 422
    assert not asked.get("/api/columns/job/meaning").json()["corrected"]


def test_marks_of_missing_values_are_no_values(asked):
    build(asked, column="job", how="flat")
    column(asked, "job", taxonomy="release-job.taxonomy.csv")
    changed(asked, lambda it: it.update(missing_marks=["nurse"]))
    found = asked.get("/api/columns/job/meaning").json()
    assert (found["missing"], found["records"]) == (5, 10)


def test_settings_that_help_are_proposed_as_values(tmp_path, client):
    column(client, "diagnosis", taxonomy="icd9cm")
    proposed = client.get("/api/columns/diagnosis/meaning").json()["proposed"]
    assert proposed == {"repair_codes": False, "missing_marks": []}


def test_a_mark_of_missing_values_is_proposed(tmp_path):
    from ontomask.web.session import Workbench

    write_discharges(tmp_path / "d.csv", diagnosis=dict.fromkeys(range(9), "unknown"))
    bench = Workbench(tmp_path, seed=SEED)
    bench.open("d.csv")
    asked = talking_to(bench)
    column(asked, "diagnosis", taxonomy="icd9cm")
    found = asked.get("/api/columns/diagnosis/meaning").json()
    assert found["proposed"] == {"repair_codes": False, "missing_marks": ["unknown"]}
    bench.close()


def test_concepts_are_found_with_the_way_to_them(client):
    column(client, "diagnosis", taxonomy="icd9cm")
    (first, *_) = client.get(
        "/api/columns/diagnosis/concepts", params={"search": "acute appendicitis"}
    ).json()["concepts"]
    assert first["concept"] == "540"
    assert first["path"][0]["concept"] == om.load_taxonomy("icd9cm").root
    answer = client.get("/api/columns/diagnosis/concept", params={"identifier": "no such"})
    assert answer.status_code == 404


def test_masses_hold_all_records(client):
    column(client, "diagnosis", taxonomy="icd9cm")
    found = client.get("/api/columns/diagnosis/masses").json()
    assert found["nodes"][0][3] == found["records"] == 400
    assert sum(node[4] for node in found["nodes"]) == 400
    few = client.get("/api/columns/diagnosis/masses", params={"limit": 5}).json()
    assert len(few["nodes"]) == 5


def test_further_taxonomies_are_kept_and_have_a_say_in_distances(asked, jobs):
    """The page does not edit them; their files are checked like others."""
    folder = jobs.folder.path
    (folder / "jobs.taxonomy.csv").write_text("child,parent\nnurse,*\ncook,*\n", "utf-8")
    (folder / "places.csv").write_text("child,parent\nin,*\na,in\nb,in\n", "utf-8")
    (folder / "links.csv").write_text("source,target\nnurse,a\ncook,b\n", "utf-8")
    fields = {"taxonomy": "jobs.taxonomy.csv", "more_taxonomies": ["places.csv"]}
    column(asked, "job", **fields, crosswalk="links.csv", combine="min")
    two = {"first": "nurse", "second": "cook"}
    apart = asked.get("/api/columns/job/distance", params=two).json()
    assert apart["distance"] == pytest.approx(math.log2(1 + 2 / 4))
    assert any("minimum, which places decides" in words for words in apart["words"])
    assert "mean of" not in apart["measure"]
    (folder / "links.csv").write_text("source,target\nnurse,a\ncook,a\n", "utf-8")
    assert asked.get("/api/columns/job/distance", params=two).json()["distance"] == 0
    now = asked.get("/api/session").json()
    assert now["fields"]["columns"]["job"]["crosswalk"] == "links.csv"
    now["fields"]["columns"]["job"]["crosswalk"] = "../links.csv"
    answer = asked.put("/api/release", json={k: now[k] for k in ("fields", "revision")})
    assert "is not in the working folder" in answer.json()["message"]


def test_a_distance_is_explained(client):
    column(client, "diagnosis", taxonomy="icd9cm", measure="path", domain="taxonomy")
    values = client.get("/api/columns/diagnosis/values").json()["values"]
    first, second = values[0]["value"], values[1]["value"]
    found = client.get(
        "/api/columns/diagnosis/distance", params={"first": first, "second": second}
    ).json()
    icd9 = om.load_taxonomy("icd9cm")
    assert found["distance"] == om.distance(icd9, first, second, "path")
    assert found["lcs"]["concept"] == icd9.lcs(first, second)


# ---------------------------------------------------------------------- taxonomies


def test_taxonomies_to_choose_from(tmp_path, client):
    (tmp_path / "jobs.csv").write_text("child,parent\na,b\n")
    found = client.get("/api/taxonomies").json()
    assert {"icd9cm", "wordnet"} <= {it["name"] for it in found["bundled"]}
    assert "jobs.csv" in {it["name"] for it in found["files"]}
    assert "discharges.csv" not in {it["name"] for it in found["files"]}


@pytest.mark.parametrize(
    ("name", "asked_for", "above"),
    [
        ("a/b?c", {"how": "paths", "separator": "/"}, {"Europe/Spain": ("Europe",)}),
        ("job", {"how": "flat"}, {HOSTILE: ("*",), "nurse": ("*",)}),
        ("job", {"how": "prefixes", "lengths": [1]}, {"cook": ("c",), "nurse": ("n",)}),
    ],
)
def test_a_taxonomy_is_built_from_the_values(jobs, asked, name, asked_for, above):
    answer = build(asked, column=name, **asked_for)
    assert answer.status_code == 201
    made = answer.json()
    file = jobs.folder.path / made["file"]
    assert made["left_over"] == []
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    tree = om.load_taxonomy(file, "child-parent")
    assert {it: tree.parents(it) for it in above} == above


def test_an_outline_tells_what_is_left_over_and_overwrites_nothing(jobs, asked):
    first = build(asked, column="job", how="outline", outline="work\n    nurse").json()
    assert first["file"] == "release-job.taxonomy.csv"
    assert {it["value"] for it in first["left_over"]} == set(JOBS) - {"nurse"}
    kept = (jobs.folder.path / first["file"]).read_bytes()
    second = build(asked, column="job", how="outline", outline="work\n    cook").json()
    assert second["file"] == "release-job-2.taxonomy.csv"
    assert (jobs.folder.path / first["file"]).read_bytes() == kept
    again = build(asked, column="job", how="outline", outline="work\n    nurse").json()
    assert again["file"] == first["file"]


@pytest.mark.parametrize(
    ("outline", "words"),
    [
        ("a\n  b\n b", "line 3 of the outline"),
        ("a\n  b\nb\n  a", "cycle"),
        ("", "empty"),
    ],
)
def test_a_wrong_outline_writes_nothing(jobs, asked, outline, words):
    before = sorted(it.name for it in jobs.folder.path.iterdir())
    answer = build(asked, column="job", how="outline", outline=outline)
    assert answer.status_code == 422
    assert words in answer.json()["message"]
    assert sorted(it.name for it in jobs.folder.path.iterdir()) == before


def test_the_outline_of_a_file_can_be_edited(jobs, asked):
    bare = asked.get("/api/columns/job/outline", params={"afresh": True}).json()
    assert bare["file"] is None
    build(asked, column="job", how="outline", outline="work\n    nurse\n    cook")
    column(asked, "job", taxonomy="release-job.taxonomy.csv", format="child-parent")
    found = asked.get("/api/columns/job/outline").json()
    assert found["outline"] == "work\n    cook\n    nurse"
    assert {it["value"] for it in found["left_over"]} == set(JOBS) - {"nurse", "cook"}


def test_a_taxonomy_with_a_cycle_is_refused_in_its_own_words(jobs, asked):
    (jobs.folder.path / "round.csv").write_text("child,parent\nnurse,care\ncare,nurse\n")
    column(asked, "job", taxonomy="round.csv")
    answer = asked.get("/api/columns/job/meaning")
    assert answer.status_code == 422
    assert "cycle" in answer.json()["message"]
    assert "round.csv" in answer.json()["message"]


def test_a_taxonomy_is_read_again_when_its_file_has_changed(jobs, asked):
    file = jobs.folder.path / "jobs-of-mine.csv"
    file.write_text("child,parent\nnurse,work\nwork,\n")
    column(asked, "job", taxonomy=file.name, format="child-parent")
    assert asked.get("/api/columns/job/meaning").json()["coverage"] == 5 / 15
    file.write_text("child,parent\nnurse,work\ncook,work\nwork,\n")
    assert asked.get("/api/columns/job/meaning").json()["coverage"] == 9 / 15


def test_a_taxonomy_is_read_once(jobs, asked, monkeypatch):
    from ontomask.releasefile import model as spec

    read = []
    whole = spec.load_taxonomy
    monkeypatch.setattr(spec, "load_taxonomy", lambda *a, **k: (read.append(a), whole(*a, **k))[1])
    build(asked, column="job", how="flat")
    column(asked, "job", taxonomy="release-job.taxonomy.csv", format="child-parent")
    for measure in ("path", "sanchez"):
        column(
            asked,
            "job",
            taxonomy="release-job.taxonomy.csv",
            format="child-parent",
            measure=measure,
        )
        for what in ("meaning", "masses", "concepts?search=n", "distance?first=nurse&second=cook"):
            assert asked.get(f"/api/columns/job/{what}").status_code == 200
    assert len(read) == 1


def test_no_taxonomy_outside_of_the_folder_is_read(jobs, asked, tmp_path_factory):
    outside = tmp_path_factory.mktemp("elsewhere") / "secret.csv"
    outside.write_text("child,parent\nnurse,work\n")
    text = jobs.draft.path.read_text()
    # Written by a hand while the workbench runs: nobody told it that this one may be read.
    fields = f"{{role: quasi, taxonomy: '{outside}'}}"
    jobs.draft.path.write_text(re.sub(r"(?m)^  job: .*$", f"  job: {fields}", text))
    answer = asked.get("/api/columns/job/meaning")
    assert answer.status_code == 422
    assert "not in the working folder" in answer.json()["message"]


# ---------------------------------------------------------------------- in a browser


def meaning_screen(chromium, served, column):
    """The screen at a column; no script fails on it."""
    for page in tab_of(chromium, served):
        page.goto(f"{served.address}/meaning#{column}")
        page.wait_for_selector("#columns button[aria-current]")
        yield page


@pytest.fixture
def diagnoses(chromium, tmp_path, serving):
    """The screen at a column some of whose values have no concept."""
    write_discharges(
        tmp_path / "discharges.csv",
        diagnosis={3: "Acute apendicitis", 8: "Acute apendicitis", 9: HOSTILE},
    )
    for page in meaning_screen(chromium, serving(tmp_path, "discharges.csv"), "diagnosis"):
        page.wait_for_selector("#distance")
        yield page


def mapping(folder):
    return load_release_file(folder / "release.yaml").columns["diagnosis"].mapping


def test_an_unmapped_value_is_corrected_and_that_undone(diagnoses, tmp_path):
    page = diagnoses
    expect(page.locator("#lost-title")).to_have_text("2 values without a concept, in 3 records")
    page.click("li[data-value='Acute apendicitis'] button[data-means='540']")
    expect(page.locator("#lost-title")).to_have_text("1 value without a concept, in 1 record")
    assert mapping(tmp_path) == {"Acute apendicitis": "540"}
    # The other one by its name, with keys alone; its own name is text.
    row = page.locator("#lost-values li")
    expect(row.locator(".value span")).to_have_text(HOSTILE)
    row.locator("input").fill("heart failure")
    page.wait_for_selector("li[role=option][data-concept='428']")
    while row.locator("[aria-selected=true]").get_attribute("data-concept") != "428":
        row.locator("input").press("ArrowDown")
    row.locator("input").press("Enter")
    expect(page.locator("#covered")).to_have_text("100 %")
    assert mapping(tmp_path) == {"Acute apendicitis": "540", HOSTILE: "428"}
    page.click("#corrected-title")
    page.click("#corrected-values [data-undo='Acute apendicitis']")
    expect(page.locator("#lost-title")).to_have_text("1 value without a concept, in 2 records")
    assert mapping(tmp_path) == {HOSTILE: "428"}
    page.click("#undo")
    expect(page.locator("#covered")).to_have_text("100 %")


def test_a_concept_is_found_with_keys_values_are_compared_and_taxonomies_changed(diagnoses):
    page = diagnoses
    page.fill("#find-concept", "428")
    page.wait_for_selector("#find-concept-list [data-concept='428']")
    page.press("#find-concept", "Enter")
    expect(page.locator("#concept-name")).to_contain_text("Heart failure")
    assert page.locator("#icicle g.hot").count() > 0
    page.locator("#icicle nav button").first.click()  # the root
    page.locator("#icicle g.box[tabindex='0']").focus()
    steps = page.locator("#icicle nav button")
    for wanted in (2, 3):
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        expect(steps).to_have_count(wanted)
    name = steps.last.inner_text()
    expect(page.locator("#concept-name")).to_contain_text(name)
    page.keyboard.press("Backspace")
    expect(steps).to_have_count(2)

    # Two values are far apart, in words.
    page.fill("#second", page.input_value("#first"))
    expect(page.locator("#distance")).to_contain_text("0 on a scale from 0")
    page.fill("#second", HOSTILE)
    expect(page.locator("#apart")).to_contain_text("is not mapped to a concept")

    # A taxonomy that is changed back while it is read leaves no trace.
    held = []
    page.route("**/api/columns/diagnosis/meaning", lambda route: held.append(route), times=1)
    page.select_option("#taxonomy", "wordnet")
    expect(page.locator("#trouble")).to_contain_text("Matching values with concepts")
    expect(page.locator("#lost")).to_have_attribute("inert", "")  # the suggestions of before
    page.select_option("#taxonomy", "icd9cm")
    expect(page.locator("#trouble")).to_be_empty()
    held[0].abort()
    expect(page.locator("#lost:not([inert]) #lost-title")).to_contain_text("2 values")
    expect(page.locator("#known")).to_be_visible()


@pytest.fixture
def building(chromium, tmp_path, serving):
    """The tree of a column's values, to be put in order by hand."""
    write_jobs(tmp_path / "jobs.csv")
    (tmp_path / "release.yaml").write_text(RELEASE)
    for page in meaning_screen(chromium, serving(tmp_path), "job"):
        page.wait_for_selector("#build")
        page.click("#build")
        page.wait_for_selector("#tree .row")
        yield page


def row(page, name):
    return page.locator("#tree .row").filter(has=page.get_by_text(name, exact=True))


def drag(page, name, onto, part=0.5, keys=()):
    start, end = row(page, name).bounding_box(), row(page, onto).bounding_box()
    page.mouse.move(start["x"] + 120, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + 120, end["y"] + part * end["height"], steps=6)
    for key in keys:
        page.keyboard.down(key)
    page.mouse.up()
    for key in keys:
        page.keyboard.up(key)


def typed(page):
    """The tree as text."""
    page.click("#as-text")
    text = page.input_value("#typed")
    page.click("#as-tree")
    return text


def test_a_taxonomy_is_dragged_together(building, tmp_path):
    page = building
    page.click("#new-group")
    page.keyboard.type("work")
    page.keyboard.press("Enter")
    for name in ("nurse", "cook", HOSTILE):
        drag(page, name, "work")
        expect(page.locator("#said")).to_have_text(f"{name} is now under work.")
    drag(page, "cook", "nurse", part=0.1)
    assert typed(page).splitlines()[:4] == ["work", "    cook", "    nurse", f"    {HOSTILE}"]
    drag(page, "nurse", "a'b\"c 🙂", keys=["Control"])  # a second parent
    page.click("#builder-save")
    expect(page.locator("#builder")).to_be_hidden()
    spec = load_release_file(tmp_path / "release.yaml")
    made = om.load_taxonomy(tmp_path / spec.columns["job"].taxonomy, "child-parent")
    assert made.parents("nurse") == ("a'b\"c 🙂", "work")
    assert made.parents(HOSTILE) == ("work",)
    expect(page.locator("#covered")).to_have_text("100 %")


def test_rows_are_moved_with_keys_and_a_wrong_line_is_pointed_at(building):
    page = building
    before = typed(page)
    row(page, "nurse").focus()
    page.keyboard.press("Alt+ArrowRight")
    expect(page.locator("#said")).to_have_text("nurse is now under cook.")
    assert "cook\n    nurse" in typed(page)
    row(page, "nurse").focus()
    page.keyboard.press("Alt+ArrowLeft")
    page.keyboard.press("Alt+ArrowUp")
    assert "nurse\ncook" in typed(page)
    row(page, "nurse").focus()
    page.keyboard.press("Alt+ArrowDown")
    assert typed(page) == before
    # Two rows are marked, and put into a group of their own.
    for name in ("cook", "nurse"):
        row(page, name).focus()
        page.keyboard.press("Space")
    page.click("#new-group")
    page.keyboard.type("people")
    page.keyboard.press("Enter")
    page.keyboard.press("F2")
    page.keyboard.type("staff")
    page.keyboard.press("Enter")
    assert "staff\n    cook\n    nurse" in typed(page)

    # A wrong line is pointed at.
    page.click("#as-text")
    page.fill("#typed", "work\n    nurse\n    nurse")
    page.click("#builder-save")
    expect(page.locator("#builder-trouble")).to_contain_text("line 3 of the outline")
    assert page.evaluate("getSelection().toString()") == "    nurse"
    page.fill("#typed", "work\n    nurse")
    page.click("#builder-save")
    expect(page.locator("#said")).to_contain_text("4 values are not in the taxonomy yet")
    expect(page.locator("#lost-values li")).to_have_count(4)


def test_levels_are_put_in_order(chromium, served):
    for page in meaning_screen(chromium, served, "severity"):
        levels = page.locator("#levels b")
        expect(levels).to_have_text(["minor", "moderate", "major", "extreme"])
        page.locator("#levels li", has_text="major").locator("[data-way=up]").press("Enter")
        expect(levels).to_have_text(["minor", "major", "moderate", "extreme"])
        said = load_release_file(served.folder / "release.yaml").columns["severity"].levels
        assert said == ("minor", "major", "moderate", "extreme")


def test_a_taxonomy_with_a_cycle_is_told_on_the_page(chromium, served):
    (served.folder / "round.csv").write_text("child,parent\na,b\nb,a\n")
    for page in meaning_screen(chromium, served, "diagnosis"):
        page.wait_for_selector("#distance")
        page.select_option("#taxonomy", "round.csv")
        expect(page.locator("#trouble")).to_contain_text("the taxonomy has a cycle")
        page.select_option("#taxonomy", "icd9cm")
        expect(page.locator("#covered")).to_have_text("100 %")


def test_codes_that_lost_zeros_are_mended_with_one_click(chromium, tmp_path, serving):
    write_discharges(tmp_path / "discharges.csv", diagnosis=dict.fromkeys(range(9), "38.9"))
    (tmp_path / "release.yaml").write_text(
        "data: discharges.csv\noutput: released.csv\nother: drop\n"
        "columns: {diagnosis: {role: quasi, taxonomy: icd9cm}}\nmethod: {name: recoding}\n"
    )
    for page in meaning_screen(chromium, serving(tmp_path, "discharges.csv"), "diagnosis"):
        page.click("#repair")
        expect(page.locator("#covered")).to_have_text("100 %")
        assert (
            load_release_file(tmp_path / "release.yaml").columns["diagnosis"].repair_codes is True
        )


def test_senses_are_chosen_and_suggestions_accepted_on_the_page(chromium, tmp_path, serving):
    labels = {"a": "acute bronchitis", "b": "cold", "c": ["fever", "cold"], "d": "rash"}
    rows = [
        f"{code},all,{'|'.join([names] if isinstance(names, str) else names)}"
        for code, names in labels.items()
    ]
    (tmp_path / "ills.csv").write_text("\n".join(["child,parent,label", *rows]) + "\n")
    values = ["acute bronchitsi"] * 3 + ["cold"] * 2 + ["rash"] * 2
    (tmp_path / "stays.csv").write_text("\n".join(["ill", *values]) + "\n")
    (tmp_path / "release.yaml").write_text(
        "data: stays.csv\noutput: released.csv\n"
        "columns: {ill: {role: quasi, taxonomy: ills.csv, format: child-parent}}\n"
        "method: {name: recoding}\n"
    )
    for page in meaning_screen(chromium, serving(tmp_path, "stays.csv"), "ill"):
        page.fill("#accept-score", "0.5")
        page.click("#accept-list")
        item = page.locator("[data-accepted='acute bronchitsi']")
        expect(item).to_contain_text("acute bronchitis (a)")
        page.click("#accept-all")
        expect(page.locator("#corrected-title")).to_contain_text("1 value")
        page.click("#matching summary")
        page.fill("#below", "b, d, a")
        page.press("#below", "Enter")
        expect(page.locator("#covered")).to_have_text("100 %")
        page.select_option("#senses", "nearest")
        expect(page.locator("#lines-body")).to_contain_text("--senses nearest")
        page.select_option("#stems", "none")
        expect(page.locator("#lines-body")).to_contain_text("--stems none")
    column = load_release_file(tmp_path / "release.yaml").columns["ill"]
    assert column.mapping == {"acute bronchitsi": "a"}
    assert column.below == ("b", "d", "a")
    assert (column.senses, column.stems) == ("nearest", None)


def test_values_that_mean_missing_are_marked_with_one_click(chromium, tmp_path, serving):
    write_discharges(tmp_path / "discharges.csv", diagnosis=dict.fromkeys(range(9), "unknown"))
    (tmp_path / "release.yaml").write_text(
        "data: discharges.csv\noutput: released.csv\nother: drop\n"
        "columns: {diagnosis: {role: quasi, taxonomy: icd9cm}}\nmethod: {name: recoding}\n"
    )
    for page in meaning_screen(chromium, serving(tmp_path, "discharges.csv"), "diagnosis"):
        expect(page.locator("#lost-words")).to_contain_text(
            '"unknown" may be marks for missing values'
        )
        page.click("#add-marks")
        expect(page.locator("#covered")).to_have_text("100 %")
        assert load_release_file(tmp_path / "release.yaml").missing_marks == ("unknown",)


def test_further_taxonomies_are_shown(chromium, tmp_path, serving):
    write_jobs(tmp_path / "jobs.csv")
    (tmp_path / "work.csv").write_text("child,parent\nnurse,*\ncook,*\n", "utf-8")
    (tmp_path / "links.csv").write_text("nurse,nurse\n", "utf-8")
    several = "taxonomy: work.csv, more_taxonomies: [work.csv], crosswalk: links.csv"
    text = RELEASE.replace("type: nominal", several)
    (tmp_path / "release.yaml").write_text(text, "utf-8")
    for page in meaning_screen(chromium, serving(tmp_path, "jobs.csv"), "job"):
        words = page.locator("#taxonomy-words")
        expect(words).to_contain_text("the mean of those in this taxonomy and in work.csv")
        expect(words).to_contain_text("where the crosswalk links.csv leads")
