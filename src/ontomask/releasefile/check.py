"""What a release file would meet, before anything is masked: roles, values, and the risk now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ontomask.engines.duckdb.engine import StoredEngine
from ontomask.errors import (
    ColumnError,
    OntomaskError,
    ParameterError,
)
from ontomask.methods import Resampling
from ontomask.methods.method import GroupingMethod
from ontomask.methods.people import refuse_several_targets
from ontomask.microdata.distinct_values import Distinct
from ontomask.microdata.schema import Date, Nominal, Numeric, Ordinal, Schema
from ontomask.microdata.value_coding import Coded, code_column, terms_of
from ontomask.pipeline.cautions import gives_away
from ontomask.pipeline.complete_records import complete
from ontomask.pipeline.counting import (
    counted_tuples,
    open_engine,
    raw_rows,
    reported,
    warn_of_table,
)
from ontomask.pipeline.evaluation import watched
from ontomask.pipeline.facts import coverage
from ontomask.pipeline.guarantee import promised
from ontomask.pipeline.guarantee import shown as shown_method
from ontomask.releasefile.model import Spec, load_spec
from ontomask.releasefile.problems import in_yaml
from ontomask.releasefile.run import file_settings, files_of, folders_of, refuse_targets

if TYPE_CHECKING:
    from ontomask.microdata.tuples import Tuples
    from ontomask.taxonomy import TermMap

__all__ = ["Checked", "CheckedColumn", "Lost", "check"]

#: So many values without a concept are listed for each column, with so many names nearby.
MOST_LOST = 20
MOST_NEAR = 3

Result = TypeVar("Result")
Typed = Nominal | Numeric | Ordinal | Date


@dataclass(frozen=True)
class Lost:
    """A value without a concept of its own, how many records hold it, and what it may mean."""

    value: str
    records: int
    nearest: tuple[str, ...]


@dataclass(frozen=True)
class CheckedColumn:
    """A column: its role, what it holds, and how its values found their concepts.

    ``role`` is None where the file gives none; ``distinct`` and ``missing`` are None where the
    table has no such column. ``mapping`` counts values and records by the kind of name that
    matched; ``lost`` has the most frequent values without a concept.
    """

    name: str
    role: str | None
    type: str | None = None
    taxonomy: str | None = None
    distinct: int | None = None
    missing: int | None = None
    mapping: dict[str, Any] | None = None
    lost: tuple[Lost, ...] = ()


@dataclass(frozen=True)
class Checked:
    """What was found. ``problems`` are all reasons why masking would be refused, if any.

    ``warnings`` are of columns that are released as they are, and may undo what masking does.
    ``tuples`` and ``risk``, of the table as it is, are None where a problem is in the way.
    """

    records: int | None
    columns: tuple[CheckedColumn, ...]
    method: str
    tuples: int | None = None
    risk: dict[str, Any] | None = None
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def fine(self) -> bool:
        """Whether nothing is in the way."""
        return not self.problems

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return {"fine": self.fine, **asdict(self)}


def check(spec: str | PathLike[str] | Spec) -> Checked:
    """Look at the table that a release file names as masking would; nothing is written.

    A file that is wrong in itself is an error. Everything else that is wrong is listed.
    """
    own = [] if isinstance(spec, Spec) else [Path(spec)]
    if not isinstance(spec, Spec):
        spec = load_spec(spec)
    work = _Check(spec, [*spec.inputs(), *own])
    with reported(spec.data_path):
        return work.done()


@dataclass
class _Check:
    """The work, and what it has found so far."""

    spec: Spec
    inputs: list[Path]
    problems: list[str] = field(default_factory=list)
    mappings: dict[str, TermMap] = field(default_factory=dict)

    def _listed(self, work: Callable[[], Result]) -> Result | None:
        """What the work gives; where it is refused, that is one more problem."""
        try:
            return work()
        except OntomaskError as error:
            hint = in_yaml(error.hint)
            said = f"{error.message}\nhint: {hint}" if hint else error.message
            self.problems.append(said)
            return None

    def done(self) -> Checked:
        """Everything, in the order in which masking meets it."""
        tuples = risk = None
        self._listed(
            lambda: refuse_targets(files_of(self.spec), self.inputs, folders_of(self.spec))
        )
        self._listed(lambda: _refuse_k_of_no_classes(self.spec))
        schema = self._listed(self.spec.schema)
        engine = self._listed(lambda: _opened(self.spec))
        if schema is not None and engine is not None:
            tuples = self._tuples(engine, schema)
            if tuples is not None:
                risk = self._risk(engine, schema, tuples)
        columns = tuple(self._columns(engine))
        return Checked(
            records=engine.rows if engine else None,
            columns=columns,
            method=shown_method(self.spec.method_object()),
            tuples=None if tuples is None else len(tuples),
            risk=risk,
            problems=tuple(dict.fromkeys(self.problems)),
            warnings=tuple(self._telling(engine, columns)) if engine else (),
            notes=() if self.problems else tuple(_notes(self.spec)),
        )

    # ------------------------------------------------------------------ values

    def _tuples(self, engine: StoredEngine, schema: Schema) -> Tuples | None:
        """The tuples, where masking would come so far."""
        self._listed(lambda: _fitting(engine, schema))
        if not engine.rows:
            return None
        for column in schema.confidential:
            if isinstance(column, Nominal) and column.column in engine.names:
                self._watch(engine, column, schema)
        known = [it for it in schema.quasi_identifiers if it.column in engine.names]
        if not known:
            return None
        person = schema.person if schema.person in engine.names else None
        return self._counted(engine, replace(schema, quasi_identifiers=known, person=person))

    def _counted(self, engine: StoredEngine, schema: Schema) -> Tuples | None:
        rows, weights, lacking = raw_rows(engine, schema)
        held = False  # whether rows with missing values are still there, and not wanted
        try:
            columns, kept = complete(rows, schema, weights, lacking)
        except ColumnError as error:
            self.problems.append(f"{error.message}\nhint: {in_yaml(error.hint)}")
            held = True
            columns, kept = complete(rows, replace(schema, missing="category"), weights, lacking)
        coded = [
            self._coded(column, found.of(found.codes >= 0) if held else found, schema.missing)
            for column, found in zip(schema.quasi_identifiers, columns, strict=True)
        ]
        whole = [it for it in coded if it is not None]
        if self.problems or len(whole) < len(coded):
            return None
        tuples = counted_tuples(engine, whole, weights, kept).tuples
        self._listed(lambda: self._refuse_large_k(engine, schema, tuples))
        return tuples

    def _coded(self, column: Typed, found: Distinct, missing: str) -> Coded | None:
        coded = self._listed(lambda: code_column(column, found, missing))
        if coded is not None and coded.terms is not None:
            self.mappings[column.column] = coded.terms
        elif coded is None and isinstance(column, Nominal):
            with suppress(OntomaskError):  # said already
                self.mappings[column.column] = terms_of(column, found)
        return coded

    def _watch(self, engine: StoredEngine, column: Nominal, schema: Schema) -> None:
        """A confidential column whose values must have concepts, too."""
        rows, weights = engine.counted([column.column])
        found = rows.distinct(column.column)
        self._coded(column, Distinct(found.values, found.codes, weights), "category")

    def _refuse_large_k(self, engine: StoredEngine, schema: Schema, tuples: Tuples) -> None:
        method = self.spec.method_object()
        if isinstance(method, GroupingMethod):
            method.check(tuples)
        k = promised(method)
        if k is None or schema.person is None:
            return
        if isinstance(method, Resampling):
            refuse_several_targets()
        people = len(set(engine.by_tuple(schema.person)[1].codes.tolist()))
        if people < k:
            raise ParameterError(
                f"k is {k:,}, and the records are of only {people:,} different people",
                f"choose k up to {people:,}",
            )

    # ------------------------------------------------------------------ figures

    def _risk(self, engine: StoredEngine, schema: Schema, tuples: Tuples) -> dict[str, Any] | None:
        from ontomask.risk.evaluation import original_risk

        k = getattr(self.spec.method_object(), "k", None)
        return self._listed(lambda: original_risk(tuples, k, watched(schema, engine.by_tuple)))

    def _columns(self, engine: StoredEngine | None) -> Iterator[CheckedColumn]:
        names = engine.names if engine else []
        given = self.spec.columns
        for name in [*names, *(it for it in given if it not in names)]:
            counted = engine.described(name, self._marks(name)) if name in names and engine else ()
            yield self._column(name, *counted)

    def _telling(self, engine: StoredEngine, columns: Sequence[CheckedColumn]) -> Iterator[str]:
        """Columns that are released as they are, and give people or masked values away."""
        there = [it for it in columns if it.distinct]
        masked = [it for it in there if it.role == "quasi"]
        for column in (it for it in there if it.role in ("keep", "confidential")):
            words = gives_away(engine, column.name)
            if words:
                yield words
                continue
            for quasi in masked:
                if _at_least(column, quasi) and engine.tells(
                    column.name, quasi.name, self._marks(quasi.name)
                ):
                    yield (
                        f"{column.name} says what {quasi.name} says: masking {quasi.name} hides "
                        f"nothing while {column.name} is kept"
                    )

    def _marks(self, name: str) -> tuple[str, ...]:
        quasi = name in self.spec.columns and self.spec.columns[name].role == "quasi"
        return self.spec.missing_marks if quasi else ()

    def _column(
        self, name: str, distinct: int | None = None, missing: int | None = None
    ) -> CheckedColumn:
        given = self.spec.columns.get(name)
        role = given.role if given else {"refuse": None}.get(self.spec.other, self.spec.other)
        if given is None and name == self.spec.person:
            role = "identifier"
        found = self.mappings.get(name)
        return CheckedColumn(
            name,
            role,
            given.kind if given else None,
            given.taxonomy if given else None,
            distinct,
            missing,
            coverage(replace(found, missing=missing or 0)) if found else None,
            tuple(_lost(found)) if found else (),
        )


def _at_least(column: CheckedColumn, quasi: CheckedColumn) -> bool:
    """Whether a column has enough values to tell all those of another apart, if there are two."""
    return (column.distinct or 0) >= (quasi.distinct or 0) > 1


def _opened(spec: Spec) -> StoredEngine:
    engine = open_engine(spec.data_path, file_settings(spec))
    assert isinstance(engine, StoredEngine)
    return engine


def _refuse_k_of_no_classes(spec: Spec) -> None:
    method = spec.method_object()
    if spec.require and spec.require.k and promised(method) is None:
        raise ParameterError(
            f"require.k: {shown_method(method)} promises no classes",
            "take k out of require, or choose a method that groups",
        )


def _fitting(engine: StoredEngine, schema: Schema) -> None:
    """Refuse a table that the schema is not about, and warn of what it does not expect."""
    schema.check(engine.names)
    warn_of_table(engine, schema)
    if not engine.rows:
        raise ColumnError("the table has no records", "there is nothing to mask")


def _notes(spec: Spec) -> Iterator[str]:
    """What is no reason to refuse, and good to know."""
    if spec.output_path.is_file() or any(it.exists() for it in folders_of(spec)):
        yield f"{spec.output_path} exists already: masking needs --force, or another output"
    k, wanted = promised(spec.method_object()), spec.require.k if spec.require else None
    if wanted and k is not None and k < wanted:
        yield f"k {wanted:,} is required, and the method promises {k:,}"


def _lost(found: TermMap) -> Iterator[Lost]:
    near = found.suggestions(MOST_LOST, MOST_NEAR)
    for match in found.lost[:MOST_LOST]:
        told = (found.told(hit) for hit in near.get(match.value, [])[:MOST_NEAR])
        yield Lost(match.value, match.count, tuple(told))
