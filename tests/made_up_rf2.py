"""A made-up release in the form of SNOMED CT (RF2): no line of it is anybody's content.

Deterministic for a size: concepts with one to three parents, inactive rows of every kind, two
language reference sets that disagree, and the files that a reader must not read: the full history
and stated relationships.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

DATE = "20240101"
IS_A, FINDING_SITE = 116680003, 363698007
FULL_NAME, SYNONYM = 900000000000003001, 900000000000013009
PREFERRED, ACCEPTABLE = 900000000000548007, 900000000000549004
US, GB = 900000000000509007, 900000000000508004
MODULE, DEFINED, CASE, INFERRED, SOME = (
    900000000000207008,
    900000000000074008,
    900000000000448009,
    900000000000011006,
    900000000000451002,
)
HEADER = {
    "Concept": "id effectiveTime active moduleId definitionStatusId",
    "Description": "id effectiveTime active moduleId conceptId languageCode typeId term "
    "caseSignificanceId",
    "Relationship": "id effectiveTime active moduleId sourceId destinationId relationshipGroup "
    "typeId characteristicTypeId modifierId",
    "Language": "id effectiveTime active moduleId refsetId referencedComponentId acceptabilityId",
}
NAMES = {
    "Concept": "Terminology/sct2_Concept_{}_INT_{}.txt",
    "Description": "Terminology/sct2_Description_{}-en_INT_{}.txt",
    "Relationship": "Terminology/sct2_Relationship_{}_INT_{}.txt",
    "Language": "Refset/Language/der2_cRefset_Language{}-en_INT_{}.txt",
}


def concept_number(place: int) -> int:
    """The number of a concept; the first is the root."""
    return 100_000_007 + 10 * place


def parents_of(size: int, seed: int = 0) -> list[list[int]]:
    """The parents of each concept by place: any made before, early ones more often."""
    random = np.random.default_rng(seed)
    place = np.arange(size)
    above = [(place * random.random(size) ** 2).astype(int).tolist() for _ in range(3)]
    several = random.choice([1, 2, 3], size=size, p=[0.6, 0.22, 0.18]).tolist()
    every = [sorted({row[c] for row in above[: several[c]]}) for c in range(size)]
    return [[], *every[1:]]


def write(folder: Path, concepts: int, *, language_sets: bool = True, decoys: bool = True) -> None:
    """A release of so many active concepts; a quarter as many are inactive."""
    rows = made_up_rows(concepts)
    if not language_sets:
        del rows["Language"]
    for kind, lines in rows.items():
        write_table(folder, kind, lines)
        if decoys:  # the same rows once more with another history: reading both would show
            write_table(folder, kind, lines[: len(lines) // 2], "Full")
    if decoys:
        stated = folder / f"Snapshot/Terminology/sct2_StatedRelationship_Snapshot_INT_{DATE}.txt"
        stated.write_text("not to be read\n", encoding="utf-8")


def write_table(
    folder: Path, kind: str, lines: list[str], type: str = "Snapshot", date: str = DATE
) -> Path:
    """One file of a release, at its usual place; lines end as they do in real ones."""
    path = folder / type / NAMES[kind].format(type, date)
    path.parent.mkdir(parents=True, exist_ok=True)
    header = HEADER[kind].replace(" ", "\t")
    path.write_bytes("\r\n".join([header, *lines, ""]).encode())
    return path


def made_up_rows(concepts: int) -> dict[str, list[str]]:
    """The lines of each table."""
    parents = parents_of(concepts)
    total = concepts + concepts // 4
    number = [concept_number(place) for place in range(total)]
    return {
        "Concept": [
            f"{n}\t20020131\t{int(c < concepts)}\t{MODULE}\t{DEFINED}" for c, n in enumerate(number)
        ],
        "Description": [line for c in range(total) for line in _descriptions(c, concepts)],
        "Relationship": [
            line for c in range(total) for line in _relationships(c, concepts, parents)
        ],
        "Language": [line for c in range(concepts) for line in _preferences(c)],
    }


def _descriptions(place: int, concepts: int) -> list[str]:
    """The full name and a synonym; every third concept has another, every fifth an old one."""
    terms = [(FULL_NAME, f"Made-up disorder {place} (disorder)", 1)]
    terms.append((SYNONYM, f"Made-up disorder {place}", 1))
    if place % 3 == 0:
        terms.append((SYNONYM, f"Disorder № {place}, made up", 1))
    if place % 5 == 0:
        terms.append((SYNONYM, f"Old name of {place}", 0))
    return [
        f"{1_000_000_015 + 100 * place + nth}\t20020131\t{active}\t{MODULE}\t"
        f"{concept_number(place)}\ten\t{kind}\t{term}\t{CASE}"
        for nth, (kind, term, active) in enumerate(terms)
    ]


def _relationships(place: int, concepts: int, parents: list[list[int]]) -> list[str]:
    """Active links to the parents, one that was, and something else that is no is-a."""
    rows = [(1, parent, IS_A) for parent in (parents[place] if place < concepts else [])]
    if place:
        rows.append((0, place // 2, IS_A))
        rows.append((1, 0, FINDING_SITE))
    return [
        f"{2_000_000_025 + 100 * place + nth}\t20020131\t{active}\t{MODULE}\t"
        f"{concept_number(place)}\t{concept_number(other)}\t0\t{kind}\t{INFERRED}\t{SOME}"
        for nth, (active, other, kind) in enumerate(rows)
    ]


def _preferences(place: int) -> list[str]:
    """Both sets accept all terms; British English prefers the other synonym where there is one."""
    lines = []
    for refset in (GB, US):
        for nth in range(3 if place % 3 == 0 else 2):
            best = 2 if refset == GB and place % 3 == 0 else 1
            value = PREFERRED if nth in (0, best) else ACCEPTABLE
            lines.append(
                f"00000000-0000-4000-8000-{place:011}{nth}\t20020131\t1\t{MODULE}\t{refset}\t"
                f"{1_000_000_015 + 100 * place + nth}\t{value}"
            )
    return lines
