"""Pages in a real browser: what they ask for, what goes wrong in them, what is seen.

A page must stand alone, so every request but that for the file itself is written down, and none is
let out. One browser serves all tests of a process, which starts it when the first test asks; from
then on ``asyncio.run`` works only in another thread, because Playwright keeps a loop in this one.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
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
    "--process-per-site",  # a new page of a site needs no new process
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
    """A browser whose pages are waited for with patience.

    Pages with the same options share a context. A context of its own would start another process,
    which works longer than the page itself does in most tests.
    """

    def __init__(self, browser) -> None:
        self._browser, self._contexts = browser, {}

    @contextmanager
    def open_page(self, **options: object) -> Iterator:
        """A page without cookies and stored settings; closed at the end with those it opened."""
        key = repr(sorted(options.items()))
        if key not in self._contexts:
            self._contexts[key] = self._new_context(options)
        context = self._contexts[key]
        earlier = set(context.pages)
        page = context.new_page()
        try:
            yield page
            if page.url.startswith("http"):
                page.evaluate("localStorage.clear()")  # another server may get the same port
        finally:
            for opened_page in set(context.pages) - earlier:
                opened_page.close()
            context.clear_cookies()

    def _new_context(self, options: dict[str, object]):
        context = self._browser.new_context(
            **{"viewport": WIDE, "color_scheme": "light", **options}
        )
        context.set_default_timeout(PATIENCE)
        # A page of the site that stays open keeps its process.
        kept = context.new_page()
        kept.route("**/*", lambda route: route.fulfill(body="kept"))
        kept.goto("http://127.0.0.1/")
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
    with ExitStack() as stack:

        def open_file(path: Path, **options: object) -> Opened:
            seen = Opened(stack.enter_context(chromium.open_page(**options)))
            _watch(seen, Path(path).resolve().as_uri())
            seen.page.goto(Path(path).resolve().as_uri())
            return seen

        yield open_file


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
