"""Check a release file with its table: roles, values, and the risk of the original table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.files.atomic_files import refuse_targets
from ontomask.engines.duckdb.engine import StoredEngine
from ontomask.engines.duckdb.values import unknown_texts
from ontomask.errors import (
    ColumnError,
    OntomaskError,
    ParameterError,
    format_count,
    format_people,
    format_percent,
    quote_names,
)
from ontomask.methods.method import SensitivePromise
from ontomask.methods.people import refuse_k_above_people, refuse_several_targets
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.known_values import merge_look_alikes, without_unknown
from ontomask.microdata.linked_records import LinkedRecords
from ontomask.microdata.schema import Date, Nominal, NominalSet, Numeric, Ordinal, Schema
from ontomask.microdata.value_coding import CodedColumn, code_column, terms_of
from ontomask.pipeline.complete_records import read_quasi_identifier, select_complete_records
from ontomask.pipeline.counting import (
    count_known_by_tuple,
    count_raw_rows,
    gather_long_table,
    open_engine,
    place_records,
    translate_file_errors,
    warn_about_table,
)
from ontomask.pipeline.evaluation import (
    ValueCounter,
    count_people_by_class,
    sensitive_counts,
)
from ontomask.pipeline.facts import mapping_coverage
from ontomask.pipeline.guarantees.cautions import uniqueness_caution
from ontomask.pipeline.guarantees.guarantee import format_method as shown_method
from ontomask.pipeline.guarantees.look_alikes import describe_look_alikes
from ontomask.pipeline.guarantees.released_classes import UnmaskedColumns
from ontomask.pipeline.planning import PlanInput, refuse_impossible_rules
from ontomask.pipeline.planning.linked_people import count_unique_people
from ontomask.pipeline.planning.missing_numbers import check_parts, plans_in_parts
from ontomask.releasefile.manifest import previous_cautions
from ontomask.releasefile.model import ColumnSpec, ReleaseFile, load_release_file
from ontomask.releasefile.run import file_settings, output_files, output_folders
from ontomask.risk.linked_people import LinkedRows
from ontomask.risk.population.evaluation import short_population_caution
from ontomask.risk.released_classes import count_people_classes
from ontomask.taxonomy.about import FLAT

if TYPE_CHECKING:
    from ontomask.microdata.tuples import Tuples
    from ontomask.pipeline.population import RowCounter
    from ontomask.taxonomy import TermMap

__all__ = ["CheckResult", "CheckedColumn", "TableChecker", "ValueWithoutConcept", "check"]

Longs = NDArray[np.int64]

#: How many values without a concept are listed for each column, and how many similar concepts.
MOST_LOST = 20
MOST_NEAR = 3

Result = TypeVar("Result")
TypedColumn = Nominal | Numeric | Ordinal | Date


@dataclass(frozen=True)
class ValueWithoutConcept:
    """A value without a concept, the number of records with it, and similar concepts."""

    value: str
    records: int
    nearest: tuple[str, ...]


@dataclass(frozen=True)
class CheckedColumn:
    """A column: its role, its content, and how its values were mapped to concepts.

    ``role`` is None where the file gives none; ``distinct`` and ``missing`` are None where the
    table has no such column. ``mapping`` counts values and records by the kind of name that
    matched; ``lost`` has the most frequent values without a concept. ``flat`` says that the
    taxonomy has no groups. ``columns`` are those of the table that a set is spread over; its values
    are counted as sets.
    """

    name: str
    role: str | None
    type: str | None = None
    taxonomy: str | None = None
    distinct: int | None = None
    missing: int | None = None
    mapping: dict[str, Any] | None = None
    lost: tuple[ValueWithoutConcept, ...] = ()
    flat: bool = False
    columns: tuple[str, ...] = ()

    @property
    def table_columns(self) -> tuple[str, ...]:
        """The columns of the table that hold its values."""
        return self.columns or (self.name,)

    @property
    def in_table(self) -> bool:
        """Whether the table has this column."""
        return self.distinct is not None


@dataclass(frozen=True)
class CheckResult:
    """Result of a check. ``problems`` are all reasons why masking would be refused, if any.

    ``warnings`` are about columns that are released unchanged and may undo the masking, about
    sets that nobody else has, and about sensitive values and people that differ only in spelling.
    ``uncertain`` are the requirements that the method does not guarantee. Whether they are met is
    only known after masking.
    ``tuples`` and ``risk``, of the table as it is, are None where a problem is in the way.
    ``person`` is the column that identifies people. The figures of ``risk`` count records, or
    people with all their values where ``long`` says that the table has a row for each value. Where
    ``linked`` says that the records of a person stay linked, equivalence classes count people.
    ``population`` are the figures of the original table against its population; None where none is
    described, or a problem is in the way.
    """

    records: int | None
    columns: tuple[CheckedColumn, ...]
    method: str
    tuples: int | None = None
    risk: dict[str, Any] | None = None
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    uncertain: tuple[str, ...] = ()
    person: str | None = None
    population: dict[str, Any] | None = None
    long: bool = False
    linked: bool = False

    @property
    def fine(self) -> bool:
        """Whether nothing is in the way."""
        return not self.problems

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return {"fine": self.fine, **asdict(self)}


def check(spec: str | PathLike[str] | ReleaseFile) -> CheckResult:
    """Check the table that a release file names, as masking would; nothing is written.

    A file that is wrong in itself is an error. Everything else that is wrong is listed.
    """
    own_path = [] if isinstance(spec, ReleaseFile) else [Path(spec)]
    if not isinstance(spec, ReleaseFile):
        spec = load_release_file(spec)
    checker = TableChecker(spec, [*spec.inputs(), *own_path])
    with translate_file_errors(spec.data_path):
        return checker.run()


@dataclass
class TableChecker:
    """Runs the checks and collects what they find.

    Where the table is one of several, ``is_alone`` is false: k counts the people of all, and
    ``people`` are the tuple and the person of its rows, for a count over all tables.
    """

    spec: ReleaseFile
    inputs: list[Path]
    is_alone: bool = True
    people: tuple[Longs, DistinctValues] | None = None
    problems: list[str] = field(default_factory=list)
    mappings: dict[str, TermMap] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    flat: frozenset[str] = frozenset()
    holders: str = ""  # all records or people, in words

    def _attempt(self, step: Callable[[], Result]) -> Result | None:
        """Run a step; if it is refused, record the problem and return None."""
        try:
            return step()
        except OntomaskError as error:
            hint = error.advice.yaml
            problem = f"{error.message}\nhint: {hint}" if hint else error.message
            self.problems.append(problem)
            return None

    def run(self) -> CheckResult:
        """Run all checks, in the order in which masking meets them."""
        tuples = risk = population = None
        warnings: list[str] = []
        if self.is_alone:
            files, folders = output_files(self.spec), output_folders(self.spec)
            self._attempt(lambda: refuse_targets(files, self.inputs, folders))
        self._attempt(lambda: _refuse_k_of_no_classes(self.spec))
        schema = self._attempt(lambda: self.spec.without_undecided().schema())
        engine = self._attempt(lambda: _open_stored_engine(self.spec))
        if schema is not None:
            self._find_flat_taxonomies(schema)
        if schema is not None and engine is not None:
            placed = self._check_values(engine, schema)
            if placed is not None:
                tuples, count_values, count_rows = placed
                risk = self._measure_risk(schema, tuples, count_values)
                population = self._measure_population(engine, schema, tuples, count_rows)
            if risk is not None:
                warnings += self._unique_set_warnings(risk)
                warnings += describe_look_alikes(schema, count_values)
                warnings += self._released_column_warnings(engine, schema)
                warnings += self._linked_column_warnings(engine, schema, count_rows)
        if self.spec.undecided:
            self._attempt(self.spec.schema)
        columns = tuple(self._describe_columns(engine, schema))
        previous = self._attempt(lambda: previous_cautions(self.spec))
        warnings += previous or ()
        caution = short_population_caution(population or {})
        warnings += [caution] if caution else []
        if engine is not None:
            warnings += self._revealing_column_warnings(engine, columns)
        return CheckResult(
            records=engine.rows if engine else None,
            columns=columns,
            method=shown_method(self.spec.method_object()),
            tuples=None if tuples is None else len(tuples),
            risk=risk,
            problems=tuple(dict.fromkeys(self.problems)),
            warnings=tuple(warnings),
            notes=(*self.notes, *(() if self.problems else _notes(self.spec))),
            uncertain=() if self.problems else tuple(_uncertain_requirements(self.spec)),
            person=self.spec.person,
            population=population,
            long=schema is not None and schema.long_set is not None,
            linked=schema is not None and schema.linked is not None,
        )

    def _find_flat_taxonomies(self, schema: Schema) -> None:
        """Find the quasi-identifiers whose taxonomy says nothing about similarity."""
        masked = [column for column in schema.quasi_identifiers if isinstance(column, Nominal)]
        self.flat = frozenset(column.column for column in masked if column.taxonomy.is_flat)
        names = [column.column for column in masked if column.column in self.flat]
        if names:
            files = ", ".join(str(self.spec.columns[name].taxonomy) for name in names)
            one = len(names) == 1
            self.notes.append(
                f"the {'taxonomy' if one else 'taxonomies'} of {quote_names(names, len(names))} "
                f"{'is' if one else 'are'} {FLAT}. All values of a column are equally different, "
                f"so masking cannot choose similar ones. Group similar values in {files}"
            )

    # ------------------------------------------------------------------ values

    def _check_values(
        self, engine: StoredEngine, schema: Schema
    ) -> tuple[Tuples, ValueCounter, RowCounter] | None:
        """Check the values; return the tuples and a count of others, None if they do not count."""
        self._attempt(lambda: _refuse_unfitting_table(engine, schema))
        if not engine.rows:
            return None
        for column in schema.confidential:
            if isinstance(column, Nominal) and column.column in engine.names:
                self._check_sensitive_column(engine, column, schema)
        present = [
            column
            for column in schema.quasi_identifiers
            if set(column.table_columns) <= set(engine.names)
        ]
        if not present:
            return None
        person = schema.person if schema.person in engine.names else None
        return self._count_tuples(engine, replace(schema, quasi_identifiers=present, person=person))

    def _count_tuples(
        self, stored: StoredEngine, schema: Schema
    ) -> tuple[Tuples, ValueCounter, RowCounter] | None:
        gathered = self._attempt(lambda: gather_long_table(stored, schema))
        if gathered is None:
            return None
        engine, schema = gathered
        rows, lacking = count_raw_rows(engine, schema)
        refused = False  # whether rows with missing values are still there, and not wanted
        try:
            columns, kept = select_complete_records(rows.frame, schema, rows.weights, lacking)
        except ColumnError as error:
            self.problems.append(f"{error.message}\nhint: {error.advice.yaml}")
            refused = True
            columns, kept = select_complete_records(
                rows.frame, replace(schema, missing="category"), rows.weights, lacking
            )
        coded = [
            self._code_column(
                column,
                distinct.select_rows(distinct.codes >= 0) if refused else distinct,
                schema.missing,
            )
            for column, distinct in zip(schema.quasi_identifiers, columns, strict=True)
        ]
        encoded = [column for column in coded if column is not None]
        if self.problems or len(encoded) < len(coded):
            return None
        tuples, records = place_records(rows, encoded, kept)
        count_values = count_known_by_tuple(records, schema)
        self._attempt(lambda: self._refuse_impossible(schema, tuples, count_values))
        released = {*schema.confidential_names, *schema.keep}
        if not self.problems and (schema.linked is not None or schema.person in released):
            is_set_alone = engine is not stored and len(schema.quasi_identifiers) == 1
            if not is_set_alone:  # it has a warning of its own
                self._attempt(lambda: self._note_linked_people(schema, tuples, count_values))
        return tuples, count_values, records.count_rows

    def _note_linked_people(
        self, schema: Schema, tuples: Tuples, count_values: ValueCounter
    ) -> None:
        """Note how many people are unique by all their records; a method must keep these linked."""
        assert schema.person is not None
        tuple_of, people = count_values(schema.person, False)
        self.people = tuple_of, merge_look_alikes(people)[0]
        records = _count_linked_records(schema, count_values)
        if schema.linked is not None and records.links:
            self.spec.method_object().check_links(tuples)
        if (uniques := count_unique_people(records)) and self.is_alone:
            self.notes.append(
                f"{uniques:,} of {records.people:,} people "
                f"({format_percent(uniques / records.people)}) are unique for an attacker who can "
                "put all their records together"
            )

    def _code_column(
        self, column: TypedColumn, distinct: DistinctValues, missing: str
    ) -> CodedColumn | None:
        coded = self._attempt(lambda: code_column(column, distinct, missing))
        if coded is not None and coded.terms is not None:
            self.mappings[column.column] = coded.terms
            assert isinstance(column, Nominal)
            self.notes += _describe_crosswalks(column, coded.terms)
        elif coded is None and isinstance(column, Nominal):
            with suppress(OntomaskError):  # said already
                self.mappings[column.column] = terms_of(column, distinct)
        return coded

    def _check_sensitive_column(
        self, engine: StoredEngine, column: Nominal, schema: Schema
    ) -> None:
        """Check that the values of a sensitive column have concepts, too."""
        rows = engine.count_rows([column.column])
        distinct = rows.frame.distinct_values(column.column)
        weighted = DistinctValues(distinct.values, distinct.codes, rows.weights)
        self._code_column(column, without_unknown(weighted, schema.missing_marks), "category")

    def _refuse_impossible(
        self, schema: Schema, tuples: Tuples, count_values: ValueCounter
    ) -> None:
        """Refuse settings that the table cannot meet: k, a window, l or t."""
        method = self.spec.method_object()
        k = method.promised_k
        size, unit = tuples.records, "records"
        if k is not None and schema.person is not None:
            if not method.keeps_tuples_together:
                refuse_several_targets()
            people = merge_look_alikes(count_values(schema.person, False)[1])[0].values
            size, unit = len(people), "people"
            if self.is_alone:
                refuse_k_above_people(k, size)
        if self.is_alone:
            method.check(tuples)
        else:
            method.check_links(tuples)
        if plans_in_parts(method, tuples) and schema.linked is None:
            check_parts(method, tuples)
        if self.is_alone:
            self._note_close_k(k, size, unit)
        if method.sensitive_promise is not None:
            confidential = tuple(sensitive_counts(schema, count_values))
            refuse_impossible_rules(method, PlanInput(tuples, confidential=confidential))

    def _note_close_k(self, k: int | None, size: int, unit: str) -> None:
        """Note a k that allows one equivalence class only."""
        if k is not None and 2 * k > size:
            self.notes.append(
                f"k = {k:,} is close to the number of {unit}, {size:,}: all records will form one "
                "equivalence class, with the same masked values. Choose a smaller k"
            )

    # ------------------------------------------------------------------ figures

    def _measure_risk(
        self, schema: Schema, tuples: Tuples, count_values: ValueCounter
    ) -> dict[str, Any] | None:
        from ontomask.risk.evaluation import evaluate_original_risk

        k = self.spec.method_object().target_k

        def measure() -> dict[str, Any]:
            people = count_people_by_class(schema, count_values)
            self.holders = format_count(tuples.records, "record")
            if people is not None:
                self.holders = format_people(len(np.unique(people[1][people[1] >= 0])))
            sensitive = sensitive_counts(schema, count_values, people)
            linked = None
            if schema.linked is not None:
                linked = LinkedRows.of_records(_count_linked_records(schema, count_values))
            return evaluate_original_risk(tuples, k, sensitive, people, linked)

        return self._attempt(measure)

    def _unique_set_warnings(self, risk: dict[str, Any]) -> Iterator[str]:
        """Warnings about columns of sets in which somebody's set is unique."""
        for column, uniques in risk["unique_sets"].items():
            if uniques:
                have = "has" if uniques == 1 else "have"
                yield (
                    f"{uniques:,} of {self.holders} {have} a set of values in column {column!r} "
                    "that nobody else has"
                )

    def _measure_population(
        self, engine: StoredEngine, schema: Schema, tuples: Tuples, count_rows: RowCounter
    ) -> dict[str, Any] | None:
        from ontomask.pipeline.population import count_population
        from ontomask.risk.population.evaluation import evaluate_original_population

        population = self.spec.population_object()
        if population is None:
            return None
        counted = self._attempt(
            lambda: count_population(population, schema, engine.names, tuples.counts, count_rows)
        )
        if counted is None:
            return None
        return evaluate_original_population(tuples, counted.knowledge)

    def _describe_columns(
        self, engine: StoredEngine | None, schema: Schema | None
    ) -> Iterator[CheckedColumn]:
        """Describe the columns of the table, then others; a set stands for all of its columns."""
        names = engine.names if engine else []
        sets = {} if schema is None else {entry.column: entry for entry in schema.spread_sets}
        set_of = {c: name for name, entry in sets.items() for c in entry.table_columns}
        listed = self.spec.columns
        for name in dict.fromkeys([*(set_of.get(name, name) for name in names), *listed]):
            counts: tuple[int, ...] = ()
            if engine and schema and name in sets and set(sets[name].table_columns) <= set(names):
                counts = _count_sets(engine, sets[name], schema)
            elif engine and name in names:
                marks = self._missing_marks(engine, name)
                counts = engine.count_distinct_and_missing(name, marks)
            yield self._describe_column(name, *counts)

    def _released_column_warnings(self, engine: StoredEngine, schema: Schema) -> Iterator[str]:
        """Warnings about kept columns that break k-anonymity, whatever is masked."""
        columns = UnmaskedColumns.of_table(engine, schema)
        for link in columns.links:
            yield (
                f"column {link!r} is released and links the records of a person. k-anonymity must "
                "then hold for all records of a person together, which masking does not guarantee. "
                f"To remove it, write: {link}: {{role: identifier}}"
            )
        k = self.spec.method_object().promised_k
        if not columns.kept or k is None or columns.links:
            return
        counts = engine.count_classes(columns.kept)
        if counts.smallest < k:
            names = quote_names(columns.kept, most=len(columns.kept))
            are = "is" if counts.uniques == 1 else "are"
            yield (
                f"the table cannot be {k:,}-anonymous for an attacker who knows the kept "
                f"{'column' if len(columns.kept) == 1 else 'columns'} {names}: "
                f"{counts.uniques:,} of {engine.rows:,} records {are} unique on them, and the "
                f"smallest equivalence class has {format_count(counts.smallest, 'record')}. Mask "
                f"or remove them, for example: {columns.kept[0]}: {{role: drop}}"
            )

    def _linked_column_warnings(
        self, engine: StoredEngine, schema: Schema, count_rows: RowCounter
    ) -> Iterator[str]:
        """A warning about kept columns that single out linked people, whatever is masked."""
        kept, k = schema.kept(engine.names), self.spec.method_object().promised_k
        if schema.linked is None or schema.person is None or not kept or k is None:
            return
        rows = count_rows([schema.person, *kept])
        alike = replace(rows, group=np.zeros_like(rows.group))
        classes = count_people_classes(
            alike, schema.person, kept, schema.person, schema.missing_marks
        )
        if classes.smallest < k:
            names = quote_names(kept, most=len(kept))
            are = "is" if classes.uniques == 1 else "are"
            yield (
                f"a pseudonym also links the kept {'column' if len(kept) == 1 else 'columns'} "
                f"{names}: {classes.uniques:,} of {classes.total:,} people {are} unique by all "
                "their kept values alone, so k-anonymity of linked people is not to be expected. "
                f"Mask or remove them, for example: {kept[0]}: {{role: drop}}"
            )

    def _revealing_column_warnings(
        self, engine: StoredEngine, columns: Sequence[CheckedColumn]
    ) -> Iterator[str]:
        """Warnings about kept columns that identify people or reveal masked values."""
        filled = [column for column in columns if column.distinct]
        masked = [column for column in filled if column.role == "quasi"]
        for column in (column for column in filled if column.role in ("keep", "confidential")):
            warning = uniqueness_caution(engine, column.name, engine.rows)
            if warning:
                yield warning
                continue
            for quasi in masked:
                if _has_as_many_values(column, quasi) and all(
                    engine.determines(column.name, name, self.spec.missing_marks)
                    for name in quasi.table_columns
                ):
                    yield (
                        f"column {column.name!r} reveals {quasi.name!r}: every value of "
                        f"{column.name!r} has one value of {quasi.name!r}. Masking {quasi.name!r} "
                        f"has no effect while {column.name!r} is released unchanged"
                    )

    def _missing_marks(self, engine: StoredEngine, name: str) -> Sequence[str]:
        """What means missing in a column; of sensitive values and people also other spellings."""
        role = self.spec.columns[name].role if name in self.spec.columns else None
        if role == "confidential" or name == self.spec.person:
            return unknown_texts(engine.stored, name, self.spec.missing_marks)
        return self.spec.missing_marks

    @property
    def _releases_pseudonyms(self) -> bool:
        listed = self.spec.columns.values()
        return self.spec.linked is not None or any(column.long for column in listed)

    def _describe_column(
        self, name: str, distinct: int | None = None, missing: int | None = None
    ) -> CheckedColumn:
        column_spec = self.spec.columns.get(name)
        role = (
            column_spec.role
            if column_spec
            else {"refuse": None}.get(self.spec.other, self.spec.other)
        )
        if column_spec is None and name == self.spec.person:
            role = "identifier"
        if name == self.spec.person and self._releases_pseudonyms:
            role = "pseudonym"
        matches = self.mappings.get(name)
        return CheckedColumn(
            name,
            role,
            column_spec.kind if column_spec else None,
            _name_taxonomies(column_spec) if column_spec else None,
            distinct,
            missing,
            mapping_coverage(replace(matches, missing=missing or 0)) if matches else None,
            tuple(_unmapped_values(matches)) if matches else (),
            name in self.flat,
            (column_spec.columns or ()) if column_spec else (),
        )


