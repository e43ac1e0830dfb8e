"""The kinds of fields of a release file, each with what it accepts."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field, GetJsonSchemaHandler, WithJsonSchema
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from ontomask._runtime.memory_sizes import is_memory_size
from ontomask.errors import quote_choices
from ontomask.releasefile.problems import choices_hint, format_value, spelling_hint
from ontomask.taxonomy.readers.bundled import KNOWN_TAXONOMIES
from ontomask.taxonomy.terms.phrases import HEADS

__all__ = [
    "PositiveNumber",
    "CROSSWALK",
    "ONE_CHARACTER",
    "ONE_OR_MORE_TEXTS",
    "OneOf",
    "SCALARS",
    "Share",
    "TEXTS",
    "NonEmptyText",
    "check_character",
    "check_columns",
    "check_crosswalk",
    "check_concepts",
    "check_date_format",
    "check_encoding",
    "check_file_names",
    "check_heads",
    "with_json_schema",
    "check_levels",
    "check_mapping",
    "check_marks",
    "check_memory",
    "check_options",
    "check_separators",
    "check_spark_config",
    "check_stems",
    "check_taxonomies",
    "files_of_column",
    "map_file_names",
]


def _refuse_value(accepts: str, hint: str = "") -> PydanticCustomError:
    """A validation error that says what a field accepts, as in "must be ...", and a hint."""
    return PydanticCustomError("spec", "must be {accepts}", {"accepts": accepts, "hint": hint})


@dataclass(frozen=True)
class OneOf:
    """A field that accepts one of several words; other packages may add words."""

    words: Collection[str]
    #: Other words of the field for some of them, to suggest the right one.
    synonyms: Mapping[str, str] = field(default_factory=dict)
    #: Words of ours besides.
    others: Sequence[str] = ()

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._check_word)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"type": "string", "enum": [*self.words, *self.others]}

    def _check_word(self, value: Any) -> str:
        words = [*self.words, *self.others]
        if not isinstance(value, str) or value not in words:
            meant = self.synonyms.get(re.sub(r"[\W_]+", " ", str(value)).strip().lower(), value)
            raise _refuse_value(quote_choices(words), spelling_hint(meant, words))
        return value


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def check_mapping(value: Any) -> Any:
    """Check a mapping of values to concepts, or the path of a table that holds one."""
    if isinstance(value, Mapping):
        wrong = [word for pair in value.items() for word in pair if not isinstance(word, str)]
        if wrong:
            raise _refuse_value(
                "a group of texts", f"put {format_value(wrong[0])} in quotes to make it text"
            )
        return dict(value)
    if not _is_text(value):
        raise _refuse_value(
            "{value: concept}, or the path of a table with the columns value and concept"
        )
    return value


def check_concepts(value: Any) -> Any:
    """Check one concept or several."""
    concepts = value if isinstance(value, list | tuple) else [value]
    if not concepts or not all(map(_is_text, concepts)):
        raise _refuse_value("a concept or a list of concepts", "put each of them in quotes")
    return tuple(concepts)


def check_taxonomies(value: Any) -> Any:
    """Check a list of taxonomies, each a name or a path."""
    if not isinstance(value, list | tuple) or not value or not all(map(_is_text, value)):
        raise _refuse_value("a list of names or files of taxonomies", "as in [snomed.owl]")
    return tuple(value)


def check_crosswalk(value: Any) -> Any:
    """Check the file of a crosswalk, such a file with its vocabulary, or a list of them."""
    tables = value if isinstance(value, list | tuple) else [value]
    for table in tables:
        fields = {"file": table} if isinstance(table, str) else table
        is_group = isinstance(fields, Mapping) and fields.keys() <= {"file", "vocabulary"}
        if not is_group or "file" not in fields or not all(map(_is_text, fields.values())):
            raise _refuse_value(
                "the path of a table, {file: ..., vocabulary: ...}, or a list of them",
                "as in icd9-snomed.csv",
            )
    return tuple(value) if isinstance(value, list) else value


def map_file_names(column: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """The fields of a column with other names for the files that it names.

    >>> map_file_names({"taxonomy": "icd9cm", "mapping": "m.csv"}, str.upper)
    {'taxonomy': 'icd9cm', 'mapping': 'M.CSV'}
    """

    def change_taxonomy(name: Any) -> Any:
        return change(name) if _is_text(name) and name not in KNOWN_TAXONOMIES else name

    def change_table(table: Any) -> Any:
        if isinstance(table, Mapping) and _is_text(table.get("file")):
            return {**table, "file": change(table["file"])}
        return change(table) if _is_text(table) else table

    changes: dict[str, Callable[[Any], Any]] = {
        "taxonomy": change_taxonomy,
        "more_taxonomies": change_taxonomy,
        "mapping": lambda mapping: change(mapping) if _is_text(mapping) else mapping,
        "crosswalk": change_table,
    }
    changed = dict(column)
    for name, change_value in changes.items():
        value = column.get(name)
        if isinstance(value, list | tuple):
            changed[name] = [change_value(entry) for entry in value]
        elif value is not None:
            changed[name] = change_value(value)
    if labels := label_files(column.get("options")):
        changed["options"] = {**column["options"], "labels": list(map(change, labels))}
    return changed


def files_of_column(column: Mapping[str, Any]) -> list[str]:
    """The files that the fields of a column name."""
    names: list[str] = []

    def note(name: str) -> str:
        names.append(name)
        return name

    map_file_names(column, note)
    return names


def check_separators(value: Any) -> Any:
    """Check one separator of values or several."""
    separators = value if isinstance(value, list | tuple) else [value]
    if not separators or not all(map(_is_text, separators)):
        raise _refuse_value(
            "a text or a list of texts", """put each of them in quotes: [";", "/"]"""
        )
    return tuple(separators)


def check_heads(value: Any) -> Any:
    """Check the ways to map phrases by a part of them."""
    if isinstance(value, bool):
        return value
    ways = value if isinstance(value, list | tuple) else [value]
    wrong = [way for way in ways if way not in HEADS]
    if wrong or not ways:
        hint = spelling_hint(wrong[0] if wrong else "", HEADS)
        raise _refuse_value(f"true, false, {quote_choices(HEADS)}", hint)
    return tuple(ways)


def check_file_names(value: Any) -> Any:
    """Check the name of a file, or several."""
    names = value if isinstance(value, list | tuple) else [value]
    if not all(map(_is_text, names)):
        raise _refuse_value("a file name or a list of file names")
    return tuple(names)


def check_marks(value: Any) -> Any:
    """Check marks of missing values; numbers become text."""
    if not isinstance(value, list | tuple) or not all(
        isinstance(mark, str) or _is_number(mark) for mark in value
    ):
        raise _refuse_value("a list of texts", 'put each of them in quotes, as in ["?", "-9"]')
    return tuple(str(mark) for mark in value)


def check_levels(value: Any) -> Any:
    """Check the levels of an ordinal column."""
    if not isinstance(value, list | tuple) or not value:
        raise _refuse_value("a list of values from the lowest to the highest")
    if not all(isinstance(level, str) or _is_number(level) for level in value):
        raise _refuse_value("a list of texts or numbers", "put each of them in quotes")
    if len(set(value)) < len(value):
        raise _refuse_value(
            "a list without repeated values", "list each value once, from the lowest to the highest"
        )
    return tuple(value)


def check_columns(value: Any) -> Any:
    """Check the columns of the table that a set is spread over."""
    if not isinstance(value, list | tuple) or len(value) < 2 or not all(map(_is_text, value)):
        raise _refuse_value(
            "a list of at least two names of columns", "as in [diag_1, diag_2, diag_3]"
        )
    if len(set(value)) < len(value):
        raise _refuse_value("a list without repeated names", "list each column once")
    return tuple(value)


def check_stems(value: Any) -> Any:
    """Check how words are compared by their endings; "none" becomes None."""
    import Stemmer

    if value is None or (isinstance(value, str) and value.lower() == "none"):
        return None
    languages = sorted(Stemmer.algorithms())
    if value not in (*languages, "plural", "auto"):
        hint = choices_hint(value, [*languages, "plural", "auto", "none"], "the languages are")
        raise _refuse_value("'plural', 'auto', a language of word stems, or 'none'", hint)
    return value


def check_memory(value: Any) -> Any:
    """Check an amount of memory."""
    if not isinstance(value, str) or not is_memory_size(value):
        raise _refuse_value("a number above 0 with a unit, such as 500MB or 0.5GB")
    return value


def check_encoding(value: Any) -> Any:
    """Check that Python knows an encoding."""
    try:
        codecs.lookup(value)
    except (LookupError, TypeError):
        raise _refuse_value("the name of an encoding, such as utf-8 or latin-1") from None
    return value


def check_character(value: Any) -> Any:
    """Check that a value is a single character."""
    if not isinstance(value, str) or len(value) != 1:
        raise _refuse_value("one character", 'put it in quotes, such as ";", or "\\t" for a tab')
    return value


def check_date_format(value: Any) -> Any:
    """Check a date format."""
    if not isinstance(value, str) or "%" not in value:
        raise _refuse_value('a date format, such as "%d.%m.%Y"')
    return value


def check_options(value: Any) -> Any:
    """Check the options of a taxonomy's reader, by name."""
    if not isinstance(value, Mapping) or not all(map(_is_text, value)):
        raise _refuse_value("a group of options of the format, such as {delimiter: ';'}")
    return dict(value)


