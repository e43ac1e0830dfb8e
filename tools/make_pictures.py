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
SEED = "20261115"
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
        for name, make in {"report": report, "compare": compare, "reproduce": reproduce}.items():
            if name.startswith(wanted):
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
    ontomask("reproduce", "no-tables-1-4", "--output", path)
    shot(opened(chromium, path, "light"), "main section", "reproduce", height=700)


# ---------------------------------------------------------------------- machinery


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
