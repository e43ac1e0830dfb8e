"""The links of a code list: from a column of parents, from the codes, or from other shapes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from ontomask.errors import FileFormatError, quote_names
from ontomask.taxonomy.readers.codes.depths import by_depths
from ontomask.taxonomy.readers.codes.hierarchy import CodeHierarchy, CodeList, split_names
from ontomask.taxonomy.readers.codes.levels import by_levels
from ontomask.taxonomy.readers.codes.prefixes import CodeTree, cut_codes, tell_tree
from ontomask.taxonomy.readers.codes.table import is_code

__all__ = ["build_hierarchy"]

#: Groups that no row describes have at least so many members on average.
LEAST_MEMBERS = 1.5


def build_hierarchy(code_list: CodeList, lengths: Sequence[int]) -> CodeHierarchy:
    """The hierarchy of a code list, or an error that says what it lacks."""
    if lengths:
        return by_lengths(code_list, lengths)
    shapes: list[Callable[[CodeList], CodeHierarchy | None]] = [by_parents, by_levels, by_depths]
    if code_list.steps:
        shapes = [by_parents, by_depths, by_levels]
    for shape in (*shapes, by_prefixes, by_group_column):
        hierarchy = shape(code_list)
        if hierarchy is not None and any(hierarchy.parents.values()):
            return hierarchy
    raise no_hierarchy(code_list)


def by_parents(code_list: CodeList) -> CodeHierarchy | None:
    """Links to the parents that a column names by their codes or names."""
    lookup = _find_concepts(code_list)
    best: tuple[float, int, int] | None = None
    for place in code_list.columns.parents:
        cells = {row.cells[place] for row in code_list.rows} - {""}
        known = sum(
            all(part in lookup for part in _split_parents(code_list, cell, lookup))
            for cell in cells
        )
        merit = (known / max(len(cells), 1), len(cells), -place)
        if cells and (best is None or merit > best):
            best = merit
    if best is None:
        return None
    place = -best[2]
    hierarchy = CodeHierarchy()
    unlisted: set[str] = set()
    for row in code_list.rows:
        hierarchy.add(code_list.code_of(row))
        for part in _split_parents(code_list, row.cells[place], lookup):
            targets = lookup.get(part, {part})
            if len(targets) > 1:
                raise code_list.table.error(
                    f"{len(targets)} concepts are called {part!r}, the parent in column "
                    f"{code_list.title(place)}",
                    "name a column with the codes of the parents: parent='...'",
                    line=row.line,
                )
            (target,) = targets
            if part not in lookup:
                unlisted.add(part)
            hierarchy.add(code_list.code_of(row), target)
    if unlisted and len(code_list.rows) < LEAST_MEMBERS * len(unlisted):
        raise code_list.table.error(
            f"nearly every value of the parent column {code_list.title(place)} occurs once, and "
            "has no row of its own",
            "name the column that has the parents: parent='...'",
        )
    told = f"the parents in column {code_list.title(place)}"
    if unlisted:
        told += f"; {len(unlisted):,} of them without a row of their own"
    return code_list.finish(hierarchy, told)


def _find_concepts(code_list: CodeList) -> dict[str, set[str]]:
    """The concepts by their codes; by other codes and by names where these are no codes."""
    lookup: dict[str, set[str]] = {}
    names: dict[str, set[str]] = defaultdict(set)
    for row in code_list.rows:
        code = code_list.code_of(row)
        lookup[code] = {code}
        for place in (*code_list.columns.aliases, *code_list.columns.names):
            if row.cells[place]:
                names[row.cells[place]].add(code)
    for name, codes in names.items():
        lookup.setdefault(name, codes)
    return lookup


def _split_parents(code_list: CodeList, cell: str, lookup: dict[str, set[str]]) -> list[str]:
    if not cell or cell in lookup:
        return [cell] if cell else []
    parts = split_names(cell)
    if len(parts) == 1 and "," in cell:
        parts = [part.strip() for part in cell.split(",")]
    if len(parts) > 1 and all(part in lookup or is_code(part) for part in parts):
        return parts
    return [cell]


def by_prefixes(code_list: CodeList) -> CodeHierarchy | None:
    """Codes that begin with the codes of their groups."""
    if code_list.columns.code is None:
        return None
    _leave_out_footnotes(code_list)
    code_list.refuse_several_names()
    tree = tell_tree(code_list.codes())
    if tree is None:
        return None
    return _finish_tree(code_list, tree, f"the beginnings of the codes: {tree.levels}")


def _leave_out_footnotes(code_list: CodeList) -> None:
    """Leave out rows of text at the end; elsewhere, text is no code."""
    texts = [place for place, row in enumerate(code_list.rows) if _is_text(code_list.code_of(row))]
    while texts and texts[-1] == len(code_list.rows) - 1:
        texts.pop()
        code_list.rows.pop()
        code_list.left_out["rows without a code"] += 1
    if texts:
        assert code_list.columns.code is not None
        row = code_list.rows[texts[0]]
        raise code_list.table.error(
            f"{quote_names([code_list.code_of(row)])} in the column of codes, "
            f"{code_list.title(code_list.columns.code)}, is no code",
            "correct this row, or name another column: code='...'",
            line=row.line,
        )


def _is_text(code: str) -> bool:
    """Whether a cell of a column of codes has words: ``RU.73.Zelenodolskiy Rayon`` has a code."""
    first, *rest = code.split(maxsplit=1)
    starts_as_code = any(letter.isdigit() for letter in first) and not first.isdigit()
    return bool(rest) and not is_code(code) and not code.isupper() and not starts_as_code


def by_lengths(code_list: CodeList, lengths: Sequence[int]) -> CodeHierarchy:
    """Codes whose first characters are groups, as the user says."""
    if code_list.columns.code is None:
        raise code_list.table.error(
            "levels has lengths of codes, but no column has codes", "name it: code='...'"
        )
    tree = cut_codes(code_list.codes(), lengths)
    if all(parent is None for parent in tree.parents.values()):
        raise code_list.table.error(
            f"levels={list(lengths)} makes no groups: no code is longer",
            "give the numbers of characters that groups have, without dots and dashes",
        )
    told = f"the first {tree.levels} characters of the codes, as you said"
    return _finish_tree(code_list, tree, told)


def _finish_tree(code_list: CodeList, tree: CodeTree, told: str) -> CodeHierarchy:
    """The hierarchy of codes whose groups are told from the codes."""
    hierarchy = CodeHierarchy()
    for code, parent in tree.parents.items():
        hierarchy.add(code, parent)
    if tree.unlisted:
        told += f"; {tree.unlisted:,} groups have no row of their own"
    return code_list.finish(hierarchy, told)


def by_group_column(code_list: CodeList) -> CodeHierarchy | None:
    """Two columns without a header: a few groups, then the concepts in them."""
    if any(code_list.titles) or len(code_list.titles) != 2:
        return None
    fine = code_list.columns.code
    if fine is None:
        return None
    coarse = 1 - fine
    members: dict[str, set[str]] = defaultdict(set)
    for row in code_list.rows:
        members[row.cells[fine]].add(row.cells[coarse])
    groups = {group for values in members.values() for group in values}
    if (
        any(len(v) > 1 for v in members.values())
        or len(groups) * 2 > len(members)
        or ("" in groups or len(groups) < 2)
    ):
        return None
    hierarchy = CodeHierarchy()
    for code, (group,) in members.items():
        hierarchy.add(code, group)
    code_list.columns.names = []
    return code_list.finish(hierarchy, f"the groups in {code_list.title(coarse)}")


def no_hierarchy(code_list: CodeList) -> FileFormatError:
    """What the table lacks, and what to say instead."""
    columns = code_list.columns
    if columns.code is not None:
        codes = code_list.codes()
        if 2 * len(codes) < len(code_list.rows):
            return code_list.table.error(
                f"the codes in {code_list.title(columns.code)} repeat: {len(codes):,} codes in "
                f"{len(code_list.rows):,} rows",
                "this may be a table of data; otherwise name the columns: code='...', "
                "parent='...' or levels=['...', '...']",
            )
        return code_list.table.error(
            f"the codes in {code_list.title(columns.code)} tell no hierarchy: hardly one begins "
            f"with another ({quote_names(codes[:4], most=4)})",
            "say how many characters the groups have, as in levels=[1, 3], or name the column "
            "of the parents, parent='...', or those of the levels, levels=['...', '...']",
        )
    if columns.names:
        return code_list.table.error(
            f"this is a list of {len(code_list.rows):,} names without groups",
            "add a column with the group of each name and name it: parent='...'",
        )
    return code_list.table.error(
        "no column has codes or names of concepts",
        "name the columns: code='...', label='...', parent='...' or levels=['...', '...']",
    )
