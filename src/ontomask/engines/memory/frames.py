"""Tables in memory: pandas, polars (eager and lazy), pyarrow, and DuckDB relations.

Whatever the kind, columns come in as distinct values and the place of each record's among them,
and the same kind goes out. Which of several targets a record is given depends on its whole row and
the seed, never on where it stands.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from decimal import Decimal
from hashlib import blake2b
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.keyed_numbers import mix_bits
from ontomask.engines.duckdb.sql import identifier
from ontomask.engines.memory.columns import ARROW, PANDAS, POLARS, ColumnOperations
from ontomask.errors import InternalError, ParameterError
from ontomask.microdata.distinct_values import DistinctValues, OutputColumn
from ontomask.microdata.tuples import Transitions
from ontomask.taxonomy.value_counts import is_missing

__all__ = [
    "Frame",
    "suppressed_targets",
    "canonical_text",
    "class_sizes",
    "deal_targets",
    "number_classes",
    "count_people",
    "row_keys",
    "verify_release",
]

Longs = NDArray[np.int64]


class Frame:
    """A table of any kind, read once."""

    def __init__(self, table: Any) -> None:
        from narwhals import dependencies as kinds

        self.original = table
        self._columns: ColumnOperations
        if isinstance(table, str | PathLike):
            raise ParameterError(
                f"{str(table)!r} is a path, and tables are masked as frames",
                "read it first, with pandas, polars, pyarrow or duckdb",
            )
        if kinds.is_pandas_dataframe(table):
            self.kind, self._columns, self.native = "pandas", PANDAS, table
        elif kinds.is_polars_dataframe(table):
            self.kind, self._columns, self.native = "polars", POLARS, table
        elif kinds.is_polars_lazyframe(table):
            self.kind, self._columns, self.native = "lazy", POLARS, table.collect()
        elif kinds.is_pyarrow_table(table):
            self.kind, self._columns, self.native = "pyarrow", ARROW, table
        elif kinds.is_duckdb_relation(table):
            self.kind, self._columns, self.native = "duckdb", ARROW, _fetch_relation(table)
        else:
            raise ParameterError(
                f"{type(table).__name__} is no table that can be masked",
                "give a pandas, polars or pyarrow table, or a DuckDB relation; of a dict of "
                "columns, pandas.DataFrame(...) or pyarrow.table(...) makes one",
            )

    @property
    def names(self) -> list[str]:
        """What the columns are called."""
        return list(self.native.column_names if self._columns is ARROW else self.native.columns)

    @property
    def rows(self) -> int:
        """How many records there are."""
        return int(self.native.num_rows if self._columns is ARROW else len(self.native))

    def distinct_values(self, column: str) -> DistinctValues:
        """The distinct values of a column, and each record's place among them."""
        native = self.native[column]
        codes, values = self._columns.number_values(native)
        if str(getattr(native, "dtype", getattr(native, "type", ""))).lower() in _SINGLE_PRECISION:
            values = [value if value is None else float(str(np.float32(value))) for value in values]
        missing = np.array([type(v) is not str and _is_missing(v) for v in values], dtype=bool)
        return DistinctValues(values, codes).without_values(missing)

    def make_released_table(
        self,
        outputs: Mapping[str, OutputColumn],
        removed: Sequence[str],
        kept: NDArray[np.bool_],
    ) -> Any:
        """Make a table of the same kind from the kept records, with some columns replaced."""
        import narwhals as nw

        frame = nw.from_native(self.native, eager_only=True)
        frame = frame.drop([column for column in frame.columns if column in set(removed)])
        if not kept.all():
            frame = frame.filter(kept.tolist())
        native = frame.to_native()
        new = {
            column: self._columns.make_column(
                native[column], output.values, output.places, output.text
            )
            for column, output in outputs.items()
        }
        if self._columns is PANDAS:
            out = native.copy()
            for column, values in new.items():
                out[column] = values
        elif self._columns is POLARS:
            out = native.with_columns(new.values())
        else:
            out = native
            for column, values in new.items():
                out = out.set_column(out.column_names.index(column), column, values)
        if self.kind == "lazy":
            return out.lazy()
        if self.kind == "duckdb":
            return self._make_relation(out, outputs)
        return out

    def _make_relation(self, table: Any, outputs: Mapping[str, OutputColumn]) -> Any:
        """Make a DuckDB relation of the same connection, with the same types."""
        types = dict(zip(self.original.columns, map(str, self.original.types), strict=True))
        expressions = []
        for column in table.column_names:
            name = identifier(column)
            text = column in outputs and outputs[column].text
            expressions.append(name if text else f"cast({name} as {types[column]}) as {name}")
        ontomask_released = table  # DuckDB finds it here by its name
        query = f"select {', '.join(expressions)} from ontomask_released"
        relation = self.original.query("ontomask_original", query)
        del ontomask_released
        return relation

    def has_same_column(self, column: str, other: Frame, kept: NDArray[np.bool_]) -> bool:
        """Whether a column is the same in another table that has some of the records."""
        import narwhals as nw

        frame = nw.from_native(self.native, eager_only=True).select(nw.col(column))
        if not kept.all():
            frame = frame.filter(kept.tolist())
        return self._columns.is_same_column(frame.to_native()[column], other.native[column])

    @property
    def index_names(self) -> list[str]:
        """The names of the index levels that have one (pandas)."""
        if self.kind != "pandas":
            return []
        return [str(name) for name in self.native.index.names if name is not None]

    def has_same_index(self, other: Frame, kept: NDArray[np.bool_]) -> bool:
        """Whether another table, that has some of the records, has their index (pandas)."""
        return self.kind != "pandas" or self.native.index[kept].equals(other.native.index)


