"""Sets of diagnoses: all codes of a stay or of a patient, grouped by meaning."""

from __future__ import annotations

import csv
import gzip
import os
from collections import Counter
from dataclasses import replace
from math import log, log2
from pathlib import Path
from time import process_time

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import ontomask as om
from benchmarks._measuring import CannotRun, unit
from ontomask.methods.microaggregation.linked import LinkedPeople, link_people
from ontomask.methods.microaggregation.sets import SetColumn, SetGrouping, mdav_sets, merge_sets
from ontomask.methods.operators import Operators
from ontomask.methods.recoding.combinations import recode_combinations
from ontomask.microdata.attributes import NominalAttribute, NumericalAttribute
from ontomask.microdata.missing_values import NominalOrMissing
from ontomask.microdata.sets import (
    ConceptSets,
    DistinctSets,
    closures,
    distinct_sets,
    reduce_to_deepest,
    set_distances,
)
from ontomask.microdata.sets.combinations import count_combinations
from ontomask.microdata.tuples import count_tuples
from ontomask.pipeline.evaluation import evaluate_plan

Longs = NDArray[np.int64]

COLUMNS = ("diag_1", "diag_2", "diag_3")
K = 5
MILLION = 1_000_000


def diabetes_rows() -> list[dict[str, str]]:
    """The records of ``diabetes_130.csv.gz``."""
    folder = os.environ.get("ONTOMASK_DATA")
    if not folder or not (path := Path(folder) / "diabetes_130.csv.gz").exists():
        raise CannotRun("ONTOMASK_DATA does not name a folder with diabetes_130.csv.gz")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def code_sets(of: str) -> tuple[om.Taxonomy, ConceptSets]:
    """The diagnoses of each complete stay, or all diagnoses of each patient."""
    rows, icd9 = diabetes_rows(), om.load_taxonomy("icd9cm")
    codes = sorted({row[column] for row in rows for column in COLUMNS} - {"?"})
    concepts = om.map_terms(codes, icd9, repair_codes=True).apply(codes)
    number = {c: icd9.code(concept) for c, concept in zip(codes, concepts, strict=True) if concept}
    if of == "stays":
        rows = [row for row in rows if all(row[column] in number for column in COLUMNS)]
        owner = {id(row): place for place, row in enumerate(rows)}
        keys = [owner[id(row)] for row in rows]
    else:
        person: dict[str, int] = {}
        keys = [person.setdefault(row["patient_nbr"], len(person)) for row in rows]
    pairs = [
        (key, number[row[column]])
        for key, row in zip(keys, rows, strict=True)
        for column in COLUMNS
        if row[column] in number
    ]
    who, concept = np.array(pairs).T
    return icd9, ConceptSets.from_pairs(who, concept, max(keys) + 1)


def part_of(sets: ConceptSets, size: int) -> ConceptSets:
    """Some of the sets, drawn at random."""
    places = np.random.default_rng(0).permutation(len(sets))[:size]
    return sets.take(np.sort(places))


def resampled(sets: ConceptSets, size: int, codes: int | None = None) -> ConceptSets:
    """Sets of people drawn at random, each with one code of somebody else's.

    With ``codes``, several people's codes are put together, and each set has so many of them.
    """
    random = np.random.default_rng(0)
    filled = sets.take(np.flatnonzero(sets.sizes()))
    drawn = filled.take(random.integers(0, len(filled), size))
    if codes is None:
        concepts = drawn.concepts.copy()
        at = drawn.offsets[:-1] + (random.random(size) * drawn.sizes()).astype(np.int64)
        concepts[at] = random.choice(filled.concepts, size)
        return ConceptSets.from_pairs(drawn.owners(), concepts, size)
    while drawn.sizes().min() < codes:
        more = filled.take(random.integers(0, len(filled), size))
        drawn = ConceptSets.from_pairs(
            np.concatenate([drawn.owners(), more.owners()]),
            np.concatenate([drawn.concepts, more.concepts]),
            size,
        )
    owner = drawn.owners()
    order = np.lexsort((random.random(len(owner)), owner))
    chosen = order[np.arange(len(owner)) - drawn.offsets[owner] < codes]
    return ConceptSets.from_pairs(owner[chosen], drawn.concepts[chosen], size)


