"""The Meaning screen: taxonomies, coverage, concepts and distances of a column."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi import Path as InPath
from pydantic import BaseModel, Field

from ontomask.distances import MEASURES
from ontomask.errors import OntomaskError, ParameterError, UnknownConceptError
from ontomask.pipeline import meaning as means
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.readers.bundled import KNOWN_TAXONOMIES, WITH_EXTRA
from ontomask.taxonomy.word_forms import fold_name
from ontomask.web.column_meanings import load_meaning
from ontomask.web.errors import NotThere
from ontomask.web.requests import Bench, RequestModel
from ontomask.web.session import Workbench

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["meaning"])

#: The name of a column; it may contain any character, including a slash.
ColumnName = Annotated[str, InPath(max_length=1000)]
SearchText = Annotated[str, Query(max_length=200)]
ValueText = Annotated[str, Query(max_length=20_000)]

#: The most values without a concept that are listed.
MAX_LEFT_OVER = 500

BUNDLED_DESCRIPTIONS = {
    "icd9cm": "ICD-9-CM diagnoses, used by hospitals in the USA until 2015.",
    "icd9cm-procedures": "ICD-9-CM procedures: operations and other treatments.",
    "wordnet": "WordNet nouns: 82,000 concepts of everyday English.",
    "icd10cm": "ICD-10-CM diagnoses, used by hospitals in the USA today.",
}


# ---------------------------------------------------------------------- values


class ValueCount(BaseModel):
    """A value and the number of its records."""

    value: str
    records: int


class ColumnValues(BaseModel):
    """Values of a column, the most frequent first."""

    values: list[ValueCount]
    distinct: int = Field(description="The number of all values, including those not listed.")


@router.get("/columns/{name:path}/values")
def list_values(
    name: ColumnName,
    bench: Bench,
    search: SearchText = "",
    limit: Annotated[int, Query(ge=1, le=5000)] = 100,
) -> ColumnValues:
    """The values of a column, or those that contain a text, with their counts."""
    counts = bench.values(name)
    letters = fold_name(search)
    matches = [(v, n) for v, n in counts.items() if not letters or letters in fold_name(v)]
    matches.sort(key=lambda match: (-match[1], match[0]))
    return ColumnValues(
        values=[ValueCount(value=value, records=records) for value, records in matches[:limit]],
        distinct=len(matches),
    )


# ---------------------------------------------------------------------- taxonomies


class BundledTaxonomy(BaseModel):
    """A bundled taxonomy."""

    name: str
    about: str
    there: bool = Field(description="False if a package must be installed first.")


class TaxonomyFile(BaseModel):
    """A file in the working folder that may contain a taxonomy."""

    name: str
    bytes: int


class TaxonomyChoices(BaseModel):
    """The taxonomies and distance measures to choose from."""

    bundled: list[BundledTaxonomy]
    files: list[TaxonomyFile]
    measures: list[str]


@router.get("/taxonomies")
def list_taxonomies(bench: Bench) -> TaxonomyChoices:
    """The bundled taxonomies, and the files in the folder that may contain one."""
    has_extra = bool(find_spec("simple_icd_10_cm"))
    installed = [name for name in KNOWN_TAXONOMIES if has_extra or name not in WITH_EXTRA]
    return TaxonomyChoices(
        bundled=[
            BundledTaxonomy(name=name, about=BUNDLED_DESCRIPTIONS[name], there=name in installed)
            for name in KNOWN_TAXONOMIES
        ],
        files=[
            TaxonomyFile(name=path.name, bytes=path.stat().st_size)
            for path in bench.folder.taxonomies()
            if path.name != bench.data
        ],
        measures=list(MEASURES),
    )


class BuildTaxonomyRequest(RequestModel):
    """A taxonomy to build from the values of a column."""

    column: str = Field(max_length=1000)
    how: Literal["paths", "prefixes", "flat", "outline"] = Field(
        description="paths: values list their ancestors; prefixes: the first characters of values "
        "are their groups; flat: all values below one root; outline: edited by hand."
    )
    separator: str | None = Field(
        None, min_length=1, max_length=10, description="For paths: the separator of the steps."
    )
    lengths: list[Annotated[int, Field(ge=1, le=1000)]] | None = Field(
        None, max_length=20, description="For prefixes: their lengths."
    )
    outline: str | None = Field(
        None, max_length=1_000_000, description="One name per line, children indented."
    )


class BuiltTaxonomy(BaseModel):
    """The file of a new taxonomy, and the values that have no concept in it."""

    file: str
    concepts: int
    left_over: list[ValueCount]
    left_over_values: int


@router.post("/taxonomies", status_code=201)
def build_taxonomy(request: BuildTaxonomyRequest, bench: Bench) -> BuiltTaxonomy:
    """Build a taxonomy from the values of a column; no existing file is overwritten."""
    counts = bench.values(request.column)
    written = _write_taxonomy(bench, request, _make_taxonomy(bench, request, counts), counts)
    return BuiltTaxonomy(
        file=written.file.name,
        concepts=len(written.taxonomy),
        left_over=[
            ValueCount(value=match.value, records=match.count)
            for match in written.left_over[:MAX_LEFT_OVER]
        ],
        left_over_values=len(written.left_over),
    )


def _make_taxonomy(
    bench: Workbench, request: BuildTaxonomyRequest, counts: dict[str, int]
) -> Taxonomy:
    if request.how != "outline":
        return means.taxonomy_of_values(
            counts, request.how, separator=request.separator or "|", lengths=request.lengths or ()
        )
    if request.outline is None:
        raise ParameterError("the outline is missing", "enter one name per line")
    own = _own_taxonomy(bench, request.column)
    labels = {c: own.labels(c) for c in own if own.labels(c)} if own is not None else {}
    return means.read_outline(request.outline, labels)


def _write_taxonomy(
    bench: Workbench, request: BuildTaxonomyRequest, taxonomy: Taxonomy, counts: dict[str, int]
) -> means.SavedTaxonomy:
    """Write a taxonomy to a file; refused if values of the column have no concept in it."""
    names = [column.name for column in bench.opened().profile.columns]
    number = names.index(bench.table_columns(request.column)[0]) + 1
    plain_file = means.taxonomy_path(bench.draft.path, number, request.column)
    file = means.free_taxonomy_path(plain_file, taxonomy)
    is_complete = request.how != "outline"
    return means.save_taxonomy(taxonomy, file, counts, force=file.exists(), complete=is_complete)


def _own_taxonomy(bench: Workbench, name: str) -> Taxonomy | None:
    """The taxonomy of a column if it is in a file that can be read."""
    if bench.column(name).get("taxonomy") in (None, *KNOWN_TAXONOMIES):
        return None
    try:
        return load_meaning(bench, name).meaning.taxonomy
    except OntomaskError:
        return None


class TaxonomyOutline(BaseModel):
    """A taxonomy as an outline: one name per line, children indented below their parents."""

    outline: str
    file: str | None = Field(description="Its file; None if it was made from the values.")
    left_over: list[ValueCount] = Field(description="Values of the column that are not in it.")


@router.get("/columns/{name:path}/outline")
def get_outline(name: ColumnName, bench: Bench, afresh: bool = False) -> TaxonomyOutline:
    """The taxonomy of a column for editing; without one, or if ``afresh``, its plain values."""
    fields = bench.column(name)
    if afresh or fields.get("taxonomy") in (None, *KNOWN_TAXONOMIES):
        flat = means.taxonomy_of_values(bench.values(name), "flat")
        return TaxonomyOutline(outline=means.outline_of(flat), file=None, left_over=[])
    column_meaning = load_meaning(bench, name).meaning
    return TaxonomyOutline(
        outline=means.outline_of(column_meaning.taxonomy),
        file=str(fields["taxonomy"]),
        left_over=[
            ValueCount(value=match.value, records=match.count)
            for match in column_meaning.terms.lost[:MAX_LEFT_OVER]
            if not match.concepts
        ],
    )


# ---------------------------------------------------------------------- coverage


class CorrectedValue(BaseModel):
    """A value whose concept the user has assigned."""

    value: str
    records: int
    concept: str
    label: str


class ProposedSettings(BaseModel):
    """Settings that may help with values without a concept."""

    repair_codes: bool = Field(
        False, description="Restore zeros and decimal points that codes have lost."
    )
    missing_marks: list[str] = Field(
        [], description="Values that look like marks for missing values."
    )


class ColumnCoverage(BaseModel):
    """How many values of a column have a concept in its taxonomy."""

    coverage: float = Field(description="The share of records whose value has a concept.")
    records: int
    missing: int
    values: int
    concepts: int = Field(description="Concepts of the taxonomy.")
    root: means.NamedConcept
    levels: int
    flat: bool = Field(description="Whether all concepts are children of the root.")
    repairs: bool = Field(
        description="Whether lost zeros and decimal points of codes can be restored."
    )
    proposed: ProposedSettings
    notes: list[str]
    ways: list[means.ReadingCount]
    lost: list[means.UnmappedTerm] = Field(
        description="The most frequent values without a concept."
    )
    lost_values: int
    lost_records: int
    corrected: list[CorrectedValue]


@router.get("/columns/{name:path}/meaning")
def get_coverage(
    name: ColumnName, bench: Bench, limit: Annotated[int, Query(ge=0, le=200)] = 50
) -> ColumnCoverage:
    """Coverage by kind of match, and the values without a concept with the nearest ones."""
    loaded = load_meaning(bench, name)
    column_meaning, terms = loaded.meaning, loaded.meaning.terms
    taxonomy, lost = column_meaning.taxonomy, terms.lost
    return ColumnCoverage(
        coverage=column_meaning.coverage,
        records=column_meaning.records,
        missing=column_meaning.missing,
        values=len(terms.matches),
        concepts=len(taxonomy),
        root=means.NamedConcept(taxonomy.root, taxonomy.label(taxonomy.root)),
        levels=taxonomy.height,
        flat=taxonomy.is_flat,
        repairs=taxonomy.about.code_style is not None,
        proposed=ProposedSettings.model_validate(terms.advice().settings if lost and limit else {}),
        notes=list(loaded.notes),
        ways=column_meaning.count_readings(),
        lost=column_meaning.lost(limit),
        lost_values=len(lost),
        lost_records=sum(match.count for match in lost),
        corrected=[
            CorrectedValue(
                value=match.value,
                records=match.count,
                concept=match.concept,
                label=taxonomy.label(match.concept),
            )
            for match in terms.matches
            if match.kind == "correction" and match.concept is not None
        ][:1000],
    )


class AcceptedSuggestions(BaseModel):
    """Suggestions that are clear and have a high score; nothing is assigned."""

    accepted: list[means.AcceptedTerm]


@router.get("/columns/{name:path}/accepted")
def list_accepted(
    name: ColumnName, bench: Bench, least: Annotated[float, Query(gt=0, le=1)] = 0.8
) -> AcceptedSuggestions:
    """The unmapped values whose best suggestion has at least this score."""
    return AcceptedSuggestions(accepted=load_meaning(bench, name).meaning.accept(least))


# ---------------------------------------------------------------------- concepts


class ConceptMatches(BaseModel):
    """Concepts found by name, the closest names first."""

    concepts: list[means.ConceptHit]


@router.get("/columns/{name:path}/concepts")
def search_concepts(
    name: ColumnName,
    bench: Bench,
    search: SearchText,
    limit: Annotated[int, Query(ge=1, le=100)] = 12,
) -> ConceptMatches:
    """Concepts of the column's taxonomy by (part of) a name, with their paths."""
    return ConceptMatches(concepts=load_meaning(bench, name).meaning.search(search, limit))


@router.get("/columns/{name:path}/concept")
def get_concept(name: ColumnName, bench: Bench, identifier: ValueText) -> means.ConceptFacts:
    """Details of a concept: its place, its parents and children, and its records."""
    try:
        return load_meaning(bench, name).meaning.facts(identifier)
    except UnknownConceptError as error:
        raise NotThere(error.message, error.hint) from None


@router.get("/columns/{name:path}/masses")
def get_masses(
    name: ColumnName, bench: Bench, limit: Annotated[int, Query(ge=1, le=10_000)] = 3000
) -> means.BranchCounts:
    """The part of the taxonomy that has records, as a tree with their counts."""
    return load_meaning(bench, name).meaning.count_branches(limit)


@router.get("/columns/{name:path}/distance")
def measure_distance(
    name: ColumnName, bench: Bench, first: ValueText, second: ValueText
) -> means.ValueDistance:
    """The distance between two values of the column, and how it is computed."""
    return load_meaning(bench, name).meaning.apart(first, second)
