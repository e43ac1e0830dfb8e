"""The parts of a run that the Result screen shows: sections of its report, its point on the map.

They are made once, when the table is masked, and stored as JSON with the run: to show the run
later, neither the table nor its plan is needed. The report's templates escape names from data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ontomask.errors import format_percent
from ontomask.methods.registry import changed_settings
from ontomask.pipeline.comparing.axes import axis_figures
from ontomask.pipeline.comparing.points import Point
from ontomask.pipeline.evaluation import Evaluation
from ontomask.pipeline.guarantees.guarantee import Guarantee
from ontomask.pipeline.guarantees.requirements import reasons_unmet
from ontomask.report.page import report_contents
from ontomask.report.pages import numbers, render_page
from ontomask.report.plain_values import to_plain_values
from ontomask.report.words import describe_linkage, worst_classes

if TYPE_CHECKING:
    from ontomask.pipeline.release import Release
    from ontomask.releasefile.model import Requirements

__all__ = ["TABS", "build_result_sections", "describe_cautions", "evaluate_requirements"]

#: The tabs: their titles, and the text for a run that has no content for them.
TABS = {
    "risk": ("Disclosure risk", ""),
    "population": (
        "Population",
        "The release file describes no population, so the risk is that of an attacker who knows "
        "who is in the table.",
    ),
    "utility": ("Data utility", ""),
    "meaning": (
        "Taxonomies",
        "No nominal column is masked in this run, so there is no taxonomy to draw.",
    ),
    "loss": ("Loss by column and branch", ""),
    "changes": (
        "Most frequent changes",
        "No change is shared by enough records to be shown.",
    ),
    "sets": ("Sets of values", "No masked column holds sets."),
    "correlations": (
        "Correlations",
        "Only one column is masked in this run. Correlations need at least two.",
    ),
}

#: Descriptions of the requirements.
REQUIREMENT_TEXTS = {
    "k": "k-anonymity with k of at least {:,.12g}",
    "l": "l-diversity with l of at least {:,.12g}",
    "t": "t-closeness with t of at most {:.12g}",
    "k_map": "k-map of at least {:,.12g}",
    "entropy_l": "entropy l-diversity of at least {:.12g}",
    "alpha": "(α, k)-anonymity with α of at most {:.12g}",
    "beta": "β-likeness with β of at most {:.12g}",
    "delta": "δ-disclosure privacy with δ of at most {:.12g}",
    "linkage_below": "record linkage below {:.12g} %",
    "sse_below": "information loss (SSE) below {:,.12g}",
}


def build_result_sections(release: Release, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Everything the screen shows of a run, ready for JSON; ``facts`` are those of the release.

    ``tabs`` and ``holds`` are HTML of the report, ``taxonomies`` what the drawings of taxonomies
    are made from, ``point`` is where the run is on the map of risk and loss.
    """
    report = report_contents(release.transitions, release.schema, release.method, facts)
    parts = {
        "title": report["method"],
        "words": _sentence(report["method_words"]),
        "promised": facts["guarantee"]["k"] is not None,
        "guarantee": _guarantee_sentence(facts),
        "measured": describe_linkage(facts),
        "tiles": _tiles(facts),
        "holds": render_page("report/holds.html", **report),
        "tabs": [
            {"name": name, "title": title, "html": _render_section(name, nothing, report)}
            for name, (title, nothing) in TABS.items()
        ],
        "taxonomies": report["taxonomies"]["drawn"],
        "point": _point(release, facts),
    }
    return dict(to_plain_values(parts))


def _render_section(name: str, nothing: str, report: Mapping[str, Any]) -> str:
    content = {
        "population": report["population"],
        "meaning": report["taxonomies"]["columns"],
        "changes": report["changes"],
        "sets": report["sets"],
        "correlations": report["correlations"],
    }
    if content.get(name, True):
        return render_page(f"report/{name}.html", **report)
    return f'<p class="soft">{nothing}</p>'  # a fixed text, nothing to escape


# ---------------------------------------------------------------------- the head


def _guarantee_sentence(facts: Mapping[str, Any]) -> str:
    """The headline of the guarantee; it holds for every attacker."""
    promise = facts["guarantee"]
    return " ".join(map(_sentence, promise["headline"]))


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}." if words else ""


