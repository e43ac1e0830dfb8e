"""The release file as a JSON schema, with one table or several."""

from __future__ import annotations

from typing import Any

from ontomask.releasefile.model import json_schema
from ontomask.releasefile.tables.model import SHARED_FIELDS, TABLE_FIELDS

__all__ = ["json_schema_of_release_files"]

#: What a release file must have with several tables, and what each of them must have.
REQUIRED, REQUIRED_OF_TABLE = ["tables", "linked", "method"], ["data", "output", "columns"]


def json_schema_of_release_files() -> dict[str, Any]:
    """The release file as a JSON schema (draft 2020-12), for editors."""
    schema = json_schema()
    properties = dict(schema["properties"])
    table = {
        "type": "object",
        "properties": {field: properties[field] for field in TABLE_FIELDS},
        "required": REQUIRED_OF_TABLE,
        "additionalProperties": False,
    }
    properties["tables"] = {
        "type": "object",
        "minProperties": 2,
        "additionalProperties": table,
        "description": "Several tables of the same people, by name, in place of data, output and "
        "columns. k people then share all rows in all tables.",
    }
    properties["name"] = {
        "type": "string",
        "minLength": 1,
        "description": "With several tables, what manifest and report are called after; by default "
        "release.",
    }
    single = [field for field in properties if field not in ("tables", "name")]
    kinds = [
        {"required": schema["required"], **_only(single)},
        {"required": REQUIRED, **_only(SHARED_FIELDS)},
    ]
    others = {name: part for name, part in schema.items() if name not in ("required",)}
    return {**others, "properties": properties, "anyOf": kinds}


def _only(fields: Any) -> dict[str, Any]:
    """Allow some fields and no others."""
    return {"properties": dict.fromkeys(fields, True), "additionalProperties": False}
