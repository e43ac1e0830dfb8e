"""The hierarchy of tables with a column or two for each level."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from ontomask.taxonomy.readers.codes.hierarchy import CodeHierarchy, CodeList
from ontomask.taxonomy.readers.codes.prefixes import cut_codes, tell_tree
from ontomask.taxonomy.readers.codes.roles import Level
from ontomask.taxonomy.readers.text.delimited import Row

__all__ = ["by_levels"]

#: Lengths of the levels of classifications whose groups are known by their name only.
SCHEME_LEVELS = {"isco": (1, 2, 3, 4)}


def by_levels(code_list: CodeList) -> CodeHierarchy | None:
    """A row for each leaf, with a column or two for each level above it."""
    levels = code_list.columns.levels
    own = code_list.columns.code is not None or bool(code_list.columns.names)
    if not levels or (len(levels) == 1 and not own):
        return None
    leaf = _find_leaf(code_list, levels)
    if leaf is not None and leaf.code is not None:
        code_list.refuse_several_names()
    own_tree = _tell_leaf_tree(code_list, leaf) if leaf is not None else {}
    levels = [level for level in levels if not _repeats_tops(code_list, level, own_tree)]
    if not levels:
        return None
    steps = [*levels, leaf] if leaf is not None else levels
    paths = [_row_path(code_list, row, steps) for row in _fill_rows(code_list, levels)]
    with_codes = leaf is not None and leaf.code is not None
    identifiers = _LevelIdentifiers(paths, len(steps) - 1 if with_codes else None)
    hierarchy = CodeHierarchy()
    for row, path in zip(code_list.rows, paths, strict=True):
        above: str | None = None
        for place, identifier in enumerate(identifiers.of(path)):
            depth, code = path[place]
            if leaf is not None and depth == len(steps) - 1 and own_tree.get(code):
                hierarchy.add(identifier, own_tree[code])
            else:
                hierarchy.add(identifier, above)
            level = steps[depth]
            if level.name is not None and level is not leaf:
                hierarchy.name(identifier, " ".join(row.cells[level.name].split()))
            elif code != identifier:
                hierarchy.name(identifier, code)
            above = identifier
    _add_scheme_levels(code_list, hierarchy, levels[-1])
    told = "a column for each level: " + ", ".join(
        repr(level.title) if level.title else code_list.title(level.key) for level in steps
    )
    if any(own_tree.values()):
        told += "; and the codes"
    if leaf is None or leaf.code is None:
        hierarchy.notes["hierarchy"] = told
        hierarchy.left_out = code_list.left_out
        return hierarchy
    return code_list.finish(hierarchy, told)


def _find_leaf(code_list: CodeList, levels: list[Level]) -> Level | None:
    """The column of the rows' own concepts, unless the finest level is that."""
    columns = code_list.columns
    if columns.code is not None:
        return Level(
            code_list.titles[columns.code],
            columns.code,
            columns.names[0] if columns.names else None,
        )
    finest = levels[-1]
    if not columns.names or code_list.steps:
        return None
    values = {row.cells[finest.key] for row in code_list.rows}
    names = {row.cells[columns.names[0]] for row in code_list.rows}
    if finest.code is not None and finest.name is None and len(names) <= len(values):
        levels[-1] = finest._replace(name=columns.names[0])
        return None
    if len(names) <= len(values):
        return None
    return Level(code_list.titles[columns.names[0]], None, columns.names[0])


def _tell_leaf_tree(code_list: CodeList, leaf: Level) -> dict[str, str | None]:
    """The parents that the codes of the rows tell among themselves."""
    if leaf.code is None:
        return {}
    groups = {row.cells[level.key] for row in code_list.rows for level in code_list.columns.levels}
    tree = tell_tree([code for code in code_list.codes() if code not in groups])
    if tree is None or tree.unlisted:
        return {}
    return tree.parents


def _repeats_tops(code_list: CodeList, level: Level, tree: dict[str, str | None]) -> bool:
    """Whether a level has just the concepts that stand at the top of the codes."""
    tops = {code for code, parent in tree.items() if parent is None}
    if not tops or all(parent is None for parent in tree.values()):
        return False
    pairs = {
        (row.cells[level.key], code)
        for row in code_list.rows
        if (code := code_list.code_of(row)) in tops
    }
    return len({value for value, _ in pairs}) > 0.95 * len(tops)


def _fill_rows(code_list: CodeList, levels: list[Level]) -> Iterator[Row]:
    """The rows, with what merged cells leave out written into each."""
    if not code_list.steps:
        yield from code_list.rows
        return
    places = [place for level in levels for place in (level.code, level.name) if place is not None]
    current: dict[int, str] = {}
    for row in code_list.rows:
        first = next((n for n, level in enumerate(levels) if row.cells[level.key]), len(levels))
        inherited = {
            place
            for level in levels[:first]
            for place in (level.code, level.name)
            if place is not None
        }
        for place in places:
            if place not in inherited:
                current[place] = row.cells[place]
        yield row._replace(
            cells=[
                current.get(n, cell) if n in inherited else cell for n, cell in enumerate(row.cells)
            ]
        )


def _row_path(code_list: CodeList, row: Row, steps: list[Level]) -> list[tuple[int, str]]:
    """The levels that a row fills; equal neighbours are one concept."""
    path: list[tuple[int, str]] = []
    for depth, level in enumerate(steps):
        cell = " ".join(row.cells[level.key].split())
        if not cell or cell == "nan":
            continue
        if cell == "NA" and level.name not in (None, level.key) and row.cells[level.name] == "NA":
            continue  # as R writes what is missing
        if path and path[-1][1] == cell:
            if depth == len(steps) - 1:
                continue
            path.pop()
        path.append((depth, cell))
    return path


def _add_scheme_levels(code_list: CodeList, hierarchy: CodeHierarchy, finest: Level) -> None:
    """The groups above codes of a known classification, such as 2 and 21 above 2166."""
    lengths = next((SCHEME_LEVELS[w] for w in finest.about if w in SCHEME_LEVELS), None)
    codes = {row.cells[finest.key] for row in code_list.rows} - {""}
    if lengths is None or any(len(c) > lengths[-1] or not c.isdigit() for c in codes):
        return
    tree = cut_codes(sorted(codes), lengths)
    for code, parent in tree.parents.items():
        hierarchy.add(code, parent)


class _LevelIdentifiers:
    """Identifiers of the concepts of levels: a value that occurs twice is told by its path."""

    def __init__(self, paths: list[list[tuple[int, str]]], leaf: int | None) -> None:
        above: dict[tuple[int, str], set[tuple[int, str] | None]] = defaultdict(set)
        depths: dict[str, Counter[int]] = defaultdict(Counter)
        for path in paths:
            for place, step in enumerate(path):
                depth = step[0]
                if depth != leaf:
                    above[step].add(path[place - 1] if place else None)
                depths[step[1]][depth] += 1
        self._ambiguous = {step for step, parents in above.items() if len(parents) > 1} | {
            (depth, value)
            for value, places in depths.items()
            if len(places) > 1
            for depth in places
            if depth != max(places, key=lambda depth: (depth == leaf, places[depth], depth))
        }

    def of(self, path: list[tuple[int, str]]) -> list[str]:
        """The identifiers of the steps of a path."""
        identifiers: list[str] = []
        for step in path:
            value = step[1]
            if step in self._ambiguous:
                value = f"{identifiers[-1]} / {value}" if identifiers else f"{value} (group)"
            identifiers.append(value)
        return identifiers
