"""The Roles screen: columns with their suggested roles, and uniqueness."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field

from ontomask.microdata.schema import NominalSet
from ontomask.releasefile.profile.column_fields import ProposedTaxonomy, fields_in_role
from ontomask.releasefile.profile.offered_taxonomies import name_in_release_file
from ontomask.releasefile.profile.table_profile import ColumnProfile
from ontomask.web.requests import Bench
from ontomask.web.session import Workbench

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["roles"])

Role = Literal["quasi", "identifier", "confidential", "keep", "drop", "undecided"]
#: The name of a column in a path; it may contain slashes.
ColumnInPath = Annotated[
    str, Path(min_length=1, max_length=1000, description="The name of a column.")
]
#: The same in a query.
ColumnInQuery = Annotated[str, Field(min_length=1, max_length=1000)]

#: The most columns in one request.
MAX_COLUMNS = 200


# ---------------------------------------------------------------------- columns


class FrequentValue(BaseModel):
    """A frequent value."""

    value: str
    records: int


class ColumnSummary(BaseModel):
    """A column: its contents and its suggested role."""

    name: str
    type: str = Field(description="The kind of its values, in a word or two.")
    distinct: int
    exact: bool = Field(
        description="Whether it was counted on all records, not estimated from a sample."
    )
    uniques: int | None = Field(description="Values that occur once.")
    missing: int
    missing_marks: list[str] = Field(description="Values that look like marks for missing values.")
    frequent: list[FrequentValue] = Field(
        description="The most frequent values, in descending order."
    )
    role: Role = Field(description="The suggested role.")
    person: bool = Field(description="Whether it seems to identify the person of a record.")
    taxonomy: str | None = Field(description="The taxonomy that contains its values.")
    reason: str
    notes: list[str]


class SetSuggestion(BaseModel):
    """Columns that can be masked as one set, and the fields of the set."""

    name: str
    columns: list[str]
    fields: dict[str, Any]


class TableColumns(BaseModel):
    """The columns of the open table."""

    file: str
    records: int
    person: str | None = Field(description="The column that seems to identify people.")
    missing: str = Field(description="The suggested treatment of missing values.")
    missing_marks: list[str]
    columns: list[ColumnSummary]
    families: list[SetSuggestion] = Field(
        description="Columns with numbered names and values of the same kind."
    )


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
        columns=[_summarise_column(column, bench.folder.path) for column in profile.columns],
        families=[
            SetSuggestion(
                name=family.name,
                columns=list(family.columns),
                fields=family.fields(bench.folder.path),
            )
            for family in profile.families
        ],
    )


def _summarise_column(column: ColumnProfile, folder: FilePath) -> ColumnSummary:
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
            "taxonomy": suggestion.taxonomy and name_in_release_file(suggestion.taxonomy, folder),
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
    """How many records or people are unique because of a column."""

    column: str
    uniques: int
    share: float | None = Field(
        description="Their share of all that are unique; null if there are none."
    )
    alone: int = Field(description="How many are unique by this column alone.")


class EquivalenceClasses(BaseModel):
    """Sizes of the equivalence classes of some columns, in records or people."""

    unit: Literal["records", "people"]
    records: int
    people: int | None
    tuples: int
    unique_records: int
    unique_people: int | None
    linked_unique_people: int | None = Field(
        description="People whose records, all together, nobody else has."
    )
    share: float = Field(description="The share of records, or people, that are unique.")
    sizes: list[ClassSizeRange]
    columns: list[ColumnContribution]


QuasiIdentifiers = Annotated[
    list[ColumnInQuery],
    Query(max_length=MAX_COLUMNS, description="Columns that are quasi-identifiers."),
]
PersonColumn = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=1000,
        description="The column that identifies the person of a record.",
    ),
]


@router.get("/classes")
def count_classes(
    bench: Bench,
    column: QuasiIdentifiers = [],  # noqa: B006
    person: PersonColumn = None,
) -> EquivalenceClasses:
    """Sizes of the equivalence classes of some columns, in records, or in people.

    Missing values count as equal; the release file lists the codes for them.
    """
    uniqueness = bench.opened().classes(
        column, person, _missing_marks(bench), _separators_of_sets(bench)
    )
    order = {name: position for position, name in enumerate(column)}
    return EquivalenceClasses(
        unit=uniqueness.unit,
        records=uniqueness.records,
        people=uniqueness.people,
        tuples=uniqueness.tuples,
        unique_records=uniqueness.unique_records,
        unique_people=uniqueness.unique_people,
        linked_unique_people=uniqueness.linked_unique_people,
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


def _separators_of_sets(bench: Workbench) -> dict[str, str]:
    """The separators of the columns that the release file declares as sets."""
    columns: Any = bench.draft.read().fields.get("columns")
    fields = columns.items() if isinstance(columns, dict) else ()
    return {
        name: str(column.get("separator") or NominalSet.separator)
        for name, column in fields
        if isinstance(column, dict) and column.get("type") == "set"
    }


# ---------------------------------------------------------------------- one column


class TaxonomyRecipe(BaseModel):
    """How to build a taxonomy from the values; a body for ``/api/taxonomies``."""

    how: Literal["paths", "prefixes", "flat"]
    separator: str | None
    lengths: list[int] | None


class FieldsSuggestion(BaseModel):
    """The fields of a column in a role, as in a release file."""

    fields: dict[str, Any] = Field(description="Its fields, including the role.")
    reason: str
    notes: list[str]
    make: TaxonomyRecipe | None = Field(description="How to build the taxonomy that it needs.")
    lacks: str | None = Field(description="What is missing, if nothing can be suggested.")
    missing: int = Field(description="How many records have no value.")
    missing_marks: list[str] = Field(
        description="Its values that look like marks for missing values."
    )


@router.get("/columns/{name:path}/suggestion")
def suggest_fields(name: ColumnInPath, bench: Bench, role: Role) -> FieldsSuggestion:
    """The suggested fields of a column in a chosen role."""
    table = bench.opened()
    facts = table.facts(name)
    suggestion = fields_in_role(facts, role, table.offered, bench.folder.path)
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
