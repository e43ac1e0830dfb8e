"""The concepts of the columns of the open table, cached until settings or files change.

A taxonomy is read once for all columns and requests, until its file changes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from ontomask._runtime.own_warnings import collect_warnings
from ontomask.errors import ParameterError
from ontomask.microdata.schema import Nominal
from ontomask.pipeline.meaning.column import ColumnMeaning, find_column_meaning
from ontomask.releasefile.fields import files_of_column
from ontomask.releasefile.model import ColumnSpec
from ontomask.taxonomy import Taxonomy
from ontomask.web.session import Workbench

__all__ = ["LoadedMeaning", "load_meaning"]

#: The most taxonomies in the cache.
MAX_TAXONOMIES = 8


@dataclass(frozen=True)
class LoadedMeaning:
    """The meaning of a column, and the warnings of reading its taxonomy as ``notes``."""

    meaning: ColumnMeaning
    notes: tuple[str, ...]


@dataclass
class _MeaningCache:
    """Taxonomies and meanings of columns that one workbench has loaded."""

    lock: Lock = field(default_factory=Lock)
    #: Loaded taxonomies, by source and modification stamp.
    taxonomies: dict[str, tuple[dict[str, Taxonomy], tuple[str, ...]]] = field(default_factory=dict)
    columns: dict[str, tuple[object, str, LoadedMeaning]] = field(default_factory=dict)


_caches: WeakKeyDictionary[Workbench, _MeaningCache] = WeakKeyDictionary()
_caches_lock = Lock()


def load_meaning(bench: Workbench, name: str) -> LoadedMeaning:
    """Load the meaning of a nominal column of the open table, with the current settings."""
    fields = bench.column(name)
    kind = fields.get("type") or ("nominal" if fields.get("taxonomy") else None)
    if kind not in ("nominal", "set") or not fields.get("taxonomy"):
        raise ParameterError(
            f"column {name!r} has no taxonomy",
            "choose one, or press “Build a taxonomy”" if kind in (None, "nominal", "set") else "",
        )
    with _caches_lock:
        cache = _caches.setdefault(bench, _MeaningCache())
    with cache.lock:
        return _load_cached(bench, name, fields, cache)


def _load_cached(
    bench: Workbench, name: str, fields: Mapping[str, Any], cache: _MeaningCache
) -> LoadedMeaning:
    """Load the meaning of a column, unless the cache has it for these fields and files."""
    table = bench.opened()
    marks = bench.draft.read().fields.get("missing_marks") or ()
    stamps = _file_stamps(bench, fields)
    key = json.dumps([dict(fields), list(marks), stamps], default=str, sort_keys=True)
    cached = cache.columns.get(name)
    if cached is not None and cached[0] is table and cached[1] == key:
        return cached[2]
    column, notes = _load_column(bench, name, fields, cache)
    quasi = fields.get("role") == "quasi"
    meaning = find_column_meaning(
        column, bench.values(name), [str(mark) for mark in marks] if quasi else []
    )
    loaded = LoadedMeaning(meaning, notes)
    cache.columns[name] = (table, key, loaded)
    return loaded


def _file_stamps(bench: Workbench, fields: Mapping[str, Any]) -> list[Any]:
    """Modification time, size and inode of each file that a column names.

    A folder, as some taxonomies are, changes with its entries.
    """
    stamps: list[Any] = []
    for name in files_of_column(fields):
        path = bench.folder.resolve_inside(name)
        try:
            stat = path.stat()
            stamps.append([stat.st_mtime_ns, stat.st_size, stat.st_ino])
        except OSError:
            stamps.append(None)  # reading it reports that it is missing
    return stamps


def _load_column(
    bench: Workbench, name: str, fields: Mapping[str, Any], cache: _MeaningCache
) -> tuple[Nominal, tuple[str, ...]]:
    """Load the column as masking would; the rest of the release file may still be missing."""
    folder = bench.folder.path
    role = "confidential" if fields.get("role") == "confidential" else "quasi"
    settings = ColumnSpec.from_dict(name, {**fields, "role": role}, folder)
    options = sorted((settings.options or {}).items())
    sources = {field: fields.get(field) for field in ("taxonomy", "more_taxonomies")}
    key = repr((sources, settings.format, options, _file_stamps(bench, sources)))
    loaded, notes = cache.taxonomies.get(key, ({}, ()))
    with collect_warnings() as collected:
        column = settings.schema_column(name, folder, loaded)  # loads what is not in there yet
    assert isinstance(column, Nominal)
    if key not in cache.taxonomies:
        notes = tuple(map(str, collected))
        while len(cache.taxonomies) >= MAX_TAXONOMIES:
            cache.taxonomies.pop(next(iter(cache.taxonomies)))
        cache.taxonomies[key] = (loaded, notes)
    return column, notes
