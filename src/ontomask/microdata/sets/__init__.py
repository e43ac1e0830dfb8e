"""Sets of concepts by meaning: a value is a set, such as all diagnoses of a patient.

A set means what it says and all that follows from it: its *closure*, the concepts and all their
ancestors. Distances compare closures, and a centroid is a closure as well; what is released is the
deepest concepts of it.

- The empty set is a value: nobody is said to have anything. Its closure is empty.
- The root alone means "something, not said": its closure is the root.
- A missing set is neither. It is the concept :func:`missing_concept`, which has no ancestors.
"""

from ontomask.microdata.sets.centroids import set_centroids
from ontomask.microdata.sets.closures import (
    closures,
    missing_concept,
    reduce_to_deepest,
    set_distances,
)
from ontomask.microdata.sets.concept_sets import ConceptSets, DistinctSets, distinct_sets
from ontomask.microdata.sets.matching import SetMatching, match_sets

__all__ = [
    "ConceptSets",
    "DistinctSets",
    "SetMatching",
    "closures",
    "distinct_sets",
    "match_sets",
    "missing_concept",
    "reduce_to_deepest",
    "set_centroids",
    "set_distances",
]
