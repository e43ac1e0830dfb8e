"""The figures of a release: its data utility and its disclosure risk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.schema import Date, Nominal, Numeric, Ordinal, Schema
from ontomask.microdata.tuples import Transitions
from ontomask.microdata.value_coding import code_column
from ontomask.pipeline.guarantee import format_percent
from ontomask.risk import Confidential

__all__ = ["Evaluation", "column_name", "evaluate_plan", "sensitive_counts"]

Longs = NDArray[np.int64]


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The figures of a masked table, as plain numbers by name.

    :data:`ontomask.utility.DESCRIPTIONS` and :data:`ontomask.risk.DESCRIPTIONS` explain each
    figure, and whether a lower or a higher value is better.

    Attributes:
        utility: Data utility and information loss.
        risk: Disclosure risk.
    """

    utility: dict[str, Any]
    risk: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Both groups of figures, ready for JSON."""
        return asdict(self)

    def __repr__(self) -> str:
        before = self.risk["before"]
        lines = [
            f"utility  SSE {self.utility['sse']:.4g}, KL {self.utility['kl']:.3g}, "
            f"semantic quality {self.utility['semantic_quality']:.3g}",
            f"risk     k {self.risk['k']:,} (before: {before['k']:,}), "
            f"unique records {self.risk['uniques']:,} (before: {before['uniques']:,}), "
            f"record linkage {format_percent(self.risk['linkage_nearest'])} "
            f"(before: {format_percent(before['linkage_nearest'])})",
        ]
        return "\n".join(lines)


def evaluate_plan(
    plan: Transitions,
    k: int | None,
    after: Sequence[Confidential] = (),
    before: Sequence[Confidential] = (),
    *,
    removed: bool = False,
    semantic_closeness: bool = False,
) -> Evaluation:
    """Compute all figures of a plan; with ``removed``, suppressed records are left out."""
    from ontomask.risk import evaluate_risk
    from ontomask.utility import evaluate_utility

    return Evaluation(
        evaluate_utility(plan, k=k, removed=removed),
        evaluate_risk(
            plan, k, after, before, removed=removed, semantic_closeness=semantic_closeness
        ),
    )


# ---------------------------------------------------------------------- confidential columns


def sensitive_counts(
    schema: Schema, count_values: Callable[[str, bool | None], tuple[Longs, DistinctValues]]
) -> list[Confidential]:
    """How often each value of the confidential columns occurs in each class of records.

    ``count_values`` is an engine's: it gives classes and the values of a column, numbers in ranges
    where there are very many.
    """
    numbers = {str: None, Numeric: True}
    return [
        _count_sensitive(
            column, *count_values(column_name(column), numbers.get(type(column), False))
        )
        for column in schema.confidential
    ]


def _count_sensitive(
    column: str | Nominal | Numeric | Ordinal | Date, classes: Longs, distinct: DistinctValues
) -> Confidential:
    name = column_name(column)
    attribute, codes = None, np.where(distinct.codes < 0, len(distinct.values), distinct.codes)
    # A missing value among numbers has no rank; it is then a category like the others.
    if isinstance(column, Nominal) or (not isinstance(column, str) and (distinct.codes >= 0).all()):
        coded = code_column(column, distinct, "category")
        attribute, codes = coded.attribute, coded.codes
    size = int(codes.max(initial=0)) + 1
    key, row = np.unique(classes * size + codes, return_inverse=True)
    counts = np.bincount(row, weights=distinct.weights, minlength=len(key)).astype(np.int64)
    return Confidential(name, *np.divmod(key, size), counts, attribute)


def column_name(column: str | Nominal | Numeric | Ordinal | Date) -> str:
    """The name of a column of a schema."""
    return column if isinstance(column, str) else column.column
