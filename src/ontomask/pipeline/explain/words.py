"""An explanation in plain words, at most 100 columns wide."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from ontomask.errors import format_count
from ontomask.methods.explaining.centres import Centre
from ontomask.methods.explaining.columns import CellValue, format_number
from ontomask.pipeline.explain.explanation import (
    PRIVATE,
    ColumnExplanation,
    ExplanationPart,
    MaskingExplanation,
    Move,
    Target,
    TupleExplanation,
    TupleGroup,
)

__all__ = ["format_explanation"]

WIDTH = 100

#: How many targets are listed: of a tuple, and of a value that many tuples have.
MOST_MOVES = 5
MOST_SHARES = 10


def format_explanation(explained: MaskingExplanation) -> str:
    """Format an explanation as lines of text."""
    chosen = f": {explained.because}" if explained.because else ""
    lines = _wrap(f"{explained.method}{chosen}", 0)
    if len(explained.columns) > 1:
        lines += _wrap(f"combinations of values: {' · '.join(explained.columns)}", 0)
    for part in explained.parts:
        lines += ["", *_format_part(part, explained.columns)]
    return "\n".join([*lines, "", *_wrap(PRIVATE, 0)])


def _wrap(text: str, indent: int, hanging: int = 0) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hanging),
        break_on_hyphens=False,
    )


def _wrap_row(begin: str, text: str) -> list[str]:
    """Wrap a row of a table whose last cell may be long."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=begin,
        subsequent_indent=" " * len(begin),
        break_on_hyphens=False,
    )


def _join_values(values: Sequence[CellValue]) -> str:
    return " · ".join(value.short for value in values)


# ---------------------------------------------------------------------- a value


def _format_part(part: ExplanationPart, columns: Sequence[str]) -> Iterator[str]:
    if part.tuples == 1:
        yield from _format_tuple(part.example)
        return
    for explained in part.values:
        heading = (
            f"{format_count(part.records, 'record')} with "
            f"{format_count(part.tuples, 'combination')} of values became"
        )
        yield from _wrap(f"{explained.column} {explained.value.words}: {heading}", 0, 2)
        yield from _format_shares(explained.moves)
        yield ""
    most = format_count(part.example.records, "record")
    where = " in which it changed" if part.changed else ""
    yield f"The most frequent of these combinations{where} ({most}):"
    yield ""
    yield from _format_tuple(part.example)
    others = [name for name in columns if name not in part.asked]
    more = f"values of more columns: {', '.join(others)}" if others else "a whole set"
    yield ""
    yield from _wrap(
        f"To see another of the {format_count(part.tuples, 'combination')}, give {more}.", 0
    )


def _format_shares(moves: Sequence[Move]) -> Iterator[str]:
    total = sum(move.records for move in moves)

    def format_cells(records: int, distance: str) -> str:
        share = f"{100 * records / total:.1f} %"
        return f"  {records:>7,}  {share:>7}  {distance:>8}  "

    yield "  records    share  distance"
    for move in moves[:MOST_SHARES]:
        yield from _wrap_row(format_cells(move.records, f"{move.distance:.3f}"), move.to.words)
    if rest := moves[MOST_SHARES:]:
        records = sum(move.records for move in rest)
        yield format_cells(records, "") + format_count(len(rest), "other value")


# ---------------------------------------------------------------------- one tuple


def _format_tuple(explained: TupleExplanation) -> Iterator[str]:
    yield from _wrap(
        f"{_join_values(explained.values)}, {format_count(explained.records, 'record')}", 0, 2
    )
    for target in explained.became[:MOST_MOVES]:
        yield from _wrap(_format_target(target, explained.records), 2, 2)
    if rest := explained.became[MOST_MOVES:]:
        records = format_count(sum(target.records for target in rest), "record")
        yield f"  → {format_count(len(rest), 'other combination')}, {records}"
    for note in explained.notes:
        yield from _wrap(note, 2)
    if explained.group is not None:
        yield ""
        yield from _format_group(explained.group)
    for column in explained.columns:
        yield ""
        yield from _format_column(
            column, explained.records, explained.group is not None and explained.group.tuples > 1
        )


def _format_target(target: Target, records: int) -> str:
    values = "suppressed" if target.values is None else _join_values(target.values)
    share = (
        f", {target.records:,} of {format_count(records, 'record')}"
        if target.records < records
        else ""
    )
    if target.alike_records == target.records:
        return f"→ {values}{share}; no other record has this result"
    alike_records = format_count(target.alike_records, "record")
    alike = f"{alike_records} with {format_count(target.alike_tuples, 'original combination')}"
    return f"→ {values}{share}; in total {alike} have this result"


