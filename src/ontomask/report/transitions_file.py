"""The plan of a release as a table: which original values became which, and how often.

Anybody who has this file can undo much of the masking. It is written only on request, its name
must say that it is private, and only its owner may read it.
"""

from __future__ import annotations

import csv
from os import PathLike
from pathlib import Path
from typing import Any

from ontomask._runtime.files.atomic_files import atomic_write
from ontomask.disclosure.values import format_targets
from ontomask.errors import ParameterError
from ontomask.microdata.schema import Schema
from ontomask.microdata.tuples import Transitions

__all__ = ["PRIVATE_ENDING", "write_private_transitions"]

PRIVATE_ENDING = ".private.csv"


def write_private_transitions(
    plan: Transitions,
    path: str | PathLike[str],
    schema: Schema | None = None,
    *,
    force: bool = False,
) -> None:
    """Write the transitions as CSV; the name must end in ``.private.csv``.

    Two columns for every quasi-identifier, ``original age`` and ``masked age``, and ``records``.
    Words are the identifiers of their concepts, and empty where they are missing or suppressed.
    Without the ``schema``, levels are given by their ranks and dates by their days since 1970.
    """
    target = Path(path)
    if not target.name.endswith(PRIVATE_ENDING):
        raise ParameterError(
            f"the name of a file with original values must end in {PRIVATE_ENDING}, got "
            f"{target.name}",
            "rename the file, and never publish it",
        )
    before = plan.tuples.targets()[plan.source]
    after = plan.targets[plan.target]
    column_kinds = {column.column: column for column in schema.quasi_identifiers} if schema else {}
    columns: list[list[Any]] = []
    header = []
    for j, attribute in enumerate(plan.tuples.attributes):
        header += [f"original {attribute.name}", f"masked {attribute.name}"]
        for side in (before, after):
            columns.append(format_targets(attribute, side[:, j], column_kinds.get(attribute.name)))
    with atomic_write(target, force=force, private=True) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*header, "records"])
        writer.writerows(zip(*columns, plan.count.tolist(), strict=True))