_SINGLE_PRECISION = (
    "float32",
    "float",
    "float[pyarrow]",
)  # pandas and polars; pyarrow; pandas on pyarrow


def _is_missing(value: Any) -> bool:
    return not isinstance(value, list | tuple | dict | np.ndarray) and is_missing(value)


def _fetch_relation(relation: Any) -> Any:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ParameterError(
            "DuckDB relations are read through pyarrow, which is not installed",
            "pip install pyarrow",
        ) from None
    return relation.to_arrow_table()


# ---------------------------------------------------------------------- dealing


def canonical_text(value: Any) -> str:
    """A cell as text, the same for every kind of frame.

    Whole numbers look alike whatever their type, days are midnights, times are cut to the
    microsecond.

    >>> canonical_text(8.0) == canonical_text(8), canonical_text("8") == canonical_text(8)
    (True, False)
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return "s" + value
    if isinstance(value, bool):
        return "b1" if value else "b0"
    if isinstance(value, int):
        return f"n{value}"
    if isinstance(value, list | tuple | np.ndarray):
        return "[" + ",".join(canonical_text(item) for item in value) + "]"
    if isinstance(value, dict):
        return (
            "{" + ",".join(f"{key!r}:{canonical_text(item)}" for key, item in value.items()) + "}"
        )
    if is_missing(value):
        return "-"
    if isinstance(value, float | Decimal):
        number = float(value)
        return f"n{int(value)}" if number.is_integer() else f"n{number!r}"
    if isinstance(value, datetime.datetime):
        aware = value.tzinfo is not None
        moment = value.astimezone(datetime.UTC).replace(tzinfo=None) if aware else value
        return ("z" if aware else "t") + moment.isoformat(timespec="microseconds")
    if isinstance(value, datetime.date):
        return f"t{value.isoformat()}T00:00:00.000000"
    if isinstance(value, datetime.timedelta):
        return f"d{value // datetime.timedelta(microseconds=1)}"
    if isinstance(value, bytes):
        return "x" + value.hex()
    return f"s{value}"


def row_keys(frame: Frame, secret: bytes) -> NDArray[np.uint64]:
    """A number for each record, made of its whole row and a secret; equal rows have equal ones."""
    keys = np.zeros(frame.rows, dtype=np.uint64)
    for column in sorted(frame.names, key=str):
        distinct = frame.distinct_values(column)
        start = blake2b(digest_size=8, key=secret)
        start.update(f"{column}\0".encode("utf-8", "surrogatepass"))
        digests = bytearray()
        for value in (*distinct.values, None):  # missing is the last, where -1 finds it
            hashed = start.copy()
            hashed.update(canonical_text(value).encode("utf-8", "surrogatepass"))
            digests += hashed.digest()
        keys = mix_bits(keys + np.frombuffer(bytes(digests), dtype="<u8")[distinct.codes])
    return keys


def deal_targets(
    transitions: Transitions, record_tuple: Longs, frame: Frame, secret: bytes, kept: Any
) -> Longs:
    """Deal each record its target; where a tuple has several, in order of :func:`row_keys`."""
    if transitions.has_one_target_per_tuple:
        return transitions.target_of()[record_tuple]
    order = np.lexsort((row_keys(frame, secret)[kept], record_tuple))
    targets = np.empty(len(record_tuple), dtype=np.int64)
    targets[order] = np.repeat(transitions.target, transitions.count)
    return targets


# ---------------------------------------------------------------------- verifying


def verify_release(
    original: Frame,
    released: Any,
    expected: Mapping[str, OutputColumn],
    transitions: Transitions,
    record_tuple: Longs,
    *,
    removed: Sequence[str],
    kept: NDArray[np.bool_],
) -> Longs:
    """Verify the finished table, and give the class of each of its records.

    ``expected`` says how each target looks when written. A table that is not what the transitions
    say, or that differs in any other column, is an error of ours.
    """
    finished = Frame(released)
    if finished.kind != original.kind:
        raise InternalError(f"a table of kind {original.kind} became one of kind {finished.kind}")
    names = [column for column in original.names if column not in set(removed)]
    if finished.names != names:
        raise InternalError("the released table has other columns than it should")
    if finished.rows != int(kept.sum()):
        raise InternalError("the released table has more or fewer records than it should")
    if not original.has_same_index(finished, kept):
        raise InternalError("the index of the released table is not that of the original")
    for column in names:
        if column not in expected and not original.has_same_column(column, finished, kept):
            raise InternalError(f"column {column!r} was changed, and should not have been")
    classes, planned = number_classes(finished, expected, len(transitions.targets))
    _check_transitions(classes, planned, transitions, record_tuple)
    return np.unique(classes, return_inverse=True)[1]


def number_classes(
    finished: Frame, expected: Mapping[str, OutputColumn], targets: int
) -> tuple[Longs, Longs]:
    """Number the classes of rows and of targets by their released values, in one numbering."""
    classes = np.zeros(finished.rows, dtype=np.int64)
    planned = np.zeros(targets, dtype=np.int64)
    for column, look in expected.items():
        distinct = finished.distinct_values(column)
        texts = [canonical_text(value) for value in (*distinct.values, None)]
        planned_texts = [canonical_text(value) for value in (*look.values, None)]
        place = {
            text: number for number, text in enumerate(dict.fromkeys([*planned_texts, *texts]))
        }
        size = len(place)
        codes = np.array([place[text] for text in texts])[distinct.codes]
        planned_codes = np.array([place[text] for text in planned_texts])[look.places]
        _, both = np.unique(
            np.concatenate([classes * size + codes, planned * size + planned_codes]),
            return_inverse=True,
        )
        classes, planned = both[: len(classes)], both[len(classes) :]
    return classes, planned


def _check_transitions(
    classes: Longs, planned: Longs, transitions: Transitions, record_tuple: Longs
) -> None:
    """Every tuple must have become what was planned, as often as it was planned."""
    size = int(max(classes.max(initial=0), planned.max(initial=0))) + 1
    present = np.isin(transitions.source, record_tuple)
    if len(record_tuple) < int(transitions.count.sum()):  # suppressed records were removed
        present &= ~suppressed_targets(transitions)[transitions.target]
    pairs, place = np.unique(
        transitions.source[present] * size + planned[transitions.target[present]],
        return_inverse=True,
    )
    counts = np.bincount(place, weights=transitions.count[present], minlength=len(pairs))
    found_pairs, found_counts = np.unique(record_tuple * size + classes, return_counts=True)
    if not (np.array_equal(pairs, found_pairs) and np.array_equal(counts, found_counts)):
        raise InternalError("the released values are not those of the plan")


def suppressed_targets(transitions: Transitions) -> NDArray[np.bool_]:
    """Which targets are those of suppressed records."""
    return np.asarray(np.isnan(transitions.targets).all(axis=1))


def class_sizes(classes: Longs) -> Longs:
    """How many records each class holds."""
    return np.bincount(classes) if len(classes) else np.zeros(0, dtype=np.int64)


def count_people(classes: Longs, people: Longs) -> Longs:
    """Count the different people of each class; the missing ones (-1) count as one."""
    if not len(classes):
        return np.zeros(0, dtype=np.int64)
    pairs = np.unique(classes * (int(people.max()) + 2) + people + 1)
    return np.bincount(pairs // (int(people.max()) + 2))