class SetGroups:
    """How long does it take to group sets of diagnoses, and what does it lose?

    Three diagnoses of 100,244 stays, and all diagnoses of 71,518 patients; k = 5. The figure is the
    summed squared distance of records to their centroids.
    """

    param_names = ("algorithm", "sets of")
    params = (["merge", "mdav"], ["stays", "patients"])

    def setup(self, algorithm: str, of: str) -> None:
        self.taxonomy, self.sets = code_sets(of)
        self.group(algorithm, part_of(self.sets, 4_000))  # compiled

    def group(self, algorithm: str, sets: ConceptSets) -> tuple[DistinctSets, SetGrouping]:
        distinct = distinct_sets(sets)
        columns = [SetColumn(self.taxonomy, distinct.sets)]
        group = merge_sets if algorithm == "merge" else mdav_sets
        return distinct, group(columns, distinct.counts, K, centroid="best")

    def cost_group(self, algorithm: str, of: str) -> None:
        self.group(algorithm, self.sets)

    @unit("SSE")
    def track_loss(self, algorithm: str, of: str) -> float:
        return self.group(algorithm, self.sets)[1].cost


class SetEvaluation:
    """How long does it take to evaluate a release of sets, and how much memory?

    All diagnoses of 71,518 patients; k = 5.
    """

    timeout = 600

    def setup(self) -> None:
        icd9, sets = code_sets("patients")
        names = icd9.identifiers
        cells = [[names[concept] for concept in held] for held in sets.lists()]
        schema = om.Schema([om.NominalSet("diagnoses", icd9)])
        table = pa.table({"diagnoses": pa.array(cells, pa.list_(pa.string()))})
        self.plan = om.mask(table, schema, om.Microaggregation(k=K)).transitions

    def cost_evaluate(self) -> None:
        evaluate_plan(replace(self.plan), K)  # a copy, of which nothing is known yet


class MaskedSets:
    """How long does ``om.mask`` take for a table with a column of sets, and what does it lose?

    Three diagnoses of 100,244 stays, and all diagnoses of 71,518 patients, as text; k = 5. The
    figures are the summed squared distance and the smallest class, both of the released table by
    the plain definitions.
    """

    param_names = ("sets of",)
    params = (["stays", "patients"],)
    timeout = 600

    def setup(self, of: str) -> None:
        self.taxonomy, sets = code_sets(of)
        names = self.taxonomy.identifiers
        cells = [";".join(names[code] for code in one) or ";" for one in sets.lists()]
        self.table = pa.table({"diagnoses": cells})
        self.mask(self.table.slice(0, 5_000))  # compiled

    def mask(self, table: pa.Table) -> list[str]:
        schema = om.Schema([om.NominalSet("diagnoses", self.taxonomy)])
        release = om.mask(table, schema, om.Microaggregation(k=K), seed=1 << 70)
        released: list[str] = release.data["diagnoses"].to_pylist()
        return released

    def cost_mask(self, of: str) -> None:
        self.mask(self.table)

    @unit("SSE")
    def track_loss(self, of: str) -> float:
        pairs = Counter(
            zip(self.table["diagnoses"].to_pylist(), self.mask(self.table), strict=True)
        )
        total = 0.0
        for (before, after), records in pairs.items():
            a, b = self.closure(before), self.closure(after)
            if a | b:
                total += records * log2(1 + len(a ^ b) / len(a | b)) ** 2
        return total

    def closure(self, cell: str) -> frozenset[str]:
        """All that a cell says, by the ancestors of its parts."""
        parts = (self.taxonomy.ancestors(part) for part in cell.split(";") if part)
        return frozenset().union(*parts)

    @unit("records")
    def track_smallest(self, of: str) -> float:
        return min(Counter(self.mask(self.table)).values())


