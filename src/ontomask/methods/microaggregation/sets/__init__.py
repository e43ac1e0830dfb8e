"""Microaggregation of sets of concepts, alone or beside other attributes.

Groups are found by the same merging and local search as those of tuples; a set adds a distance and
a centroid of its own (:mod:`ontomask.microdata.sets`).
"""

from ontomask.methods.microaggregation.sets.merge import SetGrouping, mdav_sets, merge_sets
from ontomask.methods.microaggregation.sets.space import SetColumn

__all__ = ["SetColumn", "SetGrouping", "mdav_sets", "merge_sets"]
