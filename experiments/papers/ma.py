"""MA section 3.3: microaggregation by marginality, compared with classic microaggregation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.data import Data
from experiments.experiment import Cell, Experiment, Result, Row, Settings
from experiments.trials import in_random_order, sample
from ontomask import utility
from ontomask.methods.microaggregation.microaggregation import Microaggregation
from ontomask.microdata.tuples import Tuples
from ontomask.taxonomy import Concept

__all__ = ["EXPERIMENTS"]

KS = (2, 4, 6, 8, 10, 12, 14, 16, 18, 20)
#: Random orders of the diagnoses, which resolve ties.
RUNS = 5
NUMBERS = ("age", "days", "medications")

#: A squared error for each k: of classic microaggregation, and by marginality.
Pair = tuple[Sequence[int], Sequence[int]]


@dataclass(frozen=True)
class Printed:
    """The published figures of one of the two data sets."""

    name: str
    root: Concept
    tables: tuple[int, int]
    different: int
    mixed: dict[str, Pair]
    alone: Pair


NEOPLASMS = Printed(
    "neoplasms",
    "140-239",
    (2, 4),
    542,
    {
        "age": (
            (11430, 32740, 49978, 62009, 73136, 98734, 104671, 107409, 114864, 129845),
            (11436, 32746, 49882, 61925, 73254, 98800, 104605, 107461, 114793, 129770),
        ),
        "days": (
            (7664, 19154, 41234, 52172, 55748, 68512, 78060, 87869, 97136, 107016),
            (7662, 19155, 41231, 52175, 55756, 68506, 78073, 87855, 97142, 106938),
        ),
        "diagnosis": (
            (7589, 12121, 13722, 14517, 14989, 15308, 15550, 15757, 15896, 15981),
            (7515, 10892, 11852, 12373, 12670, 12927, 13064, 13193, 13281, 13345),
        ),
    },
    (
        (242, 858, 1465, 2018, 2710, 3154, 3822, 4012, 4570, 4846),
        (150, 280, 435, 545, 667, 785, 904, 1015, 1136, 1185),
    ),
)

SAME_AGE = (34205, 96405, 144699, 192725, 237758, 257297, 294633, 322896, 339505, 377568)
SAME_DAYS = (20031, 64075, 109049, 159429, 187512, 203685, 217839, 248137, 327250, 358737)
DIGESTIVE = Printed(
    "digestive diseases",
    "520-579",
    (3, 5),
    409,
    {
        "age": (SAME_AGE, SAME_AGE),
        "days": (SAME_DAYS, SAME_DAYS),
        "diagnosis": (
            (51556, 88047, 101141, 107804, 111781, 114321, 116240, 117663, 118805, 119688),
            (51556, 77478, 85827, 89896, 92616, 94442, 95873, 96894, 97642, 98321),
        ),
    },
    (
        (103, 310, 512, 701, 912, 1042, 1197, 1490, 1642, 1789),
        (103, 206, 323, 439, 560, 621, 708, 851, 945, 1038),
    ),
)

#: Squared errors by attribute, then by k: classic, marginality.
Errors = dict[str, list[tuple[float, float]]]

TIES = (
    "Ties are resolved in a random order of the diagnoses. ICD codes are ordered by meaning, so "
    "their order would help the classic version."
)

CHARGE = (
    "The paper's third number is the charge. It is printed with three digits and hardly changes."
)


def tables_2_to_5(data: Data, settings: Settings) -> list[Result]:
    """Both data sets: numbers with the diagnosis, and the diagnosis alone."""
    return [
        result
        for printed in (NEOPLASMS, DIGESTIVE)
        for result in (
            *_numbers_and_diagnosis(data, settings, printed),
            *_diagnosis_alone(data, settings, printed),
        )
    ]


def _tuples(data: Data, settings: Settings, printed: Printed, numbers: Sequence[str]) -> Tuples:
    rows = sample(data.below(printed.root), None, settings.seed, settings)
    return data.tuples(rows, [*numbers, "first"], measure="sanchez", domain="taxonomy")


def _errors(tuples: Tuples, distance: str, settings: Settings, doing: str) -> Errors:
    """Means over random orders of the diagnoses."""
    orders = [in_random_order(tuples, seed) for seed in settings.seeds(RUNS)]
    errors: Errors = {}
    for k in KS:
        settings.progress(f"{doing}, k = {k}")
        classic, semantic = (
            np.mean([_error(order, k, distance, how) for order in orders], axis=0)
            for how in ("classic", "semantic")
        )
        for j, attribute in enumerate(tuples.attributes):
            known = "diagnosis" if attribute.name == "first" else attribute.name
            errors.setdefault(known, []).append((float(classic[j]), float(semantic[j])))
    return errors


def _error(tuples: Tuples, k: int, distance: Any, how: Any) -> list[float]:
    """The squared error of each attribute."""
    method = Microaggregation(k, algorithm="mdav", distance=distance, operators=how)
    return list(utility.attribute_sse(method.plan(tuples, np.random.default_rng(0))).values())


def _numbers_and_diagnosis(data: Data, settings: Settings, printed: Printed) -> list[Result]:
    """Tables 2 and 3: numbers and the diagnosis."""
    tuples = _tuples(data, settings, printed, NUMBERS)
    errors_by_distance = {
        distance: _errors(tuples, distance, settings, f"{printed.name}, {distance}")
        for distance in ("s_paper", "s")
    }
    title = f"MA table {printed.tables[0]}, {printed.name}, {tuples.records:,} records"
    rows = []
    for distance, errors in errors_by_distance.items():
        theirs = printed.mixed["diagnosis"] if distance == "s_paper" else (None, None)
        rows += _rows_of_both(errors["diagnosis"], theirs, f", {distance}")
    return [
        Result(
            f"{title}: squared error of the diagnosis, masked with numbers",
            "k",
            KS,
            rows,
            better="lower",
            digits=0,
            notes=(
                "s_paper is the S-distance as printed (MA eq. 7 with eq. 5). It gives a diagnosis "
                "a very small weight compared with numbers. s gives it the weight of a number.",
                "The error grows with the number of records, and the paper had more records. "
                "Compare the change in the next table instead.",
                TIES,
            ),
        ),
        *(
            _change_table(f"{title}, {distance}", data, errors, printed.mixed)
            for distance, errors in errors_by_distance.items()
        ),
    ]


def _rows_of_both(
    errors: list[tuple[float, float]],
    theirs: tuple[Sequence[int] | None, Sequence[int] | None],
    distance: str = "",
) -> list[Row]:
    return [
        Row(f"{how}{distance}", [pair[place] for pair in errors], theirs[place])
        for place, how in enumerate(("classic", "marginality"))
    ]


def _change_table(title: str, data: Data, errors: Errors, theirs: dict[str, Pair]) -> Result:
    rows = []
    for name, pairs in errors.items():
        printed = theirs.get(name)
        label = "charge" if name == "medications" and data.source == "discharges" else name
        rows.append(Row(label, _percent(pairs), printed and _percent(_pairs(printed))))
    return Result(
        f"{title}: change of the squared error in %",
        "k",
        KS,
        rows,
        better="lower",
        digits=1,
        notes=(
            "Change from classic to marginality; negative if marginality has the smaller error.",
            *((CHARGE,) if len(rows) > 1 else ()),
        ),
    )


def _pairs(printed: Pair) -> list[tuple[float, float]]:
    return [(classic, marginality) for classic, marginality in zip(*printed, strict=True)]


def _percent(pairs: Sequence[tuple[float, float]]) -> list[Cell]:
    """The change in percent, negative if marginality has the smaller error; None if both are 0."""
    return [100 * (after / before - 1) if before else None for before, after in pairs]


def _diagnosis_alone(data: Data, settings: Settings, printed: Printed) -> list[Result]:
    """Tables 4 and 5: the diagnosis without numbers."""
    tuples = _tuples(data, settings, printed, ())
    errors = _errors(tuples, "s", settings, f"{printed.name}, diagnosis alone")
    by_code = [_error(tuples, k, "s", "classic")[0] for k in KS]
    title = f"MA table {printed.tables[1]}, {printed.name} alone, {tuples.records:,} records"
    return [
        Result(
            f"{title}: squared error of the diagnosis",
            "k",
            KS,
            [
                *_rows_of_both(errors["diagnosis"], printed.alone),
                Row("classic, ties in code order", by_code),
            ],
            better="lower",
            digits=0,
            notes=(
                f"The paper had {printed.different} different diagnoses; these data have "
                f"{len(tuples)}.",
                TIES,
            ),
        ),
        _change_table(title, data, errors, {"diagnosis": printed.alone}),
    ]


EXPERIMENTS = [
    Experiment(
        "ma-tables-2-5",
        "MA",
        "Microaggregation by marginality and classic microaggregation",
        tables_2_to_5,
    ),
]
