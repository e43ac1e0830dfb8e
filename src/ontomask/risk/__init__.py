"""Disclosure risk: equivalence classes, record linkage and attribute disclosure.

All figures except those of sensitive attributes are computed from the plan alone.
"""

from ontomask._runtime.deprecation import deprecated_names
from ontomask.microdata.measures import FigureDescription
from ontomask.risk.classes import (
    class_sizes,
    journalist,
    k,
    marketer,
    masked_classes,
    original_classes,
    population_sizes,
    prosecutor,
    records_at_risk,
    uniques,
)
from ontomask.risk.diversity import (
    Confidential,
    count_homogeneous_people,
    distinct_diversity,
    entropy_diversity,
    homogeneous_records,
    recursive_diversity,
)
from ontomask.risk.evaluation import DESCRIPTIONS, evaluate_risk
from ontomask.risk.intervals import rank_interval, sd_interval
from ontomask.risk.likeness import (
    alpha,
    basic_beta_likeness,
    delta_disclosure,
    enhanced_beta_likeness,
)
from ontomask.risk.linkage import (
    Linkage,
    linkage_by_attribute,
    linkage_nearest,
    linkage_text,
    projected,
    unchanged,
)
from ontomask.risk.linked_people import LinkedRows, PeopleLinkage, linkage_of_people
from ontomask.risk.population import (
    POPULATION_DESCRIPTIONS,
    PopulationUniques,
    expected_reidentifications,
    individual_risk,
    k_map,
    pitman_uniques,
    population_uniques,
    presence,
    snb_uniques,
    zayatz_uniques,
)
from ontomask.risk.sets import rare_combinations, unique_sets
from ontomask.risk.t_closeness import closeness

__all__ = [
    # indistinguishable records
    "original_classes",
    "masked_classes",
    "k",
    "class_sizes",
    "uniques",
    "prosecutor",
    "records_at_risk",
    "journalist",
    "population_sizes",
    "marketer",
    # sets of values
    "unique_sets",
    "rare_combinations",
    # masked records linked back to originals
    "unchanged",
    "linkage_text",
    "linkage_nearest",
    "Linkage",
    "linkage_by_attribute",
    "projected",
    "linkage_of_people",
    "LinkedRows",
    "PeopleLinkage",
    # masked numbers near the original ones
    "rank_interval",
    "sd_interval",
    # what a class tells about a confidential attribute
    "Confidential",
    "homogeneous_records",
    "count_homogeneous_people",
    "distinct_diversity",
    "entropy_diversity",
    "recursive_diversity",
    "closeness",
    "alpha",
    "basic_beta_likeness",
    "enhanced_beta_likeness",
    "delta_disclosure",
    # against a population
    "k_map",
    "presence",
    "individual_risk",
    "expected_reidentifications",
    "population_uniques",
    "PopulationUniques",
    "pitman_uniques",
    "zayatz_uniques",
    "snb_uniques",
    "POPULATION_DESCRIPTIONS",
    # all of it
    "evaluate_risk",
    "DESCRIPTIONS",
    "FigureDescription",
]

__getattr__ = deprecated_names(__name__, {"Measure": "FigureDescription"})
