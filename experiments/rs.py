"""RS section 4: what rank swapping costs, and what it protects.

The paper swaps principal diagnosis and medical procedure of Californian discharge records, in
SNOMED CT. Here it is two or three diagnoses in ICD-9-CM. Printed figures stand beside ours for
their shape: the order of the algorithms, and how figures move with k.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from experiments.data import Data
from experiments.experiment import Cell, Experiment, Result, Row, Settings
from experiments.rs_printed import (
    DATASET_2,
    TABLE_1,
    TABLE_5,
    TABLE_6,
    TABLES_2_TO_4,
    Figure,
)
from experiments.rs_privacy import privacy
from experiments.rs_swapped import KS, RUNS, Swapped, growth, over_k
from experiments.trials import sample
from ontomask.taxonomy import Concept

__all__ = ["EXPERIMENTS", "largest_chapter"]

STRATEGIES = ("fixed", "dynamic", "multivariate", "random", "distributional")

OTHER_DATA = (
    "The printed figures are of other records: principal diagnosis and medical procedure, in "
    "SNOMED CT. Only the shape compares."
)


def tables_2_to_4(data: Data, settings: Settings) -> list[Result]:
    """All strategies on samples of 1,172 records with two diagnoses."""
    found = _swapped(data, data.complete("first", "second"), 1172, 2, STRATEGIES, settings)
    return [
        found.features("The samples (RS table 1)", TABLE_1),
        *_compared(found, TABLES_2_TO_4, [OTHER_DATA]),
        found.untouched("Statistics of single attributes (RS tables 2 to 4)", (0,) * len(KS)),
    ]


def three_attributes(data: Data, settings: Settings) -> list[Result]:
    """The same with three diagnoses, for which the paper has no table."""
    rows = data.complete("first", "second", "third")
    found = _swapped(data, rows, 1172, 3, STRATEGIES, settings)
    return [
        found.features("The samples", {}),
        *_compared(found, {}, []),
        found.untouched("Statistics of single attributes"),
    ]


def tables_5_and_6(data: Data, settings: Settings) -> list[Result]:
    """Samples of 1,012 records of one chapter; multivariate, on two and on three diagnoses.

    The paper's records have few and frequent values that hang together well. To have such, all
    principal diagnoses are from one chapter of ICD-9-CM, chosen before the first run by this rule:
    the chapter with the most principal diagnoses.
    """
    chapter = largest_chapter(data)
    rows = np.intersect1d(data.below(chapter), data.complete("first", "second", "third"))
    name = data.taxonomy.label(chapter)
    notes = [OTHER_DATA, f"Of the chapter with the most principal diagnoses: {chapter} {name}."]
    results = []
    for table, attributes, printed in ((5, 2, TABLE_5), (6, 3, TABLE_6)):
        found = _swapped(data, rows, 1012, attributes, ["multivariate"], settings)
        features = DATASET_2 if table == 5 else {}
        results += [
            found.features(f"The samples (RS table {table})", features),
            *_multivariate(found, f"(RS table {table})", printed, notes),
            found.untouched(f"Statistics of single attributes (RS table {table})"),
        ]
    return results


def largest_chapter(data: Data) -> Concept:
    """The chapter of the taxonomy with the most principal diagnoses."""
    chapters = data.taxonomy.children(data.taxonomy.root)
    return max(chapters, key=lambda chapter: len(data.below(chapter)))


def _swapped(
    data: Data,
    rows: NDArray[np.int64],
    size: int,
    attributes: int,
    strategies: Sequence[str],
    settings: Settings,
) -> Swapped:
    """A random sample for every seed, compared as the paper does, swapped in every way."""
    columns = ("first", "second", "third")[:attributes]
    samples = [
        data.tuples(sample(rows, size, seed, settings), columns, "wu_palmer")
        for seed in settings.seeds(RUNS)
    ]
    return Swapped(samples, strategies, settings)


def _compared(
    found: Swapped, printed: Mapping[Figure, Mapping[str, Sequence[Cell]]], notes: Sequence[str]
) -> list[Result]:
    """A table for every figure, a row for every strategy."""
    results = []
    for figure in found.of("RMSE"):
        said = [*notes, found.order(figure), found.growth(figure)]
        rows = found.rows(figure, printed.get(figure, {}))
        results.append(over_k(f"RMSE, {figure[1]}", rows, "lower", said))
    for figure in found.of("after"):
        beside = printed.get(figure, {})
        original = found.line(("before", figure[1]), STRATEGIES[0])
        rows = [*found.rows(figure, beside), Row("original", original, beside.get("original"))]
        said = [*notes, found.by_chance(figure)]
        results.append(over_k(f"Distance correlation, {figure[1]}", rows, "higher", said))
    for figure in found.of("change"):
        said = [found.kept_best(figure), found.at_equal_error(figure), found.growth(figure)]
        rows = found.rows(figure, printed.get(figure, {}))
        title = f"Change of distance correlation, {figure[1]}"
        results.append(over_k(title, rows, "lower", [*notes, *said]))
    return results


def _multivariate(
    found: Swapped, where: str, printed: Mapping[Figure, Sequence[Cell]], notes: Sequence[str]
) -> list[Result]:
    """A table for every kind of figure, a row for every attribute or pair of them."""

    def rows(kind: str, label: str = "") -> list[Row]:
        return [
            Row(label + figure[1], found.line(figure, "multivariate"), printed[figure])
            for figure in found.of(kind)
        ]

    def said(kind: str) -> list[str]:
        return [*notes, growth({f[1]: found.line(f, "multivariate") for f in found.of(kind)})]

    correlations = [*rows("before", "original, "), *rows("after", "masked, ")]
    return [
        over_k(f"RMSE {where}", rows("RMSE"), "lower", said("RMSE")),
        over_k(f"Distance correlation {where}", correlations, "higher", notes),
        over_k(f"Change of distance correlation {where}", rows("change"), "lower", said("change")),
    ]


EXPERIMENTS = [
    Experiment("rs-tables-2-4", "RS", "Five ways to swap two attributes", tables_2_to_4),
    Experiment("rs-table-3-attributes", "RS", "Five ways to swap three", three_attributes),
    Experiment("rs-tables-5-6", "RS", "Attributes that hang together", tables_5_and_6),
    Experiment("rs-privacy", "RS", "What swapping protects", privacy),
]
