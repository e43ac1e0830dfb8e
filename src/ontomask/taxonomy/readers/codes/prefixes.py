"""The hierarchy that codes tell themselves: ``A00.1`` is below ``A00``.

A code has a *stem*: what is left without dots, dashes and spaces. The parent of a code is the
listed code with the longest stem that its own stem begins with. There are three ways of writing
stems:

- characters: ``A00.1`` is ``A001``, below ``A00`` and ``A0``;
- parts: ``1.10`` is ``1`` and ``10``, below ``1`` and not below ``1.1``;
- padded: ``11-1010`` is ``11101``, because zeros at the end fill it up.

A range such as ``31-33`` is above the codes in it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

__all__ = ["CodeTree", "cut_codes", "tell_tree"]

#: At least this part of the codes must have a parent or stand at the top.
LEAST_COVERED = 0.9
#: At least this part of the codes must have a parent, and parents so many children on average.
LEAST_CHILDREN, LEAST_BRANCHING = 0.5, 1.15
#: More than this part of the possible numbers means that codes only count.
DENSEST = 0.8

_SEPARATORS = re.compile(r"[^\w*]+|_")
_RANGE = re.compile(r"(\w+?)(?:\.-)?\s*[-–]\s*(\w+)")
_HEAD = re.compile(r"(?:[^\W\d]{4,} )?[A-Z]{1,2}")
_ROMAN = re.compile(r"(?:[^\W\d]{4,} )?X{0,3}(?:IX|IV|V?I{0,3})")

Stem = tuple[str, ...]
Parents = dict[str, str | None]


class CodeTree(NamedTuple):
    """The parent of each code; the lengths of the levels, in words; codes that are not listed."""

    parents: Parents
    levels: str
    unlisted: int = 0
    roots: tuple[str, ...] = ()


class _Stems(NamedTuple):
    way: str
    stems: dict[str, Stem]


def stem_text(code: str) -> str:
    """A code without what separates its parts."""
    return _SEPARATORS.sub("", code)


def tell_tree(codes: Sequence[str]) -> CodeTree | None:
    """The hierarchy of distinct codes in the order of rows; None if they do not tell any.

    >>> tell_tree(["A", "A0", "A00", "A01", "A1", "A10", "A11", "B"]).parents["A11"]
    'A1'
    """
    ranges = _find_ranges(codes)
    body = [code for code in codes if code not in ranges]
    heads = _find_heads(body)
    body = [code for code in body if code not in heads]
    best: tuple[float, CodeTree] | None = None
    with_digits = sum(any(letter.isdigit() for letter in code) for code in body)
    for make in (_part_stems, _character_stems, _padded_stems, _number_stems):
        if with_digits < max(1, 0.5 * len(body)):
            break  # words, or Roman numbers
        tree = make(body)
        if tree is None or _only_counts(body, tree.way):
            continue
        parents = _longest_prefixes(tree.stems)
        if (merit := _judge(tree.stems, parents, ranges)) and (best is None or merit > best[0]):
            best = (merit, CodeTree(parents, _describe(tree)))
    if best is None:
        return None if ranges or heads else _unlisted_groups(codes)
    parents = dict(best[1].parents)
    _add_ranges(parents, ranges)
    if heads and not _add_heads(parents, codes, heads) and len(heads) > 2:
        return None
    return CodeTree({code: parents[code] for code in codes}, best[1].levels)


def cut_codes(codes: Sequence[str], lengths: Sequence[int]) -> CodeTree:
    """The hierarchy by the lengths of stems that are levels; groups that no row has are added.

    >>> cut_codes(["43201", "43007"], [1, 3]).parents["43201"]
    '432'
    """
    width = Counter(len(stem_text(code)) for code in codes)
    is_padded = len(width) == 1 and any(code.endswith("0") for code in codes)
    ranges = _find_ranges(codes)
    listed: dict[str, str] = {}
    for code in codes:
        if code not in ranges:
            listed.setdefault(_significant(stem_text(code), lengths, is_padded), code)
    parents: Parents = {}
    unlisted: set[str] = set()
    for stem, code in listed.items():
        above = [stem[:length] for length in lengths if length < len(stem)]
        steps = [_named_group(group, listed, unlisted, ranges) for group in above]
        for child, parent in zip([*steps[1:], code], steps, strict=True) if steps else ():
            parents.setdefault(child, parent)
        if steps:
            parents.setdefault(steps[0], None)
        else:
            parents.setdefault(code, None)
    for code in codes:  # two codes with the same stem: siblings
        if code not in parents and code not in ranges:
            twin = listed[_significant(stem_text(code), lengths, is_padded)]
            parents[code] = parents[twin]
    _add_ranges(parents, ranges)
    return CodeTree(parents, ", ".join(map(str, lengths)), len(unlisted))


def _named_group(
    group: str, listed: dict[str, str], unlisted: set[str], ranges: dict[str, tuple[str, str]]
) -> str:
    """The code of a group: a listed one, the range that it is in, or its stem."""
    if group in listed:
        return listed[group]
    for code, (low, high) in ranges.items():
        if len(low) == len(group) and low <= group <= high:
            return code
    unlisted.add(group)
    return group


def _significant(stem: str, lengths: Sequence[int], is_padded: bool) -> str:
    """A stem without the zeros that only fill it up to the usual length."""
    if is_padded:
        for length in lengths:
            if length < len(stem) and not stem[length:].strip("0"):
                return stem[:length]
    return stem


# ---------------------------------------------------------------------- ranges and headings


def _find_ranges(codes: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Ranges of codes with their ends; in a list made of them they are only codes."""
    ranges = {}
    total = 0
    for code in codes:
        total += 1
        match = _RANGE.fullmatch(code)
        if (
            match
            and len(match[1]) == len(match[2])
            and match[1] <= match[2]
            and (match[1][0].isdigit() == match[2][0].isdigit())
        ):
            ranges[code] = (match[1], match[2])
    return ranges if len(ranges) < 0.4 * total else {}


