"""Risk against a population that the table is a sample of."""

from ontomask.risk.population.evaluation import (
    POPULATION_DESCRIPTIONS,
    PopulationKnowledge,
    SampleCounts,
    evaluate_population,
)
from ontomask.risk.population.measures import (
    expected_reidentifications,
    individual_risk,
    k_map,
    presence,
)
from ontomask.risk.population.superpopulation import (
    PopulationUniques,
    pitman_uniques,
    population_uniques,
    snb_uniques,
    zayatz_uniques,
)

__all__ = [
    "POPULATION_DESCRIPTIONS",
    "PopulationKnowledge",
    "PopulationUniques",
    "SampleCounts",
    "evaluate_population",
    "expected_reidentifications",
    "individual_risk",
    "k_map",
    "pitman_uniques",
    "population_uniques",
    "presence",
    "snb_uniques",
    "zayatz_uniques",
]
