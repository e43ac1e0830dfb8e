"""The glossary page, and the links to it from the screens."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from ontomask.report.glossary import GLOSSARY
from ontomask.web.app import SCREENS, link_term, term_anchor

ANCHORS = {term_anchor(term) for term in GLOSSARY}


def linked_anchors(html: str) -> set[str]:
    return set(re.findall(r'href="/glossary#([^"]+)"', html))


def test_the_page_defines_every_term(reader):
    page = reader.get("/glossary").text
    assert set(re.findall(r'<dt id="([^"]+)">', page)) == ANCHORS
    assert all(text in page.replace("&#39;", "'") for text in GLOSSARY.values())


@pytest.mark.parametrize("screen", SCREENS)
def test_links_of_a_screen_lead_to_a_definition(reader, screen):
    assert linked_anchors(reader.get(f"/{screen}").text) <= ANCHORS


def test_links_made_by_scripts_lead_to_a_definition():
    folder = files("ontomask.web").joinpath("assets")
    scripts = [path.read_text("utf-8") for path in folder.iterdir() if path.name.endswith(".js")]
    terms = {term for text in scripts for term in re.findall(r'createTermLink\(\s*"([^"]+)"', text)}
    assert terms
    assert terms <= set(GLOSSARY)


def test_the_tooltip_is_the_definition():
    link = link_term("equivalence class", "classes")
    assert 'href="/glossary#equivalence-class"' in link
    assert GLOSSARY["equivalence class"] in link
    assert link.endswith(">classes</a>")


def test_the_screens_link_the_chief_terms(reader):
    linked = set().union(*(linked_anchors(reader.get(f"/{screen}").text) for screen in SCREENS))
    assert {
        "quasi-identifier",
        "direct-identifier",
        "sensitive-attribute",
        "equivalence-class",
        "re-identification-risk",
        "attribute-disclosure",
        "information-loss",
    } <= linked
