"""Why a value was changed: its group, the centroid of the group, and the distances in words.

An explanation contains original values. It is only for people who may see the original table, and
must not be published.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import ParameterError, UnknownValueError, quote_names
from ontomask.methods.explaining.centres import Centre
from ontomask.methods.explaining.columns import (
    CellValue,
    QuasiIdentifier,
    make_quasi_identifier,
)
from ontomask.methods.explaining.masked_tuple import MaskedTuple, MethodExplanation
from ontomask.pipeline.guarantees.guarantee import format_method
from ontomask.pipeline.planning.missing_numbers import plans_in_parts
from ontomask.report.plain_values import to_plain_values
from ontomask.taxonomy import Concept
from ontomask.taxonomy.names import closest_names, name_hint

if TYPE_CHECKING:
    from ontomask.pipeline.release import Release

__all__ = [
    "ColumnExplanation",
    "MaskingExplanation",
    "TupleGroup",
    "GroupMember",
    "Move",
    "ExplanationPart",
    "Target",
    "TupleExplanation",
    "ValueExplanation",
    "explain",
]

#: Why records with the same values may become different ones where people stay linked.
LINKED_BECAUSE = (
    "people with similar records form groups, and all members of a group are released with the "
    "same records. Each record of a person takes the place of a similar one of the group, so "
    "records with the same values may become different ones"
)

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: How many tuples of a group are listed, and for how many targets a distance is put in words.
MOST_MEMBERS = 8
MOST_WORDS = 5

PLANNED_APART = (
    "Records in which a number, date or level is missing are masked apart from the others."
)

PRIVATE = (
    "This explanation contains original values. It is for the data steward: do not publish it."
)


# ---------------------------------------------------------------------- what an explanation says


@dataclass(frozen=True)
class Move:
    """What some records got in one column.

    ``distance`` is from 0 (the same) to 1, and ``words`` explain it. If values were swapped,
    ``nearer`` is the number of other records of the column that are closer to the original.
    """

    to: CellValue
    records: int
    distance: float
    nearer: int | None
    words: str


@dataclass(frozen=True)
class ColumnExplanation:
    """One column of a tuple: what became of its value, and how that was chosen.

    ``centre`` is there where the value is that of a group's centroid; ``notes`` are sentences that
    depend on the method.
    """

    column: str
    original: CellValue
    moves: tuple[Move, ...]
    centre: Centre | None
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Target:
    """What some records of a tuple became; ``values`` is None for a suppressed record.

    ``alike_tuples`` and ``alike_records`` say how many became the same.
    """

    values: tuple[CellValue, ...] | None
    records: int
    alike_tuples: int
    alike_records: int


@dataclass(frozen=True)
class GroupMember:
    """A tuple of a group; ``distance`` is the weighted mean over the columns."""

    values: tuple[CellValue, ...]
    records: int
    distance: float


@dataclass(frozen=True)
class TupleGroup:
    """The tuples that were masked together, those with the most records first, then the nearest.

    ``name`` says what binds them. ``members`` are a few of them; their distance is
    ``measured_from`` what these words say.
    """

    name: str
    tuples: int
    records: int
    members: tuple[GroupMember, ...]
    measured_from: str


@dataclass(frozen=True)
class TupleExplanation:
    """One original tuple: its masked values, its group, and every column.

    ``became`` and the moves of every column account for all ``records``, the most frequent first.
    """

    values: tuple[CellValue, ...]
    records: int
    became: tuple[Target, ...]
    group: TupleGroup | None
    columns: tuple[ColumnExplanation, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class ValueExplanation:
    """What the records with one value of a column became; ``moves`` account for all of them."""

    column: str
    value: CellValue
    moves: tuple[Move, ...]


@dataclass(frozen=True)
class ExplanationPart:
    """The records that have the requested values.

    ``values`` explain the changes of each requested value, if several tuples have it;
    ``example`` explains the tuple that has the most records, the first in sorted order of equals.
    If sets are asked for by a value that they hold, it is one in which this value ``changed``.
    """

    asked: dict[str, CellValue]
    records: int
    tuples: int
    values: tuple[ValueExplanation, ...]
    example: TupleExplanation
    changed: bool = False


@dataclass(frozen=True, repr=False)
class MaskingExplanation:
    """Why a value or a combination of values got its masked value; print it to read it.

    It contains original values. Do not publish it.

    Attributes:
        columns: The quasi-identifiers.
        method: The method and its settings.
        because: How the method chooses masked values.
        parts: One part for each column that contains the value.
    """

    columns: tuple[str, ...]
    method: str
    because: str
    parts: tuple[ExplanationPart, ...]

    def as_dict(self) -> dict[str, Any]:
        """The explanation in plain values, ready for JSON."""
        return {**dict(to_plain_values(asdict(self))), "private": PRIVATE}

    def __str__(self) -> str:
        from ontomask.pipeline.explain.words import format_explanation

        return format_explanation(self)

    __repr__ = __str__


def explain(release: Release, value: Any) -> MaskingExplanation:
    """Explain why a value or a tuple was changed; see :meth:`Release.explain`."""
    columns = _quasi_identifiers_of(release)
    parts = tuple(
        _Explainer(release, columns).explain_selection(selection)
        for selection in _find_selections(columns, value)
    )
    names = tuple(column.name for column in columns)
    because = release.method.because
    if release.links is not None:
        because = f"{LINKED_BECAUSE}. {because[:1].upper()}{because[1:]}"
    return MaskingExplanation(names, format_method(release.method), because, parts)


def _quasi_identifiers_of(release: Release) -> list[QuasiIdentifier]:
    schema, attributes = release.schema, release.transitions.tuples.attributes
    marks = frozenset(schema.missing_marks)
    return [
        make_quasi_identifier(column, attribute, release.mappings.get(column.column), marks)
        for column, attribute in zip(schema.quasi_identifiers, attributes, strict=True)
    ]


# ---------------------------------------------------------------------- what was asked


@dataclass(frozen=True)
class _SelectedValue:
    """A value of a column, and the places of all values that are selected with it.

    ``in_sets`` says that they are sets that hold the value; otherwise there is only one place.
    """

    value: CellValue
    places: tuple[int, ...]
    in_sets: bool = False


#: Columns by number, with the selected value.
Selection = dict[int, _SelectedValue]


def _find_selections(columns: Sequence[QuasiIdentifier], value: Any) -> list[Selection]:
    """Find what a value, a dict or a tuple selects; a value may be in several columns."""
    if isinstance(value, Mapping):
        return [_select_columns(columns, value)]
    if isinstance(value, tuple | list):
        if len(value) != len(columns):
            raise ParameterError(
                f"value must have one value for each of the {len(columns)} quasi-identifiers, got "
                f"{len(value)}",
                f"give a value of each of {quote_names(c.name for c in columns)}, or a dict with "
                "some of them",
            )
        return [_select_columns(columns, dict(zip([c.name for c in columns], value, strict=True)))]
    selected = [
        {j: _find_value(column, value)}
        for j, column in enumerate(columns)
        if column.places(value) or column.find_in_sets(value)
    ]
    if not selected:
        raise UnknownValueError(
            f"no record has the value {str(value)!r} in {quote_names(c.name for c in columns)}",
            _suggest_values(columns, value),
        )
    return selected


def _select_columns(columns: Sequence[QuasiIdentifier], values: Mapping[Any, Any]) -> Selection:
    column_numbers = {column.name: j for j, column in enumerate(columns)}
    if not values:
        raise ParameterError(
            "value must not be empty", "give a value, or columns with their values"
        )
    for name in values:
        if name not in column_numbers:
            near = closest_names(str(name), column_numbers, most=1)
            raise ParameterError(
                f"there is no quasi-identifier {str(name)!r}",
                name_hint(near, f"the quasi-identifiers are {quote_names(column_numbers)}"),
            )
    return {
        column_numbers[name]: _find_value(columns[column_numbers[name]], value)
        for name, value in values.items()
    }


def _find_value(column: QuasiIdentifier, value: Any) -> _SelectedValue:
    if in_sets := column.find_in_sets(value):
        concept, holders = in_sets
        return _SelectedValue(concept, tuple(holders), in_sets=True)
    places = column.places(value)
    if len(places) > 1:
        raise UnknownValueError(
            f"{str(value)!r} is ambiguous in column {column.name!r}: "
            f"{quote_names(column.original(place).short for place in places)}",
            "give the identifier of one of them",
        )
    if not places:
        raise UnknownValueError(
            f"no record has the value {str(value)!r} in column {column.name!r}",
            _suggest_values([column], value),
        )
    return _SelectedValue(column.original(places[0]), (places[0],))


def _suggest_values(columns: Sequence[QuasiIdentifier], value: Any) -> str:
    """Suggest values instead of one that no record holds."""
    for column in columns:
        if below := column.below(value):
            return f"column {column.name!r} has more specific values: {quote_names(below, most=3)}"
    near = {name: column.name for column in columns for name in column.near(value)}
    best = closest_names(str(value), near)[:3] if len(columns) > 1 else list(near)
    if not best and len(columns) > 1 and "=" in str(value):
        return f"the quasi-identifiers are {quote_names(column.name for column in columns)}"
    if not best:
        return "write the value as in the original table"
    suggestions = [f"{name!r} ({near[name]})" if len(columns) > 1 else repr(name) for name in best]
    return f"did you mean {' or '.join(suggestions)}?"


# ---------------------------------------------------------------------- what became of it


class _Explainer:
    """Reads the plan of one release."""

    def __init__(self, release: Release, columns: Sequence[QuasiIdentifier]) -> None:
        self.release, self.columns = release, columns
        self.plan, self.method = release.transitions, release.method
        self.tuples = self.plan.tuples

    def explain_selection(self, selection: Selection) -> ExplanationPart:
        """Explain the selected values, and the tuple with the most records that holds them."""
        is_holder = np.ones(len(self.tuples), dtype=bool)
        for j, selected in selection.items():
            is_holder &= np.isin(self.tuples.codes[j], selected.places)
        holders = np.flatnonzero(is_holder)
        if not len(holders):
            raise UnknownValueError(
                "no record has this combination of values",
                "give values of fewer columns",
            )
        rows = np.flatnonzero(is_holder[self.plan.source])
        changing = self._find_changing(selection, rows)
        candidates = changing if len(changing) else holders
        return ExplanationPart(
            asked={self.columns[j].name: selected.value for j, selected in selection.items()},
            records=int(self.tuples.counts[holders].sum()),
            tuples=len(holders),
            values=tuple(
                ValueExplanation(
                    self.columns[j].name,
                    selected.value,
                    self._find_moves_in_sets(j, selected.value.value, rows)
                    if selected.in_sets
                    else self._find_moves(j, selected.places[0], rows),
                )
                for j, selected in selection.items()
                if len(holders) > 1
            ),
            example=self.explain_tuple(int(candidates[np.argmax(self.tuples.counts[candidates])])),
            changed=len(changing) > 0,
        )

    def _find_changing(self, selection: Selection, rows: Longs) -> Longs:
        """The tuples in which a selected value of a set changed."""
        changed = np.zeros(len(rows), dtype=bool)
        for j, selected in selection.items():
            if selected.in_sets:
                targets, at = np.unique(
                    self.plan.targets[self.plan.target[rows], j], return_inverse=True
                )
                moved = [
                    self.columns[j].value_after(selected.value.value, target)[1] > 0
                    for target in targets.tolist()
                ]
                changed |= np.array(moved)[at.ravel()]
        return np.unique(self.plan.source[rows[changed]])

    def explain_tuple(self, t: int) -> TupleExplanation:
        """Explain one tuple."""
        rows = np.flatnonzero(self.plan.source == t)
        rows = rows[np.argsort(-self.plan.count[rows], kind="stable")]
        masked = MaskedTuple(
            self.plan,
            self.columns,
            t,
            int(self.plan.target[rows[0]]),
            counts_people=self.release.schema.person is not None,
            blocked=self.release.blocked is not None,
        )
        if plans_in_parts(self.method, self.tuples):  # groups are those of a part of the table
            explanation = masked.explain_by_target(PLANNED_APART)
        else:
            explanation = self.method.explain_tuple(masked)
        return TupleExplanation(
            values=self.describe_tuple(t),
            records=int(self.tuples.counts[t]),
            became=tuple(
                self._describe_target(int(self.plan.target[r]), int(self.plan.count[r]))
                for r in rows
            ),
            group=self._describe_group(explanation),
            columns=tuple(
                ColumnExplanation(
                    column.name,
                    column.original(place),
                    self._find_moves(j, place, rows),
                    explanation.centres[j] if explanation.centres else None,
                    explanation.column_notes[j] if explanation.column_notes else (),
                )
                for j, (column, place) in enumerate(
                    zip(self.columns, self.tuples.codes[:, t].tolist(), strict=True)
                )
            ),
            notes=explanation.notes,
        )

    def describe_tuple(self, t: int) -> tuple[CellValue, ...]:
        """Describe the values of a tuple."""
        pairs = zip(self.columns, self.tuples.codes[:, t].tolist(), strict=True)
        return tuple(column.original(place) for column, place in pairs)

    def _describe_target(self, target: int, records: int) -> Target:
        row = self.plan.targets[target]
        alike = self.plan.target == target
        return Target(
            None
            if np.isnan(row).all()
            else tuple(c.describe_target(float(x)) for c, x in zip(self.columns, row, strict=True)),
            records,
            int(alike.sum()),
            int(self.plan.count[alike].sum()),
        )

    def _find_moves(self, j: int, place: int, rows: Longs) -> tuple[Move, ...]:
        """What a value became in some transitions, the most frequent first."""
        column = self.columns[j]
        targets, at = np.unique(self.plan.targets[self.plan.target[rows], j], return_inverse=True)
        counts = np.bincount(at.ravel(), weights=self.plan.count[rows]).astype(np.int64)
        moves = []
        for number, i in enumerate(np.argsort(-counts, kind="stable").tolist()):
            target = float(targets[i])
            distance = float(column.apart(target, [place])[0])
            nearer = self._count_nearer(j, place, distance) if self.method.permutes else None
            words = column.explain_distance(place, target) if number < MOST_WORDS else ""
            moves.append(
                Move(column.describe_target(target), int(counts[i]), distance, nearer, words)
            )
        return tuple(moves)

    def _find_moves_in_sets(self, j: int, concept: Concept, rows: Longs) -> tuple[Move, ...]:
        """What a value of sets became in some transitions, the most frequent first."""
        targets, at = np.unique(self.plan.targets[self.plan.target[rows], j], return_inverse=True)
        counts = np.bincount(at.ravel(), weights=self.plan.count[rows]).astype(np.int64)
        records: Counter[tuple[CellValue, float]] = Counter()
        for target, count in zip(targets.tolist(), counts.tolist(), strict=True):
            records[self.columns[j].value_after(concept, target)] += count
        return tuple(
            Move(became, count, distance, None, "")
            for (became, distance), count in records.most_common()
        )

    def _count_nearer(self, j: int, place: int, distance: float) -> int:
        """Count the other records whose value is nearer than ``distance`` to a value."""
        column = self.columns[j]
        own = float(column.attribute.target_of(np.array([place]))[0])
        near = column.apart(own, np.arange(column.attribute.size)) < distance
        return int(self.tuples.value_counts(j)[near].sum()) - (distance > 0)

    def _describe_group(self, explanation: MethodExplanation) -> TupleGroup | None:
        """The tuples of a group with their distances from a target."""
        members, counts = explanation.members, explanation.counts
        if not len(members):
            return None
        weights = np.array([column.attribute.weight for column in self.columns])
        distances = [
            column.apart(float(explanation.reference[j]), self.tuples.codes[j, members])
            for j, column in enumerate(self.columns)
        ]
        distance = weights @ np.array(distances) / weights.sum()
        order = np.lexsort((members, distance, -counts))[:MOST_MEMBERS]
        return TupleGroup(
            explanation.name,
            len(members),
            int(counts.sum()),
            tuple(
                GroupMember(
                    self.describe_tuple(int(members[i])), int(counts[i]), float(distance[i])
                )
                for i in order
            ),
            explanation.measured_from,
        )
