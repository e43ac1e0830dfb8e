"""A taxonomy as an outline: one name per line, children indented below their parents.

::

    sport
        football
        chess
    game
        chess

A name that stands below several others has several parents; what is below it is below it
everywhere, so its children are written once. Several names without indentation are put below a
root ``*``. A name that begins or ends with a space, with a quotation mark, or holds a line end is
written in quotation marks, as in JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from ontomask.errors import CycleError, EmptyTaxonomyError, ParameterError, format_count
from ontomask.taxonomy import About, Concept, Taxonomy
from ontomask.taxonomy.graph import VIRTUAL_ROOT
from ontomask.taxonomy.taxonomy import Labels
from ontomask.taxonomy.tree import draw_tree

__all__ = ["outline_of", "read_outline"]

#: One step in, as it is written; a tab that is read is as wide.
STEP = "    "

#: Longer outlines are for files, not for hands.
MOST_LINES = 20_000


def outline_of(taxonomy: Taxonomy) -> str:
    """The outline of a taxonomy; a virtual root is left out.

    >>> print(outline_of(Taxonomy.from_edges([("flu", "*"), ("cold", "*"), ("cold A", "cold")])))
    cold
        cold A
    flu
    """
    tree = draw_tree(taxonomy)
    if len(taxonomy.parent_links.items) > MOST_LINES:
        raise ParameterError(
            f"the taxonomy has {format_count(len(taxonomy), 'concept')}, too many for an outline",
            "edit its file with another tool",
        )
    without_root = taxonomy.root == VIRTUAL_ROOT and len(taxonomy) > 1
    below: dict[int, list[int]] = {}
    for code, parents in enumerate(taxonomy.parent_links.lists()):
        for parent in parents:
            below.setdefault(parent, []).append(code)
    home = {int(code): int(tree.codes[tree.parent[tree.place[code]]]) for code in tree.codes}
    lines: list[str] = []
    stack = [(0, 0, -1)]
    while stack:
        code, depth, parent = stack.pop()
        if code or not without_root:
            lines.append(STEP * depth + _quote_name(taxonomy.identifiers[code]))
        if code and home[code] != parent:
            continue  # its children stand where it is drawn
        inner = depth + (1 if code or not without_root else 0)
        stack += [(child, inner, code) for child in reversed(below.get(code, []))]
    return "\n".join(lines)


def _quote_name(name: str) -> str:
    plain = name == name.strip() and not name.startswith('"') and len(name.splitlines()) == 1
    return name if plain else json.dumps(name, ensure_ascii=False)


@dataclass(frozen=True)
class _OutlineLine:
    number: int
    width: int
    name: Concept


def read_outline(text: str, labels: Labels | None = None) -> Taxonomy:
    r"""The taxonomy of an outline; errors name the line.

    ``labels`` are names of concepts that an outline does not have; those of others are left out.

    >>> read_outline("sport\n  chess\ngame\n  chess").parents("chess")
    ('game', 'sport')
    """
    links: dict[tuple[Concept, Concept | None], int] = {}
    above: list[_OutlineLine] = []
    for line in _parse_lines(text):
        while above and above[-1].width >= line.width:
            previous = above.pop()
            if previous.width > line.width and (not above or above[-1].width < line.width):
                raise _line_error(
                    line,
                    f"the indentation of {line.name!r} matches no line above it",
                    "indent it like its siblings",
                )
        parent = above[-1].name if above else None
        _refuse_below_itself(line, above)
        first = links.setdefault((line.name, parent), line.number)
        if first != line.number and parent is not None:
            raise _line_error(
                line,
                f"{line.name!r} occurs twice below {parent!r} (first on line {first})",
                "remove one of them",
            )
        above.append(line)
    if not links:
        raise EmptyTaxonomyError("the outline is empty", "write one name per line")
    concepts = {child for child, _ in links}
    try:
        return Taxonomy.from_edges(
            links,
            {name: names for name, names in (labels or {}).items() if name in concepts},
            about=About("", "an outline"),
            warn=False,
        )
    except CycleError as error:
        raise _locate_cycle(links, error) from None


def _parse_lines(text: str) -> Iterator[_OutlineLine]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if len(lines) > MOST_LINES:
        raise ParameterError(
            f"the outline must have at most {MOST_LINES:,} lines, got {len(lines):,}",
            "use a child-parent table instead",
        )
    for number, raw in enumerate(lines, 1):
        name = raw.strip()
        if not name:
            continue
        before = raw[: len(raw) - len(raw.lstrip())]
        yield _OutlineLine(number, len(before.replace("\t", STEP)), _unquote_name(name))


def _unquote_name(name: str) -> str:
    if name.startswith('"'):
        try:
            read = json.loads(name)
        except ValueError:
            return name  # a quotation mark like any letter
        if isinstance(read, str) and read.strip():
            return read
    return name


def _refuse_below_itself(line: _OutlineLine, above: list[_OutlineLine]) -> None:
    for outer in above:
        if outer.name == line.name:
            raise _line_error(
                line,
                f"{line.name!r} is below itself (line {outer.number})",
                "rename or remove one of them",
            )


def _locate_cycle(
    links: dict[tuple[Concept, Concept | None], int], error: CycleError
) -> CycleError:
    """The same error with the line that closes the cycle, located by adding links one by one."""
    above: dict[Concept, list[Concept]] = {}
    for (child, parent), number in links.items():
        if parent is None:
            continue
        above.setdefault(child, []).append(parent)
        if _is_above(above, child, parent):
            return CycleError(f"line {number} of the outline: {error.message}", error.hint)
    return error


def _is_above(above: dict[Concept, list[Concept]], concept: Concept, other: Concept) -> bool:
    """Whether ``concept`` is ``other`` or an ancestor of it."""
    seen, waiting = {other}, [other]
    while waiting:
        current = waiting.pop()
        if current == concept:
            return True
        for parent in above.get(current, ()):
            if parent not in seen:
                seen.add(parent)
                waiting.append(parent)
    return False


def _line_error(line: _OutlineLine, message: str, hint: str) -> ParameterError:
    return ParameterError(f"line {line.number} of the outline: {message}", hint)
