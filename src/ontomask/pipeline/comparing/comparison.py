"""What methods make of a table, side by side: as rows, as CSV and as a page with a chart."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from ontomask._runtime.files.atomic_files import atomic_write
from ontomask.errors import format_count, format_percent
from ontomask.methods.method import Method
from ontomask.methods.registry import changed_settings, name_of
from ontomask.pipeline.comparing.axes import (
    axes_with_figures,
    axis_figures,
    loss_axes,
    risk_axes,
)
from ontomask.pipeline.comparing.points import Point
from ontomask.pipeline.guarantees.guarantee import format_method
from ontomask.pipeline.guarantees.requirements import LINKAGES
from ontomask.report.plain_values import to_plain_values

__all__ = ["Comparison", "method_as_yaml"]


def method_as_yaml(method: Method) -> str:
    """The part of a release file that names a method."""
    from ontomask._runtime.yaml_text import format_yaml

    return format_yaml({"method": {"name": name_of(method), **changed_settings(method)}})


@dataclass(frozen=True, repr=False)
class Comparison:
    """Several methods on the same table.

    Attributes:
        points: One :class:`Point` per method, in the order given.
        records: Number of records that were compared.
        tuples: Number of different combinations of values among them.
        columns: The quasi-identifiers.
        require: The requirements that points are checked against.
        sampled_from: Number of records that the sample was drawn from; None if there is no sample.
        complete: Whether the page shows a whole release file for each method.
    """

    points: tuple[Point, ...]
    records: int
    tuples: int
    columns: tuple[str, ...]
    require: Mapping[str, float] = field(default_factory=dict)
    sampled_from: int | None = None
    complete: bool = False
    _file_of: Callable[[Method], str] | None = field(default=None, compare=False)

    @property
    def front(self) -> tuple[Point, ...]:
        """The points that no other point dominates, the lowest risk first."""
        points = [
            point for point in self.points if point.evaluation is not None and not point.dominated
        ]
        return tuple(sorted(points, key=lambda point: (point.risk or 0.0, point.loss or 0.0)))

    def table(self) -> list[dict[str, Any]]:
        """One row per point, as plain values: the method, its guarantee and all figures.

        A value is ``None`` if it is not known. ``l`` and ``t`` are those of the confidential column
        with the worst value.
        """
        return [to_plain_values(self._row(point)) for point in self.points]

    def _row(self, point: Point) -> dict[str, Any]:
        settings, guarantee, evaluation = point.settings, point.guarantee, point.evaluation
        risk: Mapping[str, Any] = {} if evaluation is None else evaluation.risk
        return {
            "method": point.name,
            "k": settings.get("k"),
            "window": settings.get("window"),
            "alpha": settings.get("alpha"),
            "settings": {
                name: value
                for name, value in changed_settings(point.method).items()
                if name not in ("k", "window", "alpha")  # which have columns of their own
            },
            "k_promised": None if guarantee is None else guarantee.k,
            "smallest_class": None if guarantee is None else guarantee.smallest,
            "unit": None if guarantee is None else guarantee.unit,
            "classes": None if guarantee is None else guarantee.classes,
            "uniques": risk.get("uniques"),
            **axis_figures(evaluation, self.records),
            "semantic_quality": None
            if evaluation is None
            else evaluation.utility["semantic_quality"],
            "l": min((risk.get("l_distinct") or {}).values(), default=None),
            "t": max((risk.get("t_equal") or {}).values(), default=None),
            "seconds": round(point.seconds, 4),
            "dominated": None if evaluation is None else point.dominated,
            "meets": point.meets if self.require else None,
            "unmet": list(point.unmet),
            "unknown": list(point.unknown),
            "error": point.error or None,
            "notes": list(point.notes),
        }

    def write_csv(self, path: str | PathLike[str], force: bool = False) -> None:
        """Write the table as CSV, completely or not at all; unknown values are empty."""
        rows = self.table()
        with atomic_write(Path(path), force=force) as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(
                {name: _format_cell(cell) for name, cell in row.items()} for row in rows
            )

    def save_page(self, path: str | PathLike[str], force: bool = False) -> None:
        """Write one HTML page with the chart of risk and information loss. It opens offline.

        The page contains figures about all records and the settings of the methods, but no value of
        the table. It helps you choose a method. Publish the report of the release instead.
        """
        from ontomask.report.pages import render_page

        html = render_page("compare.html", comparison=self._page_content())
        with atomic_write(Path(path), force=force) as file:
            file.write(html)

    def _page_content(self) -> dict[str, Any]:
        rows = self.table()
        axes = (*risk_axes(), *loss_axes())
        return {
            "records": self.records,
            "tuples": self.tuples,
            "columns": list(self.columns),
            "sampled_from": self.sampled_from,
            "rows": rows,
            "required": _format_requirements(self.require) if self.require else None,
            "linked": any(row["linkage_people"] is not None for row in rows),
            "watched": any(row["l"] is not None for row in rows),
            "messages": _group_notes(self.points),
            "complete": self.complete,
            "data": {
                "points": [
                    {
                        "series": _series(point),
                        "label": _label(point),
                        "strength": point.strength,
                        "order": point.settings.get(point.method.varied_by or "", 0),
                        "figures": {axis.name: row[axis.name] for axis in axes},
                        "guarantee": str(point.guarantee or ""),
                        "meets": row["meets"],
                        "unmet": row["unmet"],
                        "unknown": row["unknown"],
                        "notes": row["notes"],
                        "error": point.error,
                        "file": (self._file_of or method_as_yaml)(point.method),
                    }
                    for point, row in zip(self.points, rows, strict=True)
                ],
                "risks": [_axis_fields(axis) for axis in axes_with_figures(risk_axes(), rows)],
                "losses": [_axis_fields(axis) for axis in loss_axes()],
                "limits": self._limits(),
            },
        }

    def _limits(self) -> dict[str, float]:
        """The requirements that are lines on the map, by axis."""
        requirements = self.require
        limits: dict[str, float] = {}
        if "linkage_below" in requirements:
            limits |= dict.fromkeys(LINKAGES, requirements["linkage_below"])
        if "sse_below" in requirements:
            limits |= {
                "sse": requirements["sse_below"],
                "sse_per_record": requirements["sse_below"] / self.records,
            }
        return limits

    def __repr__(self) -> str:
        size = (
            f"{format_count(self.records, 'record')}, "
            f"{format_count(self.tuples, 'combination')} of values"
        )
        sample = f", a sample of {self.sampled_from:,}" if self.sampled_from else ""
        failed = sum(bool(point.error) for point in self.points)
        lines = [
            f"Comparison({format_count(len(self.points), 'point')}"
            f"{f', {failed:,} failed' if failed else ''}, {size}{sample})"
        ]
        lines += [
            f"  {format_method(point.method)}: record linkage"
            f"{' of people' if point.links_people else ''} {format_percent(point.risk or 0)}, "
            f"SSE {point.loss:.4g}"
            for point in self.front
        ]
        return "\n".join(lines)


def _fixed_settings(point: Point) -> dict[str, Any]:
    """The settings that differ from the defaults, without the one that is varied."""
    return {
        name: value
        for name, value in changed_settings(point.method).items()
        if name != point.method.varied_by
    }


def _series(point: Point) -> str:
    """Points of one method and its other settings are joined by a line."""
    others = ", ".join(f"{name} {value}" for name, value in _fixed_settings(point).items())
    words = point.method.title
    return f"{words} ({others})" if others else words


def _group_notes(points: Sequence[Point]) -> list[tuple[str, list[str]]]:
    """Every note, with the points (or the methods, where all their points have it) that have it."""
    series_sizes = Counter(_series(point) for point in points)
    points_by_note: dict[str, list[Point]] = {}
    for point in points:
        for note in point.notes:
            points_by_note.setdefault(note, []).append(point)
    return [(note, _name_points(noted, series_sizes)) for note, noted in points_by_note.items()]


def _name_points(points: Sequence[Point], series_sizes: Mapping[str, int]) -> list[str]:
    counts = Counter(_series(point) for point in points)
    complete_series = {name for name, count in counts.items() if count == series_sizes[name] > 1}
    named = [
        _series(point) if _series(point) in complete_series else _label(point) for point in points
    ]
    return list(dict.fromkeys(named))


def _label(point: Point) -> str:
    return ", ".join(filter(None, [_series(point), point.strength]))


def _axis_fields(axis: Any) -> dict[str, Any]:
    return {
        "name": axis.name,
        "label": axis.label,
        "meaning": axis.meaning,
        "share": axis.share,
    }


def _format_requirements(requirements: Mapping[str, float]) -> str:
    words = {
        "k": "k at least {:g}",
        "l": "l at least {:g}",
        "t": "t at most {:g}",
        "k_map": "k-map at least {:g}",
        "entropy_l": "entropy l at least {:g}",
        "alpha": "α at most {:g}",
        "beta": "β at most {:g}",
        "delta": "δ at most {:g}",
        "linkage_below": "record linkage below {:.3g} %",
        "sse_below": "SSE below {:g}",
    }
    scaled = {**requirements, "linkage_below": 100 * requirements.get("linkage_below", 0)}
    return ", ".join(words[name].format(scaled[name]) for name in requirements)


def _format_cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "; ".join(f"{name}={item}" for name, item in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "; ".join(map(str, value))
    return value
