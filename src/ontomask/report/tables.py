"""The report of several tables of the same people: what holds for all, then each of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from ontomask.methods.method import Method
from ontomask.microdata.schema import Schema
from ontomask.microdata.tuples import Transitions
from ontomask.report.page import report_contents
from ontomask.report.pages import render_page

__all__ = ["report_tables"]

#: The sections of a table: what it is called, its template, and what it needs, if anything.
SECTIONS = (
    ("Guarantees", "holds.html", None),
    ("Disclosure risk before and after masking", "risk.html", None),
    ("Information loss and data utility", "utility.html", None),
    ("Sets of values", "sets.html", "sets"),
    ("Correlations between columns", "correlations.html", "correlations"),
    ("Information loss by column and branch", "loss.html", None),
    ("Most frequent changes", "changes.html", "changes"),
)


def report_tables(
    title: str,
    plans: Mapping[str, tuple[Transitions, Schema, Method]],
    manifest: Mapping[str, Any],
) -> str:
    """The report as one HTML page; ``manifest`` is that of all tables, and has one of each."""
    tables = []
    for name, (plan, schema, method) in plans.items():
        contents = report_contents(plan, schema, method, manifest["tables"][name])
        sections = [
            (heading, Markup(render_page(f"report/{template}", **contents)))
            for heading, template, needed in SECTIONS
            if needed is None or contents[needed]
        ]
        tables.append({"name": name, "sections": sections, **contents})
    return render_page("tables.html", title=title, facts=manifest, tables=tables)