def _count_linked_records(schema: Schema, count_values: ValueCounter) -> LinkedRecords:
    """The records by person and tuple."""
    assert schema.person is not None
    tuple_of, people = count_values(schema.person, False)
    persons = merge_look_alikes(people)[0].codes
    known = persons >= 0
    weights = None if people.weights is None else people.weights[known]
    records, _ = LinkedRecords.count_pairs(tuple_of[known], persons[known], [], weights)
    return records


def _count_sets(engine: StoredEngine, column: NominalSet, schema: Schema) -> tuple[int, int]:
    """Count the distinct sets of values in several columns, and the records without any."""
    rows = engine.count_rows(column.table_columns)
    sets = read_quasi_identifier(rows.frame, column, schema, rows.weights)
    return len(sets.values), rows.records - int(sets.counts.sum())


def _name_taxonomies(column: ColumnSpec) -> str | None:
    """The taxonomy of a column, and those that also have a say in its distances."""
    names = [column.taxonomy, *(column.more_taxonomies or ())]
    return ", ".join(name for name in names if name) or None


def _describe_crosswalks(column: Nominal, terms: TermMap) -> Iterator[str]:
    """How many of the values have a say in the distances of each further taxonomy."""
    reached = set(terms.concepts.values())
    for other, links in zip(column.more_taxonomies, column.crosswalk_links, strict=True):
        several = len(reached & links.ambiguous.keys())
        unclear = f"; {several:,} lead to several concepts and count as not led" * bool(several)
        yield (
            f"{column.column}: the crosswalk leads {len(reached & links.concepts.keys()):,} of "
            f"{format_count(len(reached), 'concept')} to {other.name or 'the other taxonomy'}"
            f"{unclear}. For the others, {column.taxonomy.name or 'taxonomy'} alone counts"
        )