def _add_ranges(parents: Parents, ranges: dict[str, tuple[str, str]]) -> None:
    """Put what stands at the top below the narrowest range that it is in."""
    by_width = sorted(ranges, key=lambda code: _range_size(*ranges[code]))
    for code in [code for code, parent in parents.items() if parent is None]:
        stem = stem_text(code)
        for above in by_width:
            low, high = ranges[above]
            if len(stem) >= len(low) and low <= stem[: len(low)] <= high:
                parents[code] = above
                break
    for place, code in enumerate(by_width):
        low, high = ranges[code]
        parents[code] = next(
            (
                above
                for above in by_width[place + 1 :]
                if ranges[above] != (low, high)
                and ranges[above][0] <= low[: len(ranges[above][0])]
                and high[: len(ranges[above][1])] <= ranges[above][1]
            ),
            None,
        )


def _range_size(low: str, high: str) -> int:
    return int.from_bytes(high.encode(), "big") - int.from_bytes(low.encode(), "big")


def _find_heads(codes: Sequence[str]) -> set[str]:
    """Letters such as the sections of NACE, which no other code begins with; Roman numbers."""
    numbers = {code for code in codes if _ROMAN.fullmatch(code)}
    if {number.split()[-1] for number in numbers} >= {"I", "II", "III"}:
        return numbers
    heads = {code for code in codes if _HEAD.fullmatch(code)}
    if not heads or len(heads) > 0.2 * len(codes):
        return set()
    started = {code[:length] for code in codes if code not in heads for length in (1, 2)}
    return set() if len(heads & started) > 0.2 * len(heads) else heads - started


def _add_heads(parents: Parents, codes: Sequence[str], heads: set[str]) -> bool:
    """Put what stands at the top below the letter above it; False if the rows are not so."""
    current: str | None = None
    above: dict[str, str] = {}
    for code in codes:
        if code in heads:
            current = code
        elif parents[code] is None and current is not None:
            above[code] = current
    is_ordered = codes[0] in heads and len(set(above.values())) >= 0.8 * len(heads)
    for code in heads:
        parents[code] = None
    if is_ordered:
        parents.update(above)
    return is_ordered


