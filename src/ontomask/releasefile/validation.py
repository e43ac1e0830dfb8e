"""Validation of a release file without its table: each field, and fields that depend on others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from os.path import normpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask.errors import quote_names
from ontomask.methods.registry import METHODS, example_settings
from ontomask.pipeline.guarantees.requirements import SENSITIVE_REQUIREMENTS
from ontomask.releasefile.fields import files_of_column, label_files
from ontomask.releasefile.methods import problems_of_attacker, problems_of_settings
from ontomask.releasefile.problems import FieldPath, Problem, choices_hint, format_value
from ontomask.taxonomy.names import closest_names, name_hint
from ontomask.taxonomy.readers.bundled import KNOWN_TAXONOMIES, TAXONOMIES_IN_WORDS
from ontomask.taxonomy.readers.text.archives import source_exists
from ontomask.taxonomy.terms import MATCHING_SETTINGS

if TYPE_CHECKING:
    from pydantic import ValidationError

__all__ = [
    "ENGINES",
    "SPARK_FORMATS",
    "ROLES",
    "ROLE_SYNONYMS",
    "TYPES",
    "UNDECIDED_HINT",
    "table_suffix",
    "is_remote",
    "problems_between_fields",
    "problems_of_column",
    "problems_from_validation",
]

ROLES = ("quasi", "identifier", "confidential", "keep", "drop", "undecided")
#: What others call the roles.
ROLE_SYNONYMS = {
    "quasi identifier": "quasi",
    "qi": "quasi",
    "direct identifier": "identifier",
    "sensitive": "confidential",
    "sensitive attribute": "confidential",
    "insensitive": "keep",
    "other": "keep",
    "remove": "drop",
}
#: What to do with a column whose role is undecided.
UNDECIDED_HINT = (
    "if others may know it about a person, choose quasi; if it identifies a person, identifier; if "
    "nobody should learn it, confidential. To leave it out, choose drop. keep releases it unchanged"
)
TYPES = ("nominal", "set", "numeric", "ordinal", "date")
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

#: A type that also has the fields of another.
SUBTYPES = {"nominal": "set"}
#: The fields that only columns of one type have.
FIELDS_BY_TYPE = {
    "set": ("separator", "columns", "long"),
    "nominal": (
        "taxonomy",
        "format",
        "options",
        "measure",
        "domain",
        "mapping",
        *MATCHING_SETTINGS,
        "ground",
        "crosswalk",
        "more_taxonomies",
        "combine",
    ),
    "ordinal": ("levels",),
    "date": ("date_format",),
}


# ---------------------------------------------------------------------- a field by itself


#: The endings of all formats, which are not loaded to check a file.
FORMAT_SUFFIXES = (
    *(".csv", ".tsv", ".tab", ".txt", ".parquet", ".pq", ".jsonl", ".ndjson", ".json"),
    *(".sqlite", ".sqlite3", ".db", ".xlsx"),
)


def problems_from_validation(
    error: ValidationError,
    field_names: Mapping[str, Sequence[str]],
    texts: Mapping[FieldPath, str],
    within: FieldPath = (),
) -> Iterator[Problem]:
    """Problems that pydantic found, as sentences.

    ``field_names`` are the fields of each part of the file. ``texts`` are the values as written.
    ``within`` is the path of the part of the file that was validated, if it was not all of it.
    """
    for detail in error.errors(include_url=False):
        where = (*within, *(str(step) for step in detail["loc"]))
        value = detail["input"]
        kind = detail["type"]
        if kind == "together":
            continue  # problems between fields are found elsewhere
        if kind == "extra_forbidden":
            if where[-1].lower() != "seed":
                yield _unknown_field(where, field_names)
        elif kind == "missing":
            yield Problem(where, "is missing", _missing_field_hint(where))
        elif where[-1] == "[key]":
            hint = f"put the name in quotes: '{where[-2]}'"
            yield Problem(where[:-1], "must be text, because it is the name of a column", hint)
        elif kind == "model_type" or kind == "dict_type":
            message = f"must be a group of fields, got {format_value(value)}"
            yield Problem(where, message, _group_hint(where, value))
        else:
            accepts, hint = _accepted_value(detail, texts.get(where))
            if where[-1] == "role" and value == "person":
                hint = f"write role: identifier, and person: {where[-2]} at the top level"
            yield Problem(where, f"must be {accepts}, got {format_value(value)}", hint)


def _unknown_field(where: FieldPath, field_names: Mapping[str, Sequence[str]]) -> Problem:
    part = where[0] if len(where) > 1 else ""
    hint = choices_hint(where[-1], field_names.get(part, ()), "the fields are")
    if part:
        return Problem(where[:-1], f"has no field {where[-1]!r}", hint)
    return Problem((where[-1],), "is not a field of a release file", hint)


def _missing_field_hint(where: FieldPath) -> str:
    return {
        "data": "name the file to mask, for example data: patients.csv",
        "output": "name the file to write, for example output: released.csv",
        "columns": "list the columns, for example diagnosis: {role: quasi, taxonomy: icd9cm}",
        "method": "name the method, for example method: {name: microaggregation, k: 5}",
        "name": f"the methods are {quote_names(METHODS, most=len(METHODS))}"
        if where[0] == "method"
        else f"the engines are {quote_names(ENGINES)}",
        "role": f"the roles are {quote_names(ROLES)}",
        "knows": "write attacker: {knows: 2}",
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
        "attacker": "write attacker: {knows: 2}",
        "population": "write population: {size: 1000000} or population: {table: register.csv}",
    }[where[0]]


def _accepted_value(detail: Any, text: str | None) -> tuple[str, str]:
    """What a field accepts, as in "must be ...", and a hint."""
    limits = detail.get("ctx", {})
    kind, value = detail["type"], detail["input"]
    if kind == "spec":
        return str(limits["accepts"]), str(limits["hint"])
    if kind == "string_type":
        plain = isinstance(value, int | float) and "'" not in (text or "")
        return "text", f"put it in quotes: '{text}'" if plain and text else ""
    if kind in ("int_type", "int_from_float", "greater_than_equal"):
        return "an integer" + (f" of at least {limits['ge']}" if "ge" in limits else ""), ""
    if kind in ("greater_than", "less_than_equal", "float_type", "finite_number"):
        share = detail["loc"][-1] in ("t", "alpha", "linkage_below")
        return "a number greater than 0" + (" and at most 1" if share else ""), ""
    return {
        "bool_type": ("true or false", ""),
        "string_too_short": ("text that is not empty", "fill it in, or remove the field"),
        "too_short": ("a group of columns", "list the columns, each with its role"),
    }.get(kind, (str(detail["msg"]), ""))


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
        *problems_of_attacker(method, _fields_in(fields, "attacker")),
        *_problems_of_engine(fields),
    ]
    for name, column in columns.items():
        problems += problems_of_column(name, column, folder)
    problems += _problems_of_set_columns(fields, columns)
    problems += _problems_of_population(fields, columns)
    if folder is not None:
        problems += _problems_of_previous(fields.get("previous"), folder)
        problems += _problems_of_population_file(fields, folder)
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
    """Refuse seeds, because a reader could undo the masking with them; values are not quoted."""
    groups: dict[FieldPath, Mapping[Any, Any]] = {
        (): fields,
        ("method",): _fields_in(fields, "method"),
        ("require",): _fields_in(fields, "require"),
        ("csv",): _fields_in(fields, "csv"),
        ("engine",): _fields_in(fields, "engine"),
        ("population",): _fields_in(fields, "population"),
        ("attacker",): _fields_in(fields, "attacker"),
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
                "must not be in the file, because a seed is a secret",
                "remove it, and use --seed-file FILE or ONTOMASK_SEED",
            )


def _problems_of_details(where: FieldPath, column: Mapping[Any, Any]) -> Iterator[Problem]:
    """Fields that the role or the type does not accept, and fields that it requires."""
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
                    (*where, str(field)),
                    f"is not accepted for columns with role: {role}",
                    "remove it",
                )
        return
    if role == "confidential" and "weight" in details:
        yield Problem(
            (*where, "weight"), "is only accepted for columns with role: quasi", "remove it"
        )
    if role == "quasi" and "ground" in details:
        yield Problem(
            (*where, "ground"), "is only accepted for columns with role: confidential", "remove it"
        )
    kind = column.get("type") or ("nominal" if column.get("taxonomy") else None)
    if kind is None:
        yield from _problems_of_missing_type(where, role, details)
    elif kind in TYPES:
        yield from _problems_of_type(where, str(kind), details)
    yield from _problems_of_more_taxonomies(where, column, str(kind))
    for field in ("separator", "long"):
        if "columns" in details and column.get(field):
            yield Problem((*where, field), "cannot be used with columns", "remove it")


def _problems_of_more_taxonomies(
    where: FieldPath, column: Mapping[Any, Any], kind: str
) -> Iterator[Problem]:
    more, crosswalk = column.get("more_taxonomies"), column.get("crosswalk")
    if not more:
        if column.get("combine") is not None:
            yield Problem((*where, "combine"), "needs more_taxonomies", "remove it")
        if isinstance(crosswalk, list | tuple):
            yield Problem((*where, "crosswalk"), "must be one table", "or name more_taxonomies")
        return
    if kind == "set":
        yield Problem(
            (*where, "more_taxonomies"),
            "cannot be used with sets, whose distance compares the ancestors of concepts in one "
            "taxonomy",
            "remove it",
        )
    tables = crosswalk if isinstance(crosswalk, list | tuple) else [crosswalk] * bool(crosswalk)
    if isinstance(more, list | tuple) and len(tables) != len(more):
        yield Problem(
            (*where, "crosswalk"),
            f"must be one table for each of the {len(more)} more_taxonomies, got {len(tables)}",
            "as in crosswalk: icd9-snomed.csv",
        )


def _problems_of_missing_type(
    where: FieldPath, role: str, details: Sequence[Any]
) -> Iterator[Problem]:
    if role == "quasi" or any(
        field in names for names in FIELDS_BY_TYPE.values() for field in details
    ):
        yield Problem(
            where,
            "has no type",
            "add a taxonomy, or type: numeric, ordinal or date",
        )


def _problems_of_type(where: FieldPath, kind: str, details: Sequence[Any]) -> Iterator[Problem]:
    for other, names in FIELDS_BY_TYPE.items():
        for field in details:
            if field in names and kind not in (other, SUBTYPES.get(other)):
                yield Problem(
                    (*where, str(field)),
                    f"is only accepted for {other} columns, but this column is {kind}",
                    f"remove it, or write type: {other}",
                )
    needed = {"nominal": "taxonomy", "set": "taxonomy", "ordinal": "levels"}.get(kind)
    if needed and needed not in details:
        example = {"taxonomy": "taxonomy: icd9cm", "levels": "levels: [mild, severe]"}[needed]
        yield Problem(
            where,
            f"is {'a set' if kind == 'set' else kind} but has no {needed}",
            f"add it, for example {example}",
            needed,
        )


def _problems_of_files(
    where: FieldPath, column: Mapping[Any, Any], folder: Path
) -> Iterator[Problem]:
    """Problems of taxonomies and mappings: files that do not exist, options of bundled ones."""
    taxonomy, mapping = column.get("taxonomy"), column.get("mapping")
    if isinstance(taxonomy, str) and taxonomy in KNOWN_TAXONOMIES:
        for field in ("format", "options"):
            adds_labels = field == "options" and set(column.get(field) or ()) == {"labels"}
            if column.get(field) is not None and not adds_labels:
                yield Problem(
                    (*where, field),
                    f"is only accepted for taxonomies in files, but {taxonomy!r} is bundled",
                    f"remove it, or write ./{taxonomy} for a file of that name",
                )
    elif isinstance(taxonomy, str) and taxonomy and not source_exists(folder / taxonomy):
        near = closest_names(taxonomy, KNOWN_TAXONOMIES, most=1)
        yield Problem(
            (*where, "taxonomy"),
            f"must be a bundled taxonomy or an existing file, got {format_value(taxonomy)}",
            name_hint(
                near,
                f"the known taxonomies are {TAXONOMIES_IN_WORDS}. Paths are relative to the "
                "release file",
            ),
        )
    for name in label_files(column.get("options")):
        if not source_exists(folder / name):
            yield Problem(
                (*where, "options", "labels"),
                f"must be an existing file, got {format_value(name)}",
                "the path is relative to the release file",
            )
    others = {
        "mapping": [mapping] if isinstance(mapping, str) else [],
        "crosswalk": files_of_column({"crosswalk": column.get("crosswalk")}),
        "more_taxonomies": files_of_column({"more_taxonomies": column.get("more_taxonomies")}),
    }
    for field, names in others.items():
        for name in names:
            is_folder = field == "more_taxonomies" and source_exists(folder / name)
            if name and not is_folder and not (folder / name).is_file():
                yield Problem(
                    (*where, field),
                    f"must be an existing file, got {format_value(name)}",
                    "the path is relative to the release file",
                )


def _problems_of_set_columns(
    fields: Mapping[Any, Any], columns: Mapping[str, Mapping[Any, Any]]
) -> Iterator[Problem]:
    """Columns of the table that are in a set, and have another role or another set as well."""
    listed = {str(name) for name in _fields_in(fields, "columns")}
    set_of: dict[str, str] = {}
    for name, column in columns.items():
        members = column.get("columns")
        for member in members if isinstance(members, list | tuple) else ():
            where, hint = ("columns", name, "columns"), "list each column of the table once"
            if member in listed:
                yield Problem(where, f"has {member!r}, which is listed by itself as well", hint)
            elif set_of.setdefault(str(member), name) != name:
                yield Problem(where, f"has {member!r}, which is also in {set_of[member]!r}", hint)
    for field in ("person", "weight"):
        column_name = fields.get(field)
        if isinstance(column_name, str) and column_name in set_of:
            yield Problem(
                (field,),
                f"must not be in the set {set_of[column_name]!r}, got {format_value(column_name)}",
                "name another column",
            )


def _problems_of_population(
    fields: Mapping[Any, Any], columns: Mapping[str, Mapping[Any, Any]]
) -> Iterator[Problem]:
    weight, population = fields.get("weight"), _fields_in(fields, "population")
    if isinstance(weight, str) and columns.get(weight, {}).get("role") == "quasi":
        yield Problem(
            ("weight",),
            f"must not be a quasi-identifier, got {format_value(weight)}",
            "give the column role: drop, or role: keep to release it",
        )
    size, table = population.get("size"), population.get("table")
    if isinstance(fields.get("population"), Mapping) and size is None and table is None:
        yield Problem(
            ("population",),
            "must have a size or a table",
            "write population: {size: 1000000} or population: {table: register.csv}",
        )
    needs_people = _fields_in(fields, "require").get("k_map") is not None
    if needs_people and weight is None and table is None:
        yield Problem(
            ("require", "k_map"),
            "needs the population that the table is a sample of, but there is none",
            "name the column with the sampling weights (weight: ...) or a table of the population "
            "(population: {table: register.csv}), or remove this requirement",
        )


def _problems_of_population_file(fields: Mapping[Any, Any], folder: Path) -> Iterator[Problem]:
    table = _fields_in(fields, "population").get("table")
    if isinstance(table, str) and table and not (folder / table).is_file():
        yield Problem(
            ("population", "table"),
            f"must be an existing file, got {format_value(table)}",
            "the path is relative to the release file",
        )


def _problems_of_previous(previous: Any, folder: Path) -> Iterator[Problem]:
    names = [previous] if isinstance(previous, str) else previous
    for name in names if isinstance(names, list | tuple) else ():
        if isinstance(name, str) and name and not (folder / name).is_file():
            yield Problem(
                ("previous",),
                f"must name existing files, got {format_value(name)}",
                "name the .manifest.json files of earlier releases; paths are relative to the "
                "release file",
            )


def _problems_of_roles(
    fields: Mapping[Any, Any], columns: Mapping[str, Mapping[Any, Any]]
) -> Iterator[Problem]:
    roles = {name: column["role"] for name, column in columns.items()}
    all_known = len(roles) == len(_fields_in(fields, "columns"))
    if roles and all_known and not {"quasi", "undecided"} & {*roles.values()}:
        yield Problem(
            ("columns",), "has no quasi-identifier", "give at least one column role: quasi"
        )
    person = fields.get("person")
    if isinstance(person, str) and roles.get(person) == "quasi":
        yield Problem(
            ("person",),
            f"must not be a quasi-identifier, got {format_value(person)}",
            "name another column",
        )
    yield from _problems_of_links(fields, roles)
    for name, column in columns.items():
        if column.get("long") and not person:
            yield Problem(
                ("columns", name, "long"),
                "needs a person, whose rows are one set",
                "name the column that identifies people: person: ...",
            )
    if all_known and "confidential" not in roles.values():
        for name in SENSITIVE_REQUIREMENTS:
            if _fields_in(fields, "require").get(name) is not None:
                yield Problem(
                    ("require", name),
                    "needs a sensitive attribute, but there is none",
                    "give a column role: confidential, or remove this requirement",
                )
    yield from _problems_of_output(fields)


def _problems_of_links(fields: Mapping[Any, Any], roles: Mapping[str, Any]) -> Iterator[Problem]:
    linked, person = fields.get("linked"), fields.get("person")
    if fields.get("link_price") is not None and linked != "split":
        yield Problem(("link_price",), "is only for linked: split", "write linked: split")
    if linked is None:
        return
    if not person:
        yield Problem(
            ("linked",), "needs a person", "name the column that identifies people: person: ..."
        )
    elif roles.get(person) not in (None, "identifier", "quasi"):
        yield Problem(
            ("columns", person, "role"),
            f"must be identifier with linked, which releases a pseudonym in its place, got "
            f"{format_value(roles[person])}",
            "write role: identifier",
        )


def _problems_of_output(fields: Mapping[Any, Any]) -> Iterator[Problem]:
    data, output = fields.get("data"), fields.get("output")
    if not isinstance(data, str) or not isinstance(output, str) or not data:
        return
    data, output = normpath(data), normpath(output)
    if data == output:
        yield Problem(("output",), "must not be the same file as data", "name another file")
    elif data.startswith(f"{output}/") or output.startswith(f"{data}/"):
        yield Problem(
            ("output",),
            "must not be inside data, and must not contain it",
            "name another file or folder",
        )
    elif table_suffix(output) not in ("", table_suffix(data), *FORMAT_SUFFIXES):
        yield Problem(
            ("output",),
            f"must end in the suffix of a table, got {table_suffix(output)}",
            f"use one of {', '.join(FORMAT_SUFFIXES)}",
        )
    elif (table_suffix(output) or table_suffix(data)) == ".xlsx" and not _can_write_excel():
        yield Problem(
            ("output",),
            "cannot be an Excel file, because DuckDB's extension 'excel' is not installed",
            "write for example output: released.csv; or, once and with network access, run "
            "python -c \"import duckdb; duckdb.sql('INSTALL excel')\"",
        )


def _can_write_excel() -> bool:
    from ontomask.engines.duckdb.connection import has_extension  # loads DuckDB

    return has_extension("excel")


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
                "must be a file on this machine, got an address",
                "name a file; to read the address with Spark, add engine: spark",
            )
    for field in ("master", "config"):
        if _fields_in(fields, "engine").get(field) is not None:
            yield Problem(
                ("engine", field),
                "is only accepted for spark, but the engine is duckdb",
                "remove it, or write name: spark",
            )


def _problems_of_spark(fields: Mapping[Any, Any]) -> Iterator[Problem]:
    data, output = fields.get("data"), fields.get("output")
    if isinstance(data, str) and data and table_suffix(data) not in SPARK_FORMATS:
        yield Problem(
            ("data",),
            f"must end in {', '.join(SPARK_FORMATS)} for engine: spark, got "
            f"{table_suffix(data) or 'no suffix'}",
            "remove engine to read other formats",
        )
    if isinstance(output, str) and output and not output.rstrip("/").endswith(".parquet"):
        yield Problem(
            ("output",),
            "must end in .parquet, because Spark writes folders of Parquet files",
            "write for example output: released.parquet",
        )
    for field, whose in (("table", "databases and workbooks"), ("memory", "DuckDB")):
        if fields.get(field) is not None:
            hint = {"memory": "; for Spark use config: {spark.driver.memory: 4g}"}
            yield Problem(
                (field,),
                f"is only accepted for {whose}, but the engine is spark",
                f"remove it{hint.get(field, '')}",
            )
    config = _fields_in(_fields_in(fields, "engine"), "config")
    for name in config:
        if _SECRET.search(str(name)):
            yield Problem(
                ("engine", "config", str(name)),
                "must not be in the file, because it is a secret",
                "remove it, and put it in spark-defaults.conf or in the secret store of your "
                "cluster",
            )


def table_suffix(name: str) -> str:
    """Suffix of a file name in lower case, without .gz."""
    return Path(name.lower().removesuffix(".gz")).suffix
