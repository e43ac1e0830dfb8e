"""What the Roles screen asks for: the columns with their suggested roles, and who is unique."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field

from ontomask.releasefile.profile.column_fields import Making, fields_in_role
from ontomask.releasefile.profile.table_profile import ColumnProfile
from ontomask.web.asking import Bench
from ontomask.web.session import Workbench

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["roles"])

Role = Literal["quasi", "identifier", "confidential", "keep", "drop"]
#: The name of a column, in a path; it may hold slashes.
Named = Annotated[str, Path(min_length=1, max_length=1000, description="The name of a column.")]
#: The same in a query.
Name = Annotated[str, Field(min_length=1, max_length=1000)]

#: So many columns are asked about at once.
MOST_COLUMNS = 200


# ---------------------------------------------------------------------- columns


class Frequent(BaseModel):
    """A value that many records hold."""

    value: str
    records: int


class Column(BaseModel):
    """A column: what it holds, and what it may be for."""

    name: str
    type: str = Field(description="What stands in it, in a word or two.")
    distinct: int
    exact: bool = Field(description="Whether it was counted rather than judged by a sample.")
    uniques: int | None = Field(description="Values that one record alone holds.")
    missing: int
    missing_marks: list[str] = Field(description="Values that seem to mean missing.")
    frequent: list[Frequent] = Field(description="The most frequent values, the first of all.")
    role: Role = Field(description="The role that is suggested.")
    person: bool = Field(description="Whether it seems to tell whose the records are.")
    taxonomy: str | None = Field(description="The bundled taxonomy that knows its values.")
    reason: str
    notes: list[str]


class Columns(BaseModel):
    """What the opened table holds."""

    file: str
    records: int
    person: str | None = Field(description="The column that seems to tell people apart.")
    missing: str = Field(description="What is suggested for missing values.")
    missing_marks: list[str]
    columns: list[Column]


@router.get("/columns")
def columns(bench: Bench) -> Columns:
    """The columns of the opened table, with the role suggested for each and the reason."""
    found = bench.opened().profile
    return Columns(
        file=found.path.name,
        records=found.rows,
        person=found.person,
        missing=found.missing,
        missing_marks=found.missing_marks,
        columns=[_column(it) for it in found.columns],
    )


def _column(column: ColumnProfile) -> Column:
    facts, said = column.facts, column.suggestion
    return Column.model_validate(
        {
            "name": column.name,
            "type": column.type,
            "distinct": facts.distinct,
            "exact": facts.exact,
            "uniques": facts.singles if facts.exact else None,
            "missing": facts.missing,
            "missing_marks": list(facts.marks),
            "frequent": [{"value": it, "records": n} for it, n in facts.frequent.items()],
            "role": "identifier" if said.role == "person" else said.role,
            "person": said.role == "person",
            "taxonomy": said.taxonomy,
            "reason": said.reason,
            "notes": list(said.notes),
        }
    )


class Preview(BaseModel):
    """The first rows of the table; a cell that is null is missing."""

    names: list[str]
    rows: list[list[str | None]]


@router.get("/preview")
def preview(bench: Bench) -> Preview:
    """The first rows of the opened table, as text; long cells are cut off."""
    opened = bench.opened()
    return Preview(names=opened.names, rows=opened.preview)


# ---------------------------------------------------------------------- classes


class Sizes(BaseModel):
    """Classes of ``least`` to ``most`` records, or people; ``most`` is null for the last ones."""

    least: int
    most: int | None
    classes: int
    records: int


class Adds(BaseModel):
    """How many are unique through a column: they would not be without it."""

    column: str
    uniques: int
    share: float | None = Field(description="Of all that are unique; null where nobody is.")
    alone: int = Field(description="How many are unique on this column alone.")


class Classes(BaseModel):
    """How many records, or people, are alike on some columns."""

    unit: Literal["records", "people"]
    records: int
    people: int | None
    tuples: int
    unique_records: int
    unique_people: int | None
    share: float = Field(description="The share of records, or people, that are unique.")
    sizes: list[Sizes]
    columns: list[Adds]


Asked = Annotated[
    list[Name], Query(max_length=MOST_COLUMNS, description="Columns that are quasi-identifiers.")
]
Person = Annotated[
    str | None, Query(min_length=1, max_length=1000, description="Says whose a record is.")
]


@router.get("/classes")
def classes(bench: Bench, column: Asked = [], person: Person = None) -> Classes:  # noqa: B006
    """How many records share some columns with how many others; with a person column, people.

    Missing values are alike; what is written for them is said by the release file.
    """
    found = bench.opened().classes(column, person, _marks(bench))
    order = {name: place for place, name in enumerate(column)}
    return Classes(
        unit=found.unit,
        records=found.records,
        people=found.people,
        tuples=found.tuples,
        unique_records=found.unique_records,
        unique_people=found.unique_people,
        share=found.uniques / max(found.everybody, 1),
        sizes=[Sizes(**asdict(it)) for it in found.sizes],
        columns=sorted(
            (Adds(**asdict(it)) for it in found.columns), key=lambda it: order[it.column]
        ),
    )


def _marks(bench: Workbench) -> list[str]:
    said: Any = bench.draft.read().fields.get("missing_marks")
    return [it for it in said if isinstance(it, str)] if isinstance(said, list) else []


# ---------------------------------------------------------------------- one column


class Make(BaseModel):
    """How a taxonomy can be made of the values; to be posted to ``/api/taxonomies``."""

    how: Literal["paths", "prefixes", "flat"]
    separator: str | None
    lengths: list[int] | None


class Suggested(BaseModel):
    """What a release file would say of a column in a role."""

    fields: dict[str, Any] = Field(description="Its fields, the role among them.")
    reason: str
    notes: list[str]
    make: Make | None = Field(description="How the taxonomy it needs is made of its values.")
    lacks: str | None = Field(description="What is missing, where nothing can be suggested.")
    missing: int = Field(description="How many records have no value.")
    missing_marks: list[str] = Field(description="Values of it that seem to mean missing.")


@router.get("/columns/{name:path}/suggestion")
def suggestion(name: Named, bench: Bench, role: Role) -> Suggested:
    """What a release file would say of a column in a role that somebody chooses."""
    facts = bench.opened().facts(name)
    found = fields_in_role(facts, role)
    return Suggested(
        fields=found.fields,
        reason=found.reason,
        notes=list(found.notes),
        make=_make(found.make),
        lacks=found.lacks,
        missing=facts.missing,
        missing_marks=list(facts.marks),
    )


def _make(making: Making | None) -> Make | None:
    if making is None:
        return None
    lengths = list(making.lengths) or None
    return Make.model_validate(
        {"how": making.how, "separator": making.separator, "lengths": lengths}
    )
