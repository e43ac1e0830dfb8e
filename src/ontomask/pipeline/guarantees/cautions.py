"""Cautions: the disclosure risk of columns that are released unchanged."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ontomask.engines.protocol import Applied, Engine
from ontomask.errors import ParameterError, format_people
from ontomask.methods import Microaggregation
from ontomask.methods.settings import changed_settings
from ontomask.risk import Confidential, distinct_diversity, homogeneous_records
from ontomask.risk.population.evaluation import short_population_caution

if TYPE_CHECKING:
    from ontomask.pipeline.release import Release

__all__ = ["MAX_UNIQUE_SHARE", "Caution", "list_cautions", "uniqueness_caution"]

#: Sorting may give back this share of a column's values more than shuffled rows would.
MAX_RESTORED_SHARE = 0.1

#: With fewer steps from row to row a column is not called sorted.
MIN_STEPS = 10

#: A column may identify people if more than this share of the records have a unique value.
MAX_UNIQUE_SHARE = 0.2


class Caution(str):
    """A caution with the line of a release file that prevents it."""

    line: str

    def __new__(cls, words: str, line: str) -> Caution:
        caution = super().__new__(cls, words)
        caution.line = line
        return caution


def uniqueness_caution(engine: Engine, column: str, records: int) -> str:
    """A caution where many of the records have a unique value of a released column, or nothing."""
    share = engine.count_unique_values(column) / records if records else 0.0
    if share <= MAX_UNIQUE_SHARE:
        return ""
    return (
        f"column {column!r} may identify people: {math.floor(100 * share)} % of the records have "
        "a unique value"
    )


def list_cautions(
    release: Release, applied: Applied | None, sensitive: Sequence[Confidential]
) -> Iterator[str]:
    """Yield the warnings of masking, and the disclosure risk of columns that are not masked."""
    yield from release.guarantee.warnings
    if release.guarantee.k is not None:
        yield from _diversity_cautions(release, sensitive)
    yield from release.more_cautions
    yield from release.look_alikes
    caution = short_population_caution(release.population_figures)
    if caution:
        yield caution
    if release.blocked is not None:
        yield str(release.blocked)
    if applied is None or not release.records:
        return
    if not release.shuffled:
        yield from _order_cautions(release, applied)
    removed = release.suppressed if release.drops else 0
    records = release.records + release.dropped + removed
    schema, names = release.schema, applied.engine.names
    for column in (*schema.confidential_names, *schema.kept(names)):
        words = uniqueness_caution(applied.engine, column, records)
        if words:
            yield words


def _diversity_cautions(release: Release, sensitive: Sequence[Confidential]) -> Iterator[str]:
    """Yield the sensitive attributes of which a class has a single known value, or none."""
    for column in sensitive:
        least = distinct_diversity(column)
        if least > 1 or not column.records:
            continue
        if len(column.used) == 1:
            yield f"all known values of {column.name!r} are the same, so everybody's is known"
            continue
        reasons = []
        concerned = homogeneous_records(column)
        if concerned:
            people = column.homogeneous_people
            of_whom = "" if people is None else f" (of {format_people(people)})"
            reasons.append(
                f"{concerned:,} of the {release.records:,} records{of_whom} are in equivalence "
                f"classes with a single value of {column.name!r}, so whoever is in one of them has "
                "this value"
            )
        if least == 0:
            reasons.append(f"some equivalence classes have no known value of {column.name!r}")
        yield Caution(f"{'; '.join(reasons)} (l = {least})", _line_with_l(release))


def _line_with_l(release: Release) -> str:
    """The method as a line of a release file, with two different sensitive values in a class."""
    from ontomask._runtime.yaml_text import format_field  # YAML loads where it is written

    method, k = release.method, release.guarantee.k
    diverse = Microaggregation(k=k or 2, l=2)
    if isinstance(method, Microaggregation):
        with suppress(ParameterError):  # its algorithm may not keep l
            diverse = replace(method, l=max(method.l or 2, 2), protects=None)
    (line,) = format_field("method", {"name": diverse.name, **changed_settings(diverse)})
    return line


def _order_cautions(release: Release, applied: Applied) -> Iterator[str]:
    """Yield what the order of the rows tells, where it is that of the original table."""
    told = dict.fromkeys(
        release.schema.removed(applied.engine.names),
        "removed column {!r}, so the place of a record tells about its value",
    )
    schema = release.schema
    for column in (*schema.confidential_names, *schema.kept(applied.engine.names)):
        told[column] = (
            "released column {!r}, so they can be matched with another table in this order"
        )
    for column in schema.masked_columns:
        counts = applied.count_restored(column)
        if counts is None:  # by Spark
            told[column] = "original values of {!r}, so sorting the masked ones tells about them"
            continue
        restored, by_chance = (count / release.records for count in counts)
        if restored - by_chance > MAX_RESTORED_SHARE:
            yield (
                f"the rows keep their order: sorting the masked column {column!r} gives back "
                f"{math.floor(100 * restored)} % of its original values, and "
                f"{math.floor(100 * by_chance)} % in shuffled rows"
            )
    for column, steps in applied.count_steps(list(told)).items():
        if max(steps) >= MIN_STEPS and min(steps) < max(steps) / 20:
            share = math.floor(100 * max(steps) / sum(steps))
            yield (
                f"the rows keep their order and are sorted ({share} % of the steps from row to "
                f"row) by the {told[column].format(column)}"
            )
