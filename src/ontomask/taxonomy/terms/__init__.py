"""Terms to concepts: which concept each value of a column stands for, and how that was found."""

from ontomask.taxonomy.terms.corrections import resolve_corrections
from ontomask.taxonomy.terms.matching import MATCHING_SETTINGS, map_terms
from ontomask.taxonomy.terms.suggestions import Suggestion
from ontomask.taxonomy.terms.term_map import Match, MatchKind, TermMap

__all__ = [
    "MATCHING_SETTINGS",
    "Match",
    "MatchKind",
    "Suggestion",
    "TermMap",
    "map_terms",
    "resolve_corrections",
]
