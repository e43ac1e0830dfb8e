"""From a template and plain values to one HTML file that asks nobody for anything.

Values from data and taxonomies are text, never markup: templates escape whatever they are given,
and a policy in the page itself lets no request leave it.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any, cast

from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PackageLoader,
    StrictUndefined,
)
from markupsafe import Markup

from ontomask.errors import format_percent
from ontomask.report.drawing.colours import colours_as_css
from ontomask.report.pages import numbers

__all__ = ["embed_json", "render_page", "make_environment"]

_IMPORT = re.compile(r'^import [^;]* from "(\./[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def render_page(template: str, folder: Path | None = None, /, **values: Any) -> str:
    """Render a template of the report package, filled with values, as HTML.

    A template in a ``folder`` of its own can extend and include those of the report package.
    """
    environment = _report_environment()
    if folder is not None:
        loaders = [FileSystemLoader(folder), cast(BaseLoader, environment.loader)]
        environment = environment.overlay(loader=ChoiceLoader(loaders))
    return environment.get_template(template).render(**values)


def make_environment(package: str) -> Environment:
    """Make the template environment of a package; values are escaped unless they are markup."""
    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _report_environment() -> Environment:
    environment = make_environment("ontomask.report")
    environment.globals.update(asset=_read_asset, script=_bundle_script, colours=colours_as_css)
    environment.filters.update(
        embedded=embed_json,
        whole=numbers.format_integer,
        figure=numbers.format_figure,
        percent=format_percent,
        value=numbers.format_value,
    )
    return environment


def _read_asset(name: str) -> Markup:
    """Read a style sheet or a script of the package, to be embedded in the page."""
    return Markup(files("ontomask.report").joinpath("assets", name).read_text("utf-8"))


def _bundle_script(name: str) -> Markup:
    """A module of ours after the modules it imports, as one script: one file can import nothing.

    All of them share one scope, so no two modules may use the same name at their top level.
    """
    modules: dict[str, str] = {}

    def add_module(path: str) -> None:
        if path in modules:
            return
        text = _read_asset(path)
        for imported in _IMPORT.findall(text):
            add_module(normpath(join(dirname(path), imported)))
        modules[path] = _EXPORT.sub("", _IMPORT.sub("", text))

    add_module(name)
    return Markup("\n".join(modules.values()))


def embed_json(value: Any) -> Markup:
    r"""Write a value as JSON that can stand in a ``<script type="application/json">``.

    >>> print(embed_json(["</script>", 1]))
    ["\u003c/script>",1]
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter in "<\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(text)
