"""Cautions: the disclosure risk of columns that are released unchanged."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ontomask.engines.protocol import Applied, Engine
from ontomask.errors import quote_names

if TYPE_CHECKING:
    from ontomask.microdata.schema import Schema
    from ontomask.pipeline.release import Release

__all__ = ["MAX_UNIQUE_SHARE", "list_cautions", "uniqueness_caution"]

#: Sorting may give back this share of a column's values more than shuffled rows would.
MAX_RESTORED_SHARE = 0.1

#: With fewer steps from row to row a removed column is not called sorted.
MIN_STEPS = 10

#: A column may identify people if more than this share of the records have a unique value.
MAX_UNIQUE_SHARE = 0.2


def uniqueness_caution(engine: Engine, column: str, records: int) -> str:
    """A caution where many of the records have a unique value of a released column, or nothing."""
    share = engine.count_unique_values(column) / records if records else 0.0
    if share <= MAX_UNIQUE_SHARE:
        return ""
    return (
        f"column {column!r} may identify people: {math.floor(100 * share)} % of the records have "
        "a unique value"
    )


def list_cautions(release: Release, applied: Applied | None) -> Iterator[str]:
    """Yield the warnings of masking, and the disclosure risk of columns that are not masked."""
    yield from release.guarantee.warnings
    yield from release.more_cautions
    yield from release.look_alikes
    if release.blocked is not None:
        yield str(release.blocked)
    if applied is None or not release.records:
        return
    if not release.shuffled:
        yield from _order_cautions(release, applied)
    removed = release.suppressed if release.method.drops else 0
    records = release.records + release.dropped + removed
    common = []
    for column in unmasked_columns(release.schema, release.others):
        words = uniqueness_caution(applied.engine, column, records)
        if words:
            yield words
        elif column not in release.schema.confidential_names:
            common.append(column)
    if common and release.guarantee.k is not None:
        uniques = applied.count_uniques_with(common)
        if uniques:
            noun = "column" if len(common) == 1 else "columns"
            yield (
                f"{uniques:,} of the {release.records:,} records are unique if an attacker also "
                f"knows the unmasked {noun} {quote_names(common, most=len(common))}"
            )


def _order_cautions(release: Release, applied: Applied) -> Iterator[str]:
    """Yield what the order of the rows tells, where it is that of the original table."""
    for column in (quasi.column for quasi in release.schema.quasi_identifiers):
        counts = applied.count_restored(column)
        if counts is None:
            yield "the rows keep their order; Spark does not measure what it tells"
            return
        restored, by_chance = (count / release.records for count in counts)
        if restored - by_chance > MAX_RESTORED_SHARE:
            yield (
                f"the rows keep their order: sorting the masked column {column!r} gives back "
                f"{math.floor(100 * restored)} % of its original values, and "
                f"{math.floor(100 * by_chance)} % in shuffled rows"
            )
    for column in release.schema.removed(applied.engine.names):
        steps = applied.count_steps(column)
        if steps is not None and max(steps) >= MIN_STEPS and min(steps) < max(steps) / 20:
            yield (
                f"the rows keep their order and are sorted by the removed column {column!r}, so "
                "the place of a record tells about its value"
            )


def unmasked_columns(schema: Schema, others: Mapping[str, str]) -> list[str]:
    """The columns that are released unmasked."""
    kept_columns = [name for name, role in others.items() if role == "keep"]
    return [*schema.confidential_names, *schema.keep, *kept_columns]
