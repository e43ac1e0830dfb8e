"""The site that ``make docs`` builds is whole, and asks the network for nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

pytest.importorskip("mkdocs", reason="NO MKDOCS: THE SITE IS NOT TESTED. pip install '.[docs]'")

ROOT = Path(__file__).resolve().parents[1]

ADDRESS = re.compile(r'<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="([^"]*)"')
LINK = re.compile(r'<a\b[^>]*\bhref="([^"]*)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built as ``make docs`` builds it, in another folder."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(  # not --quiet: what is not shown is not counted by --strict
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return folder


def pages(site):
    found = [page for page in sorted(site.rglob("*.html")) if page.name != "404.html"]
    assert len(found) == len(list(ROOT.glob("docs/**/*.md")))
    return [(page, page.read_text(encoding="utf-8")) for page in found]


def test_every_page_is_on_a_shelf(site):
    index = (site / "index.html").read_text(encoding="utf-8")
    header = index.partition("<article")[0]
    for shelf in ("Tutorials", "How-to", "Concepts", "Reference"):
        assert re.search(rf"\b{shelf}\b", header), shelf
    for page, text in pages(site):
        assert re.search(r'<nav class="md-nav md-nav--primary', text), page
        assert "md-nav__link--active" in text, page  # it knows its own place


def test_nothing_is_fetched_from_elsewhere(site):
    for page, text in pages(site):
        assert [it for it in ADDRESS.findall(text) if re.match(r"(https?:)?//", it)] == [], page


def test_every_link_inside_leads_somewhere(site):
    """Files outside docs/ are there too: NOTICE, SECURITY.md."""
    for page, text in pages(site):
        for link in map(unescape, LINK.findall(text)):
            target = unquote(link.partition("#")[0])
            if target and not re.match(r"https?:", target):
                assert (page.parent / target).is_file(), f"{page.name}: {link}"
    assert (site / "NOTICE.txt").read_text("utf-8") == (ROOT / "NOTICE").read_text("utf-8")


def test_docstrings_become_markdown():
    from tools.docstring_markdown import to_markdown

    docstring = r"""The mean :math:`\mu`; see :func:`~ontomask.mask` and docs/concepts/blocks.md.

.. math:: x =
    1

>>> 1 + 1
2

``k`` is 2."""
    assert to_markdown(docstring).split("\n\n") == [
        r"The mean $\mu$; see `mask` and [docs/concepts/blocks.md](../concepts/blocks.md).",
        "$$\nx = 1\n$$",
        "```pycon\n>>> 1 + 1\n2\n```",
        "`k` is 2.",
    ]


def test_the_api_reference_is_made_from_the_docstrings(site):
    """Every entry has its docstring; formulas, roles and examples are converted."""
    for page in sorted((ROOT / "docs" / "reference").glob("*.md")):
        text = (site / "reference" / f"{page.stem}.html").read_text(encoding="utf-8")
        for entry in re.findall(r"^::: (\S+)", page.read_text(encoding="utf-8"), re.MULTILINE):
            assert f'id="{entry}"' in text, entry
        for left_over in (
            ":func:`",
            ":class:`",
            ":math:`",
            ".. math::",
            "&gt;&gt;&gt; <p>",
            "0x7f",
        ):
            assert left_over not in text, f"{page.name}: {left_over}"
    masking = (site / "reference" / "masking.html").read_text(encoding="utf-8")
    assert "Seed of all random draws, a non-negative integer." in masking


def test_formulas_are_shown_without_a_script(site):
    shown = "".join(text for _, text in pages(site))
    assert shown.count("<math") > 20
    assert 'class="arithmatex">\\' not in shown
    assert "$$" not in shown


@pytest.fixture
def tab(chromium):
    """A page that keeps what it asked of the network, and what it complained of."""
    with chromium.open_page() as page:
        page.asked, page.complaints = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        yield page
        assert page.complaints == []
        assert [url for url in page.asked if not url.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("name", ["index.html", "concepts/utility-and-risk.html"])
def test_a_page_opens_from_the_folder(site, tab, name):
    tab.goto((site / name).as_uri())
    assert tab.locator("h1").inner_text().strip("¶ \n")
    assert len(tab.asked) > 3  # its styles and scripts: the listener listens


def test_the_search_works_from_the_folder(site, tab):
    tab.goto((site / "index.html").as_uri())
    tab.locator(".md-search__input").click()
    tab.keyboard.type("suppression")
    found = tab.locator(".md-search-result__link h1", has_text="Grouping methods")
    found.wait_for(state="visible")
    tab.keyboard.press("Control+A")
    tab.keyboard.type("distance_matrix")
    tab.locator(".md-search-result__link h1", has_text="API: distances").wait_for(state="visible")