class RareCombinations:
    """How long does it take to recode sets so that no combination of m diagnoses is rare?

    All diagnoses of 71,518 patients; k = 5. The figures are the summed squared distance and the
    combinations that fewer than k patients still show, counted by other code.
    """

    param_names = ("m",)
    params = ([1, 2, 3],)

    def setup(self, m: int) -> None:
        self.taxonomy, self.sets = code_sets("patients")
        self.recode(part_of(self.sets, 2_000), m)  # compiled

    def recode(self, sets: ConceptSets, m: int) -> tuple[Longs, ConceptSets, ConceptSets]:
        """How many patients have each set, its closure, and what is left of it."""
        distinct = distinct_sets(sets)
        original = closures(self.taxonomy, distinct.sets)
        parents = self.taxonomy.parent_links
        recoded = recode_combinations(original, parents, distinct.counts, K, m)
        return distinct.counts, original, recoded

    def cost_recode(self, m: int) -> None:
        self.recode(self.sets, m)

    @unit("SSE")
    def track_loss(self, m: int) -> float:
        counts, original, recoded = self.recode(self.sets, m)
        return float(counts @ set_distances(original, recoded) ** 2)

    @unit("rare combinations")
    def track_rare(self, m: int) -> float:
        counts, _, recoded = self.recode(self.sets, m)
        shown = reduce_to_deepest(self.taxonomy, recoded)
        return sum(counted.rare for counted in count_combinations(shown, counts, K, m))


