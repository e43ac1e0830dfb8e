"""The Method screen: methods in words, the work over HTTP, runs that are kept, and the page."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest
import yaml
from playwright.sync_api import expect

from ontomask.methods.registry import METHODS
from ontomask.web.routes.method import list_methods
from workbench import (
    SEED,
    change_fields,
    mask_two_columns,
    talking_to,
    visit,
    waited,
    write_discharges,
)


def begin(client, kind, **more):
    return client.post("/api/work", json={"kind": kind, **more})


def done(client, kind, **more):
    """The work, when it has ended."""
    answer = begin(client, kind, **more)
    assert answer.status_code == 200, answer.json()
    return ended_work(client)


def ended_work(client):
    """The state of the work, when it has ended."""
    return waited(lambda: (work := client.get("/api/work").json())["state"] != "working" and work)


# ---------------------------------------------------------------------- methods in words


def test_every_method_and_every_setting_of_it_has_words(reader):
    shown = {method["name"]: method for method in reader.get("/api/methods").json()["methods"]}
    assert list(shown) == list(METHODS)
    for name, kind in METHODS.items():
        assert shown[name]["summary"].endswith(".")
        assert shown[name]["help"].endswith(".")
        settings = {setting["name"]: setting for setting in shown[name]["settings"]}
        assert list(settings) == [field.name for field in fields(kind) if field.init]
        assert shown[name]["varied_by"] in settings
        for setting in settings.values():
            assert setting["title"]
            assert setting["help"].endswith("."), setting
            assert all(choice["help"] for choice in setting["choices"])


def test_defaults_choices_and_limits_are_the_methods_own():
    for method in list_methods().methods:
        kind = METHODS[method.name]
        for setting in method.settings:
            assert getattr(kind(), setting.name) == setting.default
            for choice in setting.choices:
                kind(**{setting.name: choice.value})  # each is allowed
            for value in setting.usual:
                kind(**{setting.name: value})


def test_which_methods_promise_a_k():
    promising = {method.name for method in list_methods().methods if method.promises_k}
    assert promising == {"microaggregation", "recoding", "resampling", "suppression"}


# ---------------------------------------------------------------------- work and runs over HTTP


def test_a_run_is_stored_listed_deleted_and_its_settings_are_taken(small, client):
    small.seed = secret = 901_735_264_118_201_733 + SEED
    run = done(client, "run")["result"]["run"]
    for path in ("/api/work", "/api/session", f"/api/runs/{run}", f"/runs/{run}/report"):
        assert str(secret) not in client.get(path).text
    # The report may run its own scripts, and nothing else.
    report = client.get(f"/runs/{run}/report")
    assert report.headers["content-type"].startswith("text/html")
    policy = report.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "allow-same-origin" not in policy
    (listed,) = client.get("/api/runs").json()["runs"]
    assert (listed["id"], listed["title"], listed["current"]) == (run, "recoding, k = 5", True)
    whole = client.get(f"/api/runs/{run}").json()
    assert whole["settings"] == small.draft.read().text
    assert whole["known"]["guarantee"]["k"] == 5
    assert client.delete(f"/api/runs/{run}").json() == {"runs": []}
    assert client.get(f"/api/runs/{run}").status_code == 404
    assert client.get(f"/runs/{run}/report").status_code == 404
    assert client.post(f"/api/runs/{run}/restore").json()["runs"] == [listed]
    # Its settings are taken, and that is undone.
    session = client.get("/api/session").json()
    changed = {**session["fields"], "method": {"name": "suppression", "k": 3}}
    after = client.put(
        "/api/release", json={"fields": changed, "revision": session["revision"]}
    ).json()
    (listed,) = client.get("/api/runs").json()["runs"]
    assert not listed["current"]
    at = {"revision": after["revision"]}
    taken = client.post(f"/api/runs/{run}/settings", json=at).json()
    assert taken["fields"]["method"] == {"name": "recoding", "k": 5}
    undone = client.post("/api/undo", json={"revision": taken["revision"]}).json()
    assert undone["fields"]["method"] == {"name": "suppression", "k": 3}
    stale = client.post(f"/api/runs/{run}/settings", json={"revision": taken["revision"]})
    assert (stale.status_code, stale.json()["error"]) == (409, "ChangedElsewhere")


def test_busy_and_cancelled(small, client):
    now = small.draft.read()
    slow = {"name": "microaggregation", "k": 5, "effort": "thorough", "time_limit": 600}
    small.draft.write({**now.fields, "method": slow}, now.revision)
    assert begin(client, "run").json()["state"] == "working"
    refused = begin(client, "try")
    assert (refused.status_code, refused.json()["error"]) == (409, "Busy")
    looked_at = client.get("/api/work").json()  # as a page that is loaded now sees it
    assert (looked_at["state"], looked_at["kind"]) == ("working", "run")
    client.delete("/api/work")
    assert ended_work(client)["state"] == "cancelled"
    assert client.get("/api/runs").json()["runs"] == []


def test_what_is_not_complete_is_not_begun(small, client):
    now = small.draft.read()
    now.fields["columns"]["diagnosis"] = {"role": "quasi", "type": "nominal"}
    small.draft.write(now.fields, now.revision)
    refused = begin(client, "run")
    assert refused.status_code == 422
    assert "no taxonomy" in refused.json()["message"]
    assert client.get("/api/work").json()["state"] == "idle"


def test_without_a_table_nothing_is_begun(empty):
    assert begin(talking_to(empty), "run").status_code == 422


@pytest.mark.parametrize(
    "asked",
    [{}, {"kind": "rm"}, {"kind": "try", "sample": 0}, {"kind": "run", "seed": 3}],
)
def test_what_is_no_work_is_refused(reader, asked):
    assert reader.post("/api/work", json=asked).status_code == 422


@pytest.mark.parametrize("run", ["0009", "last", "%2e%2e", "..%2fruns", "x" * 30])
def test_no_such_run(reader, run):
    for path in (f"/api/runs/{run}", f"/runs/{run}/report"):
        assert reader.get(path).status_code in (404, 422)
    assert reader.delete(f"/api/runs/{run}").status_code in (404, 405, 422)


def test_a_try_of_the_whole_table_is_measured_against_its_population(small, client):
    write_discharges(small.folder.path / "register.csv", 500)

    def edit(fields):
        fields["columns"].update(charge={"role": "drop"})
        fields.update(weight="charge", population={"size": 5_000})
        fields.update(require={"k_map": 10**9})

    change_fields(small, edit)
    tried = done(client, "try", sample=500)
    (unmet,) = tried["result"]["figures"]["unmet"]
    assert "at least 1,000,000,000 people of the population" in unmet
    assert "unknown" not in unmet


# ---------------------------------------------------------------------- in the browser


def method_in(folder):
    return yaml.safe_load((folder / "release.yaml").read_text("utf-8"))["method"]


@pytest.mark.parametrize(
    ("screen", "button"), [("method", "run"), ("method", "try"), ("release", "write")]
)
def test_nothing_can_be_pressed_before_the_page_hears_it(reader, screen, button):
    assert re.search(rf'<button[^>]* id="{button}"[^>]* disabled', reader.get(f"/{screen}").text)


def test_a_method_is_chosen_set_and_saved(tab, served):
    visit(tab, served, "method")
    tab.locator("#method-rank_swapping").check()
    waited(lambda: method_in(served.folder) == {"name": "rank_swapping", "window": 5})
    tab.locator("#setting-guard").check()
    waited(
        lambda: method_in(served.folder) == {"name": "rank_swapping", "window": 5, "guard": True}
    )
    tab.locator("#setting-window").fill("8")
    tab.keyboard.press("Tab")
    waited(lambda: method_in(served.folder)["window"] == 8)
    tab.keyboard.press("ArrowRight")  # the slider is next
    waited(lambda: method_in(served.folder)["window"] == 9)
    tab.locator("#setting-guard").uncheck()  # as usual: it leaves the file
    waited(lambda: method_in(served.folder) == {"name": "rank_swapping", "window": 9})
    tab.locator("#method-suppression").check()  # its k is not the window
    waited(lambda: method_in(served.folder) == {"name": "suppression", "k": 5})
    tab.locator("#setting-k").fill("9")
    tab.keyboard.press("Tab")
    waited(lambda: method_in(served.folder) == {"name": "suppression", "k": 9})
    tab.locator("#method-recoding").check()  # which has a k, too
    waited(lambda: method_in(served.folder) == {"name": "recoding", "k": 9})
    tab.locator("#undo").click()
    expect(tab.locator("#method-suppression")).to_be_checked()
    expect(tab.locator("#setting-how")).to_be_visible()


#: The page learns late that a change was saved.
LATE_ANSWERS = """
const usual = window.fetch;
window.fetch = async (address, options) => {
  const answer = await usual(address, options);
  if (options?.method === "PUT") await new Promise((done) => setTimeout(done, 1000));
  return answer;
};
"""


def test_a_method_chosen_before_the_page_knows_that_k_was_saved(tab, served):
    tab.add_init_script(LATE_ANSWERS)
    visit(tab, served, "method")
    tab.locator("#setting-k").fill("9")
    tab.keyboard.press("Tab")
    waited(lambda: method_in(served.folder)["k"] == 9)
    tab.locator("#method-recoding").check()
    waited(lambda: method_in(served.folder)["name"] == "recoding")
    assert method_in(served.folder)["k"] == 9


def test_what_is_typed_is_kept_and_optional_settings_come_and_go(tab, served):
    visit(tab, served, "method")
    tab.locator("#setting-k").fill("8")
    change_fields(served.bench, lambda fields: fields["method"].update(l=3))
    expect(tab.locator("#more-set")).to_have_text("l 3")
    tab.keyboard.press("Tab")
    waited(lambda: method_in(served.folder).get("k") == 8)
    assert method_in(served.folder)["l"] == 3

    # Optional settings come and go.
    tab.locator("#more summary").click()
    tab.locator("#setting-l").fill("2")
    tab.keyboard.press("Tab")
    waited(lambda: method_in(served.folder).get("l") == 2)
    tab.get_by_label("outcome").check()
    waited(lambda: method_in(served.folder).get("protects") == ["outcome"])
    tab.locator("#setting-l").fill("")
    tab.keyboard.press("Tab")
    tab.locator("#missing-parts li").wait_for()  # protects, and neither l nor t
    assert "needs l or t" in tab.locator("#missing-parts").inner_text()
    assert tab.locator("#run").is_disabled()
    tab.get_by_label("outcome").uncheck()
    tab.locator("#run:enabled").wait_for()
    assert method_in(served.folder) == {"name": "microaggregation", "k": 8}


def test_what_is_missing_leads_to_where_it_is_mended(tab, served):
    spec = yaml.safe_load((served.folder / "release.yaml").read_text("utf-8"))
    spec["columns"]["diagnosis"] = {"role": "quasi", "type": "nominal"}
    (served.folder / "release.yaml").write_text(yaml.safe_dump(spec, sort_keys=False))
    tab.goto(f"{served.address}/method")
    link = tab.locator("#missing-parts li[data-where='columns.diagnosis'] a")
    link.wait_for()
    assert link.get_attribute("href") == "/meaning"
    assert tab.locator("#run").is_disabled()


def test_a_try_then_a_run_then_the_way_to_its_result(tab, served):
    mask_two_columns(served.bench)
    visit(tab, served, "method")
    tab.locator("#sample").select_option("500")
    tab.locator("#try").click()
    tab.locator("#outcome > *").first.wait_for()
    assert tab.locator("#tried").count() == 1, tab.locator("#outcome").inner_text()
    tab.locator("#run").click()
    tab.locator("#to-result").wait_for()
    assert tab.locator("#to-result").get_attribute("href") == "/result#run=0001"
    kept = served.folder / ".ontomask" / "runs" / "0001" / "release.yaml"
    assert kept.read_text("utf-8") == (served.folder / "release.yaml").read_text("utf-8")


def test_the_population_is_described_checked_and_undone(tab, served, tmp_path_factory):
    def population():
        return served.bench.draft.read().fields.get("population")

    size, table = tab.locator("#population-size"), tab.locator("#population-table")
    register = write_discharges(tmp_path_factory.mktemp("other") / "register.csv", 500)
    visit(tab, served, "method")
    expect(table.locator("option")).to_have_text(["none"])  # a table is not its own population
    size.fill("0")
    tab.keyboard.press("Tab")
    problem = tab.locator("#missing-parts li[data-where='population.size']")
    expect(problem).to_contain_text("The population size must be an integer of at least 1, got 0.")
    expect(problem.locator("a")).to_have_count(0)  # it is corrected here
    size.fill("5000")
    tab.keyboard.press("Tab")
    expect(problem).to_have_count(0)
    tab.locator("#population-file").set_input_files(register)
    waited(lambda: population() == {"size": 5000, "table": "register.csv"})
    visit(tab, served, "method")
    expect(table).to_have_value("register.csv")
    size.fill("")
    tab.keyboard.press("Tab")
    waited(lambda: population() == {"table": "register.csv"})
    table.select_option("")
    waited(lambda: population() is None)
    tab.locator("#undo").click()
    expect(table).to_have_value("register.csv")
    tab.locator("#undo").click()
    expect(size).to_have_value("5000")


def test_a_page_reloaded_in_mid_run_sees_it_and_cancels_it(tab, served):
    visit(tab, served, "method")
    tab.locator("#more summary").click()
    tab.locator("#setting-effort").select_option("thorough")
    waited(lambda: method_in(served.folder).get("effort") == "thorough")
    tab.locator("#setting-time_limit").fill("600")
    tab.keyboard.press("Tab")
    waited(lambda: method_in(served.folder).get("time_limit") == 600)
    tab.locator("#run").click()
    tab.locator("#progress").wait_for()
    tab.reload()
    tab.locator("#progress").wait_for()
    assert tab.locator("#run").is_disabled()
    tab.locator("#cancel").click()
    tab.get_by_text("Nothing was stored").wait_for()
    assert not list((served.folder / ".ontomask" / "runs").glob("[0-9]*"))
