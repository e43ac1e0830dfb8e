"""What the Result screen shows of a run: sections of its report, and its point on the map.

It is made once, where the table was masked, and kept as JSON beside the run: a later look at the
run needs neither the table nor its plan. Names from data are escaped by the report's templates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ontomask.methods.registry import unusual
from ontomask.pipeline.comparing.axes import figures_of
from ontomask.pipeline.comparing.points import Point
from ontomask.pipeline.evaluation import Evaluation
from ontomask.pipeline.guarantee import Guarantee
from ontomask.pipeline.requirements import unmet
from ontomask.report.page import contents
from ontomask.report.pages import numbers, page
from ontomask.report.plain_values import plain

if TYPE_CHECKING:
    from ontomask.pipeline.mask import Release
    from ontomask.releasefile.model import Requirements

__all__ = ["TABS", "held_to", "parts_of"]

#: The tabs: what they are called, and what is said where a run has nothing for them.
TABS = {
    "risk": ("Risk", ""),
    "utility": ("Utility", ""),
    "meaning": (
        "Meaning",
        "No column of words is masked in this run, so there is no taxonomy to draw.",
    ),
    "loss": ("Where the loss is", ""),
    "changes": (
        "What became what",
        "No change is shared by enough records to be told.",
    ),
    "correlations": (
        "Correlations",
        "One column is masked in this run; it takes two to hang together.",
    ),
}

#: What can be required, in words.
REQUIRED = {
    "k": "at least {:,.12g} in every class (k)",
    "l": "at least {:,.12g} different confidential values in every class (l)",
    "t": "no class farther than {:.12g} from the whole table (t)",
    "linkage_below": "less than {:.12g} % of the records linked by meaning",
    "sse_below": "a squared error (SSE) below {:,.12g}",
}


def parts_of(release: Release, known: Mapping[str, Any]) -> dict[str, Any]:
    """Everything the screen shows of a run, ready for JSON; ``known`` are the facts of the release.

    ``tabs`` and ``holds`` are HTML of the report, ``taxonomies`` what the drawings of taxonomies
    are made from, ``point`` is where the run is on the map of risk and loss.
    """
    shown = contents(release.transitions, release.schema, release.method, known)
    made = {
        "title": shown["method"],
        "words": _sentence(shown["method_words"]),
        "promised": known["guarantee"]["k"] is not None,
        "guarantee": _guarantee(known, shown),
        "measured": _linked(shown["measured"]),
        "tiles": _tiles(known),
        "cautions": [_sentence(it) for it in known["cautions"]],
        "holds": page("report/holds.html", **shown),
        "tabs": [
            {"name": name, "title": title, "html": _section(name, nothing, shown)}
            for name, (title, nothing) in TABS.items()
        ],
        "taxonomies": shown["taxonomies"]["drawn"],
        "point": _point(release, known),
    }
    return dict(plain(made))


def _section(name: str, nothing: str, shown: Mapping[str, Any]) -> str:
    there = {
        "meaning": shown["taxonomies"]["columns"],
        "changes": shown["changes"],
        "correlations": shown["correlations"],
    }
    if there.get(name, True):
        return page(f"report/{name}.html", **shown)
    return f'<p class="soft">{nothing}</p>'  # words of ours, nothing to escape


# ---------------------------------------------------------------------- the head


def _guarantee(known: Mapping[str, Any], shown: Mapping[str, Any]) -> str:
    """What holds whatever an attacker does, in a sentence."""
    promise = known["guarantee"]
    if not promise["classes"]:
        return "No records are released."
    if promise["k"] is None:
        return (
            "No size of classes is guaranteed: this method protects by changing values, not by "
            "making records alike."
        )
    return str(shown["guaranteed"][0])


def _linked(measured: list[str]) -> str:
    """The sentence about linkage, among those about what was measured."""
    return next(it for it in measured if it.startswith("An attacker"))


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}." if words else ""


def _tiles(known: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The figures looked at first, before and after; ``better`` says in which direction."""
    risk = {name: it["value"] for name, it in known["risk"].items()}
    was, promise = risk["before"], known["guarantee"]
    similar = known["utility"]["semantic_quality"]["value"]
    records = promise["unit"] == "records"
    tiles = [
        ("uniques", "unique records", was["uniques"], risk["uniques"], numbers.whole, "lower"),
        (
            "linked",
            "linked by meaning",
            was["linkage_nearest"],
            risk["linkage_nearest"],
            numbers.percent,
            "lower",
        ),
        (
            "smallest",
            "smallest class" if records else "smallest class, people",
            was["k"] if records else None,
            promise["smallest"],
            numbers.whole,
            "higher",
        ),
        ("similarity", "similarity to the original", 1.0, similar, numbers.percent, "higher"),
    ]
    return [
        {
            "name": name,
            "words": words,
            "before": None if before is None else written(before),
            "after": written(after),
            "better": better,
        }
        for name, words, before, after, written, better in tiles
        if after is not None
    ]


# ---------------------------------------------------------------------- the map


def _point(release: Release, known: Mapping[str, Any]) -> dict[str, Any]:
    """Where the run is on the map, and how ``ontomask compare`` is told of its method."""
    name, settings = known["method"]["name"], known["method"]["settings"]
    others = {key: it for key, it in unusual(release.method).items() if key not in ("k", "alpha")}
    words = ", ".join(f"{key.replace('_', ' ')} {numbers.value(it)}" for key, it in others.items())
    records = release.transitions.tuples.records
    return {
        "series": name.replace("_", " ") + (f" ({words})" if words else ""),
        "strength": Point(release.method).strength,
        "order": next((settings[it] for it in ("k", "alpha") if it in settings), 0),
        "argument": _argument(name, unusual(release.method)),
        "k": settings.get("k"),
        "alpha": settings.get("alpha"),
        "records": records,
        "figures": figures_of(release.evaluation, records),
    }


def _argument(name: str, settings: Mapping[str, Any]) -> str:
    """How ``--methods`` of ``ontomask compare`` calls a method; what it cannot say is left out.

    >>> _argument("recoding", {"k": 5, "weighted": True, "protects": ("charge", "stay")})
    'recoding:k=5:weighted=true'
    """
    said = {
        key: str(it).lower() if isinstance(it, bool) else str(it)
        for key, it in settings.items()
        if isinstance(it, str | int | float) and not set(str(it)) & set(",: ")
    }
    return ":".join([name, *(f"{key}={it}" for key, it in said.items())])


# ---------------------------------------------------------------------- requirements


def held_to(
    require: Requirements, known: Mapping[str, Any], point: Mapping[str, Any]
) -> list[tuple[str, str, list[str]]]:
    """What is required, each with its name, in words, and the reasons why a run does not meet it.

    It is judged by what was kept of the run: what is required may have changed since.
    """
    risk = {name: it["value"] for name, it in known["risk"].items()}
    # The facts withhold a sum that few records make up; the point has it.
    found = Evaluation({"sse": point["figures"]["sse"]}, risk)
    told = {name: known["guarantee"][name] for name in ("k", "smallest", "classes", "unit")}
    promise = Guarantee(known["guarantee"]["text"], **told)
    return [
        (
            name,
            REQUIRED[name].format(100 * limit if name == "linkage_below" else limit),
            [_sentence(it.partition(": ")[2]) for it in unmet({name: limit}, found, promise)],
        )
        for name, limit in require.given.items()
    ]
