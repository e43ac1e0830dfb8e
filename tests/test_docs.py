"""What the documentation shows is what happens, and what is public is documented.

Every ``python`` block of README.md and of docs/ runs, the blocks of a page in order and in one
namespace, with an empty folder to work in. A block with ``>>>`` is a doctest, any other simply
runs. A ``text`` block right after a ``python`` block that begins like ``CycleError: ...`` or
``HeaderWarning: ...`` is the error or the warning that the ``python`` block must give.
"""

from __future__ import annotations

import doctest
import inspect
import re
import warnings
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import ontomask
from ontomask import distances, errors, statistics, taxonomy

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
REFERENCE = ROOT / "docs" / "reference.md"

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TROUBLE = re.compile(r"\w+(Error|Warning): ")
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
TARGET = re.compile(r"\bmake ([a-z]+)\b")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# ------------------------------------------------------------------ snippets run


class Snippet(NamedTuple):
    code: str
    line: int  # of the first line of code, counted from 1
    trouble: str  # the error or the warning it must give; empty for none


def snippets(page: Path) -> Iterator[Snippet]:
    text = page.read_text(encoding="utf-8")
    blocks = list(FENCE.finditer(text))
    for block, following in zip_longest(blocks, blocks[1:]):
        if block[1] != "python":
            continue
        trouble = ""
        if following and following[1] == "text" and TROUBLE.match(following[2]):
            neighbours = not text[block.end() : following.start()].strip()
            trouble = following[2] if neighbours else ""
        yield Snippet(block[2], text.count("\n", 0, block.start(2)) + 1, trouble)


def run(snippet: Snippet, page: Path, namespace: dict[str, Any]) -> None:
    """Run code as it stands; a traceback shows the line of the page."""
    padded = "\n" * (snippet.line - 1) + snippet.code
    exec(compile(padded, name_of(page), "exec"), namespace)


def run_doctest(snippet: Snippet, page: Path, namespace: dict[str, Any]) -> None:
    name = name_of(page)
    parsed = doctest.DocTestParser().get_doctest(snippet.code, {}, name, name, snippet.line - 1)
    parsed.globs = namespace  # a doctest works on a copy otherwise
    complaints: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    if runner.run(parsed, out=complaints.append, clear_globs=False).failed:
        pytest.fail("".join(complaints), pytrace=False)


def trouble_with(snippet: Snippet, page: Path, namespace: dict[str, Any]) -> str:
    """What the snippet complains of, as Python would show it."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            run(snippet, page, namespace)
        except ontomask.OntomaskError as error:
            return f"{type(error).__name__}: {error}"
    return "\n".join(f"{type(w.message).__name__}: {w.message}" for w in given)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_snippet_does_what_the_page_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for snippet in snippets(page):
        where = f"{name_of(page)}, line {snippet.line}"
        if snippet.trouble:
            given = trouble_with(snippet, page, namespace)
            assert given.split() == snippet.trouble.split(), f"{where}: {given or 'no trouble'}"
        elif ">>>" in snippet.code:
            run_doctest(snippet, page, namespace)
        else:
            run(snippet, page, namespace)


# ------------------------------------------------------------------ what is public is documented


def documented_names() -> set[str]:
    """Every word in code type on the reference page."""
    shown = CODE.findall(REFERENCE.read_text(encoding="utf-8"))
    return {word for code in shown for word in re.findall(r"\w+", code)}


@pytest.mark.parametrize(
    "module", [ontomask, distances, statistics, taxonomy], ids=lambda module: module.__name__
)
def test_the_reference_has_every_public_name(module):
    assert set(module.__all__) - documented_names() == set()


def test_the_reference_has_every_error_and_warning():
    classes = inspect.getmembers(errors, lambda it: inspect.isclass(it))
    ours = {name for name, it in classes if issubclass(it, BaseException)}
    assert ours - documented_names() == set()


def test_the_reference_names_nothing_that_does_not_exist():
    shown = CODE.findall(REFERENCE.read_text(encoding="utf-8"))
    dotted = [found[0] for code in shown if (found := re.match(r"om(\.\w+)+", code))]
    assert dotted
    for name in dotted:
        it = ontomask
        for part in name.split(".")[1:]:
            assert hasattr(it, part), f"docs/reference.md shows {name}, which does not exist"
            it = getattr(it, part)


# ------------------------------------------------------------------ pages hold together


@pytest.mark.parametrize("page", [*sorted(ROOT.glob("*.md")), *PAGES[1:]], ids=name_of)
def test_every_link_leads_somewhere(page):
    links = LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    inside = [link.partition("#")[0] for link in links if not re.match(r"https?://|#", link)]
    lost = [link for link in inside if not (page.parent / link).exists()]
    assert lost == []


@pytest.mark.parametrize("page", PAGES[1:], ids=name_of)
def test_the_index_leads_to_every_page(page):
    index = ROOT / "docs" / "index.md"
    links = LINK.findall(index.read_text(encoding="utf-8"))
    assert page == index or page.relative_to(index.parent).as_posix() in links


@pytest.mark.parametrize("page", [*sorted(ROOT.glob("*.md")), *PAGES[1:]], ids=name_of)
def test_every_make_command_exists(page):
    shown = CODE.findall(page.read_text(encoding="utf-8")) + [
        block[2] for block in FENCE.finditer(page.read_text(encoding="utf-8"))
    ]
    named = {target for code in shown for target in TARGET.findall(code)}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert named <= set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
