"""What can be wrong with a release file, in sentences: in a field, and between fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from os.path import normpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask.errors import quote_names
from ontomask.methods.registry import METHODS, example_settings
from ontomask.releasefile.methods import problems_of_settings
from ontomask.releasefile.problems import FieldPath, Problem, choices_hint, format_value
from ontomask.taxonomy.names import closest_names
from ontomask.taxonomy.readers.bundled import KNOWN_TAXONOMIES

if TYPE_CHECKING:
    from pydantic import ValidationError

__all__ = [
    "ENGINES",
    "SPARK_FORMATS",
    "ROLES",
    "TYPES",
    "table_suffix",
    "is_remote",
    "problems_between_fields",
    "problems_of_column",
    "problems_from_validation",
]

ROLES = ("quasi", "identifier", "confidential", "keep", "drop")
TYPES = ("nominal", "numeric", "ordinal", "date")
ENGINES = ("duckdb", "spark")

#: The endings of tables that Spark reads for a release.
SPARK_FORMATS = {
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".csv", ".tsv", ".tab"), "csv"),
    **dict.fromkeys((".jsonl", ".ndjson"), "json"),
}

#: An address with a scheme; of two letters at least, as C:/ is a drive.
_ADDRESS = re.compile(r"(?P<scheme>[a-zA-Z][\w+.-]+):/")

#: What Spark itself leaves out of its logs, and the keys of Azure accounts.
_SECRET = re.compile(r"secret|password|token|(access|account)[.]?key", re.IGNORECASE)

#: The fields that only columns of one type have.
FIELDS_BY_TYPE = {
    "nominal": (
        "taxonomy",
        "format",
        "options",
        "measure",
        "domain",
        "mapping",
        "prefer",
        "repair_codes",
        "stems",
        "heads",
    ),
    "ordinal": ("levels",),
    "date": ("date_format",),
}


# ---------------------------------------------------------------------- a field by itself


def problems_from_validation(
    error: ValidationError,
    field_names: Mapping[str, Sequence[str]],
    texts: Mapping[FieldPath, str],
    within: FieldPath = (),
) -> Iterator[Problem]:
    """Problems that pydantic found, as sentences.

    ``field_names`` are the fields of each part of the file; ``texts`` are values as written;
    ``within`` is the way to what was validated, where that is a part of the file.
    """
    for detail in error.errors(include_url=False):
        where = (*within, *(str(step) for step in detail["loc"]))
        value = detail["input"]
        kind = detail["type"]
        if kind == "together":
            continue  # what does not fit together is found elsewhere
        if kind == "extra_forbidden":
            if where[-1].lower() != "seed":
                yield _unknown_field(where, field_names)
        elif kind == "missing":
            yield Problem(where, "is missing", _missing_field_hint(where))
        elif where[-1] == "[key]":
            hint = f"put the name in quotes: '{where[-2]}'"
            yield Problem(where[:-1], "is no text, and a column is named by text", hint)
        elif kind == "model_type" or kind == "dict_type":
            yield Problem(where, f"is {format_value(value)}", _group_hint(where, value))
        else:
            yield Problem(where, f"is {format_value(value)}", _value_hint(detail, texts.get(where)))


def _unknown_field(where: FieldPath, field_names: Mapping[str, Sequence[str]]) -> Problem:
    part = where[0] if len(where) > 1 else ""
    hint = choices_hint(where[-1], field_names.get(part, ()), "the fields are")
    if part:
        return Problem(where[:-1], f"has no field {where[-1]!r}", hint)
    return Problem((where[-1],), "is no field of a release file", hint)


def _missing_field_hint(where: FieldPath) -> str:
    return {
        "data": "name the file to mask, as data: patients.csv",
        "output": "name the file to write, as output: released.csv",
        "columns": "list the columns, as diagnosis: {role: quasi, taxonomy: icd9cm}",
        "method": "name the method, as method: {name: microaggregation, k: 5}",
        "name": f"the methods are {quote_names(METHODS, most=len(METHODS))}"
        if where[0] == "method"
        else f"the engines are {quote_names(ENGINES)}",
        "role": f"it can be {quote_names(ROLES)}",
    }[where[-1]]


def _group_hint(where: FieldPath, value: Any) -> str:
    if where == ("columns",):
        return _missing_field_hint(where)
    if where[0] == "columns":
        role = value if value in ROLES else "keep"
        return f"write {where[-1]}: {{role: {role}}}"
    if where == ("method",):
        name = value if isinstance(value, str) and value in METHODS else "microaggregation"
        settings = "".join(f", {key}: {usual}" for key, usual in example_settings(name).items())
        return f"write method: {{name: {name}{settings}}}"
    return {
        "require": "write require: {k: 5}",
        "csv": "write csv: {delimiter: ';'}",
        "engine": "write engine: spark",
    }[where[0]]


def _value_hint(detail: Any, text: str | None) -> str:
    """What a field must be."""
    limits = detail.get("ctx", {})
    kind, value = detail["type"], detail["input"]
    if kind == "spec":
        return str(limits["hint"])
    if kind == "string_type":
        plain = isinstance(value, int | float) and "'" not in (text or "")
        return f"it is text: put it in quotes, '{text}'" if plain and text else "it is text"
    if kind in ("int_type", "int_from_float", "greater_than_equal"):
        least = f", {limits['ge']} or more" if "ge" in limits else ""
        return f"it is a whole number{least}"
    if kind in ("greater_than", "less_than_equal", "float_type", "finite_number"):
        share = detail["loc"][-1] in ("t", "linkage_below")
        return "it is a number above 0" + (", at most 1" if share else "")
    return {
        "bool_type": "it is true or false",
        "string_too_short": "leave it out, or fill it in",
        "too_short": "list the columns, each with its role",
    }.get(kind, str(detail["msg"]))


# ---------------------------------------------------------------------- fields together


def problems_between_fields(fields: Mapping[Any, Any], folder: Path | None = None) -> list[Problem]:
    """Problems between fields, valid or not; with a folder, missing files as well."""
    columns = {
        str(name): column
        for name, column in _fields_in(fields, "columns").items()
        if isinstance(column, Mapping) and column.get("role") in ROLES
    }
    method = _fields_in(fields, "method")
    problems = [
        *_problems_of_seeds(fields),
        *problems_of_settings(method),
        *_problems_of_engine(fields),
    ]
    for name, column in columns.items():
        problems += problems_of_column(name, column, folder)
    return [*problems, *_problems_of_roles(fields, columns)]


def problems_of_column(
    name: str, column: Mapping[Any, Any], folder: Path | None = None
) -> Iterator[Problem]:
    """Problems between the fields of a column with a role; with a folder, missing files as well."""
    where = ("columns", name)
    yield from _problems_of_seed(where, column)
    yield from _problems_of_details(where, column)
    if folder is not None:
        yield from _problems_of_files(where, column, folder)


def _fields_in(fields: Mapping[Any, Any], name: str) -> Mapping[Any, Any]:
    group = fields.get(name)
    return group if isinstance(group, Mapping) else {}


def _problems_of_seeds(fields: Mapping[Any, Any]) -> Iterator[Problem]:
    """Refuse seeds, with which any reader could undo the masking; the value is not quoted."""
    groups: dict[FieldPath, Mapping[Any, Any]] = {
        (): fields,
        ("method",): _fields_in(fields, "method"),
        ("require",): _fields_in(fields, "require"),
        ("csv",): _fields_in(fields, "csv"),
        ("engine",): _fields_in(fields, "engine"),
    }
    for name, column in _fields_in(fields, "columns").items():
        if isinstance(column, Mapping):
            groups["columns", str(name)] = column
    for where, group in groups.items():
        yield from _problems_of_seed(where, group)


def _problems_of_seed(where: FieldPath, group: Mapping[Any, Any]) -> Iterator[Problem]:
    for name in group:
        if str(name).lower() == "seed":
            yield Problem(
                (*where, str(name)),
                "stands in the file, and a seed is a secret",
                "take it out; give it with --seed-file FILE or in ONTOMASK_SEED",
            )


def _problems_of_details(where: FieldPath, column: Mapping[Any, Any]) -> Iterator[Problem]:
    """Fields that the role or the type has no use for, and those that it needs."""
    role, filled = column["role"], [field for field in column if column[field] is not None]
    details = [field for field in filled if field != "role"]
    if role not in ("quasi", "confidential"):
        typed_fields = {
            "type",
            "weight",
            *(field for names in FIELDS_BY_TYPE.values() for field in names),
        }
        for field in details:
            if field in typed_fields:
                yield Problem(
                    (*where, str(field)), f"is for other roles than {role}", "leave it out"
                )
        return
    if role == "confidential" and "weight" in details:
        yield Problem((*where, "weight"), "is for the role quasi", "leave it out")
    kind = column.get("type") or ("nominal" if column.get("taxonomy") else None)
    if kind is None:
        yield from _problems_of_missing_type(where, role, details)
    elif kind in TYPES:
        yield from _problems_of_type(where, str(kind), details)


def _problems_of_missing_type(
    where: FieldPath, role: str, details: Sequence[Any]
) -> Iterator[Problem]:
    if role == "quasi" or any(
        field in names for names in FIELDS_BY_TYPE.values() for field in details
    ):
        yield Problem(
            where,
            "has no type",
            "name a taxonomy, or say type: numeric, ordinal or date",
        )


def _problems_of_type(where: FieldPath, kind: str, details: Sequence[Any]) -> Iterator[Problem]:
    for other, names in FIELDS_BY_TYPE.items():
        for field in details:
            if field in names and other != kind:
                yield Problem(
                    (*where, str(field)),
                    f"is for {other} columns, and this one is {kind}",
                    f"leave it out, or say type: {other}",
                )
    needed = {"nominal": "taxonomy", "ordinal": "levels"}.get(kind)
    if needed and needed not in details:
        example = {"taxonomy": "taxonomy: icd9cm", "levels": "levels: [mild, severe]"}[needed]
        yield Problem(where, f"is {kind} and has no {needed}", f"give it, as {example}", needed)


def _problems_of_files(
    where: FieldPath, column: Mapping[Any, Any], folder: Path
) -> Iterator[Problem]:
    """Problems of taxonomies and mappings: files that do not exist, options of bundled ones."""
    taxonomy, mapping = column.get("taxonomy"), column.get("mapping")
    if isinstance(taxonomy, str) and taxonomy in KNOWN_TAXONOMIES:
        for field in ("format", "options"):
            if column.get(field) is not None:
                yield Problem(
                    (*where, field),
                    f"is for files, and {taxonomy!r} is bundled",
                    f"leave it out, or write ./{taxonomy} for a file of that name",
                )
    elif isinstance(taxonomy, str) and taxonomy and not (folder / taxonomy).exists():
        near = closest_names(taxonomy, KNOWN_TAXONOMIES, most=1)
        yield Problem(
            (*where, "taxonomy"),
            f"is {format_value(taxonomy)}, neither a bundled taxonomy nor a file",
            (f"did you mean {near[0]!r}? " if near else "")
            + f"Bundled are {quote_names(KNOWN_TAXONOMIES)}; the path of a file is relative to "
            "the release file",
        )
    if isinstance(mapping, str) and mapping and not (folder / mapping).is_file():
        yield Problem(
            (*where, "mapping"),
            f"is {format_value(mapping)}, and there is no such file",
            "its path is relative to the release file",
        )


def _problems_of_roles(
    fields: Mapping[Any, Any], columns: Mapping[str, Mapping[Any, Any]]
) -> Iterator[Problem]:
    roles = {name: column["role"] for name, column in columns.items()}
    all_known = len(roles) == len(_fields_in(fields, "columns"))
    if roles and all_known and "quasi" not in roles.values():
        yield Problem(("columns",), "has no quasi-identifier", "one column needs role: quasi")
    person = fields.get("person")
    if isinstance(person, str) and roles.get(person) == "quasi":
        yield Problem(
            ("person",),
            f"is {format_value(person)}, a quasi-identifier",
            "it cannot be both: name another column",
        )
    if all_known and "confidential" not in roles.values():
        for name in ("l", "t"):
            if _fields_in(fields, "require").get(name) is not None:
                yield Problem(
                    ("require", name),
                    "is about confidential columns, and there is none",
                    "give a column role: confidential, or leave it out",
                )
    yield from _problems_of_output(fields)


def _problems_of_output(fields: Mapping[Any, Any]) -> Iterator[Problem]:
    data, output = fields.get("data"), fields.get("output")
    if not isinstance(data, str) or not isinstance(output, str) or not data:
        return
    data, output = normpath(data), normpath(output)
    if data == output:
        yield Problem(
            ("output",), "is the data itself, which is never touched", "name another file"
        )
    elif data.startswith(f"{output}/") or output.startswith(f"{data}/"):
        yield Problem(
            ("output",),
            "and the data are one inside the other, and the data are never touched",
            "name another place",
        )


# ---------------------------------------------------------------------- engines


def is_remote(name: str) -> bool:
    """Whether a name is the address of a remote table, not a file of this machine.

    >>> is_remote("s3a://bucket/a.parquet"), is_remote("file:/a.csv"), is_remote("C:/a")
    (True, False, False)
    """
    address = _ADDRESS.match(name)
    return address is not None and address["scheme"].lower() != "file"


def _problems_of_engine(fields: Mapping[Any, Any]) -> Iterator[Problem]:
    """Problems with fields that the chosen engine does not support."""
    engine = fields.get("engine")
    name = engine.get("name") if isinstance(engine, Mapping) else engine
    if name == "spark":
        yield from _problems_of_spark(fields)
    elif name in ("duckdb", None):
        yield from _problems_of_duckdb(fields)


def _problems_of_duckdb(fields: Mapping[Any, Any]) -> Iterator[Problem]:
    for field in ("data", "output"):
        name = fields.get(field)
        if isinstance(name, str) and is_remote(name):
            yield Problem(
                (field,),
                "is no file of this machine",
                "name one; where Spark can read it, say engine: spark",
            )
    for field in ("master", "config"):
        if _fields_in(fields, "engine").get(field) is not None:
            yield Problem(
                ("engine", field),
                "is for spark, and the engine is duckdb",
                "leave it out, or say name: spark",
            )


def _problems_of_spark(fields: Mapping[Any, Any]) -> Iterator[Problem]:
    data, output = fields.get("data"), fields.get("output")
    if isinstance(data, str) and data and table_suffix(data) not in SPARK_FORMATS:
        yield Problem(
            ("data",),
            "is no table that is read with Spark: its name ends in "
            f"{table_suffix(data) or 'nothing'}",
            f"it can be {', '.join(SPARK_FORMATS)}; leave engine out for the others",
        )
    if isinstance(output, str) and output and not output.rstrip("/").endswith(".parquet"):
        yield Problem(
            ("output",),
            "is not .parquet, and Spark writes folders of Parquet files",
            "name it so, as output: released.parquet",
        )
    for field, whose in (("table", "databases and workbooks"), ("memory", "DuckDB")):
        if fields.get(field) is not None:
            hint = {"memory": "; Spark's is set by config: {spark.driver.memory: 4g}"}
            yield Problem(
                (field,),
                f"is for {whose}, and the engine is spark",
                f"leave it out{hint.get(field, '')}",
            )
    config = _fields_in(_fields_in(fields, "engine"), "config")
    for name in config:
        if _SECRET.search(str(name)):
            yield Problem(
                ("engine", "config", str(name)),
                "is a secret, and a release file holds none",
                "take it out; Spark finds it in spark-defaults.conf, or where your cluster keeps "
                "such things",
            )


def table_suffix(name: str) -> str:
    """Suffix of a file name in lower case, without .gz."""
    return Path(name.lower().removesuffix(".gz")).suffix
