"""Anonymise tables of words by what the words mean.

Taxonomies say what concepts are kinds of, distances how far apart two of them are, statistics
what a column of them is like; masking methods make records alike that were not.
``docs/reference.md`` lists everything by purpose.
"""

from ontomask import datasets, errors
from ontomask._version import __version__
from ontomask.distances import distance, distance_matrix
from ontomask.errors import OntomaskError, OntomaskWarning
from ontomask.methods import Microaggregation, Recoding, Resampling, Suppression
from ontomask.release import Date, Nominal, Numeric, Ordinal, Release, Schema, mask
from ontomask.statistics import (
    centroid,
    distance_correlation,
    distance_covariance,
    distance_variance,
    marginality,
    marginality_covariance,
    marginality_mean,
    marginality_variance,
    semantic_mean,
    semantic_variance,
    weighted_distance,
)
from ontomask.taxonomy import Taxonomy, TermMap, load_taxonomy, map_terms

__all__ = [
    # what concepts mean
    "Taxonomy",
    "load_taxonomy",
    "map_terms",
    "TermMap",
    # how far apart they are
    "distance",
    "distance_matrix",
    # what columns of them are like
    "semantic_mean",
    "semantic_variance",
    "centroid",
    "weighted_distance",
    "marginality",
    "marginality_mean",
    "marginality_variance",
    "marginality_covariance",
    "distance_covariance",
    "distance_variance",
    "distance_correlation",
    # masking a table
    "mask",
    "Release",
    "Schema",
    "Nominal",
    "Numeric",
    "Ordinal",
    "Date",
    "Microaggregation",
    "Recoding",
    "Resampling",
    "Suppression",
    # the rest
    "datasets",
    "errors",
    "OntomaskError",
    "OntomaskWarning",
    "__version__",
]
