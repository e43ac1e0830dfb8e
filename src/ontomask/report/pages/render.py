"""From a template and plain values to one HTML file that asks nobody for anything.

Values from data and taxonomies are text, never markup: templates escape whatever they are given,
and a policy in the page itself lets no request leave it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ontomask.report.drawing.colours import as_css
from ontomask.report.pages import numbers

__all__ = ["embedded", "page", "templates_of"]


def page(template: str, **values: Any) -> str:
    """The page that a template makes of some values."""
    return _environment().get_template(template).render(**values)


def templates_of(package: str) -> Environment:
    """The templates of a package; what they are given is text, unless it is marked as markup."""
    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _environment() -> Environment:
    environment = templates_of("ontomask.report")
    environment.globals.update(asset=_asset, colours=as_css)
    environment.filters.update(
        embedded=embedded,
        whole=numbers.whole,
        figure=numbers.figure,
        percent=numbers.percent,
        value=numbers.value,
    )
    return environment


def _asset(name: str) -> Markup:
    """A style sheet or a script of ours, to stand inside the page."""
    return Markup(files("ontomask.report").joinpath("assets", name).read_text("utf-8"))


def embedded(value: Any) -> Markup:
    r"""A value as JSON that can stand in a ``<script type="application/json">``.

    >>> print(embedded(["</script>", 1]))
    ["\u003c/script>",1]
    """
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter in "<\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}":
        written = written.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(written)
