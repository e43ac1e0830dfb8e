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


def unmasked_columns(schema: Schema, others: Mapping[str, str]) -> list[str]:
    """The columns that are released unmasked."""
    kept_columns = [name for name, role in others.items() if role == "keep"]
    return [*schema.confidential_names, *schema.keep, *kept_columns]