def _has_as_many_values(column: CheckedColumn, quasi: CheckedColumn) -> bool:
    """Whether a column has at least as many values as a quasi-identifier with two or more."""
    return (column.distinct or 0) >= (quasi.distinct or 0) > 1


def _open_stored_engine(spec: ReleaseFile) -> StoredEngine:
    engine = open_engine(spec.data_path, file_settings(spec))
    assert isinstance(engine, StoredEngine)
    return engine


def _refuse_k_of_no_classes(spec: ReleaseFile) -> None:
    method = spec.method_object()
    if spec.require and spec.require.k and method.promised_k is None:
        raise ParameterError(
            f"require.k cannot be met: {shown_method(method)} does not guarantee k-anonymity",
            "remove k from require, or choose a method that guarantees k-anonymity",
        )


def _refuse_unfitting_table(engine: StoredEngine, schema: Schema) -> None:
    """Refuse a table that does not fit the schema, and warn of unexpected columns."""
    schema.check(engine.names)
    warn_about_table(engine, schema)
    if not engine.rows:
        raise ColumnError("the table has no records")


def _notes(spec: ReleaseFile) -> Iterator[str]:
    """Notes that do not prevent the release."""
    if spec.output_path.is_file() or any(folder.exists() for folder in output_folders(spec)):
        yield f"{spec.output_path} already exists: use --force or another output to mask"
    k, required = spec.method_object().promised_k, spec.limits.get("k")
    if required and k is not None and k < required:
        yield f"k = {required:,} is required, but the method only guarantees k = {k:,}"
    if "k_map" in spec.limits and not spec.weight and not spec.method_object().only_suppresses:
        yield (
            "k_map is required, but people of the population table can only be matched with masked "
            f"values that contain the original ones, and {spec.method.name} may replace values: "
            "name a column of sampling weights (weight), or use suppression"
        )


def _uncertain_requirements(spec: ReleaseFile) -> Iterator[str]:
    """The requirements that the method does not guarantee; they may be met nevertheless."""
    method = spec.method_object()
    promise = method.sensitive_promise
    sensitive = [name for name, column in spec.columns.items() if column.role == "confidential"]
    if promise is None or not all(map(promise.holds_for, sensitive)):
        promise = SensitivePromise()
    least = {"k": method.promised_k or 1, "l": promise.l or 1}
    most = {"t": math.inf if promise.t is None else promise.t}
    for name, limit in spec.limits.items():
        if least.get(name, -math.inf) < limit < most.get(name, math.inf):
            yield f"{name} = {limit:g}"


def _unmapped_values(matches: TermMap) -> Iterator[ValueWithoutConcept]:
    near = matches.suggestions(MOST_LOST, MOST_NEAR)
    for match in matches.lost[:MOST_LOST]:
        names = (matches.describe_hit(hit) for hit in near.get(match.value, [])[:MOST_NEAR])
        yield ValueWithoutConcept(match.value, match.count, tuple(names))
