"""A cache of parsed taxonomies, so that a large file is parsed once.

What is kept are plain arrays and text, under a name made of the content of the source, the format
and its options: a source that changes is parsed again. Nothing is unpickled, and whatever cannot
be read is parsed again. The folder is the user's cache folder; ``ONTOMASK_CACHE`` names another,
and ``ONTOMASK_CACHE=off`` does without.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from ontomask import errors
from ontomask._runtime.own_warnings import collect_warnings, warn
from ontomask._version import __version__
from ontomask.taxonomy.about import About
from ontomask.taxonomy.code_repair import CodeStyle
from ontomask.taxonomy.graph import Links
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["read_through_cache", "cache_folder"]

#: Smaller sources are parsed faster than they are looked up.
SMALLEST = 1_000_000
#: Number of cached taxonomies that are kept, the newest ones.
MOST_ENTRIES = 30
LAYOUT = 2
BETWEEN_CONCEPTS, BETWEEN_NAMES = "\x1e", "\x1f"

CaughtWarnings = list[tuple[str, str]]


def read_through_cache(
    files: Sequence[Path], settings: dict[str, Any], read: Callable[[], Taxonomy]
) -> tuple[Taxonomy, CaughtWarnings]:
    """Load the taxonomy of these files and its warnings from the cache, or call ``read``.

    ``settings`` is everything else that the result depends on.
    """
    entry = _entry_path(files, settings)
    if entry is not None and (entry_content := _load_entry(entry)) is not None:
        return entry_content
    with collect_warnings() as collected:
        taxonomy = read()
    caught_warnings = [(type(warning).__name__, str(warning)) for warning in collected]
    if entry is not None:
        _save_entry(entry, taxonomy, caught_warnings)
    return taxonomy, caught_warnings


def cache_folder() -> Path | None:
    """The folder of the cache; None where the cache is off."""
    setting = os.environ.get("ONTOMASK_CACHE")
    if setting is not None:
        return None if setting.strip().lower() in ("", "off", "0", "no") else Path(setting)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "ontomask" if base and not base.startswith("~") else None


def _entry_path(files: Sequence[Path], settings: dict[str, Any]) -> Path | None:
    cache = cache_folder()
    try:
        if cache is None or sum(file.stat().st_size for file in files) < SMALLEST:
            return None
        digest_of_all = hashlib.sha256()
        names = [path.name for path in files]  # they may say a language or a date
        digest_of_all.update(
            json.dumps([LAYOUT, __version__, settings, names], sort_keys=True).encode()
        )
        with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
            for digest in pool.map(_file_digest, files):
                digest_of_all.update(digest)
    except (OSError, TypeError, ValueError):  # unreadable: the reader says so in its own words
        return None
    return cache / f"{digest_of_all.hexdigest()[:40]}.npz"


def _file_digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _save_entry(entry: Path, taxonomy: Taxonomy, warned: CaughtWarnings) -> None:
    """Save a taxonomy to the cache; errors of the file system are ignored."""
    texts = {
        "identifiers": BETWEEN_CONCEPTS.join(taxonomy.identifiers),
        "labels": BETWEEN_CONCEPTS.join(map(BETWEEN_NAMES.join, taxonomy.label_lists)),
        "aliases": BETWEEN_CONCEPTS.join(alias for alias, _ in taxonomy.alias_items()),
        "about": json.dumps([asdict(taxonomy.about), warned]),
    }
    separators = sum(texts[n].count(BETWEEN_CONCEPTS) for n in ("identifiers", "labels", "aliases"))
    expected = 2 * (len(taxonomy) - 1) + max(sum(1 for _ in taxonomy.alias_items()) - 1, 0)
    within = sum(max(len(names) - 1, 0) for names in taxonomy.label_lists)
    if separators != expected or texts["labels"].count(BETWEEN_NAMES) != within:
        return  # a name contains what would separate names
    arrays: dict[str, NDArray[Any]] = {
        "start": taxonomy.parent_links.start,
        "items": taxonomy.parent_links.items,
        "depths": taxonomy.depths,
        "alias_codes": taxonomy.codes([concept for _, concept in taxonomy.alias_items()]),
        **{name: np.frombuffer(text.encode(), dtype=np.uint8) for name, text in texts.items()},
    }
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        handle, unfinished = tempfile.mkstemp(dir=entry.parent, prefix=".", suffix=".npz")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(file, **arrays)  # type: ignore[arg-type]
            Path(unfinished).replace(entry)
        finally:
            Path(unfinished).unlink(missing_ok=True)
        _delete_old_entries(entry.parent)
    except OSError:
        return


def _delete_old_entries(where: Path) -> None:
    entries = sorted(where.glob("*.npz"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in entries[MOST_ENTRIES:]:
        old.unlink(missing_ok=True)


def _load_entry(entry: Path) -> tuple[Taxonomy, CaughtWarnings] | None:
    if not entry.exists():
        return None
    try:
        with entry.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            text = {
                name: arrays[name].tobytes().decode()
                for name in ("identifiers", "labels", "aliases", "about")
            }
            identifiers = text["identifiers"].split(BETWEEN_CONCEPTS)
            labels = _JoinedLabels(text["labels"].split(BETWEEN_CONCEPTS))
            aliases = text["aliases"].split(BETWEEN_CONCEPTS) if text["aliases"] else []
            about, warned = json.loads(text["about"])
            start, items, depths = (
                _make_read_only(arrays[n]) for n in ("start", "items", "depths")
            )
            taxonomy = Taxonomy(
                identifiers,
                Links(start, items),
                labels,
                dict(zip(aliases, arrays["alias_codes"].tolist(), strict=True)),
                _restore_about(about),
                depths,
            )
            if not len(labels) == len(taxonomy) == len(taxonomy.depths):
                return None
            return taxonomy, [(kind, message) for kind, message in warned]
    except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile):
        return None  # damaged: it is parsed and written again


class _JoinedLabels(Sequence[tuple[str, ...]]):
    """The names of each concept, split when they are asked for."""

    def __init__(self, joined: list[str]) -> None:
        self._joined = joined

    def __len__(self) -> int:
        return len(self._joined)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        names = self._joined[place]
        return tuple(names.split(BETWEEN_NAMES)) if names else ()


def _make_read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def _restore_about(fields: dict[str, Any]) -> About:
    style, languages = fields.pop("code_style"), tuple(fields.pop("languages"))
    code_style = CodeStyle(**style) if style else None
    return About(**fields, code_style=code_style, languages=languages)


def repeat_warnings(warned: CaughtWarnings, where: str, stacklevel: int) -> None:
    """Pass on what a reader warned of, with the name of the file."""
    for kind, message in warned:
        category = getattr(errors, kind, errors.OntomaskWarning)
        text = message if where in message else f"{where}: {message}"
        warn(category(text), stacklevel + 1)
