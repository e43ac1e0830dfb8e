"""Pages in a real browser: what they ask for, what goes wrong in them, what is seen.

A page must stand alone, so every request but that for the file itself is written down, and none is
let out. One browser serves all tests of a process, which starts it when the first test asks; from
then on ``asyncio.run`` works only in another thread, because Playwright keeps a loop in this one.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE = {"width": 1280, "height": 800}

#: What a page is waited for is waited for this long, in ms: a busy machine takes its time.
PATIENCE = 120_000


@dataclass
class Opened:
    """A page that is open: ``requests`` it made beyond itself, ``errors`` and warnings it met."""

    page: object
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class Chromium:
    """A browser whose pages are waited for with patience."""

    def __init__(self, browser) -> None:
        self._browser = browser

    def new_context(self, **options: object):
        context = self._browser.new_context(
            **{"viewport": WIDE, "color_scheme": "light", **options}
        )
        context.set_default_timeout(PATIENCE)
        return context


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """The system's own Chromium; tests that need it are skipped, loudly, where there is none."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(
            "NO BROWSER: PAGES ARE NOT TESTED. There is no Chromium on this machine "
            f"(looked for {', '.join(NAMES)}); install one to test what readers will see."
        )
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="NO PLAYWRIGHT: PAGES ARE NOT TESTED. pip install playwright"
    )
    playwright.expect.set_options(timeout=PATIENCE)
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=ARGUMENTS, timeout=PATIENCE)
        yield Chromium(browser)
        browser.close()


@pytest.fixture
def opened(chromium) -> Iterator[object]:
    """Open a file as a reader would: ``opened(path, color_scheme="dark")``."""
    contexts = []

    def open_page(path: Path, **options: object) -> Opened:
        context = chromium.new_context(**options)
        contexts.append(context)
        seen = Opened(context.new_page())
        _watch(seen, Path(path).resolve().as_uri())
        seen.page.goto(Path(path).resolve().as_uri())
        return seen

    yield open_page
    for context in contexts:
        context.close()


def _watch(seen: Opened, address: str) -> None:
    def asked(route) -> None:
        url = route.request.url
        if url.partition("#")[0] == address:
            route.continue_()
        else:
            seen.requests.append(url)
            route.abort()

    def said(message) -> None:
        if message.type in ("error", "warning"):
            seen.errors.append(message.text)

    seen.page.route("**/*", asked)
    seen.page.on("console", said)
    seen.page.on("pageerror", lambda error: seen.errors.append(str(error)))
