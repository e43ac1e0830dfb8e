"""What the values of a column mean: taxonomies, coverage, concepts, distances."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi import Path as InPath
from pydantic import BaseModel, Field

from ontomask.distances import MEASURES
from ontomask.errors import OntomaskError, ParameterError, TaxonomyError, UnknownConceptError
from ontomask.pipeline import meaning as means
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.names import folded
from ontomask.taxonomy.readers.bundled import KNOWN, WITH_EXTRA
from ontomask.web.asking import Asked, Bench
from ontomask.web.errors import NotThere
from ontomask.web.meanings import known_of
from ontomask.web.session import Workbench

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["meaning"])

#: A column by its name, which may hold any sign, a slash too.
Column = Annotated[str, InPath(max_length=1000)]
Text = Annotated[str, Query(max_length=200)]
Value = Annotated[str, Query(max_length=20_000)]

#: So many values that an outline lacks are named.
MOST_LEFT = 500

BUNDLED = {
    "icd9cm": "ICD-9-CM diagnoses: what American hospitals coded until 2015.",
    "icd9cm-procedures": "ICD-9-CM procedures: operations and treatments.",
    "wordnet": "WordNet nouns: 82,000 things of everyday English, for words in free text.",
    "icd10cm": "ICD-10-CM diagnoses: what American hospitals code now.",
}


# ---------------------------------------------------------------------- values


class Held(BaseModel):
    """A value and how many records hold it."""

    value: str
    records: int


class Values(BaseModel):
    """Values of a column, the most frequent first."""

    values: list[Held]
    distinct: int = Field(description="How many there are, beyond those listed.")


@router.get("/columns/{name:path}/values")
def values(
    name: Column, bench: Bench, search: Text = "", limit: Annotated[int, Query(ge=1, le=5000)] = 100
) -> Values:
    """The values of a column, or those that hold some letters, with their counts."""
    counts = bench.opened().values(bench.known(name))
    wanted = folded(search)
    found = [(v, n) for v, n in counts.items() if not wanted or wanted in folded(v)]
    found.sort(key=lambda it: (-it[1], it[0]))
    return Values(
        values=[Held(value=value, records=records) for value, records in found[:limit]],
        distinct=len(found),
    )


# ---------------------------------------------------------------------- taxonomies


class BundledTaxonomy(BaseModel):
    """A taxonomy that is known by its name."""

    name: str
    about: str
    there: bool = Field(description="False where an extra must be installed first.")


class TaxonomyFile(BaseModel):
    """A file of the working folder that may hold a taxonomy."""

    name: str
    bytes: int


class Taxonomies(BaseModel):
    """What can be chosen as the taxonomy of a column, and as the measure of its distances."""

    bundled: list[BundledTaxonomy]
    files: list[TaxonomyFile]
    measures: list[str]


@router.get("/taxonomies")
def taxonomies(bench: Bench) -> Taxonomies:
    """The bundled taxonomies, and the files of the folder that may hold one."""
    there = {name: name not in WITH_EXTRA or bool(find_spec("simple_icd_10_cm")) for name in KNOWN}
    return Taxonomies(
        bundled=[
            BundledTaxonomy(name=name, about=BUNDLED[name], there=there[name]) for name in KNOWN
        ],
        files=[
            TaxonomyFile(name=it.name, bytes=it.stat().st_size)
            for it in bench.folder.taxonomies()
            if it.name != bench.data
        ],
        measures=list(MEASURES),
    )


class Building(Asked):
    """A taxonomy to be made of the values of a column."""

    column: str = Field(max_length=1000)
    how: Literal["paths", "prefixes", "flat", "outline"] = Field(
        description="paths: values are ways from the top; prefixes: their first letters say where "
        "they belong; flat: all below one root; outline: as it was typed."
    )
    separator: str | None = Field(
        None, min_length=1, max_length=10, description="Of paths: what stands between two steps."
    )
    lengths: list[Annotated[int, Field(ge=1, le=1000)]] | None = Field(
        None, max_length=20, description="Of prefixes: how long they are."
    )
    outline: str | None = Field(
        None, max_length=1_000_000, description="One name per line, children indented."
    )


class Built(BaseModel):
    """The file that holds a new taxonomy, and the values that it has no concept for."""

    file: str
    concepts: int
    left_over: list[Held]
    left_over_values: int


@router.post("/taxonomies", status_code=201)
def build(asked: Building, bench: Bench) -> Built:
    """Make a taxonomy of the values of a column, in a file of the folder; none is overwritten."""
    counts = bench.opened().values(bench.known(asked.column))
    made = _written(bench, asked, _made(bench, asked, counts), counts)
    return Built(
        file=made.file.name,
        concepts=len(made.taxonomy),
        left_over=[Held(value=it.value, records=it.count) for it in made.left_over[:MOST_LEFT]],
        left_over_values=len(made.left_over),
    )


def _made(bench: Workbench, asked: Building, counts: dict[str, int]) -> Taxonomy:
    if asked.how != "outline":
        return means.of_values(
            counts, asked.how, separator=asked.separator or "|", lengths=asked.lengths or ()
        )
    if asked.outline is None:
        raise ParameterError("no outline is given", "type one name per line")
    own = _own_taxonomy(bench, asked.column)
    labels = {c: own.labels(c) for c in own if own.labels(c)} if own is not None else {}
    return means.read_outline(asked.outline, labels)


def _written(
    bench: Workbench, asked: Building, taxonomy: Taxonomy, counts: dict[str, int]
) -> means.Made:
    number = [it.name for it in bench.opened().profile.columns].index(asked.column) + 1
    plain = means.taxonomy_file(bench.draft.path, number, asked.column)
    file = means.free_file(plain, taxonomy)
    was_there = file.exists()
    made = means.write_made(taxonomy, file, counts, force=was_there)
    if made.left_over and asked.how != "outline":
        if not was_there:
            file.unlink(missing_ok=True)
        some = ", ".join(repr(it.value[:60]) for it in made.left_over[:3])
        raise TaxonomyError(
            f"the values make no taxonomy in this way: {some} would have no concept of their own",
            "try another way, or type the taxonomy as an outline",
        )
    return made


def _own_taxonomy(bench: Workbench, name: str) -> Taxonomy | None:
    """The taxonomy that a column has in a file, where it has one that can be read."""
    if bench.column(name).get("taxonomy") in (None, *KNOWN):
        return None
    try:
        return known_of(bench, name).meaning.taxonomy
    except OntomaskError:
        return None


class Outline(BaseModel):
    """A taxonomy as an outline: one name per line, children indented below their parents."""

    outline: str
    file: str | None = Field(description="Where it is from; None where it is of the values alone.")
    left_over: list[Held] = Field(description="Values of the column that it does not have.")


@router.get("/columns/{name:path}/outline")
def outline(name: Column, bench: Bench, afresh: bool = False) -> Outline:
    """The column's own taxonomy to be edited; where it has none, or afresh, its bare values."""
    fields = bench.column(name)
    if afresh or fields.get("taxonomy") in (None, *KNOWN):
        bare = means.of_values(bench.opened().values(name), "flat")
        return Outline(outline=means.outline_of(bare), file=None, left_over=[])
    found = known_of(bench, name).meaning
    return Outline(
        outline=means.outline_of(found.taxonomy),
        file=str(fields["taxonomy"]),
        left_over=[
            Held(value=it.value, records=it.count)
            for it in found.terms.lost[:MOST_LEFT]
            if not it.concepts
        ],
    )


