"""Which taxonomy a column is assigned to: the one that contains clearly most of its values."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass

from ontomask.releasefile.profile.column_names import CODE_WORDS
from ontomask.releasefile.profile.known_concepts import (
    FEWEST_VALUES,
    MOST_WORDS,
    TaxonomyCoverage,
    are_damaged_codes,
    find_bundled_taxonomy,
)
from ontomask.releasefile.profile.offered_taxonomies import OfferedTaxonomies, OfferedTaxonomy
from ontomask.taxonomy import Taxonomy, TermMap, map_terms

__all__ = ["TaxonomyChoice", "choose_taxonomy"]

#: An offered taxonomy is proposed if it contains this share of the distinct values, and mentioned
#: from the smaller share on.
MIN_OFFERED_COVERAGE, MIN_MENTIONED_COVERAGE = 0.5, 0.1
#: One taxonomy is clearly better than another if it contains so much more of the distinct values.
CLEARLY_BETTER = 0.05


@dataclass(frozen=True)
class TaxonomyChoice:
    """The taxonomies that contain values of a column, the best one first.

    ``rivals`` is the number of taxonomies after the first that are about as good.
    """

    ranked: tuple[TaxonomyCoverage, ...]
    rivals: int = 0

    @property
    def best(self) -> TaxonomyCoverage | None:
        """The first, if it contains enough of the values to be proposed."""
        first = next(iter(self.ranked), None)
        return first if first and first.coverage >= MIN_OFFERED_COVERAGE else None

    @property
    def is_clear(self) -> bool:
        """Whether the first is clearly better than the others."""
        return not self.rivals

    def describe_others(self) -> str:
        """The others with their coverage; empty without any."""
        others = self.ranked[1 : 1 + max(self.rivals, 1)] if self.best else self.ranked[:2]
        return " and ".join(f"{other.label} {other.percent}" for other in others)


@dataclass(frozen=True)
class _Candidate:
    """A taxonomy with its coverage; ``rank`` is 2 if it is named, 1 beside the table, or 0."""

    rank: int
    coverage: TaxonomyCoverage
    taxonomy: Taxonomy | None = None

    def is_about_as_good_as(self, best: _Candidate) -> bool:
        """Whether the best is not clearly better: by all values, or by far more of them."""
        if self.coverage.coverage <= best.coverage.coverage - CLEARLY_BETTER:
            return False
        misses_some = self.coverage.unknown > 0 and best.coverage.unknown == 0
        return not misses_some or (self.rank == 2 and best.rank < 2)


def choose_taxonomy(
    values: Mapping[str, int],
    words_of_name: frozenset[str],
    offered: OfferedTaxonomies,
    *,
    has_own_type: bool = False,
    may_be_bundled: bool = True,
) -> TaxonomyChoice:
    """Rank the offered taxonomies and the bundled ones by the share of values they contain.

    Of those that are about as good as the best, a named one comes before one beside the table, and
    that before a bundled one. ``has_own_type`` says that the values can be masked without a
    taxonomy, such as numbers and levels: only one made for them is taken then.
    """
    bundled = find_bundled_taxonomy(values, words_of_name) if may_be_bundled else None
    candidates: list[_Candidate] = []
    if bundled is not None:
        candidates.append(_Candidate(0, bundled))
    if offered.taxonomies and values:
        frequent = heapq.nlargest(MOST_WORDS, values.items(), key=lambda item: item[1])
        counts: dict[object, int] = dict(frequent)
        for candidate in offered.taxonomies:
            coverage = _offered_coverage(counts, candidate, words_of_name, has_own_type)
            if coverage is not None:
                rank = 2 if candidate.is_named else 1
                candidates.append(_Candidate(rank, coverage, candidate.taxonomy))
    return _rank_candidates(candidates)


def _rank_candidates(candidates: list[_Candidate]) -> TaxonomyChoice:
    if not candidates:
        return TaxonomyChoice(())
    best = max(candidates, key=lambda c: (c.coverage.coverage, c.rank))
    ordered = sorted(
        candidates,
        key=lambda c: (c.is_about_as_good_as(best), c.rank, c.coverage.coverage),
        reverse=True,
    )
    distinct: list[_Candidate] = []
    for candidate in ordered:  # one ontology in two formats is no choice
        if all(
            candidate.rank != other.rank or candidate.taxonomy != other.taxonomy
            for other in distinct
        ):
            distinct.append(candidate)
    equals = sum(c.rank == distinct[0].rank and c.is_about_as_good_as(best) for c in distinct)
    return TaxonomyChoice(tuple(c.coverage for c in distinct), equals - 1)


def _offered_coverage(
    counts: Mapping[object, int],
    candidate: OfferedTaxonomy,
    words_of_name: frozenset[str],
    has_own_type: bool,
) -> TaxonomyCoverage | None:
    taxonomy = candidate.taxonomy
    terms, repair = map_terms(counts, taxonomy), False
    if terms.lost and taxonomy.about.code_style and CODE_WORDS.has_any(words_of_name):
        mended = map_terms(counts, taxonomy, repair_codes=True)
        codes = [str(value) for value in counts]
        repair = len(mended.lost) < len(terms.lost) and are_damaged_codes(codes, len(terms.lost))
        terms = mended if repair else terms
    coverage = 1 - len(terms.lost) / len(counts)
    if coverage < MIN_MENTIONED_COVERAGE:
        return None
    if (has_own_type or len(counts) < FEWEST_VALUES) and not _is_made_for(terms):
        return None
    by_code = sum(match.by_code for match in terms.matches if match.concept is not None)
    return TaxonomyCoverage(
        candidate.source,
        coverage,
        len(terms.lost),
        repair,
        of_codes=2 * by_code > len(terms.concepts),
        is_offered=True,
    )


def _is_made_for(terms: TermMap) -> bool:
    """Whether at least half of the leaves of a taxonomy are values of the column."""
    leaves = terms.taxonomy.leaves
    return 2 * len(leaves & set(terms.concepts.values())) >= len(leaves)
