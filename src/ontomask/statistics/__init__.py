"""Mean, variance, marginality and correlation of columns of concepts."""

from ontomask.statistics.association import (
    distance_correlation,
    distance_covariance,
    distance_variance,
)
from ontomask.statistics.centre import (
    centroid,
    semantic_mean,
    semantic_variance,
    weighted_distance,
)
from ontomask.statistics.marginality import (
    marginality,
    marginality_covariance,
    marginality_mean,
    marginality_variance,
)

__all__ = [
    # the middle, and the spread around it
    "semantic_mean",
    "semantic_variance",
    "centroid",
    "weighted_distance",
    # how outlying values are
    "marginality",
    "marginality_mean",
    "marginality_variance",
    "marginality_covariance",
    # association
    "distance_covariance",
    "distance_variance",
    "distance_correlation",
]
