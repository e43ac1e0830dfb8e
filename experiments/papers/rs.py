"""RS section 4: information loss and disclosure risk of rank swapping.

The paper swaps principal diagnoses and medical procedures of Californian discharge records, coded
in SNOMED CT. These experiments swap two or three diagnoses in ICD-9-CM. Compare the shape of the
results: the order of the algorithms and the effect of k.

The paper's k is the ``window`` of :class:`~ontomask.RankSwapping`, a number of neighbours. It is
not the k of k-anonymity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from experiments.data import Data
from experiments.experiment import Cell, Experiment, Result, Row, Settings
from experiments.papers.rs_printed import (
    DATASET_2,
    TABLE_1,
    TABLE_5,
    TABLE_6,
    TABLES_2_TO_4,
    Figure,
)
from experiments.papers.rs_privacy import privacy
from experiments.papers.rs_swapped import KS, RUNS, Swapped, growth, over_k
from experiments.trials import sample
from ontomask.taxonomy import Concept

__all__ = ["EXPERIMENTS", "largest_chapter"]

STRATEGIES = ("fixed", "dynamic", "multivariate", "random", "distributional")

OTHER_DATA = (
    "The published figures are for other data: principal diagnoses and medical procedures in "
    "SNOMED CT. Compare only the shape."
)


def tables_2_to_4(data: Data, settings: Settings) -> list[Result]:
    """All strategies on samples of 1,172 records with two diagnoses."""
    swapped = _swap_samples(data, data.complete("first", "second"), 1172, 2, STRATEGIES, settings)
    return [
        swapped.features("The samples (RS table 1)", TABLE_1),
        *_compare_strategies(swapped, TABLES_2_TO_4, [OTHER_DATA]),
        swapped.single_attributes(
            "Statistics of single attributes (RS tables 2 to 4)", (0,) * len(KS)
        ),
    ]


def three_attributes(data: Data, settings: Settings) -> list[Result]:
    """All strategies on three diagnoses. The paper has no table for this."""
    rows = data.complete("first", "second", "third")
    swapped = _swap_samples(data, rows, 1172, 3, STRATEGIES, settings)
    return [
        swapped.features("The samples", {}),
        *_compare_strategies(swapped, {}, []),
        swapped.single_attributes("Statistics of single attributes"),
    ]


def tables_5_and_6(data: Data, settings: Settings) -> list[Result]:
    """Multivariate swapping of two and of three diagnoses, on 1,012 records of one chapter.

    The paper's records have few, frequent and strongly correlated values. To have similar data, all
    principal diagnoses are from one chapter of ICD-9-CM. The rule was fixed before the first run:
    the chapter with the most principal diagnoses.
    """
    chapter = largest_chapter(data)
    rows = np.intersect1d(data.below(chapter), data.complete("first", "second", "third"))
    name = data.taxonomy.label(chapter)
    notes = [OTHER_DATA, f"The chapter with the most principal diagnoses is {chapter}, {name}."]
    results = []
    for table, attributes, printed in ((5, 2, TABLE_5), (6, 3, TABLE_6)):
        swapped = _swap_samples(data, rows, 1012, attributes, ["multivariate"], settings)
        features = DATASET_2 if table == 5 else {}
        results += [
            swapped.features(f"The samples (RS table {table})", features),
            *_multivariate_tables(swapped, f"(RS table {table})", printed, notes),
            swapped.single_attributes(f"Statistics of single attributes (RS table {table})"),
        ]
    return results


def largest_chapter(data: Data) -> Concept:
    """The chapter of the taxonomy with the most principal diagnoses."""
    chapters = data.taxonomy.children(data.taxonomy.root)
    return max(chapters, key=lambda chapter: len(data.below(chapter)))


def _swap_samples(
    data: Data,
    rows: NDArray[np.int64],
    size: int,
    attributes: int,
    strategies: Sequence[str],
    settings: Settings,
) -> Swapped:
    """Draw a random sample for every seed and swap it with every strategy."""
    columns = ("first", "second", "third")[:attributes]
    samples = [
        data.tuples(sample(rows, size, seed, settings), columns, "wu_palmer")
        for seed in settings.seeds(RUNS)
    ]
    return Swapped(samples, strategies, settings)


def _compare_strategies(
    swapped: Swapped, printed: Mapping[Figure, Mapping[str, Sequence[Cell]]], notes: Sequence[str]
) -> list[Result]:
    """A table for every figure, a row for every strategy."""
    results = []
    for figure in swapped.of("RMSE"):
        comments = [*notes, swapped.order(figure), swapped.growth(figure)]
        rows = swapped.rows(figure, printed.get(figure, {}))
        results.append(over_k(f"RMSE, {figure[1]}", rows, "lower", comments))
    for figure in swapped.of("after"):
        printed_rows = printed.get(figure, {})
        original = swapped.line(("before", figure[1]), STRATEGIES[0])
        rows = [
            *swapped.rows(figure, printed_rows),
            Row("original", original, printed_rows.get("original")),
        ]
        comments = [*notes, swapped.by_chance(figure)]
        results.append(over_k(f"Distance correlation, {figure[1]}", rows, "higher", comments))
    for figure in swapped.of("change"):
        comments = [
            swapped.kept_best(figure),
            swapped.at_equal_error(figure),
            swapped.growth(figure),
        ]
        rows = swapped.rows(figure, printed.get(figure, {}))
        title = f"Change of distance correlation, {figure[1]}"
        results.append(over_k(title, rows, "lower", [*notes, *comments]))
    return results


def _multivariate_tables(
    swapped: Swapped, where: str, printed: Mapping[Figure, Sequence[Cell]], notes: Sequence[str]
) -> list[Result]:
    """A table for every kind of figure, a row for every attribute or pair of them."""

    def rows(kind: str, label: str = "") -> list[Row]:
        return [
            Row(label + figure[1], swapped.line(figure, "multivariate"), printed[figure])
            for figure in swapped.of(kind)
        ]

    def make_notes(kind: str) -> list[str]:
        return [*notes, growth({f[1]: swapped.line(f, "multivariate") for f in swapped.of(kind)})]

    correlations = [*rows("before", "original, "), *rows("after", "masked, ")]
    return [
        over_k(f"RMSE {where}", rows("RMSE"), "lower", make_notes("RMSE")),
        over_k(f"Distance correlation {where}", correlations, "higher", notes),
        over_k(
            f"Change of distance correlation {where}", rows("change"), "lower", make_notes("change")
        ),
    ]


EXPERIMENTS = [
    Experiment("rs-tables-2-4", "RS", "Five ways to swap two attributes", tables_2_to_4),
    Experiment(
        "rs-table-3-attributes", "RS", "Five ways to swap three attributes", three_attributes
    ),
    Experiment("rs-tables-5-6", "RS", "Correlated attributes", tables_5_and_6),
    Experiment("rs-privacy", "RS", "Disclosure risk after swapping", privacy),
]
