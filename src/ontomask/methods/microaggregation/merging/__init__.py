"""Grouping by merging: groups grow together where that costs least, and are then improved.

The papers group with MDAV. This is ours; docs/concepts/merging.md explains it.
"""

from ontomask.methods.microaggregation.merging.merge import Grouping, merge

__all__ = ["Grouping", "merge"]