def _format_group(group: TupleGroup) -> Iterator[str]:
    if group.tuples == 1:
        yield f"{group.name}: only this combination, {format_count(group.records, 'record')}"
        return
    combinations = format_count(group.tuples, "combination")
    yield f"{group.name}: {combinations}, {format_count(group.records, 'record')}"
    yield f"  records  distance from {group.measured_from}, mean over the columns"
    for member in group.members:
        begin = f"  {member.records:>7,}  {member.distance:>8.3f}  "
        yield from _wrap_row(begin, _join_values(member.values))
    if more := group.tuples - len(group.members):
        rest = group.records - sum(member.records for member in group.members)
        yield f"  {rest:>7,}            {format_count(more, 'other combination')}"


def _format_column(column: ColumnExplanation, records: int, in_company: bool) -> Iterator[str]:
    if len(column.moves) == 1 and column.moves[0].words == "unchanged":
        yield from _wrap(f"{column.column}: {column.original.words}, unchanged", 0, 2)
    else:
        yield from _wrap(f"{column.column}: {column.original.words}", 0, 2)
        for move in column.moves[:MOST_MOVES]:
            yield from _format_move(move, records)
        if rest := column.moves[MOST_MOVES:]:
            others = format_count(sum(move.records for move in rest), "record")
            yield f"  → {format_count(len(rest), 'other value')}, {others}"
    for note in column.notes:
        yield from _wrap(note, 2, 2)
    if column.centre is not None and in_company:
        elsewhere = column.moves[0].to != column.centre.chosen
        yield from _format_centre(column.centre, "its own group" if elsewhere else "its group")


def _format_move(move: Move, records: int) -> Iterator[str]:
    share = (
        f", {move.records:,} of {format_count(records, 'record')}" if move.records < records else ""
    )
    if move.words == "unchanged":
        yield from _wrap(f"→ unchanged{share}", 2, 2)
        return
    yield from _wrap(f"→ {move.to.words}{share}: distance {move.distance:.3f}", 2, 2)
    yield from _wrap(move.words, 4)
    if move.nearer is not None:
        nearer = (
            f"{move.nearer:,} other records of the column are"
            if move.nearer
            else "no other record is"
        )
        yield f"    {nearer} closer"


def _format_centre(centre: Centre, group: str) -> Iterator[str]:
    values = _format_group_values(centre)
    if centre.distinct == 1:
        yield from _wrap(f"every record of {group} has {centre.chosen.short}", 2, 2)
    elif centre.rule in ("mean", "median"):
        yield from _wrap(f"{centre.rule} of {group}: {_format_mean(centre)}, of {values}", 2, 2)
    else:
        yield from _wrap(f"{group} has {values}", 2, 2)
        yield from _wrap(_format_rule(centre), 2, 2)
        for number, candidate in enumerate(centre.candidates):
            total = (
                f"{candidate.total:,.0f}"
                if centre.rule == "most frequent"
                else f"{candidate.total:.3f}"
            )
            chosen = "" if number else ", chosen"
            yield from _wrap_row(f"  {total:>8}  ", f"{candidate.value.words}{chosen}")


def _format_group_values(centre: Centre) -> str:
    """Format the values of a group, with the records of each that more than one record holds."""
    listed = [
        value.short if count == 1 else f"{value.short} ({count:,} times)"
        for value, count in centre.values
    ]
    if more := centre.distinct - len(listed):
        listed.append(f"{more:,} more")
    return ", ".join(listed)


def _format_mean(centre: Centre) -> str:
    """Format a mean, and the exact one where it was rounded."""
    chosen, exact = centre.chosen, centre.exact
    if exact is None or not isinstance(chosen.value, int | float) or exact == chosen.value:
        return chosen.words
    return f"{chosen.words}, rounded from {format_number(exact)}"


def _format_rule(centre: Centre) -> str:
    among = f"of {format_count(centre.among, 'candidate')}"
    if centre.rule == "least loss":
        return (
            f"{among}, the one with the least information loss over all columns; sums of distances:"
        )
    if centre.rule != "most frequent":
        first = "the deepest one, then the first identifier"
        equals = (
            "the one with the least information loss over all columns"
            if centre.rule == "least sum, then loss"
            else first
        )
        tied = f"; in a tie, {equals}" if centre.tied else ""
        return f"{among}, the one with the smallest sum of distances to them{tied}:"
    return f"the most frequent value{'; in a tie, the first one' if centre.tied else ''}:"
