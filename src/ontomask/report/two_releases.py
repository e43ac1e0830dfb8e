"""Two releases side by side: every figure of both, and which of them is better by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ontomask.report.figures import Figure, risk_rows, utility_rows
from ontomask.report.pages import numbers

__all__ = ["Both", "Which", "compared", "differences"]

#: Which of two is better; ``""`` where neither can be said to be.
Which = Literal["first", "second", "same", ""]


@dataclass(frozen=True)
class Both:
    """One figure of two releases, written as in their reports.

    ``better`` is the direction of the figure, ``which`` the release that is better by it.
    """

    part: Literal["risk", "utility"]
    name: str
    title: str
    first: str
    second: str
    better: str
    which: Which
    meaning: str


def compared(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Both]:
    """Every figure that either release has, from the facts of both."""
    rows = []
    for part in ("risk", "utility"):
        one, other = _figures(part, first), _figures(part, second)
        for key in dict.fromkeys([*one, *other]):
            rows.append(_both(part, one.get(key), other.get(key)))
    return rows


def _figures(part: str, known: Mapping[str, Any]) -> dict[tuple[str, str], Figure]:
    if part == "risk":
        rows = risk_rows(known["risk"])
    else:
        rows = utility_rows(known["utility"], known["guarantee"]["k"] is not None)
    return {(row.key, row.column): row for row in rows}


def _both(part: Any, first: Figure | None, second: Figure | None) -> Both:
    it = first or second
    assert it is not None
    return Both(
        part,
        it.key,
        f"{it.title}: {it.column}" if it.column else it.title,
        numbers.NONE if first is None else first.after,
        numbers.NONE if second is None else second.after,
        it.better,
        _which(it.better, first, second),
        it.meaning,
    )


def _which(better: str, first: Figure | None, second: Figure | None) -> Which:
    """The better of two, judged by the numbers themselves and not by how they are written."""
    if first is None or second is None or first.value is None or second.value is None:
        return ""
    if first.value == second.value:
        return "same"
    if better == "neither":
        return ""
    return "first" if (first.value < second.value) == (better == "lower") else "second"


def differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What two releases were told differently: its name, and what each was told.

    Settings that only one of the methods has are not among them.
    """
    one, other = _asked(first), _asked(second)
    return [
        (name, one[name], other[name]) for name in one if one[name] != other.get(name, one[name])
    ]


def _asked(known: Mapping[str, Any]) -> dict[str, str]:
    masked = [name for name, it in known["columns"].items() if it["role"] == "quasi"]
    return {
        "method": known["method"]["name"].replace("_", " "),
        **{name: numbers.value(it) for name, it in known["method"]["settings"].items()},
        "masked columns": ", ".join(masked),
        "records": numbers.whole(known["records"]["released"]),
    }