# ---------------------------------------------------------------------- ways of writing stems


def _part_stems(codes: Sequence[str]) -> _Stems | None:
    """The parts between separators, where the last parts count 1, 2, ..., 10, 11."""
    stems = {code: tuple(_SEPARATORS.split(code.strip(".-"))) for code in codes}
    siblings: dict[Stem, set[str]] = defaultdict(set)
    for stem in stems.values():
        for depth in range(len(stem)):
            *above, last = stem[: depth + 1]
            if depth == 0 and (letters := re.fullmatch(r"(\D*)(\d+)", last)):
                above, last = [letters[1]], letters[2]
            siblings[tuple(above)].add(last)
    counting = [_counts_up(parts) for parts in siblings.values() if len(set(map(len, parts))) > 1]
    if not counting or sum(counting) < 0.7 * len(counting) or len(set(stems.values())) < len(stems):
        return None
    return _Stems("parts", stems)


def _counts_up(parts: set[str]) -> bool:
    """Whether siblings are numbered 1, 2, ..., 10 with hardly a gap."""
    numbers = {int(part) for part in parts if part.isdigit() and part[0] != "0"}
    return (
        len(numbers) >= 0.9 * len(parts)
        and len(numbers) >= 0.7 * max(numbers, default=0)
        and len(numbers & set(range(1, 10))) >= 7
    )


def _character_stems(codes: Sequence[str]) -> _Stems | None:
    stems = {code: tuple(stem_text(code)) for code in codes}
    stems = {code: stem for code, stem in stems.items() if stem}
    if len(set(stems.values())) < 0.99 * len(codes):
        return None
    return _Stems("characters", stems)


def _padded_stems(codes: Sequence[str]) -> _Stems | None:
    """Codes of one length that zeros fill up; groups have as many characters as they need."""
    texts = {code: stem_text(code) for code in codes}
    checked = [code for code in codes if re.fullmatch(r".+-\d", code)]
    if len(codes) > 10 and len(checked) >= 0.99 * len(codes):
        unchecked = {code: stem_text(code[:-2]) for code in checked}  # without a check digit
        if len(set(unchecked.values())) >= 0.99 * len(codes):
            texts |= unchecked
    widths = Counter(map(len, texts.values()))
    if not widths or widths.most_common(1)[0][1] < 0.95 * len(codes):
        return None
    return _strip_padding(texts)


def _number_stems(codes: Sequence[str]) -> _Stems | None:
    """Numbers of one length that lost their leading zeros."""
    widths = Counter(map(len, codes))
    if len(widths) != 2 or not all(code.isdigit() and code[0] != "0" for code in codes):
        return None
    stripped = _strip_padding({code: code.zfill(max(widths)) for code in codes})
    return stripped and stripped._replace(way="padded, with their leading zeros")


def _strip_padding(texts: dict[str, str]) -> _Stems | None:
    """Stems without the zeros at the end; with two levels only, 0 may be a digit like others."""
    values = set(texts.values())
    if len(values) < 0.99 * len(texts) or sum(text.endswith("0") for text in values) < 0.05 * len(
        values
    ):
        return None
    for top in (1, 2, 3, 4):
        tops = {text[:top] + "0" * (len(text) - top) for text in values}
        if len(tops) > 1 and len(tops & values) >= LEAST_COVERED * len(tops):
            stems = {
                code: tuple(text[: max(top, len(text.rstrip("0")))]) for code, text in texts.items()
            }
            return _Stems("padded", stems) if len({*map(len, stems.values())}) > 2 else None
    return None


# ---------------------------------------------------------------------- judging them


def _longest_prefixes(stems: dict[str, Stem]) -> Parents:
    codes = {stem: code for code, stem in stems.items()}
    lengths = sorted({len(stem) for stem in codes})
    parents: Parents = {}
    for code, stem in stems.items():
        parents[code] = None
        for length in reversed(lengths[: bisect_right(lengths, len(stem) - 1)]):
            if (above := codes.get(stem[:length])) is not None:
                parents[code] = above
                break
    return parents


