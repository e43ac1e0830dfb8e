"""Links from the terms on the screens to their definitions on the glossary page."""

from __future__ import annotations

from markupsafe import Markup

from ontomask.report.glossary import GLOSSARY

__all__ = ["link_term", "term_anchor"]


def term_anchor(term: str) -> str:
    """The anchor of a term on the glossary page.

    >>> term_anchor("re-identification risk")
    're-identification-risk'
    """
    return term.lower().replace(" ", "-")


def link_term(term: str, text: str | None = None) -> Markup:
    """A link to the definition of a term, which is also its tooltip; ``text`` is what is shown."""
    return Markup(
        '<a class="term" href="/glossary#{}" target="_blank" rel="noopener" title="{}">{}</a>'
    ).format(term_anchor(term), GLOSSARY[term], text or term)
