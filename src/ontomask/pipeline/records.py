"""The operators on records that the papers' algorithms are made of: compare, aggregate, sort."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.memory.engine import FrameEngine
from ontomask.engines.memory.records import FrameRecords
from ontomask.errors import ParameterError, quote_choices
from ontomask.methods.operators import Operators
from ontomask.microdata.schema import Schema
from ontomask.pipeline.counting import count_table, open_engine

__all__ = ["Records", "RecordCentroid"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

DISTANCES = ("mean", "s", "s_paper")


@dataclass(frozen=True, eq=False)
class RecordCentroid:
    """The centroid of some records.

    Attributes:
        values: The value of each quasi-identifier, as it would be released.
    """

    values: Mapping[str, Any]
    _targets: Floats

    def __repr__(self) -> str:
        return f"RecordCentroid({', '.join(f'{n}={v!r}' for n, v in self.values.items())})"


class Records:
    r"""The records of a table, to compare, aggregate and sort them by meaning.

    These are the operators of SF section 2, for words, sets of words, numbers, levels and dates
    together. Every masking method uses them; use them in an algorithm of your own. Records are
    named by their number in the table, from 0.

    Args:
        table: A pandas, polars or pyarrow table in memory. Missing values are refused or, with
            ``missing="category"`` in the schema, values of words.
        schema: The role of every column; quasi-identifiers are compared.
        distance: ``"mean"``, the mean over the attributes (SF eq. 3, RS eq. 9), in which a number
            contributes its difference as a share of the range; or ``"s"``, the square root of the
            summed pair variances divided by the variances of the columns (MA eq. 7);
            ``"s_paper"`` is the same as printed.

    >>> import pandas as pd
    >>> import ontomask as om
    >>> table = pd.DataFrame({"illness": ["flu", "cold", "sprain"], "age": [30, 40, 70]})
    >>> schema = om.Schema([om.Nominal("illness", om.datasets.diagnoses()), om.Numeric("age")])
    >>> records = om.Records(table, schema)
    >>> round(records.distance(0, 1), 3), round(records.distance(0, 2), 3)
    (0.417, 0.924)
    >>> records.centroid([0, 1])
    RecordCentroid(illness='common cold', age=35)
    >>> records.sort_by_distance(reference=2)
    [2, 1, 0]
    """

    def __init__(self, table: Any, schema: Schema, distance: str = "mean") -> None:
        if distance not in DISTANCES:
            raise ParameterError(f"distance must be {quote_choices(DISTANCES)}, got {distance!r}")
        engine = open_engine(table, {})
        if not isinstance(engine, FrameEngine):
            raise ParameterError(
                "table must be in memory, for its records to be named by their numbers",
                "read it with pandas, polars or pyarrow first",
            )
        if schema.linked is not None or schema.missing == "drop":
            raise ParameterError(
                "schema must neither link nor drop records, for them to be named by their numbers",
                "leave linked out, and remove incomplete records first",
            )
        counted = count_table(engine, schema)
        assert isinstance(counted.records, FrameRecords)
        self._columns = counted.columns
        self._record_tuple = counted.records.record_tuple
        self._distance = distance
        self._operators = Operators(counted.tuples, distance, candidates=self._candidates)
        self._places = counted.tuples.codes + self._operators.offset[:, None]

    def __len__(self) -> int:
        return len(self._record_tuple)

    def __repr__(self) -> str:
        names = ", ".join(column.attribute.name for column in self._columns)
        return f"Records({len(self):,} records, {names})"

    def distance(self, one: int, other: int | RecordCentroid) -> float:
        """The distance between two records, or a record and a centroid.

        Returns:
            0 for records with the same values; at most 1 with the distance ``"mean"``.
        """
        return float(self.distances(other, [one])[0])

    def distances(
        self, reference: int | RecordCentroid, rows: Iterable[int] | None = None
    ) -> Floats:
        """The distances of records from a record or a centroid.

        Args:
            reference: The number of a record, or what :meth:`centroid` gave.
            rows: The records that are compared with it, all by default.

        Returns:
            One number per record, exact to eight decimals.
        """
        return self._to_floats(self._compare(reference, self._check_rows(rows)))

    def centroid(self, rows: Iterable[int] | None = None) -> RecordCentroid:
        """The centroid of records: of each attribute the value in the middle (SF eq. 4-6).

        For words it is the concept with the least summed distance, with ``"mean"`` among the values
        and their ancestors, otherwise among the values (MA); of numbers and dates it is the mean,
        of levels the median.

        Args:
            rows: Some records, all by default.

        Returns:
            Its values, and a reference for :meth:`distances`.
        """
        tuples, counts = np.unique(self._record_tuple[self._check_rows(rows)], return_counts=True)
        targets = self._average(tuples, counts)
        values: dict[str, Any] = {}
        for column, target in zip(self._columns, targets, strict=True):
            for name, output in column.output_columns(np.array([target])).items():
                values[name] = output.values[int(output.places[0])]
        return RecordCentroid(values, targets)

    def sort_by_distance(
        self,
        rows: Iterable[int] | None = None,
        reference: int | RecordCentroid | None = None,
    ) -> list[int]:
        """Sort records by their distance from a reference (RS definition 3).

        Without a ``reference``, it is the record farthest from the centroid (SF algorithm 1). With
        ``"mean"``, distances are then multiplied by the number of equal records (SF eq. 3).

        Args:
            rows: Some records, all by default.
            reference: The number of a record, or what :meth:`centroid` gave.

        Returns:
            The numbers of the records, the nearest first; equally near ones in their order.
        """
        chosen = self._check_rows(rows)
        weights = np.ones(len(chosen), dtype=np.int64)
        if reference is None:
            tuples, place, counts = np.unique(
                self._record_tuple[chosen], return_inverse=True, return_counts=True
            )
            if self._distance == "mean":
                weights = counts[place.ravel()]
            centroid = self._average(tuples, counts)
            apart = self._compare_tuples(centroid, self._record_tuple[chosen])
            reference = int(chosen[int(np.argmax(apart * weights))])
        order = np.argsort(self._compare(reference, chosen) * weights, kind="stable")
        return [int(row) for row in chosen[order]]

    def nearest(self, row: int, k: int) -> list[int]:
        """The interval of a record: the k other records nearest to it (RS definitions 7 to 9).

        Args:
            row: The number of a record.
            k: How many records, at least 1 and fewer than there are.

        Returns:
            Their numbers, the nearest first. Of equally near ones the first are taken.
        """
        if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k < len(self):
            raise ParameterError(
                f"k must be at least 1 and less than the number of records, {len(self):,}, got {k}"
            )
        ordered = self.sort_by_distance(reference=row)
        return [other for other in ordered if other != row][:k]

    # ------------------------------------------------------------------ in whole numbers

    def _average(self, tuples: Longs, counts: Longs) -> Floats:
        """The targets of the centroid of some tuples with counts."""
        every = self._operators.tuples
        some = type(every)(every.attributes, every.codes[:, tuples], counts)
        operators = Operators(some, self._distance, candidates=self._candidates)
        start = np.array([0, len(tuples)])
        centroid: Floats = operators.centroids(start, np.arange(len(tuples)))[0]
        rounded = [
            column.attribute.round_targets(np.array([target]))[0]
            for column, target in zip(self._columns, centroid, strict=True)
        ]
        return np.array(rounded)

    @property
    def _candidates(self) -> str:
        return "hierarchy" if self._distance == "mean" else "values"

    def _compare(self, reference: int | RecordCentroid, rows: Longs) -> Longs:
        if isinstance(reference, RecordCentroid):
            targets = reference._targets
        else:
            (row,) = self._check_rows([reference])
            targets = self._operators.tuples.targets()[self._record_tuple[row]]
        return self._compare_tuples(targets, self._record_tuple[rows])

    def _compare_tuples(self, targets: Floats, tuples: Longs) -> Longs:
        apart = self._operators.row(targets)[self._places[:, tuples]]
        return np.asarray(apart.sum(axis=0, dtype=np.int64))

    def _to_floats(self, numbers: Longs) -> Floats:
        sums = numbers / self._operators.scale
        if self._distance != "mean":
            return np.asarray(np.sqrt(sums))
        return np.asarray(sums / sum(self._operators.factors))

    def _check_rows(self, rows: Iterable[int] | None) -> Longs:
        if rows is None:
            return np.arange(len(self))
        chosen = np.array(list(rows))
        if not len(chosen) or chosen.dtype.kind not in "iu":
            raise ParameterError("rows must be numbers of records, at least one")
        wrong = chosen[(chosen < 0) | (chosen >= len(self))]
        if len(wrong):
            raise ParameterError(
                f"rows must be from 0 to {len(self) - 1:,}, the numbers of records, got {wrong[0]}"
            )
        return chosen.astype(np.int64)
