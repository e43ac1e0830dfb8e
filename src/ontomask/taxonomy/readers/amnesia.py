"""Hierarchies of the anonymisation tool Amnesia (OpenAIRE), as it saves them.

A few lines about the hierarchy, then a line for each inner value, level by level::

    distinct
    name places
    type string
    height 3

    Europe has Spain Malta
    Asia has Japan

    World has Europe Asia

Spaces separate values, so no value has one in it. Hierarchies of ranges of numbers or dates
(``range`` in the first line) are not taxonomies and are refused.
"""

from __future__ import annotations

import re

from ontomask.taxonomy.about import About
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["looks_like", "read"]

_HEAD = re.compile(r"(distinct|range)\s*\n(?:name|type|height) ", re.IGNORECASE)


def looks_like(source: Source) -> bool:
    """By the first two lines."""
    return _HEAD.match(source.head_text) is not None


def read(source: Source) -> Taxonomy:
    """Read a hierarchy of distinct values."""
    lines = source.text().split("\n")
    if not looks_like(source):
        raise source.error(
            "the file does not start like an Amnesia hierarchy",
            "it must start with the lines 'distinct', 'name …', 'type …', 'height …'",
            line=1,
        )
    if lines[0].strip().lower() == "range":
        raise source.error(
            "this hierarchy has ranges of numbers or dates",
            "only hierarchies of distinct values can be read",
        )
    blank = next((place for place, text in enumerate(lines) if not text.strip()), len(lines))
    about = dict(text.strip().split(" ", 1) for text in lines[1:blank] if " " in text.strip())
    parents: dict[str, tuple[str, int]] = {}
    for line, text in enumerate(lines[blank:], start=blank + 1):
        if not text.strip():
            continue
        parent, has, *children = [word for word in text.strip().split(" ") if word] + [""] * 2
        if has != "has" or not any(children):
            raise source.error(
                f"expected a parent, 'has' and its children, got {text.strip()[:60]!r}",
                "write 'Europe has Spain Malta'; a value must not contain a space",
                line=line,
            )
        for child in filter(None, children):
            other, earlier_line = parents.setdefault(child, (parent, line))
            if other != parent:
                raise source.error(
                    f"{child!r} has two parents, {other!r} (line {earlier_line}) and {parent!r}",
                    "an Amnesia hierarchy is a tree: rename one of them",
                    line=line,
                )
    return Taxonomy.from_edges(
        [(child, parent) for child, (parent, _) in parents.items()],
        about=About(about.get("name", source.name), source.path.name),
    )
