"""A small table to try a release on."""

from __future__ import annotations

import csv
from os import PathLike
from pathlib import Path

from ontomask._runtime.files.atomic_files import atomic_write
from ontomask.errors import FileFormatError, ParameterError

__all__ = ["write_demo"]

RECORDS = 3000


def write_demo(folder: str | PathLike[str]) -> Path:
    """Write synthetic hospital discharges into a new folder; the path of the file."""
    from ontomask.datasets import discharges

    place = Path(folder)
    try:
        place.mkdir(parents=True)
    except FileExistsError:
        raise ParameterError(f"{place} already exists", "name a new folder") from None
    except OSError as error:
        raise FileFormatError(f"{place} cannot be created: {error.strerror or error}") from None
    table = discharges(RECORDS)
    path = place / "discharges.csv"
    with atomic_write(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table)
        writer.writerows(zip(*(column.tolist() for column in table.values()), strict=True))
    return path
