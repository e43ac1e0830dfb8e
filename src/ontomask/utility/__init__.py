"""Data utility and information loss, computed from the plan alone.

Distances are the semantic distances of the attributes, whatever the method used.
"""

from ontomask._runtime.deprecation import deprecated_names
from ontomask.microdata.measures import FigureDescription
from ontomask.utility.association import (
    Correlations,
    distance_correlations,
    distance_variance_difference,
)
from ontomask.utility.classes import average_class_size, discernibility, kl
from ontomask.utility.clustering import Clustering, clustering_distance
from ontomask.utility.columns import Change, MeanShift, mean_shift, variance_difference
from ontomask.utility.evaluation import DESCRIPTIONS, evaluate_utility
from ontomask.utility.information_loss import (
    attribute_sse,
    changed,
    changed_records,
    mean_absolute_distance,
    rmse,
    semantic_quality,
    sse,
)
from ontomask.utility.numerical import NumberSummary, numbers
from ontomask.utility.sets import (
    BranchLift,
    KeptValues,
    SetSizeLoss,
    branch_correlations,
    branch_lifts,
    kept_by_branch,
    kept_values,
    loss_by_set_size,
)

__all__ = [
    # everything at once, and what it means
    "evaluate_utility",
    "DESCRIPTIONS",
    "FigureDescription",
    # how far records and values have moved
    "sse",
    "attribute_sse",
    "rmse",
    "mean_absolute_distance",
    "changed",
    "changed_records",
    "semantic_quality",
    # classes of records that look alike
    "kl",
    "discernibility",
    "average_class_size",
    # each column
    "mean_shift",
    "MeanShift",
    "variance_difference",
    "distance_variance_difference",
    "Change",
    "numbers",
    "NumberSummary",
    # columns of sets
    "kept_values",
    "kept_by_branch",
    "KeptValues",
    "loss_by_set_size",
    "SetSizeLoss",
    "branch_lifts",
    "BranchLift",
    "branch_correlations",
    # how columns and records hang together
    "distance_correlations",
    "Correlations",
    "clustering_distance",
    "Clustering",
]

__getattr__ = deprecated_names(__name__, {"Measure": "FigureDescription"})
