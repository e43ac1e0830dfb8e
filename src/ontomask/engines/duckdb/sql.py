"""Names and texts as SQL writes them."""

from __future__ import annotations

from ontomask.errors import FileFormatError

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

    DuckDB takes UTF-8 alone; the names of files may have other bytes.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise FileFormatError(
            f"the path {text!a} is not valid UTF-8", "rename the file or its folder"
        ) from None
    return "'" + text.replace("'", "''") + "'"
