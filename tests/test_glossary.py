"""docs/glossary.md defines every term once, in order, under the anchor that screens link to."""

from __future__ import annotations

import re
from pathlib import Path

from ontomask.report.glossary import GLOSSARY

PAGE = Path(__file__).resolve().parents[1] / "docs" / "glossary.md"


def read_terms() -> list[str]:
    """The terms of the page, as they are written in its headings."""
    return re.findall(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_the_glossary_page_has_every_term_of_the_report_and_the_workbench():
    assert set(GLOSSARY) - set(read_terms()) == set()


def test_the_glossary_page_is_in_alphabetical_order_without_repetition():
    terms = [term.lower() for term in read_terms()]
    assert terms == sorted(set(terms))


def test_every_link_inside_the_glossary_page_leads_to_a_term():
    anchors = {term.lower().replace(" ", "-") for term in read_terms()}
    links = set(re.findall(r"\]\(#([\w-]+)\)", PAGE.read_text(encoding="utf-8")))
    assert links - anchors == set()
