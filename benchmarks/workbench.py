"""The workbench as its user meets it: a real browser, a server of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.roles import table_of_tuples
from ontomask.releasefile.demo import write_demo

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


class _Page:
    """A page of a workbench in a folder of its own, in the system's Chromium."""

    def __init__(self, data: Path) -> None:
        from playwright.sync_api import sync_playwright

        browser = next(filter(None, map(shutil.which, BROWSERS)), None)
        if browser is None:
            raise NotImplementedError("no Chromium")
        command = [sys.executable, "-m", "ontomask", "workbench", str(data), "--no-browser"]
        self._server = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._server.stdout is not None
        self.link = self._server.stdout.readline().strip()
        self.address = self.link.partition("/?")[0]
        self._started = sync_playwright().start()
        self._browser = self._started.chromium.launch(executable_path=browser, args=ARGUMENTS)
        self.page: Any = self._browser.new_page(viewport={"width": 1280, "height": 800})
        self.page.goto(self.link)
        self.page.wait_for_selector("#table b", state="attached", timeout=300_000)

    def close(self) -> None:
        self._browser.close()
        self._started.stop()
        self._server.terminate()
        self._server.wait()


class FirstPaint:
    """How long until a screen of the workbench shows something, in seconds?

    From the click to what Chromium calls the first contentful paint; 3,000 discharges are open, the
    median of five.
    """

    param_names = ("screen",)
    params = (["data", "roles", "meaning", "method", "result", "release"],)
    budgets: ClassVar = dict.fromkeys(params[0], 1.0)
    unit = "s"

    def setup(self, screen: str) -> None:
        self.folder = Path(tempfile.mkdtemp()) / "demo"
        self.opened = _Page(write_demo(self.folder))

    def track_first_paint(self, screen: str) -> float:
        took = []
        for _ in range(5):
            self.opened.page.goto(f"{self.opened.address}/{screen}")
            self.opened.page.wait_for_load_state("networkidle")
            took.append(
                self.opened.page.evaluate(
                    "performance.getEntriesByName('first-contentful-paint')[0].startTime"
                )
            )
        return sorted(took)[2] / 1000

    def teardown(self, screen: str) -> None:
        self.opened.close()
        shutil.rmtree(self.folder.parent)


class Ticking:
    """How long from the choice of a role to the new figures on the page, in seconds?

    A million records of 50,000 distinct tuples, of 600,000 people where these are counted; one of
    nine quasi-identifiers is left out and taken in again, each time another one. The median and the
    longest of nine, by the page's own clock.
    """

    param_names = ("counted",)
    params = (["records", "people"],)
    budgets: ClassVar = {"records": 0.2, "people": 0.2}
    unit = "s"

    def setup(self, counted: str) -> None:
        self.folder = Path(tempfile.mkdtemp())
        data = self.folder / "tuples.parquet"
        data.symlink_to(table_of_tuples())
        self.opened = _Page(data)

    def track_median(self, counted: str) -> float:
        return sorted(self._all(counted))[4]

    def track_longest(self, counted: str) -> float:
        return max(self._all(counted))

    def _all(self, counted: str) -> list[float]:
        page = self.opened.page
        page.goto(f"{self.opened.address}/roles")
        page.wait_for_selector("#panel[data-uniques][aria-busy=false]", timeout=120_000)
        for place in range(9):  # the first time, columns are read
            page.check(f"tr[data-column='column {place}'] input[value=quasi]")
        page.wait_for_selector("#panel[data-columns='9'][aria-busy=false]", timeout=120_000)
        page.select_option("#person", "person" if counted == "people" else "")
        page.wait_for_timeout(3000)
        return [self._took(place) for place in range(9)]

    def _took(self, place: int) -> float:
        """From the click to the figures of eight columns, in the page."""
        took = self.opened.page.evaluate(
            """place => new Promise(done => {
                const panel = document.getElementById("panel");
                const row = document.querySelector(`tr[data-column="column ${place}"]`);
                const began = performance.now();
                new MutationObserver((_, watch) => {
                    if (panel.dataset.columns !== "8" || panel.ariaBusy !== "false") return;
                    watch.disconnect();
                    done(performance.now() - began);
                }).observe(panel, { attributes: true });
                row.querySelector("input[value=drop]").click();
            })""",
            place,
        )
        self.opened.page.check(f"tr[data-column='column {place}'] input[value=quasi]")
        self.opened.page.wait_for_selector("#panel[data-columns='9'][aria-busy=false]")
        self.opened.page.wait_for_timeout(500)
        return float(took) / 1000

    def teardown(self, counted: str) -> None:
        self.opened.close()
        shutil.rmtree(self.folder)