# ---------------------------------------------------------------------- coverage


class Way(BaseModel):
    """A kind of name by which values found their concepts."""

    how: str
    values: int
    records: int


class Corrected(BaseModel):
    """A value whose concept was said by hand."""

    value: str
    records: int
    concept: str
    label: str


class ColumnMeans(BaseModel):
    """How far the taxonomy of a column knows its values."""

    coverage: float = Field(description="The share of records whose value has a concept.")
    records: int
    missing: int
    values: int
    concepts: int = Field(description="Concepts of the taxonomy.")
    root: means.Named
    levels: int
    repairs: bool = Field(description="Whether codes that lost zeros or the point can be mended.")
    hint: str = Field(description="What to do about the values without a concept.")
    notes: list[str]
    ways: list[Way]
    lost: list[means.Lost] = Field(description="The most frequent values without a concept.")
    lost_values: int
    lost_records: int
    corrected: list[Corrected]


@router.get("/columns/{name:path}/meaning")
def meaning(
    name: Column, bench: Bench, limit: Annotated[int, Query(ge=0, le=200)] = 50
) -> ColumnMeans:
    """Coverage by kind of match, and the values without a concept with the nearest ones."""
    known = known_of(bench, name)
    found, terms = known.meaning, known.meaning.terms
    tax, lost = found.taxonomy, terms.lost
    return ColumnMeans(
        coverage=found.coverage,
        records=found.records,
        missing=found.missing,
        values=len(terms.matches),
        concepts=len(tax),
        root=means.Named(tax.root, tax.label(tax.root)),
        levels=tax.height,
        repairs=tax.about.code_style is not None,
        hint=terms.hint().replace("corrections=", "mapping: ") if lost and limit else "",
        notes=list(known.notes),
        ways=[Way(how=how, values=n, records=records) for how, n, records in found.ways()],
        lost=found.lost(limit),
        lost_values=len(lost),
        lost_records=sum(it.count for it in lost),
        corrected=[
            Corrected(
                value=it.value, records=it.count, concept=it.concept, label=tax.label(it.concept)
            )
            for it in terms.matches
            if it.how == "correction" and it.concept is not None
        ][:1000],
    )


# ---------------------------------------------------------------------- concepts


class Concepts(BaseModel):
    """Concepts found by name, the closest names first."""

    concepts: list[means.Found]


@router.get("/columns/{name:path}/concepts")
def concepts(
    name: Column, bench: Bench, search: Text, limit: Annotated[int, Query(ge=1, le=100)] = 12
) -> Concepts:
    """Concepts of the column's taxonomy by (part of) a name, with the way from the root."""
    return Concepts(concepts=known_of(bench, name).meaning.search(search, limit))


@router.get("/columns/{name:path}/concept")
def concept(name: Column, bench: Bench, identifier: Value) -> means.Facts:
    """What is known of a concept: its place, what is beside it, and the records it holds."""
    try:
        return known_of(bench, name).meaning.facts(identifier)
    except UnknownConceptError as error:
        raise NotThere(error.message, error.hint) from None


@router.get("/columns/{name:path}/masses")
def masses(
    name: Column, bench: Bench, limit: Annotated[int, Query(ge=1, le=10_000)] = 3000
) -> means.Masses:
    """The part of the taxonomy that holds records, as a tree with their numbers."""
    return known_of(bench, name).meaning.masses(limit)


@router.get("/columns/{name:path}/distance")
def distance(name: Column, bench: Bench, first: Value, second: Value) -> means.Apart:
    """How far apart two values of the column are, and why."""
    return known_of(bench, name).meaning.apart(first, second)
