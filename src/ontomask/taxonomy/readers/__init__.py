"""Taxonomies from files, one small module per format, and back."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, TextIO

from ontomask.errors import (
    FileFormatError,
    ParameterError,
    TaxonomyError,
    UnknownTaxonomyError,
    quoted,
)
from ontomask.taxonomy.names import nearest
from ontomask.taxonomy.readers import arx, bundled, child_parent
from ontomask.taxonomy.readers.text import Table, read_table
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["load_taxonomy", "write"]

READERS: dict[str, Callable[..., Taxonomy]] = {"child-parent": child_parent.read, "arx": arx.read}
WRITERS: dict[str, Callable[[Taxonomy, TextIO, Path], None]] = {
    "child-parent": child_parent.write,
    "arx": arx.write,
}


def load_taxonomy(
    source: str | PathLike[str],
    format: str | None = None,
    *,
    delimiter: str | None = None,
    encoding: str = "utf-8-sig",
    **options: Any,
) -> Taxonomy:
    """A taxonomy by name, or from a file.

    Names: ``icd9cm`` (ICD-9-CM diagnoses), ``icd9cm-procedures``, ``wordnet`` (WordNet 3.0 nouns,
    identifiers like ``person.n.01``). Files, gzip or not: a table of children and parents
    (``child-parent``) and an ARX hierarchy (``arx``); ``format`` says which where the content does
    not. A table whose header names a child and a parent column is the former, and so is one of
    two columns; anything else is read as an ARX hierarchy. Options of ``child-parent``:
    ``child``, ``parent`` and ``label`` name the columns, ``header=False`` says there is none.

    >>> load_taxonomy("icd9cm").label("540.0")
    'Acute appendicitis with generalized peritonitis'
    """
    if isinstance(source, str) and source in bundled.BUNDLED:
        return bundled.read(source)
    path = Path(source)
    if not path.exists() and isinstance(source, str):
        raise _no_such(source)
    if format is not None and format not in READERS:
        raise ParameterError(
            f"format is {format!r}", f"the formats are {quoted(READERS)}; leave it out to find out"
        )
    table = read_table(path, delimiter, encoding)
    reader = READERS[format or _format(table, options)]
    try:
        return reader(table, name=path.name.split(".")[0], **options)
    except TaxonomyError as error:  # say which file it was
        raise type(error)(f"{path}: {error.message}", error.hint) from None
    except TypeError:
        if unknown := set(options) - {"child", "parent", "label", "header"}:
            raise ParameterError(
                f"load_taxonomy has no option {quoted(unknown)}",
                "the options are delimiter, encoding, child, parent, label, header",
            ) from None
        if options and reader is arx.read:
            raise ParameterError(
                f"an ARX hierarchy has no option {quoted(options)}",
                'these go with format="child-parent"',
            ) from None
        raise


def _format(table: Table, options: dict[str, Any]) -> str:
    narrow = len(table.rows[0].cells) == 2
    return "child-parent" if options or narrow or child_parent.has_header(table) else "arx"


def _no_such(source: str) -> UnknownTaxonomyError:
    near = nearest(source, bundled.BUNDLED, most=1)
    return UnknownTaxonomyError(
        f"{source!r} is neither a bundled taxonomy nor a file",
        (f"did you mean {near[0]!r}? " if near else "")
        + f"Bundled are {quoted(bundled.BUNDLED)}; a file is named by its path",
    )


def write(taxonomy: Taxonomy, path: str | PathLike[str], format: str, *, force: bool) -> None:
    """Write a taxonomy beside its target and move it there when it is complete."""
    if format not in WRITERS:
        raise ParameterError(f"format is {format!r}", f"it can be {quoted(WRITERS)}")
    target = Path(path)
    if target.exists() and not force:
        raise ParameterError(f"{target} exists already", "choose another name, or force=True")
    try:
        handle, unfinished = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise FileFormatError(f"{target} cannot be written: {error.strerror or error}") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            WRITERS[format](taxonomy, file, target)
        Path(unfinished).replace(target)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise
