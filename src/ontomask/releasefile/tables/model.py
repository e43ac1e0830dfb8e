"""A release file with several tables: what each says, and what holds for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from ontomask.errors import quote_names
from ontomask.methods.method import Method
from ontomask.methods.registry import METHODS
from ontomask.microdata.linked_records import LINK_PRICE, LINKED, Linked
from ontomask.microdata.schema import Schema
from ontomask.pipeline.guarantees.requirements import SENSITIVE_REQUIREMENTS
from ontomask.releasefile.methods import rename_old_settings
from ontomask.releasefile.model import ReleaseFile, validate_fields
from ontomask.releasefile.problems import Problem, choices_hint, format_value, raise_problems
from ontomask.releasefile.validation import is_remote
from ontomask.releasefile.yaml_file import read_yaml

__all__ = ["TablesFile", "has_tables", "load_tables_file"]

#: The fields of a table.
TABLE_FIELDS = (
    *("data", "table", "csv", "output", "columns", "person"),
    *("other", "missing", "missing_marks"),
)
#: The fields of all tables; a table may say some of them itself.
SHARED_FIELDS = (
    *("name", "tables", "person", "linked", "link_price", "method", "require"),
    *("order", "other", "missing", "missing_marks", "report_threshold", "memory"),
)
#: Settings of a method that need a sensitive attribute.
SENSITIVE_SETTINGS = ("l", "t", "protects", "diversity")
#: What manifest and report are called after, by default.
DEFAULT_NAME = "release"


@dataclass(frozen=True)
class TablesFile:
    """A release file with several tables of the same people.

    Attributes:
        tables: Each table as a release file of its own, with all that it has in common.
        fields: The fields as they are given.
        folder: What relative paths are relative to.
    """

    tables: Mapping[str, ReleaseFile]
    fields: Mapping[str, Any]
    folder: Path

    @classmethod
    def from_dict(cls, fields: Any, folder: str | PathLike[str] = ".") -> TablesFile:
        """Make it from its fields; one error lists all problems."""
        spec, problems = _validate_tables(fields, Path(folder), {})
        raise_problems(problems, "the release", {})
        assert spec is not None
        return spec

    @property
    def name(self) -> str:
        """What manifest and report are called after."""
        return str(self.fields.get("name", DEFAULT_NAME))

    @property
    def linked(self) -> Linked:
        """What becomes of people with different numbers of rows."""
        linked: Linked = self.fields["linked"]
        return linked

    @property
    def link_price(self) -> float:
        """What a link is worth with ``linked: split``."""
        return float(self.fields.get("link_price", LINK_PRICE))

    @property
    def person(self) -> dict[str, str]:
        """By table, the column of the person."""
        return {name: str(table.person) for name, table in self.tables.items()}

    @property
    def is_shuffled(self) -> bool:
        """Whether the rows are released in a random order."""
        return all(table.is_shuffled for table in self.tables.values())

    def method_object(self) -> Method:
        """The masking method with its settings."""
        settings = dict(rename_old_settings(self.fields["method"]))
        return METHODS[settings.pop("name")](**settings)

    def schemas(self) -> dict[str, Schema]:
        """By table, the roles of the columns, without the person."""
        return {
            name: replace(table.schema(), person=None, linked=None, link_price=LINK_PRICE)
            for name, table in self.tables.items()
        }

    def inputs(self) -> list[Path]:
        """Every file that is read."""
        return list(dict.fromkeys(p for table in self.tables.values() for p in table.inputs()))

    def beside(self, suffix: str) -> Path:
        """A file beside the outputs: ``beside("manifest.json")`` is ``release.manifest.json``."""
        first = next(iter(self.tables.values()))
        return first.output_path.with_name(f"{self.name}.{suffix}")

    def output_files(self, private: bool = False) -> tuple[Path, ...]:
        """Paths to write: the tables, their manifest and report, and private transitions."""
        files = [table.output_path for table in self.tables.values()]
        files += [self.beside("manifest.json"), self.beside("report.html")]
        if private:
            files += [t.beside("transitions.private.csv") for t in self.tables.values()]
        return tuple(files)


def has_tables(path: str | PathLike[str]) -> bool:
    """Whether a release file has several tables; false if it cannot be read at all."""
    from ontomask.errors import OntomaskError

    try:
        document = read_yaml(Path(path))
    except OntomaskError:
        return False  # whoever reads it for good says why
    return isinstance(document.data, Mapping) and "tables" in document.data


def load_tables_file(path: str | PathLike[str]) -> TablesFile:
    """Read a release file with several tables; one error lists all its problems."""
    file = Path(path)
    document = read_yaml(file)
    spec, problems = _validate_tables(document.data, file.parent, document.texts)
    raise_problems([*document.problems, *problems], str(file), document.lines)
    assert spec is not None
    return spec


# ---------------------------------------------------------------------- validation


def _validate_tables(
    fields: Any, folder: Path, texts: Mapping[tuple[str, ...], str]
) -> tuple[TablesFile | None, list[Problem]]:
    """Validate the fields: the release file, or None, and all problems."""
    if not isinstance(fields, Mapping):
        return None, [Problem((), f"it must be a group of fields, got {format_value(fields)}")]
    problems = [*_problems_of_shared_fields(fields)]
    tables = fields.get("tables")
    if not isinstance(tables, Mapping) or len(tables) < 2:
        got = f"{len(tables)}" if isinstance(tables, Mapping) else format_value(tables)
        hint = "give each table a name, and below it data, output and columns"
        problems.append(Problem(("tables",), f"must be at least two tables, got {got}", hint))
        return None, problems
    specs: dict[str, ReleaseFile] = {}
    for name, table in tables.items():
        where = ("tables", str(name))
        if not isinstance(table, Mapping):
            problems.append(Problem(where, f"must be a group of fields, got {format_value(table)}"))
            continue
        problems += _problems_of_table_fields(where, table)
        known = {field: value for field, value in table.items() if field in TABLE_FIELDS}
        whole = {**_inherited_fields(fields, table, tables), **known}
        own_texts = {field[2:]: text for field, text in texts.items() if field[:2] == where} | {
            field: text for field, text in texts.items() if field[0] not in known
        }
        spec, found = validate_fields(whole, folder, own_texts)
        problems += [_place_problem(problem, where, known, fields) for problem in found]
        if spec is not None:
            specs[str(name)] = spec
            problems += _problems_of_paths(where, spec)
    if len(specs) == len(tables):
        problems += _problems_of_outputs(specs)
    problems = list(dict.fromkeys(problems))
    return (TablesFile(specs, fields, folder) if len(specs) == len(tables) else None), problems


def _problems_of_shared_fields(fields: Mapping[str, Any]) -> Iterator[Problem]:
    for field in fields:
        if field not in SHARED_FIELDS:
            message = "is not a field of a release file with several tables"
            if field in TABLE_FIELDS:
                yield Problem((str(field),), message, "write it below each table")
            else:
                hint = choices_hint(field, SHARED_FIELDS, "the fields are")
                yield Problem((str(field),), message, hint)
    if fields.get("linked") is None:
        choices = quote_names(LINKED)
        yield Problem(("linked",), "is missing", f"it says what becomes of surplus rows: {choices}")
    name = fields.get("name", DEFAULT_NAME)
    if not isinstance(name, str) or not name or Path(name).name != name:
        message = f"must be the beginning of a file name, got {format_value(name)}"
        yield Problem(("name",), message, "manifest and report are called after it")


def _problems_of_table_fields(
    where: tuple[str, ...], table: Mapping[str, Any]
) -> Iterator[Problem]:
    for field in table:
        if field in SHARED_FIELDS and field not in TABLE_FIELDS:
            message = "is not a field of a single table"
            yield Problem((*where, str(field)), message, "write it once, at the top level")
        elif field not in TABLE_FIELDS:
            hint = choices_hint(field, TABLE_FIELDS, "the fields are")
            yield Problem((*where, str(field)), "is not a field of a table", hint)


def _inherited_fields(
    fields: Mapping[str, Any], table: Mapping[str, Any], tables: Mapping[str, Any]
) -> dict[str, Any]:
    """What a table has in common with the others.

    Promises for sensitive attributes are for the tables that have some.
    """
    inherited = {
        field: fields[field]
        for field in SHARED_FIELDS
        if field in fields and field not in ("name", "tables")
    }
    own = _sensitive_columns(table)
    method = inherited.get("method")
    if not own and any(_sensitive_columns(other) for other in tables.values()):
        if isinstance(inherited.get("require"), Mapping):
            inherited["require"] = _without(inherited["require"], SENSITIVE_REQUIREMENTS)
        if isinstance(method, Mapping):
            inherited["method"] = _without(method, SENSITIVE_SETTINGS)
    elif isinstance(method, Mapping) and isinstance(method.get("protects"), list):
        named = [column for column in method["protects"] if column in own]
        elsewhere = {c for other in tables.values() for c in _sensitive_columns(other)}
        if not named and elsewhere & set(method["protects"]):
            inherited["method"] = _without(method, SENSITIVE_SETTINGS)
        elif set(method["protects"]) <= elsewhere:
            inherited["method"] = {**method, "protects": named}
    return inherited


def _sensitive_columns(table: Any) -> list[str]:
    columns = table.get("columns") if isinstance(table, Mapping) else None
    return [
        str(name)
        for name, column in (columns if isinstance(columns, Mapping) else {}).items()
        if isinstance(column, Mapping) and column.get("role") == "confidential"
    ]


def _without(fields: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in names}


def _place_problem(
    problem: Problem, where: tuple[str, ...], known: Mapping[str, Any], fields: Mapping[str, Any]
) -> Problem:
    """The problem at its place in the file: below its table, or at the top level."""
    field = problem.where[0] if problem.where else ""
    is_own = field in known or (field in TABLE_FIELDS and field not in fields)
    return replace(problem, where=(*where, *problem.where)) if is_own else problem


def _problems_of_paths(where: tuple[str, ...], spec: ReleaseFile) -> Iterator[Problem]:
    for field in ("data", "output"):
        if is_remote(path := getattr(spec, field)):
            message = f"must be a file on this machine, got {format_value(path)}"
            yield Problem((*where, field), message, "several tables are not masked by Spark")


def _problems_of_outputs(specs: Mapping[str, ReleaseFile]) -> Iterator[Problem]:
    """Outputs that could not take their names together."""
    if any(is_remote(spec.output) for spec in specs.values()):
        return
    first, *others = specs
    folder = specs[first].output_path.resolve().parent
    seen = {specs[first].output_path.resolve(): first}
    for name in others:
        path = specs[name].output_path.resolve()
        where = ("tables", name, "output")
        if path.parent != folder:
            message = f"must be in the folder of the output of {first!r}"
            yield Problem(where, message, "all files of a release are written into one folder")
        if path in seen:
            message = f"must be another file than the output of {seen[path]!r}"
            yield Problem(where, message, "name a file for each table")
        seen[path] = name
