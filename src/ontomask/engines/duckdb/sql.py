"""Names and texts as SQL writes them."""

from __future__ import annotations

__all__ = ["identifier", "literal"]


def identifier(name: str) -> str:
    r"""A name as SQL writes it.

    >>> print(identifier('the "best" column'))
    "the ""best"" column"
    """
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as SQL writes it.

    >>> print(literal("it's"))
    'it''s'
    """
    return "'" + text.replace("'", "''") + "'"
