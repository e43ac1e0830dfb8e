"""The Release screen: what is required, whether it holds, and the files that are written."""

from __future__ import annotations

import csv
import json
from collections import Counter

import pytest
import yaml
from playwright.sync_api import expect

from ontomask.web.session import Workbench
from workbench import SEED, change_fields, mask_two_columns, talking_to, visit, waited

FILES = ("discharges.released.csv", "discharges.released.manifest.json")


def require(bench, **limits):
    change_fields(bench, lambda fields: fields.update(require=limits))


def done(client, kind, **more):
    answer = client.post("/api/work", json={"kind": kind, **more})
    assert answer.status_code == 200, answer.json()
    return waited(lambda: (it := client.get("/api/work").json())["state"] != "working" and it)


def required(client):
    found = client.get("/api/requirements").json()
    return found["run"], {it["name"]: it for it in found["requirements"]}


# ---------------------------------------------------------------------- what is required


def test_without_a_run_nothing_is_known(small, client):
    require(small, k=5)
    run, rows = required(client)
    assert run is None
    assert {(it["found"], it["holds"]) for it in rows.values()} == {(None, None)}
    assert rows["k"]["limit"] == 5


def test_k_map_is_judged_where_a_population_is_described(small, client):
    require(small, k_map=20)
    (problem,) = client.get("/api/session").json()["problems"]
    assert problem["what"] == (
        "the requirement k_map needs the population that the table is a sample of"
    )
    assert "on the Method screen" in problem["hint"]
    assert "on the Roles screen" in problem["hint"]
    assert required(client)[1]["k_map"]["limit"] == 20
    change_fields(small, lambda fields: fields["columns"].update(charge={"role": "drop"}))
    change_fields(small, lambda fields: fields.update(weight="charge", require={"k_map": 10**9}))
    done(client, "run")
    row = required(client)[1]["k_map"]
    assert row["holds"] is False
    assert row["found"].endswith(" people match the rarest class")
    assert "At least 1,000,000,000 people of the population" in row["reasons"][0]
    shown = client.get("/api/runs/0001/parts").text
    assert "people who match are estimated from the sampling weights" in shown


def test_requirements_are_judged_by_the_last_run_with_these_settings(small, client, tmp_path):
    done(client, "run")
    require(small, k=5, l=300, alpha=1.0, beta=0.001, linkage_below=0.999, sse_below=0.001)
    run, rows = required(client)
    assert run == "0001"
    assert {name: it["holds"] for name, it in rows.items()} == {
        **{"k": True, "l": False, "t": None, "entropy_l": None, "alpha": True, "beta": False},
        **{"delta": None, "k_map": None, "linkage_below": True, "sse_below": False},
    }
    assert rows["k"]["found"].startswith(("5 ", "6 ", "7 "))
    assert "at least 300" in rows["l"]["reasons"][0]
    assert rows["t"]["found"]  # it is told though nothing is required
    # A run of before a restart is said to be one.
    assert client.get("/api/requirements").json()["elsewhere"] is False
    made = small.runs.folder / "0001" / "run.json"
    made.write_text(json.dumps({**json.loads(made.read_text("utf-8")), "made": "2020-01-01"}))
    for seed, elsewhere in ((None, True), (SEED, False)):
        again = Workbench(tmp_path, seed=seed)
        found = talking_to(again).get("/api/requirements").json()
        assert (found["run"], found["elsewhere"]) == ("0001", elsewhere)
        again.close()
    change_fields(small, lambda fields: fields["method"].update(k=6))
    assert required(client)[0] is None


def test_a_limit_that_is_none_is_left_out(small, client):
    require(small, k=1)
    assert required(client)[1]["k"]["limit"] is None


# ---------------------------------------------------------------------- the files


def files(client):
    found = client.get("/api/downloads").json()
    return found, {it["what"]: it for it in found["files"]}


