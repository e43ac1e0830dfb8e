"""The hierarchy of rows that stand in the order of the tree, each with its depth."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from ontomask.taxonomy.readers.codes.hierarchy import CodeHierarchy, CodeList
from ontomask.taxonomy.readers.codes.prefixes import tell_tree
from ontomask.taxonomy.readers.codes.roles import depth_of

__all__ = ["by_depths"]


def by_depths(code_list: CodeList) -> CodeHierarchy | None:
    """Rows in the order of the tree, each with its depth, or with its cell further right."""
    depths = _row_depths(code_list)
    if depths is None or not _is_preorder(depths):
        return None
    codes = [code_list.code_of(row) for row in code_list.rows]
    identifiers = codes if code_list.columns.code is not None else _by_path(codes, depths)
    hierarchy = CodeHierarchy()
    above: list[tuple[int, str]] = []
    for code, depth in zip(identifiers, depths, strict=True):
        while above and above[-1][0] >= depth:
            above.pop()
        if code not in hierarchy.parents:
            hierarchy.add(code, above[-1][1] if above else None)
        above.append((depth, code))
    if code_list.columns.code is not None and _contradicts_codes(code_list, hierarchy):
        return None
    told = "the order of the rows and the levels in " + (
        f"column {code_list.title(code_list.columns.depth)}"
        if code_list.columns.depth is not None
        else f"{len(code_list.columns.levels)} columns"
    )
    if code_list.columns.code is None:
        hierarchy.notes["hierarchy"] = told
        hierarchy.left_out = code_list.left_out
        if not code_list.steps or not code_list.columns.names:
            for code, identifier in zip(codes, identifiers, strict=True):
                hierarchy.name(identifier, code)
            return hierarchy
    return code_list.finish(hierarchy, told)


def _row_depths(code_list: CodeList) -> list[int] | None:
    if code_list.columns.depth is not None:
        cells = [depth_of(row.cells[code_list.columns.depth]) for row in code_list.rows]
        return None if None in cells else [depth or 0 for depth in cells]
    if not code_list.steps:
        return None
    levels = sorted(code_list.columns.levels, key=lambda level: level.key)
    filled = [
        [depth for depth, level in enumerate(levels) if row.cells[level.key]]
        for row in code_list.rows
    ]
    if any(len(places) != 1 for places in filled):
        return None
    return [places[0] for places in filled]


def _contradicts_codes(code_list: CodeList, hierarchy: CodeHierarchy) -> bool:
    """Whether the codes tell clearly another hierarchy than the order of the rows."""
    tree = tell_tree(code_list.codes())
    if tree is None or tree.unlisted:
        return False
    links = [
        (parents[0], tree.parents[code])
        for code, parents in hierarchy.parents.items()
        if parents and not parents[0].isalpha()  # a section such as A begins no code
    ]
    above = {code: parents[0] for code, parents in hierarchy.parents.items() if parents}
    other = sum(not _is_above(above, told, parent) for parent, told in links)
    return other > 0 and (
        other < 0.1 * len(links) or sum(told is not None for _, told in links) > 0.5 * len(links)
    )


def _is_above(above: dict[str, str], concept: str | None, other: str) -> bool:
    """Whether a concept is another one or stands above it."""
    current: str | None = other
    for _ in range(len(above) + 1):
        if current is None or current == concept:
            break
        current = above.get(current)
    return current is not None and current == concept


def _is_preorder(depths: list[int]) -> bool:
    """Whether rows with these depths are in the order of a tree, and not level by level."""
    if len(set(depths)) < 2 or depths[0] != min(depths):
        return False
    rank = {depth: place for place, depth in enumerate(sorted(set(depths)))}
    jumps = sum(rank[later] > rank[earlier] + 1 for earlier, later in pairwise(depths))
    return jumps <= 0.02 * len(depths) and not (
        depths == sorted(depths) and depths.count(depths[0]) > 1
    )


def _by_path(names: list[str], depths: list[int]) -> list[str]:
    """Names as identifiers; one that occurs in several places is told by those above it."""
    count = Counter(names)
    above: list[tuple[int, str]] = []
    identifiers = []
    for name, depth in zip(names, depths, strict=True):
        while above and above[-1][0] >= depth:
            above.pop()
        own = f"{above[-1][1]} / {name}" if count[name] > 1 and above else name
        identifiers.append(own)
        above.append((depth, own))
    return identifiers
