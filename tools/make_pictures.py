"""The pictures of the documentation: pages of ontomask, as Chromium shows them.

    python tools/make_pictures.py            # all of them
    python tools/make_pictures.py report     # those whose name begins so

The release is of synthetic discharges; the map is of diabetes records, from the folder that
``ONTOMASK_DATA`` names, and is left alone without it. Needs Chromium and Playwright.
"""

from __future__ import annotations

import csv
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import ontomask as om
from ontomask.cli import app

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
WIDTH = 1100
SEED = "20261115" * 3  # of at least 64 bits
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

RELEASE = """
data: discharges.csv
output: released.csv
columns:
  diagnosis: {role: quasi, taxonomy: icd9cm}
  procedure: {role: quasi, taxonomy: icd9cm-procedures}
  age: {role: quasi, type: numeric}
  name: {role: identifier}
  patient: {role: identifier}
  outcome: {role: confidential, taxonomy: icd9cm}
  charge: {role: confidential, type: numeric}
other: drop
method: {name: microaggregation, k: 5}
"""

STAYS = """
data: stays.csv
output: stays.released.csv
columns:
  patient: {role: identifier}
  sex: {role: quasi, type: ordinal, levels: [F, M]}
  age: {role: quasi, type: numeric}
  diagnosis: {role: quasi, taxonomy: icd9cm}
  length_of_stay: {role: quasi, type: numeric}
person: patient
linked: split
method: {name: microaggregation, k: 5}
"""

DIABETES = """
data: diabetes.csv
output: released.csv
columns:
  diag_1: {role: quasi, taxonomy: icd9cm, repair_codes: true}
  diag_2: {role: quasi, taxonomy: icd9cm, repair_codes: true}
other: drop
method: {name: microaggregation, k: 5}
require: {linkage_below: 0.1}
"""


