"""Taxonomies, the readers of their file formats, and the mapping of values to concepts."""

from ontomask.taxonomy.about import About
from ontomask.taxonomy.crosswalk import Crosswalk, read_crosswalk
from ontomask.taxonomy.names import Hit
from ontomask.taxonomy.readers import load_taxonomy
from ontomask.taxonomy.taxonomy import Concept, Taxonomy
from ontomask.taxonomy.terms import Match, Suggestion, TermMap, map_terms

__all__ = [
    "About",
    "Concept",
    "Crosswalk",
    "Hit",
    "Match",
    "Suggestion",
    "Taxonomy",
    "TermMap",
    "load_taxonomy",
    "map_terms",
    "read_crosswalk",
]