def test_the_files_before_and_after_and_nothing_is_overwritten_unasked(small, client):
    found, before = files(client)
    assert (found["exists"], found["current"]) == (False, False)
    assert [it for it, file in before.items() if file["there"]] == ["release"]
    target = small.folder.path / "discharges.released.csv"
    target.write_text("mine")
    refused = client.post("/api/work", json={"kind": "release"})
    assert refused.status_code == 422
    assert "already exists" in refused.json()["message"]
    assert target.read_text() == "mine"
    assert done(client, "release", overwrite=True)["state"] == "done"
    assert target.read_text() != "mine"
    found, after = files(client)
    assert (found["exists"], found["current"]) == (True, True)
    for what, file in after.items():
        answer = client.get(f"/download/{what}")
        assert answer.content == (small.folder.path / file["name"]).read_bytes()
        assert answer.headers["content-disposition"] == f'attachment; filename="{file["name"]}"'
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-type"] == "application/octet-stream"
        assert len(answer.content) == file["bytes"]
    change_fields(small, lambda fields: fields["method"].update(k=6))
    assert not files(client)[0]["current"]


@pytest.fixture
def unchanged(small):
    """A table that is 5-anonymous already."""

    def mask_sex_only(fields):
        fields["columns"]["sex"] = {"role": "quasi", "type": "ordinal", "levels": ["F", "M"]}
        for name in ("age", "diagnosis"):
            fields["columns"][name] = {"role": "drop"}

    change_fields(small, mask_sex_only)
    return small


def test_a_release_that_changes_nothing_is_refused(unchanged, client):
    refused = done(client, "release")
    assert (refused["state"], refused["error"]["unmet"]) == ("failed", True)
    assert not client.get("/api/requirements").json()["unchanged"]  # not known before a run
    assert done(client, "run")["state"] == "done"
    assert client.get("/api/requirements").json()["unchanged"]


def test_what_was_not_written_cannot_be_downloaded(reader):
    assert reader.get("/download/table").status_code == 404
    for what in ("data", "discharges.csv", "..%2f..%2fetc%2fpasswd", "table%00"):
        assert reader.get(f"/download/{what}").status_code in (404, 422)


def test_no_download_leads_out_of_the_folder(tmp_path, empty):
    outside = tmp_path.parent / "outside.csv"
    outside.write_text("age\n1\n")
    (tmp_path / "link.csv").symlink_to(outside)
    (tmp_path / "data.csv").write_text("age\n" + "1\n" * 9)
    fields = {
        "data": "data.csv",
        "output": "link.csv",
        "columns": {"age": {"role": "quasi", "type": "numeric"}},
        "method": {"name": "recoding", "k": 5},
    }
    (tmp_path / "release.yaml").write_text(json.dumps(fields))
    client = talking_to(empty)
    assert client.get("/download/table").status_code == 422
    started = client.post("/api/work", json={"kind": "release", "overwrite": True})
    assert started.status_code == 422
    assert outside.read_text() == "age\n1\n"


# ---------------------------------------------------------------------- in the browser


def test_required_ticked_off_written_and_downloaded(tab, served):
    mask_two_columns(served.bench)
    visit(tab, served, "release")
    expect(tab.locator("#judged")).to_contain_text("There is no run with these settings yet")
    visit(tab, served, "method")
    tab.locator("#run").click()
    tab.locator("#to-result").wait_for()

    visit(tab, served, "release")
    row = tab.locator("tr[data-requirement='l']")
    tab.locator("#require-l").fill("300")
    tab.keyboard.press("Tab")
    row.get_by_text("not met", exact=True).wait_for()
    expect(tab.locator("tr[data-requirement='k'] .verdict.yes")).to_have_count(1)
    tab.locator("#write").click()
    tab.locator("#outcome .note.bad").wait_for()
    expect(tab.locator("#outcome")).to_contain_text("at least 300")
    assert not (served.folder / FILES[0]).exists()

    tab.locator("#require-l").fill("")
    tab.keyboard.press("Tab")
    tab.locator("#require-linkage_below").fill("30")
    tab.keyboard.press("Tab")
    row.get_by_text("no limit").wait_for()
    tab.locator("tr[data-requirement='linkage_below'] .verdict.yes").wait_for()
    spec = yaml.safe_load((served.folder / "release.yaml").read_text("utf-8"))
    assert spec["require"] == {"k": 5, "linkage_below": 0.3}

    tab.locator("#write").click()
    tab.locator("#outcome .note.good").wait_for()
    with tab.expect_download() as begun:
        tab.locator("li[data-file='table'] a").click()
    assert begun.value.suggested_filename == FILES[0]
    with open(begun.value.path(), "rb") as taken:
        assert taken.read() == (served.folder / FILES[0]).read_bytes()
    expect(tab.locator("#write")).to_be_disabled()  # it would overwrite
    tab.locator("#overwrite").check()
    tab.locator("#write:enabled").wait_for()
    tab.locator("#output").fill("other.csv")
    tab.keyboard.press("Tab")
    tab.locator("li[data-file='table'].away").wait_for()
    expect(tab.locator("#write")).to_be_enabled()


