"""Anonymise microdata with columns of words or codes, such as diagnoses and occupations.

Taxonomies say which concepts are kinds of others, distances how different two concepts are, and
statistics describe columns of concepts. Masking methods change quasi-identifiers so that records
become harder to re-identify. ``docs/reference/`` describes all public names by subject.

Names are imported on first use, so importing the package is fast.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from ontomask._version import __version__

if _TYPE_CHECKING:
    from ontomask import datasets, errors, risk, utility
    from ontomask.distances import distance, distance_matrix
    from ontomask.errors import OntomaskError, OntomaskWarning
    from ontomask.methods import (
        Microaggregation,
        NoiseAddition,
        PairRecoding,
        RankSwapping,
        Recoding,
        Resampling,
        Suppression,
    )
    from ontomask.microdata.population import Population
    from ontomask.microdata.schema import Date, Nominal, NominalSet, Numeric, Ordinal, Schema
    from ontomask.pipeline import (
        Comparison,
        Evaluation,
        Intersection,
        RecordCentroid,
        Records,
        Release,
        TablesRelease,
        compare,
        evaluate,
        intersect_releases,
        mask,
        mask_tables,
    )
    from ontomask.releasefile import run_release_file
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
    from ontomask.taxonomy import (
        Crosswalk,
        Taxonomy,
        TermMap,
        load_taxonomy,
        map_terms,
        read_crosswalk,
    )

__all__ = [
    # taxonomies and mapping
    "Taxonomy",
    "load_taxonomy",
    "map_terms",
    "TermMap",
    "Crosswalk",
    "read_crosswalk",
    # distances
    "distance",
    "distance_matrix",
    # statistics
    "semantic_mean",
    "semantic_variance",
    "centroid",
    "weighted_distance",
    "Records",
    "RecordCentroid",
    "marginality",
    "marginality_mean",
    "marginality_variance",
    "marginality_covariance",
    "distance_covariance",
    "distance_variance",
    "distance_correlation",
    # masking
    "mask",
    "Release",
    "mask_tables",
    "TablesRelease",
    "Schema",
    "Nominal",
    "NominalSet",
    "Numeric",
    "Ordinal",
    "Date",
    "Population",
    "Microaggregation",
    "PairRecoding",
    "Recoding",
    "Resampling",
    "Suppression",
    "RankSwapping",
    "NoiseAddition",
    # information loss and disclosure risk
    "evaluate",
    "Evaluation",
    "intersect_releases",
    "Intersection",
    "compare",
    "Comparison",
    "run_release_file",
    "utility",
    "risk",
    # the rest
    "datasets",
    "errors",
    "OntomaskError",
    "OntomaskWarning",
    "__version__",
]

#: Where public names are looked for, in this order.
_HOMES = (
    "taxonomy",
    "distances",
    "statistics",
    "microdata",
    "methods",
    "pipeline",
    "releasefile",
    "errors",
)


def __getattr__(name: str) -> _Any:
    if name in __all__:
        for home in _HOMES:
            module = _import_module(f"ontomask.{home}")
            if name in module.__all__:
                globals()[name] = found = getattr(module, name)
                return found
    if name == "release":
        return _release
    if not name.startswith("_"):
        try:
            return _import_module(f"ontomask.{name}")  # a part of the package
        except ModuleNotFoundError as error:
            if error.name != f"ontomask.{name}":
                raise
    raise AttributeError(f"module 'ontomask' has no attribute {name!r}")


def _release(*arguments: _Any, **settings: _Any) -> _Any:
    """Deprecated: :func:`run_release_file` under its old name."""
    import warnings

    from ontomask.releasefile import run_release_file

    message = "ontomask.release(...) is deprecated: use ontomask.run_release_file(...)"
    warnings.warn(message, DeprecationWarning, stacklevel=2)
    return run_release_file(*arguments, **settings)


def __dir__() -> list[str]:
    return sorted(__all__)
