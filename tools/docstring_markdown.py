r"""Turn our docstrings into Markdown for the API reference; mkdocs.yml names this file.

Docstrings use reStructuredText for what Markdown lacks: ``.. math::`` and ``:math:`` for formulas,
``:func:`` and the like for references. Examples are doctests. Griffe, which reads the source code
for mkdocstrings, calls the extension below for every object.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from griffe import (
    Attribute,
    Class,
    Docstring,
    ExprName,
    ExprSubscript,
    ExprTuple,
    Extension,
    Function,
    Object,
)

__all__ = ["DocstringMarkdown", "to_markdown"]

MATH_BLOCK = re.compile(r"^( *)\.\. math:: (.*(?:\n\1 +\S.*)*)", re.MULTILINE)
MATH = re.compile(r":math:`([^`]+)`")
ROLE = re.compile(r":(?:attr|class|data|func|meth|mod):`~?([^`]+)`")
CODE = re.compile(r"``([^`]+)``")
PAGE = re.compile(r"\bdocs/([\w/-]+)\.md\b")
DOCTEST = re.compile(r"^( *)>>> .*(?:\n\1\S.*|\n\1 +\S.*)*", re.MULTILINE)


def to_markdown(text: str) -> str:
    r"""Convert a docstring.

    >>> to_markdown("The mean (:math:`\\mu`), see :func:`~ontomask.mask`; ``k`` is 2.")
    'The mean ($\\mu$), see `mask`; `k` is 2.'
    """
    text = MATH_BLOCK.sub(_display_formula, text)
    text = MATH.sub(lambda match: f"${' '.join(match[1].split())}$", text)
    text = ROLE.sub(lambda match: f"`{match[1].rpartition('.')[2]}`", text)
    text = CODE.sub(lambda match: f"`{match[1]}`", text)
    text = PAGE.sub(r"[\g<0>](../\1.md)", text)  # seen from docs/reference/
    return DOCTEST.sub(_fence, text)


def _display_formula(match: re.Match[str]) -> str:
    indent = match[1]
    return f"{indent}$$\n{indent}{' '.join(match[2].split())}\n{indent}$$"


def _fence(match: re.Match[str]) -> str:
    indent = match[1]
    return f"{indent}```pycon\n{match[0]}\n{indent}```"


def without_help(annotation: Any) -> Any:
    """The type of a setting without the help that stands beside it in ``Annotated[...]``."""
    if (
        isinstance(annotation, ExprSubscript)
        and isinstance(annotation.left, ExprName)
        and annotation.left.name == "Annotated"
        and isinstance(annotation.slice, ExprTuple)
    ):
        return annotation.slice.elements[0]
    return annotation


def comment_above(attribute: Attribute) -> str:
    """The ``#:`` comment above an attribute, as one text; empty if there is none."""
    if not isinstance(attribute.filepath, Path) or attribute.lineno is None:
        return ""
    lines = attribute.filepath.read_text(encoding="utf-8").splitlines()
    first = attribute.lineno - 1
    while first > 0 and lines[first - 1].lstrip().startswith("#: "):
        first -= 1
    return " ".join(line.strip()[3:] for line in lines[first : attribute.lineno - 1])


class DocstringMarkdown(Extension):
    """Docstrings as Markdown, and types of settings without their help."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Convert the docstring of one object."""
        if isinstance(obj, Attribute) and obj.docstring is None and (text := comment_above(obj)):
            obj.docstring = Docstring(text, parent=obj)
        if obj.docstring is not None:
            obj.docstring.value = to_markdown(obj.docstring.value)
        if isinstance(obj, Function):
            for parameter in obj.parameters:
                parameter.annotation = without_help(parameter.annotation)
        if isinstance(obj, Class) and isinstance(init := obj.members.get("__init__"), Function):
            for parameter in init.parameters:
                parameter.annotation = without_help(parameter.annotation)
