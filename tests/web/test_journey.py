"""The whole way from a table to a release, as a steward goes it: in a real browser."""

from __future__ import annotations

import csv
import shlex
from collections import Counter

import pytest
import yaml
from playwright.sync_api import expect

from ontomask.releasefile.model import load_release_file
from workbench import COMPLETE, SEED, tab_of, visit, waited, write_discharges

QUASI = ("age", "sex", "diagnosis")


@pytest.fixture
def steward(chromium, tmp_path, starting):
    """A page in a folder with a table, one of whose diagnoses is misspelt."""
    write_discharges(tmp_path / "discharges.csv", 600, diagnosis={3: "Acute apendicitis"})
    served = starting(tmp_path, "discharges.csv")
    for page in tab_of(chromium, served):
        page.goto(f"{served.address}/data")
        yield page


def go(page, step):
    page.click(f"nav.steps a[href='/{step}']")
    page.wait_for_url(f"**/{step}*")


def column(folder, name):
    return yaml.safe_load((folder / "release.yaml").read_text("utf-8"))["columns"][name]


def classes(path, columns):
    with path.open(newline="", encoding="utf-8") as file:
        return Counter(tuple(row[name] for name in columns) for row in csv.DictReader(file))


def run(page, number):
    """Mask the whole table, and wait for the run."""
    page.click("#run:enabled")
    link = page.locator("#to-result")
    expect(link).to_have_attribute("href", f"/result#run={number:04}")


def test_from_a_table_to_a_release(steward, tmp_path, command, monkeypatch):
    page = steward
    # Data
    expect(page.locator("#columns tr[data-column=diagnosis]")).to_be_visible()
    expect(page.locator("#rows tbody tr")).to_have_count(20)

    # Roles: three quasi-identifiers, the rest dropped; the figures follow.
    go(page, "roles")
    page.wait_for_selector("#panel[data-uniques][aria-busy=false]")
    for name in ("zip", "admitted", "length_of_stay", "severity", "secondary_diagnosis"):
        page.check(f"tr[data-column={name}] input[value=drop]")
    page.check("tr[data-column=procedure] input[value=keep]")
    page.wait_for_selector("#panel[data-columns='3'][aria-busy=false]")
    assert {name for name in QUASI if column(tmp_path, name)["role"] == "quasi"} == set(QUASI)

    # Meaning: the taxonomy is taken away and attached again; the misspelt value is corrected.
    page.goto(page.url.replace("/roles", "/meaning#diagnosis"))
    expect(page.locator("#covered")).to_have_text("99.8 %")
    page.select_option("#taxonomy", "wordnet")
    expect(page.locator("#covered")).to_have_text("0 %")
    page.select_option("#taxonomy", "icd9cm")
    expect(page.locator("#covered")).to_have_text("99.8 %")
    expect(page.locator("#lost-title")).to_have_text("1 value without a concept, in 1 record")
    page.click("li[data-value='Acute apendicitis'] button[data-means='540']")
    expect(page.locator("#covered")).to_have_text("100 %")
    assert column(tmp_path, "diagnosis")["mapping"] == {"Acute apendicitis": "540"}

    # Method: two of them.
    go(page, "method")
    page.check("#method-recoding")
    run(page, 1)
    page.check("#method-microaggregation")
    page.fill("#setting-k", "4")
    page.keyboard.press("Tab")
    waited(lambda: load_release_file(tmp_path / "release.yaml").method.settings.get("k") == 4)
    run(page, 2)

    # Result: compared.
    go(page, "result")
    expect(page.locator("#run-title")).to_have_text("Microaggregation, k = 4")
    page.click("#view-all")
    expect(page.locator("#map .point")).to_have_count(2)
    for id in ("0001", "0002"):
        page.check(f"tr[data-run='{id}'] input")
    page.wait_for_selector("#two table.both")

    # Release: what is required holds, and is written.
    go(page, "release")
    page.fill("#require-k", "4")
    page.keyboard.press("Tab")
    page.wait_for_selector("tr[data-requirement=k] .verdict.yes")
    page.click("#write")
    page.wait_for_selector("#outcome .note")
    assert page.locator("#outcome .note.good").count() == 1, page.inner_text("#outcome")

    # It is k-anonymous when read back, and what the command line gives.
    spec = load_release_file(tmp_path / "release.yaml")
    released = spec.output_path.read_bytes()
    assert min(classes(spec.output_path, QUASI).values()) >= 4
    assert len(released.splitlines()) == 601
    monkeypatch.setenv("ONTOMASK_SEED", str(SEED))
    assert command(tmp_path, "mask", "release.yaml", "--force").code == 0
    assert spec.output_path.read_bytes() == released


def test_k_too_large_is_said_where_it_is_asked_for(tab, served, tmp_path):
    page = tab
    visit(page, served, "method")
    page.fill("#setting-k", "100000")
    page.keyboard.press("Tab")
    waited(lambda: load_release_file(tmp_path / "release.yaml").method.settings.get("k") == 100_000)
    page.click("#run:enabled")
    expect(page.locator("#outcome")).to_contain_text("100,000")
    assert not list((tmp_path / ".ontomask" / "runs").glob("[0-9]*"))