def describe_cautions(facts: Mapping[str, Any]) -> list[dict[str, str | None]]:
    """The cautions of a run as sentences, with the link to the control that prevents each."""
    keeps_l = "l" in facts["method"]["settings"]
    link = ("/method#setting-l", "Set l") if keeps_l else ("/method", "Use microaggregation with l")
    prevented = facts.get("prevented_by", {})
    return [
        {
            "text": _sentence(caution),
            "href": link[0] if caution in prevented else None,
            "label": link[1] if caution in prevented else None,
        }
        for caution in facts["cautions"]
    ]


def _tiles(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The main figures before and after masking; ``better`` is the direction of improvement."""
    risk = {name: figure["value"] for name, figure in facts["risk"].items()}
    before_masking, promise = risk["before"], facts["guarantee"]
    similarity = facts["utility"]["semantic_quality"]["value"]
    smallest, uniques, unit, known = worst_classes(promise)
    people_linked = risk.get("linkage_people") is not None
    figure = "linkage_people" if people_linked else "linkage_nearest"
    # Before masking, records on the quasi-identifiers were counted, or linked people.
    comparable = not known and unit == "records"
    if people_linked:
        comparable = not promise["released"]["columns"]
    tiles = [
        (
            "uniques",
            f"unique {unit}{known}",
            before_masking["uniques"] if comparable else None,
            uniques,
            numbers.format_integer,
            "lower",
        ),
        (
            "linked",
            "record linkage of people, by all their records; record by record: "
            f"{format_percent(risk['linkage_nearest'])}"
            if people_linked
            else "record linkage",
            before_masking[figure],
            risk[figure],
            format_percent,
            "lower",
        ),
        (
            "smallest",
            f"smallest equivalence class{known}" + ("" if unit == "records" else " (people)"),
            before_masking["k"] if comparable else None,
            smallest,
            numbers.format_integer,
            "higher",
        ),
        (
            "similarity",
            "semantic quality (similarity to the original values)",
            1.0,
            similarity,
            format_percent,
            "higher",
        ),
    ]
    return [
        {
            "name": name,
            "words": words,
            "before": None if before is None else formatter(before),
            "after": formatter(after),
            "better": better,
        }
        for name, words, before, after, formatter, better in tiles
        if after is not None
    ]


# ---------------------------------------------------------------------- the map


def _point(release: Release, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The position of the run on the map, and its method as ``ontomask compare`` takes it."""
    name, settings = facts["method"]["name"], facts["method"]["settings"]
    changed = changed_settings(release.method)
    words = ", ".join(
        f"{key.replace('_', ' ')} {numbers.format_value(setting)}"
        for key, setting in changed.items()
        if key != release.method.varied_by
    )
    records = release.transitions.tuples.records
    return {
        "series": release.method.title + (f" ({words})" if words else ""),
        "strength": Point(release.method).strength,
        "order": settings.get(release.method.varied_by or "", 0),
        "argument": _method_argument(name, changed),
        "k": settings.get("k"),
        "window": settings.get("window"),
        "alpha": settings.get("alpha"),
        "records": records,
        "figures": axis_figures(release.evaluation, records),
    }


def _method_argument(name: str, settings: Mapping[str, Any]) -> str:
    """A method as ``--methods`` of ``ontomask compare`` takes it; what that cannot say is left out.

    >>> _method_argument("recoding", {"k": 5, "weighted": True, "protects": ("charge", "stay")})
    'recoding:k=5:weighted=true'
    """
    texts = {
        key: str(setting).lower() if isinstance(setting, bool) else str(setting)
        for key, setting in settings.items()
        if isinstance(setting, str | int | float) and not set(str(setting)) & set(",: ")
    }
    return ":".join([name, *(f"{key}={text}" for key, text in texts.items())])


# ---------------------------------------------------------------------- requirements


def evaluate_requirements(
    require: Requirements, facts: Mapping[str, Any], figures: Mapping[str, Any]
) -> list[tuple[str, str, list[str]]]:
    """Check a run: name and text of each requirement, and the reasons why it is not met.

    ``figures`` are the exact ones of the run; the requirements may have changed since.
    """
    evaluation = Evaluation(**figures)
    fields = {name: facts["guarantee"][name] for name in ("k", "smallest", "classes", "unit")}
    guarantee = Guarantee(facts["guarantee"]["text"], **fields)
    limits = require.limits
    return [
        (
            name,
            REQUIREMENT_TEXTS[name].format(
                100 * limits[name] if name == "linkage_below" else limits[name]
            ),
            [_sentence(reason) for reason in reasons],
        )
        for name, reasons in reasons_unmet(limits, evaluation, guarantee).items()
    ]
