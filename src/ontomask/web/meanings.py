"""What the columns of the opened table mean, kept while nothing that says it has changed.

A taxonomy is read once, however many columns and requests there are, until its file changes.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from ontomask.errors import OntomaskWarning, ParameterError
from ontomask.microdata.schema import Nominal
from ontomask.pipeline.meaning.column import ColumnMeaning, meaning_of
from ontomask.releasefile.model import Spec
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.readers.bundled import KNOWN
from ontomask.web.session import Workbench

__all__ = ["Known", "known_of"]

#: So many taxonomies are kept.
MOST_TAXONOMIES = 8


@dataclass(frozen=True)
class Known:
    """What a column means; ``notes`` were said when its taxonomy was read."""

    meaning: ColumnMeaning
    notes: tuple[str, ...]


@dataclass
class _Kept:
    """What one workbench keeps."""

    lock: Lock = field(default_factory=Lock)
    #: What the loader of a release has loaded, by the source and the state it was in.
    taxonomies: dict[str, tuple[dict[str, Taxonomy], tuple[str, ...]]] = field(default_factory=dict)
    columns: dict[str, tuple[object, str, Known]] = field(default_factory=dict)


_kept: WeakKeyDictionary[Workbench, _Kept] = WeakKeyDictionary()
_first = Lock()


def known_of(bench: Workbench, name: str) -> Known:
    """What a nominal column of the opened table means, as the release file says now."""
    fields = bench.column(name)
    kind = fields.get("type") or ("nominal" if fields.get("taxonomy") else None)
    if kind != "nominal" or not fields.get("taxonomy"):
        raise ParameterError(
            f"column {name!r} has no taxonomy",
            "choose one for it, or build one from its values" if kind in (None, "nominal") else "",
        )
    with _first:
        kept = _kept.setdefault(bench, _Kept())
    with kept.lock:
        return _known(bench, name, fields, kept)


def _known(bench: Workbench, name: str, fields: Mapping[str, Any], kept: _Kept) -> Known:
    opened = bench.opened()
    marks = bench.draft.read().fields.get("missing_marks") or ()
    stamps = _stamps(bench, fields)
    key = json.dumps([dict(fields), list(marks), stamps], default=str, sort_keys=True)
    before = kept.columns.get(name)
    if before is not None and before[0] is opened and before[1] == key:
        return before[2]
    column, notes = _nominal(bench, name, fields, stamps, kept)
    quasi = fields.get("role") == "quasi"
    meaning = meaning_of(column, opened.values(name), [str(it) for it in marks] if quasi else [])
    known = Known(meaning, notes)
    kept.columns[name] = (opened, key, known)
    return known


def _stamps(bench: Workbench, fields: Mapping[str, Any]) -> list[Any]:
    """Which state the files are in that a column names; the page names none outside of the folder.

    A folder, as some taxonomies are, changes with its entries.
    """
    stamps: list[Any] = []
    for name in ("taxonomy", "mapping"):
        named = fields.get(name)
        if not isinstance(named, str) or (name == "taxonomy" and named in KNOWN):
            stamps.append(None)
            continue
        path = bench.folder.inside(named)
        try:
            found = path.stat()
            stamps.append([found.st_mtime_ns, found.st_size, found.st_ino])
        except OSError:
            stamps.append(None)  # that it is not there is said where it is read
    return stamps


def _nominal(
    bench: Workbench, name: str, fields: Mapping[str, Any], stamps: list[Any], kept: _Kept
) -> tuple[Nominal, tuple[str, ...]]:
    """The column as masking would take it; the rest of the release file may still be missing."""
    spec = Spec.from_dict(
        {
            "data": "data.csv",
            "output": "released.csv",
            "columns": {name: {**fields, "role": "quasi"}},
            "method": {"name": "suppression", "k": 2},
        },
        bench.folder.path,
    )
    said = spec.columns[name]
    key = repr((said.taxonomy, said.format, sorted((said.options or {}).items()), stamps[0]))
    loaded, notes = kept.taxonomies.get(key, ({}, ()))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OntomaskWarning)
        column = spec._typed(name, said, loaded)  # which loads what is not in there yet
    assert isinstance(column, Nominal)
    if key not in kept.taxonomies:
        notes = tuple(str(it.message) for it in caught if issubclass(it.category, OntomaskWarning))
        while len(kept.taxonomies) >= MOST_TAXONOMIES:
            kept.taxonomies.pop(next(iter(kept.taxonomies)))
        kept.taxonomies[key] = (loaded, notes)
    return column, notes