def label_files(options: Any) -> list[str]:
    """The files of the option ``labels``, whose words are added to WordNet."""
    labels = options.get("labels") if isinstance(options, Mapping) else None
    return [name for name in ([labels] if isinstance(labels, str) else labels or ()) if name]


def check_spark_config(config: Any) -> Any:
    """Check the settings of a Spark session, by name."""
    if not isinstance(config, Mapping) or not all(map(_is_text, config)):
        raise _refuse_value("a group of Spark settings, such as {spark.driver.memory: 4g}")
    for name, value in config.items():
        if not isinstance(value, str | bool) and not _is_number(value):
            raise _refuse_value(
                "a group of texts, numbers, true or false", f"{name} is {format_value(value)}"
            )
    return dict(config)


def with_json_schema(**schema: Any) -> WithJsonSchema:
    """Annotate a field with its JSON schema, for editors."""
    return WithJsonSchema(schema)


ONE_CHARACTER = with_json_schema(type="string", minLength=1, maxLength=1)
SCALARS = {"type": ["string", "number"]}
TEXTS = {"type": "array", "items": {"type": "string"}}
ONE_OR_MORE_TEXTS = with_json_schema(anyOf=[{"type": "string"}, {**TEXTS, "minItems": 1}])

CROSSWALK = {
    "anyOf": [
        {"type": "string", "minLength": 1},
        {
            "type": "object",
            "properties": {
                "file": {"type": "string", "minLength": 1},
                "vocabulary": {"type": "string", "minLength": 1},
            },
            "required": ["file"],
            "additionalProperties": False,
        },
    ]
}

NonEmptyText = Annotated[str, Field(min_length=1)]
PositiveNumber = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Share = Annotated[float, Field(gt=0, le=1)]