def test_two_tabs_see_each_other_and_an_answer_of_before_a_change_takes_nothing_back(tab, served):
    one, two = tab, tab.context.new_page()
    for page in (one, two):
        visit(page, served, "method")
    one.check("#method-recoding")
    expect(two.locator("#method-recoding")).to_be_checked()
    two.check("#method-suppression")
    expect(one.locator("#method-suppression")).to_be_checked()

    # An answer of before a change does not take it back.
    late = []
    tab.route("**/api/session", lambda route: late.append((route, route.fetch())), times=1)
    with tab.expect_request("**/api/session"):
        pass
    tab.check("#method-recoding")
    expect(tab.locator("#said")).to_have_text("The method is now recoding.")
    (route, answer) = late.pop()
    with tab.expect_event("requestfinished", lambda request: "/api/session" in request.url):
        route.fulfill(response=answer)
    tab.fill("#setting-k", "8")
    tab.keyboard.press("Tab")
    expect(tab.locator("#undo")).to_be_enabled()
    waited(lambda: load_release_file(served.folder / "release.yaml").method.settings["k"] == 8)
    assert load_release_file(served.folder / "release.yaml").method.name == "recoding"


def test_a_broken_table_is_told_on_the_page(tab, served):
    (served.folder / "broken.csv").write_text('a,b,c\n1,2,3\n4,"5,6\n7,8\n')
    tab.goto(f"{served.address}/data")
    tab.click("[data-open='broken.csv']")
    expect(tab.locator("#trouble")).to_contain_text("broken.csv")
    expect(tab.locator("#table")).to_contain_text("discharges.csv")


def test_an_upload_is_opened_and_one_too_large_is_refused(chromium, tmp_path, serving):
    (tmp_path / "work").mkdir()
    source = write_discharges(tmp_path / "small.csv", 100)
    large = write_discharges(tmp_path / "large.csv", 20_000)
    assert large.stat().st_size > 1_000_000 > source.stat().st_size
    served = serving(tmp_path / "work", largest=1_000_000)
    with chromium.open_page() as page:
        page.goto(served.link)
        expect(page.locator("#limit")).to_have_text("1.0 MB")
        page.set_input_files("#upload", str(large))
        expect(page.locator("#trouble")).to_contain_text("large.csv")
        page.set_input_files("#upload", str(source))
        expect(page.locator("#table")).to_contain_text("100 records")
    assert sorted(path.name for path in (tmp_path / "work").glob("*.csv")) == [
        "release-zip.taxonomy.csv",
        "small.csv",
    ]


def test_names_that_look_like_markup_are_text_on_every_screen(chromium, tmp_path, serving):
    hostile = '<img src=x onerror="document.title=1">'
    write_discharges(tmp_path / "discharges.csv", 200, diagnosis={i: hostile for i in range(30)})
    text = (tmp_path / "discharges.csv").read_text().replace("severity", "<b>severity</b>", 1)
    (tmp_path / "discharges.csv").write_text(text)
    served = serving(tmp_path, "discharges.csv")
    for page in tab_of(chromium, served):
        for screen in COMPLETE:
            visit(page, served, screen)
            assert page.locator("main b", has_text="severity").count() == 0 or (
                page.locator("main b").filter(has_text="<b>severity</b>").count() > 0
            )
            assert page.locator("main img").count() == 0
            assert page.title() != "1"


def test_the_lines_of_every_screen_run_as_they_stand(tab, served, tmp_path, command, script):
    commands, scripts = set(), set()
    for screen in ("data", "meaning#diagnosis", "roles", "meaning#age", "method", "release"):
        tab.goto(f"{served.address}/{screen}")
        screen, _, name = screen.partition("#")
        tab.locator(COMPLETE[screen]).first.wait_for()
        if name:
            expect(tab.locator("#column-title")).to_have_text(name)
        tab.evaluate("document.getElementById('lines').open = true")
        expect(tab.locator("#lines-body pre")).to_have_count(2)
        shell, python = (it.inner_text() for it in tab.locator("#lines-body pre").all())
        commands |= {it for it in shell.splitlines() if not it.startswith("#")}
        scripts.add(python)
    assert len(commands) >= 6
    for line in sorted(commands):
        program, *arguments = shlex.split(line)
        assert program == "ontomask"
        done = command(tmp_path, *arguments)
        assert done.code == 0, (line, done.err)
    for left in tmp_path.glob("discharges.released*"):
        left.unlink()
    longest = [it for it in scripts if not any(it != other and it in other for other in scripts)]
    for lines in longest:
        script(tmp_path, lines)


def test_a_taxonomy_is_uploaded_where_it_is_needed(tab, served, tmp_path, tmp_path_factory):
    file = tmp_path_factory.mktemp("elsewhere") / "sexes.csv"
    file.write_text("child,parent\n*,\nF,*\nM,*\n")
    tab.goto(f"{served.address}/meaning#sex")
    tab.wait_for_selector("#columns button[aria-current]")
    tab.select_option("#type", "nominal")
    tab.set_input_files("#taxonomy-file", str(file))
    expect(tab.locator("#covered")).to_have_text("100 %")
    assert column(tmp_path, "sex")["taxonomy"] == "sexes.csv"


def test_a_release_file_that_cannot_be_read_is_told_and_left_alone(tab, served, tmp_path):
    tab.goto(f"{served.address}/roles")
    tab.wait_for_selector("#panel[data-uniques][aria-busy=false]")
    path = tmp_path / "release.yaml"
    broken = path.read_text("utf-8").replace("columns:", "columns: {", 1)
    path.write_text(broken)
    expect(tab.locator("#unreadable")).to_contain_text("cannot be read")
    tab.click("tr[data-column=age] input[value=drop]")
    expect(tab.locator("#said")).to_contain_text("cannot be changed here")
    assert path.read_text("utf-8") == broken


def test_what_is_built_and_not_saved_is_not_left_unasked(tab, served):
    tab.goto(f"{served.address}/meaning#zip")
    tab.wait_for_selector("#covered")
    tab.click("#edit")
    tab.wait_for_selector("#tree")
    tab.click("#new-group")
    asked = []
    tab.on("dialog", lambda it: (asked.append(it.type), it.accept()))
    tab.click("nav.steps a[href='/roles']")
    tab.wait_for_url("**/roles")
    assert asked == ["beforeunload"]
