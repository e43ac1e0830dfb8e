"""Which of the bundled taxonomies knows the values of a column."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ontomask.errors import OntomaskError
from ontomask.releasefile.profile.column_names import CODED
from ontomask.taxonomy import load_taxonomy, map_terms

__all__ = ["Known", "known_by"]

#: A taxonomy is proposed where it knows so many of the different values.
ENOUGH = 0.9
FEWEST_VALUES = 3
FEWEST_WORDS = 5
#: Of more words than this, the most frequent ones are compared.
MOST_WORDS = 2_000

BUNDLED_CODES: tuple[str, ...] = ("icd9cm", "icd9cm-procedures")
ICD9 = re.compile(r"[EV]?\d{1,5}(\.\d{0,2})?", re.IGNORECASE)
ICD10 = re.compile(r"[A-TV-Z]\d[\dA-Z](\.?[\dA-Z]{1,4})?", re.IGNORECASE)
MARKED = re.compile(r"[A-Z]\d|\d\.\d", re.IGNORECASE)
WORDS = re.compile(r"[^\W\d_]{3,}([ '-][^\W\d_]+)*")
PROCEDURES = {"procedure", "procedures", "proc", "px", "surgery", "operation", "intervention"}


@dataclass(frozen=True)
class Known:
    """A taxonomy with the share of different values it knows, and how many it does not know."""

    taxonomy: str
    coverage: float
    unknown: int
    repair_codes: bool = False
    of_codes: bool = True


def known_by(values: Mapping[str, int], words_of_name: frozenset[str]) -> Known | None:
    """The taxonomy that knows nearly all of the values of a column, if there is one."""
    if len(values) < FEWEST_VALUES:
        return None
    named = bool(words_of_name & CODED)
    if _share(values, ICD9) >= ENOUGH:
        names = BUNDLED_CODES[::-1] if words_of_name & PROCEDURES else BUNDLED_CODES
    elif _share(values, ICD10) >= ENOUGH:
        names = ("icd10cm",)
    else:
        by_label = (_codes(values, name, False) for name in BUNDLED_CODES if named)
        return next((known for known in by_label if known is not None), None) or _words(values)
    if not named and not any(MARKED.search(value) for value in values):
        return None  # plain numbers, that any classification has
    found = [known for name in names if (known := _codes(values, name, named)) is not None]
    return max(found, key=lambda it: it.coverage, default=None)  # the first of equals


def _share(values: Mapping[str, int], pattern: re.Pattern[str]) -> float:
    return sum(pattern.fullmatch(value.strip()) is not None for value in values) / len(values)


def _codes(values: Mapping[str, int], name: str, mend: bool) -> Known | None:
    """How many of the codes a taxonomy knows; damaged ones are mended where the name says codes."""
    try:
        taxonomy = load_taxonomy(name)
    except OntomaskError:  # it belongs to a package that is not installed
        return None
    counts: dict[object, int] = dict(values.items())
    plain = len(map_terms(counts, taxonomy, stems=None).lost)
    mended = plain
    if mend and plain:
        mended = len(map_terms(counts, taxonomy, stems=None, repair_codes=True).lost)
    lost = min(plain, mended)
    coverage = 1 - lost / len(values)
    # Mending makes something of many a number: it counts where most codes are right as they are,
    # or where all of them lost their point.
    if coverage < ENOUGH or (mended < plain and not _damaged(values, plain)):
        return None
    return Known(name, coverage, lost, mended < plain)


def _damaged(values: Mapping[str, int], plain: int) -> bool:
    mostly_right = plain <= len(values) / 2
    without_point = not any("." in value for value in values)
    return mostly_right or without_point


def _words(values: Mapping[str, int]) -> Known | None:
    """WordNet, where hardly any word is unknown or has several meanings."""
    if len(values) < FEWEST_WORDS or _share(values, WORDS) < ENOUGH:
        return None
    some: dict[object, int] = dict(sorted(values.items(), key=lambda it: -it[1])[:MOST_WORDS])
    lost = len(map_terms(some, load_taxonomy("wordnet")).lost)
    coverage = 1 - lost / len(some)
    return Known("wordnet", coverage, lost, of_codes=False) if coverage >= ENOUGH else None