def main(wanted: str = "") -> None:
    """Make the pictures whose names begin as is wanted."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        pages = (report, people, compare, reproduce, workbench)
        for make in pages:
            if make.__name__.startswith(wanted):
                make(Path(folder), chromium)


# ---------------------------------------------------------------------- pages


def report(folder: Path, chromium: Any) -> None:
    """The report of a release of 20,000 synthetic discharges."""
    table = om.datasets.discharges(20_000)
    rows = zip(*(column.tolist() for column in table.values()), strict=True)
    write(folder / "discharges.csv", list(table), rows)
    (folder / "release.yaml").write_text(RELEASE)
    ontomask("mask", folder / "release.yaml")
    path = folder / "released.report.html"
    for scheme in ("light", "dark"):
        page = opened(chromium, path, scheme)
        shot(page, "#main", f"report-head-{scheme}", height=640, above=170)
        shot(page, "#meaning", f"report-meaning-{scheme}")
        if scheme == "light":
            shot(page, "#risk", "report-risk", height=640)
            shot(page, "#correlations", "report-correlations")
            shot(page, "#loss", "report-loss")
            shot(page, "#changes", "report-changes", height=520)
            page.locator("#icicles g.box[aria-label*='Circulatory']").first.click()
            shot(page, "#icicles", "report-branch")
    on_paper(opened(chromium, path, "light"), folder, "report-paper")


def people(folder: Path, chromium: Any) -> None:
    """The report and the Roles screen of stays whose patients stay linked."""
    place = folder / "people"
    place.mkdir()
    table = {name: column.tolist() for name, column in om.datasets.discharges(3_000).items()}
    names = ["patient", "sex", "age", "diagnosis", "length_of_stay"]
    write(place / "stays.csv", names, zip(*(table[name] for name in names), strict=True))
    (place / "release.yaml").write_text(STAYS)
    ontomask("mask", place / "release.yaml")
    page = opened(chromium, place / "stays.released.report.html", "light")
    shot(page, "#holds", "people-guarantees")
    shot(page, "#risk", "people-risk", height=492)
    shot(page, "#loss", "people-loss")
    with served(place, "stays.csv") as link:
        context = chromium.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        page.goto(link)
        page.wait_for_selector("#table b", state="attached")
        way = Way(page, link.partition("/?")[0])
        way.to("roles", "#panel[data-uniques][aria-busy=false]")
        way.take("people-roles")
        context.close()


def compare(folder: Path, chromium: Any) -> None:
    """Six methods with six settings each on 5,000 diabetes records."""
    if not os.environ.get("ONTOMASK_DATA"):
        sys.stderr.write("the map is left as it is: ONTOMASK_DATA is not set\n")
        return
    columns = ["diag_1", "diag_2"]
    source = Path(os.environ["ONTOMASK_DATA"]) / "diabetes_130.csv.gz"
    with gzip.open(source, "rt", encoding="utf-8", newline="") as file:
        rows = [[row[name] for name in columns] for row in csv.DictReader(file)]
    complete = [row for row in rows if "?" not in row]
    chosen = np.random.default_rng(0).choice(len(complete), 5_000, replace=False)
    write(folder / "diabetes.csv", columns, (complete[place] for place in np.sort(chosen)))
    (folder / "diabetes.yaml").write_text(DIABETES)
    path = folder / "map.html"
    ontomask("compare", folder / "diabetes.yaml", "--output", path)
    for scheme in ("light", "dark"):
        page = opened(chromium, path, scheme)
        shot(page, "#main", f"compare-{scheme}", height=800, above=120)


def reproduce(folder: Path, chromium: Any) -> None:
    """An experiment of a paper, beside what the paper prints."""
    path = folder / "papers.html"
    command = [sys.executable, "-m", "experiments", "no-tables-1-4", "--output", str(path)]
    subprocess.run(command, cwd=Path(__file__).resolve().parents[1], check=True)
    shot(opened(chromium, path, "light"), "main section", "reproduce", height=700)


# ---------------------------------------------------------------------- machinery


def workbench(folder: Path, chromium: Any) -> None:
    """The six screens, on the way from 3,000 synthetic discharges to their release."""
    place = folder / "hospital"
    place.mkdir()
    table = {name: column.tolist() for name, column in om.datasets.discharges(3_000).items()}
    for row, value in {3: "Acute apendicitis", 8: "Acute apendicitis", 12: "hart failure"}.items():
        table["diagnosis"][row] = value
    write(place / "discharges.csv", list(table), zip(*table.values(), strict=True))
    with served(place, "discharges.csv") as link:
        context = chromium.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        page.goto(link)
        page.wait_for_selector("#table b", state="attached")
        way = Way(page, link.partition("/?")[0])
        way.to("data", "#rows tbody tr")
        way.take()
        way.to("roles", "#panel[data-uniques][aria-busy=false]")
        page.click("summary:has-text('What the roles mean')")
        for name in ("zip", "admitted", "secondary_diagnosis", "procedure", "length_of_stay"):
            page.check(f"tr[data-column={name}] input[value=drop]")
        page.wait_for_selector("#panel[data-columns='4'][aria-busy=false]")
        page.evaluate("scrollTo(0, 120)")
        way.take()
        way.to("meaning#diagnosis", "#distance")
        way.take(part="#lost-title")
        for value in ("Acute apendicitis", "hart failure"):
            page.locator(f"#lost-values li[data-value='{value}'] [data-means]").first.click()
            page.wait_for_selector(f"#lost-values li[data-value='{value}']", state="hidden")
        page.wait_for_selector("#covered:has-text('100 %')")
        way.take("workbench-taxonomy", part="#drawn-title")
        runs = (("recoding", 5), ("microaggregation", 3), ("microaggregation", 5))
        for number, (method, k) in enumerate(runs, 1):
            way.to("method", f"#method-{method}")
            page.check(f"#method-{method}")
            page.fill("#setting-k", str(k))
            page.keyboard.press("Tab")
            page.wait_for_timeout(500)
            page.click("#run:enabled")
            if k == 3:
                page.wait_for_selector("#progress")
                way.take()
            page.wait_for_selector(f"#to-result[href$='{number:04}']", timeout=120_000)
        way.to("result", "#tiles .tile")
        way.take()
        page.click("#tab-meaning")
        way.take("workbench-before-after", part="#tabs")
        page.click("#view-all")
        for id in ("0001", "0003"):
            page.check(f"tr[data-run='{id}'] input")
        page.wait_for_selector("#two table.both")
        page.evaluate("scrollTo(0, 0)")
        way.take("workbench-runs")
        way.to("release", "tr[data-requirement=k] .verdict.yes")
        page.fill("#require-linkage_below", "25")
        page.keyboard.press("Tab")
        page.wait_for_selector("tr[data-requirement=linkage_below] .verdict.yes")
        page.click("#write")
        page.wait_for_selector("#outcome .note.good", timeout=120_000)
        way.take()
        page.emulate_media(color_scheme="dark")
        way.to("roles", "#panel[data-uniques][aria-busy=false]")
        way.take("workbench-roles-dark")
        context.close()


class Way:
    """A page of the workbench, and pictures of its screens."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.address, self.screen = page, address, ""

    def to(self, screen: str, until: str) -> None:
        """Go to a screen, and wait until it shows something."""
        self.screen = screen.partition("#")[0]
        self.page.goto(f"{self.address}/{screen}")
        self.page.wait_for_selector(until)
        self.page.wait_for_timeout(400)

    def take(self, name: str = "", part: str = "") -> None:
        """A picture of what is seen, or of what is seen from a part on."""
        if part:
            self.page.locator(part).scroll_into_view_if_needed()
            box = self.page.locator(part).bounding_box()
            self.page.evaluate(f"scrollBy(0, {box['y'] - 120})")
            self.page.wait_for_timeout(200)
        self.page.evaluate("document.getElementById('said').replaceChildren()")
        self.page.screenshot(path=PICTURES / f"{name or f'workbench-{self.screen}'}.png")


