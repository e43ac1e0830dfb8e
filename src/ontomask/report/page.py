"""The contents of the report: the facts of a release, and what may be published of its plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from ontomask.disclosure import branches, spread, transitions
from ontomask.disclosure.rounding import SIGNIFICANT_DIGITS
from ontomask.disclosure.values import decode_date
from ontomask.errors import format_percent
from ontomask.methods.method import Method
from ontomask.microdata.attributes import NominalAttribute
from ontomask.microdata.measures import USUAL_VALUES_NOTE, describe_unit
from ontomask.microdata.schema import Date, Nominal, Ordinal, Schema
from ontomask.microdata.tuples import Transitions
from ontomask.report import words
from ontomask.report.drawing.bars import WITHHELD, Bar, Pair, draw_bars, draw_paired_bars
from ontomask.report.drawing.heatmap import draw_heatmap
from ontomask.report.figures import (
    class_size_bars,
    links_people,
    population_rows,
    risk_by_column,
    risk_rows,
    utility_rows,
)
from ontomask.report.glossary import GLOSSARY
from ontomask.report.pages import numbers, render_page
from ontomask.report.sets import describe_sets
from ontomask.utility.sides import attribute_distances

__all__ = ["report_contents", "report"]

#: The terms that the report explains in its glossary.
REPORT_TERMS = (
    "attribute disclosure",
    "data utility",
    "direct identifier",
    "disclosure risk",
    "equivalence class",
    "identity disclosure",
    "information loss",
    "journalist risk",
    "k-anonymity",
    "l-diversity",
    "marketer risk",
    "prosecutor risk",
    "quasi-identifier",
    "re-identification risk",
    "record linkage",
    "sensitive attribute",
    "SSE",
    "suppression",
    "t-closeness",
    "taxonomy",
    "uniqueness",
)

#: Those that it explains if a population is given.
POPULATION_TERMS = (
    "δ-presence",
    "individual risk",
    "k-map",
    "population",
    "population unique",
    "sampling weight",
)

#: Columns of a matrix of correlations that can be read; of more, those that changed most are shown.
MOST_CORRELATED = 20
#: Concepts in all drawings of taxonomies together; each column has its share.
MOST_CONCEPTS = 40_000
FEWEST_CONCEPTS = 60
#: Charts of single columns; beyond that the figures must do.
MOST_CHARTS = 40


def report(plan: Transitions, schema: Schema, method: Method, facts: Mapping[str, Any]) -> str:
    """The report as one HTML page; ``facts`` describe the release, or are its manifest."""
    return render_page("report.html", **report_contents(plan, schema, method, facts))


def report_contents(
    plan: Transitions, schema: Schema, method: Method, facts: Mapping[str, Any]
) -> dict[str, Any]:
    """The values that the templates of the report are filled with, by template variable.

    The sections of the report are templates of their own in ``report/``: whatever shows one of them
    elsewhere fills it with the same.
    """
    least = facts["records_threshold"]
    taxonomies = _taxonomies(plan, least)
    return {
        "facts": facts,
        "title": (facts.get("output") or {}).get("name") or "A masked table",
        "method": facts["method"]["title"],
        "method_words": facts["method"]["description"],
        "in_short": words.summarise_release(facts),
        "guaranteed": words.list_guarantees(facts, method),
        "measured": words.list_measurements(facts),
        "tiles": _tiles(facts),
        "where_usual": USUAL_VALUES_NOTE,
        "counts_records": _describe_unit(facts, schema),
        "glossary": {
            term: GLOSSARY[term]
            for term in sorted(
                {*REPORT_TERMS, *(POPULATION_TERMS if facts.get("population") else ())},
                key=str.casefold,
            )
        },
        "roles": _roles(facts),
        "risk": risk_rows(facts["risk"]),
        "risk_columns": risk_by_column(facts["risk"]),
        "population": population_rows(facts.get("population")),
        "population_words": _population_words(facts),
        "utility": utility_rows(
            facts["utility"], facts["guarantee"]["k"] is not None, links_people(facts["risk"])
        ),
        "class_sizes": _class_sizes(facts),
        "attributes": _attributes(facts, plan, schema),
        "sets": describe_sets(plan, facts),
        "correlations": _correlations(facts),
        "taxonomies": taxonomies,
        "loss": _loss(plan, facts, taxonomies["losses"]),
        "spreads": _spreads(plan, schema, least),
        "changes": _changes(plan, schema, least, facts["taxonomies"]),
    }


def _describe_unit(facts: Mapping[str, Any], schema: Schema) -> str:
    """Say what the figures of risk count; nothing if there are only records."""
    if schema.person is None:
        return ""
    links = facts.get("links")
    return describe_unit(links is not None and not links["links"], links is not None)


# ---------------------------------------------------------------------- the head


def _tiles(facts: Mapping[str, Any]) -> list[dict[str, str]]:
    risk = {name: figure["value"] for name, figure in facts["risk"].items()}
    guarantee, quality = facts["guarantee"], facts["utility"]["semantic_quality"]["value"]
    smallest, uniques, unit, known = words.worst_classes(guarantee)
    # Where records are linked, the guarantee is about linked records, too.
    is_apart = known and guarantee["released"]["link"] is None
    alone = f"; {numbers.format_integer(guarantee['smallest'])} without them" if is_apart else ""
    k = guarantee["k"]
    linked = links_people(facts["risk"])
    classes = "equivalence classes"
    if linked:
        before_masking = "unique people before masking"
        classes += " of linked people"
    elif known or unit == "people":
        before_masking = "unique records on the quasi-identifiers before masking"
    else:
        before_masking = "before masking"
    if linked and guarantee["released"]["columns"]:
        before_masking += ", without the kept columns"
        classes += ", with kept columns"
    smallest_tile = {
        "figure": numbers.format_integer(smallest),
        "words": f"{unit} in the smallest equivalence class{known}{alone}; "
        + (
            "no minimum guaranteed"
            if k is None
            else f"at least {numbers.format_integer(k)} guaranteed"
            + (" on the quasi-identifiers" if is_apart else "")
        ),
    }
    unique_tile = {
        "figure": numbers.format_integer(uniques),
        "words": f"unique {unit}{known}; "
        f"{numbers.format_integer(risk['before']['uniques'])} {before_masking}",
    }
    return [
        {
            "figure": numbers.format_integer(facts["records"]["released"]),
            "words": f"{words.name_released_records(facts)}, in "
            f"{numbers.format_integer(guarantee['classes'])} {classes}",
        },
        smallest_tile,
        _linkage_tile(risk),
        unique_tile,
        *(
            [
                {
                    "figure": format_percent(quality),
                    "words": "semantic quality: similarity to the original values",
                }
            ]
            if quality is not None
            else []
        ),
    ]


def _linkage_tile(risk: Mapping[str, Any]) -> dict[str, str]:
    """Record linkage; of people by all their records where these stay linked."""
    before = risk["before"]
    if risk.get("linkage_people") is None:
        return {
            "figure": format_percent(risk["linkage_nearest"]),
            "words": "of the records linked correctly by record linkage; "
            f"{format_percent(before['linkage_nearest'])} before masking",
        }
    return {
        "figure": format_percent(risk["linkage_people"]),
        "words": "of the people linked correctly by all their records; "
        f"{format_percent(before['linkage_people'])} before masking. Record by record: "
        f"{format_percent(risk['linkage_nearest'])}",
    }


def _roles(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    treatments = {
        "quasi": "quasi-identifier: masked",
        "identifier": "direct identifier: removed",
        "pseudonym": "person: replaced by a pseudonym, which links the records of a person",
        "drop": "other attribute: removed",
        "confidential": "sensitive attribute: released unchanged",
        "keep": "other attribute: released unchanged",
    }
    return [
        {
            "column": words.name_with_columns(name, column),
            "type": column["type"] or "",
            "treatment": treatments[column["role"]],
            "role": column["role"],
        }
        for name, column in facts["columns"].items()
    ]


def _population_words(facts: Mapping[str, Any]) -> str:
    figures = facts.get("population") or {}
    values = {name: figure["value"] for name, figure in figures.items()}
    return words.describe_population(values) if values else ""


def _class_sizes(facts: Mapping[str, Any]) -> Markup:
    pairs = [Pair(**size_range) for size_range in class_size_bars(facts["risk"])]
    unit = "people" if links_people(facts["risk"]) else "records"
    return draw_paired_bars(
        f"Share of the {unit} by the size of their equivalence class",
        pairs,
        across=f"{unit} in the equivalence class",
        up=f"share of the {unit}",
        shown=format_percent,
        ticks=lambda share: f"{100 * share:.0f} %",
    )


# ---------------------------------------------------------------------- columns


def _attributes(
    facts: Mapping[str, Any], plan: Transitions, schema: Schema
) -> list[dict[str, Any]]:
    """The masked columns, each with its figures."""
    utility = {name: figure["value"] for name, figure in facts["utility"].items()}
    rows = []
    for attribute, column in zip(plan.tuples.attributes, schema.quasi_identifiers, strict=True):
        name = attribute.name
        nominal = isinstance(attribute, NominalAttribute)
        shift = utility["mean_shift"].get(name) if nominal else utility["number_means"].get(name)
        variance = utility["variance_difference" if nominal else "number_variances"].get(name)
        rows.append(
            {
                "name": name,
                "changed": _format_cell(utility["changed"][name], format_percent),
                "moved": _format_cell(utility["mean_absolute_distance"].get(name)),
                "rmse": _format_cell(utility["rmse"].get(name)),
                "mean": _format_means(attribute, column, shift),
                "spread": _format_change(variance),
                "unit": _unit(column),
            }
        )
    return rows


def _format_cell(
    value: float | None, format_value: Callable[[float], str] = numbers.format_figure
) -> str:
    return WITHHELD if value is None else format_value(value)


def _unit(column: Any) -> str:
    units = {Nominal: "0 to 1", Ordinal: "levels", Date: "days"}
    return units.get(type(column), "as in the column")


def _format_means(attribute: Any, column: Any, shift: Mapping[str, Any] | None) -> str:
    if shift is None:
        return WITHHELD
    if isinstance(column, Date) and None not in (shift["before"], shift["after"]):
        return _format_mean_dates(shift["before"], shift["after"])
    if not isinstance(attribute, NominalAttribute):
        return _format_change(shift)
    before, after = shift["before"], shift["after"]
    if before is None or after is None:
        return _describe_unnamed_means(shift["distance"])
    labels = [attribute.domain.label(concept) for concept in (before, after)]
    return labels[0] if before == after else f"{labels[0]} → {labels[1]}"


def _format_mean_dates(before: float, after: float) -> str:
    """Mean dates; the numbers of days behind them are rounded, so the dates are not exact."""
    dates = " → ".join(decode_date(days) for days in (before, after))
    step = 10 ** max(len(f"{abs(before):.0f}") - SIGNIFICANT_DIGITS, 0)
    return dates if step == 1 else f"{dates}, rounded to {step:,} days"


def _describe_unnamed_means(distance: float | None) -> str:
    if distance is None:
        return WITHHELD
    if not distance:
        return "not named; same mean before and after"
    return f"not named; distance between the two means {numbers.format_figure(distance)}"


def _format_change(change: Mapping[str, Any] | None) -> str:
    if change is None or change["before"] is None or change["after"] is None:
        return WITHHELD
    return f"{numbers.format_figure(change['before'])} → {numbers.format_figure(change['after'])}"


def _correlations(facts: Mapping[str, Any]) -> dict[str, Any] | None:
    """Correlations before and after; of many columns, those whose correlations changed most."""
    matrices = facts["utility"]["distance_correlations"]["value"]
    names = matrices["columns"]
    if len(names) < 2:
        return None
    difference = np.array(
        [[0.0 if cell is None else cell for cell in row] for row in matrices["difference"]]
    )
    chosen = list(range(len(names)))
    if len(names) > MOST_CORRELATED:
        chosen = sorted(
            np.argsort(-difference.max(axis=1), kind="stable")[:MOST_CORRELATED].tolist()
        )
    sides = {
        side: draw_heatmap(
            f"Distance correlations, {word}",
            [names[i] for i in chosen],
            [[matrices[side][i][j] for j in chosen] for i in chosen],
        )
        for side, word in (("before", "original"), ("after", "masked"))
    }
    pairs = [
        (
            float(difference[i, j]),
            names[i],
            names[j],
            matrices["before"][i][j],
            matrices["after"][i][j],
        )
        for i in range(len(names))
        for j in range(i)
        if matrices["difference"][i][j] is not None
    ]
    largest = sorted(pairs, key=lambda pair: -pair[0])[:8]
    return {
        **sides,
        "shown": len(chosen),
        "columns": len(names),
        "largest": largest,
        "records": matrices["records"],
        "withheld": any(cell is None for row in matrices["difference"] for cell in row),
        "mean": float(np.mean([pair[0] for pair in pairs])) if pairs else None,
    }


def _spreads(plan: Transitions, schema: Schema, least: int) -> list[dict[str, Any]]:
    charts = []
    for j, column in enumerate(schema.quasi_identifiers):
        if isinstance(plan.tuples.attributes[j], NominalAttribute):
            continue
        bins = spread.histogram_bins(plan, j, least, column)
        if bins:
            pairs = [Pair(bin_["label"], bin_["before"], bin_["after"]) for bin_ in bins]
            svg = draw_paired_bars(
                f"Records by {column.column}", pairs, across=column.column, up="records"
            )
            charts.append({"name": column.column, "svg": svg})
    return charts[:MOST_CHARTS]


# ---------------------------------------------------------------------- meaning


def _taxonomies(plan: Transitions, least: int) -> dict[str, Any]:
    """The taxonomies of nominal columns with the records in them; each name is stored once."""
    nominal = [
        j
        for j, attribute in enumerate(plan.tuples.attributes)
        if isinstance(attribute, NominalAttribute)
    ]
    most = max(FEWEST_CONCEPTS, MOST_CONCEPTS // max(len(nominal), 1))
    names: dict[str, int] = {}
    columns: list[dict[str, Any]] = []
    losses: list[dict[str, Any]] = []
    for j in nominal:
        masses = branches.records_by_branch(plan, j, least, most)
        nodes = [
            [
                parent,
                names.setdefault(_concept_name(concept, label), len(names)),
                before,
                after,
                loss,
            ]
            for parent, concept, label, before, after, loss in masses["nodes"]
        ]
        name = plan.tuples.attributes[j].name
        columns.append({"name": name, "nodes": nodes})
        losses.append({"name": name, "rows": branches.loss_by_branch(masses)})
    tree_data = {"names": list(names), "columns": columns, "least": least}
    return {"drawn": tree_data, "columns": columns, "losses": losses}


def _concept_name(concept: str, label: str) -> str:
    """What a concept is called, and its identifier where that is another."""
    return concept if concept == label else f"{label}\t{concept}"


def _loss(
    plan: Transitions, facts: Mapping[str, Any], losses: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The information loss by column and by branch of the taxonomies."""
    records = plan.tuples.records
    moves = facts["utility"]["mean_absolute_distance"]["value"]
    rows = []
    for attribute, apart in zip(plan.tuples.attributes, attribute_distances(plan), strict=True):
        is_public = moves.get(attribute.name) is not None  # otherwise the chart would reveal it
        rows.append(Bar(attribute.name, float(plan.count @ apart) / records if is_public else None))
    rows.sort(key=lambda row: -(row.value or 0.0))
    by_branch = []
    for column in losses[:MOST_CHARTS]:
        if column["rows"]:
            lines = [
                Bar(row["label"], row["share"], _branch_tooltip(row)) for row in column["rows"]
            ]
            svg = draw_bars(
                f"Information loss of {column['name']} by branch",
                lines,
                shown=format_percent,
            )
            by_branch.append({"name": column["name"], "svg": svg})
    return {
        "by_column": draw_bars("Mean distance by column", rows[:MOST_CHARTS]),
        "by_branch": by_branch,
    }


def _branch_tooltip(row: Mapping[str, Any]) -> str:
    return (
        f"{row['label']}: {format_percent(row['share'])} of the information loss; "
        f"{numbers.format_integer(row['before'])} records, mean distance "
        f"{numbers.format_figure(row['mean_distance'])}"
    )


def _changes(
    plan: Transitions, schema: Schema, least: int, taxonomies: Mapping[str, Any]
) -> list[dict[str, Any]]:
    tables = []
    for j, column in enumerate(schema.quasi_identifiers):
        changes = transitions.most_frequent_changes(plan, j, least, column=column)
        if changes["changes"]:
            taxonomy = taxonomies.get(column.column) or {}
            tables.append(
                {
                    "name": column.column,
                    "kind": "concept" if isinstance(column, Nominal) else "value",
                    "renamed": taxonomy.get("renamed", 0),
                    **changes,
                }
            )
    return tables[:MOST_CHARTS]