class LinkedRows:
    """How long does it take to group linked people, and what does it lose?

    71,518 patients with 101,766 stays: a diagnosis, an age and a discharge disposition; k = 5, and
    a link price of 0.3. The figures are the summed squared distance of the stays that are kept, and
    the links between stays of a patient that are broken or lost, of 30,248.
    """

    param_names = ("linked",)
    params = (["equal", "drop", "split"],)

    def setup(self, linked: str) -> None:
        rows, icd9 = diabetes_rows(), om.load_taxonomy("icd9cm")
        values = [row["diag_1"] for row in rows]
        concepts = om.map_terms(values, icd9, repair_codes=True).apply(values)
        known = sorted({str(concept) for concept in concepts if concept is not None})
        ways = sorted({row["discharge_disposition_id"] for row in rows})
        flat = om.Taxonomy.from_edges([(way, "any") for way in ways])
        attributes = [
            NominalOrMissing("diag_1", icd9.domain(known), known),
            NumericalAttribute("age", np.arange(10.0), median=True),
            NominalAttribute("disposition", flat, ways, measure=is_different),
        ]
        place = {concept: number for number, concept in enumerate(known)}
        codes = [
            np.array([place.get(str(concept), len(known)) for concept in concepts]),
            np.array([int(row["age"][1:].split("-")[0]) // 10 for row in rows]),
            np.array([ways.index(row["discharge_disposition_id"]) for row in rows]),
        ]
        tuples, self.record_tuple = count_tuples(attributes, codes)
        self.operators = Operators(tuples)
        numbers = [int(row["patient_nbr"]) for row in rows]
        self.person = np.unique(numbers, return_inverse=True)[1].ravel()
        self.link(linked, np.flatnonzero(self.person % 12 == 0))  # compiled

    def link(self, linked: str, records: Longs) -> LinkedPeople:
        return link_people(
            self.operators,
            self.record_tuple[records],
            self.person[records],
            K,
            linked=linked,  # type: ignore[arg-type]
            centroid="best",
        )

    def cost_link(self, linked: str) -> None:
        self.link(linked, np.arange(len(self.person)))

    @unit("SSE")
    def track_loss(self, linked: str) -> float:
        return self.link(linked, np.arange(len(self.person))).cost

    @unit("links")
    def track_broken(self, linked: str) -> float:
        released = self.link(linked, np.arange(len(self.person)))
        pseudonyms = len(np.unique(released.pseudonym))
        return pseudonyms - len(np.unique(self.person)) + released.dropped


class LinkedRowsWithSets:
    """How long does ``om.mask`` take for linked rows that hold sets, and what does it lose?

    71,518 patients with 101,766 stays: the set of three diagnoses, the age and the sex; k = 5 and a
    link price of 0.3. The figures are the summed squared distance and the smallest class of
    pseudonyms with the same rows, by recount.
    """

    param_names = ("linked",)
    params = (["equal", "split"],)
    timeout = 600

    def setup(self, linked: str) -> None:
        rows, self.taxonomy = diabetes_rows(), om.load_taxonomy("icd9cm")
        columns = {
            name: [row[name] for row in rows] for name in ("patient_nbr", *COLUMNS, "gender")
        }
        ages = [int(row["age"][1:].split("-")[0]) for row in rows]
        self.table = pa.table({**columns, "age": ages})
        self.mask(linked, self.table.slice(0, 10_000))  # compiled

    def mask(self, linked: str, table: pa.Table) -> om.Release:
        sexes = sorted(set(self.table["gender"].to_pylist()))
        schema = om.Schema(
            [
                om.NominalSet("diagnoses", self.taxonomy, columns=COLUMNS, repair_codes=True),
                om.Nominal("gender", om.Taxonomy.from_edges([(sex, "any") for sex in sexes])),
                om.Numeric("age"),
            ],
            person="patient_nbr",
            linked=linked,  # type: ignore[arg-type]
            missing="category",
            missing_marks=["?"],
        )
        return om.mask(table, schema, om.Microaggregation(k=K), seed=1 << 70)

    def cost_mask(self, linked: str) -> None:
        self.mask(linked, self.table)

    @unit("SSE")
    def track_loss(self, linked: str) -> float:
        return float(self.mask(linked, self.table).evaluation.utility["sse"])

    @unit("pseudonyms")
    def track_smallest(self, linked: str) -> float:
        bags: dict[str, Counter[tuple[object, ...]]] = {}
        for row in self.mask(linked, self.table).data.to_pylist():
            bags.setdefault(row.pop("patient_nbr"), Counter())[tuple(row.values())] += 1
        return min(Counter(frozenset(bag.items()) for bag in bags.values()).values())


def is_different(taxonomy: om.Taxonomy, a: str, b: str) -> float:
    """1 for different words."""
    return float(a != b)


class SetGroupsOfAMillion(SetGroups):
    """Can the sets of a million people with ten diagnoses each be grouped?

    Made up: the diagnoses of several patients of ``diabetes_130``, put together.
    """

    param_names = ("algorithm", "sets of")
    params = (["merge"], ["patients"])
    timeout = 3_600

    def setup(self, algorithm: str, of: str) -> None:
        super().setup(algorithm, of)
        self.sets = resampled(self.sets, MILLION, codes=10)

    def cost_group(self, algorithm: str, of: str) -> None:
        self.group(algorithm, self.sets)


class GrowthOfSetGroups(SetGroups):
    """How does merging of sets grow with the number of distinct sets?

    The figure is the exponent of the processor time: from an eighth of the records to all, and
    from 71,518 resampled patients to four times as many.
    """

    param_names = ("algorithm", "sets of")
    params = (["merge"], ["stays", "patients", "resampled patients"])
    timeout = 600

    def setup(self, algorithm: str, of: str) -> None:
        super().setup(algorithm, of.split()[-1])
        people = len(self.sets)
        self.small = part_of(self.sets, people // 8)
        if of.startswith("resampled"):
            self.small, self.sets = resampled(self.sets, people), resampled(self.sets, 4 * people)

    @unit("exponent")
    def track_growth(self, algorithm: str, of: str) -> float:
        figures = []
        for sets in (self.small, self.sets):
            begun = process_time()
            distinct, _ = self.group(algorithm, sets)
            figures.append((process_time() - begun, len(distinct.sets)))
        (few_seconds, few), (seconds, many) = figures
        return log(seconds / few_seconds) / log(many / few)