@contextmanager
def served(folder: Path, data: str) -> Iterator[str]:
    """The workbench in a process of its own; the link that opens it."""
    command = [sys.executable, "-m", "ontomask", "workbench", data, "--no-browser"]
    with subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "ONTOMASK_SEED": SEED},
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def write(path: Path, header: list[str], rows: Any) -> None:
    """A CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def ontomask(*arguments: object) -> None:
    """Run a command as it would be typed."""
    os.environ["ONTOMASK_SEED"] = SEED
    app([str(it) for it in arguments], standalone_mode=False)


@contextmanager
def browser() -> Iterator[Any]:
    """The system's own Chromium."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as started:
        chromium = started.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-gpu"]
        )
        yield chromium
        chromium.close()


def opened(chromium: Any, path: Path, scheme: str) -> Any:
    """A page as a reader with light or dark settings sees it."""
    context = chromium.new_context(
        color_scheme=scheme, viewport={"width": WIDTH, "height": 900}, device_scale_factor=1
    )
    page = context.new_page()
    page.goto(path.as_uri())
    return page


def shot(page: Any, what: str, name: str, height: int | None = None, above: int = 0) -> None:
    """A picture of a part of a page, no higher than is asked for."""
    box = page.locator(what).first.bounding_box()
    top = box["y"] - above + page.evaluate("scrollY")
    page.screenshot(
        path=PICTURES / f"{name}.png",
        full_page=True,
        clip={
            "x": 0,
            "y": top,
            "width": WIDTH,
            "height": min(height or 1e6, box["height"] + above),
        },
    )


def on_paper(page: Any, folder: Path, name: str) -> None:
    """The first pages as they are printed, side by side."""
    pdf = folder / "printed.pdf"
    page.pdf(path=pdf, format="A4", print_background=True)
    pages = folder / "page"
    subprocess.run(["pdftoppm", "-r", "50", "-l", "4", "-png", pdf, pages], check=True)
    beside = "".join(
        f'<img src="{it.as_uri()}" style="border:1px solid #ccc;margin:4px">'
        for it in sorted(folder.glob("page*.png"))
    )
    sheet = folder / "sheet.html"
    sheet.write_text(f'<body style="margin:8px;white-space:nowrap"><main>{beside}</main>')
    page.set_viewport_size({"width": 1720, "height": 620})
    page.goto(sheet.as_uri())
    page.screenshot(path=PICTURES / f"{name}.png")


if __name__ == "__main__":
    main(*sys.argv[1:2])
