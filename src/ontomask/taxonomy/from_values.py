"""Small taxonomies made of a column's own values, and the file that holds one.

Such a file lists the values of a column, rare ones too: it is private.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ontomask._runtime.files.atomic_files import atomic_path
from ontomask.errors import OntomaskError, TaxonomyError, check_choice, quote_names
from ontomask.taxonomy import Match, Taxonomy, load_taxonomy, map_terms
from ontomask.taxonomy.graph import VIRTUAL_ROOT
from ontomask.taxonomy.readers import child_parent

__all__ = [
    "SavedTaxonomy",
    "free_taxonomy_path",
    "taxonomy_of_values",
    "taxonomy_path",
    "save_taxonomy",
]

#: How a taxonomy can be made of values alone.
WAYS = ("paths", "prefixes", "flat")


@dataclass(frozen=True)
class SavedTaxonomy:
    """A taxonomy, the file it was saved to, and the values of the column that it does not map."""

    file: Path
    taxonomy: Taxonomy
    left_over: tuple[Match, ...]


def taxonomy_of_values(
    values: Iterable[str], how: str, *, separator: str = "|", lengths: Sequence[int] = ()
) -> Taxonomy:
    """Make a taxonomy of values: from their paths, their prefixes, or all below one root.

    >>> taxonomy_of_values(["nurse", "cook"], "flat").children("*")
    ('cook', 'nurse')
    """
    check_choice("how", how, *WAYS)
    # Outer spaces are lost in a file, and two values that only they tell apart are one.
    plain = list(dict.fromkeys(value.strip() for value in values if value.strip()))
    if how == "paths":
        return Taxonomy.from_paths(plain, sep=separator)
    if how == "prefixes":
        return Taxonomy.from_prefixes(plain, lengths=list(lengths))
    return Taxonomy.from_edges(
        [(VIRTUAL_ROOT, None), *((value, VIRTUAL_ROOT) for value in plain if value != VIRTUAL_ROOT)]
    )


def taxonomy_path(release_file: Path, number: int, column: str) -> Path:
    """The path of a column's taxonomy beside the release file, with unsafe characters replaced.

    ``number`` is the column's place in the table, which tells those apart that look the same then.
    """
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", column).strip("_")[:80]
    name = plain if plain == column else f"{plain}{number}"
    return release_file.with_name(f"{release_file.stem}-{name}.taxonomy.csv")


def free_taxonomy_path(file: Path, taxonomy: Taxonomy) -> Path:
    """The given path, or a numbered one if that file already holds another taxonomy.

    A release file, or a run that is kept, may name the one that is there: it stays as it is.
    """
    ending = ".taxonomy.csv"
    stem = file.name.removesuffix(ending)
    number = 1
    while file.exists() and not _holds(file, taxonomy):
        number += 1
        file = file.with_name(f"{stem}-{number}{ending}")
    return file


def _holds(file: Path, taxonomy: Taxonomy) -> bool:
    try:
        return load_taxonomy(file, "child-parent") == taxonomy
    except OntomaskError:
        return False


def save_taxonomy(
    taxonomy: Taxonomy,
    file: Path,
    values: Mapping[str, int],
    *,
    force: bool = False,
    complete: bool = False,
) -> SavedTaxonomy:
    """Save a taxonomy to a file that reads back unchanged; what it replaces is kept until then.

    ``values`` are those of the column, with counts: which of them it knows is told. Where the file
    does not read back as what was written, or, if it must be ``complete``, lacks some of the
    values, that is a :class:`~ontomask.errors.TaxonomyError`.
    """
    with atomic_path(file, force=force, private=True) as unfinished:
        with unfinished.open("w", encoding="utf-8", newline="") as text:
            if any(taxonomy.label_lists) or any(True for _ in taxonomy.alias_items()):
                child_parent.write(taxonomy, text, file)
            else:
                rows = [("child", "parent"), *_rows(taxonomy)]
                csv.writer(text, lineterminator="\n").writerows(rows)
        saved = _read_back(taxonomy, unfinished)
        lost = tuple(map_terms(dict(values), saved).lost)
        if complete and lost:
            examples = ", ".join(repr(match.value[:60]) for match in lost[:3])
            raise TaxonomyError(
                f"the taxonomy would not contain all values of the column: {examples} are missing",
                "choose another way to build it, or edit it by hand",
            )
    return SavedTaxonomy(file, saved, lost)


def _read_back(taxonomy: Taxonomy, file: Path) -> Taxonomy:
    try:
        saved = load_taxonomy(file, "child-parent")
    except OntomaskError as error:
        raise TaxonomyError(
            f"the taxonomy cannot be saved to a file: {error.message}", error.hint
        ) from None
    if saved != taxonomy:
        names = quote_names(sorted(set(taxonomy.identifiers) ^ set(saved.identifiers)), 3)
        raise TaxonomyError(
            f"some names cannot be saved to a file{f': {names}' if names else ''}",
            "remove invisible characters, such as line breaks and spaces at the ends",
        )
    return saved


def _rows(taxonomy: Taxonomy) -> list[tuple[str, str]]:
    """Every link, the root with an empty parent."""
    return [
        (concept, parent)
        for concept in taxonomy.identifiers
        for parent in taxonomy.parents(concept) or ("",)
    ]