LIMITS = {"k_map": "20", "entropy_l": "1.5", "alpha": "0.9", "beta": "2.5", "delta": "1.5"}


def test_limits_are_typed_undone_and_redone(tab, served):
    def saved(name):
        return served.bench.draft.read().fields["require"].get(name)

    visit(tab, served, "release")
    for name, limit in LIMITS.items():
        tab.locator(f"#require-{name}").fill(limit)
        tab.keyboard.press("Tab")
        waited(lambda name=name, limit=limit: saved(name) == float(limit))
        if name == "k_map":
            lacks = tab.locator("[data-where='require.k_map']")
            expect(lacks).to_contain_text("needs the population")
        tab.locator("#undo").click()
        expect(tab.locator(f"#require-{name}")).to_have_value("")
        assert saved(name) is None
        tab.locator("#redo").click()
        expect(tab.locator(f"#require-{name}")).to_have_value(limit)


def test_the_order_of_the_rows_is_chosen_and_written(tab, served):
    mask_two_columns(served.bench)
    visit(tab, served, "release")
    order = tab.get_by_label("Order of the rows")
    expect(order).to_have_value("shuffle")
    expect(tab.locator("#order-words")).to_contain_text("The original order can reveal")
    orders = []
    for word, written in (("keep", "kept"), ("shuffle", "shuffled")):
        order.select_option(word)
        waited(lambda: served.bench.draft.read().fields.get("order", "shuffle") == word)  # noqa: B023
        visit(tab, served, "release")
        expect(order).to_have_value(word)
        tab.locator("#output").fill(f"{word}.csv")
        tab.keyboard.press("Tab")
        tab.locator("li[data-file='table'].away", has_text=f"{word}.csv").wait_for()
        tab.locator("#unchanged").check()
        tab.locator("#write:enabled").click()
        tab.locator("li[data-file='table']:not(.away)", has_text=f"{word}.csv").wait_for()
        manifest = json.loads((served.folder / f"{word}.manifest.json").read_text("utf-8"))
        assert manifest["order"] == written
        with (served.folder / f"{word}.csv").open(newline="", encoding="utf-8") as file:
            orders.append(list(csv.reader(file)))
    assert orders[0] != orders[1]
    assert Counter(map(tuple, orders[0])) == Counter(map(tuple, orders[1]))


def test_a_typed_limit_is_kept_and_a_path_out_of_the_folder_refused(tab, served):
    visit(tab, served, "release")
    tab.locator("#require-l").fill("3")
    require(served.bench, k=4)
    expect(tab.locator("#require-k")).to_have_value("4")
    tab.keyboard.press("Tab")
    waited(lambda: served.bench.draft.read().fields["require"] == {"k": 4, "l": 3})

    # A path out of the folder is refused, and the name comes back.
    tab.locator("#output").fill("../elsewhere.csv")
    tab.keyboard.press("Tab")
    tab.get_by_text("not in the working folder").wait_for()
    expect(tab.locator("#output")).to_have_value(FILES[0])
