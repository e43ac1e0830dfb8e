"""The kinds of fields that a release file has, each with what is said where it is wrong."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, GetJsonSchemaHandler, WithJsonSchema
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from ontomask.releasefile.problems import allowed, shown

__all__ = [
    "Above0",
    "ONE_CHARACTER",
    "OneOf",
    "SCALARS",
    "Share",
    "TEXTS",
    "Text",
    "character",
    "date_format",
    "encoding",
    "json",
    "levels",
    "mapping",
    "marks",
    "memory",
    "options",
    "prefer",
    "spark_config",
    "stems",
]


def _wrong(hint: str) -> PydanticCustomError:
    """An error whose words are the hint."""
    return PydanticCustomError("spec", "{hint}", {"hint": hint})


@dataclass(frozen=True)
class OneOf:
    """A field that holds one of some words."""

    words: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._checked)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"type": "string", "enum": list(self.words)}

    def _checked(self, given: Any) -> str:
        if not isinstance(given, str) or given not in self.words:
            raise _wrong(allowed(given, self.words))
        return given


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def mapping(given: Any) -> Any:
    """What values mean, or the path of a table that says it."""
    if isinstance(given, Mapping):
        wrong = [it for pair in given.items() for it in pair if not isinstance(it, str)]
        if wrong:
            raise _wrong(f"values and concepts are text: put {shown(wrong[0])} in quotes")
        return dict(given)
    if not _is_text(given):
        raise _wrong("give {value: concept}, or the path of a table with these two columns")
    return given


def prefer(given: Any) -> Any:
    """One concept or several."""
    concepts = given if isinstance(given, list | tuple) else [given]
    if not concepts or not all(map(_is_text, concepts)):
        raise _wrong("give a concept or a list of them, each in quotes")
    return tuple(concepts)


def marks(given: Any) -> Any:
    """What stands for a missing value; a number is the text of it."""
    if not isinstance(given, list | tuple) or not all(
        isinstance(m, str) or _is_number(m) for m in given
    ):
        raise _wrong('give a list of marks, each in quotes, as ["?", "-9"]')
    return tuple(str(mark) for mark in given)


def levels(given: Any) -> Any:
    """Values in their order."""
    if not isinstance(given, list | tuple) or not given:
        raise _wrong("give a list of values from the lowest to the highest")
    if not all(isinstance(level, str) or _is_number(level) for level in given):
        raise _wrong("levels are text or numbers; put them in quotes")
    if len(set(given)) < len(given):
        raise _wrong("a level stands there twice; list each once, from the lowest to the highest")
    return tuple(given)


def stems(given: Any) -> Any:
    """A language that words have stems in, or none."""
    import Stemmer

    if given is None or (isinstance(given, str) and given.lower() == "none"):
        return None
    known = sorted(Stemmer.algorithms())
    if given not in known:
        raise _wrong(allowed(given, [*known, "none"]))
    return given


def memory(given: Any) -> Any:
    """An amount of memory."""
    if not isinstance(given, str) or not re.fullmatch(r"[1-9]\d*(\.\d+)? ?[KMGT]i?B", given):
        raise _wrong("it is a number with its unit, as 500MB or 2GB")
    return given


def encoding(given: Any) -> Any:
    """An encoding that Python knows."""
    try:
        codecs.lookup(given)
    except (LookupError, TypeError):
        raise _wrong("it is the name of an encoding, as utf-8 or latin-1") from None
    return given


def character(given: Any) -> Any:
    """A single character."""
    if not isinstance(given, str) or len(given) != 1:
        raise _wrong('it is one character in quotes, as ";"; for a tab "\\t"')
    return given


def date_format(given: Any) -> Any:
    """How dates are written."""
    if not isinstance(given, str) or "%" not in given:
        raise _wrong('it says where day, month and year stand, as "%d.%m.%Y"')
    return given


def options(given: Any) -> Any:
    """Options of a taxonomy's reader, by name."""
    if not isinstance(given, Mapping) or not all(map(_is_text, given)):
        raise _wrong("give the options of the format, as {delimiter: ';'}")
    return dict(given)


def spark_config(given: Any) -> Any:
    """Settings of a Spark session, by name."""
    if not isinstance(given, Mapping) or not all(map(_is_text, given)):
        raise _wrong("give settings of Spark by name, as {spark.driver.memory: 4g}")
    for name, value in given.items():
        if not isinstance(value, str | bool) and not _is_number(value):
            raise _wrong(f"settings are text, numbers, true or false, and {name} is {shown(value)}")
    return dict(given)


def json(**schema: Any) -> WithJsonSchema:
    """What an editor is told about a field."""
    return WithJsonSchema(schema)


ONE_CHARACTER = json(type="string", minLength=1, maxLength=1)
SCALARS = {"type": ["string", "number"]}
TEXTS = {"type": "array", "items": {"type": "string"}}

Text = Annotated[str, Field(min_length=1)]
Above0 = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Share = Annotated[float, Field(gt=0, le=1)]
