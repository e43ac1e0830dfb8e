"""The Roles screen of the workbench: who is unique, told while columns are being ticked."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.whole_release import made
from ontomask.web.table_session import TableSession

RECORDS, TUPLES, PEOPLE = 1_000_000, 50_000, 600_000
COLUMNS = 9


def table_of_tuples() -> Path:
    """A million records of 50,000 distinct tuples, which three of the nine columns tell apart."""
    path = Path(tempfile.gettempdir()) / "ontomask-benchmarks" / "tuples-1m.parquet"
    if path.exists():
        return path
    path.parent.mkdir(exist_ok=True)
    random = np.random.default_rng(0)
    first = random.choice(60**3, TUPLES, replace=False)
    codes = [first // 3600, first // 60 % 60, first % 60]
    codes += [random.integers(0, 40, TUPLES) for _ in range(COLUMNS - 3)]
    # Some tuples are frequent and many are rare, as in tables of people.
    tuple_of_record = np.concatenate(
        [np.arange(TUPLES), (TUPLES * random.random(RECORDS - TUPLES) ** 4)]
    )
    tuple_of_record = random.permutation(tuple_of_record.astype(np.int64))
    columns = {
        f"column {i}": [f"value {c}" for c in codes[i][tuple_of_record]] for i in range(COLUMNS)
    }
    columns["person"] = [f"person {p}" for p in random.integers(0, PEOPLE, RECORDS)]
    unfinished = path.with_name(f"unfinished-{path.name}")
    pq.write_table(pa.table(columns), unfinished)
    unfinished.replace(path)
    return path


class TickingAColumn:
    """How long after a column is ticked are uniques, class sizes and contributions known?

    A million records, 50,000 distinct tuples; the table is open, and nobody asked about these
    columns before. Records are counted, or people.
    """

    param_names = ("columns", "counted")
    params = ([3, 6, 9], ["records", "people"])
    budgets: ClassVar = {(n, unit): 0.2 for n in (3, 6, 9) for unit in ("records", "people")}

    def setup(self, columns: int, counted: str) -> None:
        self.opened = TableSession.open(table_of_tuples())
        self.asked = [f"column {i}" for i in range(columns)]
        self.person = "person" if counted == "people" else None
        classes = self.opened.classes(self.asked, self.person)  # the columns are read by now
        assert classes.tuples == TUPLES

    def time_ticking(self, columns: int, counted: str) -> None:
        self.opened._answers.clear()  # it would remember
        self.opened.classes(self.asked, self.person)


class LargeTable:
    """How long does it take to open 10,000,000 records in Parquet?

    Synthetic discharges; Parquet is read where it is.
    """

    timeout = 600

    def setup(self) -> None:
        self.path = made("parquet", 10)

    def cost_opening(self) -> None:
        TableSession.open(self.path).close()


class TickingInALargeTable:
    """How long after a column of 10,000,000 records is ticked is it known who is unique?

    Synthetic discharges; with nine columns, nearly every record is a tuple of its own.
    """

    param_names = ("columns",)
    params = ([3, 9],)
    timeout = 600

    def setup(self, columns: int) -> None:
        self.opened = TableSession.open(made("parquet", 10))
        self.asked = [column.name for column in self.opened.profile.with_role("quasi")][:columns]
        self.opened.classes(self.asked)  # the columns are read by now

    def cost_ticking(self, columns: int) -> None:
        self.opened._answers.clear()
        self.opened.classes(self.asked)
