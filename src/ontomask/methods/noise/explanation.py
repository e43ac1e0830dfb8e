"""Why noise gave a tuple its values: the mean of each column, and who moved towards it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ontomask.distances import distance
from ontomask.errors import format_count
from ontomask.methods.explaining.columns import (
    NominalQuasiIdentifier,
    NumericQuasiIdentifier,
    QuasiIdentifier,
    format_number,
)
from ontomask.methods.explaining.masked_tuple import MaskedTuple, MethodExplanation
from ontomask.methods.noise.noise_addition import mean_and_variance
from ontomask.microdata.schema import Numeric

if TYPE_CHECKING:
    from ontomask.methods.noise.noise_addition import NoiseAddition

__all__ = ["explain_directions"]

#: Distances that differ by less are equal; they are between 0 and 1.
TOLERANCE = 1e-12


def explain_directions(method: NoiseAddition, masked: MaskedTuple) -> MethodExplanation:
    """Explain noise by the mean of each column and the direction in which values moved."""
    return masked.explain_without_group(
        column_notes=[
            (_note_on_mean(method, masked, j, column),) for j, column in enumerate(masked.columns)
        ]
    )


def _note_on_mean(
    method: NoiseAddition, masked: MaskedTuple, j: int, column: QuasiIdentifier
) -> str:
    if isinstance(column, NominalQuasiIdentifier):
        return _note_on_concept_mean(method, masked, j, column)
    assert isinstance(column, NumericQuasiIdentifier)
    return _note_on_number_mean(masked, j, column)


def _note_on_concept_mean(
    method: NoiseAddition, masked: MaskedTuple, j: int, column: NominalQuasiIdentifier
) -> str:
    attribute = column.attribute
    if int(masked.tuples.codes[j, masked.tuple]) >= len(attribute.values):
        return "missing values stay missing"
    counts = masked.tuples.value_counts(j)[: len(attribute.values)]
    counts_by_concept = dict(zip(attribute.values, counts.tolist(), strict=True))
    measure = method.measure(attribute.measure)
    mean, _ = mean_and_variance(counts_by_concept, attribute.domain, measure)

    def from_mean(target: float) -> float:
        return distance(attribute.domain, mean, attribute.candidates[int(target)], measure)

    return _note_on_directions(
        column.concept(mean).words,
        from_mean(masked.original_values[j]),
        [*map(from_mean, masked.received_targets(j))],
    )


def _note_on_number_mean(masked: MaskedTuple, j: int, column: NumericQuasiIdentifier) -> str:
    numbers = column.attribute.numbers
    mean = float(numbers @ masked.tuples.value_counts(j)) / masked.tuples.records
    is_number = isinstance(column.column, Numeric)
    words = format_number(mean) if is_number else column.describe_target(mean).words
    return _note_on_directions(
        words,
        abs(masked.original_values[j] - mean),
        [abs(target - mean) for target in masked.received_targets(j)],
    )


def _note_on_directions(mean: str, before: float, after: Sequence[float]) -> str:
    """How many records moved towards the mean, away from it, or neither; by their distances."""
    towards = sum(distance < before - TOLERANCE for distance in after)
    away = sum(distance > before + TOLERANCE for distance in after)
    ways = [
        (towards, "moved towards it"),
        (away, "moved away from it"),
        (len(after) - towards - away, "kept their distance from it"),
    ]
    directions = ", ".join(f"{count:,} {way}" for count, way in ways if count)
    return (
        f"the mean of the column is {mean}; of {format_count(len(after), 'record')}, {directions}"
    )
