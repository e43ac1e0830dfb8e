"""Taxonomies, the readers of their file formats, and the mapping of values to concepts."""

from ontomask.taxonomy.about import About
from ontomask.taxonomy.mapping import Match, TermMap, map_terms
from ontomask.taxonomy.names import Hit
from ontomask.taxonomy.readers import load_taxonomy
from ontomask.taxonomy.taxonomy import Concept, Taxonomy

__all__ = ["About", "Concept", "Hit", "Match", "Taxonomy", "TermMap", "load_taxonomy", "map_terms"]
