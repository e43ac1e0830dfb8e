"""What the Roles screen asks for: the columns with their suggested roles, and who is unique."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field

from ontomask.releasefile.profile.column_fields import ProposedTaxonomy, fields_in_role
from ontomask.releasefile.profile.table_profile import ColumnProfile
from ontomask.web.requests import Bench
from ontomask.web.session import Workbench

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["roles"])

Role = Literal["quasi", "identifier", "confidential", "keep", "drop"]
#: The name of a column, in a path; it may hold slashes.
ColumnInPath = Annotated[
    str, Path(min_length=1, max_length=1000, description="The name of a column.")
]
#: The same in a query.
ColumnInQuery = Annotated[str, Field(min_length=1, max_length=1000)]

#: So many columns are asked about at once.
MAX_COLUMNS = 200


# ---------------------------------------------------------------------- columns


class FrequentValue(BaseModel):
    """A value that many records hold."""

    value: str
    records: int


class ColumnSummary(BaseModel):
    """A column: what it holds, and what it may be for."""

    name: str
    type: str = Field(description="What stands in it, in a word or two.")
    distinct: int
    exact: bool = Field(description="Whether it was counted rather than judged by a sample.")
    uniques: int | None = Field(description="Values that one record alone holds.")
    missing: int
    missing_marks: list[str] = Field(description="Values that seem to mean missing.")
    frequent: list[FrequentValue] = Field(description="The most frequent values, the first of all.")
    role: Role = Field(description="The role that is suggested.")
    person: bool = Field(description="Whether it seems to tell whose the records are.")
    taxonomy: str | None = Field(description="The bundled taxonomy that knows its values.")
    reason: str
    notes: list[str]


class TableColumns(BaseModel):
    """What the opened table holds."""

    file: str
    records: int
    person: str | None = Field(description="The column that seems to tell people apart.")
    missing: str = Field(description="What is suggested for missing values.")
    missing_marks: list[str]
    columns: list[ColumnSummary]


@router.get("/columns")
def list_columns(bench: Bench) -> TableColumns:
    """The columns of the opened table, with the role suggested for each and the reason."""
    profile = bench.opened().profile
    return TableColumns(
        file=profile.path.name,
        records=profile.rows,
        person=profile.person,
        missing=profile.missing,
        missing_marks=profile.missing_marks,
        columns=[_summarise_column(column) for column in profile.columns],
    )


def _summarise_column(column: ColumnProfile) -> ColumnSummary:
    facts, suggestion = column.facts, column.suggestion
    return ColumnSummary.model_validate(
        {
            "name": column.name,
            "type": column.type,
            "distinct": facts.distinct,
            "exact": facts.exact,
            "uniques": facts.singles if facts.exact else None,
            "missing": facts.missing,
            "missing_marks": list(facts.marks),
            "frequent": [{"value": value, "records": n} for value, n in facts.frequent.items()],
            "role": "identifier" if suggestion.role == "person" else suggestion.role,
            "person": suggestion.role == "person",
            "taxonomy": suggestion.taxonomy,
            "reason": suggestion.reason,
            "notes": list(suggestion.notes),
        }
    )


class TablePreview(BaseModel):
    """The first rows of the table; a cell that is null is missing."""

    names: list[str]
    rows: list[list[str | None]]


@router.get("/preview")
def get_preview(bench: Bench) -> TablePreview:
    """The first rows of the opened table, as text; long cells are cut off."""
    table = bench.opened()
    return TablePreview(names=table.names, rows=table.preview)


# ---------------------------------------------------------------------- classes


class ClassSizeRange(BaseModel):
    """Classes of ``least`` to ``most`` records, or people; ``most`` is null for the last ones."""

    least: int
    most: int | None
    classes: int
    records: int


class ColumnContribution(BaseModel):
    """How many are unique through a column: they would not be without it."""

    column: str
    uniques: int
    share: float | None = Field(description="Of all that are unique; null where nobody is.")
    alone: int = Field(description="How many are unique on this column alone.")


class EquivalenceClasses(BaseModel):
    """How many records, or people, are alike on some columns."""

    unit: Literal["records", "people"]
    records: int
    people: int | None
    tuples: int
    unique_records: int
    unique_people: int | None
    share: float = Field(description="The share of records, or people, that are unique.")
    sizes: list[ClassSizeRange]
    columns: list[ColumnContribution]


QuasiIdentifiers = Annotated[
    list[ColumnInQuery],
    Query(max_length=MAX_COLUMNS, description="Columns that are quasi-identifiers."),
]
PersonColumn = Annotated[
    str | None, Query(min_length=1, max_length=1000, description="Says whose a record is.")
]


@router.get("/classes")
def count_classes(
    bench: Bench,
    column: QuasiIdentifiers = [],  # noqa: B006
    person: PersonColumn = None,
) -> EquivalenceClasses:
    """How many records share some columns with how many others; with a person column, people.

    Missing values are alike; what is written for them is said by the release file.
    """
    uniqueness = bench.opened().classes(column, person, _missing_marks(bench))
    order = {name: position for position, name in enumerate(column)}
    return EquivalenceClasses(
        unit=uniqueness.unit,
        records=uniqueness.records,
        people=uniqueness.people,
        tuples=uniqueness.tuples,
        unique_records=uniqueness.unique_records,
        unique_people=uniqueness.unique_people,
        share=uniqueness.uniques / max(uniqueness.unit_count, 1),
        sizes=[ClassSizeRange(**asdict(size)) for size in uniqueness.sizes],
        columns=sorted(
            (ColumnContribution(**asdict(adds)) for adds in uniqueness.columns),
            key=lambda contribution: order[contribution.column],
        ),
    )


def _missing_marks(bench: Workbench) -> list[str]:
    marks: Any = bench.draft.read().fields.get("missing_marks")
    return [mark for mark in marks if isinstance(mark, str)] if isinstance(marks, list) else []


# ---------------------------------------------------------------------- one column


class TaxonomyRecipe(BaseModel):
    """How a taxonomy can be made of the values; to be posted to ``/api/taxonomies``."""

    how: Literal["paths", "prefixes", "flat"]
    separator: str | None
    lengths: list[int] | None


class FieldsSuggestion(BaseModel):
    """What a release file would say of a column in a role."""

    fields: dict[str, Any] = Field(description="Its fields, the role among them.")
    reason: str
    notes: list[str]
    make: TaxonomyRecipe | None = Field(
        description="How the taxonomy it needs is made of its values."
    )
    lacks: str | None = Field(description="What is missing, where nothing can be suggested.")
    missing: int = Field(description="How many records have no value.")
    missing_marks: list[str] = Field(description="Values of it that seem to mean missing.")


@router.get("/columns/{name:path}/suggestion")
def suggest_fields(name: ColumnInPath, bench: Bench, role: Role) -> FieldsSuggestion:
    """What a release file would say of a column in a role that somebody chooses."""
    facts = bench.opened().facts(name)
    suggestion = fields_in_role(facts, role)
    return FieldsSuggestion(
        fields=suggestion.fields,
        reason=suggestion.reason,
        notes=list(suggestion.notes),
        make=_recipe(suggestion.make),
        lacks=suggestion.lacks,
        missing=facts.missing,
        missing_marks=list(facts.marks),
    )


def _recipe(making: ProposedTaxonomy | None) -> TaxonomyRecipe | None:
    if making is None:
        return None
    lengths = list(making.lengths) or None
    return TaxonomyRecipe.model_validate(
        {"how": making.how, "separator": making.separator, "lengths": lengths}
    )
