r"""Measure what grouping by merging loses, beside MDAV: the figures of docs/concepts/merging.md.

Run by hand, from the root of the repository; takes some minutes::

    ONTOMASK_DATA=downloads python tools/measure_merging.py --picture docs/pictures/merging-loss.svg

It prints Markdown: the loss of both algorithms for each k, then what the releases are worth to an
attacker and to an analyst. ``--json FILE`` keeps every figure, ``--picture FILE`` draws the loss of
the first data set over k. The data sets are two public ones, as CONTRIBUTING.md names them, whole,
and synthetic discharges; without ``ONTOMASK_DATA``, these alone. Taxonomies for Adult are in
benchmarks/taxonomies. Nothing here depends on chance but the restarts, whose seed is fixed.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

import ontomask as om
from ontomask import risk, utility
from ontomask._runtime.compiled import jit
from ontomask.methods.microaggregation.merging.bundles import bundle_arrays
from ontomask.methods.microaggregation.merging.groups_kernels import allocate_scratch, group_cost
from ontomask.methods.microaggregation.merging.space import build_tuple_space
from ontomask.methods.microaggregation.microaggregation import Microaggregation
from ontomask.methods.operators import Operators
from ontomask.microdata.attributes import Attribute, NominalAttribute, NumericalAttribute
from ontomask.microdata.tuples import Transitions, Tuples, count_tuples
from ontomask.report.drawing.colours import LINE_COLOURS, PAGE_COLOURS

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from experiments.lines import Series, draw_lines  # noqa: E402

KS = (2, 3, 5, 10, 15, 20)
#: Of the first data set, which is drawn.
EVERY_K = range(2, 21)
#: Where risk and associations are looked at, too.
LOOKED_AT = (5, 10)
#: Restarts take long; they are measured up to so many tuples.
MOST_FOR_RESTARTS = 20_000
TAXONOMIES = ROOT / "benchmarks" / "taxonomies"

#: The occupations of Adult as kinds of person in WordNet, after NO.
OCCUPATIONS = {
    "Adm-clerical": "clerk.n.01",
    "Armed-Forces": "serviceman.n.01",
    "Craft-repair": "craftsman.n.03",
    "Exec-managerial": "executive.n.01",
    "Farming-fishing": "farmer.n.01",
    "Handlers-cleaners": "cleaner.n.03",
    "Machine-op-inspct": "mill-hand.n.01",
    "Other-service": "official.n.01",
    "Priv-house-serv": "housekeeper.n.01",
    "Prof-specialty": "specialist.n.01",
    "Protective-serv": "defender.n.01",
    "Sales": "salesperson.n.01",
    "Tech-support": "technician.n.01",
    "Transport-moving": "carrier.n.01",
}

Figures = dict[str, Any]
Longs = NDArray[np.int64]
RecordDistance = Literal["mean", "s", "s_paper"]


class Case(NamedTuple):
    """Tuples to group, by which distance, and what the table of the figures is headed with."""

    title: str
    tuples: Tuples
    distance: RecordDistance = "mean"
    ks: Sequence[int] = KS


# ------------------------------------------------------------------ what is grouped


def read(name: str) -> list[dict[str, str]]:
    """The records of a public table."""
    path = Path(os.environ["ONTOMASK_DATA"]) / name
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def words(
    name: str, concepts: Sequence[str], taxonomy: om.Taxonomy, measure: str = "sanchez"
) -> tuple[Attribute, Longs]:
    """A column of concepts, in the least domain that holds them."""
    known, codes = np.unique(np.array(concepts), return_inverse=True)
    values = known.tolist()
    return NominalAttribute(name, taxonomy.domain(values), values, measure), codes.ravel()


def numbers(name: str, column: Sequence[float]) -> tuple[Attribute, Longs]:
    """A column of whole numbers."""
    known, codes = np.unique(np.array(column, dtype=float), return_inverse=True)
    return NumericalAttribute(name, known), codes.ravel()


def counted(*columns: tuple[Attribute, Longs]) -> Tuples:
    """The distinct tuples."""
    attributes, codes = zip(*columns, strict=True)
    return count_tuples(attributes, codes)[0]


def diabetes(*names: str) -> Case:
    """Diagnoses that hang together, most combinations of them rare."""
    icd9 = om.load_taxonomy("icd9cm")
    rows = read("diabetes_130.csv.gz")
    complete = [row for row in rows if "?" not in [row[name] for name in names]]
    columns = []
    for name in names:
        values = [row[name] for row in complete]
        concepts = om.map_terms(values, icd9, repair_codes=True).concepts
        columns.append(words(name, [concepts[value] for value in values], icd9))
    return Case(f"Diabetes: {', '.join(names)}", counted(*columns))


def adult() -> Iterator[Case]:
    """Words of small taxonomies beside numbers; then one of a large taxonomy."""
    rows = [row for row in read("adult.csv.gz") if "?" not in row.values()]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    aged = [numbers(name, [int(it) for it in columns[name]]) for name in ("age", "hours_per_week")]
    taxonomies = {"occupation": "occupation", "education": "education", "native_country": "country"}
    said = [
        words(name, columns[name], om.load_taxonomy(TAXONOMIES / f"adult-{file}.csv"))
        for name, file in taxonomies.items()
    ]
    every = counted(*said, *aged)
    for distance in ("mean", "s"):
        yield Case("Adult: occupation, education, country, age, weekly hours", every, distance)
    person = om.load_taxonomy("wordnet").domain(root="person.n.01")
    jobs = words(
        "occupation", [OCCUPATIONS[it] for it in columns["occupation"]], person, "wu_palmer_depth"
    )
    yield Case("Adult: occupation in WordNet (Wu-Palmer), age, weekly hours", counted(jobs, *aged))


def discharges() -> Case:
    """Two words of large taxonomies beside a number."""
    table = om.datasets.discharges(20_000)
    return Case(
        "Discharges: diagnosis, procedure, age",
        counted(
            words("diagnosis", table["diagnosis"].tolist(), om.load_taxonomy("icd9cm")),
            words("procedure", table["procedure"].tolist(), om.load_taxonomy("icd9cm-procedures")),
            numbers("age", table["age"].tolist()),
        ),
    )


def cases(wanted: str) -> Iterator[Case]:
    """The data sets whose names begin so, one after the other."""
    if "ONTOMASK_DATA" in os.environ:
        if "diabetes".startswith(wanted):
            yield diabetes("diag_1", "diag_2")._replace(ks=EVERY_K)
            yield diabetes("diag_1", "diag_2", "diag_3")
        if "adult".startswith(wanted):
            yield from adult()
    if "discharges".startswith(wanted):
        yield discharges()


# ------------------------------------------------------------------ what is measured


def loss(operators: Operators, group: Longs, centroids: NDArray[np.float64]) -> float:
    """What all records cost, by the distance the method goes by: squared, if it is no variance."""
    tuples = operators.tuples
    total = np.zeros(len(tuples))
    for j, attribute in enumerate(tuples.attributes):
        target, code = centroids[group, j], tuples.codes[j]
        if isinstance(attribute, NominalAttribute):
            apart = attribute.table[target.astype(np.int64), code] / 2**28
        else:
            assert isinstance(attribute, NumericalAttribute)
            apart = np.abs(target - attribute.numbers[code])
            apart = apart**2 / 2 if operators.by_variance else apart / attribute.range
        total += operators.factors[j] * apart
    if operators.by_variance:
        return float(tuples.counts @ total)
    return float(tuples.counts @ (total / sum(operators.factors)) ** 2)


@jit
def summed_costs(space: Any, work: Any, start: Longs, members: Longs) -> float:
    """What groups cost with the centroids that merging gives them."""
    total = 0.0
    for g in range(start.size - 1):
        total += group_cost(space, work, members[start[g] :], start[g + 1] - start[g])
    return total


def loss_with_centroids_of_merging(operators: Operators, group: Longs) -> float:
    """The loss of given groups where ties between centroids are settled as merging does."""
    space = build_tuple_space(operators, "sse", "rule", np.arange(len(group)))
    work = allocate_scratch(space, len(group))
    members = np.argsort(group, kind="stable")
    start = np.searchsorted(group[members], np.arange(group.max() + 2))
    return float(summed_costs(bundle_arrays(space), bundle_arrays(work), start, members))


def grouped(case: Case, method: Microaggregation, look: bool) -> Figures:
    """One grouping, its loss and, if asked to look, what the release is worth."""
    operators = method.operators_for(case.tuples)
    begun = process_time()
    group, centroids = method.groups(operators, np.random.default_rng(0))
    seconds = process_time() - begun
    plan = Transitions.from_targets(case.tuples, centroids, group)
    smallest = int(plan.class_sizes().min())
    if smallest < method.k:
        raise SystemExit(f"{case.title}: a class of {smallest} with {method}")
    found: Figures = {
        "loss": loss(operators, group, centroids),
        "sse": utility.sse(plan),
        "seconds": seconds,
        "classes": len(plan.class_sizes()),
        "groups": len(centroids),
        "mean_size": case.tuples.records / len(plan.class_sizes()),
        "largest": int(plan.class_sizes().max()),
    }
    if method.algorithm == "mdav":
        found["loss_settled"] = loss_with_centroids_of_merging(operators, group)
    if look:
        linked = risk.linkage_nearest(plan)
        change = utility.distance_correlations(plan).difference
        found["linked"] = linked.linked
        found["linked_uniques"] = linked.among_uniques
        found["unchanged"] = linked.unchanged
        found["correlation_change"] = float(change[np.triu_indices(len(change), 1)].mean())
    return found


def without_weights(case: Case, k: int) -> tuple[float, float, float]:
    """The loss of MDAV, of MDAV with distances not weighted with records, and of merging."""
    method = Microaggregation(k, "mdav", distance=case.distance)
    found = []
    for kind in (Operators, Unweighted):
        operators = kind(case.tuples, case.distance)
        found.append(loss(operators, *method.groups(operators, np.random.default_rng(0))))
    merged = grouped(case, Microaggregation(k, "merge", distance=case.distance), look=False)
    return found[0], found[1], merged["loss"]


class Unweighted(Operators):
    """Every tuple counts once when distances are compared."""

    @property
    def weights(self) -> Longs:
        return np.ones_like(self.tuples.counts)


def ways(k: int, distance: RecordDistance, thorough: bool) -> dict[str, Microaggregation]:
    """The algorithms that are compared."""
    known: dict[str, Callable[[], Microaggregation]] = {
        "mdav": lambda: Microaggregation(k, "mdav", distance=distance),
        "rule": lambda: Microaggregation(k, "merge", distance=distance),
        "best": lambda: Microaggregation(k, "merge", distance=distance, centroid="best"),
    }
    if thorough:
        known["thorough"] = lambda: Microaggregation(
            k, "merge", distance=distance, effort="thorough"
        )
    return {name: make() for name, make in known.items()}


def measured(case: Case) -> dict[int, dict[str, Figures]]:
    """Every k and every algorithm."""
    few = Tuples(case.tuples.attributes, case.tuples.codes[:, :600], case.tuples.counts[:600])
    for method in ways(LOOKED_AT[0], case.distance, True).values():  # compiles what is compiled
        grouped(case._replace(tuples=few), method, look=False)
    found: dict[int, dict[str, Figures]] = {}
    for k in case.ks:
        thorough = k == LOOKED_AT[0] and len(case.tuples) <= MOST_FOR_RESTARTS
        print(f"{case.title}, {case.distance}: k = {k}", file=sys.stderr)
        found[k] = {
            name: grouped(case, method, k in LOOKED_AT)
            for name, method in ways(k, case.distance, thorough).items()
        }
    return found


# ------------------------------------------------------------------ what is printed


def short(number: float) -> str:
    """Four digits."""
    return f"{number:,.0f}" if number >= 1000 else f"{number:.4g}"


def losses(case: Case, found: Mapping[int, Mapping[str, Figures]]) -> Iterator[str]:
    """The table of a data set, a row for each k."""
    yield f'\n### {case.title}, `distance="{case.distance}"`\n'
    yield f"{case.tuples.records:,} records, {len(case.tuples):,} distinct tuples.\n"
    by_variance = case.distance != "mean"
    heads = ["k", "MDAV", "same groups, ties settled", "merge", "merge, best"]
    heads += ["SSE of MDAV", "of merge", "of merge, best"] if by_variance else []
    yield f"| {' | '.join([*heads, 'CPU seconds'])} |"
    yield "|---:" * (len(heads) + 1) + "|"
    for k, by in found.items():
        base = by["mdav"]["loss"]
        cells = [str(k), short(base)]
        cells += [f"{it / base:.3f}" for it in (by["mdav"]["loss_settled"], by["rule"]["loss"])]
        cells.append(f"{by['best']['loss'] / base:.3f}")
        if by_variance:
            sse = by["mdav"]["sse"]
            cells += [short(sse), *(f"{by[name]['sse'] / sse:.3f}" for name in ("rule", "best"))]
        cells.append(" / ".join(f"{by[name]['seconds']:.1f}" for name in ("mdav", "rule", "best")))
        yield f"| {' | '.join(cells)} |"
    by = found[LOOKED_AT[0]]
    if "thorough" not in by:
        return
    more = 1 - by["thorough"]["loss"] / by["rule"]["loss"]
    yield (
        f'\n`effort="thorough"` at k = {LOOKED_AT[0]}: {100 * more:.1f} % less than `"fast"`, in '
        f"{by['thorough']['seconds']:.1f} s."
    )


def worth(every: Sequence[tuple[Case, Mapping[int, Mapping[str, Figures]]]]) -> Iterator[str]:
    """Risk, classes and associations of both algorithms, all data sets in one table."""
    shown: dict[str, Callable[[Figures], str]] = {
        "linked": lambda it: f"{100 * it['linked']:.2f} %",
        "of uniques": lambda it: f"{100 * it['linked_uniques']:.2f} %",
        "unchanged": lambda it: f"{100 * it['unchanged']:.1f} %",
        "classes": lambda it: f"{it['classes']:,}",
        "mean size": lambda it: f"{it['mean_size']:.1f}",
        "correlations": lambda it: f"{it['correlation_change']:.4f}",
    }
    yield "\n### What the releases are worth: MDAV / merge / merge with the best centroid\n"
    yield f"| data | k | {' | '.join(shown)} |"
    yield "|---|---:" + "|---:" * len(shown) + "|"
    for case, found in every:
        for k in LOOKED_AT:
            three = [found[k][name] for name in ("mdav", "rule", "best")]
            cells = [
                " / ".join(show(it).removesuffix(" %") for it in three) for show in shown.values()
            ]
            yield f"| {case.title}, {case.distance} | {k} | {' | '.join(cells)} |"


def weights(every: Sequence[Case]) -> Iterator[str]:
    """How much of the difference is due to the weights that SF gives to distances."""
    yield "| data | k | MDAV | without weights | merge | merge over MDAV without weights |"
    yield "|---|---:|---:|---:|---:|---:|"
    for case in every:
        for k in (LOOKED_AT[0], KS[-1]):
            mdav, plain, merged = without_weights(case, k)
            cells = [short(mdav), short(plain), short(merged), f"{merged / plain:.3f}"]
            yield f"| {case.title} | {k} | {' | '.join(cells)} |"


def drawn(case: Case, found: Mapping[int, Mapping[str, Figures]]) -> str:
    """Loss over k, in light colours of its own, so that it can stand in a document."""
    labels = {"mdav": "MDAV", "rule": "merge", "best": "merge, best centroid"}
    series = [
        Series(label, [by[name]["sse"] for by in found.values()], dashed=name == "best")
        for name, label in labels.items()
    ]
    picture = str(
        draw_lines(f"SSE over k. {case.title}", list(found), series, across="k", up="SSE")
    )
    fixed = dict(PAGE_COLOURS["light"])
    fixed |= {f"line-{place}": colour for place, colour in enumerate(LINE_COLOURS["light"])}
    picture = re.sub(r"var\(--([\w-]+)\)", lambda it: fixed[it[1]], picture)
    style = (
        f"text{{fill:{fixed['soft']};font:12.5px system-ui,sans-serif}}"
        f".grid{{stroke:{fixed['rule']}}}.zero{{stroke:{fixed['soft']}}}"
    )
    head, _, rest = picture.partition(">")
    paper = f'<rect width="100%" height="100%" fill="{fixed["page"]}"/>'
    return f'{head} xmlns="http://www.w3.org/2000/svg"><style>{style}</style>{paper}{rest}\n'


def main() -> None:
    """Group, measure, print, draw."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("name", nargs="?", default="", help="diabetes, adult or discharges (all)")
    parser.add_argument("--json", metavar="FILE", help="also write every figure here")
    parser.add_argument("--picture", metavar="FILE", help="draw loss over k here, as SVG")
    parser.add_argument(
        "--weights", action="store_true", help="instead: what MDAV loses by weighted distances"
    )
    asked = parser.parse_args()
    if asked.weights:
        means = [case for case in cases(asked.name) if case.distance == "mean"]
        print("\n".join(weights(means)))
        return
    every = []
    for case in cases(asked.name):
        every.append((case, measured(case)))
        print("\n".join(losses(*every[-1])), flush=True)
    print("\n".join(worth(every)))
    if asked.json:
        kept = {f"{case.title}, {case.distance}": found for case, found in every}
        Path(asked.json).write_text(json.dumps(kept, indent=1))
    if asked.picture:
        Path(asked.picture).write_text(drawn(*every[0]))


if __name__ == "__main__":
    main()
