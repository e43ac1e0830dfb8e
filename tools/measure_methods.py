r"""Measure every masking method on the same tables: the figures of "Choosing a method".

Run by hand, from the root of the repository; takes some minutes::

    ONTOMASK_DATA=downloads python tools/measure_methods.py

It prints Markdown. A table for each data set has a row for each method, with a weak and a strong
setting in each cell: k = 5 and 20, for noise alpha = 0.1 and 0.5. Those of
docs/concepts/choosing-a-method.md are copied from it. The last table has the least and the greatest
value of every figure of an evaluation; the ``usual`` values in the DESCRIPTIONS of
``ontomask.utility`` and ``ontomask.risk`` are taken from it. ``--json FILE`` keeps everything.

The data sets are 10,000 random records of two public ones, as CONTRIBUTING.md names them, and as
many synthetic discharges; without ``ONTOMASK_DATA``, these alone. Seeds are fixed: nothing secret
is masked here.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

import ontomask as om

RECORDS = 10_000

Figures = dict[str, Any]


class Case(NamedTuple):
    """A table to mask, and what the table of its figures is headed with."""

    title: str
    table: pa.Table
    schema: om.Schema


#: Each method under the name it has on the page, made with a ``k`` (or an ``alpha``).
METHODS: dict[str, Callable[[Any], Any]] = {
    "microaggregation": lambda k: om.Microaggregation(k),
    "recoding": lambda k: om.Recoding(k),
    "resampling": lambda k: om.Resampling(k),
    "suppression": lambda k: om.Suppression(k),
    "swapping, dynamic": lambda k: om.RankSwapping(k, "dynamic"),
    "swapping, multivariate": lambda k: om.RankSwapping(k),
    "swapping, guard": lambda k: om.RankSwapping(k, guard=True),
    "synthetic": lambda k: om.Microaggregation(k, replacement="synthetic"),
    "synthetic, as printed": lambda k: om.Microaggregation(k, replacement="synthetic_paper"),
    "noise": lambda alpha: om.NoiseAddition(alpha),
}


def settings(name: str) -> tuple[Any, Any]:
    """A weak and a strong setting: ``alpha`` for noise, ``k`` for all others."""
    return (0.1, 0.5) if name == "noise" else (5, 20)


# ------------------------------------------------------------------ what is masked


def read(name: str, *columns: str) -> dict[str, list[str]]:
    """Some columns of a public table: a random sample of the records that lack none of them."""
    path = Path(os.environ["ONTOMASK_DATA"]) / name
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = [[row[column] for column in columns] for row in csv.DictReader(file)]
    complete = [row for row in rows if "?" not in row]
    places = np.random.default_rng(0).choice(len(complete), RECORDS, replace=False)
    sample = [complete[place] for place in np.sort(places)]
    return dict(zip(columns, map(list, zip(*sample, strict=True)), strict=True))


def diabetes() -> Case:
    """Two words that hang together, most pairs of them rare."""
    icd9 = om.load_taxonomy("icd9cm")
    table = pa.table(read("diabetes_130.csv.gz", "diag_1", "diag_2", "readmitted"))
    schema = om.Schema(
        [om.Nominal(name, icd9, repair_codes=True) for name in ("diag_1", "diag_2")],
        confidential=["readmitted"],
    )
    return Case("Diabetes: two diagnoses", table, schema)


def discharges() -> Case:
    """A word beside two numbers and a level."""
    table = pa.table({name: pa.array(it) for name, it in om.datasets.discharges(RECORDS).items()})
    levels = ["minor", "moderate", "major", "extreme"]
    schema = om.Schema(
        [
            om.Nominal("diagnosis", om.load_taxonomy("icd9cm")),
            om.Numeric("age"),
            om.Numeric("length_of_stay"),
            om.Ordinal("severity", levels),
        ],
        confidential=["outcome"],
        other="drop",
    )
    return Case("Discharges: a diagnosis, age, length of stay, severity", table, schema)


def adult() -> Case:
    """Numbers alone."""
    found: dict[str, Sequence[Any]] = dict(
        read("adult.csv.gz", "age", "education_num", "hours_per_week", "income")
    )
    names = ("age", "education_num", "hours_per_week")
    for name in names:
        found[name] = [int(number) for number in found[name]]
    schema = om.Schema([om.Numeric(name) for name in names], confidential=["income"])
    return Case("Adult: age, years of schooling, weekly hours", pa.table(dict(found)), schema)


# ------------------------------------------------------------------ what is measured


def measured(case: Case, method: Any, seed: int) -> Figures:
    """One release and all its figures; ``seconds`` is the masking without them."""
    begun = perf_counter()
    release = om.mask(case.table, case.schema, method, seed=seed)
    seconds = perf_counter() - begun
    utility, risk = release.evaluation.utility, release.evaluation.risk
    return {
        "promise": release.guarantee.k,
        "seconds": seconds,
        "sse_per_record": utility["sse"] / release.records,
        "correlation_change": correlation_change(utility),
        **utility,
        **{key: figure for key, figure in risk.items() if key not in utility},
    }


def correlation_change(utility: Figures) -> float:
    """By how much the distance correlations of every two columns differ, on average."""
    table = np.array(utility["distance_correlations"]["difference"])
    return float(np.abs(table[np.triu_indices(len(table), 1)]).mean())


def all_measured(case: Case, seed: int) -> dict[str, list[Figures]]:
    """Every method, with its weak and its strong setting."""
    few = case._replace(table=case.table.slice(0, 200))
    found: dict[str, list[Figures]] = {}
    for name, make in METHODS.items():
        print(f"{case.title}: {name}", file=sys.stderr)
        measured(few, make(settings(name)[0]), seed)  # compiles what is compiled
        found[name] = [measured(case, make(setting), seed) for setting in settings(name)]
    return found


# ------------------------------------------------------------------ what is printed


def percent(share: float | None) -> str:
    """A share as people read it."""
    return "none" if share is None else f"{100 * share:.1f} %"


def small(number: float) -> str:
    """Two significant digits, without an exponent."""
    return np.format_float_positional(number, 2, fractional=False, trim="-")


#: The columns of the table of a data set: heading, and how the figure is shown.
SHOWN: dict[str, Callable[[Figures], str]] = {
    "guaranteed k": lambda it: str(it["promise"] or "none"),
    "smallest class": lambda it: f"{it['k']:,}",
    "unique": lambda it: percent(it["unique_share"]),
    "linked": lambda it: percent(it["linkage_nearest"]),
    "linked uniques": lambda it: percent(it["linkage_nearest_uniques"]),
    "changed": lambda it: percent(it["changed_records"]),
    "SSE per record": lambda it: small(it["sse_per_record"]),
    "quality": lambda it: f"{it['semantic_quality']:.2f}",
    "KL": lambda it: f"{it['kl']:.2f}",
    "correlations": lambda it: f"{it['correlation_change']:.3f}",
}


def shown(show: Callable[[Figures], str], pair: Sequence[Figures]) -> str:
    """The figure of the weak and of the strong setting."""
    weak, strong = map(show, pair)
    if weak == strong == "none":
        return "none"
    return f"{weak.removesuffix(' %')} / {strong}"


def by_method(case: Case, found: Mapping[str, Sequence[Figures]]) -> Iterator[str]:
    """The table of a data set, a row for each method."""
    some = found["microaggregation"][0]
    correlations = np.array(some["distance_correlations"]["before"])
    strengths = [f"{it:.2f}" for it in correlations[np.triu_indices(len(correlations), 1)]]
    slowest = max(figures["seconds"] for pair in found.values() for figures in pair)
    yield f"\n### {case.title}\n"
    yield (
        f"{case.table.num_rows:,} records, {some['before']['classes']:,} distinct combinations of "
        f"values. Distance correlations {', '.join(strengths)}. The slowest took {slowest:.1f} s.\n"
    )
    yield f"| method | {' | '.join(SHOWN)} |"
    yield "|---" * (len(SHOWN) + 1) + "|"
    before = {"promise": None, **some["before"]}
    unmasked = [show(before) for show in list(SHOWN.values())[:5]]
    yield f"| unmasked | {' | '.join(unmasked)} |" + " |" * (len(SHOWN) - 5)
    for name, pair in found.items():
        yield f"| {name} | {' | '.join(shown(show, pair) for show in SHOWN.values())} |"


#: By column and in its own unit, so that only those of words can be compared between tables.
IN_OWN_UNIT = ("attribute_sse", "rmse", "mean_absolute_distance", "distance_variance_difference")


def numbers_in(figure: Any) -> Iterator[float]:
    """The figure itself, or that of each column; of what has a difference, the difference."""
    if isinstance(figure, dict):
        for key in ("distance", "difference"):
            if key in figure:
                yield from numbers_in(figure[key])
                return
        for inner in figure.values():
            yield from numbers_in(inner)
    elif isinstance(figure, list):
        table = np.abs(np.array(figure, dtype=float))
        yield from (table[np.triu_indices(len(table), 1)] if table.ndim == 2 else table).tolist()
    elif figure is not None and not isinstance(figure, str | bool):
        yield abs(float(figure))


def span(numbers: Sequence[float]) -> str:
    """From the least to the greatest number, in two digits."""
    if not numbers:
        return ""
    return " to ".join(dict.fromkeys(f"{it:.2g}" for it in (min(numbers), max(numbers))))


def usual(cases: Sequence[Case], every: Sequence[Mapping[str, list[Figures]]]) -> Iterator[str]:
    """For each figure, from where to where it went in all tables."""
    kinds = {
        "microaggregation, recoding": ("microaggregation", "recoding"),
        "resampling": ("resampling",),
        "suppression": ("suppression",),
        "swapping (not dynamic)": ("swapping, multivariate", "swapping, guard"),
        "noise": ("noise",),
    }
    yield "\n### From the least to the greatest\n"
    columns = [f"{kind}, {how}" for kind in kinds for how in ("weak", "strong")]
    yield f"| figure | unmasked | {' | '.join(columns)} |"
    yield "|---" * (len(columns) + 2) + "|"
    for key in every[0]["microaggregation"][0]:
        if key in ("before", "class_sizes", "promise"):
            continue
        found: dict[str, list[float]] = {name: [] for name in ("unmasked", *columns)}
        for case, methods in zip(cases, every, strict=True):
            words = [
                it.column for it in case.schema.quasi_identifiers if isinstance(it, om.Nominal)
            ]
            for kind, names in kinds.items():
                for name in names:
                    for how, figures in zip(("weak", "strong"), methods[name], strict=True):
                        figure = figures[key]
                        if key in IN_OWN_UNIT:
                            figure = {word: figure[word] for word in words}
                        found[f"{kind}, {how}"] += numbers_in(figure)
                        found["unmasked"] += numbers_in(figures["before"].get(key))
        yield f"| {key} | {' | '.join(map(span, found.values()))} |"


def main() -> None:
    """Mask, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", metavar="FILE", help="also write every figure here")
    parser.add_argument("--seed", type=int, default=0, help="of the masking (0)")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", om.errors.WeakProtectionWarning)
    public = [diabetes(), adult()] if "ONTOMASK_DATA" in os.environ else []
    cases = [*public[:1], discharges(), *public[1:]]
    every = []
    for case in cases:
        every.append(all_measured(case, asked.seed))
        print("\n".join(by_method(case, every[-1])), flush=True)
    print("\n".join(usual(cases, every)))
    if asked.json:
        kept = {case.title: found for case, found in zip(cases, every, strict=True)}
        Path(asked.json).write_text(json.dumps(kept, indent=1))


if __name__ == "__main__":
    main()
