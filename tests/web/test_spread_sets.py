"""Sets over several columns on the screens: combined, shown, masked and separated again."""

from __future__ import annotations

import csv

import pytest
import yaml
from playwright.sync_api import expect

from workbench import tab_of, visit, waited

CODES = ["250.00", "401.9", "428.0", "786.50", "276.1", "V27.0", ""]
FAMILY = ["diag_1", "diag_2", "diag_3"]


@pytest.fixture
def stays(tmp_path, serving):
    """A table with three columns of diagnoses, served."""
    rows = [[20 + i % 5, *(CODES[i * n % 6] for n in (1, 2)), CODES[i % 7]] for i in range(120)]
    with (tmp_path / "stays.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["age", *FAMILY], *rows])
    return serving(tmp_path, "stays.csv")


@pytest.fixture
def tab(chromium, stays):
    yield from tab_of(chromium, stays)


def columns_of(served):
    return yaml.safe_load((served.folder / "release.yaml").read_text("utf-8"))["columns"]


def test_columns_are_combined_masked_and_separated(tab, stays):
    visit(tab, stays, "roles")
    first = tab.locator("tr[data-column=diag_1]")
    first.get_by_role("button", name="Mask them as one set").click()
    diag = {"role": "quasi", "type": "set", "taxonomy": "icd9cm", "columns": FAMILY}
    waited(lambda: columns_of(stays).get("diag") == diag)
    assert set(columns_of(stays)) == {"age", "diag"}
    expect(first.locator(".as")).to_contain_text("in the set diag")
    expect(tab.locator("tr[data-column=diag_2] input[value=quasi]")).to_be_checked()
    expect(tab.locator("#missing-words")).to_have_text("No quasi-identifier has missing values.")

    tab.goto(f"{stays.address}/meaning#diag")
    expect(tab.locator("#column-title")).to_have_text("diag: diag_1, diag_2, diag_3")
    expect(tab.locator("[data-column=diag] .facts")).to_have_text("100 % of cells have a concept")
    expect(tab.locator("#type")).to_be_disabled()
    expect(tab.locator("#separator-place")).to_be_hidden()

    visit(tab, stays, "method")
    tab.click("#run:enabled")
    expect(tab.locator("#to-result")).to_have_attribute("href", "/result#run=0001")
    visit(tab, stays, "result")
    run = stays.bench.current_run()
    assert run.known["columns"]["diag"]["columns"] == FAMILY
    assert run.known["guarantee"]["k"] == 5

    visit(tab, stays, "roles")
    tab.check("tr[data-column=diag_3] input[value=drop]")
    waited(lambda: columns_of(stays)["diag"]["columns"] == FAMILY[:2])
    assert columns_of(stays)["diag_3"] == {"role": "drop"}
    first.get_by_role("button", name="Mask them one by one").click()
    alone = {"role": "quasi", "taxonomy": "icd9cm"}
    waited(lambda: "diag" not in columns_of(stays))
    assert [columns_of(stays)[name] for name in FAMILY[:2]] == [alone, alone]
