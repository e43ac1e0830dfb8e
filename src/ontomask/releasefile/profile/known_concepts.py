"""Which of the bundled taxonomies knows the values of a column."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from ontomask.errors import OntomaskError
from ontomask.releasefile.profile.column_names import CODE_WORDS
from ontomask.taxonomy import load_taxonomy, map_terms

__all__ = [
    "FEWEST_VALUES",
    "MIN_COVERAGE",
    "MOST_WORDS",
    "TaxonomyCoverage",
    "are_damaged_codes",
    "are_icd10_codes",
    "find_bundled_taxonomy",
]

#: A taxonomy is proposed if it contains this share of the distinct values.
MIN_COVERAGE = 0.9
FEWEST_VALUES = 3
FEWEST_WORDS = 5
#: Of more words than this, the most frequent ones are compared.
MOST_WORDS = 2_000

BUNDLED_CODES: tuple[str, ...] = ("icd9cm", "icd9cm-procedures")
ICD9 = re.compile(r"[EV]?\d{1,5}(\.\d{0,2})?", re.IGNORECASE)
ICD10 = re.compile(r"[A-TV-Z]\d[\dA-Z](\.?[\dA-Z]{1,4})?", re.IGNORECASE)
CODE_MARK = re.compile(r"[A-Z]\d|\d\.\d", re.IGNORECASE)
PHRASE = re.compile(r"[^\W\d_]{3,}([ '-][^\W\d_]+)*")
PROCEDURES = {"procedure", "procedures", "proc", "px", "surgery", "operation", "intervention"}


@dataclass(frozen=True)
class TaxonomyCoverage:
    """A taxonomy, by name or path, with the share of distinct values it has, and how many it lacks.

    ``is_offered`` says that the user named it, or that it lies beside the table.
    """

    taxonomy: str
    coverage: float
    unknown: int
    repair_codes: bool = False
    of_codes: bool = True
    is_offered: bool = False

    @property
    def label(self) -> str:
        """The name of the taxonomy or of its file."""
        return Path(self.taxonomy).name

    @property
    def percent(self) -> str:
        """The share in percent, rounded down: only all values are all."""
        return "all" if self.coverage == 1 else f"{int(1000 * self.coverage) / 10:g} %"


def find_bundled_taxonomy(
    values: Mapping[str, int], words_of_name: frozenset[str]
) -> TaxonomyCoverage | None:
    """Find the bundled taxonomy that covers nearly all values of a column, if there is one."""
    if len(values) < FEWEST_VALUES:
        return None
    named_as_code = CODE_WORDS.has_any(words_of_name)
    if _matching_share(values, ICD9) >= MIN_COVERAGE:
        names = BUNDLED_CODES[::-1] if words_of_name & PROCEDURES else BUNDLED_CODES
    elif _matching_share(values, ICD10) >= MIN_COVERAGE:
        names = ("icd10cm",)
    else:
        by_label = (_code_coverage(values, name, False) for name in BUNDLED_CODES if named_as_code)
        return next(
            (coverage for coverage in by_label if coverage is not None), None
        ) or _wordnet_coverage(values)
    if not named_as_code and not any(CODE_MARK.search(value) for value in values):
        return None  # plain numbers, that any classification has
    candidates = [
        coverage
        for name in names
        if (coverage := _code_coverage(values, name, named_as_code)) is not None
    ]
    return max(
        candidates, key=lambda candidate: candidate.coverage, default=None
    )  # the first of equals


def are_icd10_codes(values: Mapping[str, int]) -> bool:
    """Whether nearly all values have the shape of ICD-10 codes, and some have a digit or point."""
    return len(values) >= FEWEST_VALUES and _matching_share(values, ICD10) >= MIN_COVERAGE


def _matching_share(values: Mapping[str, int], pattern: re.Pattern[str]) -> float:
    return sum(pattern.fullmatch(value.strip()) is not None for value in values) / len(values)


def _code_coverage(values: Mapping[str, int], name: str, mend: bool) -> TaxonomyCoverage | None:
    """Coverage of codes by a taxonomy; damaged ones are repaired where the name says codes."""
    try:
        taxonomy = load_taxonomy(name)
    except OntomaskError:  # it belongs to a package that is not installed
        return None
    counts: dict[object, int] = dict(values.items())
    plain = len(map_terms(counts, taxonomy, stems=None).lost)
    mended = plain
    if mend and plain:
        mended = len(map_terms(counts, taxonomy, stems=None, repair_codes=True).lost)
    unknown = min(plain, mended)
    coverage = 1 - unknown / len(values)
    # Repairing turns many plain numbers into codes. It is used only if most codes are right without
    # it, or if all of them lost their point.
    if coverage < MIN_COVERAGE or (mended < plain and not are_damaged_codes(values, plain)):
        return None
    return TaxonomyCoverage(name, coverage, unknown, mended < plain)


def are_damaged_codes(values: Collection[str], plain: int) -> bool:
    """Whether codes of which so many are unknown may have lost zeros or points."""
    mostly_right = plain <= len(values) / 2
    without_point = not any("." in value for value in values)
    return mostly_right or without_point


def _wordnet_coverage(values: Mapping[str, int]) -> TaxonomyCoverage | None:
    """Coverage by WordNet, where hardly any word is unknown or ambiguous."""
    if len(values) < FEWEST_WORDS or _matching_share(values, PHRASE) < MIN_COVERAGE:
        return None
    counts: dict[object, int] = dict(sorted(values.items(), key=lambda item: -item[1])[:MOST_WORDS])
    unknown = len(map_terms(counts, load_taxonomy("wordnet")).lost)
    coverage = 1 - unknown / len(counts)
    return (
        TaxonomyCoverage("wordnet", coverage, unknown, of_codes=False)
        if coverage >= MIN_COVERAGE
        else None
    )