def _judge(stems: dict[str, Stem], parents: Parents, ranges: dict[str, tuple[str, str]]) -> float:
    """The part of the codes that have a parent or stand at the top; 0 for no hierarchy."""
    roots = [code for code, parent in parents.items() if parent is None]
    children = len(parents) - len(roots)
    inner = len({parent for parent in parents.values() if parent is not None})
    with_ranges: Parents = dict.fromkeys(roots)
    _add_ranges(with_ranges, ranges)
    free = [code for code in roots if with_ranges[code] is None]
    top = Counter(len(stems[code]) for code in free).most_common(1)
    covered = (
        len(parents) - sum(len(stems[code]) > top[0][0] for code in free) if top else (len(parents))
    )
    in_ranges = len(roots) - len(free)
    if (
        covered < LEAST_COVERED * len(parents)
        or children + in_ranges < LEAST_CHILDREN * len(parents)
        or children + in_ranges < LEAST_BRANCHING * (inner + bool(in_ranges))
    ):
        return 0.0
    return covered / len(parents)


def _only_counts(codes: Sequence[str], way: str) -> bool:
    """Whether the codes are numbers 1, 2, 3, ... that say nothing of groups."""
    first, last = min(codes), max(codes)
    same = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    )
    start = len(first[:same].rstrip("0123456789"))
    digits = [code[start:] for code in codes if code[start:].isdigit()]
    if way == "parts" or not digits or len(digits) < 0.8 * len(codes):
        return False
    codes = digits
    numbers = sorted({int(code) for code in codes})
    if any(code[0] == "0" and len(code) > 1 for code in codes):
        return (
            len({len(code) for code in codes}) == 1
            and _run_on(numbers)
            and (
                len(numbers) < 9 * 10 ** (len(codes[0]) - 1)  # all of 000 to 999 may be groups
            )
        )
    lengths = Counter(map(len, codes))
    density = {length: count / (9 * 10 ** (length - 1)) for length, count in lengths.items()}
    span = numbers[-1] - numbers[0] + 1
    if _run_on(numbers):
        return True
    if len(numbers) >= DENSEST * span or density.get(2, 0) >= 0.7 or density.get(3, 0) >= 0.4:
        return len(lengths) > 1 or len(numbers) >= DENSEST * span
    in_order = list(codes) == sorted(codes) or list(codes) == sorted(codes, key=len)
    return (
        not in_order and len(lengths) > 1 and density.get(2, 0) >= 0.3 and not is_tree_order(codes)
    )


def _run_on(numbers: Sequence[int]) -> bool:
    """Whether nearly every number is followed by the next one."""
    known = set(numbers)
    return sum(number + 1 in known for number in numbers) >= 0.9 * (len(numbers) - 1)


def is_tree_order(codes: Sequence[str]) -> bool:
    """Whether codes stand after the codes that they begin with, in one block."""
    ordered = sum(later > earlier for earlier, later in pairwise(codes))
    return ordered >= 0.95 * (len(codes) - 1)


def _unlisted_groups(codes: Sequence[str]) -> CodeTree | None:
    """Groups by the first parts of codes such as ``6125-10``, none of which is listed."""
    stems = {code: _SEPARATORS.split(code) for code in codes}
    cut = [code for code, stem in stems.items() if len(stem) > 1 and all(stem)]
    groups = {stems[code][0] for code in cut}
    if len(cut) < 0.95 * len(codes) or len(groups) < 2 or len(cut) < 2 * len(groups):
        return None
    parents: Parents = {}
    for code in codes:
        steps = [code[: match.start()] for match in _SEPARATORS.finditer(code)]
        path = [*(step for step in steps if step), code]
        parents.setdefault(path[0], None)
        for above, below in pairwise(path):
            parents.setdefault(below, above)
    unlisted = len(parents) - len(codes)
    return CodeTree(parents, "parts between separators", unlisted)


def _describe(tree: _Stems) -> str:
    lengths = sorted({len(stem) for stem in tree.stems.values()})
    text = ", ".join(map(str, lengths))
    if tree.way == "parts":
        return f"{text} parts"
    return f"{text} characters" + (" (zeros fill up)" if tree.way.startswith("padded") else "")
